"""Tournaments in short: in lists, on the big screen, as JSON, and for a spreadsheet."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import flask

from cardgames.text import Text, plural
from web.classroom.answers import class_address, csv_response, iso_time
from web.classroom.model import Member
from web.classroom.standings import Row, Standings, count_finished, standings_of
from web.classroom.state import ClassState, class_store
from web.classroom.tournament_table import Seat, hides_points, phase_of, seats_of, when_text
from web.classroom.tournaments import Phase, Tournament
from web.http.downloads import Cell

_HEAD: Final = (
    *("tournament", "title", "table", "ranking", "deals", "student", "nickname"),
    *("state", "played", "place", "points", "finished"),
)
_DIGITS: Final = 9
"""Number of decimals of points in the spreadsheet: equal ones are equal there too."""


@dataclass(frozen=True, slots=True)
class TournamentLink:
    """A tournament in a list."""

    tournament: Tournament
    """Without its salt."""

    phase: Phase
    when: Text
    progress: Text
    """How far this student is, or how many students have finished."""

    deal: int = 0
    """The deal that this student plays next; 0 for none."""


def student_links(state: ClassState, member: Member) -> list[TournamentLink]:
    """Return the tournaments of a class as a student finds them, the newest first."""
    if not state.classroom.tournaments:
        return []
    seats = seats_of(state, member)
    return [
        _link(
            state,
            one,
            _progress(state, one, seat := seats[one.number]),
            seat.next_deal if seat.may_play else 0,
        )
        for one in reversed(state.classroom.tournaments)
    ]


def desk_links(state: ClassState) -> list[TournamentLink]:
    """Return the tournaments of a class as its instructor finds them, the newest first."""
    return [
        _link(
            state,
            one,
            plural("one has finished", "{number} have finished", count_finished(state, one)),
        )
        for one in reversed(state.classroom.tournaments)
    ]


def _link(
    state: ClassState, tournament: Tournament, progress: Text, deal: int = 0
) -> TournamentLink:
    phase = phase_of(state, tournament)
    when = when_text(tournament, phase, state.counters.now)
    return TournamentLink(tournament.public(), phase, when, progress, deal)


def _progress(state: ClassState, tournament: Tournament, seat: Seat) -> Text:
    """Say how far a student is, or which place they have."""
    missing = tournament.deals - seat.entry.played
    if missing and (seat.is_over or seat.is_done):
        return plural("one deal missing", "{number} deals missing", missing)
    if missing:
        return Text("deal {number} of {deals}", number=seat.next_deal, deals=tournament.deals)
    found = standings_of(state, tournament)
    own = found.by_student.get(seat.member.number)
    if own is None or not own.place:
        return Text("all deals played")
    return Text("place {place} of {number}", place=own.place, number=len(found.ranked))


def link_document(code: str, link: TournamentLink) -> dict[str, Any]:
    """Return a tournament of a list as JSON."""
    document = tournament_document(link.tournament)
    document |= {"open": link.phase == "open", "when": link.when}
    if link.deal:
        document["next"] = deal_document(code, link.tournament, link.deal)
    return document


# ---- The big screen ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScreenStandings:
    """A tournament on the big screen."""

    tournament: Tournament
    """Without its salt."""

    best: tuple[Row, ...]
    """The best, or nobody."""

    more: int
    """How many have the same place as the last of them."""

    finished: int
    others: int
    """How many of the class have not finished."""

    to_come: int
    """How many rounds are still to be worked out."""

    hides_points: bool


def shown_tournament(state: ClassState) -> Tournament | None:
    """Return the tournament that the big screen shows: the chosen one, or the newest that began."""
    tournaments, chosen = state.classroom.tournaments, state.classroom.standings
    begun = [one for one in tournaments if one.opens <= state.counters.now]
    return next((one for one in tournaments if one.number == chosen), begun[-1] if begun else None)


def screen_standings(state: ClassState) -> ScreenStandings | None:
    """Return what the big screen shows of a tournament; None where there is none yet."""
    tournament = shown_tournament(state)
    if tournament is None:
        return None
    found, hidden = (
        standings_of(state, tournament),
        hides_points(tournament, phase_of(state, tournament)),
    )
    best = found.best(deals=False, points=not hidden) if tournament.screen == "best" else ()
    return ScreenStandings(
        tournament=tournament.public(),
        best=best,
        more=sum(row.place == best[-1].place for row in found.ranked[len(best) :]) if best else 0,
        finished=found.finished,
        others=max(0, len(state.playing) - found.finished),
        to_come=found.to_come,
        hides_points=hidden,
    )


# ---- For programs and spreadsheets ---------------------------------------------------------------


def screen_document(shown: ScreenStandings | None) -> dict[str, Any] | None:
    """Return what the big screen shows as JSON."""
    if shown is None:
        return None
    return {
        "title": shown.tournament.heading,
        "table": shown.tournament.game.info.title,
        "ranking": shown.tournament.ranking,
        "finished": shown.finished,
        "to_come": shown.to_come,
        "best": [row_document(row) for row in shown.best],
    }


def standings_document(
    state: ClassState, tournament: Tournament, found: Standings, version: str
) -> dict[str, Any]:
    """Return what everybody in a class may know of a tournament, as JSON."""
    phase = phase_of(state, tournament)
    return {
        "class": state.code,
        "version": version,
        **tournament_document(tournament),
        "open": phase == "open",
        "over": phase == "over",
        "finished": found.finished,
        "playing": found.begun,
        "to_come": found.to_come,
    }


def tournament_document(tournament: Tournament) -> dict[str, Any]:
    """Return a tournament itself as JSON: nothing that its cards follow from."""
    return {
        "tournament": tournament.number,
        "title": tournament.heading,
        "table": tournament.table,
        "deals": tournament.deals,
        "ranking": tournament.ranking,
        "screen": tournament.screen,
        "points": tournament.points,
        "from": iso_time(tournament.opens),
        "until": iso_time(tournament.due) if tournament.due else None,
    }


def row_document(row: Row) -> dict[str, Any]:
    """Return a student's row as JSON, with what is shown of it."""
    document: dict[str, Any] = {"place": row.place or None, "name": row.name, "played": row.played}
    if row.total is not None:
        document["points"] = row.total
    return document | {"deals": row.scores} if row.scores else document


def deal_document(code: str, tournament: Tournament, deal: int) -> dict[str, Any]:
    """Return where a student plays a deal, as JSON."""
    address = f"{class_address(code)}/tournament/{tournament.number}/deal/{deal}"
    return {"deal": deal, "address": address}


def tournaments_csv(state: ClassState) -> flask.Response:
    """Return a line for each tournament and student, also those who have not begun.

    Students have their numbers and nicknames here; whose they are says the table of students.

    ``points`` are rounds won (a tie is half a one) or points given away, a hundredth of a round
    each; of a deal that is not played there are none, and before they are known.
    """
    most = max((one.deals for one in state.classroom.tournaments), default=0)
    head = (*_HEAD, *(f"deal {number}" for number in range(1, most + 1)))
    return csv_response(f"{state.code}-tournaments.csv", head, _csv_lines(state, most))


def _csv_lines(state: ClassState, most: int) -> Iterator[tuple[Cell, ...]]:
    """Yield the lines of that table, with the scores of some number of deals at the end."""
    for one in state.classroom.tournaments:
        rows = standings_of(state, one).by_student
        about = (one.number, one.heading, one.table, one.ranking, one.deals)
        for member in state.students:
            student = (member.number, member.student.name, member.student.state)
            made = _made(rows.get(member.number))
            yield (*about, *student, *made, *[None] * (len(_HEAD) - 8 + most - len(made)))


def _made(row: Row | None) -> tuple[Cell, ...]:
    """Return what a student has made of a tournament, as cells."""
    if row is None:
        return (0,)
    total = round(row.total or 0.0, _DIGITS) if row.known else None
    finished = iso_time(row.finished) if row.finished else None
    scores = (None if score is None else round(score, _DIGITS) for score in row.scores)
    return (row.played, row.place or None, total, finished, *scores)


def kept_entries(state: ClassState, member: Member) -> list[dict[str, Any]]:
    """Return all that is kept of a student's tournaments, as JSON for that student."""
    numbers = [one.number for one in state.classroom.tournaments]
    entries = class_store().tournaments.entries_of(state.code, member.number, numbers)
    return [
        {
            "tournament": number,
            "plays": [
                {"moves": play.moves, "winner": play.winner or None} for play in one.entry.plays
            ],
            "finished": one.entry.finished or None,
        }
        for number, one in sorted(entries.items())
    ]
