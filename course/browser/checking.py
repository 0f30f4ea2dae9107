"""Runs the grader's checks in this interpreter, and reports each result as soon as it is known."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from cardgames.text import Text
from course.browser.isolation import ExitRequested, TimeLimitExceeded, isolate, time_limit
from course.grading.checks import load_checks
from course.grading.checks.tools import Check
from course.grading.grader import Grader, Result
from course.grading.recordings import Recorded, Recordings
from course.grading.report import details, figure
from course.grading.runner import Limits
from course.grading.sandbox.child import Executor
from course.grading.sheets import Sheet
from course.grading.trial import KIT, NO_FILE, PLACE, Outcome, Trial, run_outcome

MAX_RESTARTS: Final = 4
"""Maximum number of times that the page terminates a worker for the same files."""

MAX_LINES: Final = 120
"""Maximum number of lines reported for a requirement that is not met."""

ENDS_WITHIN: Final = 0.2
"""Number of seconds for which a program may run after the last typed line."""

LIMITS: Final = Limits(seconds=5)
"""The limits of a check. Phones are slow, and the clock also counts the time that other programs
use.
"""

NOT_SEEN: Final = Text("this cannot be checked until {cause} is fixed")
UNCLEAR: Final = Text("this could not be checked: your instructor must check it")
GIVEN_UP: Final = "not run: Python had to be stopped too often"

Report = Callable[..., None]


class Known(NamedTuple):
    """The results of a worker that was terminated before it had run all checks."""

    reported: frozenset[str] = frozenset()
    """The checks whose results were reported. These checks are neither run nor reported again."""
    endless: Mapping[str, Outcome] = MappingProxyType({})
    """The outcomes of the checks that did not end."""

    @property
    def given_up(self) -> bool:
        """Whether the remaining checks are skipped, because too many checks did not end."""
        return len(self.endless) >= MAX_RESTARTS


class LocalRunner:
    """Runs checks like :class:`course.grading.runner.Runner`, without a process."""

    def __init__(
        self, sheet: Sheet, folder: Path, limits: Limits, report: Report, known: Known
    ) -> None:
        """Prepare the runner. Checks with known results are not run again."""
        self._sheet, self._folder, self._limits = sheet, folder, limits
        self._report, self._known = report, known
        self._check = ""
        self._recordings = Recordings(lambda scenario: self._run(scenario, {}))

    def run(self, check: str, unfinished: Mapping[str, str]) -> Outcome:
        """Run a check, and return its outcome."""
        known = self._known
        if check in known.endless or check in known.reported:
            outcome = known.endless.get(check, Outcome())
        else:
            outcome = Outcome(GIVEN_UP) if known.given_up else self._judged(check, unfinished)
        self._report("outcome", check=check, outcome=outcome)
        return outcome

    def _judged(self, check: str, unfinished: Mapping[str, str]) -> Outcome:
        requirement_check, self._check = load_checks(self._sheet)[check], check
        if isinstance(requirement_check, Recorded):
            return requirement_check.outcome(self._recordings)
        return self._run(requirement_check, unfinished)

    def _run(self, check: Check, unfinished: Mapping[str, str]) -> Outcome:
        trials: list[Trial] = []
        outcome = Outcome()

        def ask(**request: Any) -> Mapping[str, Any]:
            self._report("running", check=self._check, what=trials[0].runs)
            if request["code"].startswith(f"{KIT}.play("):
                executor.after_last = lambda: late.end_within(ENDS_WITHIN)
            try:
                return executor.ask(**request)
            finally:
                late.soon = math.inf

        with (
            isolate() as program,
            time_limit(self._limits.seconds, lambda: trials[0].runs) as late,
            suppress(ExitRequested, TimeLimitExceeded),
        ):
            executor = Executor(self._folder, self._sheet.given, self._sheet.own_probes)
            trials.append(Trial(self._sheet, self._folder, ask, unfinished))
            outcome = run_outcome(check, trials[0])
        if late:
            problem = f"it did not end within {self._limits.seconds:g} seconds of processor time"
            return outcome.lost(problem)._replace(running=str(late[0]))
        return outcome.lost(program.ended) if program.ended else outcome


class LocalGrader(Grader):
    """Grades in this interpreter, and reports each result as soon as it is known."""

    def __init__(self, sheet: Sheet, limits: Limits, report: Report, known: Known) -> None:
        """Create the grader with the arguments of :class:`LocalRunner`."""
        super().__init__(sheet, limits)
        self._report, self._known = report, known
        self._is_begun = False

    @contextmanager
    def _runner(self, folder: Path) -> Iterator[Any]:  # type: ignore[override]
        if self._is_begun:  # later runs concern our solution or patched files
            yield LocalRunner(self.sheet, folder, self._limits, self._say_running, Known())
        else:
            self._is_begun = True
            yield LocalRunner(self.sheet, folder, self._limits, self._pass_on, self._known)

    def _say_running(self, kind: str, **message: Any) -> None:
        """Report which checks run, but not their results.

        The page terminates a worker that reports nothing.
        """
        if kind == "running":
            self._report(kind, **message)

    def _pass_on(self, kind: str, **message: Any) -> None:
        """Report which checks run, and convert outcomes into results."""
        if kind != "outcome":
            self._report(kind, **message)
        elif message["check"] not in self._known.reported:
            requirement = next(e for e in self.sheet.gradable if e.id == message["check"])
            (result,) = self._results({requirement: message["outcome"]})
            self._report(
                "result",
                id=requirement.id,
                text=requirement.text,
                passed=result.passed,
                points=figure(result.points),
                worth=figure(result.worth),
                start=_start(result),
                notes=[*result.outcome.notes],
                lines=[] if result.passed else [*details(result)][:MAX_LINES],
            )


def _start(result: Result) -> dict[str, Any] | None:
    """Return the reason and the line if a program cannot be started, otherwise None."""
    outcome = result.outcome
    if not outcome.stuck:
        return None
    if outcome.stuck.startswith(NO_FILE):
        missing = outcome.stuck.removeprefix(NO_FILE)
        message = f"{missing} is missing: choose it too, or rename the file that should be it."
        return {"said": message, "place": None}
    message = outcome.problem or outcome.got
    message = message[:1].upper() + message[1:]
    place = PLACE.search(message)
    return {"said": message, "place": [place[1], int(place[2])] if place else None}


def check(sheet: Sheet, folder: Path, report: Report, known: Known) -> None:
    """Grade the files of a folder.

    Report each result as soon as it is known, and report the notes at the end.
    """
    graded = LocalGrader(sheet, LIMITS, report, known).grade(folder)
    met = [result.requirement.id for result in graded.results if result.passed]
    unseen = {
        result.requirement.id: NOT_SEEN.fill(cause=result.because) if result.because else UNCLEAR
        for result in graded.results
        if result.unseen
    }
    report("checked", notes=[*graded.notes], met=met, unseen=unseen, open=graded.open)
