"""Phones and an instructor over HTTP, as many at once as a class has: for benchmarks and tests.

One event loop plays them all. Each has a connection and a cookie of its own; what is not answered,
because a worker was killed, is sent again, as a browser's user would.
"""

import asyncio
import json
import re
import time
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

_GIVES_UP: Final = 30.0
_PAUSE: Final = 0.05
JSON: Final = {"Accept": "application/json"}


class Answer:
    """What came back for one request."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Take what was read."""
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)


class Client:
    """A browser: one kept-alive connection and one cookie."""

    def __init__(self, port: int) -> None:
        """Prepare to connect."""
        self._port = port
        self._cookie = ""
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.unanswered = 0
        """How many requests were sent again."""

    async def ask(
        self,
        path: str,
        form: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a request until it is answered, and return the answer."""
        until = time.monotonic() + _GIVES_UP
        while True:
            try:
                answer = await asyncio.wait_for(self._exchange(path, form, headers or {}), 10)
                if answer.status < 500 or time.monotonic() > until:
                    return answer
            except (OSError, EOFError, TimeoutError):
                if time.monotonic() > until:
                    raise
            self.close()
            self.unanswered += 1
            await asyncio.sleep(_PAUSE)

    async def json(self, path: str, form: Mapping[str, Any] | None = None) -> Any:
        """Ask in JSON, and return what is told."""
        return (await self.ask(path, form, JSON)).json

    def close(self) -> None:
        """Hang up."""
        if self._streams:
            self._streams[1].close()
            self._streams = None

    async def _exchange(
        self, path: str, form: Mapping[str, Any] | None, headers: Mapping[str, str]
    ) -> Answer:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        body = urlencode(form).encode() if form is not None else b""
        sent = {"Host": f"127.0.0.1:{self._port}", **headers}
        if self._cookie:
            sent["Cookie"] = self._cookie
        if form is not None:
            sent["Content-Type"] = "application/x-www-form-urlencoded"
            sent["Content-Length"] = str(len(body))
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        method = "GET" if form is None else "POST"
        writer.write(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + body)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        told = {
            name.lower(): value for name, value in re.findall(r"(?m)^([A-Za-z-]+): (.*?)\r$", head)
        }
        status = int(head[9:12])
        length = 0 if status in (204, 304) else int(told.get("content-length", 0))
        content = await reader.readexactly(length)
        if cookie := told.get("set-cookie"):
            self._cookie = cookie.partition(";")[0]
        if told.get("connection", "").lower() == "close":
            self.close()
        return Answer(status, told, content)


class Phone(Client):
    """A student's phone."""

    def __init__(self, port: int, code: str) -> None:
        """Prepare to join a class."""
        super().__init__(port)
        self.base = f"/class/{code}"
        self.number = 0
        self.name = ""

    async def join(self, **fields: str) -> None:
        """Join with the first name that is offered."""
        while True:
            offers = (await self.json(self.base))["offers"]
            receipt = fields.get("receipt", f"{id(self):032x}")
            answer = await self.ask(
                f"{self.base}/join", {"offer": offers[0], **fields, "receipt": receipt}, JSON
            )
            told = answer.json
            if answer.status == 200:
                self.number = told["student"]["number"]
                self.name = told["student"]["name"]
                return
            if "taken" not in told["error"]:
                raise RuntimeError(told["error"])

    async def bingo(self) -> Any:
        """Return the card and what is on."""
        return await self.json(f"{self.base}/bingo")


class Boss(Client):
    """An instructor's browser, at a site where anybody may open classes."""

    code = ""

    async def open(self, **fields: Any) -> str:
        """Open a class, and return its code."""
        told = await self.json("/class/new", {"title": "A class", **fields})
        self.code = told["class"]
        return self.code

    @property
    def desk(self) -> str:
        """The address of the dashboard."""
        return f"/class/{self.code}/dashboard"

    async def move(self, name: str, **fields: Any) -> tuple[int, Any]:
        """Make a move at the step where the class is; return the status and the dashboard."""
        step = (await self.json(self.desk))["step"]
        answer = await self.ask(self.desk, {"move": name, "step": step, **fields}, JSON)
        return answer.status, answer.json

    async def call(self) -> Any:
        """Call one card, once, whatever is killed meanwhile; return the dashboard."""
        told = await self.json(self.desk)
        number = len(told["round"]["called"]) + 1
        while told["round"]["phase"] == "playing" and len(told["round"]["called"]) < number:
            form = {"move": "call", "call": number, "step": told["step"]}
            told = (await self.ask(self.desk, form, JSON)).json
        return told
