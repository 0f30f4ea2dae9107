"""How long one question about the odds takes, uncached: ``python -m tools.benchmarks.odds``."""

import random
import time
from collections.abc import Iterable, Iterator
from statistics import median, quantiles
from typing import Final

from cardgames.twentyone import State, TwentyOne, total

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card
from cardgames.game import Phase
from cardgames.odds import odds, table_odds

QUESTIONS: Final = 300
SEED: Final = 21
MEDIAN_AT_MOST: Final = 5
WORST_AT_MOST: Final = 120
SLOWEST: Final = (("2S", "2H"), "2D")
"""The hand and upcard with the most cards to come, by the reckoning of the reference numbers."""


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


def milliseconds(table: TwentyOne, states: Iterable[State]) -> list[float]:
    """Return how long each question takes."""
    times = []
    for state in states:
        start = time.perf_counter()
        table_odds(table.rules, state)
        times.append((time.perf_counter() - start) * 1000)
    return times


def slowest(table: TwentyOne) -> float:
    """Return how long the longest question takes, the best of three."""
    player, upcard = tuple(map(Card, SLOWEST[0])), Card(SLOWEST[1])
    unseen = set(FULL_DECK) - {*player, upcard}
    times = []
    for _ in range(3):
        start = time.perf_counter()
        odds(table.rules, player, upcard, unseen)
        times.append((time.perf_counter() - start) * 1000)
    return min(times)


def main() -> None:
    """Print the times for each table, after its tables of the dealer's hands were made."""
    print(f"Odds, milliseconds a question ({QUESTIONS} random decisions; at most", end=" ")
    print(f"{MEDIAN_AT_MOST} in the median, {WORST_AT_MOST} for 2-2 against 2):")
    for table in GAMES.values():
        if not isinstance(table, TwentyOne):
            continue
        rng = random.Random(SEED)
        play = decisions(table, rng)
        states = [next(play) for _ in range(QUESTIONS)]
        milliseconds(table, states)
        times = milliseconds(table, states)
        p99 = quantiles(times, n=100)[-1]
        print(
            f"  {table.title:20} median {median(times):6.2f}   p99 {p99:6.2f}"
            f"   worst {max(times):6.2f}   2-2 against 2 {slowest(table):6.2f}"
        )


if __name__ == "__main__":
    main()
