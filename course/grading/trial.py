"""A trial: the operations of a check on a student's files, and the outcome of the check.

A check is a function of a :class:`Trial`. A check's calls are written as a student would write
them, so that a failure message can show them::

    def s0_22(trial):
        trial.load("playingCards")
        trial.equal("Card('2S', True).getValue()", 2)

The check passes if the function returns normally. The student's code runs in another process, which
contains the names used in these calls. A check receives the value of an expression as plain data,
or as a :class:`~course.grading.answers.Thing` if the value is an object of another type.
"""

import logging
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from course.grading.answers import ProcessEnded, decoded, parse_events, strictly_equal
from course.grading.files import read_text
from course.grading.sandbox.child import KIT, shown
from course.grading.sandbox.terminal import Transcript
from course.grading.sheets import Sheet

__all__ = ["KIT", "Failed", "Outcome", "Trial", "Unclear", "run_outcome", "shown"]

LOG: Final = logging.getLogger(__name__)

LEAVES: Final = re.compile(r"press \w+|\b(?:enter|key) to\b|to (?:exit|quit|close|leave)")
"""Matches the prompt of a program that waits for a key before its window closes."""

ENDED: Final = "it ended with: "
"""Prefix of the message about a program that raises an exception."""

ANOTHER_LINE: Final = "it asked for another line"
"""Message about a program that reads more lines than were typed."""

NO_MODULE: Final = re.compile(r"ModuleNotFoundError\(\"No module named '(\w+)'")

NO_FILE: Final = "no file "
"""Prefix of the reason why nothing could be observed, for a missing file."""

PLACE: Final = re.compile(r" in (\S+\.py), line (\d+)$")
"""Matches the end of an error message: the student's line that raised the error."""

OWN_FAULT: Final = "the grader itself failed here, which takes no point"

NO_ANSWER: Final = "its process has ended"


class Failed(Exception):
    """An error raised when the student's files do not meet a requirement."""

    def __init__(self, expected: str, got: str, cause: str = "", stuck: str = "") -> None:
        """Store the expected and the actual result, and any error of the student's code.

        If no further observations are possible, ``stuck`` is the reason: an error, a missing file,
        or the requirement that is not met. Checks that fail for the same reason have equal values.
        """
        super().__init__(expected, got)
        self.expected = expected
        self.got = got
        self.cause = cause
        self.stuck = stuck


class OwnFault(Exception):
    """An error of the grader itself, for which students lose no points."""


class Unclear(Exception):
    """An error raised when an observation was not possible.

    A person must then check the files.
    """


class Outcome(NamedTuple):
    """The outcome of a check."""

    problem: str = ""
    """The reason why the check was not finished, or an empty string."""
    expected: str = ""
    got: str = ""
    called: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Notes about accepted differences from our solution."""
    transcript: Transcript | None = None
    plays: tuple[Transcript, ...] = ()
    """The transcripts of all programs that were played. The last transcript decided the check."""
    running: str = ""
    """The imported file or the program that did not end, or an empty string."""
    unseen: str = ""
    """A description of the observation that was not possible. The requirement earns no points, and
    a person must check it.
    """
    because: str = ""
    """The unmet requirement that hides this requirement, or an empty string."""
    cause: str = ""
    """The error of the student's code that ended the check, including the line."""
    stuck: str = ""
    """The reason why nothing could be observed. Requirements that fail for the same reason have
    equal values.
    """

    @property
    def passed(self) -> bool:
        """Whether the requirement is met."""
        return not (self.problem or self.expected or self.got or self.unseen)

    def lost(self, problem: str) -> "Outcome":
        """Return the outcome of this check if it could not be finished."""
        return self._replace(problem=problem, expected="", got="", unseen="")


class Trial:
    """A running check on one student's files."""

    def __init__(
        self,
        sheet: Sheet,
        folder: Path,
        ask: Callable[..., Mapping[str, Any]],
        unfinished: Mapping[str, str],
    ) -> None:
        """Create a trial.

        ``ask`` works like :meth:`course.grading.sandbox.child.Executor.ask`.

        ``unfinished`` contains the files and programs (``python bingo.py``) that did not end in
        earlier checks and are not run again, with the reason.
        """
        self.sheet = sheet
        self.folder = folder
        self.called: list[str] = []
        self.notes: list[str] = []
        self.transcript: Transcript | None = None
        self.plays: list[Transcript] = []
        self.seen = Transcript([])
        """The output and the typed lines of the last call."""
        self.runs = ""
        """The file that is being imported, or the program that is running."""
        self.starting = ""
        """The file that is being imported or started."""
        self._execute = ask
        self._unfinished = unfinished

    @property
    def gone(self) -> bool:
        """Whether the last program ended its process."""
        return self.transcript is not None and self.transcript.stopped

    # Files

    def source(self, file: str) -> str:
        """Return the text of a student's file."""
        path = self.folder / file
        if not path.is_file():
            raise self._missing(file)
        return read_text(path)

    def _missing(self, file: str) -> Failed:
        """Return the failure for a missing file.

        The failure does not depend on which file imports the missing file.
        """
        return Failed(f"a file {file}", self._name_other_file(file), stuck=f"{NO_FILE}{file}")

    def _name_other_file(self, file: str) -> str:
        """Return a message about submitted files. One of these may be the missing file."""
        others = sorted(path for path in self.folder.glob("*.py") if path.name != file)
        if not others:
            return "there is no such file: no program was found"
        asking = [path.name for path in others if file == self.sheet.program and _asks(path)]
        ending = f"; the main program is in another file, {asking[0]}" if asking else ""
        return f"there is no such file{ending}"

    def main_file(self) -> str:
        """Return the first file that reads input, or the program's file if there is none.

        Some sheets do not name a file for their main program.
        """
        files = [self.folder / self.sheet.program, *sorted(self.folder.glob("*.py"))]
        program = next((path.name for path in files if path.is_file() and _asks(path)), "")
        if program not in ("", self.sheet.program):
            self.accept(f"the main program is in {program}: the sheet names no file for it")
        return program or self.sheet.program

    def file(self, name: str, content: str | Sequence[str]) -> str:
        """Write a file for the student's code to read, and return the file's name."""
        text = content if isinstance(content, str) else "\n".join(content) + "\n"
        self.probe("write", repr(name), repr(text))
        return name

    # Calls

    def load(self, *modules: str) -> None:
        """Import the student's modules, so that the check can use their names."""
        for name in modules:
            self.called.append(f"from {name} import *")
            file = f"{name}.py"
            if file in self.sheet.files:
                self.source(file)
            self.starting = file
            with self.running(file):
                self._answered(f"import {name}", f"{KIT}.load({name!r}, globals())", "eval")
            self.starting = ""

    def start(self, file: str) -> None:
        """Run a program with the sheet's probe ``started``.

        Afterwards the check can use the names of the program.
        """
        self.called.append(f"python {file}")
        self.starting = file
        with self.running(f"python {file}"):
            self._answered(f"python {file}", f"{KIT}.started({file!r})", "names")
        self.starting = ""

    def do(self, statement: str, *typed: str) -> str:
        """Run statements with these lines as input, and return their output."""
        self._note_call(statement, *typed)
        self._answered(statement, statement, "exec", typed)
        return self.seen.shown

    def value(self, expression: str, *typed: str) -> Any:
        """Return the value of an expression that is evaluated with these lines as input."""
        self._note_call(expression, *typed)
        return self._answered(expression, expression, "eval", typed)

    def look(self, expression: str) -> Any:
        """Return the value of an expression that is not shown in reports."""
        return self._answered(expression, expression, "eval")

    def probe(self, name: str, *arguments: str) -> Any:
        """Return the result of a probe, called with these expressions as arguments."""
        return self.look(f"{KIT}.{name}({', '.join(arguments)})")

    def lines_run(self, statement: str) -> int:
        """Run statements, and return the number of executed lines of Python code."""
        self._note_call(statement)
        return int(self.probe("lines_run", repr(statement), "globals()"))

    def equal(self, expression: str, expected: object, *typed: str) -> None:
        """Fail unless an expression has this value.

        True, False and None are equal only to themselves.
        """
        got = self.value(expression, *typed)
        if not strictly_equal(got, expected):
            raise Failed(shown(expected), shown(got))

    def raises(
        self, statement: str, kind: type[BaseException] | str, argument: str | None = None,
        *typed: str,
    ) -> None:  # fmt: skip
        """Fail unless a statement raises this exception, with the given argument if any.

        The exception is a built-in exception, or the name of one of the student's classes.
        """
        name = kind if isinstance(kind, str) else kind.__name__
        expected = name if argument is None else f"{name}({argument!r})"
        self._note_call(statement, *typed)
        answer = self._ask(statement, "exec", typed, name)
        if "error" not in answer:
            raise Failed(expected, "nothing was raised")
        wrong = argument is not None and decoded(answer.get("arguments")) != [argument]
        if answer.get("is_kind") is not True or wrong:
            raise self._error(expected, str(answer["error"]))

    def play(self, file: str, *typed: str) -> Transcript:
        """Run a file as a program, with these lines as input, and return the transcript.

        An error after the last line is stored as the transcript's ``fault``. The error is not a
        failure yet, because the program has already printed the output that a check needs. See
        :meth:`ended`.
        """
        command = f"python {file}"
        self._note_call(command, *typed)
        self.source(file)
        with self.running(command):
            answer = self._execute(code=f"{KIT}.play({file!r})", mode="eval", typed=typed, kind="")
            events, stopped = parse_events(answer), answer.get("stopped", "")
            error = str(answer.get("error", ""))
            fault = str(stopped) or (f"{ENDED}{error}" if error else "")
            if answer.get("asked"):
                leaves = LEAVES.search(Transcript(events).parts[-1].lower())
                fault = "" if leaves else ANOTHER_LINE
            has_ended = bool(answer.get("gone"))
            played = Transcript(events, fault, stopped=has_ended)
            message = ("shown", f"\n{fault.removeprefix(ENDED)}\n")
            self.transcript = Transcript(
                [*events, message] if fault else events, fault, stopped=has_ended
            )
            self.plays.append(self.transcript)
            if fault and played.typed != list(typed):
                if stopped:
                    raise ProcessEnded(fault)
                failure = self._error("the program ends by itself", error)
                if failure.stuck:  # for example, a file is missing
                    raise failure
                stuck = "" if played.typed else error
                raise Failed(failure.expected, fault, failure.cause, stuck)
        return played

    def ended(self, transcript: Transcript) -> Transcript:
        """Fail unless a program ended after the last line, and return its transcript."""
        self.expect(not transcript.fault, "the program ends by itself", transcript.fault)
        return transcript

    def asked_no_more(self, transcript: Transcript) -> Transcript:
        """Fail if a program read too many lines, and return its transcript."""
        self.expect(transcript.fault != ANOTHER_LINE, "no other question", transcript.fault)
        return transcript

    def _ask(
        self, code: str, mode: str, typed: Sequence[str] = (), kind: str = ""
    ) -> Mapping[str, Any]:
        answer = self._execute(code=code, mode=mode, typed=typed, kind=kind)
        if isinstance(reason := answer.get("stopped"), str):
            raise ProcessEnded(reason)
        return answer

    def _answered(self, kind: str, code: str, mode: str, typed: Sequence[str] = ()) -> Any:
        """Run code, and return its value.

        An error in the student's code counts as a failure.
        """
        answer = self._ask(code, mode, typed)
        self.seen = Transcript(parse_events(answer))
        if answer.get("ours") is True and not self.starting:  # a probe failed
            raise OwnFault(str(answer["error"]))
        if answer.get("asked"):
            raise Failed(f"{kind} asks for no more input", ANOTHER_LINE, stuck=self.starting)
        if "error" in answer:
            raise self._error("no error", str(answer["error"]))
        return decoded(answer.get("value"))

    def _error(self, expected: str, error: str) -> Failed:
        """Return the failure that describes an error.

        If the error occurs during an import or at the start, it is the reason why nothing can be
        observed. If a name that the sheet requires is missing, no line is reported.
        """
        module = NO_MODULE.match(error)
        if module and f"{module[1]}.py" in self.sheet.files:
            return self._missing(f"{module[1]}.py")
        missing = error.startswith("AttributeError(")
        at_work = not self.starting and (missing or PLACE.search(error))
        return Failed(expected, error, error if at_work else "", error if self.starting else "")

    @contextmanager
    def running(self, name: str) -> Iterator[None]:
        """Record which file or program runs.

        Fail if the same file or program did not end in an earlier check.
        """
        if name in self._unfinished:
            problem = f"{name}: {self._unfinished[name]}"
            raise Failed(f"{name} ends by itself", problem, stuck=self.starting)
        self.runs = name
        yield
        self.runs = ""

    def _note_call(self, call: str, *typed: str) -> None:
        self.called.append(call)
        self.called += [f"typed: {line}" for line in typed]

    # Verdicts

    def verify_process(self) -> None:
        """Fail unless the student's process answers control questions correctly."""
        # The numbers are random, to detect an object that compares equal to everything.
        first, second = (secrets.randbelow(10**6) for _ in range(2))
        product = self.look(f"{first} * {second}")
        answer = self._ask(f"raise KeyError({first})", "exec", kind="OSError")
        denied = answer.get("is_kind") is False and answer.get("arguments") == ["list", [first]]
        self.expect(
            strictly_equal(product, first * second) and denied,
            "true answers",
            "its answers are not",
        )

    def expect(self, holds: object, expected: str, got: object = "") -> None:
        """Fail unless a condition is true.

        The message contains the expected and the actual result.
        """
        if not holds:
            raise Failed(expected, got if isinstance(got, str) else shown(got))

    def accept(self, note: str) -> None:
        """Record a difference from our solution, if the sheet allows the difference."""
        if note not in self.notes:
            self.notes.append(note)


def _asks(path: Path) -> bool:
    return "input(" in read_text(path)


def run_outcome(check: Callable[[Trial], None], trial: Trial) -> Outcome:
    """Run a check, and return its outcome.

    A student's code may return values of any type, so an exception in a check is attributed to the
    value.
    """
    problem = expected = got = unseen = cause = stuck = ""
    try:
        check(trial)
        if not trial.gone:
            trial.verify_process()
    except Failed as failure:
        expected, got, cause = failure.expected, failure.got, failure.cause
        stuck = failure.stuck
        if (fault := trial.transcript and trial.transcript.fault) and fault not in got:
            got = f"{got}, and then {fault}"
    except Unclear as doubt:
        unseen = str(doubt)
    except OwnFault as error:
        unseen = OWN_FAULT
        last_call = trial.called[-1:]
        LOG.error("%s: the grader failed after %s: %s", trial.sheet.slug, last_call, error)  # noqa: TRY400 - the traceback is of another process
    except ProcessEnded as ended:
        problem, stuck = str(ended), trial.starting
    except Exception as error:  # noqa: BLE001 - see above
        problem = f"its answer cannot be judged: {type(error).__name__}: {error}"[:300]
    return Outcome(
        problem,
        expected,
        got,
        tuple(trial.called),
        tuple(trial.notes),
        trial.transcript,
        tuple(trial.plays),
        trial.runs if problem else "",
        unseen=unseen,
        cause=cause,
        stuck=stuck,
    )
