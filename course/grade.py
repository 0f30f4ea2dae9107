"""``python -m course.grade`` grades a student's files against a sheet's requirements."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from course.grading import gradescope, report, roster
from course.grading.files import printable
from course.grading.grader import Grader, Report
from course.grading.overrides import overridden, read_overrides, unknown_students
from course.grading.rubric import load_rubric
from course.grading.runner import Limits, has_bubblewrap
from course.grading.sheets import Sheet
from course.grading.usage import UsageError, argument_parser, run_command

DESCRIPTION: Final = """\
Grades a student's own files against the numbered requirements of their sheet.

Every check runs in a fresh process with limits of time, memory and output, so that a program which
hangs, crashes or floods is graded too. Where bubblewrap is installed, the student's code sees no
files but its own and no network. Elsewhere it runs as you, with your files and your network.
"""

NOT_BOXED: Final = (
    "bubblewrap is not here, or may not work: the files are run with your rights, can read what "
    "you can read, and can end every program that you run.\n"
)

LINKED: Final = "This folder was refused: it is a link to another one."


def parser() -> argparse.ArgumentParser:
    """Parse the command's arguments."""
    defaults = Limits()
    arguments = argument_parser("grade", DESCRIPTION)
    arguments.add_argument("folder", nargs="?", type=Path, help="the student's files")
    arguments.add_argument("--brief", action="store_true", help="show only what was lost")
    arguments.add_argument(
        "--file", metavar="NAME", help="the program, where there are several files"
    )
    arguments.add_argument("--only", metavar="S0-14,…", help="grade these requirements only")
    arguments.add_argument("--rubric", type=Path, metavar="FILE.toml", help="points and visibility")
    arguments.add_argument(
        "--overrides", type=Path, metavar="FILE.csv", help="student,requirement,points,reason"
    )
    arguments.add_argument(
        "--json", type=Path, metavar="FILE", help="write Gradescope's results.json"
    )
    arguments.add_argument("--autograder", type=Path, metavar="FILE.zip", help="write its upload")
    arguments.add_argument(
        "--all", action="store_true", help="FOLDER has a folder for each student"
    )
    arguments.add_argument("--csv", type=Path, metavar="FILE", help="with --all: write the points")
    arguments.add_argument(
        "--fail-under", type=float, metavar="N", help="exit with 1 if anybody has fewer points"
    )
    cores = os.cpu_count() or 1
    arguments.add_argument("--jobs", type=int, default=cores, help="students at once (%(default)s)")
    arguments.add_argument(
        "--time", type=int, default=defaults.seconds, help="seconds of processor a check"
    )
    arguments.add_argument(
        "--memory", type=int, default=defaults.megabytes, help="megabytes a check (%(default)s)"
    )
    arguments.add_argument(
        "--budget", type=float, default=defaults.budget, help="seconds a student (%(default)s)"
    )
    return arguments


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Return 0, 1 for too few points, or 2 after an error message."""
    return run_command(parser(), arguments, _grade, "and nothing can be graded without them")


def _grade(sheet: Sheet, asked: argparse.Namespace) -> int:
    """Write the autograder, or grade a student or a class."""
    rubric = load_rubric(sheet, asked.rubric)
    if asked.autograder:
        gradescope.write_autograder(asked.autograder, sheet, asked.rubric)
        worth = sum(rubric.worth(requirement.id) for requirement in sheet.gradable)
        sys.stdout.write(f"Wrote {asked.autograder}: {report.figure(worth)} points in all.\n")
        return 0
    if not asked.folder:
        raise UsageError("Which folder? python -m course.grade SHEET FOLDER")
    if not asked.folder.is_dir():
        raise UsageError(f"There is no folder {asked.folder}.")
    seconds = max(1, asked.time)
    limits = Limits(seconds, seconds * 5, max(64, asked.memory), max(1, asked.budget))
    only = _only(sheet, asked)
    overrides = read_overrides(asked.overrides, sheet) if asked.overrides else ()
    if not has_bubblewrap():  # printed first, because a file under test may end this process
        sys.stdout.write(NOT_BOXED)
        sys.stdout.flush()

    grader = Grader(sheet, limits, rubric, program=asked.file or "")

    def grade(folder: Path) -> Report:
        if folder.is_symlink():
            return grader.refuse(folder, LINKED, only=only)
        try:
            return overridden(grader.grade(folder, only=only), overrides)
        except Exception as error:  # noqa: BLE001 - one student's files must not stop the grading of a class
            message = f"The files cannot be graded: {type(error).__name__}: {error}"
            return grader.refuse(folder, message, only=only)

    if asked.all:
        reports = _whole_class(asked, grade)
        for name in unknown_students(overrides, {report.name for report in reports}):
            sys.stdout.write(f"The overrides name {name}, who has no folder here.\n")
    else:
        reports = [grade(asked.folder.resolve())]
        report.write(report.report_lines(reports[0], brief=asked.brief), sys.stdout)
        if asked.json:
            results = json.dumps(gradescope.results(reports[0]), indent=2)
            asked.json.write_text(f"{results}\n", encoding="utf-8")
    return int(any(report.points < (asked.fail_under or 0) for report in reports))


def _only(sheet: Sheet, asked: argparse.Namespace) -> set[str]:
    wanted = {name.strip().upper() for name in (asked.only or "").split(",") if name.strip()}
    known = {requirement.id for requirement in sheet.gradable}
    for name in sorted(wanted - known):
        raise UsageError(f"{name} is no graded requirement of {sheet.slug}.")
    return wanted


def _whole_class(asked: argparse.Namespace, grade: Callable[[Path], Report]) -> list[Report]:
    if not asked.csv:
        raise UsageError("Where to? --all needs --csv FILE.")
    with TemporaryDirectory(prefix="class-") as scratch:
        folders, left = roster.student_folders(asked.folder, Path(scratch))
        if left:
            names = ", ".join(printable(path.name) for path in left)
            sys.stdout.write(f"Not looked at: {names}.\n")
        if not folders:
            raise UsageError(f"There is no student's folder in {asked.folder}.")
        jobs = max(1, asked.jobs)
        reports = roster.grade_all(folders, grade, asked.csv, sys.stderr, jobs=jobs)
    for graded in reports:
        total = f"{report.figure(graded.points)} of {report.figure(graded.worth)}"
        more = f", {graded.open} to be looked at" if graded.open else ""
        sys.stdout.write(f"{total:>12}  {graded.name}{more}\n")
        sys.stdout.writelines(f"{'':14}{note}\n" for note in graded.notes)
    return reports


if __name__ == "__main__":
    sys.exit(main())
