"""Maintenance commands run as root, or as a user who does not own the data directory."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from app import command
from tests.support.serving import free_port
from web.data_dir import data_dir
from web.settings import Settings

NOBODY = 65_534

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


def run(folder: Path, *words: object) -> tuple[int, str]:
    environment = {
        "DATA_DIR": str(folder),
        "PORT": str(free_port()),
        "SECRET_KEY": "",
        "DATABASE_URL": "",
    }
    done = CliRunner(env=environment).invoke(command, [*map(str, words)])
    return done.exit_code, done.output


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data directory that is owned by another user."""
    owned = tmp_path / "data"
    owned.mkdir(mode=0o700)
    os.chown(owned, NOBODY, NOBODY)
    return owned


def owners(folder: Path) -> set[int]:
    found = [*folder.rglob("*")]
    assert found
    return {path.stat().st_uid for path in (folder, *found)}


@contextmanager
def as_user(number: int) -> Iterator[None]:
    # Python loads this codec when it is first used, and the user may not have access to Python's
    # folder.
    "".encode("idna")
    os.seteuid(number)
    try:
        yield
    finally:
        os.seteuid(0)


def test_commands_by_root_leave_files_of_the_owner(folder: Path) -> None:
    run(folder, "check")
    assert {"secret_key", "cardgames.db"} <= {path.name for path in folder.iterdir()}
    assert owners(folder) == {NOBODY}
    for words in (("instructor-link",), ("backup", folder / "a.backup")):
        status, said = run(folder, *words)
        assert status == 0, said
        assert owners(folder) == {NOBODY}


def test_restore_by_root_leaves_files_of_the_owner(folder: Path, tmp_path: Path) -> None:
    run(folder, "check")
    assert run(folder, "backup", tmp_path / "a.backup")[0] == 0
    assert (tmp_path / "a.backup").stat().st_uid == 0  # root's own folder
    for path in folder.iterdir():
        path.unlink()
    for words in (("restore",), ("restore", "--replace")):
        status, said = run(folder, *words, tmp_path / "a.backup")
        assert status == 0, said
        assert owners(folder) == {NOBODY}


def test_new_data_directory_belongs_to_the_owner_of_its_parent(folder: Path) -> None:
    data_dir(Settings(data_dir=folder / "a" / "b"))
    assert owners(folder) == {NOBODY}


def test_check_names_files_unusable_by_their_owner(folder: Path) -> None:
    run(folder, "check")
    os.chown(folder / "secret_key", 0, 0)
    status, said = run(folder, "check")
    assert status == 1
    assert f"{folder / 'secret_key'} belongs to root, and {folder} to nobody" in said
    shutil.chown(folder / "secret_key", NOBODY, NOBODY)
    assert "belongs to" not in run(folder, "check")[1]


@pytest.mark.parametrize("words", [["check"], ["instructor-link"], ["backup", "x"]])
def test_other_user_learns_the_files_owner(tmp_path: Path, words: list[str]) -> None:
    for path in tmp_path.parents:
        if path.stat().st_uid == 0 and path.name.startswith("pytest-of"):
            path.chmod(0o711)
    os.chown(tmp_path, 1, 1)
    tmp_path.chmod(0o700)
    with as_user(NOBODY):
        status, said = run(tmp_path / "data", *words)
    assert status == 1
    assert "Permission denied for the user nobody" in said
    assert "belongs to" in said
    assert "Traceback" not in said


def test_start_by_another_user_names_the_owner(folder: Path) -> None:
    run(folder, "check")
    with as_user(1):
        status, said = run(folder)
    assert status == 1
    assert "Permission denied for the user daemon" in said
