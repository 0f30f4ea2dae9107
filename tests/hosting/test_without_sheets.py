"""The site runs without the sheets' folder, and the rules run without the course kit."""

import shutil
from pathlib import Path

import pytest

from course.grading.sheets import SHEETS
from tests.support.commands import ROOT, python

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
for path in ("/", "/bingo/transcript", "/sheets"):
    assert client.get(path).status_code == 200
assert not [name for name in sys.modules if name.startswith("course.sheets")]
print(Path(sys.modules["cardgames"].__file__).parent)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A served copy of the project in which the sheets' folder is missing."""
    folder = tmp_path_factory.mktemp("copy") / "project"
    folder.mkdir()
    shutil.copy(ROOT / "app.py", folder)  # not linked: Python resolves links to programs
    for part in ("cardgames", "web", "migrations", "templates", "translations", "static"):
        (folder / part).symlink_to(ROOT / part)
    shutil.copytree(ROOT / "course", folder / "course", ignore=shutil.ignore_patterns("sheets"))
    return folder


def run(folder: Path, *arguments: str) -> str:
    done = python("-B", *arguments, cwd=folder, PYTHONPATH="")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_table_can_be_played(copy: Path, tmp_path: Path) -> None:
    assert run(copy, "-c", PLAY, str(tmp_path / "data")) == f"{copy / 'cardgames'}\n"


COMMANDS = {
    "cardgames": ["tournament"],
    "course": ["grade", "export", "sheet"],
}


def listed(folder: Path, package: str) -> list[str]:
    return [line.split()[2] for line in run(folder, "-m", package).splitlines()]


@pytest.mark.parametrize("command", ["grade war .", "export war there"])
def test_commands_of_the_sheets_report_their_absence(copy: Path, command: str) -> None:
    name, *arguments = command.split()
    done = python("-B", "-m", f"course.{name}", *arguments, cwd=copy, PYTHONPATH="")
    assert (done.returncode, done.stdout) == (2, "")
    assert "(course/sheets) are not here" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("package", COMMANDS)
def test_the_list_of_programs(package: str) -> None:
    """Each line of the help can be run, with and without the course kit."""
    lines = run(ROOT, "-m", package).splitlines()
    programs = [f"course.run {slug}" for slug in SHEETS] if package == "course" else []
    modules = [*(f"{package}.{name}" for name in COMMANDS[package]), *programs]
    assert len(lines) == len(modules)
    for line, module in zip(lines, modules, strict=True):
        assert line.startswith(f"python -m {module} ")
        assert 5 < len(line.partition(module)[2].strip()) < 60
        path = ROOT / module.split()[0].replace(".", "/")
        source = (path / "__main__.py" if path.is_dir() else path.with_suffix(".py")).read_text()
        assert 'if __name__ == "__main__":' in source


def test_the_rules_run_without_the_course_kit(copy: Path) -> None:
    # This URL is redirected permanently; the other links were checked before.
    shutil.rmtree(copy / "course")
    assert listed(copy, "cardgames") == [f"cardgames.{name}" for name in COMMANDS["cardgames"]]
    for name in COMMANDS["cardgames"]:
        assert run(copy, "-m", f"cardgames.{name}", "--help").startswith("usage: ")
