"""Grades one student's files: every requirement of a sheet that can be graded."""

import time
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from course.grading.client import Client
from course.grading.limits import unfinished
from course.grading.requirements import Requirement, gradable
from course.grading.rubric import ONE_POINT_EACH, Rubric
from course.grading.sheets import Sheet
from course.grading.submission import copy_submission
from course.grading.terminal import Transcript

MOST_UNFINISHED: Final = 4
"""How many checks a program may leave unfinished before it is not run again."""


class Result(NamedTuple):
    """How one requirement was met."""

    requirement: Requirement
    passed: bool
    points: float
    worth: float
    visibility: str
    called: tuple[str, ...] = ()
    expected: str = ""
    got: str = ""
    problem: str = ""
    """What kept the check from being finished, if anything did."""
    notes: tuple[str, ...] = ()
    """What was accepted although our own solution does it otherwise."""
    transcript: Transcript | None = None
    reference: Transcript | None = None
    """The same lines typed to our own solution; only beside a transcript that failed."""


class Report(NamedTuple):
    """How a sheet's requirements were met by one student."""

    sheet: Sheet
    name: str
    results: tuple[Result, ...]
    notes: tuple[str, ...]
    seconds: float

    @property
    def points(self) -> float:
        """The points in all."""
        return sum(result.points for result in self.results)

    @property
    def worth(self) -> float:
        """The points that there are in all."""
        return sum(result.worth for result in self.results)


class Grader:
    """Grades students' files against one sheet, one student after the other."""

    def __init__(self, sheet: Sheet, client: Client, rubric: Rubric = ONE_POINT_EACH) -> None:
        """Begin; nothing is run yet."""
        self.sheet = sheet
        self._client = client
        self._rubric = rubric
        self._references: dict[str, Transcript | None] = {}

    def failed(self, folder: Path, problem: str, *, only: Collection[str] = ()) -> Report:
        """Return the report of files that cannot be graded, and why."""
        results = [
            self._result(requirement, unfinished(problem))
            for requirement in gradable(self.sheet.slug)
            if not only or requirement.id in only
        ]
        return Report(self.sheet, folder.name, tuple(results), (problem,), 0)

    def grade(self, folder: Path, *, only: Collection[str] = ()) -> Report:
        """Grade the files of a folder.

        Args:
            folder: the student's files; they are copied, and not changed.
            only: the requirements to grade, if not all.

        """
        begun, budget = time.monotonic(), self._client.limits.budget
        results = []
        with self._prepared(folder) as (files, notes):
            unloadable: dict[str, str] = {}
            given_up: Counter[str] = Counter()
            for requirement in gradable(self.sheet.slug):
                if only and requirement.id not in only:
                    continue
                if time.monotonic() - begun > budget:
                    outcome = unfinished(
                        f"not run: the {budget:g} seconds for these files were over"
                    )
                else:
                    outcome = self._client.run(self.sheet.slug, requirement.id, files, unloadable)
                _note_unfinished(outcome, given_up, unloadable)
                results.append(self._result(requirement, outcome))
        seconds = time.monotonic() - begun
        return Report(self.sheet, folder.name, tuple(results), tuple(notes), seconds)

    @contextmanager
    def _prepared(self, folder: Path) -> Iterator[tuple[Path, list[str]]]:
        with TemporaryDirectory(prefix="submission-", ignore_cleanup_errors=True) as copy:
            yield Path(copy), copy_submission(folder, self.sheet, Path(copy))

    def _result(self, requirement: Requirement, outcome: dict[str, Any]) -> Result:
        passed = bool(outcome["passed"])
        worth = self._rubric.worth(requirement.id)
        transcript = Transcript([tuple(event) for event in outcome["transcript"]])
        has_transcript = not passed and bool(transcript.events)
        return Result(
            requirement,
            passed,
            worth if passed else 0,
            worth,
            self._rubric.seen(requirement.id),
            tuple(outcome["called"]),
            str(outcome["expected"]),
            str(outcome["got"]),
            str(outcome["problem"]),
            tuple(outcome["notes"]),
            transcript if has_transcript else None,
            self._reference(requirement.id) if has_transcript else None,
        )

    def _reference(self, check: str) -> Transcript | None:
        """Return what our own solution shows in a check, with the same lines typed."""
        if check not in self._references:
            outcome = self._client.run(self.sheet.slug, check, self.sheet.solution, {})
            events = [tuple(event) for event in outcome["transcript"]]
            self._references[check] = Transcript(events) if events else None
        return self._references[check]


def _note_unfinished(
    outcome: dict[str, Any], given_up: Counter[str], unloadable: dict[str, str]
) -> None:
    """Remember what did not end: a file is not imported again, a program run a few times more."""
    running = str(outcome.get("running", ""))
    if running.startswith("python "):
        given_up[running] += 1
        if given_up[running] == MOST_UNFINISHED:
            unloadable[running] = f"not run again, {MOST_UNFINISHED} checks did not end"
    elif running:
        unloadable[running] = str(outcome["problem"])
