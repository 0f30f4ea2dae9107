"""What one question about the odds costs, nothing remembered: ``python -m tools.benchmarks.odds``.

Only the lists of the dealer's hands are there beforehand: no question changes them.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from statistics import median, quantiles
from typing import Any, Final

from cardgames import GAMES, odds
from cardgames.cards import FULL_DECK, Card, Cards

TABLES: Final = ("simple-21", "blackjack", "one-deck")
QUESTIONS: Final = 300
TRIES: Final = 3
WORST: Final = "worst first decision"
MEDIAN: Final = "median of random first decisions"
AT_MOST: Final = {WORST: 30.0, MEDIAN: 1.0}
"""The targets, in milliseconds."""

VALUES: Final = range(1, 11)
Question = Callable[[], object]
Figures = dict[str, float]
"""Milliseconds by what was measured."""


def value(card: Card) -> int:
    """Return what a card counts, an ace as 1."""
    return min("A23456789TJQK".index(card[0]) + 1, 10)


def asking(rules: Any, player: Sequence[Card], upcard: Card, gone: Cards = ()) -> Question:
    """Return the question of a decision; ``gone`` are the cards of earlier rounds."""
    seen = {*player, upcard, *gone}
    unseen = [card for card in FULL_DECK if card not in seen]
    return lambda: odds.odds(rules, player, upcard, unseen, gone)


def first_decisions() -> Iterator[Cards]:
    """Yield a hand and an upcard for each two values of the player's and each of the dealer's."""
    of_value = {wanted: [card for card in FULL_DECK if value(card) == wanted] for wanted in VALUES}
    for pair in combinations_with_replacement(VALUES, 2):
        for upcard in VALUES:
            yield tuple(of_value[value][place] for place, value in enumerate((*pair, upcard)))


def later_decision(rules: Any, rng: random.Random) -> Question:
    """Return the question of a decision somewhere in a deck, where the player hits below 17."""
    upcard, *cards = rng.sample(FULL_DECK, len(FULL_DECK))
    size = rng.choice((2, 2, 3, 4))
    player, rest = cards[:size], cards[size:]
    while sum(map(value, player)) > 16:
        player.pop()
    return asking(rules, player, upcard, tuple(rest[: rng.randint(0, 40)]))


def forget() -> None:
    """Forget what was answered: what is kept in caches of a certain size."""
    for thing in vars(odds).values():
        if hasattr(thing, "cache_parameters") and thing.cache_parameters()["maxsize"]:
            thing.cache_clear()


def milliseconds(question: Question, *, cold: bool = True) -> float:
    """Return the processor time of a question, the best of a few tries."""
    took = []
    for _ in range(TRIES):
        if cold:
            forget()
        start = time.process_time()
        question()
        took.append((time.process_time() - start) * 1000)
    return min(took)


def measure(slug: str) -> Figures:
    """Return what the questions of a table cost, in this process."""
    rules: Any = getattr(GAMES[slug], "rules")  # noqa: B009 - only these tables have such
    rng = random.Random(slug)
    for upcard in VALUES:  # so that the dealer's hands are listed
        asking(rules, FULL_DECK[20:22], FULL_DECK[upcard - 1])()
    worst = [milliseconds(asking(rules, deal[:2], deal[2])) for deal in first_decisions()]
    deals = [rng.sample(FULL_DECK, 3) for _ in range(QUESTIONS)]
    later = [later_decision(rules, rng) for _ in range(QUESTIONS)]
    cold = [milliseconds(question) for question in later]
    return {
        WORST: max(worst),
        MEDIAN: median(milliseconds(asking(rules, deal[:2], deal[2])) for deal in deals),
        "median of later decisions": median(cold),
        "slowest hundredth of later decisions": quantiles(cold, n=100)[-1],
        "median of later decisions asked again": median(
            milliseconds(question, cold=False) for question in later
        ),
    }


def main() -> None:
    """Ask at each table, and print what the questions cost."""
    print("processor milliseconds of a question that nobody has asked before:")
    for slug in TABLES:
        print(GAMES[slug].info.title)
        for what, took in measure(slug).items():
            goal = f"  (at most {AT_MOST[what]:g})" if what in AT_MOST else ""
            print(f"  {what:40} {took:8.3f}{goal}", flush=True)


if __name__ == "__main__":
    main()
