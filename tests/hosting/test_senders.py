"""Clients that connect without nginx and send slowly, incompletely, too much or nothing.

The clients are raw sockets. The timeouts of the served site are shorter than those of the real
site.
"""

import gzip
import http.client
import select
import signal
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

import psutil
import pytest

from tests.support.http_client import Client
from tests.support.machines import listens, wait_until
from tests.support.serving import Server
from web.http.asgi import MAX_DISCARDED, MAX_HEADERS
from web.http.requests import MAX_BODY

TABLE: Final = "/simple-21"
NEW: Final = {"move": "new", "step": "0"}
FORM: Final = "Content-Type: application/x-www-form-urlencoded\r\n"
METHODS: Final = ("GET", "HEAD", "POST")

SHORT: Final = (
    "import sys, app; "
    "from web.commands import serve; from web.http import asgi; "
    "asgi.BODY_TIMEOUT, serve.IDLE, serve.MAX_CONNECTIONS; "  # They must exist.
    "{}; "
    "sys.exit(serve.run(app.create_app))"
)
"""A server with changed timeouts and limits, so that no test waits for long."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    short = SHORT.format("asgi.BODY_TIMEOUT = 2")
    with Server(tmp_path_factory.mktemp("senders"), "-c", short) as running:
        yield running


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with one worker, a short timeout for headers, and few connections."""
    short = SHORT.format("serve.IDLE = 1; serve.MAX_CONNECTIONS = 8")
    folder, settings = tmp_path_factory.mktemp("hasty"), {"WORKERS": "1", "TRUSTED_PROXIES": "1"}
    with Server(folder, "-c", short, **settings) as running:
        yield running


@pytest.fixture
def player(server: Server) -> Iterator[Client]:
    with closing(Client(server.port)) as seated:
        yield seated


Open = Callable[..., socket.socket]

OPEN: Final = ("01", "03")
"""States in /proc/net/tcp of connections that neither side has closed."""


@pytest.fixture
def send(server: Server) -> Iterator[Open]:
    """Open a connection and send data.

    All connections are closed at the end of the test.
    """
    with ExitStack() as held:

        def send(data: str | bytes = b"", port: int = server.port) -> socket.socket:
            connection = held.enter_context(socket.create_connection(("127.0.0.1", port), 120))
            connection.sendall(data.encode() if isinstance(data, str) else data)
            return connection

        yield send


def request(method: str, headers: str, body: str = "", path: str = TABLE, cookie: str = "") -> str:
    sent = f"Cookie: {cookie}\r\n" if cookie else ""
    return f"{method} {path} HTTP/1.1\r\nHost: x\r\n{sent}{FORM}{headers}\r\n{body}"


def chunked(*pieces: str) -> str:
    return "".join(f"{len(piece):x}\r\n{piece}\r\n" for piece in pieces)


def answer(connection: socket.socket) -> str:
    """Return all data that the server sends until it closes the connection."""
    with connection.makefile("rb") as stream:
        return stream.read().decode()


def status(said: str) -> int:
    return int(said[9:12])


def is_well(port: int) -> None:
    """Send enough requests that every worker responds to at least one request."""
    for _ in range(30):
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=120)) as connection:
            connection.request("GET", "/healthz")
            assert connection.getresponse().read() == b"ok"


def is_read(connection: socket.socket) -> bool:
    """Return whether the server has read all data that was sent so far."""
    ours, theirs = (
        f":{name[1]:04X}" for name in (connection.getsockname(), connection.getpeername())
    )
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, state, queues, *rest = line.split()
        if (local[-5:], remote[-5:]) == (theirs, ours) and state in OPEN:
            return (
                queues.endswith(":00000000") and rest[4] != "0"
            )  # the inode is not 0 once the connection is accepted
    return True  # The client closed the connection.


# ---- Silent and slow -----------------------------------------------------------------------


def test_silent_bodies_keep_nobody_out_and_are_given_up(server: Server, send: Open) -> None:
    half = [(method, request(method, "Content-Length: 9\r\n", "m")) for method in METHODS * 30]
    held = [(method, send(sent)) for method, sent in half]
    is_well(server.port)
    for method, connection in held:
        said = answer(connection)
        assert status(said) == 408
        assert "connection: close" in said.lower()
        assert "Nothing has changed" in said or method == "HEAD"


def test_a_form_byte_by_byte_has_one_deadline_as_a_whole(send: Open) -> None:
    slow = send(request("POST", "Content-Length: 1000\r\n"))
    slow.settimeout(0.1)
    said, sent = b"", 0
    while not said:
        slow.sendall(b"m")
        sent += 1
        assert sent < 900
        try:
            said = slow.recv(4096)
        except TimeoutError:
            continue
    assert status(said.decode()) == 408


def test_a_silent_connection_is_hung_up(hasty: Server, send: Open) -> None:
    """The timeout applies after no data, one byte, half of the headers, and a request."""
    whole = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    held = [send(whole[:length], hasty.port) for length in (0, 1, 30, len(whole))]
    said = [
        answer(connection) for connection in held
    ]  # The server closes the connection, but this side does not.
    assert said[:3] == [""] * 3
    assert said[3].endswith("ok")


def test_headers_byte_by_byte_have_one_deadline_as_a_whole(hasty: Server, send: Open) -> None:
    slow = send("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", hasty.port)

    def is_hung_up() -> bool:
        try:
            slow.sendall(b"m")
        except OSError:
            return True
        return False

    wait_until(is_hung_up)


def test_newcomer_has_a_turn_while_all_connections_are_held(hasty: Server, send: Open) -> None:
    for _ in range(12):
        send("", hasty.port)
    with closing(Client(hasty.port)) as player:
        assert player.json(TABLE, NEW)[0] == 200


@pytest.mark.slow
def test_a_whole_form_is_not_late_because_the_server_was_busy(tmp_path: Path, send: Open) -> None:
    """Every process is paused for longer than the timeout while the rest of a form arrives."""
    body = "move=new&step=0"
    headers = f"Content-Length: {len(body)}\r\nConnection: close\r\n"
    with Server(tmp_path, "-c", SHORT.format("asgi.BODY_TIMEOUT = 6")) as server:
        is_well(server.port)
        moves = [send(request("POST", headers, body[:4]), server.port) for _ in range(20)]
        processes = server.processes()
        wait_until(lambda: all(is_read(connection) for connection in moves))
        for process in processes:
            process.send_signal(signal.SIGSTOP)
        try:
            for connection in moves:
                connection.sendall(body[4:].encode())
            time.sleep(7)  # longer than BODY_TIMEOUT
        finally:
            for process in processes:
                process.send_signal(signal.SIGCONT)
        assert [status(answer(connection)) for connection in moves] == [303] * 20


# ---- Stopping ------------------------------------------------------------------------------


def held_request(port: int) -> str:
    """Return a request of a phone that waits for news, because the phone has the page."""
    with closing(Client(port)) as boss, closing(Client(port)) as phone:
        page = f"/class/{boss.json('/class/new', {'title': 'A'})[1]['class']}"
        phone.json(f"{page}/join", {"offer": phone.json(page)[1]["offers"][0]})
        etag = phone.get(page, {"Accept": "text/html"}).headers["ETag"]
        headers = f"Accept: text/html\r\nIf-None-Match: {etag}\r\nPrefer: wait=25\r\n"
        return request("GET", headers, path=page, cookie=phone.cookie)


def test_stop_answers_complete_requests_and_drops_silent_ones(tmp_path: Path, send: Open) -> None:
    """Stopping closes silent connections immediately, but gives a form time to arrive.

    Requests that wait for news are answered, because the client would otherwise report an error.
    """
    long = SHORT.format("asgi.BODY_TIMEOUT = serve.IDLE = 300")
    body = "move=new&step=0"
    with Server(tmp_path, "-c", long, CLASSES="open") as server:
        waiting = held_request(server.port)
        held = [send(waiting, server.port) for _ in range(4)]
        with closing(Client(server.port)) as player:
            player.json(TABLE, NEW)
        for _ in range(40):
            send("", server.port)
            send("GET / HTTP/1.1\r\nHost: x\r\n", server.port)
            for method in METHODS:
                send(request(method, "Content-Length: 9\r\n", "m"), server.port)
            send(request("POST", "Transfer-Encoding: chunked\r\n", "5\r\nmo"), server.port)
        headers = f"Content-Length: {len(body)}\r\n"
        moves = [send(request("POST", headers, body[:4]), server.port) for _ in range(20)]
        is_well(server.port)
        processes = server.processes()
        assert not select.select(held, [], [], 0.5)[0]
        processes[0].terminate()
        for connection in held:
            said = answer(connection)
            assert (status(said), "Preference-Applied" in said) == (304, False)
        for connection in moves:
            connection.sendall(body[4:].encode())
        assert [status(answer(connection)) for connection in moves] == [303] * 20
        left = psutil.wait_procs(processes, timeout=60)[1]
        assert [process.cmdline() for process in left] == []
        assert not listens(server.port)


# ---- Cut off ---------------------------------------------------------------------------------


def reset(connection: socket.socket) -> None:
    """Close the connection early, so that the other side receives a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def refused(server: Server) -> int:
    return server.log().count('"status":400')


HALF: Final = "move=deal&step=1"
CUT_OFF: Final = {
    "in its length": ("Content-Length: 100\r\n", HALF),
    "between chunks": ("Transfer-Encoding: chunked\r\n", chunked(HALF)),
    "in a chunk": ("Transfer-Encoding: chunked\r\n", f"{chunked(HALF)}9\r\n&dec"),
    "in a chunk's length": ("Transfer-Encoding: chunked\r\n", f"{chunked(HALF)}9"),
    "before its last line": ("Transfer-Encoding: chunked\r\n", f"{chunked(HALF)}0\r\n"),
    "by nonsense": ("Transfer-Encoding: chunked\r\n", f"{chunked(HALF)}nonsense\r\n"),
}


@pytest.mark.parametrize("end", [reset, lambda connection: connection.shutdown(socket.SHUT_WR)])
@pytest.mark.parametrize("where", CUT_OFF)
def test_half_a_form_is_not_played(
    server: Server, player: Client, send: Open, where: str, end: Callable[[socket.socket], None]
) -> None:
    player.json(TABLE, NEW)
    before = refused(server)
    headers, body = CUT_OFF[where]
    connection = send(request("POST", headers, body, cookie=player.cookie))
    wait_until(lambda: is_read(connection))  # A reset discards the rest of the request.
    end(connection)
    wait_until(lambda: refused(server) > before)
    assert player.json(TABLE)[1]["step"] == 1


def test_a_chunked_form_is_played_when_it_came_to_its_end(player: Client, send: Open) -> None:
    player.json(TABLE, NEW)
    headers = "Transfer-Encoding: chunked\r\nConnection: close\r\n"
    body = chunked("move=new&", "step=1")
    said = answer(send(request("POST", headers, f"{body}0\r\n\r\n", cookie=player.cookie)))
    assert status(said) == 303
    assert player.json(TABLE)[1]["step"] == 2


@pytest.mark.parametrize("size", [MAX_BODY + 1, 4 * MAX_BODY])
@pytest.mark.parametrize("encoding", ["length", "chunked"])
def test_oversized_form_is_rejected_on_a_living_connection(
    server: Server, size: int, encoding: str
) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)) as connection:
        body = b"deck=" + b"K" * (size - 5)
        chunks = iter([body[:1_000], body[1_000:]])
        connection.request(
            "POST",
            TABLE,
            body=body if encoding == "length" else chunks,
            headers={"Content-Type": "application/x-www-form-urlencoded"},
            encode_chunked=encoding == "chunked",
        )
        response = connection.getresponse()
        assert response.status == 413
        assert "too large" in response.read().decode()
        same = connection.sock
        assert same
        connection.request("GET", "/healthz")
        assert connection.getresponse().read() == b"ok"
        assert connection.sock is same


def test_a_body_without_an_end_in_sight_is_refused(send: Open) -> None:
    connection = send(request("POST", f"Content-Length: {4 * MAX_DISCARDED}\r\n"))
    with pytest.raises(OSError):  # noqa: PT012 - the client closes the connection far from the end
        for _ in range(3 * MAX_DISCARDED // 100_000):
            connection.sendall(b"K" * 100_000)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_unexpected_body_is_rejected(send: Open, method: str) -> None:
    connection = send(request(method, "Content-Length: 4\r\nConnection: close\r\n", "ha"))
    connection.sendall(b"lf")
    said = answer(connection)
    assert status(said) == 400
    assert "could not be understood" in said or method == "HEAD"


# ---- Headers -------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [MAX_HEADERS + 1, 400_000])
@pytest.mark.parametrize("name", ["Cookie", "Accept-Language"])
def test_oversized_headers_are_rejected_in_words(player: Client, name: str, size: int) -> None:
    response = player.get(TABLE, {name: "x" * size})
    assert response.status == 431
    assert "more than 16 KB of cookies" in response.text
    response = player.post(TABLE, NEW, {"X-Any": "x" * size, "Accept": "application/json"})
    assert response.status == 431
    assert response.text.startswith('{"error":"Your browser sent more than 16 KB')
    assert "Set-Cookie" not in response.headers
    assert player.get("/healthz").text == "ok"


def test_names_of_headers_count_as_their_values_do(player: Client) -> None:
    many = {f"X-{'n' * 1_000}-{number}": "x" for number in range(20)}
    assert player.get(TABLE, headers=many).status == 431
    few = {f"X-{'n' * 1_000}-{number}": "x" for number in range(10)}
    assert player.get(TABLE, headers=few).status == 200


@pytest.mark.parametrize(
    ("hosts", "version", "expected"),
    [
        ("Host: x\r\n", "1.1", 200),
        ("", "1.0", 200),
        ("", "1.1", 400),
        ("Host: x\r\nHost: y\r\n", "1.1", 400),
        ("Host: x\r\nHost: x\r\n", "1.1", 400),
        ("Host: x, y\r\n", "1.0", 400),
    ],
)
def test_a_request_names_one_host(send: Open, hosts: str, version: str, expected: int) -> None:
    said = answer(send(f"GET {TABLE} HTTP/{version}\r\n{hosts}Connection: close\r\n\r\n"))
    assert status(said) == expected


def test_a_compressed_form_is_refused_and_not_played(server: Server, player: Client) -> None:
    player.json(TABLE, NEW)
    packed = gzip.compress(b"move=new&step=1")
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/x-www-form-urlencoded"}
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)) as connection:
        connection.request("POST", TABLE, packed, {**headers, "Cookie": player.cookie})
        response = connection.getresponse()
        assert response.status == 415
        assert "Compressed forms are not accepted" in response.read().decode()
    assert player.json(TABLE)[1]["step"] == 1


def test_a_header_with_an_underscore_is_not_the_one_with_a_dash(hasty: Server, send: Open) -> None:
    """A proxy sets the header whose name has dashes. No client may extend its value."""
    rest = "Content-Length: 15\r\nConnection: close\r\n"
    secure = []
    for name in ("X_Forwarded_Proto", "X-Forwarded-Proto"):
        sent = request("POST", f"{name}: https\r\n{rest}", "move=new&step=0")
        said = answer(send(sent, hasty.port)).lower()
        assert "set-cookie: cardgames-" in said
        secure.append("; secure" in said)
    assert secure == [False, True]
