"""The site and the core run with the sheets' folder deleted."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PLAY = """
import sys
from pathlib import Path
from app import create_app
from cardgames import GAMES
from web.settings import Settings

client = create_app(Settings(data_dir=Path(sys.argv[1]))).test_client()
moves = {
    "simple-21": {},
    "blackjack": {},
    "one-deck": {},
    "war": {"players": "2"},
    "bingo": {"mode": "L", "speed": "N"},
}
assert moves.keys() == GAMES.keys()
for slug, fields in moves.items():
    assert client.post(f"/{slug}", data={"move": "deal", "step": "0", **fields}).status_code == 303
    assert client.get(f"/{slug}").status_code == 200
assert client.get("/").status_code == client.get("/bingo/transcript").status_code == 200
assert not [name for name in sys.modules if "assignments" in name]
print(Path(sys.modules["cardgames"].__file__).parent)
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project as it is served, without the sheets' folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    shutil.copy(ROOT / "app.py", folder)
    ignored = shutil.ignore_patterns("__pycache__", "assignments")
    for part in ("cardgames", "web", "templates", "translations", "static"):
        shutil.copytree(ROOT / part, folder / part, ignore=ignored)
    assert not list(folder.rglob("*assignments*"))
    return folder


def ended(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def run(folder: Path, *arguments: str) -> str:
    done = ended(folder, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_table_can_be_played(copy: Path, tmp_path: Path) -> None:
    assert run(copy, "-c", PLAY, str(tmp_path / "data")) == f"{copy / 'cardgames'}\n"


def test_the_list_of_programs_has_only_what_is_there(copy: Path) -> None:
    listed = run(copy, "-m", "cardgames")
    assert [line.split()[2] for line in listed.splitlines()] == [
        "cardgames.grade",
        "cardgames.check",
        "cardgames.export",
        "cardgames.lab",
        "cardgames.verify",
        "cardgames.chart",
        "cardgames.tournament",
        "cardgames.play",
    ]


@pytest.mark.parametrize("command", ["grade war .", "check war app.py", "export war there"])
def test_the_commands_of_the_sheets_say_that_they_are_gone(copy: Path, command: str) -> None:
    name, *arguments = command.split()
    done = ended(copy, "-m", f"cardgames.{name}", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "(cardgames/assignments) are not here" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_list_of_programs() -> None:
    """A line each: five sheets, what is made of them, lab, history, strategies. All can be run."""
    lines = run(ROOT, "-m", "cardgames").splitlines()
    modules = [line.split()[2] for line in lines]
    assert modules == [
        "cardgames.assignments.simple21.assignment2",
        "cardgames.assignments.blackjack.blackjack",
        "cardgames.assignments.one_deck.proj09",
        "cardgames.assignments.war.war",
        "cardgames.assignments.bingo.bingo",
        "cardgames.assignments.blackjack.simplegui",
        "cardgames.grade",
        "cardgames.check",
        "cardgames.export",
        "cardgames.lab",
        "cardgames.verify",
        "cardgames.chart",
        "cardgames.tournament",
        "cardgames.play",
    ]
    for line, module in zip(lines, modules, strict=True):
        assert line.startswith(f"python -m {module} ")
        assert 5 < len(line.partition(module)[2].strip()) < 60
        source = (ROOT / f"{module.replace('.', '/')}.py").read_text()
        assert 'if __name__ == "__main__":' in source
