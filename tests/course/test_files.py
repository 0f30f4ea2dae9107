"""Students' files that course systems, browsers and editors have changed."""

import codecs
from pathlib import Path

import pytest

from course.grading.files import decoded, read_folder, student_name, tidy_name
from course.grading.requirements import gradable
from tests.course.support import command, grading, lost
from tests.support.renamed import STUDENTS, solution, write_student

NOTES = {
    "mark": (),
    "coding": (),
    "utf16": ("war.py is UTF-16, which Python does not run: save it as UTF-8.",),
    "windows": ("proj09.py is not UTF-8, so it was read as Windows-1252.",),
    "again": ("simple21-1.py was read as simple21.py.",),
    "download": ("playingCards (1).py was read as playingCards.py.",),
    "canvas": ("riveraana_LATE_11_202_war.py was read as war.py.",),
    "endings": ("simple21.py.txt was not used: simple21.PY was read.",),
    "archives": (
        "hw (1).zip was unpacked.",
        "hw.zip was not used: hw (1).zip is newer.",
        "notes.rar was not used: only .zip archives are unpacked.",
    ),
    "notebook": ("War-Ana.ipynb was graded: its cells, one after the other.",),
}


@pytest.mark.parametrize("name", STUDENTS)
def test_renamed_files_are_graded_like_plain_ones(name: str, tmp_path: Path) -> None:
    folder = write_student(name, tmp_path / name)
    slug = STUDENTS[name][0]
    report = grading()(slug, folder, [each.id for each in gradable(slug)[::8]])
    assert lost(report) == []
    assert report.points == report.worth
    assert {*NOTES[name]} <= {*report.notes}


def test_flat_class_folder_is_sorted_by_student(tmp_path: Path) -> None:
    """Canvas, Blackboard and Moodle export a class in this form: all files are in one folder."""
    text = solution("war")["war.py"]
    for name in (
        "riveraana_11_202_war.py",
        "doejane_LATE_12_203_war-2.py",
        "hw1_leeian_attempt_2026-11-28-10-22-33_war.py",
        "Kim Bo_123_assignsubmission_file_war.py",
    ):
        (tmp_path / name).write_text(text)
    (tmp_path / "hw1_leeian_attempt_2026-11-28-10-22-33.txt").write_text("Name: Ian Lee")
    (tmp_path / "grades.csv").write_text("")
    table = tmp_path.with_name("points.csv")
    done = command("course.grade", "war", tmp_path, "--all", "--csv", table, "--only", "S3-1")
    rows = [line.split(",")[:2] for line in table.read_text().splitlines()[1:]]
    assert rows == [["Kim Bo", "1"], ["doejane", "1"], ["leeian", "1"], ["riveraana", "1"]]
    assert "Not looked at: grades.csv." in done.stdout


@pytest.mark.parametrize(
    ("name", "tidied"),
    {
        "war.py": "war.py",
        "War.Py.TXT": "War.py",
        "war - Copy (2).py": "war.py",
        "war copy.py": "war.py",
        "proj09.py": "proj09.py",
        "week-10-final.py": "week-10-final.py",
        "-1.py": "-1.py",
        "hw1_ana_attempt_2026-11-28-10-22-33_war.py": "war.py",
    }.items(),
)
def test_tidy_name_is_the_students_own(name: str, tidied: str) -> None:
    assert tidy_name(name)[0] == tidied


def test_student_is_named_in_front() -> None:
    assert student_name("Ana Rivera_77_assignsubmission_file_war.py") == ("Ana Rivera", "war.py")
    assert student_name("my_11_game.py") == ("", "my_11_game.py")


def test_coding_line_is_kept_true() -> None:
    """The copy and its coding line use UTF-8, and lines keep their numbers."""
    text, unusual = decoded("#!/usr/bin/python\n# -*- coding: cp1252 -*-\nx = '€'".encode("cp1252"))
    assert (text.split("\n"), unusual) == (
        ["#!/usr/bin/python", "# -*- coding: utf-8 -*-", "x = '€'"],
        "",
    )


def test_unused_files_are_named_with_the_reason(tmp_path: Path) -> None:
    for name in ("war.py", "war.docx", "all.zip", ".DS_Store", "Thumbs.db", "tests/old.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert read_folder(tmp_path, ["war.py"]).notes == [
        "all.zip was not used: there are Python files next to it.",
        "tests/old.py was not used: it is not in the folder with most of the files.",
        "war.docx was not used: it is no Python file.",
    ]


def test_invalid_notebook_is_named(tmp_path: Path) -> None:
    (tmp_path / "war.ipynb").write_bytes(codecs.BOM_UTF8 + b"print('War')")
    report = grading()("war", tmp_path, {"S3-1"})
    assert report.notes == ("war.ipynb was not used: it is no notebook that Jupyter could open.",)
