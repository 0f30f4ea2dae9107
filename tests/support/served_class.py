"""A class at a served site, with simulated users, for screenshots and checks."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal

import flask
from playwright.sync_api import Browser, BrowserContext, Page

from cardgames.records.record import Record
from tests.support import insight, tournaments
from tests.support.classroom import JSON, Phone, Room
from tests.support.http_client import Client
from tests.support.serving import Server
from web import db
from web.data_dir import url_in

Seen = tuple[str, str, Phone | None]
"""A state of a class, with the page that shows it and the user who sees that page."""

_DESKTOP: Final = 700
"""Minimum width, in pixels, of a browser that is considered a desktop browser."""


class ServedClass(Room):
    """A class whose phones are simulated by connections to a server."""

    def __init__(self, server: Server, site: str = "") -> None:
        """Open the class.

        Args:
            server: The server to which the phones connect.
            site: URL of the site for a browser, by default the server's URL.
        """
        self.server = server
        self.site = site or f"http://127.0.0.1:{server.port}"
        boss = Client(server.port)
        opened = boss.post("/class/new", {"title": "CS1, Tuesday", "real": "may"}, JSON)
        super().__init__(None, Phone(boss, opened.get_json()["class"]))
        self._contexts: list[BrowserContext] = []

    @property
    def base(self) -> str:
        return f"/class/{self.code}"

    def visitor(self) -> Phone:
        return Phone(Client(self.server.port), self.code)

    def join(self, count: int) -> None:
        for _ in range(count):
            self.newcomer()

    def close(self) -> None:
        """Close all connections and pages, because an open page would continue to poll."""
        for context in self._contexts:
            context.close()
        for phone in (self.boss, *self.phones):
            phone.client.close()

    def teach(self, rounds: Mapping[int, Iterable[Record]], at: float = 0) -> None:
        """Record rounds of students that ended at the given time."""
        app = flask.Flask("teacher")
        db.init_app(app, url_in(self.server.data_dir))
        with app.app_context():
            for student, records in rounds.items():
                insight.note(self.code, student, records, at)

    def make_tournament(self, **fields: str) -> None:
        """Create a tournament, by default with ten deals at Blackjack."""
        tournaments.make(self, **{"deals": "10", "title": "Ten for Friday", **fields})

    def play_deals(self, phone: Phone, deals: int, stand_on: int = 17) -> None:
        """Play the newest tournament as a student who hits below the given total."""
        number = len(phone.json("/tournaments")["tournaments"])
        for _ in range(deals):
            deal = phone.json(f"/tournament/{number}")["next"]["deal"]
            tournaments.play_deal(phone, deal, tournaments.stands_on(stand_on), number)

    def winner(self) -> Phone:
        return next(phone for phone in self.phones if phone.bingo()["card"]["winning"])

    def context(
        self,
        browser: Browser,
        phone: Phone | None = None,
        width: int = 360,
        height: int = 740,
        *,
        script: bool = True,
        language: str = "en",
        scheme: Literal["light", "dark"] = "light",
    ) -> BrowserContext:
        """Return the browser of a student, the instructor or a visitor."""
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
        self._contexts.append(context)
        if phone:
            for name, value in phone.client.cookies.items():
                context.add_cookies([{"name": name, "value": value, "url": self.site}])
        return context

    def open(self, browser: Browser, path: str, phone: Phone | None = None, **how: Any) -> Page:
        page = self.context(browser, phone, **how).new_page()
        page.goto(path if path.startswith("/class") else f"{self.base}{path}")
        return page

    def look_at(
        self, browser: Browser, seen: Iterable[Seen], look: Callable[[Page], Any], **how: Any
    ) -> dict[str, Any]:
        """Open pages in turn, and return a check's faults, keyed by the state's name.

        Each user has a single tab for all their pages, because a new browser per page takes twice
        as long.
        """
        found, tabs = {}, dict[int, Page]()
        for name, path, phone in seen:
            if (who := id(phone)) not in tabs:
                tabs[who] = self.context(browser, phone, **how).new_page()
            page = tabs[who]
            page.goto(path if path.startswith("/class") else f"{self.base}{path}")
            if fault := look(page):
                found[f"{name}: {path}"] = fault
            page.goto("about:blank")  # Otherwise the page would poll and change its content.
            page.emulate_media(color_scheme=how.get("scheme", "light"), forced_colors="none")
        return found
