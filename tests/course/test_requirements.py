"""Checks that every numbered requirement of the five sheets has a test.

The grader checks most requirements. Each of its checks runs on our own solution, on a student's
solution, and on a program that must fail the check (``test_grading.py``). A test's docstring names
the other requirements (S) and the decisions (A) that the test covers. The first digit of a number
is the sheet: 0 Simple 21, 1 Blackjack, 2 One-deck Blackjack, 3 War, 4 Bingo.

``python -m tests.course.test_requirements`` prints a table of requirements and tests.
"""

import ast
import re
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Final

from course.grading.checks import load_checks
from course.grading.requirements import gradable, read_requirements
from course.grading.sheets import SHEETS

TESTS: Final = Path(__file__).parent.parent
ROOT: Final = TESTS.parent
CITING: Final = {".py", ".md", ".html", ".patch", ".txt", ".ipynb"}

DOCUMENTED: Final = {
    requirement.id: requirement for slug in SHEETS for requirement in read_requirements(slug)
}
"""The sheets' ``requirements.md`` files: the only list of requirements and decisions."""

REQUIREMENTS: Final = {name for name in DOCUMENTED if name.startswith("S")}
ID: Final = re.compile(r"\b[SA]\d-\d+\b")


@cache
def named_in_tests() -> dict[str, list[str]]:
    """Return the tests that name each requirement or decision."""
    table = defaultdict(list)
    for slug in SHEETS:
        for name in load_checks(SHEETS[slug]):
            table[name].append(f"the grader's check of {slug}")
    for file in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for name in sorted({*ID.findall(ast.get_docstring(node) or "")}):
                    table[name].append(f"{file.name}::{node.name}")
    return table


def in_order(names: set[str]) -> list[str]:
    return sorted(names, key=lambda name: (name[:2], int(name[3:])))


def test_every_requirement_is_checked_or_named_in_a_test() -> None:
    assert in_order(REQUIREMENTS - named_in_tests().keys()) == []


def cited() -> dict[str, set[str]]:
    """Return the numbers of the cited requirements, keyed by file."""
    files = [ROOT / "app.py", ROOT / "README.md", ROOT / "ARCHITECTURE.md"]
    for folder in ("cardgames", "course", "web", "tests", "docs", "templates"):
        files += [file for file in (ROOT / folder).rglob("*") if file.suffix in CITING]
    return {str(file.relative_to(ROOT)): {*ID.findall(file.read_text())} for file in files}


def test_every_cited_number_exists() -> None:
    """The numbers are cited in code, tests, patches, documents and pages."""
    wrong = {
        f"{file}: {name}"
        for file, names in cited().items()
        for name in names
        if name not in DOCUMENTED
    }
    assert wrong == set()


def test_the_numbers_are_those_of_the_acceptance_lists() -> None:
    """The sheets have 79, 43, 35, 31 and 68 requirements. Two numbers are unused."""
    numbers = {
        kind: sorted(int(name[3:]) for name in DOCUMENTED if name.startswith(f"{kind}-"))
        for kind in {name[:2] for name in DOCUMENTED}
    }
    assert numbers == {
        "S0": [*range(1, 76), *range(77, 81)],
        "S1": [*range(1, 44)],
        "S2": [*range(1, 36)],
        "S3": [*range(1, 32)],
        "S4": [*range(1, 66), *range(67, 70)],
        "A0": [*range(1, 40)],
        "A1": [*range(1, 25)],
        "A2": [*range(1, 27)],
        "A3": [*range(1, 16)],
        "A4": [*range(1, 39)],
    }
    assert len(REQUIREMENTS) == 256


def test_every_number_has_a_sentence() -> None:
    """Each requirement and decision is below a heading, and ends with a full stop."""
    for requirement in DOCUMENTED.values():
        assert requirement.section
        assert requirement.text.endswith((".", "`")), requirement
        assert len(requirement.text) > 15


def test_the_documents_are_read_whole() -> None:
    """This test ensures that no item is missed because of a different format."""
    for slug in SHEETS:
        text = (SHEETS[slug].root / "requirements.md").read_text()
        written = re.findall(r"\*\*([SA]\d-\d+)\*\*", text)
        assert written == [requirement.id for requirement in read_requirements(slug)]
        assert text.count("- **") == len(written)


def test_grader_covers_every_gradable_requirement() -> None:
    """Each requirement has a check, or a reason for having none. No other checks exist."""
    for slug in SHEETS:
        assert {*load_checks(SHEETS[slug])} == {requirement.id for requirement in gradable(slug)}
    left = {name: DOCUMENTED[name].ungraded for name in REQUIREMENTS if DOCUMENTED[name].ungraded}
    assert in_order({*left}) == ["S0-78", "S1-38", "S1-41", "S1-42", "S1-43", "S2-33"]
    assert all(len(reason) > 40 for reason in left.values())


def test_grader_and_browser_name_no_sheet() -> None:
    """No import or string in the code names a sheet, because each sheet is a folder."""
    names = {name for slug, sheet in SHEETS.items() for name in (slug, sheet.root.name)}
    known = {f"course.sheets.{name}" for name in names}
    files = [*(ROOT / "course").glob("*.py"), *(ROOT / "course/browser").glob("*.py")]
    files += [*(ROOT / "course/grading").rglob("*.py"), *(ROOT / "course/handouts").glob("*.py")]
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant):
                assert node.value not in names, file
            elif isinstance(node, ast.ImportFrom):
                assert not [one for one in known if f"{node.module}.".startswith(f"{one}.")], file


if __name__ == "__main__":
    table = named_in_tests()
    for name in in_order(set(table)):
        sys.stdout.write(f"{name:6} {' '.join(table[name])}\n")
