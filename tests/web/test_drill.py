"""The drill: which situations it deals, how it judges, and that nothing else counts it."""

import random
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.advice import Decision
from cardgames.cards import FULL_DECK, Card
from tests.support.site import BY_HAND, JSON, look, play, visitor
from web.rounds.drill import SET_SIZE, Posed, choose_situations, costly_situations

ADVISED = [slug for slug, game in GAMES.items() if game.advisor]


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def shown(client: FlaskClient, slug: str) -> tuple[str, int]:
    """Return the drill's page, and its step."""
    page = client.get(f"/{slug}/drill").text
    found = re.search(r'name="step" value="(\d+)"', page)
    assert found
    return page, int(found[1])


def do(client: FlaskClient, slug: str, move: str) -> str:
    """Play a move of the drill as its page would, and return the page that follows."""
    _, step = shown(client, slug)
    answer = client.post(f"/{slug}/drill", data={"move": move, "step": step})
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/{slug}/drill")
    return shown(client, slug)[0]


def posed(page: str) -> tuple[str, ...]:
    """Return the ranks on the table: the upcard, then the hand."""
    dealer, you = page.split('id="hand-you"')
    return tuple(re.findall(r"/cards/(.)[SHDC]\.svg", dealer + you))


# ---- Which situations ----------------------------------------------------------------------


@pytest.mark.parametrize("slug", ADVISED)
def test_what_players_get_wrong_is_wrong_by_a_rule_of_thumb(slug: str) -> None:
    """Two usual rules, "never risk going over" and "draw to 17", each cost a twentieth or more."""
    advisor = GAMES[slug].advisor
    assert advisor
    wrong = {"timid": 0, "bold": 0}
    for hand, upcard in advisor.hard_situations:
        state = advisor.pose(hand, upcard)
        situation, odds = advisor.situation(state), advisor.odds(state)
        assert (situation.hand, situation.upcard) == (hand, upcard)
        assert not situation.soft
        assert 12 <= situation.total <= 16  # a hit may bust, and the dealer would draw
        assert abs(odds.hit.ev - odds.stay.ev) >= 0.05
        wrong["timid" if odds.best == "hit" else "bold"] += 1
    assert wrong == {"timid": 6, "bold": 6}


@pytest.mark.parametrize("slug", ADVISED)
def test_a_situation_is_posed_with_every_other_card_unseen(slug: str) -> None:
    advisor = GAMES[slug].advisor
    assert advisor
    hand, upcard = cards("TS 2H 4C"), Card("9C")
    state = advisor.pose(hand, upcard)
    assert sorted((*hand, upcard, *advisor.unseen(state))) == sorted(FULL_DECK)
    assert [one.name for one in GAMES[slug].moves(state)][:2] == ["hit", "stay"]


def test_the_dearest_situations_come_first_and_alike_ones_are_one() -> None:
    """16 against a ten: .1 + .15, by two hands; 12 against a two: .2; the rest cost nothing."""
    game = GAMES["blackjack"]
    assert game.advisor
    decided = [
        Decision(9, cards("TS 6D"), Card("TC"), "stay", "hit", 0.1),
        Decision(8, cards("TS 2D"), Card("2C"), "hit", "stay", 0.2),
        Decision(7, cards("9S 7D"), Card("TD"), "stay", "hit", 0.15),
        Decision(6, cards("TS 8D"), Card("TD"), "stay", "stay", 0.0),
        Decision(5, cards("TS 9D"), Card("TD"), "deal", "stay", 0.9),  # given up: no such choice
    ]
    found = costly_situations(game, game.advisor, iter(decided))
    assert found == [
        Posed(cards("TS 6D"), Card("TC")),
        Posed(cards("TS 2D"), Card("2C")),
    ]


def test_a_set_is_the_players_own_and_then_what_others_get_wrong() -> None:
    own = [Posed((card,), Card("2C")) for card in FULL_DECK[10:40]]
    common = [Posed((card,), Card("3C")) for card in FULL_DECK[10:22]]
    few = choose_situations(own[:3], common, random.Random(1))
    assert len(few) == SET_SIZE
    assert {*own[:3]} < {*few} < {*own[:3], *common}
    assert {*choose_situations(own, common, random.Random(1))} == {*own[:SET_SIZE]}


def test_other_suits_are_the_same_decision() -> None:
    one = Posed(cards("TS 6D"), Card("TC"))
    order = list("HSDC")
    order.reverse()
    other = one.in_other_suits(order)  # type: ignore[arg-type]
    assert [card.rank for card in (*other.hand, other.upcard)] == ["T", "6", "T"]
    assert len({*other.hand, other.upcard}) == 3


# ---- At the drill --------------------------------------------------------------------------


@pytest.mark.parametrize("slug", ADVISED)
def test_a_decision_is_judged_at_once_and_a_wrong_one_comes_again(
    client: FlaskClient, slug: str
) -> None:
    """Hitting every time is wrong half of the time, by the twelve situations."""
    page = do(client, slug, "deal")
    assert "Nothing is known yet of where you give away most" in page
    wrong: list[tuple[str, ...]] = []
    for _ in range(SET_SIZE):
        situation, page = posed(page), do(client, slug, "hit")
        assert ('<li class="wrong">' in page) == ("was a mistake" in page)
        wrong += [situation] * ("was a mistake" in page)
        page = do(client, slug, "deal")
    assert len(wrong) >= 4
    for situation in wrong:  # in other suits
        assert posed(page) == situation
        do(client, slug, "stay")
        page = do(client, slug, "deal")


def test_an_old_page_decides_nothing(client: FlaskClient) -> None:
    do(client, "simple-21", "deal")
    page, step = shown(client, "simple-21")
    for move in ("deal", "new", "swap", ""):
        do(client, "simple-21", move)
        assert shown(client, "simple-21") == (page, step)
    judged = do(client, "simple-21", "hit")
    client.post("/simple-21/drill", data={"move": "deal", "step": step})
    client.post("/simple-21/drill", data={"move": "stay", "step": step + 1})
    assert shown(client, "simple-21")[0] == judged


def test_what_was_given_away_in_kept_rounds_is_dealt(client: FlaskClient) -> None:
    """Simple 21: staying on 16 against a ten costs .036; the round was played without a coach."""
    play(client, "/simple-21", "deal", deck=BY_HAND)
    play(client, "/simple-21", "stay")
    page = do(client, "simple-21", "deal")
    assert "One of the latest situations is from your own rounds" in page
    found = set()
    for _ in range(3 * SET_SIZE):
        found.add(posed(page))
        do(client, "simple-21", "hit")
        page = do(client, "simple-21", "deal")
    assert ("T", "T", "6") in found


def test_neither_tally_nor_history_counts_it(client: FlaskClient) -> None:
    play(client, "/simple-21", "deal", deck=BY_HAND)
    before, listed = look(client), look(client, "/simple-21/history")
    for move in ("deal", "hit", "deal", "stay"):
        do(client, "simple-21", move)
    assert look(client) == before
    assert look(client, "/simple-21/history") == listed


def test_who_has_no_advisor_has_no_drill(client: FlaskClient, tmp_path: Path) -> None:
    for slug in {*GAMES} - {*ADVISED}:
        assert client.get(f"/{slug}/drill").status_code == 404
    strict = visitor(tmp_path, coach=False)
    assert strict.get("/simple-21/drill").status_code == 404
    assert strict.post("/simple-21/drill", data={"move": "deal"}, headers=JSON).status_code == 404
