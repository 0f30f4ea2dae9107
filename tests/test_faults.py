"""What goes wrong in a term: killed processes, a full disk, a broken file, a clock that leaps."""

import asyncio
import os
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import flask
import msgspec
import psutil
import pytest
from flask.testing import FlaskClient
from web.sessions import Row, Sessions, packed, unpacked
from web.store import LIFETIME, SQLiteStore, StoreUnavailable

from app import create_app
from tests.machines import listens
from tools.benchmarks.load import Tally, school
from tools.benchmarks.serving import ROOT, Player, Server, free_port
from web import store as store_module
from web.settings import Settings

pytestmark = pytest.mark.xdist_group("faults")
JSON = {"Accept": "application/json"}
TABLE = "/simple-21"
NEW = {"move": "new", "step": "0"}


def kept(app: flask.Flask) -> SQLiteStore:
    assert isinstance(app.session_interface, Sessions)
    assert isinstance(app.session_interface.store, SQLiteStore)
    return app.session_interface.store


def is_sound(folder: Path) -> bool:
    with closing(sqlite3.connect(folder / "sessions.db")) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def under_load(port: int, seconds: float, fault: Callable[[], None], students: int = 30) -> Tally:
    """Let a class play quickly while something happens to its server."""
    with ThreadPoolExecutor(1) as pool:
        happening = pool.submit(fault)
        tally = asyncio.run(school(port, students, seconds, pause=(0.02, 0.1)))
        happening.result()
    return tally


# ---- Killed --------------------------------------------------------------------------------


def test_a_class_at_play_is_counted_move_by_move(tmp_path: Path) -> None:
    """The load program itself, for three seconds: correctness only, no times."""
    with Server(tmp_path) as server:
        tally = under_load(server.port, 3, lambda: None)
    assert tally.flaw() == ""
    assert len(tally.seconds) > 200


def test_the_load_program_sees_a_lost_and_a_doubled_move(tmp_path: Path) -> None:
    """A check that cannot fail checks nothing: moves are undone and repeated behind its back."""

    def meddle(by: int) -> Callable[[], None]:
        def change() -> None:
            time.sleep(1.5)
            store = SQLiteStore(tmp_path / "sessions.db")
            for sid, saved in list(store.each()):
                rows = msgspec.msgpack.decode(unpacked(saved.data), type=dict[str, Row])
                moved = {slug: Row(max(0, row.step + by), row.state) for slug, row in rows.items()}
                store.save(sid, saved.version, packed(msgspec.msgpack.encode(moved)))

        return change

    with Server(tmp_path) as server:
        assert under_load(server.port, 3, meddle(-1)).lost > 0
        assert under_load(server.port, 3, meddle(+2)).doubled > 0


def test_killing_workers_under_load_loses_no_answered_move(tmp_path: Path) -> None:
    with Server(tmp_path) as server:

        def kill_both() -> None:
            # Not within 5.5 seconds of each other: the server takes that for a broken site.
            for _ in range(2):
                time.sleep(1)
                workers = [p for p in server.processes()[1:] if holds_the_port(p, server.port)]
                workers[0].kill()
                time.sleep(6)

        tally = under_load(server.port, 14, kill_both)
        assert server.log().count("Respawning worker") == 2
    assert tally.fault() == ""
    assert len(tally.seconds) > 500
    assert is_sound(tmp_path)


def holds_the_port(process: psutil.Process, port: int) -> bool:
    """Tell a worker from other children of the server."""
    return any(
        connection.laddr and connection.laddr.port == port
        for connection in process.net_connections(kind="tcp")
    )


def test_killing_the_whole_server_under_load_loses_no_answered_move(tmp_path: Path) -> None:
    with Server(tmp_path) as server:

        def kill_and_restart() -> None:
            for _ in range(2):
                time.sleep(2)
                server.kill()
                time.sleep(0.5)
                server.__enter__()

        tally = under_load(server.port, 8, kill_and_restart)
    assert tally.fault() == ""
    assert tally.unanswered > 0
    assert len(tally.seconds) > 200
    assert is_sound(tmp_path)


def test_stopping_under_load_finishes_what_it_began(tmp_path: Path) -> None:
    """Whoever's move was played has been told so: SIGTERM cuts no answer short."""
    with Server(tmp_path) as server:

        def stop_and_restart() -> None:
            for _ in range(2):
                time.sleep(2)
                server.__exit__(None, None, None)
                server.__enter__()

        tally = under_load(server.port, 8, stop_and_restart)
    assert tally.fault() == ""
    assert tally.played_unseen == 0
    assert len(tally.seconds) > 200


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


# ---- Slow and broken senders ---------------------------------------------------------------

HALF = (
    "POST /simple-21 HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n"
    "Content-Type: application/x-www-form-urlencoded\r\n{cookie}\r\nmove=new&step={step}"
)


def half_a_form(port: int, cookie: str = "", step: int = 0) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    sent = f"Cookie: {cookie}\r\n" if cookie else ""
    connection.sendall(HALF.format(cookie=sent, step=step).encode())
    return connection


def test_half_a_form_is_not_played(tmp_path: Path) -> None:
    with Server(tmp_path) as server, closing(Player(server.port)) as player:
        player.json(TABLE, NEW)
        half_a_form(server.port, player.cookie, 1).close()
        time.sleep(0.5)
        assert player.json(TABLE)[1]["step"] == 1
        assert '"status":400' in server.log()


def test_who_falls_silent_in_a_form_does_not_keep_others_out(tmp_path: Path) -> None:
    """Forty half forms hold every thread of both workers; soon all are hung up."""
    with Server(tmp_path) as server:
        held = [half_a_form(server.port) for _ in range(40)]
        time.sleep(1)
        assert not are_well(server.port)
        deadline = time.monotonic() + 40
        while not are_well(server.port):
            assert time.monotonic() < deadline
        for connection in held:
            connection.close()
        one_move(server.port)


def are_well(port: int) -> bool:
    """Ask so often that every worker has its turn."""
    try:
        for _ in range(30):
            with closing(HTTPConnection("127.0.0.1", port, timeout=2)) as connection:
                connection.request("GET", "/healthz")
                assert connection.getresponse().read() == b"ok"
    except OSError:
        return False
    return True


# ---- The disk ------------------------------------------------------------------------------


def test_a_full_disk_is_a_503_and_a_log_line_and_passes(tmp_path: Path) -> None:
    """No process of the server may make a file longer: what a full disk does to a write."""
    with Server(tmp_path) as server, closing(Player(server.port)) as player:
        for step in range(60):
            assert player.json(TABLE, {"move": "new", "step": str(step)})[0] == 200
        longest = max(path.stat().st_size for path in tmp_path.glob("sessions.db*"))
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
        assert "session store: " in server.log()
        assert str(tmp_path / "sessions.db") in server.log()
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


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """Mount a disk of half a megabyte; only an administrator may."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=512k,mode=0700", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only an administrator can mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        app = create_app(Settings(data_dir=disk))
        client = app.test_client()
        assert client.post(TABLE, data=NEW).status_code == 303
        with (disk / "homework.iso").open("wb", buffering=0) as hog, suppress(OSError):
            for _ in range(1_000):
                hog.write(b"x" * 1_024)
        statuses = [
            app.test_client().post(TABLE, data=NEW, headers=JSON).status_code for _ in range(60)
        ]
        assert statuses[-1] == 503
        assert set(statuses) <= {200, 503}
        assert client.get(TABLE, headers=JSON).get_json()["step"] == 1
        (disk / "homework.iso").unlink()
        assert client.post(TABLE, data={"move": "new", "step": "1"}).status_code == 303
        assert is_sound(disk)


def test_a_read_only_disk_is_a_503_and_passes_without_a_restart(
    app: flask.Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite opens a file read-only when it must, and says so at the first write.

    Opened so by us, since an administrator, as whom these tests may run, can write everywhere.
    """
    assert client.post(TABLE, data=NEW, headers=JSON).status_code == 200
    folder = kept(app)._path.parent
    connect = sqlite3.connect

    def read_only(path: Path, **options: Any) -> sqlite3.Connection:
        return connect(f"file:{path}?mode=ro", uri=True, **options)

    with monkeypatch.context() as patch:
        patch.setattr(store_module.sqlite3, "connect", read_only)
        forget_connection(app)
        response = client.post(TABLE, data={"move": "new", "step": "1"})
        assert response.status_code == 503
        assert client.get("/readyz").status_code == 503
        assert client.get("/healthz").status_code == 200
        assert client.get(TABLE, headers=JSON).get_json()["step"] == 1
    assert client.post(TABLE, data={"move": "new", "step": "1"}).status_code == 303
    assert is_sound(folder)


def forget_connection(app: flask.Flask) -> None:
    kept(app)._local.connection.close()
    del kept(app)._local.connection


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
        patch.setattr(kept(app), "_connected", Full)
        forget_connection(app)
        assert client.get(TABLE).status_code == 503
        forget_connection(app)
    lines = [msgspec.json.decode(line) for line in capfd.readouterr().err.splitlines()]
    assert lines[0]["level"] == "error"
    assert lines[0]["message"].endswith("sessions.db: database or disk is full")
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
        for data in (b"\x78\x9cnot zlib", b"\xc1", os.urandom(300), b""):
            with closing(sqlite3.connect(tmp_path / "sessions.db")) as connection, connection:
                statement = "UPDATE session SET data = ? WHERE id = ?"
                assert connection.execute(statement, (data, victim)).rowcount == 1
            response, page = players[1].request("GET", TABLE)
            assert response.status == 200
            assert "could not be read" in page
            assert [player.json(TABLE)[1]["step"] for player in players] == [1, 0, 1]
        assert players[1].json(TABLE, NEW)[0] == 200
        for player in players:
            player.close()


def test_what_is_no_database_is_said_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "sessions.db").write_bytes(b"an essay" * 1_000)
    with pytest.raises(StoreUnavailable, match="not a database"):
        SQLiteStore(tmp_path / "sessions.db")
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
    with closing(sqlite3.connect(tmp_path / "sessions.db")) as connection:
        connection.execute("VACUUM INTO ?", (str(whole / "sessions.db"),))
    pristine = (whole / "sessions.db").read_bytes()
    for place in range(0, len(pristine), 331):
        folder = tmp_path / f"broken-{place}"
        folder.mkdir()
        shutil.copy(tmp_path / "secret_key", folder)
        damaged = pristine[:place] + os.urandom(64) + pristine[place + 64 :]
        (folder / "sessions.db").write_bytes(damaged)
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
                lambda port: under_load(port, 2, lambda: None, 10), (one.port, two.port)
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
    client.post(TABLE, data=NEW)
    now = time.time()
    with monkeypatch.context() as patch:
        patch.setattr(store_module.time, "time", lambda: now + leap)
        response = client.post(TABLE, data={"move": "new", "step": "1"}, headers=JSON)
        assert response.status_code == 200
        assert f"Max-Age={LIFETIME}" in response.headers["Set-Cookie"]
        assert "Expires" not in response.headers["Set-Cookie"]
    assert client.get(TABLE, headers=JSON).get_json()["step"] == 2
    assert client.post(TABLE, data={"move": "new", "step": "2"}).status_code == 303


def test_expired_sessions_are_purged_while_others_play(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "sessions.db")
    for number in range(800):
        store.save(f"{number:032x}", 0, b"\x80")
    with closing(sqlite3.connect(tmp_path / "sessions.db")) as connection, connection:
        connection.execute("UPDATE session SET expires = 1")
    with Server(tmp_path) as server:
        tally = under_load(server.port, 6, lambda: None, students=40)
    assert tally.flaw() == ""
    with closing(sqlite3.connect(tmp_path / "sessions.db")) as connection:
        statement = "SELECT count(*) FROM session WHERE expires = 1"
        assert connection.execute(statement).fetchone()[0] == 0
    assert store.count() == 40


# ---- Versions --------------------------------------------------------------------------------


def test_a_table_of_another_version_is_begun_anew_and_the_others_stay(
    app: flask.Flask, client: FlaskClient
) -> None:
    """Forwards and back: a field that is missing, one that is new, a game that is gone."""
    client.post(TABLE, data={"move": "deal", "step": "0"})
    client.post("/blackjack", data={"move": "deal", "step": "0"})
    cookie = client.get_cookie("cardgames")
    assert cookie
    sid = cookie.value.partition(".")[0]
    saved = kept(app).load(sid)
    assert saved
    rows = msgspec.msgpack.decode(saved.data, type=dict[str, Row])
    state = msgspec.msgpack.decode(rows["simple-21"].state)
    older = {name: value for name, value in state.items() if name != "tally"}
    newer = {**state, "insurance": 5}
    for shape, status, step in ((older, 409, 1), (newer, 200, 2)):
        rows["simple-21"] = Row(1, msgspec.Raw(msgspec.msgpack.encode(shape)))
        rows["canasta"] = Row(7, msgspec.Raw(b"\x80"))
        before = kept(app).load(sid)
        assert before
        assert kept(app).save(sid, before.version, msgspec.msgpack.encode(rows))
        assert client.get("/").status_code == 200
        page = client.get(TABLE)
        assert page.status_code == 200
        assert ("could not be read" in page.text) == (shape is older)
        form = {"move": "new", "step": "0" if shape is older else "1"}
        assert client.post(TABLE, data=form, headers=JSON).status_code == status
        assert client.get(TABLE, headers=JSON).get_json()["step"] == step
        assert client.get("/blackjack", headers=JSON).get_json()["step"] == 1
    after = kept(app).load(sid)
    assert after
    assert "canasta" in msgspec.msgpack.decode(after.data, type=dict[str, Row])


def test_a_stop_signal_stops_at_once_beside_silent_connections(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        one_move(server.port)
        silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(300)]
        began = time.monotonic()
        server.processes()[0].send_signal(signal.SIGTERM)
        psutil.wait_procs(server.processes(), timeout=20)
        assert time.monotonic() - began < 10
        for connection in silent:
            connection.close()
