"""Who is who in a gradebook: its lines, and the people who have points."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeVar

from cardgames.text import Text
from web.classes.nicknames import roster_key
from web.gradebooks.gradebook import EMAIL, ID, LOGIN, Gradebook, read_table, require

Way = Literal["id", "part", "name"]  # by what somebody was found
Key = str | tuple[str, ...]
T = TypeVar("T")

NOT_POINTS: Final = Text(
    "That is no table of the grader's: python -m course.grade writes one with --csv."
)


class Person(NamedTuple):
    """Somebody with points: a student of the class, or one whom the grader has graded."""

    number: int
    name: str  # the nickname, or the folder's name
    known_as: str  # a login, e-mail address, ID or real name; empty where nobody knows
    points: float | None


class Match(NamedTuple):
    """Who somebody's line is, and by what that was found."""

    person: Person
    way: Way


def matches(book: Gradebook, people: Sequence[Person]) -> dict[int, Match]:
    """Return who somebody's line is, by its number: where there is one line and one person for it.

    An e-mail address, a login or an ID goes before the first part of one, and that before a name.
    """
    found, lines, rest = dict[int, Match](), {*book.people}, {one for one in people if one.known_as}
    for way, of_line, of_person in _WAYS:
        keys = _by_key((line, of_line(book, line)) for line in lines)
        known = _by_key((one, of_person(one.known_as)) for one in rest)
        pairs = {(line, one) for key in keys for line in keys[key] for one in known.get(key, ())}
        # Two for one, in either direction, are nobody's: the instructor is asked.
        of_lines, of_people = Counter(line for line, _ in pairs), Counter(one for _, one in pairs)
        found |= {
            line: Match(one, way)
            for line, one in pairs
            if of_lines[line] == 1 and of_people[one] == 1
        }
        lines -= of_lines.keys()
        rest -= of_people.keys()
    return found


def _by_key(keyed: Iterable[tuple[T, Iterable[Key]]]) -> dict[Key, set[T]]:
    found: dict[Key, set[T]] = {}
    for one, keys in keyed:
        for key in keys:
            found.setdefault(key, set()).add(one)
    return found


def _ids(book: Gradebook, number: int) -> Iterator[Key]:
    """Yield what a line's person is called without a doubt."""
    yield from (cell.casefold() for cell in book.cells(number, EMAIL | LOGIN | ID))


def _parts(book: Gradebook, number: int) -> Iterator[Key]:
    """Yield the first part of a line's e-mail address as a login, and its login as such a part.

    Two addresses with the same first part are two people.
    """
    for cell in book.cells(number, EMAIL):
        yield "login", cell.partition("@")[0].casefold()
    for cell in book.cells(number, LOGIN):
        yield "part", cell.casefold()


def _parts_of(known_as: str) -> Iterator[Key]:
    part, at, _ = known_as.casefold().partition("@")
    yield "part" if at else "login", part


def _names(book: Gradebook, number: int) -> Iterator[Key]:
    if key := roster_key(book.label(number)):
        yield key


def _names_of(known_as: str) -> Iterator[Key]:
    # One word is no whole name: it may be anybody's first.
    if len(key := roster_key(known_as.replace("_", " "))) > 1:
        yield key


_WAYS: Final[
    tuple[
        tuple[
            Way,
            Callable[[Gradebook, int], Iterator[Key]],
            Callable[[str], Iterable[Key]],
        ],
        ...,
    ]
] = (
    ("id", _ids, lambda known_as: (known_as.casefold(),)),
    ("part", _parts, _parts_of),
    ("name", _names, _names_of),
)


# ---- The grader's points -------------------------------------------------------------------------

_is_figure: Final = re.compile(r"\d{1,6}(?:\.\d{1,6})?").fullmatch


def read_points(data: bytes) -> tuple[list[Person], float]:
    """Return what ``python -m course.grade --csv`` has written: whose points, and the most of all.

    Raises:
        BadGradebook: it is another file.
    """
    table = read_table(data)
    require(table.columns[:3] == ("student", "points", "of"), NOT_POINTS)
    people, most = list[Person](), 0.0
    for number, line in enumerate(table.lines):
        if number == 0 or table.is_blank(number):
            continue
        name, points, of = (table.text(field) for field in line[:3])
        require(bool(_is_figure(points) and _is_figure(of)), NOT_POINTS)
        name = name.removeprefix("'")
        people.append(Person(number, name, name, float(points)))
        most = max(most, float(of))
    return people, most
