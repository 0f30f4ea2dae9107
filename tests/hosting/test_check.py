"""``check``: one message for each mistake in an instructor's settings."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.support.serving import Server, free_port
from web.commands import check


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PORT", "SECRET_KEY", "SESSION_STORE", "HOST", "TRUSTED_PROXIES"):
        monkeypatch.delenv(name, raising=False)


def examined(folder: Path, **environment: str) -> tuple[int, str]:
    """Return the exit code and the output of ``check``."""
    settings = {"PORT": str(free_port()), "DATA_DIR": str(folder), **environment}
    result = CliRunner(env=settings).invoke(check.command)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


def test_nothing_is_wrong_with_a_new_site(tmp_path: Path) -> None:
    status, said = examined(tmp_path / "new")
    assert status == 0
    assert "WRONG" not in said
    assert "in WAL mode: 0 now" in said
    assert "The signing key was made here" in said
    assert not (tmp_path / "new").exists()
    (tmp_path / "new").mkdir()
    assert f"{tmp_path / 'new'} can be written." in examined(tmp_path / "new")[1]


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"PORT": "no"}, "PORT must be a number"),
        ({"DATA_DIR": "/proc/cardgames"}, "DATA_DIR /proc/cardgames: "),
        ({"SECRET_KEY": "changeme"}, "SECRET_KEY is too short (8 characters)"),
        (
            {"DATABASE_URL": "postgresql+psycopg://cards@127.0.0.1:1/cards"},
            "Sessions cannot be kept. ",
        ),
        ({"DATABASE_URL": "mysql://db"}, "DATABASE_URL must be empty or begin with postgresql+psy"),
        ({"HOST": "203.0.113.7"}, "HOST 203.0.113.7 is no address of this machine"),
        ({"HOST": "no such host"}, "is no address of this machine"),
    ],
)
def test_each_fault_is_named(tmp_path: Path, environment: dict[str, str], sentence: str) -> None:
    status, said = examined(tmp_path, **environment)
    assert status == 1
    assert sentence in next(line for line in said.splitlines() if line.startswith("WRONG"))
    assert "Traceback" not in said


def test_it_names_the_program_on_the_port(tmp_path: Path) -> None:
    command = ["-m", "http.server", "--bind", "127.0.0.1", str(port := free_port())]
    with Server(tmp_path, *command, port=port):
        status, said = examined(tmp_path, PORT=str(port))
        assert status == 1
        assert f"PORT {port} of 127.0.0.1 is taken by another program" in said


def test_file_deleted_during_the_check_is_no_fault(tmp_path: Path) -> None:
    """SQLite deletes its write-ahead log when the last connection is closed."""
    (tmp_path / "cardgames.db-gone").symlink_to("nowhere")
    status, said = examined(tmp_path)
    assert status == 0
    assert "WRONG" not in said


def test_it_detects_impossible_wal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite reports a different journal mode on a network drive, and for a database in memory."""
    monkeypatch.setattr(check, "url_in", lambda _: "sqlite:///file::memory:?uri=true")
    status, said = examined(tmp_path)
    assert status == 1
    assert "cannot share a database (journal mode memory, not wal)" in said


def test_a_damaged_and_an_open_database_are_seen(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    _, said = examined(tmp_path)
    assert "Others on this machine can reach" in said
    (tmp_path / "cardgames.db").write_bytes(b"an essay" * 1_000)
    status, said = examined(tmp_path)
    assert status == 1
    assert "file is not a database" in said
