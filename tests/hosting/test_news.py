"""Held requests: the requests that wait, and the events that release them."""

import asyncio
import selectors
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import psutil
import pytest
from sqlalchemy import event
from werkzeug.test import create_environ

from app import create_app
from tests.support.class_client import Boss, Phone
from tests.support.http_client import JSON, Answer, AsyncClient
from tests.support.machines import wait_until
from tests.support.serving import Server
from web import db
from web.classroom.core.models import Classroom
from web.http import news
from web.http.news import CHANGED, HOLD_SECONDS, LOOK_SECONDS, ClientLeft, News, app_news
from web.settings import Settings

T = TypeVar("T")


# ---- With a clock of their own -------------------------------------------------------------------


class FakeClock(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps ahead when all tasks are sleeping."""

    def __init__(self) -> None:
        super().__init__(selectors.SelectSelector())
        self._seconds = 0.0
        select = self._selector.select  # type: ignore[attr-defined]

        def skip(timeout: float | None = None) -> list[Any]:
            self._seconds += timeout or 0
            return select(0)

        self._selector.select = skip  # type: ignore[attr-defined]

    def time(self) -> float:
        return self._seconds


def run(test: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=FakeClock) as runner:
        return runner.run(test)


class Pages:
    """Pages whose topic is their path, and whose ETags are changed by a test."""

    def __init__(self, **etags: str) -> None:
        self.etags = etags
        self.reads = self.changed = 0
        self.news = News(lambda path: path.strip("/"), self._read, partial(asyncio.sleep, 0))

    async def _read(self, topics: Collection[str]) -> Mapping[str, Collection[str]]:
        self.reads += 1
        return {topic: [self.etags[topic]] for topic in topics if topic in self.etags}

    async def hold(
        self,
        known: str = '"1"',
        path: str = "/a",
        prefer: str = "wait=25",
        method: str = "GET",
        leaves_after: float | None = None,
    ) -> tuple[bool, float]:
        """Return whether a request was held, and for how many seconds.

        ``changed`` counts the requests that are marked as requests for a changed page.
        """
        headers = {"If-None-Match": known, "Prefer": prefer}
        environ = create_environ(path, method=method, headers=headers)
        loop = asyncio.get_running_loop()
        began = loop.time()
        is_held = await self.news.hold(environ, connection(leaves_after))
        self.changed += CHANGED in environ
        return is_held, loop.time() - began


def connection(leaves_after: float | None = None) -> Callable[[], Awaitable[dict[str, str]]]:
    """Return the ``receive`` function of a client that has sent its request.

    The client may disconnect.
    """
    sent: Iterator[str] = iter(["http.request"])

    async def receive() -> dict[str, str]:
        if kind := next(sent, ""):
            return {"type": kind}
        await (asyncio.sleep(leaves_after) if leaves_after is not None else asyncio.Event().wait())
        return {"type": "http.disconnect"}

    return receive


@pytest.mark.parametrize(
    "request_",
    [
        {"prefer": ""},
        {"prefer": "return=representation"},
        {"prefer": "wait=0"},
        {"prefer": "wait=x"},
        {"known": ""},
        {"known": "*"},
        {"path": "/"},
        {"method": "POST"},
        {"method": "HEAD"},
    ],
)
def test_request_that_does_not_wait_passes(request_: dict[str, str]) -> None:
    pages = Pages(a="1")
    assert run(pages.hold(**request_)) == (False, 0)  # type: ignore[arg-type]
    assert pages.reads == 0


@pytest.mark.parametrize(("prefer", "seconds"), [("wait=25", HOLD_SECONDS), ("wait=3", 3)])
def test_held_request_passes_after_its_time(prefer: str, seconds: float) -> None:
    pages = Pages(a="1")
    is_held, held = run(pages.hold(prefer=f"return=representation, {prefer}"))
    assert is_held
    assert held == pytest.approx(seconds)
    assert pages.reads == pytest.approx(seconds / LOOK_SECONDS, abs=2)
    assert not pages.changed


@pytest.mark.parametrize("known", ['"1"', 'W/"1"', '"0", "1"'])
def test_only_news_of_its_page_releases_a_request(known: str) -> None:
    pages = Pages(a="1", b="1")

    async def change() -> list[tuple[bool, float]]:
        first, second = (asyncio.ensure_future(pages.hold(known, path)) for path in ("/a", "/b"))
        await asyncio.sleep(7)
        pages.etags["b"] = "2"
        await asyncio.sleep(2)
        assert second.done()
        assert not first.done()
        pages.etags["a"] = "2"
        return await asyncio.gather(first, second)

    for (is_held, seconds), expected in zip(run(change()), (9, 7), strict=True):
        assert is_held
        assert expected <= seconds <= expected + LOOK_SECONDS + 0.01
    assert pages.changed == 2


def test_outdated_page_or_missing_topic_is_released_immediately() -> None:
    assert run(Pages(a="2").hold()) == (True, 0)
    assert run(Pages().hold()) == (True, 0)


def test_one_read_answers_all_who_wait() -> None:
    pages = Pages(a="1", b="1")

    async def many() -> None:
        paths = ["/a", "/b"] * 100
        await asyncio.gather(*(pages.hold(path=path, prefer="wait=10") for path in paths))
        reads = pages.reads
        await asyncio.sleep(60)
        assert pages.reads == reads  # No request waits.

    run(many())
    assert pages.reads <= 10 / LOOK_SECONDS + 2


def test_move_is_answered_between_the_pages_of_a_class() -> None:
    pages, answered = Pages(a="1"), list[str]()

    async def move() -> None:
        answered.append("move")

    async def page() -> None:
        await pages.hold()
        if not answered:  # A move arrives while the first page is rendered.
            moves.append(asyncio.ensure_future(move()))
        answered.append("page")

    async def change() -> None:
        phones = [asyncio.ensure_future(page()) for _ in range(20)]
        await asyncio.sleep(1)
        pages.etags["a"] = "2"
        await asyncio.gather(*phones)
        await asyncio.gather(*moves)

    moves = list[asyncio.Future[None]]()
    run(change())
    assert answered.count("page") == 20
    assert answered.index("move") < 5


def test_request_that_ends_during_a_release_causes_no_pause() -> None:
    pages, pauses = Pages(a="1"), list[float]()

    async def pause() -> None:
        pauses.append(asyncio.get_running_loop().time())
        await asyncio.sleep(10)

    async def change() -> None:
        waits = ("wait=20", *["wait=5"] * 20)
        phones = [asyncio.ensure_future(pages.hold(prefer=wait)) for wait in waits]
        await asyncio.sleep(1)
        pages.etags["a"] = "2"
        await asyncio.gather(*phones)
        await asyncio.sleep(300)

    pages.news._pause = pause
    run(change())
    assert len(pauses) == 1


def test_failed_read_releases_all_and_the_next_request_is_held() -> None:
    pages = Pages(a="1")
    read = pages.news._read

    async def fail(_: Collection[str]) -> Mapping[str, Collection[str]]:
        raise db.Unavailable

    async def one_failure() -> list[tuple[bool, float]]:
        held = [asyncio.ensure_future(pages.hold()) for _ in range(3)]
        await asyncio.sleep(1.1)
        pages.news._read = fail
        first = await asyncio.gather(*held)
        pages.news._read = read
        return [*first, await pages.hold()]

    *first, last = run(one_failure())
    assert [round(seconds) for _, seconds in first] == [1, 1, 1]
    assert last == (True, pytest.approx(HOLD_SECONDS))


def test_client_that_leaves_takes_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news, "MAX_HELD", 1)
    pages = Pages(a="1")

    async def leave() -> tuple[bool, float]:
        with pytest.raises(ClientLeft):
            await pages.hold(leaves_after=5)
        assert asyncio.get_running_loop().time() == pytest.approx(5)
        return await pages.hold()

    assert run(leave()) == (True, pytest.approx(HOLD_SECONDS))


def test_requests_above_the_maximum_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news, "MAX_HELD", 3)
    pages = Pages(a="1")

    async def five() -> list[tuple[bool, float]]:
        return await asyncio.gather(*(pages.hold() for _ in range(5)))

    held = run(five())
    assert [is_held for is_held, _ in held] == [True, True, True, False, False]
    assert [seconds for _, seconds in held[3:]] == [0, 0]


def test_end_releases_all_and_holds_no_more() -> None:
    pages = Pages(a="1")

    async def stop() -> list[tuple[bool, float]]:
        held = [asyncio.ensure_future(pages.hold()) for _ in range(3)]
        await asyncio.sleep(4)
        pages.news.end()
        return [*await asyncio.gather(*held), await pages.hold()]

    assert run(stop()) == [*[(False, pytest.approx(4))] * 3, (False, 0)]
    assert not pages.changed


# ---- Of a class ----------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["", "/cards"])
def test_read_of_a_class_is_one_select(tmp_path: Path, prefix: str) -> None:
    app = create_app(Settings(data_dir=tmp_path, classes="open", url_prefix=prefix))
    opened = app.test_client().post(
        f"{prefix}/class/new", data={"title": "A"}, headers={"Accept": "application/json"}
    )
    code, statements = opened.get_json()["class"], list[str]()
    held = app_news(app, partial(asyncio.sleep, 0), prefix)
    assert held._find_topic(f"{prefix}/class/{code}/bingo") == code
    assert held._find_topic(f"{prefix}/class/{code}") == code
    for path in ("/class/k7qxb", "/class/new", "/class", "/", "/j/K7QXB", "/simple-21"):
        assert held._find_topic(prefix + path) == ""

    @event.listens_for(db.database(app).engine, "before_cursor_execute")
    def note(*event: Any) -> None:
        statements.append(event[2])

    etags = asyncio.run(held._read([code]))[code]
    assert [text.split()[0] for text in statements] == ["SELECT"]
    assert Classroom(code=code, step=1, called=0, every=0, right=0).etag() in etags
    assert asyncio.run(held._read(["ZZZZZ"])) == {"ZZZZZ": ()}


# ---- Served --------------------------------------------------------------------------------------

PAGE: Final = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("news"), CLASSES="open", WORKERS="2") as server:
        yield server


class Lesson:
    """A class during a round, and phones that show their cards."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.boss = Boss(server.port)
        self.phones: list[Phone] = []

    async def begin(self, phones: int) -> None:
        code = await self.boss.open()
        self.phones = [Phone(self._server.port, code) for _ in range(phones)]
        for phone in self.phones:
            await phone.join()
        await self.boss.move("deal", every="0", mode="F")

    async def etag(self, phone: Phone) -> str:
        """Return the ETag of the card that a phone shows."""
        return (await phone.ask(f"{phone.base}/bingo", headers=PAGE)).headers["ETag"]

    async def hold(self, phone: AsyncClient, etag: str, seconds: int = 25) -> Answer:
        headers = {**PAGE, "Prefer": f"return=representation, wait={seconds}"}
        page = f"{self.phones[0].base}/bingo"
        return await phone.request("GET", page, None, {**headers, "If-None-Match": etag})

    async def hold_all(
        self, clients: Sequence[AsyncClient], etag: str, seconds: float = 0.5
    ) -> list[asyncio.Future[Answer]]:
        """Hold one request per client, and fail if any of them is answered too early."""
        held = [asyncio.ensure_future(self.hold(client, etag)) for client in clients]
        # On a busy machine, connecting may take longer than the time for which requests are held.
        while not all(client.is_connected for client in clients):  # noqa: ASYNC110 - no event exists
            await asyncio.sleep(0.01)
        done, _ = await asyncio.wait(held, timeout=seconds)
        assert not done
        return held

    def close(self) -> None:
        for client in (self.boss, *self.phones):
            client.close()


def lesson(server: Server, phones: int, test: Callable[[Lesson], Awaitable[None]]) -> None:
    async def act() -> None:
        room = Lesson(server)
        try:
            await room.begin(phones)
            await test(room)
        finally:
            room.close()

    asyncio.run(act())


def test_call_releases_phones_of_all_processes(served: Server) -> None:
    """Twelve phones and the instructor are connected to two processes."""

    async def call(room: Lesson) -> None:
        etag = await room.etag(room.phones[0])
        held = await room.hold_all(room.phones, etag, seconds=1)
        await room.boss.call()
        for answer in await asyncio.wait_for(asyncio.gather(*held), HOLD_SECONDS * 0.8):
            assert answer.status == 200
            assert "Call 1" in answer.text
            assert answer.headers["ETag"] != etag
            assert "wait" in answer.headers.getlist("Preference-Applied")

    lesson(served, 12, call)


def test_held_request_without_news_is_not_modified(served: Server) -> None:
    async def wait(room: Lesson) -> None:
        (phone,) = room.phones
        etag = await room.etag(phone)
        loop = asyncio.get_running_loop()
        began = loop.time()
        answer = await room.hold(phone, etag, seconds=2)
        assert loop.time() - began >= 2
        assert (answer.status, answer.body, answer.headers["ETag"]) == (304, b"", etag)
        assert answer.headers["Retry-After"] == "1"
        assert "wait" in answer.headers.getlist("Preference-Applied")
        students = (await room.boss.json(room.boss.desk))["students"]
        assert [student["here"] for student in students] == [True]

    lesson(served, 1, wait)


def test_polls_and_tables_are_answered_beside_held_requests(served: Server) -> None:
    """The site can hold more open requests than it has threads, turns or database connections."""

    async def hold(room: Lesson) -> None:
        etag = await room.etag(room.phones[0])
        visitors = [AsyncClient(served.port) for _ in range(100)]
        held = await room.hold_all(visitors, etag)
        for phone in room.phones:
            headers = {**PAGE, "If-None-Match": etag}
            answer = await phone.request("GET", f"{phone.base}/bingo", None, headers)
            assert (answer.status, answer.headers["Retry-After"]) == (304, "1")
            assert "Preference-Applied" not in answer.headers
            form = {"move": "new", "step": "0"}
            assert (await phone.ask("/simple-21", form, JSON)).status == 200
        assert not any(task.done() for task in held)
        await room.boss.call()
        assert {answer.status for answer in await asyncio.gather(*held)} <= {200, 303}
        for visitor in visitors:
            visitor.close()

    lesson(served, 4, hold)


def test_client_that_hangs_up_frees_its_connection(served: Server) -> None:
    async def hang_up(room: Lesson) -> None:
        etag = await room.etag(room.phones[0])
        visitors = [AsyncClient(served.port) for _ in range(20)]
        held = await room.hold_all(visitors, etag)
        before = connections(served)
        for visitor in visitors:
            visitor.close()
        await asyncio.gather(*held, return_exceptions=True)
        wait_until(lambda: connections(served) <= before - len(visitors))

    lesson(served, 1, hang_up)


def connections(server: Server) -> int:
    return sum(
        one.status == psutil.CONN_ESTABLISHED and one.laddr.port == server.port
        for worker in server.workers()
        for one in worker.net_connections("tcp")
    )
