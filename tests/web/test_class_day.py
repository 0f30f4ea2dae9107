"""A recorded class day is the same twice, has no error in it, and shows what has changed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import class_day

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, class_day.__file__, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_two_recordings_are_equal_and_a_change_is_shown(tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("first.json", "second.json")]
    for file in files:
        recorded = run("record", file)
        assert recorded.returncode == 0, recorded.stderr[-2_000:]
    assert run("compare", *files).returncode == 0
    answers = json.loads(Path(files[1]).read_text())
    assert [one["request"] for one in answers if one["status"] >= 500] == []
    (lobby, *_) = (one for one in answers if one["request"] == "GET /")
    lobby["body"] = lobby["body"].replace("Blackjack", "Whitejack")
    Path(files[1]).write_text(json.dumps(answers))
    compared = run("compare", *files)
    assert compared.returncode == 1
    assert "+Whitejack" in compared.stdout
    assert "1 answered differently" in compared.stdout
