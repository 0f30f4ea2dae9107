"""How an ASGI server's requests reach a WSGI app: when it is their turn, or not at all."""

import asyncio
import json
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http import HTTPStatus
from itertools import count
from pathlib import Path
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest
from werkzeug.test import create_environ

from app import create_app
from tests.support.machines import wait_until
from tests.support.serving import Player, Server
from web.http import threads
from web.http.security import REFUSED
from web.http.threads import MAX_REQUESTS_OF_ONE, THREADS, Answer, AppThreads, run_wsgi
from web.settings import Settings


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("served"), "-m", "tests.support.busy_site") as server:
        yield server


@pytest.fixture
def busy(served: Server) -> Iterator[Server]:
    """The server, whose long answers come once :func:`go_on` is called."""
    yield served
    (served.data_dir / "go-on").unlink(missing_ok=True)


def asked(server: Server, path: str, cookie: str = "") -> str:
    with closing(Player(server.port)) as player:
        response, text = player.request("GET", path, headers={"Cookie": cookie} if cookie else {})
        assert response.status == HTTPStatus.OK
        return text


def go_on(server: Server) -> None:
    (server.data_dir / "go-on").touch()


# ---- Whose turn it is ------------------------------------------------------------------------


def test_what_takes_long_holds_up_its_own_player_and_nobody_else(busy: Server) -> None:
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


@pytest.mark.parametrize(
    ("cookies", "answered"),
    [
        (["session=one"] * (MAX_REQUESTS_OF_ONE + 8), MAX_REQUESTS_OF_ONE),
        ([f"session={number}" for number in range(100)], 11),
        ([""] * 100, 8),  # three of them count for the threads and for who has no session
    ],
)
def test_more_than_may_wait_are_refused_and_all_is_well_again(
    monkeypatch: pytest.MonkeyPatch, cookies: list[str], answered: int
) -> None:
    """Each takes 20 ms: of 100 that come at once, those are answered whose wait is short."""
    ready = threading.Event()
    ready.set()
    most_wait = 0.2 if len(cookies) == 100 else 1_000

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        if REFUSED not in environ:
            ready.wait()
        start_response("503 Service Unavailable" if REFUSED in environ else "200 OK", [])
        return [b""]

    async def asked() -> Counter[int]:
        called = AppThreads(answer, "session")

        async def ask(cookie: str) -> int:
            return (await called.answer({"REQUEST_METHOD": "GET", "HTTP_COOKIE": cookie}))[0]

        for _ in range(200):
            assert await ask("session=first") == HTTPStatus.OK
        ready.clear()
        waiting = [asyncio.ensure_future(ask(cookie)) for cookie in cookies]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        ready.set()
        found = await asyncio.gather(*waiting)
        assert await ask(cookies[0]) == HTTPStatus.OK
        return Counter(found)

    monkeypatch.setattr(threads, "MAX_WAIT", most_wait)
    monkeypatch.setattr(threads, "perf_counter", count(0.0, 0.02).__next__)
    assert asyncio.run(asked()) == {200: answered, 503: len(cookies) - answered}


def test_forms_are_answered_one_at_a_time(busy: Server) -> None:
    """Else a process whose next form is always ready would keep SQLite from all others."""

    def send(number: int) -> str:
        with closing(Player(busy.port)) as player:
            player.cookie = f"session={number}"
            return player.request("POST", "/long", {})[1]

    with ThreadPoolExecutor() as pool:
        forms = [pool.submit(send, number) for number in range(4)]
        wait_until(lambda: asked(busy, "/most-at-once") == "1")
        go_on(busy)
        assert [form.result() for form in forms] == ["long"] * 4
    assert asked(busy, "/most-at-once") == "1"


def test_with_postgresql_forms_of_several_players_are_answered_at_the_same_time() -> None:
    together = threading.Barrier(THREADS)

    def answer(_: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        together.wait(60)
        start_response("200 OK", [])
        return [b"well"]

    async def asked() -> list[Answer]:
        called = AppThreads(answer, "session", at_once=THREADS)
        environ = {"REQUEST_METHOD": "POST"}
        return await asyncio.gather(*(called.answer(environ) for _ in range(THREADS)))

    assert [body for _, _, body in asyncio.run(asked())] == [b"well"] * THREADS


def test_a_refusal_is_the_sites_own_and_nothing_of_who_was_refused_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "MAX_WAIT", -1)
    refusing = AppThreads(
        create_app(Settings(data_dir=tmp_path, url_prefix="/cards")), "c", "/cards"
    )

    def refused(path: str, **headers: str) -> Answer:
        return asyncio.run(refusing.answer(create_environ(path, environ_overrides=headers)))

    german = {"HTTP_COOKIE": "cardgames=" + "0" * 96, "HTTP_ACCEPT_LANGUAGE": "de-AT,de"}
    status, headers, body = refused("/class/K7QXB?x=1", **german)
    assert status == 503
    assert {"Retry-After", "Content-Security-Policy"} <= dict(headers).keys()
    assert "Zu viele" in body.decode()
    assert "K7QXB" not in body.decode()
    assert b'"error":"Too many' in refused("/", HTTP_ACCEPT="application/json")[2]
    assert refused("/x", **german)[2] is body


def test_a_request_that_is_given_up_holds_up_nobody() -> None:
    """Its turn comes and goes, and the next one's comes."""

    def answer(_: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        start_response("200 OK", [])
        return [b"well"]

    async def two_of_which_one_is_given_up() -> bytes:
        called, environ = AppThreads(answer, "session"), {"REQUEST_METHOD": "POST"}
        given_up = asyncio.ensure_future(called.answer(environ))
        await asyncio.sleep(0)
        given_up.cancel()
        return (await asyncio.wait_for(called.answer(environ), 60))[2]

    assert asyncio.run(two_of_which_one_is_given_up()) == b"well"


def test_a_worker_has_the_settings_of_its_server_and_not_the_environments(served: Server) -> None:
    assert asked(served, "/settings") == "/only-here 123"


# ---- What the app is told --------------------------------------------------------------------


def sent(server: Server, request: str) -> str:
    with socket.create_connection(("127.0.0.1", server.port), 120) as connection:
        connection.sendall(request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1).encode())
        with connection.makefile("rb") as stream:
            return stream.read().decode()


def environment(server: Server, request: str) -> dict[str, str]:
    """Return what WSGI said of a request."""
    received = json.loads(sent(server, request).partition("\r\n\r\n")[2])
    return dict(received)


def test_the_app_is_told_what_wsgi_says(served: Server) -> None:
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
    """It may begin its answer late, write a part of it, and wants to be closed."""
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
