"""Each kind of request, with its n-th call of the store failing: sent again, it is done once."""

import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final
from wsgiref.types import WSGIApplication

import pytest

from app import create_app
from cardgames.cards import FULL_DECK
from tests.simulation.site import Answer, Background, Browser, Site, computed_once, emptied
from tests.simulation.tables import SLUGS, TWENTY_ONE
from tests.simulation.world import Killed, World
from tests.support.amounts import few_or_all
from tests.support.bingo import has_bingo
from web import classroom
from web.settings import Settings
from web.storage.hints import HINT_HOLDS
from web.storage.store import StoreUnavailable

Fields = dict[str, object]
Request = tuple[Browser, str, Fields]
MakeRequest = Callable[["Stage"], Request]

STACKED: Final = "\n".join(map(str, FULL_DECK))
"""A deck without luck: what comes of a request must not depend on how often it was tried."""


class Failing:
    """Fails one call of the store, and counts all."""

    def __init__(self, number: int = 0, moment: str = "before", how: type[BaseException] = Killed):
        """Fail the call of a number, before it or once its write is done; 0 for none."""
        self.number, self.moment, self.how = number, moment, how
        self.count = 0
        self.calls: list[tuple[int, str]] = []
        """The number and the moment of each call, and of each write."""

    def __call__(self, moment: str, place: str) -> None:
        """Count a call, and fail if it is the one."""
        self.count += moment == "before"
        self.calls.append((self.count, moment))
        if (self.count, moment) == (self.number, self.moment):
            self.moment = "done"
            raise self.how(place)


class Stage:
    """A class with two students, a round that is called by hand, tables and deals in play."""

    def __init__(self, folder: Path) -> None:
        """Play up to where each kind of request is possible."""
        self.world = World(1)
        settings = Settings(data_dir=folder, secret_key="simulated" * 4, classes="open")

        app = create_app(settings, self.world.store)

        def start() -> WSGIApplication:
            return emptied(app).wsgi_app

        self.site = Site(self.world, start, workers=1)
        self.background = Background(
            self.world,
            lambda: [make(settings, self.world.store) for make in classroom.MAKE_TASKS],
        )
        self.boss, self.ann, self.bob = (Browser(self.site) for _ in range(3))
        opened = self.sent(self.boss, "/class/new", title="CS1", nicknames="free", days=14)
        self.path = opened["address"]
        for browser, name in ((self.ann, "Ann"), (self.bob, "Bob")):
            self.sent(browser, f"{self.path}/join", name=name)
        for slug in SLUGS:
            self.play(f"/{slug}", "deal", deck=STACKED if slug in TWENTY_ONE else "")
        self.deal = self.sent(self.ann, "/deals", table="simple-21")["address"]
        self.play(self.deal, "deal")
        self.play(self.deal, "stay")
        self.new_deal = self.sent(self.ann, "/deals", table="simple-21")["address"]
        self.play(self.new_deal, "deal")
        self.lead("make", "tournaments", table="simple-21", deals=2, ranking="result")
        self.tournament = f"{self.path}/tournament/1"
        self.play(f"{self.tournament}/deal/1", "deal")
        self.lead("deal", mode="L", speed="N", by_hand="Y", every=0)
        self.lead("call", call=1)

    def sent(self, browser: Browser, path: str, /, **fields: object) -> Any:
        """Send a request that is accepted; return the document."""
        answer = browser.post(path, fields)
        assert answer.status == 200, (path, fields, answer.status, answer.body[:500])
        return answer.json

    def play(self, path: str, name: str, /, **fields: object) -> None:
        """Play a move as Ann."""
        browser, path, fields = self.move(path, name, **fields)
        self.sent(browser, path, **fields)

    def move(self, path: str, name: str, /, **fields: object) -> Request:
        """Return the request of a move at a table, by Ann."""
        shown = self.ann.get(path).json
        asked = next(move["fields"] for move in shown["moves"] if move["name"] == name)
        chosen = {field: next(iter(values)) for field, values in asked.items() if values}
        fields = {key: value for key, value in fields.items() if key in asked}
        return self.ann, path, {"move": name, "step": shown["step"], **chosen, **fields}

    def lead(self, name: str, path: str = "dashboard", /, **fields: object) -> None:
        """Make a move of the instructor."""
        browser, path, fields = self.leading(name, path, **fields)
        self.sent(browser, path, **fields)

    def leading(self, name: str, path: str = "dashboard", /, **fields: object) -> Request:
        """Return the request of an instructor's move."""
        step = self.boss.get(f"{self.path}/dashboard").json["step"]
        return self.boss, f"{self.path}/{path}", {"move": name, "step": step, **fields}

    def look(self) -> object:
        """Return all that there is to see, once what was to be done beside the server is done."""
        self.world.now += 2 * HINT_HOLDS
        self.background.finish()
        desk = self.boss.get(f"{self.path}/dashboard").json
        students = [
            {key: one.get(key) for key in ("number", "name", "state")}
            for one in desk.get("students", [])
        ]
        found = desk.get("round") or {}
        round_ = {key: found.get(key) for key in ("number", "phase", "places")}
        tournaments = self.boss.get(f"{self.path}/tournaments").json.get("tournaments", [])
        standings = self.boss.get(self.tournament).json
        return {
            "step": desk.get("step"),
            "students": students,
            "goes on with": self._students_of(desk.get("next")),
            "round": (round_, len(found.get("called", []))),
            "moves": [move["name"] for move in desk.get("moves", [])],
            "tournaments": [(one["tournament"], one["open"]) for one in tournaments],
            "vote": self.boss.get(f"{self.path}/votes").json.get("vote"),
            "standings": (standings.get("students"), standings.get("over")),
            "places": (self.count("class/"), self.count("deal/")),
            "Ann": self._look_as(self.ann),
            "Bob": self._look_as(self.bob),
        }

    def _students_of(self, code: str | None) -> object:
        document = self.boss.get(f"/class/{code}/dashboard").json if code else {}
        return [(one["number"], one["name"]) for one in document.get("students", [])]

    def count(self, prefix: str) -> int:
        """Return how many places there are whose names begin alike."""
        return len([*self.world.store.places(prefix)])

    def _look_as(self, browser: Browser) -> object:
        kept = browser.get(f"{self.path}/me.json").json
        card = browser.get(f"{self.path}/bingo").json.get("card") or {}
        tables = {}
        for slug in SLUGS:
            history = browser.get(f"/{slug}/history.json").json["rounds"]
            tables[slug] = browser.get(f"/{slug}").json["step"], len(history)
        deals = {
            address: (
                browser.get(address).json["step"],
                browser.get(f"{address}/results").json["finished"],
            )
            for address in (self.deal, self.new_deal)
        }
        return {
            "kept": {
                key: kept.get(key)
                for key in ("number", "nickname", "state", "rounds", "tables", "tournaments")
            },
            "vote": browser.get(f"{self.path}/vote").json.get("yours"),
            "covered": card.get("covered"),
            "tables": tables,
            "deals": (len(browser.get("/deals").json["deals"]), deals),
        }

    # ---- The same stage again and again ------------------------------------------------------

    def save(self) -> None:
        """Remember how everything stands."""
        places = self.world.store._places
        self._saved = {place: (end, dict(rows)) for place, (end, rows) in places.items()}
        browsers = self.boss, self.ann, self.bob
        self._cookies = [(browser, dict(browser.cookies)) for browser in browsers]
        self._now = self.world.now

    def restore(self) -> None:
        """Put everything back, with servers that have just been started."""
        self.world.store.pause = self.world.at_call
        self.world.store._places = {
            place: (end, dict(rows)) for place, (end, rows) in self._saved.items()
        }
        for browser, cookies in self._cookies:
            browser.cookies = dict(cookies)
        self.world.now = self._now
        self.site.restart()

    def send(self, request: Request, failing: Failing) -> Answer:
        """Send a request while a call of the store may fail."""
        self.world.store.pause = failing
        try:
            browser, path, fields = request
            return browser.post(path, fields) if fields else browser.get(path)
        finally:
            self.world.store.pause = self.world.at_call


def table_move(slug: str, name: str) -> MakeRequest:
    """Return what makes the request of a move at a table."""
    return lambda stage: stage.move(f"/{slug}", name)


def as_leader(name: str, path: str = "dashboard", /, **fields: object) -> MakeRequest:
    """Return what makes the request of an instructor's move."""
    return lambda stage: stage.leading(name, path, **fields)


def as_ann(path: str, /, **fields: object) -> MakeRequest:
    """Return what makes a request of Ann's in her class."""
    return lambda stage: (stage.ann, stage.path + path, fields)


def _deal_again(stage: Stage) -> Request:
    stage.play("/blackjack", "new")
    return stage.move("/blackjack", "deal", deck=STACKED)


def _rejoin(stage: Stage) -> Request:
    code = stage.ann.get(stage.path).json["student"]["rejoin"]
    return Browser(stage.site), f"{stage.path}/rejoin", {"name": "Ann", "code": code}


def _take_link(stage: Stage) -> Request:
    browser, path, fields = stage.leading("hand-on")
    link = stage.sent(browser, path, **fields)["address"].rpartition("/")[2]
    return Browser(stage.site), f"/class/instructor/{link}", {"take": "it"}


def _claim(stage: Stage) -> Request:
    """Return Ann's claim, once a line of her card is called."""
    path = f"{stage.path}/bingo"
    while True:
        found = stage.ann.get(path).json
        called = found["round"]["called"]
        if has_bingo(found["card"]["cards"], called):
            return stage.ann, path, {"move": "claim", "call": len(called)}
        stage.lead("call", call=len(called) + 1)


def _end(stage: Stage) -> Request:
    browser, path, fields = _claim(stage)
    assert stage.sent(browser, path, **fields)["right"]
    return stage.leading("end")


def _go_on(stage: Stage) -> Request:
    browser, path, fields = _claim(stage)
    stage.sent(browser, path, **fields)
    return stage.leading("go-on")


def _deal_for_all(stage: Stage) -> Request:
    stage.lead("void", reason="")
    return stage.leading("deal", mode="L", speed="N", by_hand="Y", every=0)


def _ask(stage: Stage) -> Request:
    """Return what begins a vote: none does while a round is played."""
    stage.lead("void", reason="")
    return stage.leading("ask", "votes", table="blackjack", hand="10 6", upcard="10")


def _vote(stage: Stage) -> Request:
    browser, path, fields = _ask(stage)
    stage.sent(browser, path, **fields)
    answer = {"vote": 1, "ballot": 1, "choice": "hit", "sure": 2}
    return stage.ann, f"{stage.path}/vote", answer


def _close_vote(stage: Stage) -> Request:
    browser, path, fields = _vote(stage)
    stage.sent(browser, path, **fields)
    return stage.leading("close-vote", "votes")


def _look_for_a_late_card(stage: Stage) -> Request:
    late = Browser(stage.site)
    stage.sent(late, f"{stage.path}/join", name="Late")
    return late, f"{stage.path}/bingo", {}


KINDS: Final[dict[str, MakeRequest]] = {
    "deal at Blackjack": _deal_again,
    **{f"hit at {slug}": table_move(slug, "hit") for slug in TWENTY_ONE},
    **{f"stay at {slug}": table_move(slug, "stay") for slug in TWENTY_ONE},
    "turn at War": table_move("war", "turn"),
    "call at Bingo": table_move("bingo", "call"),
    "begin anew": table_move("simple-21", "new"),
    "finish a deal link": lambda stage: stage.move(stage.new_deal, "stay"),
    "play a deal link first": lambda stage: (stage.bob, stage.deal, {"move": "deal", "step": 0}),
    "join": lambda stage: (
        Browser(stage.site),
        f"{stage.path}/join",
        {"name": "Cid", "receipt": "1" * 32},
    ),
    "join with a cookie": lambda stage: (stage.boss, f"{stage.path}/join", {"name": "Boss"}),
    "come back": _rejoin,
    "mistype the code": lambda stage: (
        Browser(stage.site),
        f"{stage.path}/rejoin",
        {"name": "Ann", "code": "2222"},
    ),
    "look for a late card": _look_for_a_late_card,
    "cover": as_ann("/bingo", move="mark", place=3, on="Y", round=1),
    "claim": _claim,
    "claim wrongly": as_ann("/bingo", move="claim", call=1),
    "begin a vote": _ask,
    "answer a vote": _vote,
    "close a vote": _close_vote,
    "step out": as_ann("/leave", what="step-out"),
    "be forgotten": as_ann("/leave", what="forget"),
    "play in a tournament": lambda stage: stage.move(f"{stage.tournament}/deal/1", "hit"),
    "finish in a tournament": lambda stage: stage.move(f"{stage.tournament}/deal/1", "stay"),
    "call": as_leader("call", call=2),
    "let the clock call": as_leader("auto", every=8),
    "end a round": _end,
    "go on after a BINGO!": _go_on,
    "void a round": as_leader("void", reason="fire alarm"),
    "deal to all": _deal_for_all,
    "claim for a card": as_leader("claim", card=1),
    "rename": as_leader("rename", student=1, name="Anna"),
    "remove": as_leader("remove", student=1),
    "ban": as_leader("ban", student=1),
    "lock": as_leader("lock"),
    "keep a list": as_leader("roster", names="Ann\nBob"),
    "make a tournament": as_leader("make", "tournaments", table="blackjack", deals=1),
    "end a tournament": as_leader("end", "tournament/1"),
    "hand on": as_leader("hand-on"),
    "close the class": as_leader("close"),
    "forget the class": as_leader("forget"),
    "look at the dashboard": lambda stage: (stage.boss, f"{stage.path}/dashboard", {}),
}
"""Requests that are done once, however often they are sent."""

AGAIN: Final[dict[str, tuple[MakeRequest, str]]] = {
    "make a deal link": (lambda stage: (stage.ann, "/deals", {"table": "simple-21"}), "deal/"),
    "open a class": (
        lambda stage: (stage.boss, "/class/new", {"title": "CS2", "days": 14}),
        "class/",
    ),
}
"""Requests that are done anew when they are sent again, and in which places."""


@pytest.fixture(autouse=True)
def _silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger("cardgames.requests"), "disabled", True)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return _stage(tmp_path_factory.mktemp("nth"))


@cache
def _stage(folder: Path) -> Stage:
    world = World(1)
    with world.installed(), computed_once():
        stage = Stage(folder)
        stage.save()
    return stage


@pytest.mark.parametrize("kind", KINDS)
@few_or_all("every", 12, 1)
def test_what_failed_is_done_once_when_it_is_sent_again(
    kind: str, every: int, stage: Stage
) -> None:
    """Of all calls and ways to fail, every one or every twelfth is tried."""
    with stage.world.installed(), computed_once():
        stage.restore()
        counting = Failing()
        answer = stage.send(KINDS[kind](stage), counting)
        assert answer.status in (200, 422), answer.body
        expected = stage.look()
        for number, moment, how in _failures(kind, counting)[::every]:
            stage.restore()
            request = KINDS[kind](stage)
            answer = stage.send(request, Failing(number, moment, how))
            where = f"{kind}: {how.__name__} {moment} call {number} of {counting.count}"
            assert answer.status in (0, 200, 409, 422, 429, 503), where
            if answer.unknown:
                again = stage.send(request, Failing())
                assert again.status in (200, 403, 404, 409, 422), (where, again.body)
            assert stage.look() == expected, where


def _failures(kind: str, counting: Failing) -> list[tuple[int, str, type[BaseException]]]:
    """Return the ways in which a request can fail; for each kind they begin with another one."""
    ways: tuple[type[BaseException], ...] = StoreUnavailable, Killed
    found = [(number, moment, how) for number, moment in counting.calls for how in ways]
    first = list(KINDS).index(kind) % len(found)
    return found[first:] + found[:first]


@pytest.mark.parametrize("kind", AGAIN)
@few_or_all("every", 4, 1)
def test_what_is_made_anew_is_made_twice_at_most(kind: str, every: int, stage: Stage) -> None:
    """Nothing in such a request tells a second press from a second wish."""
    make, place = AGAIN[kind]
    with stage.world.installed(), computed_once():
        stage.restore()
        before, counting = stage.count(place), Failing()
        assert stage.send(make(stage), counting).status == 200
        assert stage.count(place) == before + 1
        for number, moment in counting.calls[::every]:
            stage.restore()
            request = make(stage)
            answer = stage.send(request, Failing(number, moment, Killed))
            if answer.unknown:
                assert stage.send(request, Failing()).status == 200
            assert before < stage.count(place) <= before + 2, (number, moment)


@few_or_all("every", 4, 1)
def test_a_link_gives_the_dashboard_to_one_browser(every: int, stage: Stage) -> None:
    with stage.world.installed(), computed_once():
        stage.restore()
        counting = Failing()
        assert stage.send(_take_link(stage), counting).status == 200
        for number, moment in counting.calls[::every]:
            stage.restore()
            browser, path, fields = _take_link(stage)
            lost = stage.send((browser, path, fields), Failing(number, moment, Killed))
            answers = [Browser(stage.site).post(path, fields).status for _ in range(2)]
            assert sorted(answers) == [200, 404] if lost.unknown and 200 in answers else [404, 404]
