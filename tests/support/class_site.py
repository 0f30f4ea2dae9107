"""A class at a served site, for tests in a browser: its instructor and students are programs."""

from dataclasses import dataclass, field
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, Page

from tools.serving import Player, Server


@dataclass
class ServedClass:
    """A class at a served site."""

    server: Server
    boss: Player = field(init=False)
    students: list[Player] = field(default_factory=list)
    code: str = ""

    def __post_init__(self) -> None:
        self.boss = Player(self.server.port)
        told = self.boss.json("/class/new", {"title": "CS1, Tuesday", "real": "may"})[1]
        self.code = told["class"]

    @property
    def site(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    @property
    def base(self) -> str:
        return f"/class/{self.code}"

    def join(self, count: int = 1) -> Player:
        for _ in range(count):
            player = Player(self.server.port)
            offer = player.json(self.base)[1]["offers"][0]
            status, told = player.json(f"{self.base}/join", {"offer": offer})
            assert status == 200, told
            self.students.append(player)
        return self.students[-1]

    def close(self) -> None:
        for player in (self.boss, *self.students):
            player.close()

    def desk(self) -> dict[str, Any]:
        return self.boss.json(f"{self.base}/dashboard")[1]

    def move(self, name: str, /, **fields: Any) -> dict[str, Any]:
        sent = {"move": name, "step": str(self.desk()["step"])}
        status, told = self.boss.json(f"{self.base}/dashboard", {**sent, **fields})
        assert status == 200, told
        return told

    def call(self, times: int = 1) -> dict[str, Any]:
        told = self.desk()
        for _ in range(times):
            if told["round"]["phase"] == "playing":
                told = self.move("call", call=str(len(told["round"]["called"]) + 1))
        return told

    def call_until_bingo(self) -> dict[str, Any]:
        while (told := self.call())["round"]["phase"] == "playing":
            pass
        return told

    def card(self, player: Player) -> dict[str, Any]:
        card: dict[str, Any] = player.json(f"{self.base}/bingo")[1]["card"]
        return card

    def winner(self) -> Player:
        return next(one for one in self.students if self.card(one)["winning"])

    def cookies(self, player: Player) -> list[dict[str, str]]:
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
            has_touch=width < 700,
            is_mobile=width < 700,
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
