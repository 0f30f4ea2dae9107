"""Grading of a complete class: one folder per student, and a table with one line per student."""

import csv
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO

from course.grading.files import is_left_by_systems, sort_out
from course.grading.grader import Report
from course.grading.report import figure


def student_folders(folder: Path, scratch: Path) -> tuple[list[Path], list[Path]]:
    """Return the students' folders, keyed by name, and a class's other entries.

    Files that a course system saved in a single folder are copied to one folder per student in
    ``scratch``.
    """
    inside = sorted(folder.iterdir())
    folders = [path for path in inside if path.is_dir() and not is_left_by_systems(path)]
    students = sort_out(folder, scratch)
    used = {path.name for path in folders} | {name for names in students.values() for name in names}
    copies = [scratch / student for student in students]
    left = [path for path in inside if path.name not in used]
    return sorted([*folders, *copies], key=lambda path: path.name), left


def grade_all(
    folders: list[Path], grade: Callable[[Path], Report], table: Path, out: TextIO, *, jobs: int = 1
) -> list[Report]:
    """Grade every student with a progress bar.

    Each student's line is written immediately.

    At the end, the table and the reports are sorted in the order of the folders.
    """
    graded: dict[Path, Report] = {}
    with (
        table.open("w", newline="", encoding="utf-8") as file,
        progress(len(folders), out) as advance,
        ThreadPoolExecutor(jobs) as pool,
    ):
        waiting = {pool.submit(grade, folder): folder for folder in folders}
        for finished in as_completed(waiting):
            report = finished.result()
            graded[waiting[finished]] = report
            write_rows(file, [report], heading=len(graded) == 1)
            file.flush()  # saves all points so far, even if interrupted
            advance()
    reports = [graded[folder] for folder in folders]
    sorted_table = table.with_name(f".{table.name}.sorted")
    with sorted_table.open("w", newline="", encoding="utf-8") as file:
        write_rows(file, reports)
    sorted_table.replace(table)
    return reports


@contextmanager
def progress(total: int, out: TextIO) -> Iterator[Callable[[], None]]:
    """Yield a function that advances a progress bar: one from rich, or a line of text."""
    if find_spec("rich") and out.isatty():
        module, console = import_module("rich.progress"), import_module("rich.console")
        columns = [module.BarColumn(), module.MofNCompleteColumn(), module.TimeRemainingColumn()]
        with module.Progress(*columns, console=console.Console(file=out)) as bar:
            task = bar.add_task("", total=total)
            yield lambda: bar.advance(task)
        return
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        out.write(f"\rgraded {done} of {total}" if out.isatty() else ".")
        out.flush()

    yield advance
    out.write("\n")


def write_rows(file: TextIO, reports: list[Report], *, heading: bool = True) -> None:
    """Write one line of points per student: the sum, and a column per requirement."""
    table = csv.writer(file)
    if heading and reports:
        names = [result.requirement.id for result in reports[0].results]
        table.writerow(["student", "points", "of", *names, "to look at", "decided"])
    for report in reports:
        points = [figure(result.points) for result in report.results]
        total = [figure(report.points), figure(report.worth)]
        decided = {
            result.requirement.id: result.decided for result in report.results if result.decided
        }
        unclear = [
            result.requirement.id
            for result in report.results
            if result.unseen and not result.because
        ]
        open_still = " ".join(name for name in unclear if name not in decided)
        why = "; ".join(f"{name}: {reason}" for name, reason in decided.items())
        table.writerow([no_formula(report.name), *total, *points, open_still, no_formula(why)])


def no_formula(name: str) -> str:
    """Return a name in a form that spreadsheets do not evaluate as a formula.

    >>> no_formula("=1+1"), no_formula("ada")
    ("'=1+1", 'ada')
    """
    return f"'{name}" if name[:1] in ("=", "+", "-", "@", "\t", "\r") else name
