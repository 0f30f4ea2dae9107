"""Commands close the database that they open, because otherwise sqlite3 in Python 3.13 warns."""

from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner

from app import command
from tests.support.serving import free_port


def run(folder: Path, *words: str) -> int:
    """Run a command in this process, and return its exit status."""
    environment = {"DATA_DIR": str(folder), "PORT": str(free_port())}
    return CliRunner(env=environment).invoke(command, words).exit_code


def open_files(folder: Path) -> list[str]:
    paths = [Path(file.path) for file in psutil.Process().open_files()]
    return [path.name for path in paths if path.is_relative_to(folder)]


@pytest.mark.parametrize(
    "words", [["check"], ["backup", "a.backup"], ["instructor-link"], ["restore", "no.backup"]]
)
def test_command_leaves_no_connection_open(tmp_path: Path, words: list[str]) -> None:
    assert run(tmp_path, "check") == 0
    (tmp_path / "no.backup").write_bytes(b"an essay")
    paths = [str(tmp_path / word) if "." in word else word for word in words]
    assert run(tmp_path, *paths) == (1 if "restore" in words else 0)
    assert open_files(tmp_path) == []


def test_failed_check_leaves_no_connection_open(tmp_path: Path) -> None:
    (tmp_path / "cardgames.db").write_bytes(b"an essay" * 1_000)
    assert run(tmp_path, "check") == 1
    assert open_files(tmp_path) == []
