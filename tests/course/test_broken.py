"""Programs that hang, crash, print too much or do not exist are graded within the limits."""

import re
from pathlib import Path

import psutil
import pytest

from course.grading.requirements import gradable
from course.grading.runner import Limits
from course.grading.sheets import SHEETS
from tests.course.support import Grade, command, copy_of, grading, lost, unmet
from tests.support.machines import wait_until

CARDS, TABLE, GAME = "playingCards.py", "simple21.py", "assignment2.py"
OF_CARDS = {"S0-16", "S0-28"}
OF_THE_TABLE = {"S0-50"}
OF_THE_GAME = {"S0-65"}
SOME = OF_CARDS | OF_THE_TABLE | OF_THE_GAME
"""One or two requirements per file."""

AT_THE_END = {
    "endless loop": (CARDS, "while True: pass", SOME, "did not end within"),
    "sys.exit": (
        TABLE,
        "import sys; sys.exit(3)",
        OF_THE_TABLE | OF_THE_GAME,
        r"exit\(3\)|asked for 0",
    ),
    "os._exit": (TABLE, "import os; os._exit(5)", OF_THE_TABLE | OF_THE_GAME, "with code 5"),
    "crash": (CARDS, "import ctypes; ctypes.string_at(0)", SOME, "Segmentation fault"),
    "huge memory": (TABLE, "x = [0] * 10**10", OF_THE_TABLE | OF_THE_GAME, "more memory"),
    "recursion": (TABLE, "def f(): f()\nf()", OF_THE_TABLE | OF_THE_GAME, "RecursionError"),
    "syntax error": (CARDS, "def (", SOME, "SyntaxError: invalid syntax in playingCards.py"),
    "input at import": (CARDS, "input('Go? ')", SOME, "another line|ame of file"),
    "a huge file": (CARDS, "open('x', 'wb').write(bytes(10**8))", SOME, "File too large"),
    "killed": (CARDS, "import os; os.kill(os.getpid(), 15)", SOME, "Terminated"),
}
"""Edits of a valid file: the file, the code appended to it, the lost requirements, and a pattern
for the message.
"""

INSTEAD = {
    "input without end": (
        "while True:\n    try:\n        input('? ')\n    except BaseException:\n        pass\n",
        "asked again and again",
    ),
    "a gigabyte of output": ("while True:\n    print('x' * 10**6)\n", "more than 200,000"),
    "output past Python": (
        "import os\nwhile True:\n    os.write(1, b'x' * 10**6)\n",
        "did not end",
    ),
    "nothing": ("", "it asked for 0"),
    "an exception of its own": (
        "class Odd(BaseException):\n    pass\nraise Odd('odd')\n",
        "it ended with: Odd('odd')",
    ),
    "no text": ("\0\0\0", "null bytes"),
}
"""Contents that replace assignment2.py, and the message that each causes."""


@pytest.fixture(scope="module")
def grade() -> Grade:
    return grading()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return copy_of(SHEETS["simple-21"], tmp_path / "files")


@pytest.mark.parametrize(("file", "code", "fails", "said"), AT_THE_END.values(), ids=AT_THE_END)
def test_broken_file(
    grade: Grade, files: Path, file: str, code: str, fails: set[str], said: str
) -> None:
    """Requirements that need the missing file earn no points; the reason is reported.

    The other requirements are graded as usual.
    """
    (files / file).write_text(f"{(files / file).read_text()}\n{code}\n")
    report = grade("simple-21", files, SOME)
    assert {*unmet(report)} == fails
    assert report.points == report.worth - len(fails)
    assert len(report.results) == len(SOME)
    for result in report.results:
        if not result.passed:
            assert re.search(said, f"{result.outcome.problem} {result.outcome.got}"), result


@pytest.mark.parametrize(("program", "said"), INSTEAD.values(), ids=INSTEAD)
def test_broken_program(grade: Grade, files: Path, program: str, said: str) -> None:
    """A broken program loses no points for the classes in other files."""
    (files / GAME).write_text(program)
    report = grade("simple-21", files, SOME)
    assert {*unmet(report)} == OF_THE_GAME
    for result in report.results:
        if not result.passed:
            assert said in f"{result.outcome.problem} {result.outcome.got}", result


def test_missing_file(grade: Grade, files: Path) -> None:
    (files / TABLE).unlink()
    report = grade("simple-21", files, SOME)
    assert {*unmet(report)} == OF_THE_TABLE | OF_THE_GAME
    (result,) = [each for each in report.results if each.requirement.id == "S0-50"]
    assert (result.outcome.expected, result.outcome.got) == (
        "a file simple21.py",
        "there is no such file",
    )


def test_an_empty_folder(grade: Grade, tmp_path: Path) -> None:
    for slug in SHEETS:
        some = {requirement.id for requirement in gradable(slug)[::12]}
        report = grade(slug, tmp_path, some)
        assert (report.points, report.worth) == (0, len(some))


DEEP = 10**5
SOURCES = {
    "null bytes": "\0\0",
    "signs": f"x = {'-' * DEEP}1",
    "attributes": f"x = a{'.b' * DEEP}",
    "a sum": f"x = {'+'.join(['1'] * DEEP)}",
}


def test_unparsable_sources(tmp_path: Path) -> None:
    """A student with such files gets no points, and the other students are still graded."""
    for name, source in SOURCES.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "war.py").write_text(source)
    copy_of(SHEETS["war"], tmp_path / "class" / "good")
    table = tmp_path / "points.csv"
    done = command("course.grade", "war", tmp_path / "class", "--all", "--csv", table,
                   "--only", "S3-6,S3-13,S3-30")  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "." * 5 + "\n")
    points = dict(line.split(",")[:2] for line in table.read_text().splitlines()[1:])
    assert points == dict.fromkeys(SOURCES, "0") | {"good": "3"}


def test_waiting_program(files: Path) -> None:
    """The wall-clock limit ends programs that use no processor time or never stop."""
    (files / GAME).write_text("import time\ntime.sleep(1000)\n")
    limits = Limits(seconds=1, wall=0.5, megabytes=256, budget=60)
    grade = grading(limits)
    report = grade("simple-21", files, {f"S0-{number}" for number in range(64, 75)})
    assert len(lost(report)) == 11
    said = [result.outcome.problem or result.outcome.got for result in report.results]
    assert said.count("it did not end within 0.5 seconds") == 4
    assert said.count("python assignment2.py: not run again, 4 checks did not end") == 7


def test_the_time_for_one_student_is_limited(files: Path) -> None:
    (files / CARDS).write_text("import time\ntime.sleep(1000)\n")
    limits = Limits(seconds=1, wall=1, megabytes=256, budget=0)
    grade = grading(limits)
    report = grade("simple-21", files)
    assert report.points == 0
    assert {result.outcome.problem for result in report.results} == {
        "not run: the 0 seconds for these files were over"
    }


def test_child_processes_end_with_their_program(grade: Grade, files: Path) -> None:
    mark = f"mark-{files.parent.name}"
    (files / GAME).write_text(
        "import subprocess, sys\n"
        f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', '{mark}'])\n"
    )
    grade("simple-21", files, OF_THE_GAME)

    def nobody_is_left() -> bool:
        commands = (process.info["cmdline"] for process in psutil.process_iter(["cmdline"]))
        return not any(mark in " ".join(command or []) for command in commands)

    wait_until(nobody_is_left, within=60)


def test_nothing_is_left_in_the_temporary_folder(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The output of a program that was killed is also ignored."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    (files / GAME).write_text(
        "open('mine.txt', 'w').write('x')\nimport os\nos.kill(os.getpid(), 9)\n"
    )
    grade = grading()
    grade("simple-21", files, {"S0-65"})
    assert [*scratch.iterdir()] == []


@pytest.mark.slow
def test_without_fork(files: Path) -> None:
    """On a system that cannot fork, each check has a new interpreter with the same limits."""
    limits = Limits(seconds=2, wall=30, megabytes=256, budget=60)
    grade = grading(limits, can_fork=False)
    assert lost(grade("simple-21", files, {"S0-16", "S0-70"})) == []
    (files / CARDS).write_text("while True: pass\n")
    (result,) = grade("simple-21", files, {"S0-16"}).results
    assert result.outcome.problem == "it did not end within 2 seconds of processor time"
    (files / CARDS).write_text("import os; os._exit(4)\n")
    (result,) = grade("simple-21", files, {"S0-16"}).results
    assert result.outcome.problem == "it ended the process with code 4"
