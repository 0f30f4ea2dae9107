"""The guide to adding a game. A program follows the guide in a fresh clone.

Every test registers two games without a template (``tests/support/games.py``).
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import ROOT, python

GUIDE = ROOT / "docs" / "a-sixth-game.md"
SLUG = "keep-or-swap"
MIN_TESTS = 45
"""Minimum number of passing tests. If fewer pass, most tests no longer take their games from the
registry.
"""

_block = re.compile(r"```(\w+) (\S+)\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the tracked files after all steps of the guide."""
    folder = tmp_path_factory.mktemp("clone") / "cardgames"
    subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, folder], check=True)
    changed = subprocess.check_output(["git", "diff", "--binary", "HEAD"], cwd=ROOT)
    if changed:
        subprocess.run(["git", "apply"], input=changed, cwd=folder, check=True)
    shutil.copy(GUIDE.parent / "examples" / "keep_or_swap.py", folder / "cardgames" / "games")
    for _, path, text in _block.findall(GUIDE.read_text()):
        if path == "cardgames/__init__.py":
            _register(folder / path, text)
        elif path.endswith(".po"):
            _translate(folder, path, text)
        else:
            (folder / path).write_text(text)
    return folder


def _register(registry: Path, text: str) -> None:
    """Add the guide's import and the guide's line to the registry, as a student would."""
    imported, line = text.split("\n\n")
    source = registry.read_text()
    end = '\n)\n"""All playable games'
    assert source.count(end) == 1
    source = source.replace(end, f"\n{line.rstrip()}{end}")
    first = "from cardgames.games.bingo import Bingo\n"
    registry.write_text(source.replace(first, f"{first}{imported}\n"))


def _translate(folder: Path, path: str, text: str) -> None:
    """Run ``make words`` before and after adding the guide's German texts."""
    words = ("make", "-o", f"{sys.prefix}/.ready-dev", f"VENV={sys.prefix}", "words")
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    catalogue = (folder / path).read_text()
    for entry in text.strip().split("\n\n"):
        if f"\n{entry}\n" in catalogue:
            continue  # The site's page must also name the game.
        english = entry.partition("\n")[0]
        assert catalogue.count(f'{english}\nmsgstr ""\n\n') == 1, english
        catalogue = catalogue.replace(f'{english}\nmsgstr ""\n', f"{entry}\n")
    (folder / path).write_text(catalogue)
    subprocess.run(words, cwd=folder, check=True, capture_output=True)


def run(clone: Path, *command: str) -> str:
    """Run a Python program in the clone, and return the output."""
    ended = python(*command, cwd=clone, PYTHONPATH=str(clone))
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-2000:]
    return ended.stdout


@pytest.mark.slow
def test_the_guide_plays_as_it_says(clone: Path) -> None:
    code = "import doctest, sys; sys.exit(doctest.testfile(sys.argv[1], False)[0])"
    run(clone, "-c", code, str(clone / "docs" / "a-sixth-game.md"))


@pytest.mark.slow
def test_every_test_about_all_games_passes_with_it(clone: Path) -> None:
    """These tests take their games from the registry, so their IDs contain the new slug."""
    folders = ("tests/core", "tests/web")
    printed = run(clone, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", SLUG, *folders)
    passed = re.search(r"(\d+) passed", printed)
    assert passed, printed[-500:]
    assert int(passed[1]) >= MIN_TESTS
