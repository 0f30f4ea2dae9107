"""The choice of the program to grade among a student's files, and the reason for the choice."""

import shutil
from pathlib import Path

import pytest

from course.grading.grader import Grader
from course.grading.sheets import SHEETS
from tests.course.support import SHORT, SOLUTIONS, Grade, command, copy_of, grading, lost, why

PONG = "import simplegui\nsimplegui.create_frame('Pong', 600, 400).start()\n"
DRAFT = "class Card:\n    pass\n\n\nclass Hand:\n    pass\n"
"""A file from an earlier week, which creates no frame."""

SOME = ["S1-3", "S1-14", "S1-29", "S1-34"]


@pytest.fixture(scope="module")
def grade() -> Grade:
    return grading()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with our Blackjack solution under a CodeSkulptor file name."""
    copy_of(SHEETS["blackjack"], tmp_path / "ada")
    (tmp_path / "ada" / "blackjack.py").rename(tmp_path / "ada" / "user42_xyz.py")
    return tmp_path / "ada"


def test_it_makes_the_frame_and_has_the_classes(grade: Grade, folder: Path) -> None:
    (folder / "arcade.py").write_text(PONG)
    (folder / "draft.py").write_text(DRAFT)
    shutil.copy(SHEETS["blackjack"].solution / "simplegui.py", folder)
    report = grade("blackjack", folder, SOME)
    assert lost(report) == [], why(report)
    assert report.notes == (
        "user42_xyz.py was graded: it makes the frame and it has the classes Card, Deck, Hand.",
    )


def test_of_one_program_nothing_is_said(grade: Grade, folder: Path) -> None:
    shutil.copy(SHEETS["blackjack"].solution / "simplegui.py", folder)
    assert grade("blackjack", folder, SOME).notes == ()


def test_its_classes_may_stand_in_other_files(grade: Grade, folder: Path) -> None:
    program = folder / "user42_xyz.py"
    text = program.read_text()
    at = text.index("# The state of the table")
    (folder / "hands.py").write_text(text[:at])
    program.write_text(
        "import sys, os, simplegui\nfrom pathlib import Path\nfrom hands import *\n"
        f"from hands import _moved\n{text[at:]}"
    )
    (folder / "arcade.py").write_text(PONG)
    report = grade("blackjack", folder, SOME)
    assert lost(report) == [], why(report)


def test_the_program_can_be_named(folder: Path) -> None:
    (folder / "arcade.py").write_text(PONG)
    report = Grader(SHEETS["blackjack"], SHORT, program="arcade.py").grade(folder, only=["S1-34"])
    assert lost(report) == ["S1-34"]
    assert report.notes == ("arcade.py was graded: it was named.",)
    done = command("course.grade", "blackjack", folder, "--only", "S1-34", "--file", "nobody.py")
    assert "There is no file nobody.py among these." in done.stdout
    done = command("course.grade", "blackjack", folder, "--only", "S1-34", "--file", "arcade.py")
    assert "0 of 1 points" in done.stdout


def test_a_named_file_stands_for_the_sheets(tmp_path: Path) -> None:
    """The folder also has an older program with the sheet's name."""
    folder = copy_of(SHEETS["one-deck"], tmp_path / "ada")
    (folder / "proj09.py").rename(folder / "final.py")
    (folder / "proj09.py").write_text("import cards\n")
    grader = Grader(SHEETS["one-deck"], SHORT, program="final.py")
    report = grader.grade(folder, only=["S2-4", "S2-5"])
    assert lost(report) == [], why(report)
    assert report.notes == ("final.py was graded as proj09.py: it was named.",)


RENAMED = {
    "simple-21": ("assignment2.py", "play.py", "it asks for what is typed", ["S0-65"], []),
    "one-deck": ("proj09.py", "blackjack.py", "it asks for what is typed", ["S2-4", "S2-17"],
                 ["S2-17"]),
    "war": ("war.py", "cards.py", "it has the classes Card, Deck, Game, Hand, Player",
            ["S3-6", "S3-13"], []),
    "bingo": ("playingCards.py", "PlayingCards.py", "only capital letters of its name differ",
              ["S4-4", "S4-8"], []),
}  # fmt: skip
"""For each sheet: a file, a different name for it, the reason for its choice, the graded
requirements, and the lost requirements.
"""


@pytest.mark.parametrize("slug", RENAMED)
def test_a_file_of_another_name(grade: Grade, slug: str, tmp_path: Path) -> None:
    """The sheet of One-deck Blackjack requires the file name, so points are lost."""
    name, other, reason, some, costs = RENAMED[slug]
    folder = copy_of(SHEETS[slug], tmp_path / "ada")
    (folder / name).rename(folder / other)
    report = grade(slug, folder, some)
    assert lost(report) == costs, why(report)
    assert report.notes == (f"{other} was graded as {name}: {reason}.",)


@pytest.mark.parametrize("name", ["War.ipynb", "my game.ipynb"])
def test_a_notebook_has_any_name(grade: Grade, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "ada"
    shutil.copytree(SOLUTIONS / "war" / "hana", folder)
    (folder / "war.ipynb").rename(folder / name)
    report = grade("war", folder, ["S3-6", "S3-13"])
    assert lost(report) == [], why(report)
    assert f"{name} was graded: its cells, one after the other." in report.notes


def test_missing_program_is_reported(grade: Grade, tmp_path: Path) -> None:
    for slug, check in (("blackjack", "S1-29"), ("one-deck", "S2-4"), ("simple-21", "S0-70")):
        folder = tmp_path / slug
        folder.mkdir()
        (result,) = grade(slug, folder, [check]).results
        assert result.outcome.got.endswith("no program was found")


@pytest.mark.parametrize("inside", ["_blackjack", "__pycache__", ".work"])
def test_a_folder_inside(grade: Grade, folder: Path, inside: str) -> None:
    """Folders that begin with one underscore are searched. Ignored folders are reported."""
    (folder / inside).mkdir()
    (folder / "user42_xyz.py").rename(folder / inside / "user42_xyz.py")
    report = grade("blackjack", folder, ["S1-29"])
    if inside[:2] in ("__", ".w"):
        assert report.notes == (f"The folder {inside} was not looked at.",)
    else:
        assert report.notes == (f"The files were found in {inside}.",)
        assert lost(report) == [], why(report)


def test_every_folder_of_a_class(tmp_path: Path) -> None:
    """A folder such as ``_ben`` belongs to a student.

    Folders of the operating system are reported.
    """
    for name in ("ada", "_ben", "__MACOSX", ".git"):
        copy_of(SHEETS["war"], tmp_path / "class" / name)
    done = command("course.grade", "war", tmp_path / "class", "--all",
                   "--csv", tmp_path / "points.csv", "--only", "S3-6")  # fmt: skip
    assert "      1 of 1  _ben" in done.stdout
    assert "Not looked at: .git, __MACOSX." in done.stdout
    table = (tmp_path / "points.csv").read_text().splitlines()
    assert sorted(line.partition(",")[0] for line in table[1:]) == ["_ben", "ada"]
