"""How long one question about the odds takes, nothing remembered: ``python -m benchmarks.odds``."""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from heapq import nlargest
from itertools import combinations_with_replacement, islice
from statistics import median, quantiles
from typing import Final, NamedTuple

from cardgames import GAMES, dealer, odds
from cardgames.cards import FULL_DECK, Card, Cards
from cardgames.counts import VALUES
from cardgames.game import Phase
from cardgames.hands import hands
from cardgames.twentyone import PIPS, State, TwentyOne, total

QUESTIONS: Final = 300
SEED: Final = 21
TRIES: Final = 3
WORST_AT_MOST: Final = 30
MEDIAN_AT_MOST: Final = 1
"""The targets, in milliseconds, for first decisions that are asked cold."""

Question = Callable[[], object]


class Time(NamedTuple):
    """How long something takes: processor milliseconds, and in times of the reference."""

    ms: float
    references: float

    def __str__(self) -> str:
        """Return both."""
        return f"{self.ms:8.3f} ms {self.references:7.3f}"


def reference() -> float:
    """Do some arithmetic with floats, a dictionary and a list: always the same."""
    sums, kept = 0.0, {}
    for number in range(20_000):
        kept[number & 1023] = sums
        sums += number * 0.5
    return sums + sum(kept.values())


def seconds(question: Question) -> float:
    """Return the processor time that it takes."""
    start = time.process_time()
    question()
    return time.process_time() - start


def timed(
    question: Question, *, cold: bool = True, listed: bool = True, tries: int = TRIES
) -> Time:
    """Return how long it takes, the best of a few tries, each beside the reference.

    Args:
        question: what is asked.
        cold: whether all that was found for a question is forgotten before.
        listed: whether the dealer's hands, which no question changes, are listed already.
        tries: how many.

    """
    took, yardsticks = [], []
    for _ in range(tries):
        yardsticks.append(seconds(reference))
        if cold:
            forget(hands_too=not listed)
        took.append(seconds(question))
    return Time(min(took) * 1000, min(took) / min(yardsticks))


def forget(*, hands_too: bool) -> None:
    """Empty the caches of the odds."""
    for module in (odds, dealer):
        for thing in vars(module).values():
            if hasattr(thing, "cache_clear") and (hands_too or thing is not hands):
                thing.cache_clear()


def asking(table: TwentyOne, deal: Sequence[Card]) -> Question:
    """Return the question of a first decision in the first round; the upcard is dealt last."""
    *player, upcard = deal
    unseen = [card for card in FULL_DECK if card not in deal]
    return lambda: odds.odds(table.rules, player, upcard, unseen)


def all_first_decisions() -> Iterator[Cards]:
    """Yield a deal for each two values of the player's and each of the upcard."""
    of_value = {value: [card for card in FULL_DECK if PIPS[card.rank] == value] for value in VALUES}
    for pair in combinations_with_replacement(VALUES, 2):
        for upcard in VALUES:
            yield tuple(of_value[value][place] for place, value in enumerate((*pair, upcard)))


def decisions(table: TwentyOne, rng: random.Random) -> Iterator[State]:
    """Yield tables with a decision open, from round after round of hitting below 17."""
    state = table.start()
    while True:
        names = {move.name for move in table.moves(state)}
        if state.phase is not Phase.PLAYING:
            state = table.play(state, "deal" if "deal" in names else "new", {}, rng)
            continue
        yield state
        move = "hit" if total(state.player, table.rules) < 17 else "stay"
        state = table.play(state, move, {}, rng)


def middle(times: Iterable[Time]) -> Time:
    """Return the medians."""
    return Time(*map(median, zip(*times, strict=True)))


def slowest(table: TwentyOne) -> tuple[str, Time]:
    """Return the first decision that takes longest: each is timed once, the worst of them again."""
    deals = list(all_first_decisions())
    once = {deal: timed(asking(table, deal), tries=1) for deal in deals}
    again = {deal: timed(asking(table, deal)) for deal in nlargest(10, deals, once.__getitem__)}
    worst = max(again, key=again.__getitem__)
    return f"{worst[0]} {worst[1]} against {worst[2]}", again[worst]


def measure(table: TwentyOne) -> None:
    """Print what the questions of a table take."""
    rng = random.Random(SEED)
    first = [asking(table, rng.sample(FULL_DECK, 3)) for _ in range(QUESTIONS)]
    play = islice(decisions(table, rng), QUESTIONS)
    later = [partial(odds.table_odds, table.rules, state) for state in play]
    deal, worst = slowest(table)
    in_play = [timed(question) for question in later]
    figures = {
        f"worst of 550 first decisions ({deal})": worst,
        f"median of {QUESTIONS} random first decisions": middle(map(timed, first)),
        "  the dealer's hands listed as well": middle(timed(one, listed=False) for one in first),
        f"median of {QUESTIONS} decisions in play": middle(in_play),
        "  the slowest hundredth of these": Time(
            *(quantiles(column, n=100)[-1] for column in zip(*in_play, strict=True))
        ),
        "  the same asked again": middle(timed(one, cold=False) for one in later),
    }
    print(table.title)
    for what, figure in figures.items():
        print(f"  {what:55} {figure}")


def main() -> None:
    """Print it all."""
    usual = min(seconds(reference) for _ in range(20)) * 1000
    print(f"processor time of a question, and in times of a reference ({usual:.2f} ms);")
    print(f"of first decisions at most {WORST_AT_MOST} ms, and {MEDIAN_AT_MOST} ms in the median:")
    for table in GAMES.values():
        if isinstance(table, TwentyOne):
            measure(table)


if __name__ == "__main__":
    main()
