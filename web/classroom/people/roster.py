"""The list of expected people, from a table or plain lines, and the students on it.

``/class/CODE/roster`` shows a file or pasted text as a table that has a choice above each column.
It saves nothing. The site guesses the choices, and the instructor can correct them. The dashboard's
move ``roster`` then saves the people.
"""

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

import flask
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import RequestEntityTooLarge

from cardgames.cards import CardGameError
from cardgames.text import Text
from web.classroom.core.access import load_class_as_instructor
from web.classroom.core.forms import (
    MAX_BYTES,
    NOT_REJECTED,
    Rejection,
    form_page,
    json_page,
    rejected,
    require,
)
from web.classroom.core.models import Classroom
from web.classroom.people.nicknames import roster_key, tidy_name
from web.http.requests import form_fields, form_files, wants_json
from web.http.responses import error_response

MAX_PEOPLE: Final = 1_000
MAX_LINES: Final = 2 * MAX_PEOPLE
MAX_COLUMNS: Final = 20
"""Maximum number of columns that are shown. The instructor can choose the meaning of each shown
column.
"""

MAX_CELL: Final = 80
"""Maximum length of a cell, in characters; longer cells are truncated."""

MAX_SHOWN: Final = 8
"""Maximum number of rows that are shown below the choices."""

MAX_APART: Final = 20
"""Maximum number of shown rows that do not seem to describe a person."""

MAX_REPEATED: Final = 12

TOO_LARGE: Final = Text(
    "A list has at most {most} KB. Delete all columns except names, logins and e-mail addresses.",
    most=MAX_BYTES // 1024,
)
TOO_LONG: Final = Text("A list has at most {most} names.", most=MAX_PEOPLE)
TOO_MANY_LINES: Final = Text("A list has at most {most} lines.", most=MAX_LINES)
NOT_A_TABLE: Final = Text(
    "That is not a table: send CSV, or lines with commas, semicolons or tabs. Save a web page, a "
    "picture or a workbook as CSV first."
)
NO_NAMES: Final = Text("No names were found in this list.")

CHOICES: Final[Mapping[str, Text]] = {
    "ignore": Text("ignore"),
    "name": Text("name"),
    "last": Text("last name"),
    "first": Text("first name"),
    "login": Text("login"),
    "email": Text("e-mail"),
}
"""The possible meanings of a column."""

_HEADS: Final = {
    "name": (
        *("name", "full name", "student", "student name", "display name", "real name"),
        *("name original name", "participant", "teilnehmer", "teilnehmer in", "teilnehmende"),
        *("vollständiger name", "nachname vorname", "last name first name", "studierende"),
    ),
    "first": ("first name", "firstname", "first", "given name", "forename", "vorname", "rufname"),
    "last": ("last name", "lastname", "last", "surname", "family name", "nachname", "familienname"),
    "login": (
        *("username", "user name", "login", "login id", "sis login id", "netid", "user id"),
        *("anmeldename", "benutzername", "kennung", "identifier", "github username"),
        *("id number", "student number", "student id", "sid", "sis user id", "orgdefinedid"),
        *("matrikelnummer", "matrikel", "id nummer", "nummer", "number", "id"),
    ),
    "email": (
        *("email address", "email", "e mail", "e mail address", "mail", "user email"),
        *("e mail adresse", "emailadresse", "student email"),
    ),
}
"""Column headings as returned by :func:`_normalize_heading`, the most reliable first."""

_HEAD_ROWS: Final = 10
"""Number of rows at the top of a table among which the headings are searched."""

_NOBODY: Final = re.compile(
    r"(points possible|student, test|test student|total|totals|sum|average|mean|median|count|date"
    r"|points|class average|overall|summe|gesamt|anzahl|mittelwert|durchschnitt|punkte|datum)\b"
)
"""Matches the beginning of a cell that does not contain the name of a person."""

_SEPARATORS: Final = ",;\t|"
_NONE: Final = "\x1f"
"""The separator for plain lines, which makes each line a single cell."""

_BINARY: Final = (b"PK\3\4", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF", b"\xd0\xcf\x11\xe0")
"""The first bytes of workbooks, images and PDF files."""

_number_before: Final = re.compile(r"^\d{1,4}[.)]\s+(?=\D)")

blueprint = flask.Blueprint("roster", __name__)


class Person(NamedTuple):
    """A person on an instructor's list."""

    name: str
    login: str = ""
    """A login or an ID number."""

    email: str = ""


class RosterTable(NamedTuple):
    """The sent text as a table, with guesses for its columns and rows."""

    heads: tuple[str, ...]
    """The column headings, or an empty tuple if there are no headings."""

    rows: tuple[tuple[str, ...], ...]
    """All rows except the headings."""

    columns: tuple[str, ...]
    """The meaning of each column, which is a key of :data:`CHOICES`."""

    apart: tuple[int, ...]
    """The indexes of rows that do not seem to describe a person."""

    @property
    def people(self) -> tuple[Person, ...]:
        """The people in the table. Rows that do not seem to describe a person are omitted."""
        return tuple(
            person_in(row, self.columns)
            for index, row in enumerate(self.rows)
            if index not in self.apart
        )

    def chosen(self, columns: Sequence[str], kept_rows: Collection[int]) -> "RosterTable":
        """Return the table with the instructor's choices for its columns and rows."""
        columns = tuple(
            choice if choice in CHOICES else "ignore" for choice in columns[: len(self.columns)]
        )
        columns += ("ignore",) * (len(self.columns) - len(columns))
        apart = _rows_apart(self.rows, columns, _usual_width(self.rows))
        return self._replace(columns=columns, apart=tuple(n for n in apart if n not in kept_rows))


def decode_roster(data: bytes) -> str:
    """Return the text of a file in UTF-8, UTF-16 or Windows-1252.

    Raises:
        CardGameError: If the file is too large or is not a text file.
    """
    require(len(data) <= MAX_BYTES, TOO_LARGE)
    tried: tuple[str, ...] = "utf-8-sig", "cp1252"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        tried = ("utf-16",)
    elif b"\0" in data[:200]:
        tried = ("utf-16-le" if data[1:2] == b"\0" else "utf-16-be",)
    for encoding in () if data.startswith(_BINARY) else tried:
        with suppress(UnicodeDecodeError):
            return data.decode(encoding)
    raise CardGameError(NOT_A_TABLE)


def table_in(text: str) -> RosterTable:
    """Parse a table, or lines with one name each, and guess its columns and rows.

    Raises:
        CardGameError: If the text is too large, is not a table, or is empty.
    """
    require(len(text) <= MAX_BYTES, TOO_LARGE)
    require(not text.lstrip("\ufeff \r\n\t").startswith(("<", "{\\rtf")), NOT_A_TABLE)
    rows = _cells(text.removeprefix("\ufeff"))
    require(bool(rows), NO_NAMES)
    width = _usual_width(rows)
    start = _find_headings(rows, width)
    heads = rows[start] if start is not None else ()
    body = tuple(row for index, row in enumerate(rows) if index != start)
    columns = _guessed(heads, body, max(map(len, rows)))
    above = range(start or 0)
    apart = _rows_apart(body, columns, width)
    require(bool(body), NO_NAMES)
    table = RosterTable(tuple(heads), body, columns, tuple(sorted({*above, *apart})))
    require(len(table.people) <= MAX_PEOPLE, TOO_LONG)
    return table


def _cells(text: str) -> list[tuple[str, ...]]:
    """Return the cells of each row of a string.

    Empty rows are omitted.
    """
    lines = text.splitlines()
    require(len(lines) <= MAX_LINES, TOO_MANY_LINES)
    separators: str = _SEPARATORS
    first = lines[0].strip().strip('"').casefold() if lines else ""
    # Excel may begin a file with this line.
    if first.startswith("sep=") and len(first) > len("sep="):
        separators, lines = first[len("sep=")], lines[1:]
    read = [rows for separator in separators if (rows := _read(lines, separator)) is not None]
    require(bool(read) or not lines, NOT_A_TABLE)
    # Use the separator that splits most lines into equally many cells. If several separators are
    # equally good, use the separator with the most cells per line.
    best = max(read, key=_regularity, default=[])
    has_one_head = (
        bool(best) and len(best[0]) == 1 and _normalize_heading(best[0][0]) in _HEADS["name"]
    )
    if best and (has_one_head or _regularity(best)[0] < len(best) / 2):
        best = _read(lines, _NONE) or []
    return best


def _usual_width(rows: Sequence[Sequence[str]]) -> int:
    """Return the most common number of cells per row."""
    return Counter(map(len, rows)).most_common(1)[0][0] if rows else 0


def _read(lines: Sequence[str], separator: str) -> list[tuple[str, ...]] | None:
    """Return the cells of each line, split at a separator, or None if parsing fails."""
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    try:
        rows = [[tidy_name(cell[: 2 * MAX_CELL])[:MAX_CELL].strip() for cell in row[:MAX_COLUMNS]]
                for row in reader]  # fmt: skip
    except csv.Error:
        return None
    rows = [row for row in rows if any(row)]
    for row in rows:
        row[0] = _number_before.sub("", row[0])
    return [tuple(row) for row in rows]


def _regularity(rows: Sequence[Sequence[str]]) -> tuple[int, int]:
    """Return the number of rows with the most common width, and this width.

    The width of a row is its number of cells. Rows with a single cell are ignored.
    """
    widths = Counter(len(row) for row in rows if len(row) > 1)
    width, count = max(widths.items(), key=lambda pair: (pair[1], pair[0]), default=(0, 0))
    return count, width


def _normalize_heading(cell: str) -> str:
    """Return a heading in lower case, with other characters replaced by spaces.

    >>> _normalize_heading("Last_Name:"), _normalize_heading("Name (Original Name)")
    ('last name', 'name original name')
    """
    return " ".join(re.sub(r"[^\w]|_", " ", cell.casefold()).split())


def _find_headings(rows: Sequence[Sequence[str]], width: int) -> int | None:
    """Return the index of the row of headings among the first rows, or None."""
    known = {head for heads in _HEADS.values() for head in heads}
    for index, row in enumerate(rows[:_HEAD_ROWS]):
        if sum(_normalize_heading(cell) in known for cell in row) >= min(2, width):
            return index
    for index, row in enumerate(rows[:_HEAD_ROWS]):
        if any(_normalize_heading(cell) in known for cell in row):
            return index
    following = rows[1:]
    has_signs = sum(any(map(_is_data, row)) for row in following)
    is_head = not any(map(_is_data, rows[0])) and len(rows[0]) == width > 1
    return 0 if is_head and following and has_signs > len(following) / 2 else None


def _is_data(cell: str) -> bool:
    """Return whether a cell contains a digit or an @, which never occur in names."""
    return "@" in cell or any(map(str.isdigit, cell))


def _guessed(heads: Sequence[str], rows: Sequence[Sequence[str]], count: int) -> tuple[str, ...]:
    """Return the meaning of each column, guessed from its heading or its cells."""
    columns = ["ignore"] * count
    known = [*map(_normalize_heading, heads)]
    for choice, names in _HEADS.items():
        places = [known.index(name) for name in names if name in known]
        if places:
            columns[places[0]] = choice
    if {"first", "last"} <= {*columns}:
        columns = ["ignore" if choice == "name" else choice for choice in columns]
    if {"name", "first", "last"} & {*columns}:
        return tuple(columns)
    free = [at for at, choice in enumerate(columns) if choice == "ignore"]
    cells = {at: [row[at] for row in rows if at < len(row) and row[at]] for at in free}
    for choice, fits in (("email", lambda cell: "@" in cell), ("login", _is_data)):
        if choice not in columns:
            place = next((at for at in free if _most(cells[at], fits)), None)
            if place is not None:
                columns[place] = choice
                free.remove(place)
    words = [at for at in free if _most(cells[at], lambda cell: not _is_data(cell))]
    for place, choice in zip(
        words, ("last", "first") if len(words) > 1 else ("name",), strict=False
    ):
        columns[place] = choice
    return tuple(columns)


def _most(cells: Sequence[str], fits: Callable[[str], bool]) -> bool:
    return sum(map(fits, cells)) > len(cells) / 2


def _rows_apart(rows: Sequence[Sequence[str]], columns: Sequence[str], width: int = 0) -> list[int]:
    """Return the indexes of rows that do not seem to describe a person.

    Such a row has no name, contains the word for a sum, or contains invisible characters. A row
    without a login or an e-mail address is also returned if most rows have at least one of the two.
    The same applies to a row without an e-mail address whose number of cells is unusual.
    """
    people = [person_in(row, columns) for row in rows]
    identified = sum(bool(entry.login or entry.email) for entry in people) > 0.8 * len(people)
    apart = []
    for index, (row, person) in enumerate(zip(rows, people, strict=True)):
        is_odd = width > 1 and len(row) != width and "@" not in "".join(row)
        is_nobody = not any(map(str.isalpha, person.name)) or _NOBODY.match(person.name.casefold())
        is_hidden = any(
            unicodedata.category(sign) in ("Cc", "Co", "Cn") for sign in "".join(person)
        )
        if is_nobody or is_hidden or is_odd or (identified and not (person.login or person.email)):
            apart.append(index)
    return apart


def person_in(row: Sequence[str], columns: Sequence[str]) -> Person:
    """Return the person in a row."""

    def text(*choices: str) -> str:
        chosen = ((choices.index(choice), cell) for cell, choice in zip(row, columns, strict=False)
                  if choice in choices)  # fmt: skip
        cells = (cell for _, cell in sorted(chosen, key=lambda pair: pair[0]))
        return " ".join(filter(None, cells))[:MAX_CELL].strip()

    # D2L puts this character before logins and numbers.
    return Person(text("name", "first", "last"), text("login").removeprefix("#"), text("email"))


def people_text(people: Sequence[Person]) -> str:
    """Return people as a table that can be corrected and sent again."""
    filled = [0, *(column for column in (1, 2) if any(person[column] for person in people))]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([("Name", "Login", "E-mail")[column] for column in filled])
    writer.writerows([person[column] for column in filled] for person in people)
    return out.getvalue()


def repeated(people: Sequence[Person]) -> list[str]:
    """Return names that occur more than once."""
    by_key = {roster_key(person.name): person.name for person in people}
    counts = Counter(roster_key(person.name) for person in people)
    return [name for key, name in by_key.items() if counts[key] > 1][:MAX_REPEATED]


def joined(roster: Iterable[Person], given: Mapping[int, str]) -> dict[int, Person]:
    """Return the people of a list, keyed by student number.

    A student is recognized by name, login, e-mail address or the first part of the e-mail address.
    A student whose data matches two people is not recognized.

    Args:
        roster: The people on the list.
        given: The real names or logins of students, keyed by student number.
    """
    by_key: dict[object, set[Person]] = {}
    for person in roster:
        for key in _keys(person):
            by_key.setdefault(key, set()).add(person)
    matches = {}
    for number, name in given.items():
        same = by_key.get(roster_key(name), set()) | by_key.get(name.casefold(), set())
        if len(same) == 1:
            (matches[number],) = same
    return matches


def _keys(person: Person) -> Collection[object]:
    email = person.email.casefold()
    texts = {person.login.casefold(), email, email.partition("@")[0]} - {""}
    return (roster_key(person.name), *texts)


@blueprint.get("/class/<code>/roster")
def form(code: str) -> ResponseReturnValue:
    """Show the form for a file or pasted text."""
    return _page(load_class_as_instructor(code))


def _page(
    classroom: Classroom, table: RosterTable | None = None, rejection: Rejection = NOT_REJECTED
) -> ResponseReturnValue:
    """Return the form for a file, or for a table that was sent."""
    if wants_json():
        document: dict[str, Any] = {"class": classroom.code, "step": classroom.step}
        return json_page(document | (_document(table) if table else {}), rejection)
    if table is None:
        # A projector may show this page, so names are shown only on request.
        with_names = flask.request.args.get("names") == "yes"
        saved = [Person(*fields) for fields in classroom.roster] if with_names else []
        names = people_text(saved) if saved else ""
        return form_page(
            "class/roster.html", rejection, classroom=classroom, table=None, saved=names
        )
    is_apart = {*table.apart}
    rows = [row for index, row in enumerate(table.rows) if index not in is_apart][:MAX_SHOWN]
    return form_page(
        "class/roster.html",
        rejection,
        classroom=classroom,
        table=table,
        choices=CHOICES,
        shown=rows,
        apart=[(index, table.rows[index]) for index in table.apart[:MAX_APART]],
        more_apart=max(0, len(table.apart) - MAX_APART),
        repeated=repeated(table.people),
        names=people_text(table.people),
        sent=_sent_again(table),
    )


def _document(table: RosterTable) -> dict[str, Any]:
    """Return a table as JSON."""
    return {
        "heads": table.heads,
        "columns": table.columns,
        "rows": table.rows[:MAX_SHOWN],
        "apart": [table.rows[index] for index in table.apart],
        "people": [person._asdict() for person in table.people],
        "repeated": repeated(table.people),
    }


def _sent_again(table: RosterTable) -> str:
    """Return a table as CSV text, which the form sends again with other choices."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([table.heads or ["-"], *table.rows])
    return out.getvalue()


@blueprint.errorhandler(RequestEntityTooLarge)
def too_large(_: RequestEntityTooLarge) -> flask.Response:
    """Return the response for a file that is larger than any form of the site."""
    return error_response(TOO_LARGE, 413)


@blueprint.post("/class/<code>/roster")
def preview(code: str) -> ResponseReturnValue:
    """Show the people in a file or text, or the reason why it cannot be read."""
    classroom = load_class_as_instructor(code)
    sent = form_fields({"text": MAX_BYTES, "again": MAX_BYTES})
    try:
        table = _chosen_in(sent) if "again" in sent else _table_sent(sent)
    except CardGameError as error:
        return _page(classroom, rejection=rejected(error, sent))
    # If no people were recognized, the instructor can still choose the column of names.
    return _page(classroom, table, NOT_REJECTED if table.people else Rejection(NO_NAMES, 422, sent))


def _table_sent(sent: Mapping[str, str]) -> RosterTable:
    """Return the table in a file, or in pasted lines."""
    upload = dict(form_files()).get("file")
    data = upload.read(MAX_BYTES + 1) if upload else b""
    return table_in(decode_roster(data) if data else sent.get("text", ""))


def _chosen_in(sent: Mapping[str, str]) -> RosterTable:
    """Return the previous table with the newly chosen columns and rows."""
    read = _read(sent["again"].splitlines()[: MAX_LINES + 1], ",") or [()]
    heads, *rows = read
    columns = sent.get("column", "").split(",")
    kept_rows = {int(number) for number in sent.get("keep", "").split(",") if number.isdecimal()}
    heads = () if heads == ("-",) else heads
    table = RosterTable(heads, tuple(rows), ("ignore",) * max(map(len, read)), ())
    chosen = table.chosen(columns, kept_rows)
    require(len(chosen.people) <= MAX_PEOPLE, TOO_LONG)
    return chosen
