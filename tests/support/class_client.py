"""Phones and an instructor over HTTP, as many at once as a class has: for benchmarks.

One event loop plays them all. Each has a connection and a cookie of its own; what is not answered,
because a worker was killed, is sent again, as a browser's user would.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from tests.support.school import Answer, Away, Connection

_GIVES_UP: Final = 30.0
_PAUSE: Final = 0.05
JSON: Final = {"Accept": "application/json"}


class Client:
    """A browser: one kept-alive connection and one cookie."""

    def __init__(self, port: int) -> None:
        """Prepare to connect."""
        self._connection = Connection(port)
        self.cookie = ""
        self.close = self._connection.close
        self.unanswered = 0
        """How many requests were sent again."""

    async def ask(
        self,
        path: str,
        form: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a request until it is answered, and return the answer.

        Raises:
            Away: it was not, for half a minute.
        """
        until = time.monotonic() + _GIVES_UP
        method = "GET" if form is None else "POST"
        while True:
            sent = {**(headers or {}), **({"Cookie": self.cookie} if self.cookie else {})}
            lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
            try:
                answer = await self._connection.ask(method, path, lines, urlencode(form or {}))
            except Away:
                if time.monotonic() > until:
                    raise
                self.unanswered += 1
                await asyncio.sleep(_PAUSE)
            else:
                self.cookie = answer.cookie or self.cookie
                return answer

    async def json(self, path: str, form: Mapping[str, Any] | None = None) -> Any:
        """Ask in JSON, and return what is shown."""
        return (await self.ask(path, form, JSON)).json


class Phone(Client):
    """A student's phone."""

    def __init__(self, port: int, code: str) -> None:
        """Prepare to join a class."""
        super().__init__(port)
        self.base = f"/class/{code}"
        self.number = 0

    async def join(self) -> None:
        """Join with the first name that is offered and not taken meanwhile."""
        while True:
            offers = (await self.json(self.base))["offers"]
            form = {"offer": offers[0], "receipt": f"{id(self):032x}"}
            answer = await self.ask(f"{self.base}/join", form, JSON)
            if answer.status == 200:
                self.number = answer.json["student"]["number"]
                return
            if "taken" not in answer.json["error"]:
                raise RuntimeError(answer.json["error"])


class Boss(Client):
    """An instructor's browser, at a site where anybody may open classes."""

    code = ""

    async def open(self, **fields: Any) -> str:
        """Open a class, and return its code."""
        data = await self.json("/class/new", {"title": "A class", **fields})
        if "class" not in data:
            raise RuntimeError(data["error"])
        self.code = data["class"]
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
        data = await self.json(self.desk)
        number = len(data["round"]["called"]) + 1
        while data["round"]["phase"] == "playing" and len(data["round"]["called"]) < number:
            form = {"move": "call", "call": number, "step": data["step"]}
            data = (await self.ask(self.desk, form, JSON)).json
        return data
