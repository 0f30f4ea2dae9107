"""``/class/CODE/roster``: names out of a course system's file, shown before they are kept.

Nothing is written here. What was found stands in a form, to be mended, and the dashboard's move
``roster`` keeps it.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import flask

from cardgames.text import Text
from web.classes.nicknames import roster_key
from web.gradebooks.gradebook import FIRST, LAST, MAXIMUM, TEST, encoding_of
from web.http.requests import sent_files, sent_texts, wants_json
from web.http.responses import json_response, render_page
from web.live_class.answers import NotAllowed, answer_or_refuse, require
from web.live_class.moves import MAX_REASON, MAX_ROSTER
from web.live_class.state import ClassState, led_class

MAX_BYTES: Final = 240 * 1024
MAX_COLUMNS: Final = 200
MAX_SHOWN: Final = 12  # maximum number of other columns, and of names there twice, that are listed
SEPARATORS: Final = ",;\t"

TOO_LARGE: Final = Text("A list has at most {most} KB.", most=MAX_BYTES // 1024)
TOO_LONG: Final = Text("A list has at most {most} names.", most=MAX_ROSTER)
NOT_A_TABLE: Final = Text("That is no table: a CSV file, or lines with commas, semicolons or tabs.")
NO_NAMES: Final = Text("No names were found there.")
BAD_NAME: Final = Text("Name {number} has characters that cannot be seen.")

_FULL: Final = frozenset(
    (
        *("name", "full name", "student", "student name", "display name", "real name"),
        *("teilnehmer", "teilnehmer/in", "vollständiger name"),
        *("nachname, vorname", "last name, first name"),
    )
)
_FIRST: Final = (FIRST - _FULL) | {"firstname", "given name", "forename"}
_LAST: Final = LAST | {"lastname", "family name", "familienname"}
_NOBODY: Final = frozenset((MAXIMUM.casefold(), TEST.casefold()))  # lines of Canvas's gradebook

blueprint = flask.Blueprint("class-roster", __name__)


@blueprint.get("/class/<code>/roster")
def form(code: str) -> flask.Response:
    """Show the form for a file."""
    return _page(led_class(code))


@blueprint.post("/class/<code>/roster")
def preview(code: str) -> flask.Response:
    """Show which names a file has, or say what is wrong with it."""
    state, sent = led_class(code), sent_texts({"text": MAX_BYTES})
    upload = dict(sent_files()).get("file")
    text = sent.get("text", "")
    data = (upload.read(MAX_BYTES + 1) if upload else b"") or text.encode()
    return answer_or_refuse(
        lambda: _page(state, found=names_in(data)),
        lambda status, why: _page(state, status, why, text=text),
    )


class NamesFound(NamedTuple):
    """What a file has that a list takes, and what it leaves."""

    names: tuple[str, ...]
    columns: tuple[str, ...]  # the heads of those that the names are from; empty without heads
    others: tuple[str, ...]  # the heads of the others, which are not kept
    repeated: tuple[str, ...]  # names that are there more than once


def names_in(data: bytes) -> NamesFound:
    """Return the names in a table, or in plain lines.

    Without heads that say which column is a name, all cells of a line are one, but for those with
    a digit or an @: numbers, logins and e-mail addresses.

    Raises:
        NotAllowed: it is too large, no text, no table, or has no names.
    """
    require(len(data) <= MAX_BYTES, TOO_LARGE)
    rows = _rows(_text(data))
    heads = [_tidy(cell).casefold() for cell in rows[0]] if rows else []
    places = _name_places(heads)
    lines = rows[1:] if places else rows
    names = tuple(filter(None, (_name(row, places) for row in lines)))
    for number, name in enumerate(names, 1):
        require(name.isprintable(), BAD_NAME.fill(number=number))
    require(bool(names), NO_NAMES)
    require(len(names) <= MAX_ROSTER, TOO_LONG)
    keys = Counter(map(roster_key, names))
    twice = {roster_key(name): name for name in names if keys[roster_key(name)] > 1}
    columns = tuple(_tidy(rows[0][place]) for place in places)
    others = [_tidy(cell) for cell in rows[0] if _tidy(cell) not in columns] if places else []
    found = tuple(filter(None, others))[:MAX_SHOWN]
    return NamesFound(names, columns, found, tuple(twice.values())[:MAX_SHOWN])


def _text(data: bytes) -> str:
    """Return what bytes say in UTF-8, UTF-16 or Windows' Western European."""
    require(not data.startswith(b"PK\3\4"), NOT_A_TABLE)  # a workbook that is no CSV
    encoding = encoding_of(data)
    require(bool(encoding), NOT_A_TABLE)
    return data.decode(encoding).removeprefix("\ufeff")


def _rows(text: str) -> list[list[str]]:
    """Return the cells of a table, whose first line says what stands between them."""
    if text[:4].casefold() == "sep=":  # as Excel may begin a file
        text = text.partition("\n")[2]
    lines = text.splitlines()
    first = next((line for line in lines if line.strip()), "")
    separator = max(SEPARATORS, key=first.count)
    if separator not in first:
        separator = "\x1f"  # a name a line, with whatever is in it
    require(len(lines) <= 2 * MAX_ROSTER, TOO_LONG)
    try:
        rows = [row for row in csv.reader(lines, delimiter=separator) if any(map(str.strip, row))]
    except csv.Error:
        raise NotAllowed(NOT_A_TABLE) from None
    require(all(len(row) <= MAX_COLUMNS for row in rows), NOT_A_TABLE)
    return rows


def _tidy(cell: str) -> str:
    return " ".join(cell[: 2 * MAX_REASON].split())[:MAX_REASON]


def _name_places(heads: Sequence[str]) -> tuple[int, ...]:
    """Return which columns a name is in: first and last name, or one with both."""

    def places(known: Iterable[str]) -> list[int]:
        return [place for place, head in enumerate(heads) if head in known][:1]

    first, last, full = places(_FIRST), places(_LAST), places(_FULL)
    return tuple(first + last if first and last else full or first or last)


def _name(row: Sequence[str], places: Sequence[int]) -> str:
    """Return the name in a line; nothing where it has none."""
    if places:
        cells = [_tidy(row[place]) for place in places if place < len(row)]
    else:
        cells = [_tidy(cell) for cell in row]
        cells = [cell for cell in cells if not any(sign == "@" or sign.isdigit() for sign in cell)]
    name = _tidy(" ".join(cells))
    return "" if name.casefold() in _NOBODY else name


def _page(
    state: ClassState,
    status: int = 200,
    refusal: str = "",
    *,
    found: NamesFound | None = None,
    text: str = "",
) -> flask.Response:
    if wants_json():
        document = {"class": state.code, "step": state.counters.version}
        return json_response(document | (found._asdict() if found else {}), status, refusal)
    return render_page(
        "class/roster.html", status, state=state, refusal=refusal, found=found, text=text
    )
