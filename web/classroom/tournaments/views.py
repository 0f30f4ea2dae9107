"""``/class/CODE/tournaments`` and ``/class/CODE/tournament/N``: make them, play them, see places.

Whoever leads the class sees everybody without having played; a student sees their own place and the
best five. A deal is played at an address of its own, by the same steps as at every table.
"""

from typing import Any

import flask
from werkzeug.exceptions import NotFound, ServiceUnavailable

from cardgames.text import Text
from web.classroom import words as class_words
from web.classroom.access import (
    is_instructor,
    led_class,
    member_of,
    require_student,
    student_of,
)
from web.classroom.dashboard import extend_expiry, make_move
from web.classroom.entry import class_address
from web.classroom.moves import MoveRequest, NotAllowed
from web.classroom.state import MAX_ATTEMPTS, ClassState, class_store, commit, load_class
from web.classroom.tournaments import moves, pages, words
from web.classroom.tournaments.costs import unpack_costs
from web.classroom.tournaments.documents import desk_document, list_document, student_document
from web.classroom.tournaments.entries import is_over
from web.classroom.tournaments.export import tournaments_csv
from web.classroom.tournaments.judging import ask_for_costs
from web.classroom.tournaments.location import (
    PlayedMeanwhile,
    Seat,
    TournamentTable,
    seat_of,
)
from web.classroom.tournaments.model import Tournament
from web.classroom.updates import answer_known_page, note_presence, page_version
from web.deals.deal import publish
from web.deals.location import deal_address
from web.deals.summary import replayed_round
from web.http.responses import json_response, render_page, see_other, wants_json
from web.rounds.addresses import replay_address
from web.storage.sessions import current_session, renew_session
from web.tables.views import play_move, render_table

blueprint = flask.Blueprint("class-tournaments", __name__)
blueprint.before_request(answer_known_page)


# ---- All tournaments of a class ------------------------------------------------------------------


@blueprint.get("/class/<code>/tournaments")
def show_all(code: str) -> flask.Response:
    """Show the tournaments of a class, and to whoever leads it the form for another."""
    state = load_class(code)
    return _list(state)


@blueprint.post("/class/<code>/tournaments")
def make(code: str) -> flask.Response:
    """Make a tournament, or refuse it and show those that there are."""
    return make_move(code, _made, _list)


def _made(name: str, request: MoveRequest) -> flask.Response | None:
    """Make a tournament, have it worked out what decisions cost, and lead there.

    Raises:
        CardGameError: it is not possible.
    """
    if name != moves.MAKE:
        raise NotAllowed(class_words.NOT_NOW)
    if not commit(request.state, moves.make(request)):
        return None
    state = load_class(request.state.code)
    tournament = state.classroom.tournaments[-1]
    if tournament.ranking == "play":
        ask_for_costs(state.code, tournament)
    if wants_json():
        return _desk(state, tournament)
    return see_other(_address(state, tournament))


def _list(
    state: ClassState, status: int = 200, refusal: str = "", typed: dict[str, str] | None = None
) -> flask.Response:
    leads = is_instructor(state)
    member = student_of(state) if leads else require_student(state)
    renew_session()
    if leads:
        extend_expiry(state)
    version = page_version(state.counters, "dashboard" if leads else "")
    page = pages.list_page(state, member, version, leads=leads, refusal=refusal, typed=typed)
    if wants_json():
        told = list_document(page, state.classroom.tournaments)
        return json_response(told, status, refusal)
    return render_page("class/tournaments.html", status, page=page, words=words)


@blueprint.get("/class/<code>/dashboard/tournaments.csv")
def export(code: str) -> flask.Response:
    """Return what every student has made of every tournament."""
    return tournaments_csv(led_class(code))


# ---- One tournament ------------------------------------------------------------------------------


@blueprint.get("/class/<code>/tournament/<int:number>")
def show(code: str, number: int) -> flask.Response:
    """Show where everybody stands: all of it to whoever leads the class."""
    state = load_class(code)
    tournament = _tournament_or_404(state, number)
    asks_as_student = flask.request.args.get("as") == "student"
    if is_instructor(state) and not (asks_as_student and member_of(state)):
        renew_session()
        extend_expiry(state)
        return _desk(state, tournament)
    member = require_student(state)
    renew_session()
    note_presence(state.code, current_session().sid, "")
    return _student(seat_of(state, tournament, member))


@blueprint.post("/class/<code>/tournament/<int:number>")
def move(code: str, number: int) -> flask.Response:
    """Make one of the instructor's moves about a tournament, or refuse it."""

    def made(name: str, request: MoveRequest) -> flask.Response | None:
        if name not in moves.MOVES:
            raise NotAllowed(class_words.NOT_NOW)
        tournament = _tournament_or_404(request.state, number)
        if not commit(request.state, moves.MOVES[name](request, tournament)):
            return None
        if wants_json():
            state = load_class(code)
            return _desk(state, _tournament_or_404(state, number))
        return see_other(_address(request.state, tournament))

    def refused(state: ClassState, *why: Any) -> flask.Response:
        return _desk(state, _tournament_or_404(state, number), *why)

    _tournament_or_404(load_class(code), number)
    return make_move(code, made, refused)


def _desk(
    state: ClassState,
    tournament: Tournament,
    status: int = 200,
    refusal: str = "",
    typed: dict[str, str] | None = None,
) -> flask.Response:
    page = pages.desk_page(
        state,
        tournament,
        page_version(state.counters, "dashboard"),
        is_member=member_of(state) is not None,
        refusal=refusal,
        typed=typed,
    )
    if wants_json():
        told = desk_document(page)
        return json_response(told, status, refusal)
    return render_page("class/tournament_desk.html", status, page=page, words=words)


def _student(seat: Seat, status: int = 200, refusal: str = "") -> flask.Response:
    page = pages.student_page(seat, page_version(seat.state.counters, "screen"), refusal)
    if wants_json():
        told = student_document(page)
        return json_response(told, status, refusal)
    return render_page("class/tournament.html", status, page=page)


# ---- One deal ------------------------------------------------------------------------------------


@blueprint.get("/class/<code>/tournament/<int:number>/deal/<int:deal>")
def show_deal(code: str, number: int, deal: int) -> flask.Response:
    """Show a student's table at a deal: the one that is next, or one that they have finished."""
    seat = _seat(code, number)
    note_presence(seat.state.code, current_session().sid, "")
    if not seat.has_played(deal) and (refusal := _refusal(seat, deal)):
        if wants_json():
            return _student(seat, 422, refusal)
        return see_other(_address(seat.state, seat.tournament))
    return render_table(_table(seat, deal))


@blueprint.post("/class/<code>/tournament/<int:number>/deal/<int:deal>")
def move_at_deal(code: str, number: int, deal: int) -> flask.Response:
    """Play one move at a deal, or refuse it and show the table as it stands."""
    for _ in range(MAX_ATTEMPTS):
        seat = _seat(code, number)
        if not seat.has_played(deal) and (refusal := _refusal(seat, deal)):
            return _student(seat, 422, refusal)
        try:
            answer = play_move(_table(seat, deal))
        except PlayedMeanwhile:
            continue  # the same again, on what is there now: its step is taken
        _ask_again(seat)
        return answer
    raise ServiceUnavailable


@blueprint.get("/class/<code>/tournament/<int:number>/deal/<int:deal>/replay")
def replay(code: str, number: int, deal: int) -> flask.Response:
    """Lead to the replay of a student's round, once the tournament is over."""
    seat = _seat(code, number)
    if not seat.is_over:
        return _student(seat, 422, words.NO_REPLAY)
    play = seat.entry.play(deal)
    if play is None or not play.winner:
        raise NotFound
    record, _ = replayed_round(seat.tournament.deal(deal), play.moves)
    return see_other(replay_address(record))


@blueprint.post("/class/<code>/tournament/<int:number>/deal/<int:deal>/link")
def link(code: str, number: int, deal: int) -> flask.Response:
    """Make an ordinary deal link of a deal, once the tournament is over, and lead there."""
    state = load_class(code)
    tournament = _tournament_or_404(state, number)
    member = None if is_instructor(state) else require_student(state)
    if not 1 <= deal <= tournament.deals:
        raise NotFound
    if not is_over(state, tournament):
        if member is None:
            return _desk(state, tournament, 422, words.NO_LINK)
        return _student(seat_of(state, tournament, member), 422, words.NO_LINK)
    deal_id = publish(tournament.deal(deal))
    address = deal_address(deal_id)
    if wants_json():
        return json_response({"deal": deal_id, "address": address, "game": tournament.table})
    return see_other(address)


def _seat(code: str, number: int) -> Seat:
    """Return where the student of the browser is in a tournament.

    Raises:
        NotAStudent: there is none.
        NotFound: the class has no such tournament.
    """
    state = load_class(code)
    return seat_of(state, _tournament_or_404(state, number), require_student(state))


def _refusal(seat: Seat, deal: int) -> Text | None:
    """Say why a student cannot play a deal now; None where they can."""
    now, tournament = seat.state.counters.now, seat.tournament
    if 1 <= deal < seat.entry.first:
        return words.PLAYED_BEFORE.fill(number=deal)
    if seat.is_over:
        return words.IS_OVER
    if tournament.phase(now) == "coming":
        return words.NOT_OPEN.fill(time=words.time_text(tournament.opens, now))
    if seat.member.student.state != "in":
        return words.STEPPED_OUT
    if deal > tournament.deals:
        return words.ALL_PLAYED if seat.is_done else words.NO_DEAL
    return words.NEXT_DEAL.fill(number=seat.next_deal) if deal > seat.next_deal else None


def _table(seat: Seat, deal: int) -> TournamentTable:
    """Return a student's table at a deal.

    Raises:
        NotFound: there is no deal of this number.
    """
    if not 1 <= deal <= seat.tournament.deals:
        raise NotFound
    return seat.table(deal)


def _ask_again(seat: Seat) -> None:
    """Have it worked out what decisions cost, should that have got lost on its way."""
    tournament, code = seat.tournament, seat.state.code
    if tournament.ranking == "play":
        known = unpack_costs(class_store().tournaments.costs(code, tournament.number))
        if len(known) < tournament.deals:
            ask_for_costs(code, tournament)


# ---- What they have in common --------------------------------------------------------------------


def _tournament_or_404(state: ClassState, number: int) -> Tournament:
    tournament = pages.tournament_of(state, number)
    if tournament is None:
        raise NotFound
    return tournament


def _address(state: ClassState, tournament: Tournament) -> str:
    return f"{class_address(state.code)}/tournament/{tournament.number}"
