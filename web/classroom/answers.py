"""What requests and answers have in common: fields, refusals, lists, times, addresses."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Generic, TypeVar

import flask

from cardgames.cards import CardGameError
from cardgames.text import Text
from web import db
from web.classroom import words
from web.http.addresses import asked_number, number_in
from web.http.downloads import Cell, csv_download
from web.http.requests import wants_json
from web.http.responses import json_response, see_other

PAGE_ROWS: Final = 50
"""Number of rows of a page of a long list."""

MAX_SEARCH: Final = 40
"""Maximum number of characters that are searched for."""

_DAYS: Final = (
    *(Text("Mon {time}"), Text("Tue {time}"), Text("Wed {time}"), Text("Thu {time}")),
    *(Text("Fri {time}"), Text("Sat {time}"), Text("Sun {time}")),
)
_NEAR: Final = 6 * 86_400
"""Number of seconds within which a day of the week says enough."""

T = TypeVar("T")

Fields = Mapping[str, str]
"""What was sent, by the names of the fields."""


class NotAllowed(CardGameError):
    """A move that is not possible now, or whose fields make no sense."""


class OutOfDate(CardGameError):
    """A move that somebody else, or the clock, has made already."""


def class_address(code: str) -> str:
    """Return the address of a class."""
    return f"{flask.request.script_root}/class/{code}"


def lead_on(address: str, document: Mapping[str, Any]) -> flask.Response:
    """Lead on to an address when something is done; a program is sent a document of it instead."""
    return json_response(document) if wants_json() else see_other(address)


def undo(error: CardGameError) -> int:
    """Undo what a form has changed that is refused after all; return the answer's status."""
    db.rollback()
    return 409 if isinstance(error, OutOfDate) else 422


def answer_or_refuse(
    answer: Callable[[], flask.Response], refuse: Callable[[int, str], flask.Response]
) -> flask.Response:
    """Do what a form asks for and answer, or undo it and refuse it."""
    try:
        return answer()
    except CardGameError as error:
        return refuse(undo(error), error.text)


def chosen(sent: Fields, name: str, values: tuple[Any, ...], default: str | None = None) -> str:
    """Return which of some values was chosen for a field; raise NotAllowed for any other.

    The default stands for a field that was left empty; without one it must be chosen.
    """
    choice, offered = sent.get(name, "") or default, [str(value) for value in values]
    if choice not in offered:
        raise NotAllowed(words.BAD_FIELD.fill(name=name, values=", ".join(offered)))
    return choice


def number_from(text: str, name: str, least: int, most: int) -> int:
    """Return the number that was sent in a field. Raises NotAllowed: it is none between the two."""
    number = number_in(text.strip())
    if number is None or not least <= number <= most:
        raise NotAllowed(words.BAD_NUMBER.fill(name=name, least=least, most=most))
    return number


def require(condition: bool, why: Text = words.NOT_NOW) -> None:  # noqa: FBT001 - a condition
    """Return if a move is possible. Raises NotAllowed: it is not."""
    if not condition:
        raise NotAllowed(why)


@dataclass(frozen=True, slots=True)
class RowPage(Generic[T]):
    """A page of a long list."""

    rows: Sequence[T]
    found: int
    """How many rows there are on all pages."""

    number: int
    """Which page it is, from 1."""

    pages: int
    search: str
    """What is searched for; empty for nothing."""


def page_of(rows: Sequence[T], name_of: Callable[[T], str]) -> RowPage[T]:
    """Return the page of a list that the address of this request asks for."""
    search = flask.request.args.get("search", "")[:MAX_SEARCH].strip()
    if search:
        part = search.casefold()
        rows = [row for row in rows if part in name_of(row).casefold()]
    last = max(1, math.ceil(len(rows) / PAGE_ROWS))
    at = min(max(1, asked_number("page", 1)), last)
    return RowPage(rows[(at - 1) * PAGE_ROWS : at * PAGE_ROWS], len(rows), at, last, search)


def local_time(at: float) -> datetime:
    """Return a time by the clock of the server."""
    return datetime.fromtimestamp(at).astimezone()


def time_text(at: float, now: float) -> str:
    """Say when something is: with the day, and with the date if it is far."""
    when = local_time(at)
    if when.date() == local_time(now).date():
        return f"{when:%H:%M}"
    if abs(at - now) < _NEAR:
        return _DAYS[when.weekday()].fill(time=f"{when:%H:%M}")
    return date_text(at)


def date_text(at: float) -> str:
    """Return a time with its date."""
    return f"{local_time(at):%Y-%m-%d %H:%M}"


def duration_text(seconds: float) -> Text:
    """Say about how long something lasts."""
    if seconds < 90:  # noqa: PLR2004 - about two minutes are said as minutes
        return Text("{number} s", number=max(10, round(seconds / 10) * 10))
    return Text("{number} min", number=round(seconds / 60))


def iso_time(at: float) -> str:
    """Return a time as exports and programs have it."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def csv_response(name: str, head: Sequence[str], lines: Iterable[Sequence[Cell]]) -> flask.Response:
    """Return a table as every spreadsheet opens it: in UTF-8, marked as such at its beginning."""
    return csv_download(name, (head, *lines), mark="\ufeff")
