"""``/class/CODE/tournaments`` and ``/class/CODE/tournament/N``: make them, play them, see places.

Whoever leads the class sees everybody without having played; a student sees their own place and the
best five. A deal is played at an address of its own, by the same steps as at every table.
"""

from math import ceil
from typing import Any, Final

import flask
from werkzeug.exceptions import NotFound, ServiceUnavailable

from cardgames.text import Text
from web.classroom import tournament_moves as moves
from web.classroom import words
from web.classroom.access import is_instructor, led_class, member_of, require_student, student_of
from web.classroom.answers import NotAllowed, class_address, local_time, page_of, time_text
from web.classroom.dashboard import answer_move, extend_expiry, move_documents
from web.classroom.jobs import ask_for_costs
from web.classroom.model import Member
from web.classroom.moves import MoveRequest
from web.classroom.standings import standings_of
from web.classroom.state import (
    MAX_ATTEMPTS,
    ClassState,
    class_store,
    commit,
    load_class,
    page_version,
)
from web.classroom.tournament_summary import (
    deal_document,
    desk_links,
    link_document,
    row_document,
    shown_tournament,
    standings_document,
    student_links,
    tournaments_csv,
)
from web.classroom.tournament_table import (
    PlayedMeanwhile,
    Seat,
    TournamentTable,
    phase_of,
    seat_of,
    when_text,
)
from web.classroom.tournaments import Tournament
from web.classroom.updates import answer_known_page, note_presence
from web.deals.deal import publish
from web.deals.location import deal_address
from web.deals.summary import replayed_round
from web.http.requests import wants_json
from web.http.responses import json_response, render_page, see_other
from web.http.takes_long import takes_long
from web.rounds.addresses import replay_address
from web.storage.sessions import renew_session
from web.tables.views import play_move, render_table

MAX_WAIT: Final = 3_600
"""Longest time in seconds for which a page waits for a tournament to open, and is loaded again."""

NOT_OPEN: Final = Text("This tournament opens {time}.")
STEPPED_OUT: Final = Text("You have stepped out: step in again to play.")
NEXT_DEAL: Final = Text("The deals are played in their order: deal {number} is next.")
NO_DEAL: Final = Text("This tournament has no such deal.")
PLAYED_BEFORE: Final = Text(
    "This browser has played deal {number} already, for a student who was forgotten."
)
ALL_PLAYED: Final = Text("You have played all deals of this tournament.")
NO_REPLAY: Final = Text("Replays open when the tournament is over.")
NO_LINK: Final = Text("Its deals become links when the tournament is over.")

blueprint = flask.Blueprint("class-tournaments", __name__)
blueprint.before_request(answer_known_page)


# ---- All tournaments of a class ------------------------------------------------------------------


@blueprint.get("/class/<code>/tournaments")
@takes_long
def show_all(code: str) -> flask.Response:
    """Show the tournaments of a class, and to its instructor the form for another."""
    return _list(load_class(code))


@blueprint.post("/class/<code>/tournaments")
def make(code: str) -> flask.Response:
    """Make a tournament, or refuse it and show those that there are."""
    return answer_move(code, _make, _list)


def _make(name: str, request: MoveRequest) -> flask.Response | None:
    """Make a tournament, ask for the costs of its decisions, and lead there.

    Raises:
        CardGameError: it is not possible.
    """
    if name != "make":
        raise NotAllowed(words.NOT_NOW)
    if not commit(request.state, moves.make(request)):
        return None
    state = load_class(request.state.code)
    tournament = state.classroom.tournaments[-1]
    if tournament.by_play:
        ask_for_costs(state.code, tournament)
    if wants_json():
        return _desk(state, tournament)
    return see_other(_address(state, tournament), lambda: _desk(state, tournament))


def _list(
    state: ClassState, status: int = 200, refusal: str = "", typed: dict[str, str] | None = None
) -> flask.Response:
    leads = is_instructor(state)
    member = student_of(state) if leads else require_student(state)
    renew_session()
    if leads:
        extend_expiry(state)
    links = student_links(state, member) if member and not leads else desk_links(state)
    version = page_version(state.counters, "dashboard" if leads else "")
    step, possible = state.counters.version, moves.class_moves(state) if leads else {}
    if wants_json():
        document: dict[str, Any] = {
            "class": state.code,
            "title": state.classroom.title,
            "version": version,
            "tournaments": [link_document(state.code, link) for link in reversed(links)],
        }
        if leads:
            document |= {"step": step, "moves": move_documents(possible)}
        return json_response(document, status, refusal)
    return render_page(
        "class/tournaments.html",
        status,
        code=state.code,
        title=state.classroom.title,
        version=version,
        leads=leads,
        links=links,
        step=step,
        moves=possible,
        typed=typed or {},
        refusal=refusal,
        now=f"{local_time(state.counters.now):%Y-%m-%d %H:%M %Z}",
        words=moves,
    )


@blueprint.get("/class/<code>/dashboard/tournaments.csv")
@takes_long
def export(code: str) -> flask.Response:
    """Return what every student has made of every tournament."""
    return tournaments_csv(led_class(code))


# ---- One tournament ------------------------------------------------------------------------------


@blueprint.get("/class/<code>/tournament/<int:number>")
@takes_long
def show(code: str, number: int) -> flask.Response:
    """Show where everybody stands: all of it to the instructor."""
    state = load_class(code)
    tournament = _tournament_or_404(state, number)
    as_student = flask.request.args.get("as") == "student"
    if is_instructor(state) and not (as_student and member_of(state)):
        renew_session()
        extend_expiry(state)
        return _desk(state, tournament)
    member = require_student(state)
    renew_session()
    note_presence(state.code)
    return _student(state, tournament, member)


@blueprint.post("/class/<code>/tournament/<int:number>")
def move(code: str, number: int) -> flask.Response:
    """Make one of the instructor's moves about a tournament, or refuse it."""

    def apply_move(name: str, request: MoveRequest) -> flask.Response | None:
        if name not in moves.MOVES:
            raise NotAllowed(words.NOT_NOW)
        tournament = _tournament_or_404(request.state, number)
        if not commit(request.state, moves.MOVES[name](request, tournament)):
            return None
        if wants_json():
            return refuse(load_class(code))
        address = _address(request.state, tournament)
        return see_other(address, lambda: refuse(load_class(code)))

    def refuse(state: ClassState, *why: Any) -> flask.Response:
        return _desk(state, _tournament_or_404(state, number), *why)

    _tournament_or_404(load_class(code), number)
    return answer_move(code, apply_move, refuse)


def _desk(
    state: ClassState,
    tournament: Tournament,
    status: int = 200,
    refusal: str = "",
    typed: dict[str, str] | None = None,
) -> flask.Response:
    """Answer with a tournament as its instructor sees it: everybody."""
    found, phase = standings_of(state, tournament), phase_of(state, tournament)
    version = page_version(state.counters, "dashboard")
    possible = moves.tournament_moves(state, tournament)
    if wants_json():
        document = standings_document(state, tournament, found, version) | {
            "step": state.counters.version,
            "students": [row_document(row) | {"number": row.student} for row in found.rows],
            "moves": move_documents(possible),
        }
        return json_response(document, status, refusal)
    return render_page(
        "class/tournament_desk.html",
        status,
        state=state,
        version=version,
        tournament=tournament,
        phase=phase,
        when=when_text(tournament, phase, state.counters.now),
        found=found,
        list=page_of(found.rows, lambda row: row.name),
        moves=possible,
        is_member=member_of(state) is not None,
        is_shown=state.classroom.show == "standings" and shown_tournament(state) == tournament,
        until=f"{local_time(tournament.due):%Y-%m-%dT%H:%M}" if tournament.due else "",
        typed=typed or {},
        refusal=refusal,
        words=moves,
    )


def _student(
    state: ClassState,
    tournament: Tournament,
    member: Member,
    status: int = 200,
    refusal: str = "",
) -> flask.Response:
    """Answer with a tournament as one of its students sees it: their own place, and the best five.

    What others have made of each deal is shown to those who have played it.
    """
    found, seat = standings_of(state, tournament), seat_of(state, tournament, member)
    version = page_version(state.counters, "screen")
    has_points = not seat.hides_points
    has_deals = has_points and (seat.is_done or seat.is_over)
    best, own = found.best(deals=has_deals, points=has_points), found.by_student.get(member.number)
    own = own and own.shown(deals=has_points, points=has_points)
    if wants_json():
        you = row_document(own) if own else {"played": seat.entry.played}
        you.pop("name", None)
        next_deal = seat.next_deal if seat.may_play else 0
        document = standings_document(state, tournament, found, version) | {
            "best": [row_document(row) for row in best],
            "you": you | {"number": member.number},
            "next": deal_document(state.code, tournament, next_deal) if next_deal else None,
        }
        return json_response(document, status, refusal)
    left = tournament.opens - state.counters.now
    return render_page(
        "class/tournament.html",
        status,
        seat=seat,
        version=version,
        best=best,
        own=own,
        has_deals=has_deals,
        ranked=len(found.ranked),
        to_come=found.to_come,
        opens_in=ceil(left) if 0 < left < MAX_WAIT and not seat.is_over else 0,
        refusal=refusal,
    )


# ---- One deal ------------------------------------------------------------------------------------


@blueprint.get("/class/<code>/tournament/<int:number>/deal/<int:deal>")
def show_deal(code: str, number: int, deal: int) -> flask.Response:
    """Show a student's table at a deal: the one that is next, or one that they have finished."""
    state, tournament, seat = _seat(code, number)
    note_presence(state.code)
    if refusal := _refusal(seat, deal):
        if wants_json():
            return _student(state, tournament, seat.member, 422, refusal)
        return see_other(_address(state, tournament))
    return render_table(TournamentTable.at(tournament, seat, _deal_or_404(tournament, deal)))


@blueprint.post("/class/<code>/tournament/<int:number>/deal/<int:deal>")
def move_at_deal(code: str, number: int, deal: int) -> flask.Response:
    """Play one move at a deal, or refuse it and show the table as it stands."""
    for _ in range(MAX_ATTEMPTS):
        state, tournament, seat = _seat(code, number)
        if refusal := _refusal(seat, deal):
            return _student(state, tournament, seat.member, 422, refusal)
        try:
            table = TournamentTable.at(tournament, seat, _deal_or_404(tournament, deal))
            answer = play_move(table, lambda: show_deal(code, number, deal))
        except PlayedMeanwhile:
            continue  # the same again, on what is there now: its step is taken
        if tournament.by_play:  # should the job have got lost
            costs = class_store().tournaments.costs(state.code, number)
            if len(costs) < tournament.deals:
                ask_for_costs(state.code, tournament)
        return answer
    raise ServiceUnavailable


@blueprint.get("/class/<code>/tournament/<int:number>/deal/<int:deal>/replay")
def replay(code: str, number: int, deal: int) -> flask.Response:
    """Lead to the replay of a student's round, once the tournament is over."""
    state, tournament, seat = _seat(code, number)
    if not seat.is_over:
        return _student(state, tournament, seat.member, 422, NO_REPLAY)
    play = seat.entry.play(deal)
    if play is None or not play.winner:
        raise NotFound
    record, _ = replayed_round(tournament.deal(deal), play.moves)
    return see_other(replay_address(record))


@blueprint.post("/class/<code>/tournament/<int:number>/deal/<int:deal>/link")
def link(code: str, number: int, deal: int) -> flask.Response:
    """Make an ordinary deal link of a deal, once the tournament is over, and lead there."""
    state = load_class(code)
    tournament = _tournament_or_404(state, number)
    member = None if is_instructor(state) else require_student(state)
    _deal_or_404(tournament, deal)
    if phase_of(state, tournament) != "over":
        if member is None:
            return _desk(state, tournament, 422, NO_LINK)
        return _student(state, tournament, member, 422, NO_LINK)
    deal_id = publish(tournament.deal(deal))
    address = deal_address(deal_id)
    if wants_json():
        return json_response({"deal": deal_id, "address": address, "game": tournament.table})
    return see_other(address)


def _seat(code: str, number: int) -> tuple[ClassState, Tournament, Seat]:
    """Return where the student of the browser is in a tournament.

    Raises:
        NotAStudent: there is none.
        NotFound: the class has no such tournament.
    """
    state = load_class(code)
    tournament = _tournament_or_404(state, number)
    return state, tournament, seat_of(state, tournament, require_student(state))


def _refusal(seat: Seat, deal: int) -> Text | None:
    """Say why a student cannot be at a deal now; None where they can."""
    tournament = seat.tournament
    if seat.has_played(deal):
        return None
    if 1 <= deal < seat.entry.first:
        return PLAYED_BEFORE.fill(number=deal)
    if seat.is_over:
        return moves.IS_OVER
    if seat.phase == "coming":
        return NOT_OPEN.fill(time=time_text(tournament.opens, seat.now))
    if seat.member.student.state != "in":
        return STEPPED_OUT
    if deal > tournament.deals:
        return ALL_PLAYED if seat.is_done else NO_DEAL
    return NEXT_DEAL.fill(number=seat.next_deal) if deal > seat.next_deal else None


def _deal_or_404(tournament: Tournament, deal: int) -> int:
    if not 1 <= deal <= tournament.deals:
        raise NotFound
    return deal


def _tournament_or_404(state: ClassState, number: int) -> Tournament:
    for one in state.classroom.tournaments:
        if one.number == number:
            return one
    raise NotFound


def _address(state: ClassState, tournament: Tournament) -> str:
    return f"{class_address(state.code)}/tournament/{tournament.number}"
