"""Commands close the database that they open: sqlite3 of Python 3.13 warns otherwise."""

from pathlib import Path

import pytest

from tests.support.commands import python
from tests.support.serving import free_port


@pytest.mark.parametrize(
    "words", [["check"], ["backup", "a.backup"], ["instructor-link"], ["restore", "no.backup"]]
)
def test_command_leaves_no_connection_open(tmp_path: Path, words: list[str]) -> None:
    settings = {"DATA_DIR": str(tmp_path), "PORT": str(free_port())}
    assert python("app.py", "check", **settings).returncode == 0
    (tmp_path / "no.backup").write_bytes(b"an essay")
    paths = [str(tmp_path / word) if "." in word else word for word in words]
    done = python("-W", "always::ResourceWarning", "app.py", *paths, **settings)
    assert done.returncode == (1 if "restore" in words else 0), done.stderr
    assert "ResourceWarning" not in done.stderr


def test_failed_check_leaves_no_connection_open(tmp_path: Path) -> None:
    (tmp_path / "cardgames.db").write_bytes(b"an essay" * 1_000)
    settings = {"DATA_DIR": str(tmp_path), "PORT": str(free_port())}
    done = python("-W", "always::ResourceWarning", "app.py", "check", **settings)
    assert done.returncode == 1
    assert "ResourceWarning" not in done.stderr
