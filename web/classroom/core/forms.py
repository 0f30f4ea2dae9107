"""The forms of a class: their fields, their rejection, and the moves of an instructor.

An instructor's page lists the possible moves (:class:`ClassMove`), and its form requests one of
these moves (:func:`requested_move`). A rejected form raises an error. The form's view catches the
error and shows the page again, with the reason (:class:`Rejection`).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Generic, NamedTuple, TypeVar

import flask
from flask import render_template, url_for
from flask.typing import ResponseReturnValue

from cardgames.cards import CardGameError
from cardgames.text import Text
from web import db
from web.classroom.core import words
from web.classroom.core.access import save_move
from web.classroom.core.models import Classroom
from web.http.addresses import parse_int, query_int
from web.http.downloads import Cell, csv_download
from web.http.request_log import MOVE
from web.http.requests import form_fields, wants_json
from web.http.responses import json_response, see_other

Fields = Mapping[str, str]
"""The submitted values, keyed by field."""


class NotAllowed(CardGameError):
    """Raised if a move is not possible now, or if its fields are invalid."""


class WrongLines(NotAllowed):
    """Raised if some lines of a field are invalid.

    The error has one message per invalid line.
    """

    def __init__(self, sentence: Text, field: str, lines: Sequence[Text]) -> None:
        """Create an error with several messages.

        Args:
            sentence: The message about the complete text.
            field: The form's field with the text.
            lines: One message per invalid line.
        """
        super().__init__(sentence, field)
        self.lines = tuple(lines)


class OutOfDate(CardGameError):
    """Raised if another instructor or the clock has already made the move."""


class Rejection(NamedTuple):
    """The reason why a form was rejected, and the form's values."""

    text: str = ""
    """The reason, or an empty string if no form was rejected."""

    status: int = 200
    typed: Fields = MappingProxyType({})
    lines: tuple[str, ...] = ()
    """One message per invalid line of a field."""

    @property
    def in_one_line(self) -> str:
        """The complete reason without line breaks, for JSON."""
        return " ".join((self.text, *self.lines))


NOT_REJECTED: Final = Rejection()


def rejected(error: CardGameError, sent: Fields) -> Rejection:
    """Roll back a rejected form's changes, and return the reason for the rejection."""
    db.read_only()
    status = 409 if isinstance(error, OutOfDate) else 422
    lines = error.lines if isinstance(error, WrongLines) else ()
    return Rejection(error.text, status, sent, lines)


def form_page(template: str, rejection: Rejection, /, **values: Any) -> ResponseReturnValue:
    """Return a form's page.

    If the form was rejected, the page shows the reason.
    """
    reason = {"refusal": rejection.text, "wrong_lines": rejection.lines}
    page = render_template(template, **reason, **{"typed": rejection.typed} | values)
    return page, rejection.status


def json_page(document: Mapping[str, Any], rejection: Rejection = NOT_REJECTED) -> flask.Response:
    """Return a page's content as JSON.

    If the page's form was rejected, the JSON contains the reason.
    """
    return json_response(document, rejection.status, rejection.in_one_line)


def redirect_or_json(address: str, document: Mapping[str, Any]) -> flask.Response:
    """Return a redirect to a URL, or a JSON object for clients that accept JSON."""
    return json_response(document) if wants_json() else see_other(address)


def accepted(address: str, page: Callable[[], ResponseReturnValue]) -> ResponseReturnValue:
    """Return the response to an accepted form.

    The response is JSON for JSON clients, and otherwise a redirect to the page.

    Args:
        address: The page's URL.
        page: Function that renders the page.
    """
    return page() if wants_json() else see_other(address, page)


def confirmation_page(
    classroom: Classroom, question: Text, label: Text, action: str, **fields: str
) -> str:
    """Return a page that asks for confirmation before a destructive form is sent.

    Args:
        classroom: The class of the form, to whose page the confirmation page links back.
        question: The question to confirm.
        label: The label of the button.
        action: The URL of the form.
        **fields: The fields of the form.
    """
    return render_template(
        "class/confirm.html",
        classroom=classroom,
        question=question,
        label=label,
        action=action,
        fields=fields,
        back=url_for(".show", code=classroom.code),
    )


def choice_field(
    sent: Fields, name: str, values: tuple[Any, ...], default: str | None = None
) -> str:
    """Return a field's value, or raise NotAllowed if it is not one of the choices.

    An empty field has the default value. If there is no default, the field is required.
    """
    choice, offered = sent.get(name, "") or default, [str(value) for value in values]
    if choice not in offered:
        raise NotAllowed(words.BAD_FIELD.fill(name=name, values=", ".join(offered)))
    return choice


def int_field(text: str, name: str, least: int, most: int) -> int:
    """Return the number in a field, or raise NotAllowed if it is out of range."""
    number = parse_int(text.strip())
    if number is None or not least <= number <= most:
        raise NotAllowed(words.BAD_NUMBER.fill(name=name, least=least, most=most))
    return number


def require(condition: bool, why: Text = words.NOT_NOW) -> None:  # noqa: FBT001 - a condition
    """Raise NotAllowed unless a move is possible."""
    if not condition:
        raise NotAllowed(why)


# ---- The moves of an instructor ------------------------------------------------------------------

MAX_BYTES: Final = 240 * 1024
"""Maximum size of a list of students: in bytes for a file, in characters for typed text."""

YES_NO: Final[Mapping[str, Text]] = {"N": Text("No"), "Y": Text("Yes")}

_LONGER: Final = {"names": MAX_BYTES}

FieldOptions = Mapping[str, Text | str] | None
"""The labels of a field's values, or None if the field may contain any text."""

Response = ResponseReturnValue | None
"""The response to a move, or None to show the page on which the move was made."""


class ClassMove(NamedTuple):
    """A possible move with the function that makes it.

    The function changes the class, or raises ``CardGameError``. The function may return a response.
    """

    name: str
    label: Text
    make: "Callable[[MoveRequest], Response]"
    fields: Mapping[str, FieldOptions] = {}

    def document(self) -> dict[str, Any]:
        """Return the move as JSON."""
        return {"name": self.name, "label": self.label, "fields": self.fields}


@dataclass(frozen=True)
class MoveRequest:
    """The move that an instructor requests, with its fields.

    Invalid fields raise NotAllowed.
    """

    classroom: Classroom
    move: ClassMove
    fields: Fields

    @property
    def now(self) -> float:
        """The database's current time."""
        return self.classroom.now

    def choice(self, name: str, default: str | None = None) -> str:
        """Return the value of a field of the move."""
        return choice_field(self.fields, name, (*(self.move.fields[name] or ()),), default)

    def number(self, name: str, least: int, most: int) -> int:
        """Return the number in a field."""
        return int_field(self.fields.get(name, ""), name, least, most)

    def text(self, name: str) -> str:
        """Return the text of a field without repeated spaces."""
        return " ".join(self.fields.get(name, "").split())

    def write(self, **values: Any) -> None:
        """Write the given columns of the class."""
        save_move(self.classroom, **values)

    def make(self) -> Response:
        """Make the move and return the response of its function, or None.

        Raises:
            CardGameError: If the move is rejected.
        """
        return self.move.make(self)


def instructor_json(
    classroom: Classroom, moves: Iterable[ClassMove], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return JSON for an instructor: the class, the page, and the possible moves."""
    about = {"class": classroom.code, "title": classroom.title, "step": classroom.step}
    return {**about, **values, "moves": [move.document() for move in moves]}


def sent_move() -> Fields:
    """Return the fields of an instructor's form."""
    sent = form_fields(_LONGER)
    flask.request.environ[MOVE] = sent.get("move", "")
    return sent


def requested_move(
    classroom: Classroom, moves: Iterable[ClassMove], sent: Fields, why_not: Text = words.NOT_NOW
) -> MoveRequest:
    """Return the move that a form requests.

    Args:
        classroom: The class that the form changes.
        moves: The moves that are possible now.
        sent: The fields of the form.
        why_not: The error message if the requested move is not possible.

    Raises:
        OutOfDate: If the class has changed since the form was shown.
        NotAllowed: If the move is not possible now.
    """
    if sent.get("step", "") != str(classroom.step):
        raise OutOfDate(words.STALE)
    for move in moves:
        if move.name == sent.get("move", ""):
            return MoveRequest(classroom, move, sent)
    raise NotAllowed(why_not)


PAGE_ROWS: Final = 50
"""Number of rows per page of a long list."""

MAX_SEARCH: Final = 40
"""Maximum length of a search string."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """A page of a long list."""

    rows: Sequence[T]
    found: int
    """The total number of rows on all pages."""

    number: int
    """The number of the page, counted from 1."""

    pages: int
    search: str
    """The search string, or an empty string if there is no search."""


def paginate(rows: Sequence[T], name_of: Callable[[T], str]) -> ListPage[T]:
    """Return the requested page of a list; the URL contains its number and the search."""
    search = flask.request.args.get("search", "")[:MAX_SEARCH].strip()
    if search:
        part = search.casefold()
        rows = [row for row in rows if part in name_of(row).casefold()]
    last = max(1, math.ceil(len(rows) / PAGE_ROWS))
    at = min(max(1, query_int("page", 1)), last)
    return ListPage(rows[(at - 1) * PAGE_ROWS : at * PAGE_ROWS], len(rows), at, last, search)


def csv_response(name: str, head: Sequence[str], lines: Iterable[Sequence[Cell]]) -> flask.Response:
    """Return a CSV file in UTF-8.

    The file begins with a byte-order mark, so that every spreadsheet program can open it.
    """
    return csv_download(name, (head, *lines), mark="\ufeff")
