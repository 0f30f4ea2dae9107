"""Files that attack the grader get no undeserved point, and all other files are graded.

A class of such files is graded from the command line, with and without bubblewrap.
"""

import csv
import os
import shutil
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import pytest

from course.grading.runner import has_bubblewrap
from course.grading.sheets import SHEETS
from tests.course.support import copy_of, run
from tests.support.amounts import few_or_all
from tests.support.machines import wait_until

SOLUTION = SHEETS["simple-21"].solution
ASKED = [f"S0-{number}" for number in (1, 16, 17, 18, 20, 23, 28, 33, 50)]
FEW = ASKED[:3]
"""The graded requirements for attacks that use up each requirement's time limit."""

WRONG = """
class EmptyDeckException(Exception):
    pass

class Card:
    def __init__(self, code, face):
        self.code = code
    def getRank(self):
        return 1
    def getSuit(self):
        return 1
    def getValue(self):
        return "2"
    def isFaceUp(self):
        return 1
    def turnOver(self):
        return 1

class Deck:
    def __init__(self):
        self.name = input()
    def deal(self):
        return None
    def repopulate(self, cards):
        return 1
"""
"""A playingCards.py in which almost nothing is correct, and to which an attack is appended."""

YES = '{"passed": true, "problem": "", "called": [], "expected": "", "got": "", "notes": [], '
YES += '"transcript": [], "value": true, "events": [], "is_kind": true, "error": ""}'
ANCESTORS = """
import os
def ancestors():
    found, pid = [], os.getppid()
    while pid > 1 and len(found) < 2:
        found.append(pid)
        pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
    return found
"""

QUICK = {
    "forged-on-every-file": f"""
import os
for file in range(3, 64):
    try:
        os.write(file, ({YES!r} + "\\n").encode() * 9)
    except OSError:
        pass
""",
    "forged-from-the-parents-files": f"""{ANCESTORS}
for pid in ancestors():
    try:
        for file in os.listdir(f"/proc/{{pid}}/fd"):
            if os.readlink(f"/proc/{{pid}}/fd/{{file}}").startswith("pipe:"):
                out = os.open(f"/proc/{{pid}}/fd/{{file}}", os.O_WRONLY | os.O_NONBLOCK)
                os.write(out, ({YES!r} + "\\n").encode() * 9)
    except OSError:
        pass
""",
    "forged-by-patching-what-is-loaded": """
import builtins, sys
for name, module in list(sys.modules.items()):
    if name.startswith("course") or name == "__main__":
        for key, value in list(vars(module).items()):
            if isinstance(value, type):
                for method in ("ask", "run", "read", "show"):
                    if hasattr(value, method):
                        setattr(value, method, lambda *a, **k: {"value": True, "is_kind": True,
                                                                "error": "x", "events": []})
            elif callable(value):
                setattr(module, key, lambda *a, **k: True)
""",
    "forged-by-taking-the-socket-over": f"""
import gc, io, os
for thing in gc.get_objects():
    if type(thing) is io.BufferedRWPair or type(thing) is io.BufferedWriter:
        try:
            thing.write(({YES!r} + "\\n").encode() * 999)
            thing.flush()
        except Exception:
            pass
import time
time.sleep(0.5)
os._exit(0)
""",
    "forged-by-a-json-that-says-yes": f"""
import json
json.dumps = lambda *a, **k: {YES!r}
""",
    "forged-by-frames": """
import sys
frame = sys._getframe()
while frame:
    for value in list(frame.f_locals.values()):
        for name, new in (("passed", True), ("_expected", None), ("names", {})):
            try:
                setattr(value, name, new)
            except Exception:
                pass
    frame = frame.f_back
""",
    "exits": "import os; os._exit(0)",
    "at-exit": f"import atexit, os; atexit.register(os.write, 1, {YES!r}.encode()); exit()",
    "kills-its-parent": "import os; os.kill(os.getppid(), 9)",
    "daemon": """
import os, subprocess, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(60)", "{mark}"])
    os._exit(0)
""",
    "reads-the-solution": f"exec(open({str(SOLUTION / 'playingCards.py')!r}).read())",
    "reads-another": "exec(open({good!r} + '/playingCards.py').read())",
}
"""Attacks that end quickly. ``{good}`` is replaced by another student's folder."""

READERS = {"reads-the-solution", "reads-another"}
"""Attacks that only bubblewrap prevents."""

LONG = {
    "endless": "while True: pass",
    "sleeps": "import time; time.sleep(1000)",
    "forks": """
import os, time
for _ in range(7):
    try:
        os.fork()
    except OSError:
        pass
time.sleep(60)
""",
    "memory": "x = []\nwhile True: x.append(bytearray(10**7))",
    "floods": "while True: print('x' * 10**6)",
    "floods-past-python": "import os\nwhile True: os.write(1, b'x' * 10**6)",
    "floods-the-grader": "import os\nwhile True:\n    for f in range(3, 20):\n        try:\n"
    "            os.write(f, b'[' * 10**6)\n        except OSError:\n            pass",
    "stops-itself": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    "stops-its-parent": "import os, signal; os.kill(os.getppid(), signal.SIGSTOP)",
    "ignores": "import signal\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n"
    "    except Exception: pass\nwhile True: pass",
}


def other_files(folder: Path) -> None:
    """Write attacks other than code in playingCards.py."""
    shutil.rmtree(folder / "linked", ignore_errors=True)
    copy_of(SHEETS["simple-21"], folder / "linked")
    (folder / "linked" / "playingCards.py").unlink()
    (folder / "linked" / "playingCards.py").symlink_to(SOLUTION / "playingCards.py")
    (folder / "linked-folder").mkdir()
    (folder / "linked-folder" / "inside").symlink_to(SOLUTION)
    (folder / "linked-whole").symlink_to(folder / "good")
    (folder / "zipped").mkdir()
    with zipfile.ZipFile(folder / "zipped" / "work.zip", "w") as archive:
        archive.write(SOLUTION / "playingCards.py", "playingCards.py")
        archive.writestr("../good/playingCards.py", WRONG)
    wrong = copy_of(SHEETS["simple-21"], folder / "own-random")
    (wrong / "playingCards.py").write_text(WRONG)
    (wrong / "random.py").write_text("raise SystemExit\n")
    (wrong / "json.py").write_text("dumps = loads = lambda *a, **k: {'value': True}\n")


def a_class(folder: Path, attacks: dict[str, str]) -> Path:
    """Write the submissions of a class: a correct one, a wrong one, and the attacks."""
    good = copy_of(SHEETS["simple-21"], folder / "good")
    for name, attack in {"wrong": "", **attacks}.items():
        files = copy_of(SHEETS["simple-21"], folder / name)
        text = attack.replace("{good!r}", repr(str(good))).replace("{mark}", f"mark-{folder.name}")
        (files / "playingCards.py").write_text(f"{WRONG}\n{text}\n")
    return folder


Rows = dict[str, dict[str, str]]


def graded(folder: Path, only: list[str], *, boxed: bool) -> tuple[Rows, str]:
    """Grade a class from the command line.

    Return the rows, keyed by student, and the output.
    """
    table = folder.with_suffix(".csv")
    command = ["simple-21", folder, "--all", "--csv", table, "--time", "1", "--jobs", "2"]
    variables = {**os.environ, **({} if boxed else {"PATH": "/nowhere"})}
    grade = [sys.executable, "-m", "course.grade", *command, "--only", ",".join(only)]
    done = run(*grade, env=variables)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("bubblewrap is not here") is not boxed
    with table.open(newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}, done.stdout


def expect_deserved(rows: Rows, folder: Path, only: list[str], *, open_to_readers: bool) -> None:
    """Fail unless every submission has a row and no attack beats the wrong submission."""
    assert {*rows} == {path.name for path in folder.iterdir()}
    assert rows["good"]["points"] == rows["good"]["of"]
    deserved = rows["wrong"]
    assert float(deserved["points"]) < 6
    for name, row in rows.items():
        if name != "good" and not (open_to_readers and name in READERS):
            more = [asked for asked in only if float(row[asked]) > float(deserved[asked])]
            assert more == [], name


BOXES = [
    pytest.param(
        True, id="bubblewrap", marks=pytest.mark.skipif(not has_bubblewrap(), reason="no bwrap")
    ),
    pytest.param(False, id="none", marks=pytest.mark.slow),
]


def daemons(mark: str) -> list[str]:
    commands = (process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"]))
    return [" ".join(command) for command in commands if mark in command]


@pytest.mark.skipif(not shutil.which("bwrap"), reason="no bwrap")
def test_python_is_found_in_the_box_wherever_it_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    with TemporaryDirectory(dir="/tmp") as folder:  # the sandbox has a separate /tmp
        python = Path(folder, "python")
        python.symlink_to(Path(sys.executable).resolve())
        before = has_bubblewrap.__wrapped__()
        monkeypatch.setattr(sys, "executable", str(python))
        monkeypatch.setattr(sys, "prefix", folder)
        assert has_bubblewrap.__wrapped__() == before


@few_or_all("only", ASKED[::2], ASKED)
@pytest.mark.parametrize("boxed", BOXES)
def test_attacks_win_nothing(tmp_path: Path, only: list[str], boxed: bool) -> None:
    folder = a_class(tmp_path / f"class-{os.getpid()}-{boxed}", QUICK)
    other_files(folder)
    rows, said = graded(folder, only, boxed=boxed)
    expect_deserved(rows, folder, only, open_to_readers=not boxed)
    assert "playingCards.py was refused: it is a link to a file outside of the folder." in said
    assert "This folder was refused: it is a link to another one." in said
    assert "work.zip was refused: it has a file that would lie outside of its folder." in said
    assert (folder / "good" / "playingCards.py").read_text() != WRONG
    mark = f"mark-{folder.name}"
    if boxed:
        wait_until(lambda: not daemons(mark), within=60)
    for process in psutil.process_iter(["cmdline"]):
        if mark in (process.info["cmdline"] or []):
            process.kill()


@pytest.mark.slow
def test_slow_submission_costs_the_others_nothing(tmp_path: Path) -> None:
    folder, boxed = a_class(tmp_path / "class", LONG), has_bubblewrap()
    rows, _ = graded(folder, FEW, boxed=boxed)
    expect_deserved(rows, folder, FEW, open_to_readers=not boxed)
