"""``make wheel``: the rules, the sheets and the grader as a package without dependencies."""

import re
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from course.grading.requirements import gradable
from tests.course.support import ROOT, Done, run
from tests.support.machines import built_wheel
from tests.support.serving import Server


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package that ``make wheel`` built in another folder without a network."""
    return built_wheel(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run_unpacked(folder: Path, *arguments: str) -> Done:
    """Run a module of the unpacked wheel, with only Python itself on the import path."""
    start = (
        f"import runpy, sys; sys.path.insert(0, {str(folder)!r}); sys.argv = {[*arguments]!r};"
        f"runpy.run_module({arguments[0]!r}, run_name='__main__', alter_sys=True)"
    )
    bare = [sys.executable, "-I", "-S", "-W", "error", "-c", start]
    return run(*bare, cwd=folder.parent)


def test_wheel_contents(wheel: Path) -> None:
    """The wheel contains the package and its requirements, but no site, tests or local data."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata, licence = (
            archive.read(next(name for name in names if name.endswith(end))).decode()
            for end in ("METADATA", "licenses/LICENSE")
        )
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"cardgames", "course"}
    for part in ("grading", "handouts", "sheets/war/solution", "sheets/war/checks"):
        assert any(name.startswith(f"course/{part}/") for name in names)
    assert not [name for name in names if name.endswith((".pyc", ".ipynb"))]
    needed = [line for line in metadata.splitlines() if line.startswith("Requires-Dist: ")]
    assert needed
    assert all("; extra == " in line for line in needed)
    assert "\nLicense: MIT\n" in metadata
    assert "\nAuthor: the Cardgames developers\n" in metadata
    assert metadata.endswith((ROOT / "README.md").read_text())
    assert licence == (ROOT / "LICENSE").read_text()


def test_the_rules_are_there(unpacked: Path) -> None:
    """The tables, the odds and the list of programs require no other package."""
    assert "python -m cardgames.tournament " in run_unpacked(unpacked, "cardgames").stdout
    listed = run_unpacked(unpacked, "course").stdout
    assert "python -m course.grade " in listed
    assert "python -m course.run war " in listed


def test_the_commands_work(unpacked: Path, tmp_path: Path) -> None:
    """Export, grading and the autograder need only the wheel."""
    out = tmp_path / "war"
    done = run_unpacked(unpacked, "course.export", "war", str(out))
    assert done.stdout.startswith(f"Wrote 1 files to {out}. They are the solution")
    assert done.stderr == ""
    done = run_unpacked(unpacked, "course.grade", "war", str(out), "--brief")
    number = len(gradable("war"))
    assert f"{number} of {number} points" in done.stdout, done.stderr
    archive = tmp_path / "upload.zip"
    assert (
        run_unpacked(unpacked, "course.grade", "war", "--autograder", str(archive)).returncode == 0
    )
    with zipfile.ZipFile(archive) as file:
        assert "course/sheets/war/requirements.md" in file.namelist()


def test_a_sheet_is_made_and_checked(unpacked: Path, tmp_path: Path) -> None:
    """The wheel contains complete sheets, but their tables in the browser require the project."""
    for name in ("sheet.toml", "mistakes.toml", "driver.py", "solution/war.py", "checks/games.py"):
        assert (unpacked / "course" / "sheets" / "war" / name).is_file()
    done = run_unpacked(unpacked, "course.sheet", "new", str(tmp_path / "whist"))
    assert (done.stdout, done.stderr) == (
        f"Wrote 7 files to {tmp_path / 'whist'}: the example of the guide, High card.\n",
        "",
    )
    shutil.copy(ROOT / "course/sheets/war/driver.py", tmp_path / "whist")
    done = run_unpacked(unpacked, "course.sheet", "check", str(tmp_path / "whist"))
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "The table was not tried: that needs the whole project.",
        "Whist is sound: 6 requirements, 2 mistakes.",
    ]


@pytest.fixture
def served(wheel: Path, tmp_path: Path) -> Iterator[Server]:
    """The site of this checkout, with the wheel in the folder used by ``make wheel``."""
    site, data = tmp_path / "site", tmp_path / "data"
    (site / "dist").mkdir(parents=True)
    data.mkdir()
    shutil.copy(ROOT / "app.py", site)  # not linked: Python resolves links to programs
    for name in ("cardgames", "course", "web", "migrations", "templates", "translations", "static"):
        (site / name).symlink_to(ROOT / name)
    shutil.copy(wheel, site / "dist")
    with Server(data, root=site) as server:
        yield server


@pytest.mark.slow
def test_pip_installs_it_from_the_server_without_dependencies(
    served: Server, tmp_path: Path
) -> None:
    """The command on the page installs the wheel into a new environment without a package index."""
    with urlopen(f"http://127.0.0.1:{served.port}/sheets", timeout=30) as page:
        (line,) = re.findall(r"<code>python -m (pip install .+)</code>", page.read().decode())
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", *line.split(), "--quiet", "--no-index"], check=True, timeout=300)
    shown = run(python, "-m", "pip", "list", "--format", "freeze").stdout
    installed = {line.partition("==")[0] for line in shown.splitlines()}
    assert installed - {"pip", "setuptools", "wheel"} == {"cardgames-course"}
    out = tmp_path / "bingo"
    for command in (["export", "bingo", str(out)], ["grade", "bingo", str(out), "--brief"]):
        done = run(python, "-m", f"course.{command[0]}", *command[1:], cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
    assert "68 of 68 points" in done.stdout
