"""``/class/CODE/tournaments`` and ``/class/CODE/tournament/N``: make them, play them, see places.

The instructor sees everybody without having played; a student sees their own place and the
best five. A deal is played at an address of its own, by the same steps as at every table.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from typing import Any, Final

import flask
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from cardgames.cards import CardGameError
from cardgames.records import replay as records
from cardgames.text import Text
from web import db
from web.classroom import access, forms, standings, tournament_moves, words
from web.classroom.forms import ClassMove, MoveRequest, NotAllowed, OutOfDate, csv_response, page_of
from web.classroom.models import Classroom, Student
from web.classroom.presence import answer_known_page, note_presence
from web.classroom.standings import Seat, TournamentState
from web.classroom.students import not_banned, students_of
from web.classroom.tournament_table import TournamentTable
from web.classroom.tournaments import entries_of
from web.classroom.words import iso_time, local_time
from web.deals.deal import publish
from web.deals.location import deal_address
from web.history.addresses import replay_address
from web.http.downloads import Cell
from web.http.requests import wants_json
from web.http.responses import json_response, see_other
from web.http.sessions import renew_session
from web.tables.views import play_move, render_table

MAX_WAIT: Final = 3_600
"""Maximum number of seconds after which a page is loaded again when a tournament opens."""

DIGITS: Final = 1
"""Number of decimals of points in the spreadsheet, as on the pages."""

NO_REPLAY: Final = Text("Replays open when the tournament is over.")
NO_LINK: Final = Text("Its deals become links when the tournament is over.")

_CSV_HEAD: Final = (
    *("tournament", "title", "table", "ranking", "deals", "student", "nickname"),
    *("state", "played", "place", "points", "finished"),
)

blueprint = flask.Blueprint("tournaments", __name__)
blueprint.before_request(answer_known_page)


@blueprint.get("/class/<code>/tournaments")
def show_all(code: str) -> ResponseReturnValue:
    """Show the tournaments of a class, the newest first; and to its instructor the form."""
    classroom = access.load_class(code)
    leads = access.is_instructor(classroom)
    shown: Sequence[TournamentState]
    if leads:
        shown, possible = standings.tournaments_of(classroom), _list_moves(classroom)
        access.extend_expiry(classroom)
    else:
        student = access.require_student(classroom)
        shown, possible = standings.seats_of(classroom, student), []
    renew_session()
    version = classroom.etag("dashboard" if leads else "")
    if wants_json():
        listed = [at.list_document() for at in shown]
        document = classroom.document | {"version": version, "tournaments": listed}
        moves = [move.document() for move in possible]
        return forms.json_page(
            document | ({"step": classroom.step, "moves": moves} if leads else {})
        )
    return flask.render_template(
        "class/tournaments.html",
        classroom=classroom,
        version=version,
        leads=leads,
        tournaments=shown[::-1],
        moves={move.name: move for move in possible},
        now=_clock_text(classroom),
    )


@blueprint.post("/class/<code>/tournaments")
def make_one(code: str) -> ResponseReturnValue:
    """Make a tournament, or refuse it and show those that there are."""
    return forms.make_move(code, _list_moves, _why_none) or forms.lead_back(show_all)


@blueprint.errorhandler(CardGameError)
def refused(error: CardGameError) -> flask.Response:
    """Show the page of a form that was refused."""
    code, *number = (flask.request.view_args or {}).values()
    return forms.refuse(
        error, partial(show, code, *number[:1]) if number else partial(show_all, code)
    )


def _list_moves(classroom: Classroom) -> list[ClassMove]:
    """Return the moves about all tournaments that are possible now."""
    make = ClassMove("make", Text("Make the tournament"), _make, tournament_moves.FIELDS)
    return [make] if tournament_moves.may_make(classroom) else []


def _why_none(classroom: Classroom, name: str) -> Text:
    return tournament_moves.TOO_MANY if name == "make" and not classroom.closed else words.NOT_NOW


def _make(request: MoveRequest) -> ResponseReturnValue:
    """Make a tournament, and lead there.

    What takes long is worked out while nobody waits for this request: the class is read again
    afterwards, and refuses what is out of date.
    """
    made, step = tournament_moves.made_from(request), request.classroom.step
    db.rollback()
    tournament_moves.work_out(made)
    classroom = access.load_class(made.class_code)
    access.require_instructor(classroom)
    if step != classroom.step:
        raise OutOfDate(words.STALE)
    db.session().add(made)
    db.session().flush()
    access.save_move(classroom)
    page, address = (
        partial(show, made.class_code, made.number),
        TournamentState(classroom, made).address,
    )
    return page() if wants_json() else see_other(address, page)


@blueprint.get("/class/<code>/dashboard/tournaments.csv")
def export(code: str) -> ResponseReturnValue:
    """Return what every student has made of every tournament, a line each.

    ``points`` are rounds won (a tie is half a one) or points given away, a hundredth of a round
    each; of a deal that is not played there are none, and before they are known.
    """
    classroom = access.led_class(code)
    tournaments, students = standings.tournaments_of(classroom), not_banned(students_of(classroom))
    most = max((at.tournament.deals for at in tournaments), default=0)
    head = (*_CSV_HEAD, *(f"deal {number}" for number in range(1, most + 1)))
    lines = (line for at in tournaments for line in _export_lines(at, students))
    padded = ((*line, *[None] * (len(head) - len(line))) for line in lines)
    return csv_response(f"{classroom.code}-tournaments.csv", head, padded)


def _export_lines(at: TournamentState, students: Iterable[Student]) -> Iterator[tuple[Cell, ...]]:
    """Yield what students have made of a tournament, a line each."""
    one, rows = at.tournament, at.standings.by_student
    entries = entries_of(one, [*rows])
    about = (one.number, one.heading, one.table, one.ranking, one.deals)
    for student in students:
        who = (student.number, student.name, student.state)
        row = rows.get(student.number)
        if row is None:
            yield (*about, *who, 0)
            continue
        entry = entries[student.number]
        total = round(row.total, DIGITS) if row.played else None
        last = entry.finished if row.played == one.deals else None
        scores = (score and round(score, DIGITS) for score in entry.scores(one.deals))
        sums = (row.played, row.rank or None, total, last and iso_time(last))
        yield (
            *about,
            *who,
            *sums,
            *(None if score is None else round(score, DIGITS) for score in scores),
        )


@blueprint.get("/class/<code>/tournament/<int:number>")
def show(code: str, number: int) -> ResponseReturnValue:
    """Show where everybody stands: all of it to the instructor."""
    at = _tournament(access.load_class(code), number)
    as_student = flask.request.args.get("as") == "student"
    if access.is_instructor(at.classroom) and not (
        as_student and access.known_student(at.classroom)
    ):
        renew_session()
        access.extend_expiry(at.classroom)
        return _show_all_of(at)
    student = access.require_student(at.classroom)
    renew_session()
    note_presence(at.classroom.code)
    return _show_to_student(at, student)


@blueprint.post("/class/<code>/tournament/<int:number>")
def move(code: str, number: int) -> ResponseReturnValue:
    """Make one of the instructor's moves about a tournament, or refuse it."""
    made = forms.make_move(
        code,
        lambda classroom: tournament_moves.available_at(_tournament(classroom, number)),
        lambda classroom, name: tournament_moves.why_not(_tournament(classroom, number), name),
    )
    return made or forms.lead_back(show)


def _show_all_of(at: TournamentState) -> ResponseReturnValue:
    """Answer with a tournament as its instructor sees it: everybody."""
    classroom = at.classroom
    if wants_json():
        return forms.json_page(_document_for_all(at))
    shown = page_of(at.standings.rows, lambda row: row.name)
    return flask.render_template(
        "class/tournament_desk.html",
        at=at,
        found=at.standings,
        version=classroom.etag("dashboard"),
        list=replace(shown, rows=standings.with_scores(at.tournament, shown.rows)),
        moves={move.name: move for move in tournament_moves.available_at(at)},
        is_member=access.known_student(classroom) is not None,
        is_shown=classroom.show == "standings" and standings.tournament_on_screen(classroom) == at,
        field_text=_field_text,
        now=_clock_text(classroom),
    )


def _document_for_all(at: TournamentState) -> dict[str, Any]:
    """Return a tournament as JSON for its instructor: everybody."""
    rows = standings.with_scores(at.tournament, at.standings.rows)
    return at.page_document(at.classroom.etag("dashboard")) | {
        "step": at.classroom.step,
        "students": [row.document() | {"number": row.student} for row in rows],
        "moves": [move.document() for move in tournament_moves.available_at(at)],
    }


def _clock_text(classroom: Classroom) -> str:
    """Return what the server's clock shows, with its zone: all times are by it."""
    return f"{local_time(classroom.now):%Y-%m-%d %H:%M %Z}"


def _field_text(at: float) -> str:
    """Return a time as a field of a form has it; empty for none."""
    return f"{local_time(at):%Y-%m-%dT%H:%M}" if at else ""


def _show_to_student(at: TournamentState, student: Student) -> ResponseReturnValue:
    """Answer with a tournament as one of its students sees it: their own place, and the best five.

    What others have made of each deal is shown to those who have played it.
    """
    (seat,) = standings.seats_of(at.classroom, student, [at])
    own, best = seat.own_standing, seat.best
    if wants_json():
        return forms.json_page(_document_for(seat))
    is_apart = own and own.rank > 0 and own.student not in {row.student for row in best}
    left = seat.tournament.opens - seat.classroom.now
    return flask.render_template(
        "class/tournament.html",
        seat=seat,
        found=seat.standings,
        version=seat.classroom.etag("screen"),
        own=own,
        best=(*best, own) if is_apart else best,
        now=_clock_text(seat.classroom),
        opens_in=ceil(left) if 0 < left < MAX_WAIT and not seat.is_over else 0,
    )


def _document_for(seat: Seat) -> dict[str, Any]:
    """Return a tournament as JSON for one of its students."""
    own, points = seat.own_standing, not seat.hides_points
    you = own.document(points=points) if own else {"played": seat.entry.played}
    you.pop("name", None)
    return seat.page_document(seat.classroom.etag("screen")) | {
        "best": [row.document(deals=seat.shows_deals, points=points) for row in seat.best],
        "you": you | {"number": seat.student.number},
        "next": seat.next_document(),
    }


@blueprint.get("/class/<code>/tournament/<int:number>/deal/<int:deal>")
def show_deal(code: str, number: int, deal: int) -> ResponseReturnValue:
    """Show a student's table at a deal: the one that is next, or one that they have finished."""
    seat = _seat(code, number)
    note_presence(seat.classroom.code)
    refusal = standings.refusal_at(seat, deal)
    if refusal and not wants_json():
        return see_other(seat.address)
    if refusal:
        raise NotAllowed(refusal)
    return render_table(_table_at(seat, deal))


@blueprint.post("/class/<code>/tournament/<int:number>/deal/<int:deal>")
def move_at_deal(code: str, number: int, deal: int) -> ResponseReturnValue:
    """Play one move at a deal, or refuse it and show the table as it stands."""
    seat = _seat(code, number)
    if refusal := standings.refusal_at(seat, deal):
        raise NotAllowed(refusal)
    table = _table_at(seat, deal)
    return play_move(table, lambda: flask.make_response(show_deal(code, number, deal)))


@blueprint.get("/class/<code>/tournament/<int:number>/deal/<int:deal>/replay")
def replay(code: str, number: int, deal: int) -> ResponseReturnValue:
    """Lead to the replay of a student's round, once the tournament is over."""
    seat = _seat(code, number)
    forms.require(seat.is_over, NO_REPLAY)
    play = seat.entry.play(deal)
    if play is None or not play.winner:
        raise NotFound
    record = records.replay(seat.tournament.deal(deal).record(play.moves)).last.record
    return see_other(replay_address(record))


@blueprint.post("/class/<code>/tournament/<int:number>/deal/<int:deal>/link")
def link(code: str, number: int, deal: int) -> ResponseReturnValue:
    """Make an ordinary deal link of a deal, once the tournament is over, and lead there."""
    at = _tournament(access.load_class(code), number)
    if not access.is_instructor(at.classroom):
        access.require_student(at.classroom)
    if not 1 <= deal <= at.tournament.deals:
        raise NotFound
    forms.require(at.is_over, NO_LINK)
    deal_id = publish(at.tournament.deal(deal))
    address = deal_address(deal_id)
    if wants_json():
        return json_response({"deal": deal_id, "address": address, "game": at.tournament.table})
    return see_other(address)


def _tournament(classroom: Classroom, number: int) -> TournamentState:
    """Return a tournament of a class; raise NotFound where there is none with this number."""
    for at in standings.tournaments_of(classroom):
        if at.tournament.number == number:
            return at
    raise NotFound


def _seat(code: str, number: int) -> Seat:
    """Return where the student of the browser is in a tournament; raise where either is none."""
    at = _tournament(access.load_class(code), number)
    (seat,) = standings.seats_of(at.classroom, access.require_student(at.classroom), [at])
    return seat


def _table_at(seat: Seat, deal: int) -> TournamentTable:
    """Return a student's table at a deal; raise NotFound where there is no such deal."""
    if not 1 <= deal <= seat.tournament.deals:
        raise NotFound
    return TournamentTable.at(seat, deal)
