"""Games of War, played by the kernel (:mod:`.war_kernel`), in plain Python or compiled.

Where numba is installed (requirements-fast.txt), large experiments are compiled from the same
source. The random numbers are the same too, and so are the results.
"""

import random
import struct
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from cardgames.simulation import war_kernel
from cardgames.simulation.distribution import Distribution
from cardgames.simulation.experiments import WarGames, games_in, random_numbers
from cardgames.simulation.results import WarResult
from cardgames.simulation.war_draws import WORD_COUNT, pair_table, place_table
from cardgames.simulation.war_duel import ROW, Ints

COMPILE_FROM: Final = 50_000
"""Compiling takes seconds, so it is done for experiments of at least so many games."""

_SINGLES: Final = {2: 16}
_SINGLES_OF_MORE: Final = 64
"""So many single words are made for each row: about as many as games of two, or more, need."""

Words = Callable[[int], Ints]
"""Gives the next so many words, an even number."""

Line = Sequence[int]
"""What the kernel writes of a game: turns, ties, the winner's seat, whether cards ran out."""


def has_numba() -> bool:
    """Say whether large experiments are compiled."""
    return find_spec("numba") is not None


def play_step(experiment: WarGames, step: int) -> WarResult:
    """Play a chunk of games."""
    is_large = experiment.games >= COMPILE_FROM
    machine = compiled() if is_large and has_numba() else PlainMachine()
    turns, ties, winners, outs = zip(*play_chunk(machine, experiment, step), strict=True)
    return WarResult(
        games=len(winners),
        wins=tuple(map(winners.count, range(experiment.players))),
        turns=Distribution.of(turns),
        ties=Distribution.of(ties),
        ran_out=sum(outs),
    )


class PlainMachine:
    """Runs the kernel as plain Python, over lists."""

    block = 128
    """How many rows of words are made at a time: for speed alone, nothing else depends on it."""

    def __init__(self) -> None:
        """Take the kernel as it stands."""
        self.play_games: Callable[..., tuple[int, int, int]] = war_kernel.play_games

    def array(self, numbers: Any) -> Ints:
        """Return lists of small numbers as the kernel reads them and works in them."""
        return numbers.copy()

    def tables(self, size: int) -> tuple[Ints, Ints]:
        """Return what words draw from decks of a size."""
        return pair_table(size), place_table(size)

    def results(self, games: int) -> Ints:
        """Return room for a line a game."""
        return [[0] * 4 for _ in range(games)]

    def lines(self, results: Ints) -> list[Line]:
        """Return what was written there as plain numbers."""
        return list(results)

    def words(self, rng: random.Random) -> Words:
        """Return what gives a generator's words: the low bits of each 16."""

        def words(count: int) -> tuple[int, ...]:
            kept = int.from_bytes((WORD_COUNT - 1).to_bytes(2, "little") * count, "little")
            drawn = rng.getrandbits(16 * count) & kept if count else 0
            return struct.unpack(f"<{count}H", drawn.to_bytes(2 * count, "little"))

        return words

    def in_rows(self, words: Ints) -> Ints:
        """Lay words out in rows."""
        return [words[start : start + ROW] for start in range(0, len(words), ROW)]

    def join(self, before: Ints, after: Ints) -> Ints:
        """Put words, or rows of them, one after the other."""
        return before + after


class CompiledMachine(PlainMachine):
    """Runs the kernel compiled by numba, over arrays. Numpy comes with it."""

    block = 1024

    def __init__(self) -> None:
        """Have the kernel compiled with its first use."""
        super().__init__()
        numba, self._numpy = import_module("numba"), import_module("numpy")
        for function in war_kernel.COMPILED:
            import_module("numba.extending").register_jitable(function)
        self.play_games = numba.njit(war_kernel.play_games)
        self.tables = cache(self.tables)  # type: ignore[method-assign]

    def array(self, numbers: Any) -> Ints:
        """Return small numbers in an array."""
        return self._numpy.array(numbers, self._numpy.int8)

    def tables(self, size: int) -> tuple[Ints, Ints]:
        """Return the tables in arrays."""
        return self.array(pair_table(size)), self.array(place_table(size))

    def results(self, games: int) -> Ints:
        """Return an array of a line a game."""
        return self._numpy.zeros((games, 4), self._numpy.int64)

    def lines(self, results: Ints) -> list[Line]:
        """Return its lines as lists."""
        lines: list[Line] = results.tolist()
        return lines

    def words(self, rng: random.Random) -> Words:
        """Return what gives the same words, from numpy's generator of the same kind."""
        _, (*key, place), _ = rng.getstate()
        twister = self._numpy.random.RandomState()
        twister.set_state(("MT19937", key, place))
        return lambda count: (
            self._numpy.frombuffer(twister.bytes(2 * count), "<u2") & (WORD_COUNT - 1)
        )

    def in_rows(self, words: Ints) -> Ints:
        """Lay words out in rows."""
        return words.reshape(-1, ROW)

    def join(self, before: Ints, after: Ints) -> Ints:
        """Put arrays one after the other."""
        return self._numpy.concatenate((before, after))


@cache
def compiled() -> CompiledMachine:
    """Return the compiled kernel: a process compiles it once."""
    return CompiledMachine()


def play_chunk(machine: PlainMachine, experiment: WarGames, step: int) -> list[Line]:
    """Play a chunk of games, and return a line for each as the kernel writes it."""
    deck = [rank for rank in range(1, experiment.ranks + 1) for _ in range(experiment.suits)]
    size, players = len(deck), experiment.players
    room = (deck, deck, [[0] * size for _ in range(players)], [0] * players, [0] * players)
    fixed = (*map(machine.array, room), *machine.tables(size))
    next_paired = machine.words(random_numbers(experiment, f"{step}/rows"))
    next_single = machine.words(random_numbers(experiment, f"{step}/extra"))
    block = machine.block * _SINGLES.get(players, _SINGLES_OF_MORE)
    rows, words = machine.in_rows(next_paired(machine.block * ROW)), next_single(block)
    lines: list[Line] = []
    while True:
        results = machine.results(games_in(experiment, step) - len(lines))
        done, row, at = machine.play_games(rows, words, *fixed, results)
        lines += machine.lines(results[:done])
        if done == len(results):
            return lines
        # What was not used comes first again; a game longer than all there is gets as much again.
        row_count, count = (row, at + at % 2) if done else (machine.block, block)
        rows = machine.join(rows[row:], machine.in_rows(next_paired(row_count * ROW)))
        words = machine.join(words[at:], next_single(count))
