"""Twenty-one in the lab: the decisions of the strategies, and their measured results."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations, islice
from random import Random

import pytest

from cardgames.cards import FULL_DECK
from cardgames.games.twentyone.rules import POINTS, TABLES, is_soft, total
from cardgames.lab import ask, run, twentyone
from cardgames.odds import odds
from cardgames.strategies.strategy import Strategy, decision
from tests.support.amounts import few_or_all, slow_but
from tests.support.lab import likely

DEALER = {
    "simple-21": (0.41043988, 0.08775261, 0.50180751),
    "blackjack": (0.40882366, 0.0, 0.59117634),
    "one-deck": (0.40882366, 0.10226090, 0.48891544),
}
"""The exact probabilities of winning, tying and losing a round with a new deck for a player who
plays like the dealer.
"""

BEST = {"simple-21": -0.0469652454, "blackjack": -0.1312873767, "one-deck": -0.0428061253}
"""The exact value of a round with a new deck, with the best play for each total and upcard."""


def ended(table: str, strategy: str, number: int) -> tuple[int, ...]:
    """Return the numbers of won, tied and lost rounds in a simulation."""
    decide = decision(Strategy(strategy), table)
    played = twentyone.rounds(TABLES[table], decide, Random(21))
    found = Counter(end for end, _ in islice(played, number))
    return found[0], found[1], found[2]


@few_or_all("number", 10_000, 40_000)
@pytest.mark.parametrize("table", DEALER)
def test_playing_as_the_dealer_measures_its_known_value(table: str, number: int) -> None:
    found = ended(table, "dealer", number)
    assert sum(found) == number
    for count, chance in zip(found, DEALER[table], strict=True):
        assert likely(count, number, chance)


@few_or_all("number", 10_000, 40_000)
@pytest.mark.parametrize("table", BEST)
def test_best_play_measures_its_known_value_and_beats_caution(table: str, number: int) -> None:
    won, _, lost = ended(table, "best", number)
    standard_error = number**-0.5  # an upper bound
    assert abs((won - lost) / number - BEST[table]) < 4 * standard_error
    won_safely, _, lost_safely = ended(table, "never-bust", number)
    assert won_safely - lost_safely < won - lost


@few_or_all("upcards", (1, 6, 10), range(1, 11))
@pytest.mark.parametrize("table", slow_but(BEST, "simple-21"))
def test_best_play_follows_the_odds_of_two_cards(table: str, upcards: Iterable[int]) -> None:
    """Differences below two points are ignored, because hands with more cards may reverse them."""
    rules, decide = TABLES[table], decision(Strategy.BEST, table)
    of_value = {POINTS[card.rank]: card for card in FULL_DECK}
    for upcard in upcards:
        up = of_value[upcard]
        hands = Counter(
            tuple(sorted(POINTS[card.rank] for card in two))
            for two in combinations([card for card in FULL_DECK if card != up], 2)
        )
        gains: defaultdict[tuple[int, bool], list[float]] = defaultdict(list)
        for values, ways in hands.items():
            left = [card for card in FULL_DECK if card != up]
            hand = []
            for value in values:
                hand.append(next(card for card in left if POINTS[card.rank] == value))
                left.remove(hand[-1])
            found = odds(rules, hand, up, left)
            gains[total(hand, rules), is_soft(hand, rules)] += [found.hit.ev - found.stay.ev] * ways
        for (points, soft), found_here in gains.items():
            gain = sum(found_here) / len(found_here)
            assert abs(gain) < 0.02 or decide(points, soft, upcard) == (gain > 0), (points, soft)


@pytest.mark.parametrize(
    ("strategy", "hits"), [("dealer", range(4, 17)), ("never-bust", range(4, 12))]
)
def test_a_rule_of_thumb_does_not_look_at_the_upcard(strategy: str, hits: range) -> None:
    decide = decision(Strategy(strategy), "blackjack")
    for soft, lowest, wanted in ((False, 4, hits), (True, 12, range(12, 17))):
        for upcard in range(1, 11):
            found = [total for total in range(lowest, 22) if decide(total, soft, upcard)]
            assert found == [*wanted]


def test_a_deck_is_drawn_without_putting_a_card_back() -> None:
    """Drawing with replacement would change the results less than a simulation can detect."""
    drawn = sorted(islice(twentyone.drawn(Random(1)), 53))
    assert drawn == sorted([*range(1, 11), 10, 10, 10] * 4)


def test_ten_rounds_at_a_time_are_counted() -> None:
    result = run(ask("one-deck", {}, 999, 3))
    assert sum(result.ends) == 999
    assert result.lengths.size == 99
    assert {value for value, _ in result.lengths.counts} <= {*range(11)}
    assert 0 <= result.ends[0] - result.lengths.mean * 99 <= 9
