"""Programs that make decisions: a student's ``decide(view)``, or a strategy given by its name.

Programs receive only the view of the table in the form of the site's JSON. A student's file runs in
its own process with limits, under the account of the user who started the command.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TextIO

from cardgames.cards import Card, CardGameError
from cardgames.game import public_fields
from cardgames.games.twentyone.rules import ACE_BONUS, POINTS
from cardgames.strategies.strategy import Strategy, decision
from cardgames.table import Table

LOADING: Final = 10.0
"""Timeout for loading a file, in seconds. The time includes the start of the process."""

PROJECT: Final = Path(__file__).parents[2]
"""The folder that contains this package, from which a program's process imports it."""

RUNNER: Final = [sys.executable, "-X", "utf8", "-P", "-m", "cardgames.strategies.runner"]


class Limits(NamedTuple):
    """Time and memory limits of a student's program."""

    seconds: int = 60
    """Total processor time, in seconds."""
    wall: float = 2
    """Wall-clock time for one decision, in seconds."""
    megabytes: int = 512
    """Memory, in megabytes."""


DEFAULT_LIMITS: Final = Limits()


class ProgramEnded(CardGameError):
    """An error raised when a program can no longer decide.

    The message states the reason.
    """


class Decider(Protocol):
    """A program or a strategy that makes the decisions at a table."""

    @property
    def name(self) -> str:
        """Its name."""

    def decide(self, view: str) -> str:
        """Return ``hit`` or ``stay`` for a view, written as JSON.

        Raises:
            ProgramEnded: If the program can no longer decide.
        """

    def close(self) -> None:
        """Release the program's resources."""


def program_view(table: Table) -> str:
    """Return the player's view in the site's JSON, with the field ``soft``.

    ``soft`` is true if the player's hand counts an ace as 11.
    """
    seen = table.view()
    hand = _fields(seen["player"])
    return json.dumps(seen | {"player": hand | {"soft": _counts_eleven(hand)}}, default=_fields)


def _counts_eleven(hand: Mapping[str, Any]) -> bool:
    """Return whether an ace in the player's hand counts as 11.

    >>> _counts_eleven({"cards": (Card("AH"), Card("6C")), "total": 17})
    True
    """
    low = sum(POINTS[card.rank] for card in hand["cards"])  # the player never has a face-down card
    return bool(hand["total"] == low + ACE_BONUS)


def _fields(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    return {name: getattr(value, name) for name in public_fields(value.__class__)}


class NamedStrategy:
    """A strategy that bases its decisions on the view, like a program."""

    def __init__(self, strategy: Strategy, table: str) -> None:
        """Use a strategy at a table, given by its slug."""
        self.name = strategy.value
        self._hits = decision(strategy, table)

    def decide(self, view: str) -> str:
        """Return ``hit`` or ``stay``."""
        seen = json.loads(view)
        upcard = next(card for card in seen["dealer"]["cards"] if card)
        hand = seen["player"]
        hits = self._hits(hand["total"], hand["soft"], POINTS[Card(upcard).rank])
        return "hit" if hits else "stay"

    def close(self) -> None:
        """Do nothing, because a strategy has no resources."""


class Program:
    """A student's file with a ``decide(view)``, which runs in its own process."""

    def __init__(self, path: Path, limits: Limits = DEFAULT_LIMITS) -> None:
        """Start the process and load the file.

        Raises:
            ProgramEnded: If the file cannot be loaded.
        """
        self.name = path.name
        self._limits = limits
        self._ended = ""
        self._process = subprocess.Popen[str](
            [*RUNNER, str(path.resolve()), str(limits.seconds), str(limits.megabytes)],
            # A fixed hash seed fixes the iteration order of sets, so a program always makes the
            # same decisions.
            env=os.environ | {"PYTHONPATH": str(PROJECT), "PYTHONHASHSEED": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            start_new_session=True,
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        # A thread reads the pipe, because not every system can wait for a pipe with a timeout.
        pipe = (self._process.stdout, self._lines.put)
        self._reader = threading.Thread(target=_read, args=pipe, daemon=True)
        self._reader.start()
        self._answer("ready", LOADING, f"it was not loaded within {LOADING:g} seconds")

    def decide(self, view: str) -> str:
        """Return ``hit`` or ``stay`` for a view, written as JSON.

        Raises:
            ProgramEnded: If the program does not decide, or has already ended.
        """
        if self._ended:
            raise ProgramEnded(self._ended)
        if self._process.stdin:
            with suppress(OSError):  # the process has ended, and the last line contains the reason
                self._process.stdin.write(f"{view}\n")
                self._process.stdin.flush()
        wall = self._limits.wall
        return self._answer("decision", wall, f"it did not decide within {wall:g} seconds")

    def close(self) -> None:
        """Kill the process and all processes that it started."""
        with suppress(OSError, AttributeError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self._reader.join(1)
        if self._process.stdin:
            with suppress(OSError):
                self._process.stdin.close()

    def _answer(self, name: str, seconds: float, late: str) -> str:
        try:
            reply = json.loads(self._lines.get(timeout=seconds))
        except queue.Empty:
            raise self._end(late) from None
        except ValueError:  # the process has exceeded a limit for its output, or has ended
            reply = {}
        answer = reply if isinstance(reply, dict) else {}
        if isinstance(answer.get(name), str):
            return str(answer[name])
        raise self._end(str(answer.get("problem") or self._how_it_ended()))

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return "it stopped listening"
        if code == -getattr(signal, "SIGXCPU", 0) or code == -getattr(signal, "SIGKILL", 0):
            return f"it took more than {self._limits.seconds} seconds of processor time in all"
        if code < 0:
            return f"it crashed: {signal.strsignal(-code)}"
        return f"it ended its process with code {code}"

    def _end(self, problem: str) -> ProgramEnded:
        """Kill the process, and return the error with the reason."""
        self.close()
        self._ended = f"{self.name}: {problem}"
        return ProgramEnded(self._ended)


def _read(lines: TextIO, put: Callable[[str], None]) -> None:
    """Pass each line to ``put``, followed by an empty string at the end of the input."""
    with suppress(OSError, ValueError), lines:
        for line in iter(lambda: lines.readline(_LONGEST), ""):
            put(line)
    put("")


_LONGEST: Final = 10_000
"""Maximum number of characters of a line. A longer line is not a valid answer."""


def opened(text: str, table: str) -> Decider:
    """Return the program or strategy for a command-line argument.

    Args:
        text: A Python file with a function ``decide``, or the name of a strategy.
        table: The slug of the table.

    Raises:
        CardGameError: If the argument is neither a file nor a strategy.
    """
    if text in Strategy.texts():
        return NamedStrategy(Strategy(text), table)
    if not Path(text).is_file():
        names = ", ".join(Strategy)
        raise CardGameError(f"There is no file {text}; strategies are {names}.")
    return Program(Path(text))
