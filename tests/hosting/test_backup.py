"""Backups are created during play, restored elsewhere, and rejected if unsafe."""

import shutil
import sqlite3
import stat
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import alembic.command
import pytest
from click.testing import CliRunner, Result
from sqlalchemy import text

from app import command
from tests.support.http_client import Client
from tests.support.serving import Server
from tests.support.site import cookie, look, play, visitor
from web import schema
from web.commands.backup import make_backup, restore_backup
from web.db import FILE, Database, database
from web.settings import Settings

PLAYERS = 60


def run(*arguments: str | Path) -> Result:
    return CliRunner(env={"DATABASE_URL": "", "DATA_DIR": ""}).invoke(
        command, [*map(str, arguments)]
    )


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A data directory in which someone has played, and that player's cookie."""
    folder = tmp_path_factory.mktemp("played")
    client = visitor(folder)
    play(client, "/war", "deal", players="2")
    database(client.application).engine.dispose()
    return folder, cookie(client)


@pytest.fixture
def data(played: tuple[Path, str], tmp_path: Path) -> Path:
    return Path(shutil.copytree(played[0], tmp_path / "data"))


def test_table_is_unchanged_after_a_restore_elsewhere(
    data: Path, tmp_path: Path, played: tuple[Path, str]
) -> None:
    backup, elsewhere = tmp_path / "backup", tmp_path / "elsewhere"
    assert run("--data", data, "backup", backup).exit_code == 0
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert run("--data", elsewhere, "restore", backup).exit_code == 0
    for path in elsewhere.iterdir():
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077
    player = visitor(elsewhere)
    player.set_cookie("cardgames", played[1])
    assert look(player, "/war")["step"] == 1
    refused = run("--data", elsewhere, "restore", "--replace", backup)
    assert (refused.exit_code, "Stop it first" in refused.output) == (1, True)


@pytest.mark.slow
def test_backup_has_all_earlier_moves_of_sixty_players(tmp_path: Path) -> None:
    """The backup contains each player's last step before the backup, or a later step."""
    data, restored, backup = (tmp_path / name for name in ("data", "restored", "backup"))
    data.mkdir()
    steps, stop = [0] * PLAYERS, threading.Event()
    with Server(data) as server, ExitStack() as seats:
        players = [seats.enter_context(closing(Client(server.port))) for _ in range(PLAYERS)]

        def play(number: int) -> None:
            form = {"move": "deal", "players": "2"}
            while not stop.is_set():
                status, table = players[number].json("/war", form | {"step": str(steps[number])})
                if status == 200:
                    steps[number] = table["step"]
                form = (
                    {"move": "new"} if form["move"] == "deal" else {"move": "deal", "players": "2"}
                )

        with ThreadPoolExecutor(PLAYERS) as pool:
            playing = [pool.submit(play, number) for number in range(PLAYERS)]
            while min(steps) < 3:
                stop.wait(0.05)
            for _ in range(3):
                before = [*steps]
                make_backup(Settings(data_dir=data), backup)
            server.kill()
            stop.set()
            for one in playing:
                one.exception()  # The server was killed during the requests.
    assert run("--data", restored, "restore", backup).exit_code == 0
    with Server(restored) as server, closing(Client(server.port)) as again:
        for player, least in zip(players, before, strict=True):
            again.cookies = player.cookies
            assert again.json("/war")[1]["step"] >= least


def test_invalid_backup_is_rejected_and_nothing_changes(data: Path, tmp_path: Path) -> None:
    kept = (data / "cardgames.db").read_bytes()
    garbage, other = tmp_path / "garbage", tmp_path / "other.zip"
    garbage.write_bytes(b"no zip at all")
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("cardgames.db", b"no database")
        archive.writestr("secret_key", "k")
    for file in (garbage, other, tmp_path / "missing"):
        done = run("--data", data, "restore", "--replace", file)
        assert (done.exit_code, done.output.count("\n")) == (1, 1), done.output
    assert (data / "cardgames.db").read_bytes() == kept


def test_existing_store_is_replaced_only_on_request(data: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    run("--data", data, "backup", backup)
    refused = run("--data", data, "restore", backup)
    assert (refused.exit_code, "--replace" in refused.output) == (1, True)
    assert run("--data", data, "restore", "--replace", backup).exit_code == 0
    with closing(sqlite3.connect(data / "cardgames.db.before")) as before:
        assert before.execute("SELECT count(*) FROM sessions").fetchone()[0]
    (data / "cardgames.db").write_bytes(b"an essay")
    assert run("--data", data, "restore", "--replace", backup).exit_code == 0
    assert (data / "cardgames.db.before").read_bytes() == b"an essay"


def test_backup_of_an_older_version_is_upgraded_before_use(tmp_path: Path) -> None:
    """The upgraded backup is a single file without a log, because a log would not be copied."""
    older = tmp_path / "older.db"
    database = Database(f"sqlite:///{older}")
    with database.engine.begin() as connection:
        alembic.command.upgrade(schema.config_for(connection), schema.FIRST)
        connection.execute(
            text("UPDATE alembic_version SET version_num = :v"), {"v": schema.DEVELOPMENT}
        )
    database.engine.dispose()
    backup, restored = tmp_path / "backup", tmp_path / "restored"
    with zipfile.ZipFile(backup, "w") as archive:
        archive.write(older, FILE)
        archive.writestr("secret_key", "k" * 40)
    restored.mkdir()
    settings = Settings(data_dir=restored)
    restore_backup(settings, backup)
    assert [path.name for path in restored.glob(f"{FILE}*")] == [FILE]
    with closing(sqlite3.connect(f"file:{restored / FILE}?immutable=1", uri=True)) as kept:
        found = kept.execute("SELECT version_num FROM alembic_version").fetchone()[0]
    assert found == schema.head_revision() != schema.DEVELOPMENT


def test_check_says_when_the_last_backup_was_made(data: Path, tmp_path: Path) -> None:
    assert "No backup was made yet" in run("--data", data, "check").output
    run("--data", data, "backup", tmp_path / "backup")
    assert "Last backup 0.0 days ago" in run("--data", data, "check").output


def test_missing_file_or_folder_is_named_first(data: Path, tmp_path: Path) -> None:
    done = run("--data", data, "restore", tmp_path / "typo")
    assert (done.exit_code, done.output) == (1, f"Error: There is no file {tmp_path / 'typo'}.\n")
    done = run("--data", data, "backup", tmp_path / "no" / "backup")
    assert (done.exit_code, done.output) == (1, f"Error: There is no folder {tmp_path / 'no'}.\n")


def test_postgresql_is_backed_up_by_its_own_means(tmp_path: Path) -> None:
    done = CliRunner(
        env={"DATABASE_URL": "postgresql+psycopg://cards@127.0.0.1:1/cards", "DATA_DIR": ""}
    ).invoke(command, ["--data", str(tmp_path), "backup", str(tmp_path / "backup")])
    assert (done.exit_code, "pg_dump" in done.output) == (1, True)
