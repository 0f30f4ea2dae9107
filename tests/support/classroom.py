"""A class in a test, with its instructor and its phones, each in a separate browser."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import flask
import pytest
from sqlalchemy import Table, func, select
from werkzeug.test import TestResponse

from tests.support import bingo
from tests.support.site import new_site, same_browser
from web import db
from web.classroom.bingo.models import PlayedCard
from web.classroom.core.access import SETTINGS
from web.classroom.core.models import BingoRound, Classroom
from web.classroom.desk.opening import make_links
from web.db.models import Base, SavedSession

JSON = {"Accept": "application/json"}


def refusal(answer: TestResponse, status: int = 422) -> str:
    """Return the error message of a rejected request."""
    assert answer.status_code == status, answer.text[:300]
    document: str = answer.get_json()["error"]
    return document


@dataclass
class Phone:
    """A student's browser before and after joining, at an in-process or a served site."""

    client: Any
    """The client: Flask's test client, or a client of :mod:`tests.support.serving`."""

    code: str
    number: int = 0
    name: str = ""
    rejoin: str = ""

    def get(self, path: str = "", **more: Any) -> TestResponse:
        answer: TestResponse = self.client.get(f"/class/{self.code}{path}", **more)
        return answer

    def post(self, path: str, *, page: bool = False, **fields: Any) -> TestResponse:
        headers = {} if page else JSON
        path = f"/class/{self.code}{path}"
        answer: TestResponse = self.client.post(path, data=fields, headers=headers)
        return answer

    def json(self, path: str = "") -> dict[str, Any]:
        answer = self.get(path, headers=JSON)
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:300])
        document: dict[str, Any] = answer.get_json()
        return document

    def join(self, offer: str = "", **fields: Any) -> dict[str, Any]:
        # Tests choose "Quiet Otter" themselves, so no other student may have that nickname.
        offer = offer or next(name for name in self.json()["offers"] if name != "Quiet Otter")
        answer = self.post("/join", offer=offer, **fields)
        assert answer.status_code == 200, answer.text
        document: dict[str, Any] = answer.get_json()
        student = document["student"]
        self.number, self.name = student["number"], student["name"]
        self.rejoin = student["rejoin"]
        return document

    def bingo(self) -> dict[str, Any]:
        return self.json("/bingo")

    def claim(self, call: int | None = None) -> TestResponse:
        call = len(self.bingo()["round"]["called"]) if call is None else call
        return self.post("/bingo", move="claim", call=call)


@dataclass
class Room:
    """A class, its instructor and its phones."""

    app: Any
    """The site, or None if another process serves the site."""

    boss: Phone
    phones: list[Phone] = field(default_factory=list)

    @property
    def code(self) -> str:
        return self.boss.code

    def visitor(self) -> Phone:
        """Return a browser that has not joined."""
        return Phone(self.app.test_client(), self.code)

    def newcomer(self, **fields: Any) -> Phone:
        phone = self.visitor()
        phone.join(**fields)
        self.phones.append(phone)
        return phone

    def desk(self) -> dict[str, Any]:
        return self.boss.json("/dashboard")

    def step(self) -> int:
        """Return the number that the next move of the instructor must contain."""
        if self.app is None:
            return int(self.desk()["step"])
        query = select(Classroom.step).where(Classroom.code == self.code)
        with db.database(self.app).engine.connect() as connection:
            return connection.scalars(query).first() or 0

    def try_move(self, name: str, /, step: int | None = None, **fields: Any) -> TestResponse:
        step = self.step() if step is None else step
        return self.boss.post("/dashboard", move=name, step=step, **fields)

    def move(self, name: str, /, **fields: Any) -> dict[str, Any]:
        answer = self.try_move(name, **fields)
        assert answer.status_code == 200, (name, fields, answer.status_code, answer.text[:300])
        document: dict[str, Any] = answer.get_json()
        return document

    def try_vote(self, name: str, /, **fields: Any) -> TestResponse:
        """Make one of the moves for votes if it is possible."""
        return self.boss.post("/votes", move=name, step=self.step(), **fields)

    def vote(self, name: str, /, **fields: Any) -> dict[str, Any]:
        """Make one of the moves for votes, and return the page of the votes."""
        answer = self.try_vote(name, **fields)
        assert answer.status_code == 200, (name, fields, answer.text[:300])
        document: dict[str, Any] = answer.get_json()
        return document

    def hand_on(self) -> str:
        """Share the dashboard, and return the path of the link."""
        answer = self.try_move("hand-on")
        assert answer.status_code == 200, answer.text
        return str(urlsplit(answer.get_json()["address"]).path)

    def holder(self) -> Phone:
        """Return a browser that has opened the shared dashboard."""
        phone = self.visitor()
        assert phone.client.post(self.hand_on(), headers=JSON).status_code == 200
        return phone

    def moves(self, name: str) -> dict[str, Any]:
        """Return the fields of a move that is possible now."""
        moves = {one["name"]: one["fields"] for one in self.desk()["moves"]}
        found: dict[str, Any] = moves[name]
        return found

    def deal(self, **fields: Any) -> dict[str, Any]:
        return self.move("deal", **{"every": "0", **fields})

    def call(self, times: int = 1) -> dict[str, Any]:
        """Call cards until the round rejects further calls."""
        document = self.desk()
        for _ in range(times):
            if document["round"]["phase"] != "playing":
                break
            document = self.call_next(document)
        return document

    def call_next(self, document: dict[str, Any]) -> dict[str, Any]:
        """Call a card, given the dashboard before the call, and return the next dashboard."""
        called = document["round"]["called"]
        return self.move("call", step=document["step"], call=len(called) + 1)

    def call_until(self, phase: str = "bingo") -> dict[str, Any]:
        document = self.desk()
        while document["round"]["phase"] != phase:
            document = self.call_next(document)
        return document

    def play(self, **fields: Any) -> dict[str, Any]:
        """Play a round to its end, and return the round."""
        self.deal(**fields)
        self.call_until()
        document: dict[str, Any] = self.move("end")["round"]
        return document


def open_room(app: flask.Flask, phones: int = 0, client: Any = None, **fields: Any) -> Room:
    """Open a class with some students, at a new site or in the given browser.

    If the site has saved classes and is empty, a saved class is copied into it.
    """
    saved: SavedRooms | None = app.extensions.get(SAVED_ROOMS)
    if saved and client is None and saved.is_empty(app):
        return saved.open(app, phones, **fields)
    return _new_room(app, phones, client, **fields)


def _new_room(app: flask.Flask, phones: int, client: Any = None, **fields: Any) -> Room:
    boss = client or app.test_client()
    document = boss.post("/class/new", data={"title": "CS1, Tuesday", **fields}, headers=JSON)
    assert document.status_code == 200, document.text
    room = Room(app, Phone(boss, document.get_json()["class"]))
    for _ in range(phones):
        room.newcomer()
    return room


SAVED_ROOMS = "saved rooms"
"""The key of a site's saved classes in its extensions."""

Rows = dict[Table, list[dict[str, Any]]]
"""The rows of a site's tables."""


class SavedRooms:
    """Classes that are opened once.

    For each later test, they are copied into the emptied site. Opening a class of six takes
    thirteen requests. Most tests of classes begin with such a class.
    """

    def __init__(self) -> None:
        self._rooms: dict[object, tuple[Room, float, Rows]] = {}

    def is_empty(self, app: flask.Flask) -> bool:
        with db.database(app).engine.connect() as connection:
            sessions = connection.scalar(select(func.count()).select_from(SavedSession))
            classes = connection.scalar(select(func.count()).select_from(Classroom))
        return not sessions and not classes

    def open(self, app: flask.Flask, phones: int, **fields: Any) -> Room:
        """Return a class on an empty site, as if it had just been opened."""
        key, now = (phones, *fields.items()), db.database(app).now()
        if key not in self._rooms:
            room = _new_room(app, phones, **fields)
            self._rooms[key] = room, now, _all_rows(app)
        else:
            _, saved_at, rows = self._rooms[key]
            self._insert(app, rows, now - saved_at)
        return self._copy(app, self._rooms[key][0])

    def _insert(self, app: flask.Flask, rows: Rows, passed: float) -> None:
        """Insert the rows, with all their times moved to the present."""
        with db.database(app).engine.begin() as connection:
            for table, values in rows.items():
                moved = [{name: _shifted(row[name], passed) for name in row} for row in values]
                connection.execute(table.insert(), moved)

    def _copy(self, app: flask.Flask, room: Room) -> Room:
        """Return a copy of a class, with the same cookies in new browsers."""
        phones = [replace(phone, client=same_browser(phone.client)) for phone in room.phones]
        return Room(app, replace(room.boss, client=same_browser(room.boss.client)), phones)


def _shifted(value: Any, passed: float) -> Any:
    """Return a value of a row; a time in seconds since 1970 is later by the given seconds."""
    is_time = isinstance(value, (int, float)) and value > YEAR_2001
    return type(value)(value + passed) if is_time else value


YEAR_2001 = 10**9
"""A time in seconds since 1970. Other numbers in the rows of a new class are smaller."""


def _all_rows(app: flask.Flask) -> Rows:
    """Return all rows of a site, with each row after the rows to which it refers."""
    with db.database(app).engine.connect() as connection:
        rows = {
            table: [dict(row._mapping) for row in connection.execute(select(table))]
            for table in Base.metadata.sorted_tables
        }
    return {table: values for table, values in rows.items() if values}


def site(folder: Path, **settings: Any) -> flask.Flask:
    """Return a site on which everyone may open classes."""
    return new_site(folder, **{"classes": "open", **settings})


def class_rows(app: flask.Flask) -> dict[str, str]:
    """Return all stored data of a site's classes, keyed by table and primary key."""
    found = {}
    with db.database(app).engine.connect() as connection:
        for table in Base.metadata.sorted_tables:
            if {"class_code", "nicknames"} & {*table.c.keys()}:
                for row in connection.execute(select(table)):
                    key = [str(row._mapping[column]) for column in table.primary_key]
                    found[" ".join([table.name, *key])] = str(row)
    return found


def salt_of(room: Room) -> str:
    """Return the secret salt of a class's newest round. No page may show this salt."""
    newest = select(BingoRound.salt).where(BingoRound.class_code == room.code)
    with db.database(room.app).engine.connect() as connection:
        salt: str = connection.scalars(newest.order_by(BingoRound.number.desc())).first() or ""
    return salt


def stored_cards(room: Room) -> list[tuple[int, int]]:
    """Return a class's stored cards, each with the number of calls before its deal."""
    query = select(PlayedCard.card, PlayedCard.from_call).order_by(
        PlayedCard.round, PlayedCard.card
    )
    with db.database(room.app).engine.connect() as connection:
        rows = connection.execute(query.where(PlayedCard.class_code == room.code))
        return [(card, from_call or 0) for card, from_call in rows]


class Watch:
    """A clock that a test sets.

    The app's database code reads the time from this clock.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = time.time()
        monkeypatch.setattr("web.db.time", self)

    def time(self) -> float:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += seconds


# ---- The sheet's rules, computed separately ------------------------------------------------------


def has_bingo(
    card: dict[str, Any], called: Sequence[str], mode: str = "L", *, speed: bool = False
) -> bool:
    """Evaluate the card on a page only by the sheet's rules."""
    return bingo.has_bingo(card["cards"], called, mode, speed=speed)


def cards_of(room: Room) -> dict[str, dict[str, Any]]:
    """Return the cards of a class's phones, keyed by nickname."""
    return {phone.name: phone.bingo()["card"] for phone in room.phones}


def call_until_somebody_has_it(room: Room) -> tuple[list[str], list[Phone]]:
    """Call cards until someone has BINGO!, and return the called cards and the winner."""
    cards, document = cards_of(room), room.desk()
    while True:
        document = room.call_next(document)
        live = document["round"]
        called, mode, speed = live["called"], live["mode"], live["speed"]
        if has := [
            phone
            for phone in room.phones
            if has_bingo(cards[phone.name], called, mode, speed=speed)
        ]:
            return called, has


def links(app: flask.Flask, code: str = "") -> list[str]:
    """Return links of a site, created as the command ``instructor-link`` creates them."""
    with app.app_context():
        return make_links(app.extensions[SETTINGS], code)[0]
