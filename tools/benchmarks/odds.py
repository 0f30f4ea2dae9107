"""How long one question about the odds takes, uncached: ``python -m tools.benchmarks.odds``."""

import random
import time
from collections.abc import Iterable, Iterator
from statistics import median, quantiles
from typing import Final

from cardgames import GAMES
from cardgames.advice import Advisor
from cardgames.cards import FULL_DECK, Card
from cardgames.games.twentyone import TwentyOne
from cardgames.games.twentyone.engine import State
from cardgames.games.twentyone.rules import total
from cardgames.odds import odds
from cardgames.table import Phase, Table

QUESTIONS: Final = 300
SEED: Final = 21
MEDIAN_AT_MOST: Final = 5
WORST_AT_MOST: Final = 120
SLOWEST: Final = (("2S", "2H"), "2D")
"""The hand and upcard with the most cards to come, by the reckoning of the reference numbers."""


def decisions(game: TwentyOne, rng: random.Random) -> Iterator[State]:
    """Yield rounds with a decision open, from round after round of hitting below 17."""
    table = Table(game)
    while True:
        names = [move.name for move in table.moves()]
        if table.phase is Phase.PLAYING:
            yield table.state
            move = "hit" if total(table.state.player, game.rules) < 17 else "stay"
        else:
            move = "deal" if "deal" in names else "new"
        table = table.play(move, new_salt=lambda: f"{rng.getrandbits(128):032x}").table


def milliseconds(advisor: Advisor, states: Iterable[State]) -> list[float]:
    """Return how long each question takes."""
    times = []
    for state in states:
        start = time.perf_counter()
        advisor.odds(state)
        times.append((time.perf_counter() - start) * 1000)
    return times


def slowest(game: TwentyOne) -> float:
    """Return how long the longest question takes, the best of three."""
    player, upcard = tuple(map(Card, SLOWEST[0])), Card(SLOWEST[1])
    unseen = set(FULL_DECK) - {*player, upcard}
    times = []
    for _ in range(3):
        start = time.perf_counter()
        odds(game.rules, player, upcard, unseen)
        times.append((time.perf_counter() - start) * 1000)
    return min(times)


def main() -> None:
    """Print the times for each table, after its tables of the dealer's hands were made."""
    print(f"Odds, milliseconds a question ({QUESTIONS} random decisions; at most", end=" ")
    print(f"{MEDIAN_AT_MOST} in the median, {WORST_AT_MOST} for 2-2 against 2):")
    for game in GAMES.values():
        if not isinstance(game, TwentyOne) or not game.advisor:
            continue
        play = decisions(game, random.Random(SEED))
        states = [next(play) for _ in range(QUESTIONS)]
        milliseconds(game.advisor, states)
        times = milliseconds(game.advisor, states)
        p99 = quantiles(times, n=100)[-1]
        print(
            f"  {game.info.title:20} median {median(times):6.2f}   p99 {p99:6.2f}"
            f"   worst {max(times):6.2f}   2-2 against 2 {slowest(game):6.2f}"
        )


if __name__ == "__main__":
    main()
