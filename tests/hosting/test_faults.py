"""What goes wrong in a term: killed processes, a full disk, a broken file, a clock that leaps."""

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import flask
import msgspec
import psutil
import pytest
from flask.testing import FlaskClient

from app import create_app
from tests.support.machines import class_plays, listens, wait_until
from tests.support.serving import ROOT, Player, Server, free_port
from tests.support.site import JSON, TABLE, store_of
from tests.support.stores import keep
from web.settings import Settings
from web.storage import sqlite, sqlite_file
from web.storage.rounds import session_place
from web.storage.session_rows import ESTABLISHED, find_session, packed, session_ids
from web.storage.sqlite import SQLiteStore
from web.storage.store import LIFETIME, StoreUnavailable

pytestmark = pytest.mark.xdist_group("faults")
NEW = {"move": "new", "step": "0"}


def is_sound(folder: Path) -> bool:
    with closing(sqlite3.connect(folder / "store.db")) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


# ---- Killed --------------------------------------------------------------------------------


def test_the_load_program_sees_a_lost_and_a_doubled_move(tmp_path: Path) -> None:
    """A check that cannot fail checks nothing: moves are undone and repeated behind its back."""

    store = SQLiteStore(tmp_path / "store.db")

    def meddle(by: int) -> None:
        before = len([*session_ids(store)])
        wait_until(lambda: len([*session_ids(store)]) >= before + 10)
        for sid in session_ids(store):
            kept = find_session(store, sid)
            assert kept
            rows = {name: msgspec.msgpack.decode(row) for name, row in kept.rows.items()}
            for row in rows.values():  # the first of a table's row is its step
                row[0] = max(0, row[0] + by)
            raw = {name: msgspec.Raw(msgspec.msgpack.encode(row)) for name, row in rows.items()}
            row = packed(kept._replace(rows=raw))
            store.write(session_place(sid), {"tables": row}, {"tables": kept.revision})

    with Server(tmp_path) as server:
        assert class_plays(server.port, 200, partial(meddle, -1)).lost > 0
        assert class_plays(server.port, 200, partial(meddle, +2)).doubled > 0


def test_killing_workers_under_load_loses_no_answered_move(tmp_path: Path) -> None:
    with Server(tmp_path) as server:

        def kill_both() -> None:
            # Not within 5.5 seconds of each other: the server takes that for a broken site.
            for killed in (1, 2):
                wait_until(lambda: len(server.workers()) == 2)
                server.workers()[0].kill()
                wait_until(lambda killed=killed: server.log().count("Respawning worker") == killed)  # type: ignore[misc]
                time.sleep(6)

        tally = class_plays(server.port, 500, kill_both)
    assert tally.fault() == ""
    assert is_sound(tmp_path)


def test_killing_the_whole_server_under_load_loses_no_answered_move(tmp_path: Path) -> None:
    with Server(tmp_path) as server:

        def kill_and_restart() -> None:
            for _ in range(2):
                time.sleep(2)
                server.kill()
                time.sleep(0.5)
                server.__enter__()

        tally = class_plays(server.port, 200, kill_and_restart)
    assert tally.fault() == ""
    assert tally.unanswered > 0
    assert is_sound(tmp_path)


def test_stopping_under_load_finishes_what_it_began(tmp_path: Path) -> None:
    """Whoever's move was played has been told so: SIGTERM cuts no answer short."""
    with Server(tmp_path) as server:

        def stop_and_restart() -> None:
            for _ in range(2):
                time.sleep(2)
                server.__exit__(None, None, None)
                server.__enter__()

        tally = class_plays(server.port, 200, stop_and_restart)
    assert tally.fault() == ""
    assert tally.played_unseen == 0


def test_workers_leave_with_their_server(tmp_path: Path) -> None:
    """Killed alone, the server leaves no worker behind to keep the port and serve old code."""
    with Server(tmp_path) as server:
        processes = server.processes()
        processes[0].kill()
        left = psutil.wait_procs(processes[1:], timeout=15)[1]
        assert [process.cmdline() for process in left] == []
        assert not listens(server.port)


def test_every_worker_holds_its_own_lock_on_the_file(tmp_path: Path) -> None:
    """A lock from before the fork is none: the next program to look would drop the workers' log."""
    with Server(tmp_path) as server:
        for _ in range(40):  # until the second worker has started and answered too
            with ThreadPoolExecutor(16) as pool:
                for _ in pool.map(lambda _: one_move(server.port), range(64)):
                    pass
            own = {process.pid for process in server.processes()}
            locks = Path("/proc/locks").read_text().splitlines()
            holders = {int(line.split()[4]) for line in locks}
            if len(own & holders) >= 2:
                break
        assert len(own & holders) >= 2
        assert server.processes()[0].pid not in holders


def one_move(port: int) -> None:
    with closing(Player(port)) as player:
        assert player.json(TABLE, NEW)[0] == 200


def test_looking_into_the_file_of_a_running_server_harms_nothing(tmp_path: Path) -> None:
    with Server(tmp_path) as server, closing(Player(server.port)) as player:
        for step in range(30):
            assert player.json(TABLE, {"move": "new", "step": str(step)})[0] == 200
            if step % 10 == 5:
                command = [sys.executable, "-m", "flask", "--app", "app", "sessions", "count"]
                environment = {**os.environ, "DATA_DIR": str(tmp_path)}
                shown = subprocess.run(
                    command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
                )
                assert shown.stdout == "1\n"
        server.kill()
    with Server(tmp_path) as server, closing(Player(server.port)) as again:
        again.cookie = player.cookie
        assert again.json(TABLE)[1]["step"] == 30


# ---- The disk ------------------------------------------------------------------------------


def test_a_full_disk_is_a_503_and_a_log_line_and_passes(tmp_path: Path) -> None:
    """No process of the server may make a file longer: what a full disk does to a write."""
    with Server(tmp_path) as server, closing(Player(server.port)) as player:
        for step in range(60):
            assert player.json(TABLE, {"move": "new", "step": str(step)})[0] == 200
        longest = max(path.stat().st_size for path in tmp_path.glob("store.db*"))
        everything = resource.RLIM_INFINITY
        limit(server, longest)
        refused = until(player, 503, step=60)
        assert refused
        limit(server, 1)  # from here on there is not even room for a line of the log
        response, page = player.request("POST", TABLE, {"move": "new", "step": str(refused)})
        assert response.status == 503
        assert response.headers["Retry-After"]
        assert "<h1>The server cannot save games just now" in page
        assert player.request("GET", "/readyz")[0].status == 503
        assert player.json(TABLE)[1]["step"] == refused  # looking still works
        limit(server, everything)
        assert player.request("GET", "/readyz")[1] == "ready"
        assert player.json(TABLE, {"move": "new", "step": str(refused)})[0] == 200
        assert "store: " in server.log()
        assert str(tmp_path / "store.db") in server.log()
    assert is_sound(tmp_path)


def limit(server: Server, size: int) -> None:
    """Set how long a file the server's processes may write (the others' limits stay)."""
    for process in server.processes():
        process.rlimit(psutil.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def until(player: Player, status: int, step: int) -> int:
    """Play until a status comes, and return the step that met it; 0 if it never comes."""
    for _ in range(2_000):
        form = {"move": "new", "step": str(step)}
        if player.json(TABLE, form)[0] == status:
            return step
        step += 1
    return 0


def test_a_read_only_disk_is_a_503_and_passes_without_a_restart(
    app: flask.Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite opens a file read-only when it must, and says so at the first write.

    Opened so by us, since an administrator, as whom these tests may run, can write everywhere.
    """
    assert client.post(TABLE, data=NEW, headers=JSON).status_code == 200
    folder = store_of(app)._file.path.parent
    connect = sqlite3.connect

    def read_only(path: Path, **options: Any) -> sqlite3.Connection:
        return connect(f"file:{path}?mode=ro", uri=True, **options)

    with monkeypatch.context() as patch:
        patch.setattr(sqlite_file.sqlite3, "connect", read_only)
        store_of(app).close()
        response = client.post(TABLE, data={"move": "new", "step": "1"})
        assert response.status_code == 503
        assert client.get("/readyz").status_code == 503
        assert client.get("/healthz").status_code == 200
        assert client.get(TABLE, headers=JSON).get_json()["step"] == 1
    assert client.post(TABLE, data={"move": "new", "step": "1"}).status_code == 303
    assert is_sound(folder)


def test_the_log_names_the_fault_and_no_card(
    app: flask.Flask,
    client: FlaskClient,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    client.post(TABLE, data=NEW)
    broken = sqlite3.OperationalError("database or disk is full")

    class Full:
        def execute(self, *_args: Any) -> None:
            raise broken

        def close(self) -> None:
            pass

    capfd.readouterr()
    with monkeypatch.context() as patch:
        patch.setattr(store_of(app)._file, "connect", Full)
        store_of(app).close()
        assert client.get(TABLE).status_code == 503
        store_of(app).close()
    lines = [msgspec.json.decode(line) for line in capfd.readouterr().err.splitlines()]
    assert lines[0]["level"] == "error"
    assert lines[0]["message"].endswith("store.db: database or disk is full")
    assert lines[0]["id"] == lines[1]["id"]
    assert lines[1]["status"] == 503
    assert client.get(TABLE).status_code == 200


# ---- The file ------------------------------------------------------------------------------


def test_a_corrupt_row_is_one_players_fresh_table(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        players = [Player(server.port) for _ in range(3)]
        for player in players:
            assert player.json(TABLE, NEW)[0] == 200
        victim = players[1].cookie.partition("=")[2].partition(".")[0]
        no_text = b"\x81\xa5war\x87\xff\x80"
        for data in (b"\x78\x9cnot zlib", b"\xc1", os.urandom(300), b"", no_text):
            with closing(sqlite3.connect(tmp_path / "store.db")) as connection, connection:
                statement = (
                    "UPDATE row SET data = ? "
                    "WHERE place = (SELECT id FROM place WHERE name = 'session/' || ?)"
                )
                assert connection.execute(statement, (data, victim)).rowcount == 1
            response, page = players[1].request("GET", TABLE)
            assert response.status == 200
            assert "could not be read" in page
            assert [player.json(TABLE)[1]["step"] for player in players] == [1, 0, 1]
        assert players[1].json(TABLE, NEW)[0] == 200
        for player in players:
            player.close()


def test_what_is_no_database_is_said_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "store.db").write_bytes(b"an essay" * 1_000)
    with pytest.raises(StoreUnavailable, match="not a database"):
        SQLiteStore(tmp_path / "store.db")
    assert cannot_start(DATA_DIR=str(tmp_path)).endswith("file is not a database\n")


def cannot_start(**environment: str) -> str:
    """Start the server where it cannot, and return its one sentence."""
    settings = {"PORT": str(free_port()), **environment}
    ended = subprocess.run(
        [sys.executable, "app.py"],
        cwd=ROOT,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("Cardgames cannot start. ")
    assert ended.stderr.count("\n") == 1
    return ended.stderr


def test_a_damaged_page_is_a_503_or_a_table_and_never_a_500(tmp_path: Path) -> None:
    client = create_app(Settings(data_dir=tmp_path)).test_client()
    for step in range(5):
        client.post(TABLE, data={"move": "new", "step": str(step)})
    whole = tmp_path / "whole"
    whole.mkdir()
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
        connection.execute("VACUUM INTO ?", (str(whole / "store.db"),))
    pristine = (whole / "store.db").read_bytes()
    for place in range(0, len(pristine), 331):
        folder = tmp_path / f"broken-{place}"
        folder.mkdir()
        shutil.copy(tmp_path / "secret_key", folder)
        damaged = pristine[:place] + os.urandom(64) + pristine[place + 64 :]
        (folder / "store.db").write_bytes(damaged)
        try:
            again = create_app(Settings(data_dir=folder)).test_client()
        except StoreUnavailable:
            continue
        cookie = client.get_cookie("cardgames")
        assert cookie
        again.set_cookie("cardgames", cookie.value)
        for request in (again.get(TABLE), again.post(TABLE, data={"move": "new", "step": "5"})):
            assert request.status_code in (200, 303, 409, 503)


# ---- Twice -----------------------------------------------------------------------------------


def test_a_second_server_on_the_port_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        said = cannot_start(DATA_DIR=str(tmp_path), PORT=str(server.port))
        assert f"PORT {server.port} of 127.0.0.1 is taken" in said
        one_move(server.port)


def test_a_second_server_on_the_data_directory_is_harmless(tmp_path: Path) -> None:
    with Server(tmp_path) as one, Server(tmp_path) as two:
        players = [Player(one.port), Player(two.port)]
        for step in range(60):
            status, table = players[step % 2].json(TABLE, {"move": "new", "step": str(step)})
            assert (status, table["step"]) == (200, step + 1)
            players[1].cookie = players[0].cookie
        with ThreadPoolExecutor(2) as pool:
            classes = pool.map(
                lambda port: class_plays(port, 60, students=10), (one.port, two.port)
            )
            assert [tally.flaw() for tally in classes] == ["", ""]
        two.kill()
        assert players[0].json(TABLE)[1]["step"] == 60
        for player in players:
            player.close()
    assert is_sound(tmp_path)


# ---- Time ------------------------------------------------------------------------------------

HOUR, DAY, YEAR = 3_600, 86_400, 365 * 86_400


@pytest.mark.parametrize("leap", [-50 * YEAR, -YEAR, -DAY, -HOUR, HOUR, DAY, 13 * DAY])
def test_a_clock_that_leaps_ends_no_session(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, leap: int
) -> None:
    """The clock is wrong for a while, moves are made meanwhile, and then it is put right."""
    for step in range(ESTABLISHED):
        client.post(TABLE, data={"move": "new", "step": str(step)})
    now = time.time()
    with monkeypatch.context() as patch:
        patch.setattr(sqlite.time, "time", lambda: now + leap)
        form = {"move": "new", "step": str(ESTABLISHED)}
        response = client.post(TABLE, data=form, headers=JSON)
        assert response.status_code == 200
        assert f"Max-Age={LIFETIME}" in response.headers["Set-Cookie"]
        assert "Expires" not in response.headers["Set-Cookie"]
    assert client.get(TABLE, headers=JSON).get_json()["step"] == ESTABLISHED + 1
    form = {"move": "new", "step": str(ESTABLISHED + 1)}
    assert client.post(TABLE, data=form).status_code == 303


def test_expired_sessions_are_purged_while_others_play(tmp_path: Path) -> None:
    """For each new session two expired ones go."""
    store = SQLiteStore(tmp_path / "store.db")
    for number in range(60):
        assert keep(store, f"{number:032x}")
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection, connection:
        connection.execute("UPDATE place SET expires = 1")

    def expired() -> int:
        with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
            statement = "SELECT count(*) FROM place WHERE expires = 1"
            found: int = connection.execute(statement).fetchone()[0]
            return found

    with Server(tmp_path) as server:
        purged = lambda: wait_until(lambda: not expired(), within=100)  # noqa: E731
        tally = class_plays(server.port, 200, purged, students=40)
    assert tally.flaw() == ""
    assert len([*store.places("session/")]) == 40


# ---- Stopping --------------------------------------------------------------------------------
