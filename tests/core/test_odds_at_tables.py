"""The odds of decisions at tables, and what is remembered of them."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import astuple, replace
from itertools import islice, permutations, product

import pytest

from cardgames import GAMES
from cardgames import odds as inside
from cardgames.cards import FULL_DECK, Card, Cards
from cardgames.games.twentyone import SIMPLE_21, State, TwentyOne
from cardgames.games.twentyone.rules import POINTS, total
from cardgames.moves import Action, IllegalMove
from cardgames.odds import odds
from tests.support.amounts import few_or_all
from tests.support.hidden import resampled
from tests.support.odds import RULES, decisions
from tests.support.play import cards

each_game = pytest.mark.parametrize("game", [GAMES[slug] for slug in RULES], ids=RULES)


def some_decisions(game: TwentyOne, seed: str, number: int = 120) -> list[State]:
    """Some of the many, so that decks of every size and refilled ones are among them."""
    return list(islice(decisions(game, seed), 0, number * 3, 3))


@each_game
def test_hidden_cards_do_not_change_the_odds(game: TwentyOne) -> None:
    rng = random.Random(5)
    states = some_decisions(game, "hidden")
    for state in states:
        answer = game.advisor.odds(state)
        for _ in range(2):
            assert game.advisor.odds(resampled(game, state, rng)) == answer
    if game.info.slug == "simple-21":
        assert any(state.unseen_discards for state in states)
        assert any(state.discards for state in states)


@each_game
def test_the_parts_fit_together(game: TwentyOne) -> None:
    for state in some_decisions(game, "parts"):
        answer = game.advisor.odds(state)
        for chances in (answer.stay, answer.hit):
            assert min(chances.win, chances.tie, chances.lose) >= 0
            assert chances.win + chances.tie + chances.lose == pytest.approx(1, abs=1e-12)
            assert chances.ev == chances.win - chances.lose
        assert list(answer.dealer) == ["17", "18", "19", "20", "21", "bust", "out"]
        assert sum(answer.dealer.values()) == pytest.approx(1, abs=1e-12)
        assert min(answer.dealer.values()) >= 0
        assert answer.hit.lose >= answer.bust - 1e-12
        assert answer.best == ("hit" if answer.hit.ev > answer.stay.ev + 1e-12 else "stay")
        if game.info.slug != "one-deck":
            assert answer.dealer["out"] == 0
        if game.info.slug == "blackjack":
            assert answer.stay.tie == answer.hit.tie == 0


@each_game
def test_staying_is_what_the_dealer_makes_of_it(game: TwentyOne) -> None:
    rules = game.rules
    for state in some_decisions(game, "staying"):
        answer, yours = game.advisor.odds(state), total(state.player, rules)
        if rules.stay_on_21_wins and yours == 21:
            assert astuple(answer.stay) == (1, 0, 0, 1)
            continue
        over = sum(answer.dealer[str(points)] for points in range(max(yours + 1, 17), 22))
        under = answer.dealer["bust"] + sum(answer.dealer[str(n)] for n in range(17, yours))
        equal = answer.dealer.get(str(yours), 0)
        assert answer.stay.win == pytest.approx(under, abs=1e-12)
        assert answer.stay.lose == pytest.approx(over + equal * rules.dealer_wins_ties, abs=1e-12)


@each_game
def test_the_next_card_is_any_unseen_card_alike(game: TwentyOne) -> None:
    """While the deck is not empty; and 11 or less can never bust."""
    for state in some_decisions(game, "next card"):
        if not state.deck:
            continue
        hole = state.dealer[game.rules.hole]
        unseen = (hole, *state.deck, *state.unseen_discards)
        room = 21 - sum(POINTS[card.rank] for card in state.player)
        # The next card is any but the hole card; or any but the buried card of which more is known.
        ways = known_ways(state) or dict.fromkeys(unseen, 1)
        too_much = sum(
            ways.get(other, 0)
            * sum(POINTS[card.rank] > room for card in unseen if card is not other)
            for other in unseen
        )
        in_all = sum(ways.get(card, 0) for card in unseen)
        bust = game.advisor.odds(state).bust
        assert bust == pytest.approx(too_much / in_all / (len(unseen) - 1), abs=1e-12)
        assert bust == 0 or room < 10


def known_ways(state: State) -> dict[Card, int]:
    return {card: number for number, cards in state.ways for card in cards}


class TopCard(random.Random):
    """Shuffles by moving one card to the top."""

    place = 0

    def shuffle(self, x: list[Card]) -> None:
        x.insert(0, x.pop(self.place))


def hits(game: TwentyOne, state: State) -> Iterator[tuple[int, State]]:
    """The table after a hit, for every hole card, card known of and next card; and its weight."""
    rng, ways = TopCard(), known_ways(state)
    hidden = [state.dealer[game.rules.hole], *state.deck, *state.unseen_discards]
    for hole, first in (
        permutations(hidden, 2) if state.unseen_discards else product(hidden, [None])
    ):
        weight = ways.get(first or hole, 0) if ways else 1
        dealer = list(state.dealer)
        dealer[game.rules.hole] = hole
        known = (first,) if first else ()
        rest = tuple(card for card in hidden if card not in (hole, first))
        for place in range(len(rest if state.deck else state.discards + known + rest)):
            order = (*rest[place:], *rest[:place]) if state.deck else rest
            rng.place = place
            deck, buried = order[: len(state.deck)], (*known, *order[len(state.deck) :])
            dealt = replace(state, dealer=tuple(dealer), deck=deck, unseen_discards=buried)
            if weight:
                yield weight, game.apply(dealt, Action("hit"), rng)


def worth(game: TwentyOne, state: State) -> float:
    """What the table is worth to its player now."""
    if state.winner is not None:
        return {"player": 1.0, "dealer": -1.0, "tie": 0.0}[state.winner]
    answer = game.advisor.odds(state)
    return max(answer.stay.ev, answer.hit.ev)


@few_or_all("some", 1, 10)
@each_game
def test_a_hit_is_worth_the_mean_of_what_comes_after_it(game: TwentyOne, some: int) -> None:
    """Through the game itself, refills included: no question is answered from other knowledge than
    the next one."""
    many = list(islice(decisions(game, "mean"), 3000))
    states = many[: 5 * some : 5]
    states += [state for state in many if len(state.deck) == 1][:some]
    if game.info.slug == "simple-21":
        empty = [state for state in many if not state.deck]
        with_buried = [state for state in empty if state.unseen_discards][:some]
        with_none = [state for state in empty if not state.unseen_discards][:some]
        refilled = [state for state in many if state.ways and not state.unseen_discards][:some]
        known = [state for state in many if state.ways and state.unseen_discards]
        ends = [state for state in known if not state.deck] + known[-some:]
        assert all((with_buried, with_none, refilled, known))
        states += with_buried + with_none + refilled + known[:some] + ends[:some]
    for state in states:
        by_card: dict[Card, float] = {}
        mean = Counter[Card]()
        for weight, after in hits(game, state):
            card = after.player[-1]
            if card not in by_card:
                by_card[card] = worth(game, after)
            mean[card] += weight
        expected = sum(by_card[card] * times for card, times in mean.items()) / mean.total()
        assert game.advisor.odds(state).hit.ev == pytest.approx(expected, abs=1e-11)


def decision(player: Cards, dealer: Cards, deck: Cards, seen: Cards, unseen: Cards = ()) -> State:
    """Return a round in which the player is to decide."""
    return State(
        player=player,
        dealer=dealer,
        hole_down=True,
        deck=deck,
        discards=seen,
        unseen_discards=unseen,
        ways=(),
        winner=None,
        events=(),
    )


def test_the_hole_card_can_be_reckoned_after_a_refill() -> None:
    """The deck is empty, nothing is buried, and all else was seen: the hole card is the king."""
    player, dealer = cards("2S 3D"), cards("QC KC")
    seen = tuple(card for card in FULL_DECK if card not in player + dealer)
    game = GAMES["simple-21"]
    before = decision(player, dealer, (), seen)
    for state in (before, game.apply(before, Action("hit"), random.Random(1))):
        assert game.advisor.odds(state).dealer["20"] == pytest.approx(1, abs=1e-15)


def test_the_deck_after_the_refill_is_told_apart_from_before() -> None:
    """A table of Simple 21 whose deck runs out inside the round: the contract's own arguments."""
    *player, upcard = cards("5S 9D 8C")
    rest = tuple(card for card in FULL_DECK if card not in (*player, upcard))
    unseen, discards = rest[:4], rest[4:]
    by_cards = odds(SIMPLE_21, player, upcard, unseen, discards, buried=2)
    state = decision(tuple(player), (upcard, unseen[0]), unseen[1:2], discards, unseen[2:])
    assert GAMES["simple-21"].advisor.odds(state) == by_cards
    assert by_cards != odds(SIMPLE_21, player, upcard, unseen, discards)
    assert by_cards != odds(SIMPLE_21, player, upcard, unseen, buried=2)


@each_game
def test_no_decision_is_open(game: TwentyOne) -> None:
    state = game.deal(None, Action("deal"), random.Random(1))
    over = game.apply(state, Action("stay"), random.Random(1))
    with pytest.raises(IllegalMove, match="no decision is open"):
        game.advisor.odds(over)


# ---- What is remembered --------------------------------------------------------------------


def same_knowledge(state: State, game: TwentyOne, rng: random.Random) -> State:
    """The same to its player but for suits and court cards: what is hidden is dealt anew."""
    hole_place = game.rules.hole
    hidden = [state.dealer[hole_place], *state.deck]
    rng.shuffle(hidden)
    suits = dict(zip("CDHS", rng.sample("CDHS", 4), strict=True))
    ranks = dict(zip("TJQK", rng.sample("TJQK", 4), strict=True))

    def other(some: Iterable[Card]) -> Cards:
        return tuple(Card(ranks.get(card[0], card[0]) + suits[card[1]]) for card in some)

    dealer = list(state.dealer)
    dealer[hole_place] = hidden[0]
    return replace(
        state,
        player=other(state.player)[::-1],
        dealer=other(dealer),
        deck=other(hidden[1:]),
        discards=other(state.discards),
    )


@each_game
def test_equal_knowledge_is_one_question(game: TwentyOne) -> None:
    rng = random.Random(game.info.slug)
    for number in range(10):
        state = game.deal(None, Action("deal"), random.Random(number))
        answer = game.advisor.odds(state)
        found = inside._solve.cache_info().misses
        assert game.advisor.odds(same_knowledge(state, game, rng)) is answer
        assert inside._solve.cache_info().misses == found
        other = replace(state, deck=state.deck[1:], player=(*state.player, state.deck[0]))
        if POINTS[state.deck[0].rank] + sum(POINTS[card.rank] for card in state.player) <= 21:
            assert game.advisor.odds(other) != answer


def test_not_everything_is_remembered() -> None:
    assert inside._solve.cache_info().maxsize == 1024


def test_a_remembered_answer_is_of_its_rules() -> None:
    player, upcard = (Card("TS"), Card("8D")), Card("8C")
    unseen = set(FULL_DECK) - {*player, upcard}
    ties = [odds(rules, player, upcard, unseen).stay.tie for rules in RULES.values()]
    assert ties[0] > 0
    assert ties[1] == 0
    assert ties[2] not in (0, ties[0])
