"""Commands that tests run to completion."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]


class Done(NamedTuple):
    """The output and the exit status of a command."""

    returncode: int
    stdout: str
    stderr: str


def run(
    *words: object, cwd: Path = ROOT, typed: str = "", env: Mapping[str, str] | None = None
) -> Done:
    """Run a command until it ends."""
    done = subprocess.run(
        [*map(str, words)],
        cwd=cwd,
        env=env,
        input=typed,
        capture_output=True,
        encoding="utf-8",
        timeout=900,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def python(*arguments: object, cwd: Path = ROOT, **environment: str) -> Done:
    """Run Python with additional environment variables."""
    return run(sys.executable, *arguments, cwd=cwd, env={**os.environ, **environment})
