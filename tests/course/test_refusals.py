"""If a command of the course kit cannot do its work, it reports one message and changes nothing."""

from pathlib import Path

import pytest

from tests.course.support import command

WORD = "student,requirement,points,reason"
FILES = {
    "no-toml": "points = [",
    "key": "point = 3",
    "other-sheet": '[points]\n"S0-1" = 2',
    "ungraded": '[visibility]\n"A3-1" = "hidden"',
    "words": '[points]\n"S3-1" = "two"',
    "negative": "default_points = -1",
    "true": "default_points = true",
    "visibility": 'default_visibility = "secret"',
    "no-table": "points = 3",
    "heading.csv": "name,points",
    "number.csv": f"{WORD}\nada,nothing,1,fine",
    "points.csv": f"{WORD}\nada,S3-1,nan,fine",
    "reason.csv": f"{WORD}\nada,S3-1,1,",
    "fields.csv": f"{WORD}\nada,S3-1,1",
}
REFUSED = {
    "grade war": "Which folder?",
    "grade war nowhere": "There is no folder nowhere.",
    "grade war . --only S3": "S3 is no graded requirement",
    "grade one-deck . --only S2-33": "S2-33 is no graded",
    "grade war . --all": "--all needs --csv FILE",
    "grade war . --rubric none.toml": "Cannot read the rubric none.toml",
    "grade war . --rubric no-toml": "Cannot read the rubric",
    "grade war . --rubric key": "it may have default_points, default_visibility",
    "grade war . --rubric other-sheet": "no graded requirement of war",
    "grade war . --rubric ungraded": "no graded requirement of war",
    "grade war . --rubric words": "points are numbers from 0 on",
    "grade war . --rubric negative": "points are numbers from 0 on",
    "grade war . --rubric true": "points are numbers from 0 on",
    "grade war . --rubric visibility": "which must be one of visible, hidden",
    "grade war . --rubric no-table": "a line [points]",
    "grade war . --overrides none.csv": "Cannot read the overrides",
    "grade war . --overrides heading.csv": f"must begin with the line {WORD}",
    "grade war . --overrides number.csv": "line 2: nothing is no graded requirement",
    "grade war . --overrides points.csv": "'nan' are no points",
    "grade war . --overrides reason.csv": "it needs a student, or *, and a reason",
    "grade war . --overrides fields.csv": "it has 3 fields, and not 4",
}
"""The arguments after ``python -m course.``, and the message."""


@pytest.mark.parametrize("line", REFUSED)
def test_refusals_are_a_sentence(tmp_path: Path, line: str) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(f"{text}\n")
    name, *arguments = line.split()
    done = command(f"course.{name}", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert REFUSED[line] in done.stderr
    assert done.stderr.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} == {*FILES}
