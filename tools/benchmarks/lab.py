"""What simulations play in a second beside the faithful games, and what they cost everybody else.

``python -m tools.benchmarks.lab``. Rates are games a second of processor time on one core; ratios
are to the faithful game in the same run.
"""

import itertools
import random
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http import HTTPStatus
from pathlib import Path
from typing import Final

from cardgames import GAMES
from cardgames.games.bingo.rules import Mode
from cardgames.moves import Sent
from cardgames.shuffling import SaltedRandom, random_salt
from cardgames.simulation import (
    BingoRounds,
    Experiment,
    TwentyOneRounds,
    WarGames,
    count_steps,
    play_step,
    work,
)
from cardgames.simulation.experiments import MAX_GAMES
from tests.support.school import percentile
from tests.support.serving import Player, Server

SECONDS: Final = 2.0
"""How long each rate is measured, three times, in turns."""

PLAYERS: Final = range(2, 7)
LAST: Final = 40
SMALL: Final = 40_000
CLASS: Final = 20
PLAYED: Final = 15.0
"""How long the class plays, in seconds."""

EVERY: Final = 0.2
"""How long a student thinks about a move, in seconds."""

TABLE: Final = "/simple-21"

NOT_TAKEN: Final = "none"
"""What stands for the address of a run that was refused."""


def faithful(slug: str, *moves: tuple[str, Sent]) -> Callable[[], int]:
    """Return what plays one game by its own rules: the deal, and another move to the end."""
    game, luck = GAMES[slug], SaltedRandom(random_salt)
    deal, action = (move.read(sent) for name, sent in moves if (move := game.move(name)))

    def play() -> int:
        state = game.deal(None, deal, luck)
        for _ in range(action.times):
            if game.result(state):
                break
            state = game.apply(state, action.once, luck)
        return 1

    return play


def simulated(experiment: Experiment) -> Callable[[], int]:
    """Return what plays a thousand games of an experiment: one of its last steps."""
    last = count_steps(experiment)
    step = itertools.cycle(range(max(0, last - LAST), last))
    return lambda: play_step(experiment, next(step)).games


def rate(play: Callable[[], int]) -> float:
    """Return how many games a second of processor time gives."""
    games, began = 0, time.process_time()
    while time.process_time() - began < SECONDS:
        games += play()
    return games / (time.process_time() - began)


def contests() -> dict[str, dict[str, Callable[[], int]]]:
    """Return what is measured side by side; the first of each is the faithful game."""
    every = ("turn", {"turns": "all"})
    found = {
        f"War, {players} players": {
            "faithful": faithful("war", ("deal", {"players": str(players)}), every),
            "simulated": simulated(WarGames(SMALL, 1, players)),
        }
        for players in PLAYERS
    }
    line = ("deal", {"mode": "L", "speed": "N"})
    found["Bingo, a line"] = {
        "faithful": faithful("bingo", line, ("call", {"calls": "all"})),
        "simulated": simulated(BingoRounds(SMALL, 1, Mode.LINE, speed=False)),
    }
    found["Simple 21, always stay"] = {
        "faithful": faithful("simple-21", ("deal", {}), ("stay", {})),
        "simulated": simulated(TwentyOneRounds(SMALL, 1, "simple-21", "below 2")),
    }
    return found


def rates() -> None:
    """Measure in turns, so that all see the same machine, and print the ratios."""
    print(f"games a second of processor time, median of 3 times {SECONDS:.0f} s, one core:")
    for title, plays in contests().items():
        for play in plays.values():
            play()
        runs: dict[str, list[float]] = {name: [] for name in plays}
        for _ in range(3):
            for name, play in plays.items():
                runs[name].append(rate(play))
        medians = {name: sorted(found)[1] for name, found in runs.items()}
        for name, median in medians.items():
            ratio = median / medians["faithful"]
            print(f"  {title:<23} {name:<9} {median:11,.1f}  {ratio:8,.1f} x the faithful game")


def exact_chances() -> None:
    """Print how long the exact chances of a strategy take, beside what is said of them."""
    print("the exact chances of a strategy, in ms of processor time, beside their estimate:")
    for strategy in ("dealer", "best"):
        experiment = TwentyOneRounds(1, 1, "one-deck", strategy)
        began = time.process_time()
        for step in range(count_steps(experiment) - 1):
            play_step(experiment, step)
        spent = 1e3 * (time.process_time() - began)
        print(f"  {strategy:<8} {spent:8,.0f}  estimated {work(experiment):8,}")


def student(server: Server, lab_form: dict[str, str] | None) -> list[float]:
    """Play, and start a run where one is given; return how long each move took, in seconds."""
    took = []
    with closing(Player(server.port)) as player:
        _, table = player.json(TABLE)
        address, asked = "", 0.0
        until = time.monotonic() + PLAYED
        while time.monotonic() < until:
            move = {"move": table["moves"][0]["name"], "step": str(table["step"])}
            began = time.perf_counter()
            status, table = player.json(TABLE, move)
            took.append(time.perf_counter() - began)
            if status != HTTPStatus.OK:
                raise RuntimeError(f"{status}: {table}")
            if lab_form and not address:
                address = start_run(player, lab_form)
            if address.startswith("/lab/") and time.monotonic() - asked > 1:
                asked = time.monotonic()
                player.json(f"{address}/status")
            time.sleep(random.uniform(0, 2 * EVERY))
        if address.startswith("/lab/"):
            player.request("POST", f"{address}/cancel", {})
    return took


def start_run(player: Player, form: dict[str, str]) -> str:
    """Start a run and return its address; ``NOT_TAKEN`` where so much is waiting already."""
    response, _ = player.request("POST", "/lab", form)
    if response.status == HTTPStatus.TOO_MANY_REQUESTS:
        return NOT_TAKEN
    if response.status != HTTPStatus.SEE_OTHER:
        raise RuntimeError(f"/lab: {response.status}")
    return str(response.headers["Location"])


def class_plays(server: Server, lab_form: dict[str, str] | None) -> list[float]:
    """Let the whole class play at once; return how long the moves took, sorted, in ms."""
    with ThreadPoolExecutor(CLASS) as pool:
        students = [pool.submit(student, server, lab_form) for _ in range(CLASS)]
        return sorted(1e3 * took for one in students for took in one.result())


def disturbance() -> None:
    """Print how long a move takes, without runs and while every student asks for one."""
    forms: dict[str, dict[str, str] | None] = {
        "nobody simulates": None,
        f"{CLASS} ask for runs": {"experiment": "war", "games": str(MAX_GAMES)},
    }
    print(f"a class of {CLASS} plays for {PLAYED:.0f} s, a move every {EVERY} s each:")
    for title, form in forms.items():
        with tempfile.TemporaryDirectory() as folder, Server(Path(folder)) as server:
            class_plays_briefly(server)
            moves = class_plays(server, form)
        p50, p99 = (percentile(moves, share) for share in (0.5, 0.99))
        print(f"  {title:<18} {len(moves):5,} moves, p50 {p50:6.1f} ms, p99 {p99:6.1f} ms")


def class_plays_briefly(server: Server) -> None:
    """Open every worker's files before anything is measured."""
    for _ in range(10):
        with closing(Player(server.port)) as player:
            for address in ("/lab", TABLE):
                player.request("GET", address)


def main() -> None:
    """Print the rates, and what simulations cost those who play and those who ask for runs."""
    rates()
    exact_chances()
    disturbance()


if __name__ == "__main__":
    main()
