"""Break the project in small ways, and see that the tests notice each.

``python -m tools.mutations`` works through the sample in ``mutations.toml``: it makes one change in
a copy of the project, runs the few test files that should notice, and prints the first test that
fails. It ends with 1 where nothing noticed. ``python -m tools.mutations ace seal`` takes the
changes whose description has one of the words. Some tests of the sample need Chromium and Redis.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
SAMPLE: Final = Path(__file__).with_suffix(".toml")

_LEFT_OUT: Final = (".git", ".venv", ".hypothesis", ".*_cache", "__pycache__", "dist")


@dataclass(frozen=True, slots=True)
class Mutation:
    """A small change after which the project is wrong."""

    what: str
    """What is wrong then."""

    file: str
    old: str
    """A text that stands in the file exactly once."""

    new: str
    tests: Sequence[str]
    """The files that should notice."""


def read_sample() -> list[Mutation]:
    """Return the mutations of the sample."""
    return [Mutation(**one) for one in tomllib.loads(SAMPLE.read_text())["mutation"]]


def run(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a copy of the project."""
    return subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-xq", "-p", "no:cacheprovider", *arguments],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )


def noticed_by(mutation: Mutation, copy: Path) -> str:
    """Return the first test that fails after a change of the copy; nothing where none does."""
    file = copy / mutation.file
    text = file.read_text()
    file.write_text(text.replace(mutation.old, mutation.new))
    done = run(copy, *mutation.tests)
    file.write_text(text)
    if done.returncode == 0:
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    if failed and run(copy, failed[1].partition("[")[0]).returncode:
        sys.exit(f"{failed[1]} fails without a change, too: mend it first.")
    return failed[1] if failed else "no test can be run"


def main() -> int:
    """Work through the sample; return 1 where a change was not noticed."""
    words, missed = sys.argv[1:], 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        for compressed in (copy / "static").rglob("*.[gb][zr]"):
            compressed.unlink()  # or the site would serve it in the place of what is changed
        sound = run(copy, "tests/core/test_cards.py")
        if sound.returncode:
            sys.exit(
                f"The tests do not run in a copy of the project.\n{sound.stdout}{sound.stderr}"
            )
        for mutation in read_sample():
            if words and not any(word in mutation.what for word in words):
                continue
            is_there = (copy / mutation.file).read_text().count(mutation.old) == 1
            test = noticed_by(mutation, copy) if is_there else ""
            missed += not test
            without = "NOTHING NOTICED" if is_there else f"NOT FOUND in {mutation.file}"
            print(f"{mutation.what}: {test or without}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
