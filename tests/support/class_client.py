"""Phones and an instructor as HTTP clients, for benchmarks with a complete class."""

from typing import Any

from tests.support.http_client import JSON, AsyncClient


class Phone(AsyncClient):
    """A student's phone."""

    def __init__(self, port: int, code: str) -> None:
        """Prepare a phone that joins a class."""
        super().__init__(port)
        self.base = f"/class/{code}"
        self.number = 0

    async def join(self) -> None:
        """Join with the first offered name that is not taken."""
        while True:
            offers = (await self.json(self.base))["offers"]
            form = {"offer": offers[0], "receipt": f"{id(self):032x}"}
            answer = await self.ask(f"{self.base}/join", form, JSON)
            if answer.status == 200:
                self.number = answer.json["student"]["number"]
                return
            if "taken" not in answer.json["error"]:
                raise RuntimeError(answer.json["error"])


class Boss(AsyncClient):
    """An instructor's browser, at a site on which everyone may open classes."""

    code = ""

    async def open(self, **fields: Any) -> str:
        """Open a class and return its code."""
        data = await self.json("/class/new", {"title": "A class", **fields})
        if "class" not in data:
            raise RuntimeError(data["error"])
        self.code = data["class"]
        return self.code

    @property
    def desk(self) -> str:
        """The URL of the dashboard."""
        return f"/class/{self.code}/dashboard"

    async def move(self, name: str, **fields: Any) -> tuple[int, Any]:
        """Make a move at the class's current step; return the status and the dashboard."""
        step = (await self.json(self.desk))["step"]
        answer = await self.ask(self.desk, {"move": name, "step": step, **fields}, JSON)
        return answer.status, answer.json

    async def call(self) -> Any:
        """Call exactly one card, even if servers are killed; return the dashboard's JSON."""
        data = await self.json(self.desk)
        number = len(data["round"]["called"]) + 1
        while data["round"]["phase"] == "playing" and len(data["round"]["called"]) < number:
            form = {"move": "call", "call": number, "step": data["step"]}
            data = (await self.ask(self.desk, form, JSON)).json
        return data
