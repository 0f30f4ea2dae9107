"""A class at a served site whose instructor and students are programs, for a browser to look at."""

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, Literal

from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.serving import Player, Server

_DESKTOP: Final = 700
"""From this width on a browser is no phone."""


def _require(status: int, data: object) -> None:
    if status != HTTPStatus.OK:
        raise RuntimeError(data)


@dataclass
class ServedClass:
    """A class at a served site."""

    server: Server
    site: str = ""
    """The address under which a browser finds the site; by default the server's own."""

    boss: Player = field(init=False)
    students: list[Player] = field(default_factory=list)
    code: str = ""

    def __post_init__(self) -> None:
        """Open the class."""
        self.site = self.site or f"http://127.0.0.1:{self.server.port}"
        self.boss = Player(self.server.port)
        data = self.boss.json("/class/new", {"title": "CS1, Tuesday", "real": "may"})[1]
        self.code = data["class"]

    @property
    def base(self) -> str:
        """Where the class is."""
        return f"/class/{self.code}"

    def join(self, count: int = 1) -> Player:
        """Let students join; return the last of them."""
        for _ in range(count):
            player = Player(self.server.port)
            offer = player.json(self.base)[1]["offers"][0]
            status, data = player.json(f"{self.base}/join", {"offer": offer})
            _require(status, data)
            self.students.append(player)
        return self.students[-1]

    def close(self) -> None:
        """Hang up."""
        for player in (self.boss, *self.students):
            player.close()

    def desk(self) -> dict[str, Any]:
        """Return the dashboard."""
        return self.boss.json(f"{self.base}/dashboard")[1]

    def move(self, name: str, /, **fields: Any) -> dict[str, Any]:
        """Make an instructor's move; return the dashboard."""
        sent = {"move": name, "step": str(self.desk()["step"])}
        status, data = self.boss.json(f"{self.base}/dashboard", {**sent, **fields})
        _require(status, data)
        return data

    def call(self, times: int = 1) -> dict[str, Any]:
        """Call some cards, or as many as there are to BINGO!"""
        data = self.desk()
        for _ in range(times):
            if data["round"]["phase"] == "playing":
                data = self.move("call", call=str(len(data["round"]["called"]) + 1))
        return data

    def call_until_bingo(self) -> dict[str, Any]:
        """Call until somebody has BINGO!"""
        while (data := self.call())["round"]["phase"] == "playing":
            pass
        return data

    def make_tournament(self, **fields: str) -> None:
        """Make a tournament; by default one of ten deals at Blackjack."""
        sent = {"table": "blackjack", "deals": "10", "title": "Ten for Friday", **fields}
        form = {"move": "make", "step": str(self.desk()["step"]), **sent}
        _require(*self.boss.json(f"{self.base}/tournaments", form))

    def play_deals(self, player: Player, deals: int, stand_on: int = 17) -> None:
        """Let a student play deals of the newest tournament: they hit below a total."""
        number = len(player.json(f"{self.base}/tournaments")[1]["tournaments"])
        address = f"{self.base}/tournament/{number}"
        for _ in range(deals):
            table = f"{address}/deal/{player.json(address)[1]['next']['deal']}"
            data = player.json(table)[1]
            while data["moves"]:
                total = data["view"]["player"]["total"]
                move = "hit" if total and total < stand_on else data["moves"][-1]["name"]
                data = player.json(table, {"move": move, "step": str(data["step"])})[1]

    def card(self, player: Player) -> dict[str, Any]:
        """Return a student's card."""
        card: dict[str, Any] = player.json(f"{self.base}/bingo")[1]["card"]
        return card

    def winner(self) -> Player:
        """Return a student who has BINGO!"""
        return next(one for one in self.students if self.card(one)["winning"])

    def cookies(self, player: Player) -> list[dict[str, str]]:
        """Return a student's cookies, for a browser."""
        name, _, value = player.cookie.partition("=")
        return [{"name": name, "value": value, "url": self.site}]

    def context(
        self,
        browser: Browser,
        player: Player | None = None,
        width: int = 360,
        height: int = 740,
        *,
        script: bool = True,
        language: str = "en",
        scheme: Literal["light", "dark"] = "light",
    ) -> BrowserContext:
        """Return a browser of a student, of the instructor, or of nobody yet."""
        context = browser.new_context(
            viewport={"width": width, "height": height},
            java_script_enabled=script,
            locale=language,
            color_scheme=scheme,
            has_touch=width < _DESKTOP,
            is_mobile=width < _DESKTOP,
            reduced_motion="reduce",
            base_url=self.site,
        )
        if player:
            context.add_cookies(self.cookies(player))  # type: ignore[arg-type]
        return context

    def open(self, browser: Browser, path: str, player: Player | None = None, **how: Any) -> Page:
        """Open a page of the class."""
        page = self.context(browser, player, **how).new_page()
        page.goto(f"{self.base}{path}")
        return page
