"""Every numbered requirement of the five sheets is named in a test: the table of which in which.

A test names the requirements (S) and the decisions (A) that it covers in its docstring. The first
digit is the sheet: 0 Simple 21, 1 Blackjack, 2 One-deck Blackjack, 3 War, 4 Bingo.

``python -m tests.test_requirements`` prints the table.
"""

import ast
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parent

REQUIREMENTS: Final = {
    "S0": [*range(1, 76), *range(77, 81)],
    "S1": [*range(1, 44)],
    "S2": [*range(1, 36)],
    "S3": [*range(1, 32)],
    "S4": [*range(1, 66), *range(67, 70)],
}
"""The numbers as the acceptance lists have them; two of them leave one out."""

DECISIONS: Final = {
    "A0": [*range(1, 40)],
    "A1": [*range(1, 25)],
    "A2": [*range(1, 27)],
    "A3": [*range(1, 16)],
    "A4": [*range(1, 39)],
}
"""What the sheets leave open and the specs decide, most of it by what a requirement says."""

ALL_TESTED: Final = {**REQUIREMENTS, "A3": DECISIONS["A3"], "A4": DECISIONS["A4"]}
"""What each has a test of its own; the other decisions are tested as part of a requirement."""

ID: Final = re.compile(r"\b[SA]\d-\d+\b")


def ids(numbers: dict[str, list[int]]) -> set[str]:
    return {f"{sheet}-{number}" for sheet, some in numbers.items() for number in some}


def named_in_tests() -> dict[str, list[str]]:
    """The tests that name each requirement or decision in their docstring."""
    table = defaultdict(list)
    for file in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for name in sorted(set(ID.findall(ast.get_docstring(node) or ""))):
                    table[name].append(f"{file.name}::{node.name}")
    return table


def in_order(names: set[str]) -> list[str]:
    return sorted(names, key=lambda name: (name[:2], int(name[3:])))


@pytest.mark.parametrize("sheet", ALL_TESTED)
def test_every_requirement_is_named_in_a_test(sheet: str) -> None:
    assert in_order(ids({sheet: ALL_TESTED[sheet]}) - named_in_tests().keys()) == []


def test_no_test_names_what_does_not_exist() -> None:
    there = ids(REQUIREMENTS | DECISIONS)
    wrong = {
        f"{file.name}: {name}"
        for file in TESTS.rglob("*.py")
        for name in ID.findall(file.read_text())
        if name not in there
    }
    assert wrong == set()


def test_the_numbers_are_those_of_the_specs() -> None:
    assert [len(numbers) for numbers in REQUIREMENTS.values()] == [79, 43, 35, 31, 68]
    assert [len(numbers) for numbers in DECISIONS.values()] == [39, 24, 26, 15, 38]


if __name__ == "__main__":
    table = named_in_tests()
    for name in in_order(set(table)):
        sys.stdout.write(f"{name:6} {' '.join(table[name])}\n")
