"""The coach: what decisions cost, luck and skill apart, and a page that tells it in words."""

import math
import random
import re
from dataclasses import replace
from typing import Any

import pytest
from cardgames.coach import NOTHING_YET, Ledger, followed
from cardgames.twentyone import PIPS, State, TwentyOne
from flask.testing import FlaskClient

from app import create_app
from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card, shuffled
from cardgames.game import Phase
from cardgames.odds import table_odds
from web.settings import Settings

JSON = {"Accept": "application/json"}
TABLES = [game for game in GAMES.values() if isinstance(game, TwentyOne)]


def stacked(*codes: str) -> str:
    """A deck file that begins with these cards."""
    first = [Card(code) for code in codes]
    return "\n".join([*first, *(card for card in FULL_DECK if card not in first)])


def follow(table: TwentyOne, moves: list[tuple[str, dict[str, str]]], seed: int = 1) -> Ledger:
    rng, state, ledger = random.Random(seed), table.start(), NOTHING_YET
    for move, choices in moves:
        after = table.play(state, move, choices, rng)
        ledger = followed(ledger, table.rules, state, move, after)
        state = after
    return ledger


# ---- The ledger ----------------------------------------------------------------------------


def test_hitting_16_against_a_ten_at_blackjack() -> None:
    """numbers.md, TS 6D v QC: stay -.58026191, hit -.60515194, so a hit costs .02489003.

    At Blackjack the dealer's first card is the hole card and the second the upcard.
    """
    table = GAMES["blackjack"]
    assert isinstance(table, TwentyOne)
    deck = stacked("TS", "2C", "6D", "QC", "KS")
    ledger = follow(table, [("deal", {"deck": deck}), ("hit", {})])
    (decision,) = ledger.last
    assert (decision.chosen, decision.best) == ("hit", "stay")
    assert decision.cost == pytest.approx(0.60515194 - 0.58026191, abs=2e-8)
    assert (ledger.rounds, ledger.result, ledger.mistakes) == (1, -1, 1)
    assert ledger.expected == pytest.approx(-0.58026191, abs=1e-8)
    assert ledger.luck == pytest.approx(-1 + 0.60515194, abs=2e-8)


def test_giving_up_a_round_costs_all_that_it_was_worth() -> None:
    table = GAMES["blackjack"]
    assert isinstance(table, TwentyOne)
    deck = stacked("TS", "2C", "6D", "QC")
    ledger = follow(table, [("deal", {"deck": deck}), ("deal", {"deck": deck})])
    (dear,) = ledger.dearest
    assert dear.chosen == "deal"
    assert dear.cost == pytest.approx(1 - 0.58026191, abs=1e-8)
    assert (ledger.rounds, ledger.result, ledger.last) == (1, -1, ())


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.slug)
def test_result_is_expected_plus_luck_minus_cost(table: TwentyOne) -> None:
    """And the best play never costs anything; every sum is that of the moves, told here anew."""
    rng = random.Random(table.slug)
    state, ledger = table.start(), NOTHING_YET
    cost, expected, result, rounds = 0.0, 0.0, 0, 0
    while rounds < 12:
        names = [move.name for move in table.moves(state) if move.name not in ("new", "deal")]
        move = rng.choice(names or ["deal" if state.phase is not Phase.GAME_OVER else "new"])
        if state.phase is Phase.PLAYING:
            odds = table_odds(table.rules, state)
            worth = {"hit": odds.hit.ev, "stay": odds.stay.ev}
            cost += max(worth.values()) - worth[move]
        after = table.play(state, move, {}, rng)
        if move == "deal" and after.phase is Phase.PLAYING:
            odds = table_odds(table.rules, after)
            expected += max(odds.hit.ev, odds.stay.ev)
        if after.winner is not None and after.round > 0:
            rounds += 1
            result += {"player": 1, "dealer": -1, "tie": 0}[after.winner]
        ledger = followed(ledger, table.rules, state, move, after)
        state = after
    assert ledger.rounds == rounds
    assert ledger.result == result
    assert ledger.cost == pytest.approx(cost, abs=1e-7)
    assert ledger.expected == pytest.approx(expected, abs=1e-9)
    assert ledger.result == pytest.approx(ledger.expected + ledger.luck - ledger.cost, abs=1e-9)
    assert [one.cost for one in ledger.dearest] == sorted(
        (one.cost for one in ledger.dearest), reverse=True
    )
    assert len(ledger.dearest) <= 5


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.slug)
def test_the_best_play_costs_nothing(table: TwentyOne) -> None:
    rng, state, ledger = random.Random(4), table.start(), NOTHING_YET
    for _ in range(30):
        match state.phase:
            case Phase.PLAYING:
                move: str = table_odds(table.rules, state).best
            case Phase.GAME_OVER:
                move = "new"
            case _:
                move = "deal"
        after = table.play(state, move, {}, rng)
        ledger = followed(ledger, table.rules, state, move, after)
        state = after
    assert (ledger.cost, ledger.mistakes, ledger.dearest) == (0, 0, ())
    assert ledger.decisions > 5


def test_asked_in_the_middle_of_a_round_it_begins_there() -> None:
    table = TABLES[0]
    rng = random.Random(2)
    state = table.play(table.start(), "deal", {}, rng)
    after = table.play(state, "stay", {}, rng)
    ledger = followed(NOTHING_YET, table.rules, state, "stay", after)
    odds = table_odds(table.rules, state)
    assert ledger.rounds == 1
    assert ledger.expected == pytest.approx(max(odds.hit.ev, odds.stay.ev))


# ---- The odds over HTTP --------------------------------------------------------------------


def test_the_json_of_the_contract(client: FlaskClient) -> None:
    """numbers.md, TS 6D v QC at Simple 21 (deck: player, dealer up, player, dealer down)."""
    deck = stacked("TS", "QC", "6D")
    form = {"move": "deal", "step": "0", "deck": deck}
    client.post("/simple-21", data=form)
    answer = client.get("/simple-21/odds", headers=JSON).get_json()
    assert list(answer) == ["stay", "hit", "bust", "dealer", "best"]
    assert list(answer["stay"]) == ["win", "tie", "lose", "ev"]
    assert list(answer["dealer"]) == ["17", "18", "19", "20", "21", "bust", "out"]
    assert answer["stay"]["ev"] == pytest.approx(-0.54443916, abs=5e-9)
    assert answer["hit"]["ev"] == pytest.approx(-0.50815725, abs=5e-9)
    assert answer["bust"] == pytest.approx(29 / 49)
    assert answer["best"] == "hit"
    page = client.get("/simple-21/odds")
    assert page.status_code == 200
    assert "59.2%" in page.text  # 29/49


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.slug)
def test_no_open_decision_is_a_422(client: FlaskClient, table: TwentyOne) -> None:
    path = f"/{table.slug}/odds"
    response = client.get(path, headers=JSON)
    assert (response.status_code, list(response.get_json())) == (422, ["error"])
    assert client.get(path).status_code == 422


@pytest.mark.parametrize("slug", ["war", "bingo", "nowhere"])
def test_other_tables_have_no_odds(client: FlaskClient, slug: str) -> None:
    assert client.get(f"/{slug}/odds").status_code == 404


def resampled(table: TwentyOne, state: State, rng: random.Random) -> State:
    """Deal the hole card, the deck and the buried cards anew among themselves."""
    hole = state.dealer[table.rules.hole]
    cards = list(shuffled((hole, *state.deck, *state.buried), rng))
    fits = next(card for card in cards if card not in state.returned)
    cards.remove(fits)
    dealer = tuple(fits if card is hole else card for card in state.dealer)
    deck, buried = cards[: len(state.deck)], cards[len(state.deck) :]
    return replace(state, dealer=dealer, deck=tuple(deck), buried=tuple(buried))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.slug)
def test_what_is_hidden_does_not_change_the_advice(table: TwentyOne) -> None:
    """Nor the ledger: it counts decisions before their cards fall."""
    rng, state, seen = random.Random(9), table.start(), 0
    while seen < 60:
        if state.phase is Phase.PLAYING:
            other = resampled(table, state, rng)
            assert table.view(other) == table.view(state)
            assert table_odds(table.rules, other) == table_odds(table.rules, state)
            seen += 1
        names = [move.name for move in table.moves(state) if move.name != "new"]
        state = table.play(state, rng.choice(names or ["new"]), {}, rng)


# ---- The page ------------------------------------------------------------------------------


def turn_on(client: FlaskClient, table: str = "simple-21", on: str = "yes") -> Any:
    return client.post("/coach", data={"table": table, "on": on})


def test_it_is_off_until_asked_and_remembered(client: FlaskClient) -> None:
    client.post("/simple-21", data={"move": "deal", "step": "0"})
    page = client.get("/simple-21").text
    assert "What are my chances?" in page
    assert "best play" not in page
    response = turn_on(client)
    assert (response.status_code, response.headers["Location"]) == (303, "/simple-21")
    page = client.get("/simple-21").text
    assert re.search(r"The best play is to (hit|stay)\.", page)
    assert page.count("<script") == 1  # the site's own, which only adds
    client.post("/one-deck", data={"move": "deal", "step": "0"})
    assert "The best play is" in client.get("/one-deck").text
    turn_on(client, on="no")
    assert "The best play is" not in client.get("/one-deck").text


def test_the_switch_does_not_count_as_a_move(client: FlaskClient) -> None:
    client.post("/simple-21", data={"move": "deal", "step": "0"})
    turn_on(client)
    assert client.get("/simple-21", headers=JSON).get_json()["step"] == 1
    form = {"move": "stay", "step": "1"}
    assert client.post("/simple-21", data=form).status_code == 303


def test_after_the_round_it_says_what_the_decision_was_worth(client: FlaskClient) -> None:
    """TS 6D v QC at Simple 21: staying costs .54443916 - .50815725, 3.6 points in a hundred."""
    turn_on(client)
    deck = stacked("TS", "QC", "6D")
    client.post("/simple-21", data={"move": "deal", "step": "0", "deck": deck})
    client.post("/simple-21", data={"move": "stay", "step": "1"})
    page = client.get("/simple-21").text
    assert "Staying on 16 against a queen cost you 3.6 points in a hundred." in page
    assert math.isclose(0.54443916 - 0.50815725, 0.036, abs_tol=5e-4)
    assert "Rounds with the coach" in page


def test_which_cards_help_is_told_by_rank_alone(client: FlaskClient) -> None:
    """With 16 at Simple 21 a 6 or more busts; ace to 5 are 4 each, none of them seen."""
    turn_on(client)
    deck = stacked("TS", "QC", "6D")
    client.post("/simple-21", data={"move": "deal", "step": "0", "deck": deck})
    page = client.get("/simple-21").text
    helps = re.search(r"Cards that would leave you better off[^.]*", page)
    assert helps
    for rank in ("aces", "twos", "threes", "fours", "fives"):
        assert f"4 {rank}" in helps[0]
    assert "sixes" not in helps[0]
    assert "of the 49 you have not seen" in helps[0]
    visible = {"TS", "6D", "QC"}
    codes = set(re.findall(r"\b[A2-9TJQK][CDHS]\b", page))
    assert codes <= visible


def test_an_instructor_can_switch_it_off(tmp_path: Any) -> None:
    client = create_app(Settings(data_dir=tmp_path, coach=False)).test_client()
    client.post("/simple-21", data={"move": "deal", "step": "0"})
    assert "chances" not in client.get("/simple-21").text
    assert client.get("/simple-21/odds", headers=JSON).status_code == 404
    assert turn_on(client).status_code == 404
    assert Settings.from_environment({"COACH": "off"}).coach is False
    assert Settings.from_environment({}).coach is True


@pytest.mark.parametrize("form", [{}, {"table": "war"}, {"table": "nowhere", "on": "yes"}])
def test_the_switch_of_no_table_is_a_404(client: FlaskClient, form: dict[str, str]) -> None:
    assert client.post("/coach", data=form).status_code == 404


def test_a_hole_card_that_can_be_told_by_elimination_is_no_secret() -> None:
    """A refill in the player's turn brings back every other card: the hole card is the one missing.

    So when a bust buries it, the player knows it lies among the discards, and not in the deck.
    """
    table = TABLES[0]
    player, dealer = tuple(map(Card, ("TS", "6D"))), tuple(map(Card, ("9C", "KH")))
    discards = tuple(card for card in FULL_DECK if card not in (*player, *dealer))
    state = replace(
        table.start(),
        phase=Phase.PLAYING,
        round=1,
        player=player,
        dealer=dealer,
        hole_down=True,
        deck=(),
        discards=discards,
    )
    while state.phase is Phase.PLAYING:
        state = table.play(state, "hit", {}, random.Random(5))
    assert dealer[1] not in state.deck
    after = table.play(state, "deal", {}, random.Random(5))
    assert after.buried == ()
    assert dealer[1] in after.discards
    unseen = {after.dealer[1], *after.deck}
    bust = sum(PIPS[card.rank] > 21 - hard(after.player) for card in unseen) / len(unseen)
    assert table_odds(table.rules, after).bust == pytest.approx(bust)


def hard(cards: tuple[Card, ...]) -> int:
    return sum(PIPS[card.rank] for card in cards)
