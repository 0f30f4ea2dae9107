"""What every student has made of every tournament, as a table for a gradebook."""

from typing import Final

import flask

from web.classroom.model import Member
from web.classroom.results import csv_response, iso_time
from web.classroom.state import ClassState, class_store
from web.classroom.tournaments.model import Tournament, unpack_entry
from web.classroom.tournaments.pages import standings_of
from web.classroom.tournaments.standings import Row
from web.classroom.tournaments.words import title_text
from web.http.downloads import Cell

_HEAD: Final = (
    *("tournament", "title", "table", "ranking", "deals", "student", "nickname"),
    *("state", "played", "place", "points", "finished"),
)
_DIGITS: Final = 9
"""To so many decimals points are told: whoever compares them finds equal ones equal."""


def tournaments_csv(state: ClassState) -> flask.Response:
    """Return a line for each tournament and student, also those who have not begun.

    Students have their numbers and nicknames here; whose they are says the table of students.

    ``points`` are rounds won (a tie is half a one) or points given away, a hundredth of a round
    each; of a deal that is not played, and of all of them before that is worked out, none are told.
    """
    most = max((one.deals for one in state.classroom.tournaments), default=0)
    lines = []
    for tournament in state.classroom.tournaments:
        rows = {row.student: row for row in standings_of(state, tournament).rows}
        what = (tournament.number, title_text(tournament), tournament.table)
        about = (*what, tournament.ranking, tournament.deals)
        for member in state.students:
            who = (member.number, member.student.name)
            made = _made(tournament, rows.get(member.number), most)
            lines.append((*about, *who, member.student.state, *made))
    head = (*_HEAD, *(f"deal {number}" for number in range(1, most + 1)))
    return csv_response(f"{state.code}-tournaments.csv", head, lines)


def _made(tournament: Tournament, row: Row | None, most: int) -> tuple[Cell, ...]:
    """Return the cells that tell what a student has made of a tournament."""
    if row is None:
        return (0, None, None, None, *[None] * most)
    scores = [None if score is None else round(score, _DIGITS) for score in row.scores]
    beyond = [None] * (most - tournament.deals)
    total = round(row.total, _DIGITS) if row.known else None
    finished = iso_time(row.finished) if row.finished else None
    return (row.played, row.place or None, total, finished, *scores, *beyond)


def kept_of(state: ClassState, member: Member) -> list[dict[str, object]]:
    """Return all that is kept of a student's tournaments."""
    found = []
    numbers = [one.number for one in state.classroom.tournaments]
    entries = class_store().tournaments.entries_of(state.code, member.number, numbers)
    for number, data in sorted(entries.items()):
        entry = unpack_entry(data)
        plays = [{"moves": play.moves, "winner": play.winner or None} for play in entry.plays]
        found.append({"tournament": number, "plays": plays, "finished": entry.finished or None})
    return found
