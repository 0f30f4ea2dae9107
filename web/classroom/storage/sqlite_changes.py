"""What one statement or two say of the rows of a class, inside a write of more (:mod:`.sqlite`)."""

import sqlite3
from typing import Any, Final

from cardgames.class_bingo.clock import Clock
from cardgames.class_bingo.results import Claim
from web.classroom.storage.protocol import MAX_FINISHED, Change, Pulse, StudentChange

_CLAIM: Final = "card, call, heat, since"


def pulse_of(row: tuple[Any, ...]) -> Pulse:
    """Return the numbers of a class: its columns, and the time at which they were read."""
    version, students, claims, right, round_, is_open, *clock = row[:10]
    return Pulse(
        version, students, claims, right, round_, bool(is_open), Clock(*clock), float(row[10])
    )


def numbers_read(seen: Pulse) -> tuple[int, ...]:
    """Return the numbers that must not have changed."""
    return (seen.version, seen.students, seen.claims, seen.clock.stop)


def fields_of(change: Change, seen: Pulse) -> dict[str, Any]:
    """Return the columns of a class that a change sets; one of them at least."""
    fields: dict[str, Any] = {"students": seen.students + bool(change.students)}
    if change.data is not None:
        fields |= {"data": change.data, "version": seen.version + 1}
    if change.clock is not None:
        clock = change.clock
        names = ("calls", "since", "every", "stop")
        fields |= {name: getattr(clock, name) for name in names}
    if change.round is not None:
        fields |= {"round": change.round, "claims": 0, "right_claims": 0}
    if change.goes_on:
        fields["right_claims"] = 0
    plain = {
        "is_open": change.is_open,
        "next_card": change.next_card,
        "expires": change.expires,
    }
    return fields | {name: value for name, value in plain.items() if value is not None}


class ChangedMeanwhile(Exception):
    """A student is not as they were read, or a nickname is taken: nothing is written."""


def change_student(connection: sqlite3.Connection, code: str, change: StudentChange) -> None:
    """Write one student.

    Raises:
        ChangedMeanwhile: they are not as they were read, or their new nickname is taken.
    """
    statement = (
        "UPDATE OR IGNORE class_student SET version = version + 1, data = ?, "
        "key = CASE ? WHEN '' THEN key ELSE ? END "
    )
    values: tuple[Any, ...] = (change.data, change.key, change.key)
    if change.data is None:
        statement, values = "DELETE FROM class_student ", ()
    statement += "WHERE class = ? AND number = ? AND version = ?"
    where = (code, change.number, change.version)
    if not connection.execute(statement, (*values, *where)).rowcount:
        raise ChangedMeanwhile
    if change.browser:
        add_browser(connection, code, change.browser, change.number)


def write_beside(connection: sqlite3.Connection, code: str, change: Change) -> None:
    """Write what a change says beside the class's row and its students."""
    if change.round is not None:
        connection.execute("DELETE FROM class_claim WHERE class = ?", (code,))
    if change.finished:
        number, data = change.finished
        connection.execute("REPLACE INTO class_round VALUES (?, ?, ?)", (code, number, data))
        statement = "DELETE FROM class_round WHERE class = ? AND number <= ?"
        connection.execute(statement, (code, number - MAX_FINISHED))
    if change.deals_played is not None:
        connection.execute("DELETE FROM class_deals_played WHERE class = ?", (code,))
    if change.deals_played:
        values = (code, change.deals_played)
        connection.execute("INSERT INTO class_deals_played VALUES (?, ?)", values)
    if change.forget_names:
        connection.execute("DELETE FROM class_name WHERE class = ?", (code,))
    if change.roster is not None:
        connection.execute("DELETE FROM class_name WHERE class = ? AND number < 0", (code,))
        rows = [(code, -place, name) for place, name in enumerate(change.roster, 1)]
        connection.executemany("INSERT INTO class_name VALUES (?, ?, ?)", rows)


def add_browser(connection: sqlite3.Connection, code: str, browser: str, number: int) -> None:
    """Make a browser a student's."""
    connection.execute("REPLACE INTO class_browser VALUES (?, ?, ?)", (code, browser, number))


def number_of(connection: sqlite3.Connection, code: str, browser: str) -> int | None:
    """Return the number of a browser's student."""
    statement = "SELECT student FROM class_browser WHERE class = ? AND browser = ?"
    row = connection.execute(statement, (code, browser)).fetchone()
    return row and int(row[0])


def kept_claim(connection: sqlite3.Connection, code: str, claim: Claim) -> Claim:
    """Return the claim that a card has at a call."""
    where = "class = ? AND card = ? AND call = ?"
    statement = f"SELECT {_CLAIM} FROM class_claim WHERE {where}"  # noqa: S608 - names of ours
    row = connection.execute(statement, (code, claim.card, claim.call)).fetchone()
    return Claim(*row)
