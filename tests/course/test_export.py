"""``python -m course.export``: hand-outs that need no other files."""

import ast
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from course.grading.requirements import gradable
from course.grading.sheets import SHEETS
from course.handouts.stubs import stub
from tests.course.support import SOLUTIONS, command, grading, outdented, run, run_alone
from tests.support.amounts import slow_but
from tests.support.sheets import SHEETS_ROOT

FILES = {
    "simple-21": {"playingCards.py", "simple21.py", "assignment2.py", "queues.py"},
    "blackjack": {
        "blackjack.py", "simplegui.py", "simplegui_canvas.py", "python2.py", "codeskulptor.py",
    },
    "one-deck": {"proj09.py", "cards.py"},
    "war": {"war.py"},
    "bingo": {"playingCards.py", "bingo.py", "bingoTests.py", "queues.py"},
}  # fmt: skip
"""The exported files: those that students submit, and those that the course provides."""


RUNS = {
    "simple-21": ("assignment2.py", "nothing\n", "Cannot read from nothing."),
    "blackjack": ("blackjack.py", "s\nq\n", "New deal?"),
    "one-deck": ("proj09.py", "n\nn\n", "Rounds won by the dealer"),
    "bingo": ("bingo.py", "nothing\n", "Problem with filename provided."),
    "war": ("war.py", "", "at start <'Amy'"),
}


@pytest.mark.parametrize("slug", slow_but(RUNS, *RUNS.keys() - {"war"}))
def test_a_solution_runs_alone(export: Callable[..., Path], slug: str) -> None:
    """``python -I`` runs the files in a folder that was empty before the export.

    War plays 266 games, so it runs in the slow run. ``test_wheel.py`` grades its export.
    """
    folder = export(slug)
    assert {path.name for path in folder.glob("*.py")} == FILES[slug]
    program, typed, shown = RUNS[slug]
    others = sorted(FILES[slug] - {"simplegui.py", program})
    assert shown in run_alone(folder, *others, program, typed=typed)


@pytest.mark.parametrize("slug", SHEETS)
def test_exported_solution_has_full_points(export: Callable[..., Path], slug: str) -> None:
    """The files are identical to our solution's files and the grader's provided files."""
    folder, sheet = export(slug), SHEETS[slug]
    sources = {name: sheet.solution / name for name in sheet.solution_files}
    sources |= {Path(name).name: SHEETS_ROOT / name for name in sheet.given}
    assert {*sources} == FILES[slug]
    for name, source in sources.items():
        assert (folder / name).read_bytes() == source.read_bytes()


@pytest.mark.parametrize("slug", SHEETS)
def test_stubs(export: Callable[..., Path], slug: str) -> None:
    """The stubs can be imported and define the sheet's names, but do nothing yet."""
    folder = export(slug, "--stubs")
    sheet = SHEETS[slug]
    for name in sheet.solution_files:
        text = (folder / name).read_text()
        assert text.startswith("# Author:\n")
        tree = ast.parse(text)
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        wanted = sheet.classes.get(name, sheet.classes.get("", {}))
        assert {*classes} == {*wanted}
        for cls, node in classes.items():
            methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
            public = {method for method in methods if not method.startswith("_")}
            assert public <= {*wanted[cls].split()}
            assert "_" not in {method[:1] for method in methods if not method.endswith("__")}
        assert "->" not in text.replace("'->'", "")
        assert outdented(text) == []
    some = {requirement.id for requirement in gradable(slug)[::20]}
    grade = grading()
    report = grade(slug, folder, some)
    assert report.points < report.worth / 4


@pytest.mark.parametrize("margin", ["", "  ", "            "])
def test_a_stub_indents_its_docstrings_as_its_code(margin: str) -> None:
    """A stub's docstrings are indented like its code, even if Python removed the indentation."""
    docstring = f'"""Make it.\n\n{margin}Args:\n{margin}    size: how large.\n{margin}"""'
    source = f"class Thing:\n    def __init__(self, size):\n        {docstring}\n"
    text = stub(source, {"Thing"})
    assert outdented(text) == []
    assert '\n        Args:\n            size: how large.\n        """\n' in text


def test_stub_keeps_public_names() -> None:
    source = '''"""What it is."""

import os
import random

LIMIT = 3


class Thing(Base):
    """A thing."""

    def __init__(self, size: int = 3) -> None:
        """Make it.

        Args:
            size: how large.
        """
        self.__size = size

    @staticmethod
    def made() -> int:
        """Say so."""
        return LIMIT

    def __hidden(self) -> int:
        return 1


def testThing() -> None:
    """Test it."""
'''
    assert (
        stub(source, {"Thing"})
        == '''# Author:
# Collaborators and references:
"""What it is."""

import random


class Thing(Base):
    """A thing."""

    def __init__(self, size=3):
        """Make it.

        Args:
            size: how large.
        """
        raise NotImplementedError('to do')

    @staticmethod
    def made():
        """Say so."""
        raise NotImplementedError('to do')


if __name__ == '__main__':
    pass
'''
    )


def classes_of(file: Path, *names: str) -> str:
    """Return the source code of these classes as a student copies it."""
    lines = file.read_text().split("\n")
    starts = [n for n, line in enumerate(lines) if re.match(r"class (\w+)", line)]
    found = []
    for start in starts:
        if re.match(r"class (\w+)", lines[start])[1] in names:
            body = [n for n in range(start + 1, len(lines)) if re.match(r"\S", lines[n])]
            found.append("\n".join(lines[start : body[0] if body else None]))
    assert len(found) == len(names)
    return "\n".join(found)


SOLVERS = {
    "ours": SHEETS_ROOT / "blackjack" / "solution" / "blackjack.py",
    "ivy, Python 2": SOLUTIONS / "blackjack" / "ivy" / "week6.py",
}
TEMPLATES = {"card": ("Card", 9), "hand": ("Hand", 6), "deck": ("Deck", 7), "getvalue": ("Hand", 9)}


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
@pytest.mark.parametrize("template", TEMPLATES)
def test_a_class_pasted_into_its_template(
    export: Callable[..., Path], template: str, solver: Path
) -> None:
    """The template prints one line per test, and all tests pass."""
    folder = export("blackjack")
    file = folder / "templates" / f"{template}_template.py"
    text = file.read_text()
    name, tests = TEMPLATES[template]
    marker = f"# ==> Paste your class {name} in the place of this line."
    assert text.count(marker) == 1
    pasted = classes_of(solver, name).replace("Canvas", "object").replace("Pair", "object")
    file.write_text(text.replace(marker, pasted))
    done = run(sys.executable, "-I", folder / "simplegui.py", file)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == tests
    assert [line for line in lines if not line.startswith("pass  ")] == []


def test_a_template_finds_mistakes(export: Callable[..., Path]) -> None:
    """Each line runs separately, so an error in one line fails only that line."""
    folder = export("blackjack")
    file = folder / "templates" / "getvalue_template.py"
    hand = """class Hand:
    def __init__(self):
        self.cards = []

    def add_card(self, card):
        self.cards.append(card)

    def get_value(self):
        if len(self.cards) == 1:
            raise ValueError("one")
        return sum([VALUES[card.get_rank()] for card in self.cards])
"""
    marker = "# ==> Paste your class Hand in the place of this line."
    file.write_text(file.read_text().replace(marker, hand))
    lines = run_alone(folder, str(file)).splitlines()
    failed = [line for line in lines if line.startswith("FAIL  ")]
    assert failed == [
        "FAIL  C2 is 2: expected 2, got ValueError('one')",
        "FAIL  SA is 11: expected 11, got ValueError('one')",
        "FAIL  SA DA is 12: expected 12, got 2",
    ]
    assert len(lines) == 9


def test_nothing_is_written_over(export: Callable[..., Path]) -> None:
    """If any of the files exists, no file is written."""
    folder = export("bingo")
    (folder / "bingo.py").write_text("mine")
    (folder / "queues.py").unlink()
    done = command("course.export", "bingo", folder)
    assert done.returncode == 2
    assert "is there already, so nothing was written." in done.stderr
    assert (folder / "bingo.py").read_text() == "mine"
    assert not (folder / "queues.py").exists()
