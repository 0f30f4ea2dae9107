"""A whole class: a folder a student, and a table with a line for each and their points."""

import csv
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO

from cardgames.grading.grader import Report
from cardgames.grading.report import figure


def folders_of(folder: Path) -> list[Path]:
    """Return the students' folders in a class's folder, by name."""
    inside = (path for path in folder.iterdir() if path.is_dir())
    return sorted(path for path in inside if not path.name.startswith((".", "_")))


def grade_all(
    folders: list[Path], grade: Callable[[Path], Report], out: TextIO, *, jobs: int = 1
) -> list[Report]:
    """Grade every student, with a progress bar.

    Args:
        folders: the students' own.
        grade: how one is graded.
        out: where the bar goes.
        jobs: how many are graded at once.

    Returns:
        Their reports, in the folders' order.
    """
    with progress(len(folders), out) as advance, ThreadPoolExecutor(jobs) as pool:

        def grade_and_tell(folder: Path) -> Report:
            report = grade(folder)
            advance()
            return report

        return list(pool.map(grade_and_tell, folders))


@contextmanager
def progress(total: int, out: TextIO) -> Iterator[Callable[[], None]]:
    """Give a function that moves a progress bar on: rich's, or a line of text that grows."""
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


def write_csv(path: Path, reports: list[Report]) -> None:
    """Write the points: a line a student, a column a requirement, the sum in front."""
    names = [result.requirement.id for result in reports[0].results] if reports else []
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["student", "points", "of", *names])
        for report in reports:
            points = [figure(result.points) for result in report.results]
            total = [figure(report.points), figure(report.worth)]
            table.writerow([no_formula(report.name), *total, *points])


def no_formula(name: str) -> str:
    """Return a name that no spreadsheet takes for a formula.

    >>> no_formula("=1+1"), no_formula("ada")
    ("'=1+1", 'ada')
    """
    return f"'{name}" if name[:1] in ("=", "+", "-", "@", "\t", "\r") else name
