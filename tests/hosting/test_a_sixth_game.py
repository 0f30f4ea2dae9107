"""The guide to a game of one's own, followed by a program in a fresh clone.

With the two games of the guide, to the letter; and with two that are not in it (``games/``), which
have no template: one is over with its deal, the other has moves and a next card that lies hidden.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GAMES = Path(__file__).parent / "games"
GUIDE = ROOT / "docs" / "a-sixth-game.md"
_block = re.compile(r"```(\w+) (\S+)\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of what git has, with all that the guide says done in it."""
    folder = tmp_path_factory.mktemp("clone") / "cardgames"
    subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, folder], check=True)
    changed = subprocess.check_output(["git", "diff", "--binary", "HEAD"], cwd=ROOT)
    if changed:
        subprocess.run(["git", "apply"], input=changed, cwd=folder, check=True)
    for _, path, text in _block.findall(GUIDE.read_text()):
        if path == "cardgames/__init__.py":
            _register(folder / path, text)
        elif path.endswith(".po"):
            _translate(folder, path, text)
        else:
            (folder / path).write_text(text)
    return folder


@pytest.fixture(scope="module")
def clone_of_others(clone: Path) -> Path:
    """Return the same copy with two games more."""
    for name, kind in (("three_cards", "ThreeCards"), ("red_or_black", "RedOrBlack")):
        (clone / "cardgames" / "games" / f"{name}.py").write_text(
            (GAMES / f"{name}.py").read_text()
        )
        text = f"from cardgames.games.{name} import {kind}\n\n    {kind}(),\n"
        _register(clone / "cardgames" / "__init__.py", text)
    _translate(clone, "translations/de/LC_MESSAGES/cardgames.po", (GAMES / "words.po").read_text())
    return clone


def _register(registry: Path, text: str) -> None:
    """Put the guide's import and its line into the registry, as a student would."""
    imported, line = text.split("\n\n")
    source = registry.read_text()
    end = '\n)\n"""Every game'
    assert source.count(end) == 1
    source = source.replace(end, f"\n{line.rstrip()}{end}")
    first = "from cardgames.games.bingo import Bingo\n"
    registry.write_text(source.replace(first, f"{first}{imported}\n"))


def _translate(folder: Path, path: str, text: str) -> None:
    """Run ``make words``, write the guide's German into the catalogue, and run it again."""
    words = ("make", "-o", f"{sys.prefix}/.ready-dev", f"VENV={sys.prefix}", "words")
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    catalogue = (folder / path).read_text()
    for entry in text.strip().split("\n\n"):
        if f"\n{entry}\n" in catalogue:
            continue  # the site says it too
        english = entry.partition("\n")[0]
        assert catalogue.count(f'{english}\nmsgstr ""\n\n') == 1, english
        catalogue = catalogue.replace(f'{english}\nmsgstr ""\n', f"{entry}\n")
    (folder / path).write_text(catalogue)
    subprocess.run(words, cwd=folder, check=True, capture_output=True)


def run(clone: Path, *command: str) -> str:
    """Run a program of the clone; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(clone)}
    ended = subprocess.run(
        [sys.executable, *command],
        cwd=clone,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-2000:]
    return ended.stdout


def test_the_guide_plays_as_it_says(clone: Path) -> None:
    code = "import doctest, sys; sys.exit(doctest.testfile(sys.argv[1], False)[0])"
    run(clone, "-c", code, str(clone / "docs" / "a-sixth-game.md"))


def passed_tests(clone: Path, chosen: str) -> int:
    """Run the tests of any game, the resampling of every page among them; return how many."""
    told = run(
        *(clone, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/core", "tests/web"),
        *("-k", chosen),
    )
    passed = re.search(r"(\d+) passed", told)
    assert passed
    return int(passed[1])


@pytest.mark.slow
def test_both_games_pass_what_every_game_passes(clone: Path) -> None:
    assert passed_tests(clone, "high-card or keep-or-swap") >= 40


@pytest.mark.slow
def test_two_games_that_are_not_in_the_guide_pass_it_too(clone_of_others: Path) -> None:
    assert passed_tests(clone_of_others, "three-cards or red-or-black") >= 40


@pytest.mark.slow
def test_the_whole_suite_is_green_with_them(clone_of_others: Path) -> None:
    run(
        *(clone_of_others, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *("-n", "2", "--dist", "loadgroup"),
    )
