"""Who should come: people out of a course system's table or plain lines, and who of them joined.

At ``/class/CODE/roster`` a file is read and nothing is written. Who was found stands in a form, to
be mended, and the dashboard's move ``roster`` keeps them.
"""

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import flask
from flask import render_template
from flask.typing import ResponseReturnValue

from cardgames.cards import CardGameError
from cardgames.text import Text
from web.classroom.access import led_class
from web.classroom.forms import MAX_BYTES, json_page, refusing, require
from web.classroom.nicknames import roster_key
from web.http.requests import sent_files, sent_texts, wants_json

MAX_PEOPLE: Final = 1_000
MAX_COLUMNS: Final = 200
MAX_CELL: Final = 80
"""Maximum number of characters that are kept of a cell."""

MAX_SHOWN: Final = 12
"""Maximum number of other columns, and of names that are there twice, that are listed."""

TOO_LARGE: Final = Text("A list has at most {most} KB.", most=MAX_BYTES // 1024)
TOO_LONG: Final = Text("A list has at most {most} names.", most=MAX_PEOPLE)
NOT_A_TABLE: Final = Text(
    "That is not a table: send CSV, or lines with commas, semicolons or tabs."
)
NO_NAMES: Final = Text("No names were found there.")
BAD_NAME: Final = Text("Name {number} has characters that cannot be seen.")

_SEPARATORS: Final = ",;\t"
_NONE: Final = "\x1f"
"""Stands between the cells of plain lines, so that each is one cell."""

# Heads of columns in small letters, English and German.
_FULL: Final = (
    *("name", "full name", "student", "student name", "display name", "real name"),
    *("teilnehmer", "teilnehmer/in", "vollständiger name"),
    *("nachname, vorname", "last name, first name"),
)
_FIRST: Final = ("first name", "firstname", "given name", "forename", "vorname")
_LAST: Final = ("last name", "lastname", "surname", "family name", "nachname", "familienname")
_LOGIN: Final = (
    *("username", "user name", "login", "login id", "sis login id", "netid"),
    *("anmeldename", "benutzername", "kennung"),
    *("id number", "student number", "student id", "sis user id", "orgdefinedid", "number", "id"),
    *("matrikelnummer", "matrikel", "id-nummer", "nummer"),
)
"""The surest first: a course system may have several."""

_EMAIL: Final = (
    *("email address", "email", "e-mail", "e-mail address", "mail"),
    *("e-mail-adresse", "emailadresse"),
)
_NOBODY: Final = frozenset(("points possible", "student, test"))
"""What stands for a name in lines of Canvas's gradebook that are nobody's."""

blueprint = flask.Blueprint("roster", __name__)


class Person(NamedTuple):
    """Somebody on an instructor's list."""

    name: str
    login: str = ""
    """A login or a number."""

    email: str = ""


class PeopleFound(NamedTuple):
    """What a table has that a list takes, and what it leaves."""

    people: tuple[Person, ...]
    columns: tuple[str, ...]
    """The heads of the columns that are taken; empty without heads."""

    others: tuple[str, ...]
    """The heads of those that are not kept."""

    repeated: tuple[str, ...]
    """Names that are there more than once."""

    @property
    def text(self) -> str:
        """The people as a table, to be mended and sent again."""
        heads = [("Name", "Login", "E-mail")[column] for column in self._filled]
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(heads)
        writer.writerows([one[column] for column in self._filled] for one in self.people)
        return out.getvalue()

    @property
    def _filled(self) -> list[int]:
        """The columns of which somebody has a value."""
        return [0, *(column for column in (1, 2) if any(one[column] for one in self.people))]


class _Columns(NamedTuple):
    """Where a table has what."""

    name: tuple[int, ...]
    login: tuple[int, ...]
    email: tuple[int, ...]

    @classmethod
    def of(cls, heads: Sequence[str]) -> "_Columns":
        """Return the columns of a name, which may be two, and those of a login and an address."""

        def columns(known: Iterable[str]) -> tuple[int, ...]:
            return tuple(heads.index(head) for head in known if head in heads)[:1]

        first, last, full = columns(_FIRST), columns(_LAST), columns(_FULL)
        name = first + last if first and last else full or first or last
        return cls(name, columns(_LOGIN), columns(_EMAIL))


def text_of(data: bytes) -> str:
    """Return the text of a file in UTF-8, UTF-16 or Windows' Western European.

    Raises:
        CardGameError: it is too large, or no text.
    """
    require(len(data) <= MAX_BYTES, TOO_LARGE)
    tried: tuple[str, ...] = "utf-8-sig", "cp1252"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        tried = ("utf-16",)
    elif b"\0" in data[:200]:
        tried = ("utf-16-le" if data[1:2] == b"\0" else "utf-16-be",)
    for encoding in () if data.startswith(b"PK\3\4") else tried:  # a workbook that is no CSV
        with suppress(UnicodeDecodeError):
            return data.decode(encoding)
    raise CardGameError(NOT_A_TABLE)


def people_in(text: str) -> PeopleFound:
    """Return the people in a table, or in plain lines: a name each.

    Without heads that say which column is a name, all cells of a line are one, but for one with an
    @, which is an e-mail address, and those with a digit, of which the first is a number.

    Raises:
        CardGameError: it is too large, no table, or has no names.
    """
    rows, is_plain = _rows(text)
    heads = [_tidy(cell) for cell in rows[0]] if rows else []
    columns = _Columns.of([head.casefold() for head in heads])
    require(bool(columns.name or not (columns.login or columns.email)), NO_NAMES)
    if columns.name:
        found = [_person_at(row, columns) for row in rows[1:]]
    elif is_plain:
        found = [Person(_tidy(row[0])) for row in rows]
    else:
        found = [_headless(row) for row in rows]
    people = tuple(one for one in found if one.name and one.name.casefold() not in _NOBODY)
    for number, one in enumerate(people, 1):
        require("".join(one).isprintable(), BAD_NAME.fill(number=number))
    require(bool(people), NO_NAMES)
    require(len(people) <= MAX_PEOPLE, TOO_LONG)
    taken = sorted((*columns.name, *columns.login, *columns.email)) if columns.name else []
    others = [head for column, head in enumerate(heads) if head and column not in taken]
    return PeopleFound(
        people,
        tuple(heads[column] for column in taken),
        tuple(others[:MAX_SHOWN]) if columns.name else (),
        _repeated(people),
    )


def _repeated(people: Sequence[Person]) -> tuple[str, ...]:
    """Return names that are there more than once."""
    by_key = {roster_key(one.name): one.name for one in people}
    counts = Counter(roster_key(one.name) for one in people)
    return tuple(name for key, name in by_key.items() if counts[key] > 1)[:MAX_SHOWN]


def _rows(text: str) -> tuple[list[list[str]], bool]:
    """Return the cells of a table, and whether it is plain lines: its first line says which."""
    require(len(text) <= MAX_BYTES, TOO_LARGE)
    text = text.removeprefix("\ufeff")
    if text[:4].casefold() == "sep=":  # as Excel may begin a file
        text = text.partition("\n")[2]
    lines = text.splitlines()
    require(len(lines) <= 2 * MAX_PEOPLE, TOO_LONG)
    first = next((line for line in lines if line.strip()), "")
    separator = max(_SEPARATORS, key=first.count)
    is_plain = separator not in first
    try:
        read = csv.reader(lines, delimiter=_NONE if is_plain else separator)
        rows = [row for row in read if any(map(str.strip, row))]
    except csv.Error:
        raise CardGameError(NOT_A_TABLE) from None
    require(all(len(row) <= MAX_COLUMNS for row in rows), NOT_A_TABLE)
    return rows, is_plain


def _person_at(row: Sequence[str], columns: _Columns) -> Person:
    """Return the person of a line under heads."""

    def text(cells: tuple[int, ...]) -> str:
        return _tidy(" ".join(_tidy(row[cell]) for cell in cells if cell < len(row)))

    # D2L begins logins and numbers with this sign.
    return Person(text(columns.name), text(columns.login).removeprefix("#"), text(columns.email))


def _headless(row: Sequence[str]) -> Person:
    """Return the person of a line without heads."""
    cells = [_tidy(cell) for cell in row]
    emails = [cell for cell in cells if "@" in cell]
    numbers = [cell for cell in cells if cell not in emails and any(map(str.isdigit, cell))]
    name = _tidy(" ".join(cell for cell in cells if cell not in (*emails, *numbers)))
    return Person(name, "".join(numbers[:1]), "".join(emails[:1]))


def _tidy(cell: str) -> str:
    return " ".join(cell[: 2 * MAX_CELL].split())[:MAX_CELL]


def joined(roster: Iterable[Person], given: Mapping[int, str]) -> dict[int, Person]:
    """Return whom of a list students are, by their numbers.

    A student is known by the name, the login, the e-mail address or its first part. Where these
    are two people's, the student is nobody on the list.

    Args:
        roster: the list.
        given: the real names or logins of students, by their numbers.
    """
    by_key: dict[object, set[Person]] = {}
    for person in roster:
        for key in _keys(person):
            by_key.setdefault(key, set()).add(person)
    found = {}
    for number, name in given.items():
        same = by_key.get(roster_key(name), set()) | by_key.get(name.casefold(), set())
        if len(same) == 1:
            (found[number],) = same
    return found


def _keys(person: Person) -> Collection[object]:
    email = person.email.casefold()
    texts = {person.login.casefold(), email, email.partition("@")[0]} - {""}
    return (roster_key(person.name), *texts)


@blueprint.get("/class/<code>/roster")
def form(code: str, found: PeopleFound | None = None) -> ResponseReturnValue:
    """Show the form for a file."""
    classroom = led_class(code)
    if wants_json():
        document = {"class": classroom.code, "step": classroom.step}
        if found:
            people = [one._asdict() for one in found.people]
            document |= found._asdict() | {"people": people}
        return json_page(document)
    return render_template("class/roster.html", classroom=classroom, found=found)


refusing(blueprint, form)


@blueprint.post("/class/<code>/roster")
def preview(code: str) -> ResponseReturnValue:
    """Show who a file names, or say what is wrong with it."""
    led_class(code)
    sent = flask.g.typed = sent_texts({"text": MAX_BYTES})
    upload = dict(sent_files()).get("file")
    data = upload.read(MAX_BYTES + 1) if upload else b""
    return form(code, people_in(text_of(data) if data else sent.get("text", "")))
