"""Requests that are queued or rejected between an ASGI server and a WSGI app."""

import asyncio
import json
import socket
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http import HTTPStatus
from pathlib import Path
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

import flask
import pytest
from werkzeug.test import create_environ

from app import create_app
from tests.support.busy_site import Sessions
from tests.support.http_client import Client
from tests.support.machines import wait_until
from tests.support.serving import Server
from tests.support.site import new_site
from web.http import threads
from web.http.asgi import ASGIApplication
from web.http.threads import THREADS, Answer, Turns, run_wsgi
from web.settings import Settings


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("served"), "-m", "tests.support.busy_site") as server:
        yield server


@pytest.fixture
def busy(served: Server) -> Iterator[Server]:
    """A server that sends its slow responses after :func:`go_on` is called."""
    yield served
    (served.data_dir / "go-on").unlink(missing_ok=True)


def asked(server: Server, path: str, cookie: str = "") -> str:
    with closing(Client(server.port)) as player:
        answer = player.get(path, {"Cookie": cookie} if cookie else {})
        assert answer.status == HTTPStatus.OK
        return answer.text


def go_on(server: Server) -> None:
    (server.data_dir / "go-on").touch()


# ---- The queues ------------------------------------------------------------------------------


def test_slow_request_delays_only_its_own_player(busy: Server) -> None:
    with ThreadPoolExecutor() as pool:
        long = [pool.submit(asked, busy, "/long", "session=one") for _ in range(8)]
        wait_until(lambda: asked(busy, "/most-at-once", "session=two") == "1")
        assert [asked(busy, "/quick", "session=two") for _ in range(20)] == ["quick"] * 20
        mine = pool.submit(asked, busy, "/quick", "x=y; session=one")
        assert not any(page.done() for page in [*long, mine])
        go_on(busy)
        assert mine.result() == "quick"
        assert [page.result() for page in long] == ["long"] * 8
    assert asked(busy, "/most-at-once") == "1"


STRANGER, PLAYER = "", "session=one"


class Site(flask.Flask):
    """An app that waits for a signal before it responds.

    The app accepts every session cookie as a player's cookie.
    """

    def __init__(self) -> None:
        super().__init__("site")
        self.session_interface = Sessions()
        self.may_answer = threading.Event()
        self.add_url_rule("/", view_func=self.answer, methods=["GET", "POST"])

    def answer(self) -> str:
        self.may_answer.wait(60)
        return "well"


async def statuses(site: Site, cookies: Iterable[str], method: str) -> list[int]:
    """Send one request per cookie before any response arrives; return the statuses."""
    turns = Turns(site)

    async def send(cookie: str) -> int:
        environ = create_environ("/", method=method, headers={"Cookie": cookie})
        return (await turns.answer(environ))[0]

    sent = [asyncio.ensure_future(send(cookie)) for cookie in cookies]
    for _ in range(5):
        await asyncio.sleep(0)
    site.may_answer.set()
    return await asyncio.gather(*sent)


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    ("cookies", "most"),
    [
        ([PLAYER] * 40, threads.MAX_REQUESTS_PER_CLIENT),
        ([f"session={number}" for number in range(50)], 20),
        ([STRANGER] * 50, 30),
        (["other=J\xf6rg"] * 50, 30),
    ],
)
def test_requests_above_a_maximum_are_rejected(
    monkeypatch: pytest.MonkeyPatch, cookies: list[str], most: int, method: str
) -> None:
    monkeypatch.setattr(
        threads, "MAX_PLAYERS", 50 if most == threads.MAX_REQUESTS_PER_CLIENT else 20
    )
    monkeypatch.setattr(threads, "MAX_STRANGERS", 30)
    site = Site()
    answered = Counter(asyncio.run(statuses(site, cookies, method)))
    assert answered == {200: most, 503: len(cookies) - most}
    assert asyncio.run(statuses(site, cookies[:1], method)) == [200]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_strangers_never_take_a_players_place(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    monkeypatch.setattr(threads, "MAX_STRANGERS", 30)
    cookies = [*[STRANGER] * 100, *(f"session={number}" for number in range(30))]
    found = asyncio.run(statuses(Site(), cookies, method))
    assert Counter(found[:100]) == {200: 30, 503: 70}
    assert found[100:] == [200] * 30


def test_a_player_waits_for_two_strangers_at_most(busy: Server) -> None:
    """A new client's third slow page is queued separately, so players do not wait."""
    with ThreadPoolExecutor() as pool:
        slow = [pool.submit(asked, busy, "/long") for _ in range(8)]
        wait_until(lambda: asked(busy, "/most-at-once", PLAYER) == "2")
        assert [asked(busy, "/quick", PLAYER) for _ in range(20)] == ["quick"] * 20
        assert asked(busy, "/most-at-once", PLAYER) == "2"
        go_on(busy)
        assert [page.result() for page in slow] == ["long"] * 8


def test_quick_views_are_answered_while_all_threads_are_busy(busy: Server) -> None:
    with ThreadPoolExecutor() as pool:
        long = [pool.submit(asked, busy, "/long", f"session={n}") for n in range(threads.THREADS)]
        wait_until((busy.data_dir / f"began-{threads.THREADS}").exists)
        assert asked(busy, "/quick", "session=quick") == "quick"
        go_on(busy)
        assert [page.result() for page in long] == ["long"] * threads.THREADS


def test_postgresql_answers_several_requests_at_once() -> None:
    together, site = threading.Barrier(THREADS), Site()
    site.may_answer.wait = lambda _: together.wait(60)  # type: ignore[method-assign]

    async def send() -> list[Answer]:
        turns = Turns(site, width=THREADS)
        forms = (
            create_environ("/", method="POST", headers={"Cookie": f"session={number}"})
            for number in range(THREADS)
        )
        return await asyncio.gather(*map(turns.answer, forms))

    assert [body for _, _, body in asyncio.run(send())] == [b"well"] * THREADS


async def pause_beside_a_request(*, uses_loop: bool) -> bool:
    """Return whether a pause ends although another request has the only turn."""
    site = Site()
    turns = Turns(site, uses_loop=uses_loop)
    form = create_environ("/", method="POST", headers={"Cookie": "session=1"})
    answer = asyncio.ensure_future(turns.answer(form))
    await asyncio.sleep(0)
    pause = asyncio.ensure_future(turns.pause())
    for _ in range(5):
        await asyncio.sleep(0)
    is_over = pause.done()
    site.may_answer.set()
    await answer
    await asyncio.wait_for(pause, 60)
    return is_over


def test_pause_waits_for_a_turn_unless_pages_need_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "TURN_SECONDS", 60)
    monkeypatch.setattr(threads, "MAX_PAUSE", 60)
    assert not asyncio.run(pause_beside_a_request(uses_loop=False))
    assert asyncio.run(pause_beside_a_request(uses_loop=True))
    monkeypatch.setattr(threads, "MAX_PAUSE", 0)
    assert asyncio.run(pause_beside_a_request(uses_loop=False))


def test_a_rejection_is_the_sites_own_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page contains no data of the first rejected client, and is rendered only once."""
    monkeypatch.setattr(threads, "MAX_STRANGERS", 0)
    turns = Turns(create_app(Settings(data_dir=tmp_path, url_prefix="/cards")), "/cards")

    def rejected(path: str, **headers: str) -> Answer:
        return asyncio.run(turns.answer(create_environ(path, environ_overrides=headers)))

    german = {"HTTP_COOKIE": "cardgames=" + "0" * 96, "HTTP_ACCEPT_LANGUAGE": "de-AT,de"}
    status, headers, body = rejected("/class/K7QXB?x=1", **german)
    assert status == 503
    assert {"Retry-After", "Content-Security-Policy"} <= dict(headers).keys()
    assert "Zu viele" in body.decode()
    assert 'href="/cards/' in body.decode()
    assert "K7QXB" not in body.decode()
    assert b'"error":"Too many' in rejected("/", HTTP_ACCEPT="application/json")[2]
    assert rejected("/x", **german)[2] is body


def test_a_cancelled_request_holds_up_nobody() -> None:
    async def two_of_which_one_is_cancelled() -> bytes:
        site = Site()
        site.may_answer.set()
        turns, environ = Turns(site), create_environ("/", method="POST")
        cancelled = asyncio.ensure_future(turns.answer(environ))
        await asyncio.sleep(0)
        cancelled.cancel()
        return (await asyncio.wait_for(turns.answer(environ), 60))[2]

    assert asyncio.run(two_of_which_one_is_cancelled()) == b"well"


def test_worker_has_the_settings_of_its_server(served: Server) -> None:
    assert asked(served, "/settings") == "/only-here 123"


# ---- The app's environment -------------------------------------------------------------------


def sent(server: Server, request: str) -> str:
    with socket.create_connection(("127.0.0.1", server.port), 120) as connection:
        connection.sendall(request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1).encode())
        with connection.makefile("rb") as stream:
            return stream.read().decode()


def environment(server: Server, request: str) -> dict[str, str]:
    received = json.loads(sent(server, request).partition("\r\n\r\n")[2])
    return dict(received)


def test_app_gets_the_wsgi_environment(served: Server) -> None:
    received = environment(
        served,
        "POST /seen?a=%20b&a=c HTTP/1.1\r\nHost: here:80\r\nContent-Type: text/plain\r\n"
        "Content-Length: 2\r\nX-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 2.2.2.2\r\n"
        "x-lower: 1\r\n\r\nhi",
    )
    expected = {
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "PATH_INFO": "/seen",
        "QUERY_STRING": "a=%20b&a=c",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": str(served.port),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_TYPE": "text/plain",
        "CONTENT_LENGTH": "2",
        "HTTP_HOST": "here:80",
        "HTTP_X_FORWARDED_FOR": "1.1.1.1,2.2.2.2",
        "HTTP_X_LOWER": "1",
        "wsgi.url_scheme": "http",
    }
    assert {name: received.get(name) for name in expected} == expected
    assert not [name for name in received if name.startswith("HTTP_CONTENT_")]
    assert "HTTP_TRANSFER_ENCODING" not in received


def test_a_path_is_bytes_as_wsgi_writes_them(served: Server) -> None:
    received = environment(served, "GET /seen/b%C3%BC%2F%20 HTTP/1.1\r\nHost: x\r\n\r\n")
    assert received["PATH_INFO"].encode("latin-1").decode() == "/seen/bü/ "


@pytest.mark.parametrize(
    "line",
    [
        "GET http://elsewhere.example/quick HTTP/1.1",
        "GET //evil.example/ HTTP/1.1",
        "GET /%FF%00%0d%0aX:1 HTTP/1.1",
        "OPTIONS * HTTP/1.1",
        "TRACE /quick HTTP/1.1",
        "BREW /quick HTTP/1.1",
        "CONNECT elsewhere.example:80 HTTP/1.1",
        "GET /?" + "q" * 60_000 + " HTTP/1.1",
    ],
)
def test_a_strange_request_is_answered_and_no_500(served: Server, line: str) -> None:
    said = sent(served, f"{line}\r\nHost: x\r\n\r\n")
    assert 200 <= int(said[9:12]) < 500
    assert asked(served, "/quick") == "quick"


def test_an_app_is_called_as_wsgi_says() -> None:
    """The app may start its response late and write part of the body.

    The server must close the app's iterable.
    """
    closed = []

    class Body:
        def __init__(self, start: StartResponse) -> None:
            self._start = start

        def __iter__(self) -> Iterator[bytes]:
            write = self._start("200 OK", [("X-A", "1")])
            write(b"a")
            yield b"b"
            yield b"c"

        def close(self) -> None:
            closed.append(True)

    def app(_environ: WSGIEnvironment, start_response: StartResponse) -> Body:
        return Body(start_response)

    assert run_wsgi(app, {}) == (200, [("X-A", "1")], b"abc")
    assert closed == [True]


# ---- Errors around the app -------------------------------------------------------------------


SCOPE: dict[str, Any] = {
    "method": "GET",
    "path": "/",
    "query_string": b"",
    "http_version": "1.1",
    "server": ("127.0.0.1", 8000),
    "client": ("127.0.0.1", 50_000),
    "scheme": "http",
    "headers": [(b"host", b"localhost")],
}


def served_by(application: ASGIApplication, **scope: Any) -> tuple[int, dict[str, str], str]:
    """Return the status, headers and body that the site sends to an ASGI server."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(event: dict[str, Any]) -> None:
        sent.append(event)

    asyncio.run(application({**SCOPE, **scope}, receive, send))
    start, body = sent
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], headers, body["body"].decode()


@pytest.fixture
def site(tmp_path: Path) -> flask.Flask:
    return new_site(tmp_path)


@pytest.mark.parametrize("is_sqlite", [True, False])
def test_error_around_the_app_gets_the_sites_page_and_one_line(
    site: flask.Flask, capfd: pytest.CaptureFixture[str], *, is_sqlite: bool
) -> None:
    def broken(*_: object) -> Any:
        raise RuntimeError("the hole card is KS")

    site.wsgi_app = broken  # type: ignore[method-assign]
    application = ASGIApplication(site, is_sqlite=is_sqlite)
    capfd.readouterr()
    status, headers, body = served_by(application)
    assert status == 500
    assert "Content-Security-Policy" in headers
    assert "<title>" in body
    lines = [json.loads(line) for line in "".join(capfd.readouterr()).splitlines()]
    assert [(line["level"], line["error"]) for line in lines] == [("error", "RuntimeError")]
    assert "KS" not in str(lines)
    accept = [(b"accept", b"application/json")]
    assert json.loads(served_by(application, headers=accept)[2]).keys() == {"error"}


def test_error_while_a_request_is_read_gets_the_sites_page(site: flask.Flask) -> None:
    status, _, body = served_by(ASGIApplication(site), path="/\ud800")
    assert (status, "<title>" in body) == (500, True)


def test_cookie_in_latin_1_is_read_as_flask_does(site: flask.Flask) -> None:
    application = ASGIApplication(site, is_sqlite=True)
    for cookie in (b"other=J\xf6rg", b"x=\xff\xfe; cardgames=\xf6.\xf6", b"\xf6", b'a="\xf6\\377"'):
        headers = [(b"host", b"localhost"), (b"cookie", cookie)]
        for path in ("/", "/simple-21", "/healthz", "/class/guide"):
            assert served_by(application, path=path, headers=headers)[0] == 200


def test_session_beside_a_cookie_in_latin_1_is_a_players(
    site: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = site.test_client()
    client.post("/simple-21", data={"move": "new", "step": "0"})
    name = site.config["SESSION_COOKIE_NAME"]
    cookie = client.get_cookie(name)
    assert cookie
    monkeypatch.setattr(threads, "MAX_STRANGERS", 0)
    application = ASGIApplication(site, is_sqlite=True)
    signed = f"{name}={cookie.value}".encode()
    forged = signed[:-1] + (b"0" if signed[-1:] != b"0" else b"1")
    for value, status in [(b"other=J\xf6rg; " + signed, 200), (forged, 503), (b"", 503)]:
        headers = [(b"host", b"localhost"), (b"cookie", value)]
        assert served_by(application, path="/simple-21", headers=headers)[0] == status
