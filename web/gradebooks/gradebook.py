"""A course's gradebook: a CSV of Moodle, Canvas or D2L, and the same file with one column more.

Nothing else of the file changes by a byte. So it is never parsed and written anew: a scanner finds
where each field lies in the bytes, and the new cells are put between them. Byte order mark, line
ends, quotes, separator, decimal mark and encoding stay what they are.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple

from cardgames.cards import CardGameError
from cardgames.text import Text
from web.classes.nicknames import is_visible

MAX_BYTES: Final = 130_000  # maximum number of bytes of a gradebook
MAX_LINES: Final = 1_500
MAX_COLUMNS: Final = 300
MAX_FIELD: Final = 2_000  # maximum number of bytes of a field
MAX_NAME: Final = 60  # maximum number of characters of the new column's name

System = Literal["Moodle", "Canvas", "D2L"]

# The heads of the columns by which somebody is found, in small letters; English and German.
EMAIL: Final = frozenset(("email address", "email", "e-mail", "e-mail-adresse", "e-mail address"))
LOGIN: Final = frozenset(("username", "sis login id", "login id", "anmeldename", "benutzername"))
ID: Final = frozenset(("id number", "id-nummer", "orgdefinedid", "sis user id", "id", "student id"))
FIRST: Final = frozenset(("first name", "vorname", "student"))
LAST: Final = frozenset(("last name", "surname", "nachname"))
END: Final = "end-of-line indicator"  # the head of D2L's last column
MAXIMUM: Final = "Points Possible"  # what begins Canvas's line of maximum points
TEST: Final = "Student, Test"  # Canvas's student that is none

NOT_CSV: Final = Text(
    "That file is no CSV in UTF-8, UTF-16 or Latin: export or save it as CSV (UTF-8)."
)
TOO_LARGE: Final = Text("A gradebook has at most {most} KB here.", most=MAX_BYTES // 1000)
TOO_MANY: Final = Text(
    "A gradebook has at most {lines} lines and {columns} columns here, and a field {field} bytes.",
    lines=MAX_LINES,
    columns=MAX_COLUMNS,
    field=MAX_FIELD,
)
RAGGED: Final = Text("Line {line} has {fields} fields, and the first line has {columns}.")
BAD_QUOTE: Final = Text("In line {line} a quoted field does not end where it should.")
NOBODY: Final = Text(
    "No column of that file tells who is who: there must be one with e-mail addresses, logins or "
    "ID numbers, under the head that Moodle, Canvas or D2L gives it."
)
BAD_NAME: Final = Text(
    "A column's name has 1 to {most} visible characters, and begins with a letter or digit.",
    most=MAX_NAME,
)
NAME_TAKEN: Final = Text("That file has a column of this name already.")
NOT_WRITABLE: Final = Text("That file's encoding has no sign for something in the column's name.")

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_COMMA: Final = re.compile(rb'"?-?\d+,\d+"?').fullmatch
_POINT: Final = re.compile(rb'"?-?\d+\.\d+"?').fullmatch


class BadGradebook(CardGameError):
    """A file that no column can be added to, in one sentence."""


class Field(NamedTuple):
    """Where a field lies in the bytes of its file, with its quotes."""

    start: int
    end: int


@dataclass(frozen=True)
class Gradebook:
    """A gradebook as its bytes are, and where its fields lie in them."""

    data: bytes
    lines: tuple[tuple[Field, ...], ...]  # the heads first; a blank line has one empty field
    separator: bytes
    encoding: str
    utf_16: str = ""  # as which it came, if so; the bytes here are then the same text in UTF-8

    @cached_property
    def heads(self) -> tuple[str, ...]:
        """The heads of the columns."""
        return tuple(self.text(field) for field in self.lines[0])

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The same in small letters, without blanks around."""
        return tuple(head.strip().casefold() for head in self.heads)

    @property
    def system(self) -> System:
        """Which system has written it, by its heads."""
        if self.columns[-1] == END:
            return "D2L"
        return "Canvas" if {"student", "id", "section"} <= {*self.columns} else "Moodle"

    @cached_property
    def comma(self) -> bool:
        """Whether its numbers have a decimal comma."""
        found = Counter[bool]()
        for line in self.lines[1:]:
            for start, end in line:
                if _COMMA(self.data, start, end):
                    found[True] += 1
                elif _POINT(self.data, start, end):
                    found[False] += 1
        return found[True] > found[False] or (not found and self.separator == b";")

    @cached_property
    def quotes_all(self) -> bool:
        """Whether every head stands in quotes, so that the new cells do too."""
        return all(self.data[field.start : field.start + 1] == b'"' for field in self.lines[0])

    def text(self, field: Field) -> str:
        """Return what a field says."""
        raw = self.data[field.start : field.end].decode(self.encoding)
        return raw[1:-1].replace('""', '"') if raw.startswith('"') else raw

    def cells(self, number: int, heads: frozenset[str]) -> Iterator[str]:
        """Yield what a line says in the columns with some heads, where it says anything."""
        for column, field in zip(self.columns, self.lines[number], strict=True):
            if column in heads and (text := self.text(field).strip().removeprefix("#")):
                yield text

    def is_blank(self, number: int) -> bool:
        """Say whether a line has nothing in it at all."""
        (first, *others) = self.lines[number]
        return not others and first.start == first.end

    def is_maximum(self, number: int) -> bool:
        """Say whether a line has the maximum points of each column."""
        return self.system == "Canvas" and self.text(self.lines[number][0]).strip() == MAXIMUM

    @cached_property
    def people(self) -> tuple[int, ...]:
        """The numbers of the lines that are somebody's."""
        return tuple(
            number
            for number in range(1, len(self.lines))
            if not (self.is_blank(number) or self.is_maximum(number))
            and any(self.cells(number, EMAIL | LOGIN | ID))
            and next(self.cells(number, FIRST), "") != TEST
        )

    def label(self, number: int) -> str:
        """Return what somebody's line calls them."""
        name = " ".join((*self.cells(number, FIRST), *self.cells(number, LAST)))
        return name or next(self.cells(number, LOGIN | EMAIL | ID), "")

    # ---- One column more ---------------------------------------------------------------------

    def with_column(self, name: str, points: Mapping[int, float], maximum: float) -> bytes:
        """Return the file with one column more.

        Args:
            name: what the column is called.
            points: what the lines have in it, by their numbers; all others have an empty cell.
            maximum: the most that somebody can have.

        Raises:
            BadGradebook: the column cannot have this name.
        """
        name, before_last = self._head(name, maximum), self.system == "D2L"
        put, cells = [], {**points}
        for number, line in enumerate(self.lines):
            if self.is_blank(number):  # an editor has left it: with a cell it would be somebody's
                continue
            if self.is_maximum(number):
                cells[number] = maximum
            value = name if number == 0 else self._number(cells.get(number))
            cell = self._cell(value)
            put.append(
                (line[-1].start, cell + self.separator)
                if before_last
                else (line[-1].end, self.separator + cell)
            )
        added = b"".join(_between(self.data, put))
        return added.decode().encode(self.utf_16) if self.utf_16 else added

    def _head(self, name: str, maximum: float) -> str:
        """Return the head of the new column, as its system expects it."""
        name = " ".join(name[: 4 * MAX_NAME].split())
        is_plain = 1 <= len(name) <= MAX_NAME and name[0].isalnum() and is_visible(name)
        require(is_plain, BAD_NAME)
        if self.system == "D2L":
            name = f"{name} Points Grade <Numeric MaxPoints:{written(maximum)}>"
        require(name.casefold() not in self.columns, NAME_TAKEN)
        try:
            name.encode(self.encoding)
        except UnicodeEncodeError:
            raise BadGradebook(NOT_WRITABLE) from None
        return name

    def _number(self, points: float | None) -> str:
        return "" if points is None else written(points, comma=self.comma)

    def _cell(self, text: str) -> bytes:
        """Return a cell as this file writes it: a number of ours, or the name of the column."""
        cell = text.encode(self.encoding)
        needs = self.separator in cell or b'"' in cell or (self.quotes_all and bool(cell))
        return b'"' + cell.replace(b'"', b'""') + b'"' if needs else cell


def written(points: float, *, comma: bool = False) -> str:
    """Return points as a gradebook writes them, to a hundredth.

    >>> written(7.5), written(7.5, comma=True), written(10), written(1 / 3)
    ('7.5', '7,5', '10', '0.33')
    """
    text = f"{points:.2f}".rstrip("0").rstrip(".")
    return text.replace(".", ",") if comma else text


def _between(data: bytes, put: Sequence[tuple[int, bytes]]) -> Iterator[bytes]:
    """Yield a file with pieces put into it at some places."""
    done = 0
    for place, piece in put:
        yield data[done:place]
        yield piece
        done = place
    yield data[done:]


# ---- Where the fields lie ------------------------------------------------------------------------


def read_gradebook(data: bytes) -> Gradebook:
    """Return a gradebook; its size is limited before it is read.

    Raises:
        BadGradebook: it is too large, not a gradebook, or names nobody.
    """
    found = read_table(data)
    require(any({*found.columns} & heads for heads in (EMAIL, LOGIN, ID)), NOBODY)
    require(bool(found.people), NOBODY)
    return found


def read_table(data: bytes) -> Gradebook:
    """Return a CSV with heads, and where its fields lie; raise BadGradebook for any other file."""
    require(len(data) <= MAX_BYTES, TOO_LARGE)
    encoding = encoding_of(data)
    utf_16 = encoding if encoding.startswith("utf-16") else ""
    if utf_16:
        data, encoding = data.decode(utf_16).encode(), "utf-8"
    require(bool(encoding and data.strip()) and b"\0" not in data, NOT_CSV)
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    separator = _separator(data, start)
    lines = tuple(_lines(data, start, separator))
    found = Gradebook(data, lines, separator, encoding, utf_16)
    require(len(found.lines[0]) > 1, NOT_CSV)
    for number, line in enumerate(lines, start=1):
        if len(line) != len(lines[0]) and not found.is_blank(number - 1):
            counts = {"fields": len(line), "columns": len(lines[0])}
            raise BadGradebook(RAGGED.fill(line=number, **counts))
    return found


def encoding_of(data: bytes) -> str:
    r"""Return how a text file is encoded; nothing where it is no text.

    Of UTF-16 a mark at its beginning says so, which stays in the text, or bytes that no other text
    has. Excel still writes Latin where it is not asked for UTF-8.

    >>> encoding_of("Ada".encode("utf-16-be")), encoding_of(b"Ada"), encoding_of(b"Zo\xeb")
    ('utf-16-be', 'utf-8', 'cp1252')
    """
    tried: tuple[str, ...] = "utf-8", "cp1252"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        tried = ("utf-16-le" if data.startswith(b"\xff") else "utf-16-be",)
    elif b"\0" in data[:200]:
        tried = ("utf-16-le" if data[1:2] == b"\0" else "utf-16-be",)
    for encoding in tried:
        with suppress(UnicodeDecodeError):
            data.decode(encoding)
            return encoding
    return ""


def _separator(data: bytes, start: int) -> bytes:
    """Return which sign stands most often in the first line, outside of quotes."""
    heads = re.sub(rb'"[^"]*"', b"", data[start:])
    first = _LINE_END.split(heads, maxsplit=1)[0]
    return max((b",", b";", b"\t"), key=first.count)


def _lines(data: bytes, start: int, separator: bytes) -> Iterator[tuple[Field, ...]]:
    """Yield the fields of each line; a quoted field may go over several lines of the file."""
    quoted = rb'"(?:[^"]|"")*+"'  # possessive: a quote that never ends is found out at once
    plain = rb'(?!")[^%s\r\n]*+' % separator
    field = re.compile(rb"(?:%s|%s)(%s|\r\n|\n|\r|\Z)" % (quoted, plain, separator))
    at, line, count, number = start, list[Field](), 0, 1
    while True:
        match = field.match(data, at)
        if match is None:
            raise BadGradebook(BAD_QUOTE.fill(line=number))
        end = match.start(1)
        line.append(Field(at, end))
        require(len(line) <= MAX_COLUMNS and end - at <= MAX_FIELD, TOO_MANY)
        at, sign = match.end(), match[1]
        if sign == separator:
            continue
        yield tuple(line)
        line, count, number = [], count + 1, number + 1
        require(count <= MAX_LINES, TOO_MANY)
        if not sign or at == len(data):
            return


def require(condition: bool, why: Text) -> None:  # noqa: FBT001 - a condition
    """Raise BadGradebook unless a file is what it has to be."""
    if not condition:
        raise BadGradebook(why)
