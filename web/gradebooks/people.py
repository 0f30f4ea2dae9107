"""Who is who in a gradebook: its lines, and the people who have points."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple, TypeVar, get_args

from cardgames.text import Text
from web.classes.nicknames import roster_key
from web.gradebooks.gradebook import EMAIL, ID, LOGIN, Gradebook, read_table, require

Way = Literal["id", "part", "name"]  # by what somebody was found
WAYS: Final[tuple[Way, ...]] = get_args(Way)  # the surest first
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
    found = dict[int, Match]()
    lines = {line: _keys_of_line(book, line) for line in book.people}
    rest = {one: _keys_of_person(one.known_as) for one in people if one.known_as}
    for way in WAYS:
        keys = _by_key((line, own[way]) for line, own in lines.items())
        known = _by_key((one, own[way]) for one, own in rest.items())
        pairs = {(line, one) for key in keys for line in keys[key] for one in known.get(key, ())}
        # Two for one, in either direction, are nobody's: the instructor is asked.
        of_lines, of_people = Counter(line for line, _ in pairs), Counter(one for _, one in pairs)
        found |= {
            line: Match(one, way)
            for line, one in pairs
            if of_lines[line] == 1 and of_people[one] == 1
        }
        lines = {line: own for line, own in lines.items() if line not in of_lines}
        rest = {one: own for one, own in rest.items() if one not in of_people}
    return found


def _by_key(keyed: Iterable[tuple[T, Iterable[Key]]]) -> dict[Key, set[T]]:
    found: dict[Key, set[T]] = {}
    for one, keys in keyed:
        for key in keys:
            found.setdefault(key, set()).add(one)
    return found


def _keys_of_line(book: Gradebook, number: int) -> dict[Way, list[Key]]:
    """Return what a line's person is called, by each way to find them."""
    emails, logins, ids = (
        [cell.casefold() for cell in book.cells(number, heads)] for heads in (EMAIL, LOGIN, ID)
    )
    name = roster_key(book.label(number))
    # A login may be the first part of an address, but two addresses with the same are two people.
    parts: list[Key] = [("login", one.partition("@")[0]) for one in emails]
    parts += (("part", one) for one in logins)
    return {"id": [*emails, *logins, *ids], "part": parts, "name": [name] if name else []}


def _keys_of_person(known_as: str) -> dict[Way, list[Key]]:
    """Return the same of somebody with points."""
    text, name = known_as.casefold(), roster_key(known_as.replace("_", " "))
    part, at, _ = text.partition("@")
    # One word is no whole name: it may be anybody's first.
    names: list[Key] = [name] if len(name) > 1 else []
    return {"id": [text], "part": [("part" if at else "login", part)], "name": names}


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
