"""The style of docstrings and comments (CONTRIBUTING.md), as counts that may only decrease."""

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.serving import ROOT

FOLDERS = ("app.py", "cardgames", "course", "migrations", "tests", "tools", "web")
STUDENTS = ("course/holdout", "course/solutions")
"""Folders of student-style programs, below ``tests``."""


def texts_of(file: Path) -> Iterator[str]:
    """Yield the docstrings and comments of a module."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text.strip()
    with file.open("rb") as lines:
        for token in tokenize.tokenize(lines.readline):
            if token.type == tokenize.COMMENT:
                yield token.string.lstrip("# ")


@pytest.fixture(scope="module")
def texts() -> list[str]:
    files = [file for name in FOLDERS for file in (ROOT / name).rglob("*.py")]
    files += [ROOT / "app.py"]
    return [
        text
        for file in files
        if file.is_file() and not any(part in str(file) for part in STUDENTS)
        for text in texts_of(file)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "most"),
    [
        (r"^(Say|Let|Give|Lend|Have)\b", 0),
        (r"^(What|Who|Where|How|When|Which)\b", 0),
        (r"\b[Ww]hat\b", 5),
        (r"\b(but for|what stands for|another's|nobody's|of ours)\b", 0),
    ],
)
def test_number_of_dialect_phrases_does_not_grow(texts: list[str], pattern: str, most: int) -> None:
    found = [text for text in texts if re.search(pattern, text)]
    assert len(texts) > 7_000
    assert len(found) <= most, found[-5:]
