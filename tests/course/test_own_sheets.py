"""An instructor's own sheet: a new sheet is valid, and each fault has one error message."""

import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.course.support import command
from tests.course.test_a_sixth_sheet import BLOCKS
from tests.support.commands import ROOT, Done, run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A new sheet."""
    done = command("course.sheet", "new", tmp_path / "high-card")
    assert (done.returncode, done.stderr) == (0, "")
    return tmp_path / "high-card"


def checked(folder: Path) -> Done:
    return command("course.sheet", "check", folder)


def test_a_new_sheet_is_sound(folder: Path) -> None:
    done = checked(folder)
    assert (done.returncode, done.stdout, done.stderr) == (
        0, "High card is sound: 6 requirements, 2 mistakes.\n", "",
    )  # fmt: skip
    assert {path.parent.name for path in folder.rglob("*.py")} == {
        "high-card", "solution", "starter",
    }  # fmt: skip


def test_a_new_sheet_is_written_once(folder: Path) -> None:
    done = command("course.sheet", "new", folder)
    assert done.returncode == 2
    assert done.stderr.endswith("is there already, so nothing was written.\n")


def edit(file: str, old: str, new: str) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new))

    return act


def add(file: str, text: str) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        before = (folder / file).read_text() if (folder / file).is_file() else ""
        (folder / file).write_text(f"{before}\n{text}\n")

    return act


BROKEN = {
    "no sheet.toml": (lambda folder: (folder / "sheet.toml").unlink(), "has no sheet.toml"),
    "no requirements": (lambda folder: (folder / "requirements.md").unlink(), "no requirements.md"),
    "no TOML": (add("sheet.toml", "files ="), "sheet.toml cannot be read: Invalid value"),
    "a key that there is not": (edit("sheet.toml", "pitch", "pich"), "sheet.toml has 'pich'"),
    "a text for a list": (
        edit("sheet.toml", '["cards.py", "high_card.py"]', '"cards.py"'),
        "files is a list of texts",
    ),
    "no title": (edit("sheet.toml", "title", "slug"), "sheet.toml has no title"),
    "a name that is ours": (
        add_slug := edit("sheet.toml", "title", 'slug = "war"\ntitle'),
        "rename",
    ),
    "a file that is missing": (
        edit("sheet.toml", '"high_card.py"]', '"highcard.py"]'),
        "highcard.py, which its sheet.toml names",
    ),
    "a number twice": (edit("requirements.md", "**S10-2**", "**S10-1**"), "has S10-1 twice"),
    "no number": (edit("requirements.md", "**S10-2**", "**H-2**"), "H-2 is no number"),
    "a notebook of two files": (
        edit("sheet.toml", "title", "notebook = true\ntitle"),
        "it must have one file",
    ),
    "a requirement without a check": (
        edit("checks.py", '@check("S10-6")\n', ""),
        "S10-6 of high-card has no check",
    ),
    "a check of nothing": (
        edit("checks.py", '@check("S10-6")', '@check("S10-6", "S10-66")'),
        "a check of S10-66, which it does not ask for",
    ),
    "two checks of one": (
        edit("checks.py", '@check("S10-6")', '@check("S10-6", "S10-5")'),
        "two checks of S10-5",
    ),
    "checks that fail": (add("checks.py", "1 / 0"), "cannot be imported: ZeroDivisionError"),
    "a solution that fails": (
        edit("solution/cards.py", "+ 2", "+ 1"),
        "The solution itself does not meet S10-2: expected 2, got 1",
    ),
    "a mistake that does not fit": (
        edit("mistakes.toml", "self.cards.pop(0) if", "self.cards.pop(-1) if"),
        "the mistake of S10-4 in cards.py replaces stands there 0 times",
    ),
    "a mistake that costs nothing": (
        edit("mistakes.toml", "'again.startswith(\"y\")'", "'again.lower()[:1] == \"y\"'"),
        "What the mistake of S10-6 in high_card.py loses is nothing",
    ),
    "a mistake that costs another": (
        edit("mistakes.toml", 'loses = "S10-6"', 'loses = "S10-5"'),
        "loses is S10-6, and not S10-5 alone",
    ),
    "a file that was left over": (
        add("starter/card.py", ""),
        "starter/card.py is none of the sheet's files",
    ),
    "a method that the solution does not have": (
        edit("sheet.toml", 'Deck = "deal"', 'Deck = "deal total"'),
        "[classes] names Deck.total, which the solution does not have",
    ),
    "functions of a file that there is not": (
        edit("sheet.toml", "[build]", '[functions]\n"deck.py" = "deal"\n\n[build]'),
        "has functions for deck.py, which is none of its files",
    ),
    "a starter that is no Python": (
        add("starter/cards.py", "def deal("),
        "The starter does not load: SyntaxError",
    ),
    "a driver without a table": (
        add("driver.py", "GAME = 'war'"),
        "no class that is a StudentTable",
    ),
    "a rubric of another": (add("sheet.toml", "[rubric.points]\n'S10-8' = 2"), "names S10-8"),
}
"""Faulty edits of a new sheet, each with a part of the expected error message."""


@pytest.mark.parametrize(("break_it", "said"), BROKEN.values(), ids=BROKEN)
def test_a_broken_sheet_is_refused_with_a_sentence(
    folder: Path, break_it: Callable[[Path], object], said: str
) -> None:
    break_it(folder)
    done = checked(folder)
    assert done.returncode in (1, 2)
    (sentence,) = (done.stdout + done.stderr).splitlines()
    assert said in sentence


def test_the_program_of_a_sheet_is_played(folder: Path) -> None:
    """Our sheets and one other sheet, each with its files in a separate folder."""
    for sheet, typed, last in (("one-deck", "s\nn\n", ""), (folder, "y\nn\n", "Again? ")):
        done = run(
            sys.executable, "-m", "course.run", sheet, env={"PYTHONPATH": str(ROOT)}, typed=typed
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.endswith(last)
        assert done.stdout.count("\n") + done.stdout.count("?") > 2


def test_a_sheet_from_outside_is_graded_checked_and_exported(folder: Path, tmp_path: Path) -> None:
    """The commands work as they do for our sheets, and the autograder contains the sheet."""
    done = command("course.grade", folder, folder / "solution", "--brief")
    assert (done.returncode, "6 of 6 points" in done.stdout) == (0, True)
    for options, points in ((), 6), (("--stubs",), 0):
        there = tmp_path / f"export{points}"
        assert command("course.export", folder, there, *options).returncode == 0
        assert {path.name for path in there.iterdir()} == {"cards.py", "high_card.py"}
        graded = command("course.grade", folder, there)
        assert f"{points} of 6 points" in graded.stdout
    command("course.grade", folder, "--autograder", tmp_path / "upload.zip")
    with zipfile.ZipFile(tmp_path / "upload.zip") as archive:
        archive.extractall(tmp_path / "source")
    source = tmp_path / "source"
    assert (
        "course.grade sheet/high-card /autograder/submission"
        in (source / "run_autograder").read_text()
    )
    done = run(
        sys.executable, "-m", "course.grade", "sheet/high-card", folder / "solution", cwd=source,
        env={"PYTHONPATH": "", "PATH": os.defpath},
    )  # fmt: skip
    assert "6 of 6 points" in done.stdout, done.stderr


def test_function_of_the_sheet_is_required_and_stubbed(folder: Path, tmp_path: Path) -> None:
    edit("sheet.toml", "[build]", '[functions]\n"high_card.py" = "higher"\n\n[build]')(folder)
    add("solution/high_card.py", "def higher(one, other):\n    return one > other")(folder)
    assert command("course.export", folder, tmp_path / "out", "--stubs").returncode == 0
    stub = (tmp_path / "out" / "high_card.py").read_text()
    assert 'def higher(one, other):\n    raise NotImplementedError("to do")' in stub.replace(
        "'", '"'
    )


def test_folder_without_a_sheet(tmp_path: Path) -> None:
    for sheet, said in ((tmp_path, "has no sheet.toml"), ("wor", "There is no sheet wor: it is")):
        done = command("course.grade", sheet, tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr
        assert done.stderr.count("\n") == 1


def test_private_solution_is_never_compared(folder: Path) -> None:
    """A driver must not use a private solution.

    Instead, the driver in the guide follows the rules.
    """
    (driver,) = (text for _, name, text in BLOCKS if name.endswith("driver.py"))
    edit("sheet.toml", "title", 'solution = "private"\ntitle')(folder)
    for line, said in (
        ("has_reference = False", "High card is sound"),
        ("has_reference = True", "The table compares with the solution, which is private"),
    ):
        (folder / "driver.py").write_text(driver.replace("has_reference = False", line))
        assert checked(folder).stdout.startswith(said)
