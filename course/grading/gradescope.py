"""Gradescope: a report as ``results.json``, and a zip to upload as an autograder.

Both files follow Gradescope's autograder specifications.
"""

import stat
import zipfile
from pathlib import Path
from typing import Any, Final

from course.grading.grader import Report, Result
from course.grading.report import details, total_points
from course.grading.sheets import FOLDER, Sheet

SETUP: Final = """\
#!/usr/bin/env bash
# Run once, as root, when the autograder is built. The grader needs Python 3.11 and nothing else.
set -e
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' && exit 0
apt-get update
apt-get install -y python3.12 || apt-get install -y python3.11
"""

RUN: Final = """\
#!/usr/bin/env bash
# Run for every submission, in /autograder.
set -e
python=python3
for name in python3.12 python3.11; do
    command -v $name >/dev/null && python=$name
done
cd /autograder/source
exec $python -m course.grade {arguments} /autograder/submission \\
    --json /autograder/results/results.json
"""

RUBRIC: Final = "rubric.toml"

LEFT_OUT: Final = ("__pycache__", "handouts", "starter")


def results(report: Report) -> dict[str, Any]:
    """Return a report in the form of ``results.json``."""
    return {
        "score": report.points,
        "execution_time": round(report.seconds),
        "output": _summary(report),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "stdout_visibility": "hidden",
        "tests": [_test(result) for result in report.results],
    }


def _summary(report: Report) -> str:
    return "\n".join([f"{report.sheet.title}: {total_points(report)}", *report.notes])


def _test(result: Result) -> dict[str, Any]:
    lines = [f"decided   {result.decided}"] if result.decided else []
    lines += [*details(result)] if not result.passed else []
    lines += [f"accepted  {note}" for note in result.outcome.notes]
    return {
        "score": result.points,
        "max_score": result.worth,
        "status": "passed" if result.points or (result.passed and not result.decided) else "failed",
        "name": result.requirement.text,
        "number": result.requirement.id,
        "output": "\n".join(lines),
        "tags": [result.requirement.section],
        "visibility": result.visibility,
    }


def write_autograder(path: Path, sheet: Sheet, rubric_file: Path | None = None) -> None:
    """Write a zip file with an autograder for Gradescope.

    The file contains two scripts and this package.
    """
    arguments = sheet.slug if sheet.is_ours else f"sheet/{sheet.slug}"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        if rubric_file:
            arguments += f" --rubric {RUBRIC}"
            archive.write(rubric_file, RUBRIC)
        _add_script(archive, "setup.sh", SETUP)
        _add_script(archive, "run_autograder", RUN.format(arguments=arguments))
        for file, name in package_files():
            archive.write(file, name)
        for file in () if sheet.is_ours else _files_in(sheet.root):
            archive.write(file, f"{arguments.split()[0]}/{file.relative_to(sheet.root)}")


def _add_script(archive: zipfile.ZipFile, name: str, text: str) -> None:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFREG | 0o755) << 16
    archive.writestr(info, text)


def package_files() -> list[tuple[Path, str]]:
    """Return the grader's files with their paths in the autograder."""
    package = FOLDER.parent
    paths = [
        *(file for part in ("grading", "sheets") for file in _files_in(package / part)),
        package / "grade.py",
    ]
    return [(file, str(file.relative_to(package.parent))) for file in paths]


def _files_in(folder: Path) -> list[Path]:
    """Return the files in a folder and its subfolders that the grader needs."""
    return [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not {*LEFT_OUT} & {*file.relative_to(folder).parts}
    ]
