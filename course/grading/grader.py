"""Grades students' files by checking every requirement of a sheet that can be graded."""

import shutil
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Final, NamedTuple

from course.grading.causes import causes
from course.grading.files import printable
from course.grading.mending import PatchedFiles, patch_variants
from course.grading.rubric import ONE_POINT_EACH, Rubric
from course.grading.runner import CAN_FORK, Limits, Runner
from course.grading.sandbox.terminal import Transcript
from course.grading.sheets import Requirement, Sheet
from course.grading.submission import copy_submission
from course.grading.trial import Outcome

MAX_UNFINISHED: Final = 4
"""Maximum number of unfinished checks of a program, after which the program is not run again."""


class Result(NamedTuple):
    """The result of one requirement."""

    requirement: Requirement
    outcome: Outcome
    points: float
    worth: float
    visibility: str
    reference: Transcript | None = None
    """The transcript of our solution for the same input, if the student's transcript failed."""
    because: str = ""
    """The unmet requirement that hides this requirement, or an empty string."""
    decided: str = ""
    """The instructor's reason for these points, or an empty string."""

    @property
    def passed(self) -> bool:
        """Whether the requirement is met."""
        return self.outcome.passed

    @property
    def unseen(self) -> bool:
        """Whether the requirement could not be observed, so that a person must check it."""
        return not self.passed and bool(self.outcome.unseen or self.because)

    @property
    def lost(self) -> bool:
        """Whether the requirement is not met."""
        return not (self.passed or self.unseen)


class Report(NamedTuple):
    """One student's results for all requirements of a sheet."""

    sheet: Sheet
    name: str
    results: tuple[Result, ...]
    notes: tuple[str, ...]
    seconds: float

    @property
    def points(self) -> float:
        """The total points."""
        return sum(result.points for result in self.results)

    @property
    def open(self) -> int:
        """Number of unobserved requirements. A person must check these requirements."""
        return sum(
            result.unseen and not (result.because or result.decided) for result in self.results
        )

    @property
    def hidden(self) -> int:
        """Number of requirements that are hidden because another requirement is not met."""
        return sum(bool(result.because) and not result.decided for result in self.results)

    @property
    def worth(self) -> float:
        """The maximum number of points."""
        return sum(result.worth for result in self.results)


Outcomes = dict[Requirement, Outcome]


class Grader:
    """Grades students' files against one sheet.

    Several threads may use a grader concurrently.
    """

    def __init__(
        self,
        sheet: Sheet,
        limits: Limits,
        rubric: Rubric = ONE_POINT_EACH,
        *,
        program: str = "",
        can_fork: bool = CAN_FORK,
    ) -> None:
        """Create the grader. ``program`` names the file to grade if there are several."""
        self.sheet = sheet
        self._program = program
        self._limits = limits
        self._rubric = rubric
        self._can_fork = can_fork
        self._references: dict[str, tuple[Transcript, ...]] = {}
        self._referring = Lock()

    def refuse(self, folder: Path, problem: str, *, only: Collection[str] = ()) -> Report:
        """Return a report that states why the files cannot be graded."""
        outcomes = {requirement: Outcome(problem) for requirement in self._requirements(only)}
        return Report(self.sheet, printable(folder.name), self._results(outcomes), (problem,), 0)

    def grade(
        self,
        folder: Path,
        *,
        only: Collection[str] = (),
        advance: Callable[[], object] = lambda: None,
    ) -> Report:
        """Grade the files of a folder. The files are copied and not changed.

        Args:
            folder: The student's files.
            only: The requirements to grade, by default all requirements.
            advance: Function that is called after each requirement.
        """
        begun = time.monotonic()
        with TemporaryDirectory(prefix="submission-", ignore_cleanup_errors=True) as copy:
            notes = copy_submission(folder, self.sheet, Path(copy), self._program)
            deadline = begun + self._limits.budget
            outcomes = self._outcomes(Path(copy), only, deadline, advance)
            self._try_without_faults(Path(copy), outcomes, deadline)
        results = self._results(outcomes)
        return Report(
            self.sheet, printable(folder.name), results, tuple(notes), time.monotonic() - begun
        )

    def _requirements(self, only: Collection[str]) -> list[Requirement]:
        return [
            requirement for requirement in self.sheet.gradable if not only or requirement.id in only
        ]

    def _outcomes(
        self, folder: Path, only: Collection[str], deadline: float, advance: Callable[[], object]
    ) -> Outcomes:
        outcomes = {}
        unfinished: dict[str, str] = {}
        unfinished_runs: Counter[str] = Counter()
        with self._runner(folder) as runner:
            for requirement in self._requirements(only):
                if time.monotonic() > deadline:
                    budget = f"the {self._limits.budget:g} seconds for these files were over"
                    outcome = Outcome(f"not run: {budget}")
                else:
                    outcome = runner.run(requirement.id, unfinished)
                _note_unfinished(outcome, unfinished_runs, unfinished)
                outcomes[requirement] = outcome
                advance()
        return outcomes

    def _runner(self, folder: Path) -> Runner:
        return Runner(self.sheet, folder, self._limits, can_fork=self._can_fork)

    def _try_without_faults(self, folder: Path, outcomes: Outcomes, deadline: float) -> None:
        """Grade the files again after patching one fault at a time.

        The outcomes are updated.
        """
        ids = {variant.id: variant for variant in outcomes}
        finished: set[str] = set()
        for variant in patch_variants(
            self.sheet, folder, {name: outcomes[ids[name]] for name in ids}
        ):
            again = [name for name in variant.again if name not in finished]
            if not again or variant.base in finished or time.monotonic() >= deadline:
                continue
            tried = self._tried(folder, variant, again, deadline)
            lost = [
                name for name, outcome in tried.items() if not (outcome.passed or outcome.unseen)
            ]
            base = lost[0] if lost and variant.is_line else variant.base
            fault = outcomes[ids[variant.base]]
            for name, outcome in tried.items():
                if outcome.passed and name != base:
                    note = f"met: tried without the fault of {base}"
                    outcomes[ids[name]] = Outcome(notes=(note,))
                    finished.add(name)
            if base != variant.base:
                outcomes[ids[base]] = fault
            outcomes |= {
                requirement: outcome._replace(because=base)
                for requirement, outcome in outcomes.items()
                if outcome.because == variant.base != base and requirement.id != base
            }

    def _tried(
        self, folder: Path, mended: PatchedFiles, again: list[str], deadline: float
    ) -> dict[str, Outcome]:
        """Return the outcomes of the requirements that a patched fault had hidden."""
        with TemporaryDirectory(prefix="mended-", ignore_cleanup_errors=True) as copy:
            shutil.copytree(folder, copy, dirs_exist_ok=True)
            for name, text in mended.files.items():
                Path(copy, name).write_text(text, encoding="utf-8")
            with self._runner(Path(copy)) as runner:
                return {name: runner.run(name, {}) for name in again if time.monotonic() < deadline}

    def _results(self, outcomes: Outcomes) -> tuple[Result, ...]:
        shown_names = {
            requirement.id
            for requirement, outcome in outcomes.items()
            if not outcome.passed and outcome.transcript and outcome.transcript.events
        }
        references = self._load_references(shown_names)
        named = {key.id: outcome for key, outcome in outcomes.items()}
        hidden = causes(named)
        results = []
        for requirement, outcome in outcomes.items():
            name, worth = requirement.id, self._rubric.worth(requirement.id)
            stored = outcome if name in shown_names else outcome._replace(transcript=None)
            seen = self._rubric.seen(name)
            reference = same_play(outcome.plays, references.get(name, ()))
            points = worth if outcome.passed else 0
            result = Result(requirement, stored, points, worth, seen, reference)
            results.append(result._replace(because=hidden.get(name, "")))
        return tuple(results)

    def _load_references(self, checks: set[str]) -> dict[str, tuple[Transcript, ...]]:
        """Return our solution's transcripts for these checks."""
        if not self.sheet.solution.is_dir():
            return {}  # a browser does not have our solution
        with self._referring:  # several students' threads may need the same transcript
            missing = checks - self._references.keys()
            if missing:
                with self._runner(self.sheet.solution) as runner:
                    for check in missing:
                        self._references[check] = runner.run(check, {}).plays
            return {check: self._references[check] for check in checks}


def same_play(plays: Sequence[Transcript], references: Sequence[Transcript]) -> Transcript | None:
    """Return our transcript that corresponds to the student's last one, or None.

    Args:
        plays: The transcripts of the student's program in the check. The last transcript decided
            the result.
        references: The transcripts of our solution in the complete check.
    """
    return references[len(plays) - 1] if 0 < len(plays) <= len(references) else None


def _note_unfinished(
    outcome: Outcome, unfinished_runs: Counter[str], unfinished: dict[str, str]
) -> None:
    """Record that a file or a program did not end.

    A file is not imported again, whereas a program gets more attempts.
    """
    running = outcome.running
    if running.startswith("python "):
        unfinished_runs[running] += 1
        if unfinished_runs[running] == MAX_UNFINISHED:
            unfinished[running] = f"not run again, {MAX_UNFINISHED} checks did not end"
    elif running:
        unfinished[running] = outcome.problem
