"""``python -m course.grade``: its output, and its error messages."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from course.grading import report, roster
from course.grading.sheets import SHEETS
from tests.course.support import (
    ROOT,
    SOLUTIONS,
    command,
    copy_of,
    grading,
    mutated,
    process,
    run,
)
from tests.support.machines import wait_until


@pytest.fixture
def mutant(tmp_path: Path) -> Path:
    return mutated("S0-61", tmp_path / "mary")


def test_help_states_the_reach_of_the_code() -> None:
    done = process("course.grade", "--help")
    assert done.returncode == 0
    assert "Elsewhere it runs as you, with your files and your network." in done.stdout
    for option in ("--json", "--autograder", "--all", "--csv", "--rubric", "--time", "--memory"):
        assert option in done.stdout


def test_a_line_a_requirement(mutant: Path) -> None:
    """The report shows the points, the number and the text of each requirement.

    For a lost requirement, the report also shows the call, the expected and the actual value.
    """
    done = command("course.grade", "simple-21", mutant, "--only", "S0-60,s0-61")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "Simple 21: mary",
        (
            "  0/1  S0-61  `whoWon()` displays `Player wins`, `Dealer wins` or `Tie! No one wins`, "
            "and returns"
        ),
        "              None.",
        *report_of_a_tie(),
        "  1/1  S0-60  `playerNatural()` returns whether the player has exactly 21.",
        "",
        "1 of 2 points",
        "",
        (
            "  S0-78  Not graded: it asks for nothing; the tests that must be there are S0-26, "
            "S0-41 and S0-49."
        ),
    ]


def report_of_a_tie() -> list[str]:
    """Return the last twelve calls in the check for ties, with their results."""

    def of(player: str, dealer: str) -> list[str]:
        return [
            "from playingCards import *",
            "from simple21 import *",
            "table = Table()  # on top of the deck:",
            f"# the player holds {player}, the dealer {dealer}",
            "table.whoWon()",
        ]

    calls = of("9S 9C", "9H 8D") + of("9S 8C", "9H 9D") + of("9S 8C", "9H 8D")
    first, *more = ["...", *calls[-12:]]
    return [
        f"              called    {first}",
        *(f"                        {line}" for line in more),
        "              expected  tie! no one wins",
        "              got       it is a tie",
    ]


def test_brief_shows_the_lost_requirements(mutant: Path) -> None:
    done = command("course.grade", "simple-21", mutant, "--only", "S0-60,S0-61", "--brief")
    numbers = re.findall(r"^ +\d/1  (S0-\d+)", done.stdout, re.MULTILINE)
    assert numbers == ["S0-61"]


def test_accepted_deviations_are_reported() -> None:
    """The student's choice differs from our solution's. The sheet leaves this choice open."""
    ben = SOLUTIONS / "simple-21" / "ben"
    done = command("course.grade", "simple-21", ben, "--brief", "--only", "S0-57,S0-68")
    assert "2 of 2 points" in done.stdout
    accepted = done.stdout.partition("Accepted, though our solution does it otherwise:\n")[2]
    assert "S0-57  Dealer must take card...: as in the sample (A0-1)" in accepted
    assert "S0-68  the round ends at 21 without another question (A0-13)" in accepted


def test_transcripts_side_by_side(tmp_path: Path) -> None:
    """Our output is on the left and the student's output on the right, both with the typed text.

    A bar marks each difference.
    """
    folder = mutated("S0-74", tmp_path / "mary")
    done = command("course.grade", "simple-21", folder, "--only", "S0-74")
    assert re.search(r"the solution +yours\n", done.stdout)
    lines = [line.strip() for line in done.stdout.splitlines()]
    (differing,) = [line for line in lines if " | " in line]
    assert re.fullmatch(r"Tie! No one wins round 1! +\| Tie! No one wins round 0!", differing)
    assert any(re.fullmatch(r"Would you like .* >> s +Would you like .* >> s", x) for x in lines)


def test_transcripts_side_by_side_are_of_the_same_play(tmp_path: Path) -> None:
    """The check plays three games, and a dealer who stands on 16 loses the second game."""
    folder = copy_of(SHEETS["simple-21"], tmp_path / "mary")
    source = (folder / "simple21.py").read_text()
    dealer = "DEALER_STANDS = 17"
    assert dealer in source
    (folder / "simple21.py").write_text(source.replace(dealer, "DEALER_STANDS = 16"))
    printed = command("course.grade", "simple-21", folder, "--only", "S0-13").stdout
    beside = printed.partition("the solution")[2].splitlines()
    assert [line for line in beside if line.count("[ 9H ][ xx ]") == 2], printed


def test_the_files_may_lie_deeper(tmp_path: Path) -> None:
    """The files may be in a subfolder, next to files of the operating system."""
    copy_of(SHEETS["simple-21"], tmp_path / "mary" / "Assignment 2" / "src")
    (tmp_path / "mary" / "__MACOSX").mkdir()
    done = command("course.grade", "simple-21", tmp_path / "mary", "--only", "S0-16")
    assert "The files were found in Assignment 2/src.\n" in done.stdout
    assert "1 of 1 points" in done.stdout


def test_a_whole_class(tmp_path: Path, mutant: Path) -> None:
    """The table has one row per student and one column per requirement.

    No name in the table is evaluated as a formula by a spreadsheet.
    """
    group = tmp_path / "class"
    group.mkdir()
    shutil.copytree(mutant, group / "mary")
    shutil.copytree(SOLUTIONS / "simple-21" / "ben", group / "ben")
    (group / "=SUM(A1)").mkdir()
    (group / ".git").mkdir()
    (group / "names.txt").write_text("no student")
    table = tmp_path / "points.csv"
    done = command(
        "course.grade", "simple-21", group, "--all", "--csv", table, "--jobs", 2,
        "--only", "S0-16,S0-60,S0-61",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == "...\n"
    rows = [*csv.reader(io.StringIO(table.read_text()))]
    assert rows == [
        ["student", "points", "of", "S0-16", "S0-60", "S0-61", "to look at", "decided"],
        ["'=SUM(A1)", "0", "3", "0", "0", "0", "", ""],
        ["ben", "3", "3", "1", "1", "1", "", ""],
        ["mary", "2", "3", "1", "1", "0", "", ""],
    ]


class Screen(io.StringIO):
    """A fake terminal."""

    def isatty(self) -> bool:
        return True


def test_colour_and_progress_on_a_terminal(mutant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The output uses rich if it is written to a terminal."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    grade = grading()
    graded = grade("simple-21", mutant, {"S0-60", "S0-61"})
    screen = Screen()
    report.write(report.report_lines(graded), screen)
    assert "\x1b[32m  1/1  S0-60" in screen.getvalue()
    assert "\x1b[1;31m  0/1  S0-61" in screen.getvalue()
    bar = Screen()
    with roster.progress(2, bar) as advance:
        advance()
        advance()
    assert "2/2" in bar.getvalue()


def test_plain_text_without_rich(mutant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines are the same as with rich, followed by a counter."""
    for module in (report, roster):
        monkeypatch.setattr(module, "find_spec", lambda _: None)
    grade = grading()
    graded = grade("simple-21", mutant, {"S0-60", "S0-61"})
    screen, bar = Screen(), Screen()
    report.write(report.report_lines(graded), screen)
    assert screen.getvalue() == "".join(f"{text}\n" for _, text in report.report_lines(graded))
    with roster.progress(2, bar) as advance:
        advance()
    assert bar.getvalue() == "\rgraded 1 of 2\n"


def test_student_output_cannot_control_the_terminal(tmp_path: Path) -> None:
    """Escape sequences in a transcript are printed as question marks."""
    folder = copy_of(SHEETS["simple-21"], tmp_path / "mary")
    (folder / "assignment2.py").write_text("print('\\x1b[2J\\x1b]0;title\\x07')\ninput()\n")
    done = command("course.grade", "simple-21", folder, "--only", "S0-73")
    assert "\x1b" not in done.stdout
    assert "?[2J" in done.stdout


def test_suits_are_written_as_utf8_on_any_system(tmp_path: Path) -> None:
    """On Windows, output to a file uses a code page without card suits."""
    (tmp_path / "war.py").write_text("print('♠')")
    variables = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    done = run(sys.executable, "-m", "course.grade", "war", tmp_path, env=variables)
    assert (done.returncode, done.stderr) == (0, "")
    assert "♡" in done.stdout


def test_fail_under_is_an_exit_code(tmp_path: Path) -> None:
    """The exit status is 1 if the student, or anyone in the class, has fewer points."""
    copy_of(SHEETS["war"], tmp_path / "class" / "ada")
    (tmp_path / "class" / "ben").mkdir()
    some = ["--only", "S3-13,S3-15"]
    for under, code in (("0", 0), ("2", 0), ("2.5", 1)):
        done = command("course.grade", "war", tmp_path / "class/ada", *some, "--fail-under", under)
        assert done.returncode == code
    table = ["--all", "--csv", tmp_path / "points.csv"]
    for under, code in (("0", 0), ("1", 1)):
        done = command(
            "course.grade", "war", tmp_path / "class", *some, *table, "--fail-under", under
        )
        assert done.returncode == code


WORD = "student,requirement,points,reason\n"


def test_an_instructors_word(mutant: Path, tmp_path: Path) -> None:
    """The report, results.json and the class's table contain the instructor's reason."""
    word = tmp_path / "word.csv"
    word.write_text(f"{WORD}mary,S0-61,0.5,half of it\n*,s0-60,0,not taught\nzoe,S0-60,1,well\n")
    some = ["--only", "S0-60,S0-61", "--overrides", word]
    file = tmp_path / "results.json"
    done = command("course.grade", "simple-21", mutant, *some, "--json", file)
    assert "0.5 of 2 points" in done.stdout
    assert "decided   half of it" in done.stdout
    tests = json.loads(file.read_text())["tests"]
    assert [(test["score"], test["status"]) for test in tests] == [(0, "failed"), (0.5, "passed")]
    assert tests[1]["output"].startswith("decided   half of it")
    table = tmp_path / "points.csv"
    done = command("course.grade", "simple-21", mutant.parent, "--all", "--csv", table, *some)
    rows = [*csv.reader(io.StringIO(table.read_text()))]
    (mary,) = [row for row in rows if row[0] == "mary"]
    assert mary[1:] == ["0.5", "2", "0", "0.5", "", "S0-60: not taught; S0-61: half of it"]
    assert "The overrides name zoe, who has no folder here." in done.stdout


def test_a_class_has_folders_of_any_name(tmp_path: Path) -> None:
    """A folder whose name is not UTF-8 does not stop the grading, and ``_ben`` is graded."""
    folders = tmp_path / "class"
    for name in ("_ben", "m\udcfcller", "ada", "__MACOSX", ".git"):
        copy_of(SHEETS["war"], folders / name)
    table = tmp_path / "points.csv"
    done = process("course.grade", "war", folders, "--all", "--csv", table, "--only", "S3-13")
    assert done.returncode == 0, done.stderr
    names = [line.partition(",")[0] for line in table.read_text().splitlines()]
    assert names == ["student", "_ben", "ada", r"m\xfcller"]


def test_a_killed_grader_leaves_the_lines_of_those_it_has_graded(tmp_path: Path) -> None:
    copy_of(SHEETS["war"], tmp_path / "class" / "ada")
    waits = tmp_path / "class" / "ben"
    waits.mkdir()
    (waits / "war.py").write_text(
        "def f():\n    import time; time.sleep(1000)\nclass A(f()): pass\n"
    )
    table = tmp_path / "points.csv"
    options = ["--all", "--csv", str(table), "--only", "S3-13", "--time", "60", "--jobs", "2"]
    grader = subprocess.Popen(
        [sys.executable, "-m", "course.grade", "war", str(tmp_path / "class"), *options],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: table.exists() and table.read_text().count("\n") == 2, within=60)
    finally:
        grader.kill()
        grader.wait()
    assert table.read_text().splitlines() == [
        "student,points,of,S3-13,to look at,decided",
        "ada,1,1,1,,",
    ]
