"""What the lab plays in a second beside the faithful games, and what it costs those who play.

``python -m tools.benchmarks.lab``. Rates are games a second of processor time on one core; ratios
are to the faithful game in the same run. With numba installed the compiled kernel is measured too.
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

from cardgames import GAMES, lab
from cardgames.games.bingo.rules import Mode
from cardgames.moves import Sent
from cardgames.shuffling import SaltedRandom, random_salt
from tools.serving import Player, Server

SECONDS: Final = 2.0
"""How long each rate is measured, three times, in turns."""

LAST: Final = 40
SMALL: Final = 40_000
"""An experiment of so many games is not compiled, one of a million is."""

CLASS: Final = 20
PLAYED: Final = 15.0
"""How long the class plays, in seconds."""

EVERY: Final = 0.2
"""How long a student thinks about a move, in seconds."""

TABLE: Final = "/simple-21"


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


def in_the_lab(experiment: lab.Experiment) -> Callable[[], int]:
    """Return what plays a thousand games in the lab: one of the experiment's last steps."""
    last = lab.steps(experiment)
    step = itertools.cycle(range(max(0, last - LAST), last))
    return lambda: lab.play_step(experiment, next(step)).games


def rate(play: Callable[[], int]) -> float:
    """Return how many games a second of processor time gives."""
    games, began = 0, time.process_time()
    while time.process_time() - began < SECONDS:
        games += play()
    return games / (time.process_time() - began)


def contests() -> dict[str, dict[str, Callable[[], int]]]:
    """Return what is measured side by side; the first of each is the faithful game."""
    found = {
        **{
            f"War, {players} players": {
                "faithful": faithful(
                    "war", ("deal", {"players": str(players)}), ("turn", {"turns": "all"})
                ),
                "lab": in_the_lab(lab.WarGames(SMALL, 1, players)),
            }
            for players in (2, 4)
        },
        "Bingo, a line": {
            "faithful": faithful(
                "bingo", ("deal", {"mode": "L", "speed": "N"}), ("call", {"calls": "all"})
            ),
            "lab": in_the_lab(lab.BingoRounds(SMALL, 1, Mode.LINE, speed=False)),
        },
        "Simple 21, always stay": {
            "faithful": faithful("simple-21", ("deal", {}), ("stay", {})),
            "lab": in_the_lab(lab.TwentyOneRounds(SMALL, 1, "simple-21", "below 2")),
        },
    }
    if lab.compiles():
        for players in (2, 4):
            large = lab.WarGames(lab.MOST_GAMES, 1, players)
            found[f"War, {players} players"]["lab, compiled"] = in_the_lab(large)
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
            print(f"  {title:<23} {name:<13} {median:11,.1f}  {ratio:8,.1f} x the faithful game")
    if not lab.compiles():
        print("  compiled: numba is not installed (requirements-fast.txt)")


def student(server: Server, lab_form: dict[str, str] | None) -> list[float]:
    """Start a run where one is given, and play; return how long each move took, in seconds."""
    took = []
    with closing(Player(server.port)) as player, closing(Player(server.port)) as page:
        address = ""
        if lab_form:
            response, _ = page.request("POST", "/lab", lab_form)
            if response.status != HTTPStatus.SEE_OTHER:
                raise RuntimeError(f"/lab: {response.status}")
            address = response.headers["Location"]
        _, table = player.json(TABLE)
        until = time.monotonic() + PLAYED
        asked = 0.0
        while time.monotonic() < until:
            move = {"move": table["moves"][0]["name"], "step": str(table["step"])}
            began = time.perf_counter()
            status, table = player.json(TABLE, move)
            took.append(time.perf_counter() - began)
            if status != HTTPStatus.OK:
                raise RuntimeError(f"{status}: {table}")
            if address and time.monotonic() - asked > 1:
                asked = time.monotonic()
                page.request("GET", address)
            time.sleep(random.uniform(0, 2 * EVERY))
        if address:
            page.request("POST", f"{address}/cancel", {})
    return took


def class_plays(server: Server, lab_form: dict[str, str] | None) -> list[float]:
    """Let the whole class play at once; return how long the moves took, sorted, in ms."""
    with ThreadPoolExecutor(CLASS) as pool:
        students = [pool.submit(student, server, lab_form) for _ in range(CLASS)]
        return sorted(1e3 * took for one in students for took in one.result())


def disturbance() -> None:
    """Print how long a move takes, without labs and while every student has one."""
    forms: dict[str, dict[str, str] | None] = {
        "nobody runs a lab": None,
        f"{CLASS} labs at once": {"experiment": "war", "games": str(lab.MOST_GAMES)},
    }
    print(f"a class of {CLASS} plays for {PLAYED:.0f} s, a move every {EVERY} s each:")
    for title, form in forms.items():
        with tempfile.TemporaryDirectory() as folder, Server(Path(folder)) as server:
            class_plays_briefly(server)
            moves = class_plays(server, form)
        p50, p99 = (moves[int(len(moves) * share)] for share in (0.5, 0.99))
        print(f"  {title:<18} {len(moves):5,} moves, p50 {p50:6.1f} ms, p99 {p99:6.1f} ms")


def class_plays_briefly(server: Server) -> None:
    """Open every worker's files before anything is measured."""
    for _ in range(10):
        with closing(Player(server.port)) as player:
            for address in ("/lab", TABLE):
                player.request("GET", address)


def main() -> None:
    """Print the rates, and what labs cost those who play."""
    rates()
    disturbance()


if __name__ == "__main__":
    main()
