"""Faults during a term: killed processes, a full disk, a damaged file, a wrong clock."""

import re
import resource
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path
from threading import Barrier

import msgspec
import psutil
import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from sqlalchemy import event

from app import command
from tests.support.commands import python
from tests.support.http_client import Client
from tests.support.machines import class_plays, listens, wait_until
from tests.support.serving import Server
from tests.support.site import JSON, TABLE
from web.commands import serve
from web.db import FILE, database
from web.http.sessions import ESTABLISHED, USUAL
from web.http.threads import MAX_LOOP_WAIT

NEW = {"move": "new", "step": "0"}


def is_sound(folder: Path) -> bool:
    with closing(sqlite3.connect(folder / "cardgames.db")) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


# ---- Killed --------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_load_program_sees_a_lost_and_a_doubled_move(tmp_path: Path) -> None:
    """The load test reports a failure if the database has lost or repeated moves."""

    def count(connection: sqlite3.Connection) -> int:
        found: int = connection.execute("SELECT count(*) FROM sessions").fetchone()[0]
        return found

    def meddle(by: int) -> None:
        with closing(sqlite3.connect(tmp_path / FILE, timeout=10)) as connection, connection:
            before = count(connection)
            wait_until(lambda: count(connection) >= before + 10)
            connection.execute("BEGIN IMMEDIATE")
            for sid, data in connection.execute("SELECT id, data FROM sessions").fetchall():
                values = msgspec.msgpack.decode(data)
                for name, table in values.items():
                    if name.startswith("table:"):
                        row = msgspec.msgpack.decode(table)
                        row["step"] = max(0, row["step"] + by)
                        values[name] = msgspec.msgpack.encode(row)
                changed = msgspec.msgpack.encode(values)
                connection.execute("UPDATE sessions SET data = ? WHERE id = ?", (changed, sid))

    with Server(tmp_path) as server:
        assert class_plays(server.port, 200, partial(meddle, -1)).lost > 0
        assert class_plays(server.port, 200, partial(meddle, +2)).doubled > 0


@pytest.mark.slow
def test_killing_a_worker_under_load_loses_no_answered_move(tmp_path: Path) -> None:
    with Server(tmp_path) as server:

        def kill_one() -> None:
            wait_until(lambda: len(server.workers()) == 2)
            server.workers()[0].kill()
            wait_until(lambda: "Respawning worker" in server.log())

        tally = class_plays(server.port, 400, kill_one)
    assert tally.fault() == ""
    assert is_sound(tmp_path)


@pytest.mark.slow
def test_stopping_under_load_finishes_started_requests(tmp_path: Path) -> None:
    """Every move that was played is answered, because SIGTERM does not interrupt responses."""
    with Server(tmp_path) as server:

        def stop_and_restart() -> None:
            time.sleep(2)
            server.__exit__(None, None, None)
            server.__enter__()

        tally = class_plays(server.port, 200, stop_and_restart)
    assert tally.fault() == ""
    assert tally.played_unseen == 0


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("running")) as server:
        yield server


def test_move_outwaits_another_program_but_not_the_event_loop(running: Server) -> None:
    """The move waits in the event loop for 0.25 seconds, and then in a thread for a second."""
    player = Client(running.port)
    assert player.json(TABLE, {"move": "new", "step": "0"})[0] == 200
    with closing(sqlite3.connect(running.data_dir / FILE)) as other, ThreadPoolExecutor(1) as pool:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        answer = pool.submit(player.json, TABLE, {"move": "new", "step": "1"})
        while not answer.done() and time.monotonic() < began + 3 * MAX_LOOP_WAIT:
            time.sleep(0.01)
        assert not answer.done()
        other.rollback()
        status, table = answer.result()
    assert (status, table["step"]) == (200, 2)
    player.close()


HELD = r"^\d+: (?!->).* (?:READ|WRITE) +(\d+) "
"""Matches a lock of a process in ``/proc/locks``. Waiting locks, which begin with an arrow, are
excluded.
"""


def test_every_worker_holds_its_own_lock_on_the_file(running: Server) -> None:
    """SQLite's locks do not survive a fork, so another program could delete the workers' log."""
    for _ in range(40):  # repeated until the second worker has also started and responded
        with ThreadPoolExecutor(16) as pool:
            for _ in pool.map(lambda _: one_move(running.port), range(64)):
                pass
        own = {process.pid for process in running.processes()}
        locks = re.findall(HELD, Path("/proc/locks").read_text(), re.MULTILINE)
        holders = {int(process) for process in locks}
        if len(own & holders) >= 2:
            break
    assert len(own & holders) >= 2
    assert running.processes()[0].pid not in holders


def one_move(port: int) -> None:
    with closing(Client(port)) as player:
        assert player.json(TABLE, NEW)[0] == 200


@pytest.mark.slow
def test_killed_server_leaves_no_worker_and_loses_nothing(tmp_path: Path) -> None:
    """No old worker keeps the port, and reading the database file changes nothing."""
    with Server(tmp_path) as server, closing(Client(server.port)) as player:
        for step in range(30):
            assert player.json(TABLE, {"move": "new", "step": str(step)})[0] == 200
            if step == 5:
                assert python("app.py", "check", DATA_DIR=str(tmp_path)).returncode == 0
        processes = server.processes()
        processes[0].kill()
        left = psutil.wait_procs(processes[1:], timeout=60)[1]
        assert [process.cmdline() for process in left] == []
        assert not listens(server.port)
    with Server(tmp_path) as server, closing(Client(server.port)) as again:
        again.cookies = player.cookies
        assert again.json(TABLE)[1]["step"] == 30


def kill_workers_until_the_server_starts_again(server: Server) -> None:
    """Kill each new worker until the log reports another restart of the server."""
    (parent, *_) = server.processes()
    # The oldest child runs the background work, so it is not killed.
    oldest = min(parent.children(), key=psutil.Process.create_time)
    before = server.log().count("the server starts again in")
    deadline = time.monotonic() + 120
    while server.log().count("the server starts again in") == before:
        assert time.monotonic() < deadline, server.log()
        for child in parent.children():
            if child != oldest:
                with suppress(psutil.NoSuchProcess):
                    child.kill()
        time.sleep(0.1)


@pytest.mark.slow
def test_site_recovers_from_repeated_worker_deaths(tmp_path: Path) -> None:
    """The process stops on SIGTERM as usual, even during a pause."""
    with Server(tmp_path) as server:
        (parent, *_) = server.processes()
        kill_workers_until_the_server_starts_again(server)
        deadline = time.monotonic() + 120
        while not server.workers():
            assert time.monotonic() < deadline, server.log()
            time.sleep(0.1)
        with closing(Client(server.port)) as player:
            assert player.json(TABLE, {"move": "deal", "step": "0"})[0] == 200
        assert parent.is_running()
        kill_workers_until_the_server_starts_again(server)
        children = parent.children(recursive=True)
        parent.terminate()
        _, alive = psutil.wait_procs([parent, *children], timeout=120)
        assert alive == []


# ---- Concurrent requests -------------------------------------------------------------------


Sit = Callable[..., Client]


@pytest.fixture
def sit(running: Server) -> Iterator[Sit]:
    """Start players that use the server. All players stop at the end of the test."""
    with ExitStack() as seats:

        def sit(cookies: Mapping[str, str] | None = None) -> Client:
            player = Client(running.port)
            player.cookies = dict(cookies or {})
            return seats.enter_context(closing(player))

        yield sit


def at_once(players: list[Client], forms: list[tuple[str, dict[str, str]]]) -> list[int]:
    """Send a form of each player concurrently, and return the statuses."""
    barrier = Barrier(len(players))

    def send(player: Client, path: str, form: dict[str, str]) -> int:
        barrier.wait()
        return player.json(path, form)[0]

    with ThreadPoolExecutor(len(players)) as pool:
        sent = [
            pool.submit(send, player, *form) for player, form in zip(players, forms, strict=True)
        ]
        return [future.result() for future in sent]


def test_eight_copies_of_one_hit_always_draw_one_card(sit: Sit) -> None:
    player = sit()
    _, table = player.json(TABLE, {"move": "deal", "step": "0"})
    copies = [sit(player.cookies) for _ in range(8)]
    for _ in range(20):
        before = table["view"]
        if before["phase"] != "playing":
            _, table = player.json(TABLE, {"move": "deal", "step": str(table["step"])})
            before = table["view"]
        form = {"move": "hit", "step": str(table["step"])}
        statuses = at_once(copies, [(TABLE, form)] * 8)
        assert sorted(statuses) == [200] + [409] * 7
        step = table["step"]
        _, table = player.json(TABLE)
        assert table["step"] == step + 1
        after = table["view"]
        assert len(after["player"]["cards"]) == len(before["player"]["cards"]) + 1


# ---- The disk ------------------------------------------------------------------------------


def test_a_full_disk_is_a_503_and_a_log_line_and_passes(running: Server) -> None:
    """Prevent all processes of the server from extending a file, as on a full disk."""
    server, folder = running, running.data_dir
    with closing(Client(server.port)) as player:
        for step in range(60):
            assert player.json(TABLE, {"move": "new", "step": str(step)})[0] == 200
        longest = max(path.stat().st_size for path in folder.glob("cardgames.db*"))
        everything = resource.RLIM_INFINITY
        limit(server, longest)
        refused = until(player, 503, step=60)
        assert refused
        limit(server, 1)  # From here on, there is no space for even one more log line.
        response = player.post(TABLE, {"move": "new", "step": str(refused)})
        assert response.status == 503
        assert response.headers["Retry-After"]
        assert "<h1>The server cannot save games right now" in response.text
        assert player.get("/healthz").status == 503
        assert player.json(TABLE)[1]["step"] == refused  # GET requests still work.
        limit(server, everything)
        assert player.get("/healthz").text == "ok"
        assert player.json(TABLE, {"move": "new", "step": str(refused)})[0] == 200
        assert "database: " in server.log()
        assert str(folder / "cardgames.db") in server.log()
    assert is_sound(folder)


def limit(server: Server, size: int) -> None:
    """Set the maximum size of files that the server's processes may write.

    Other limits do not change.
    """
    for process in server.processes():
        process.rlimit(psutil.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def until(player: Client, status: int, step: int) -> int:
    """Play until a response has the given status; return that move's step, or 0."""
    for _ in range(2_000):
        form = {"move": "new", "step": str(step)}
        if player.json(TABLE, form)[0] == status:
            return step
        step += 1
    return 0


def test_the_log_names_the_fault_and_no_card(
    client: FlaskClient, capfd: pytest.CaptureFixture[str]
) -> None:
    client.post(TABLE, data=NEW)
    engine = database(client.application).engine
    broken = sqlite3.OperationalError("database or disk is full")

    def fail(*_: object) -> None:
        raise broken

    capfd.readouterr()
    engine.dispose()
    event.listen(engine, "do_connect", fail)
    assert client.get(TABLE).status_code == 503
    event.remove(engine, "do_connect", fail)
    lines = [msgspec.json.decode(line) for line in capfd.readouterr().err.splitlines()]
    assert lines[0]["level"] == "error"
    assert lines[0]["message"].endswith("database or disk is full")
    assert lines[0]["id"] == lines[1]["id"]
    assert lines[1]["status"] == 503
    assert client.get(TABLE).status_code == 200


# ---- Twice -----------------------------------------------------------------------------------


def test_a_second_server_on_the_port_is_refused_in_one_sentence(
    running: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "serve", lambda *_: None)
    environment = {"DATA_DIR": str(running.data_dir), "PORT": str(running.port)}
    ended = CliRunner(env=environment).invoke(command)
    assert (ended.exit_code, ended.stderr.count("\n")) == (1, 1)
    said = f"Cardgames cannot start. PORT {running.port} of 127.0.0.1 is taken"
    assert ended.stderr.startswith(said)
    one_move(running.port)


# ---- Time ------------------------------------------------------------------------------------

HOUR, DAY, YEAR = 3_600, 86_400, 365 * 86_400


@pytest.mark.parametrize("leap", [-50 * YEAR, -HOUR, 13 * DAY])
def test_leaping_clock_ends_no_session(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, leap: int
) -> None:
    """Moves are made while the clock is wrong, and then the clock is corrected."""
    for step in range(ESTABLISHED):
        client.post(TABLE, data={"move": "new", "step": str(step)})
    now = time.time()
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: now + leap)
        form = {"move": "new", "step": str(ESTABLISHED)}
        response = client.post(TABLE, data=form, headers=JSON)
        assert response.status_code == 200
        assert f"Max-Age={USUAL * DAY}" in response.headers["Set-Cookie"]
        assert "Expires" not in response.headers["Set-Cookie"]
    assert client.get(TABLE, headers=JSON).get_json()["step"] == ESTABLISHED + 1
    form = {"move": "new", "step": str(ESTABLISHED + 1)}
    assert client.post(TABLE, data=form).status_code == 303
