"""The HTTP client of tests and benchmarks, with cookies and forms over any transport.

:class:`Client` waits for each response, from a server or from a function in this process.
:class:`AsyncClient` plays a complete class in one event loop. Both clients use little processor
time, because benchmarks measure the server's processor time.
"""

import asyncio
import re
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPConnection, HTTPSConnection
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

import msgspec
from werkzeug.datastructures import Headers

JSON: Final = {"Accept": "application/json"}
_TIMEOUT: Final = 120.0
_ASYNC_TIMEOUT: Final = 60.0
_RETRY_SECONDS: Final = 0.05
_IDLE_SECONDS: Final = 10.0
"""Idle time, in seconds, after which a client opens a new connection. Servers close idle
connections.
"""

_WITHOUT_BODY: Final = (204, 304)


class Request(NamedTuple):
    """A request in the format of the transports."""

    method: str
    path: str
    headers: Mapping[str, str] = {}
    body: bytes = b""


@dataclass(frozen=True)
class Answer:
    """A response, with the attributes of the test client's responses."""

    status: int
    """The HTTP status, or 0 if the connection was lost."""

    headers: Headers
    body: bytes

    @property
    def status_code(self) -> int:
        return self.status

    @property
    def unknown(self) -> bool:
        """Whether the client cannot know if the server processed the request."""
        return self.status in (0, 503)

    @property
    def text(self) -> str:
        return self.body.decode()

    @cached_property
    def json(self) -> Any:
        """The decoded JSON, or an empty object if the response is not JSON."""
        is_json = self.headers.get("Content-Type", "") == JSON["Accept"]
        return msgspec.json.decode(self.body) if is_json else {}

    def get_json(self) -> Any:
        return self.json


class Away(Exception):
    """Raised if the server did not respond.

    The server may or may not have processed the request.
    """

    refused_in = 0.0
    """The value of Retry-After in seconds if the server was too busy, otherwise 0."""


class Browser:
    """Cookies and default headers of a client.

    These cookies and headers are added to each request.
    """

    def __init__(self, prefix: str = "", headers: Mapping[str, str] | None = None) -> None:
        self.prefix = prefix
        self.cookies: dict[str, str] = {}
        self._headers = dict(headers or {})

    @property
    def cookie(self) -> str:
        """The value of the ``Cookie`` header."""
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def prepare(
        self,
        method: str,
        path: str,
        form: Mapping[str, Any] | None,
        headers: Mapping[str, str] | None,
    ) -> Request:
        """Return a request with the client's cookies, the default headers and a form."""
        sent = {"Cookie": self.cookie} if self.cookies else {}
        if method == "POST":
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        sent |= {**self._headers, **(headers or {})}
        return Request(method, f"{self.prefix}{path}", sent, urlencode(form or {}).encode())

    def receive(self, answer: Answer) -> Answer:
        """Save the cookies of a response, and return the response."""
        for header in answer.headers.getlist("Set-Cookie"):
            name, _, value = header.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer


class Connection:
    """A keep-alive connection to a port of this machine."""

    def __init__(self, port: int, context: ssl.SSLContext | None = None) -> None:
        self._connection = (
            HTTPSConnection("127.0.0.1", port, timeout=_TIMEOUT, context=context)
            if context
            else HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT)
        )
        self.close = self._connection.close
        self._last = time.monotonic()

    def __call__(self, request: Request) -> Answer:
        """Send a request and return the response."""
        now, last = time.monotonic(), self._last
        self._last = now
        if now - last > _IDLE_SECONDS:
            self.close()
        self._connection.request(
            request.method, request.path, request.body or None, request.headers
        )
        response = self._connection.getresponse()
        return Answer(response.status, Headers(response.getheaders()), response.read())


class Client(Browser):
    """A client that waits for each response.

    Args:
        target: The port of a server, or a function that responds to requests.
        prefix: Path at which the site is served.
        headers: Headers of each request.
    """

    def __init__(
        self,
        target: int | Callable[[Request], Answer],
        prefix: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(prefix, headers)
        self._transport = Connection(target) if isinstance(target, int) else target

    def request(
        self,
        method: str,
        path: str,
        form: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a request and return the response."""
        return self.receive(self._transport(self.prepare(method, path, form, headers)))

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        return self.request("GET", path, None, headers)

    def post(
        self,
        path: str,
        data: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        return self.request("POST", path, data, headers)

    def json(self, path: str, form: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        """Send a GET request or POST a form, and return the status and the decoded JSON."""
        answer = self.request("GET" if form is None else "POST", path, form, JSON)
        return answer.status, answer.json

    def close(self) -> None:
        if isinstance(self._transport, Connection):
            self._transport.close()


class AsyncConnection:
    """A keep-alive connection to a port of this machine, for use in an event loop."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def __call__(self, request: Request) -> Answer:
        """Send a request and return the response.

        Raises:
            Away: If no response came, or if a proxy responded for the server.
        """
        began = time.perf_counter()
        try:
            answer = await asyncio.wait_for(self._exchange(request), _ASYNC_TIMEOUT)
        except (OSError, EOFError, TimeoutError) as error:
            self.close()
            raise Away from error
        if answer.status in (502, 503, 504):
            away = Away()
            if "Retry-After" in answer.headers:
                away.refused_in = time.perf_counter() - began
            raise away
        return answer

    @property
    def is_open(self) -> bool:
        """Whether the connection is established.

        A connection cannot be closed until it is established.
        """
        return self._streams is not None

    def close(self) -> None:
        if self._streams:
            self._streams[1].close()
            self._streams = None

    async def _exchange(self, request: Request) -> Answer:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        headers = {"Host": f"127.0.0.1:{self._port}", **request.headers}
        if request.method == "POST":
            headers["Content-Length"] = str(len(request.body))
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"{request.method} {request.path} HTTP/1.1\r\n{lines}\r\n"
        writer.write(head.encode("latin-1") + request.body)
        return await self._read(reader)

    async def _read(self, reader: asyncio.StreamReader) -> Answer:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        status, headers = int(head[9:12]), Headers(re.findall(r"(?m)^([\w-]+): (.*?)\r$", head))
        body = b""
        if "Content-Length" in headers:
            body = await reader.readexactly(int(headers["Content-Length"]))
        elif status not in _WITHOUT_BODY:
            body = await _read_chunks(reader)
        if headers.get("Connection", "").lower() == "close":
            self.close()
        return Answer(status, headers, body)


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body


class AsyncClient(Browser):
    """A client for use in an event loop."""

    def __init__(self, port: int, prefix: str = "") -> None:
        super().__init__(prefix)
        self._connection = AsyncConnection(port)
        self.close = self._connection.close
        self.unanswered = 0
        """The number of requests that :meth:`ask` repeated."""

    @property
    def is_connected(self) -> bool:
        return self._connection.is_open

    async def request(
        self,
        method: str,
        path: str,
        form: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a request and return the response.

        Raises:
            Away: If no response came.
        """
        return self.receive(await self._connection(self.prepare(method, path, form, headers)))

    async def ask(
        self,
        path: str,
        form: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Repeat a request until there is a response, as a user would.

        Raises:
            Away: If no response came within two minutes.
        """
        until = time.monotonic() + _TIMEOUT
        while True:
            try:
                return await self.request("GET" if form is None else "POST", path, form, headers)
            except Away:
                if time.monotonic() > until:
                    raise
                self.unanswered += 1
                await asyncio.sleep(_RETRY_SECONDS)

    async def json(self, path: str, form: Mapping[str, Any] | None = None) -> Any:
        """Return the decoded JSON of a response."""
        return (await self.ask(path, form, JSON)).json
