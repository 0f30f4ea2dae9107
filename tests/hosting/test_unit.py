"""The systemd unit of docs/hosting.md gives the site no right that it does not need."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.machines import sample, unit_lines

MOST = 1.5
"""How much exposure systemd may find, of 10."""


def test_the_unit_never_gives_up() -> None:
    """By default systemd gives up on what has ended five times in ten seconds."""
    assert unit_lines("StartLimitIntervalSec") == ["0"]
    assert unit_lines("Restart") == ["always"]


def test_the_unit_exposes_little(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd is not installed, so nobody can say what the unit exposes")
    unit = tmp_path / "cardgames.service"
    unit.write_text(sample("ini"))
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    level = re.search(r"Overall exposure level for cardgames.service: ([\d.]+)", done.stdout)
    assert level, done.stderr
    assert float(level[1]) <= MOST, done.stdout
