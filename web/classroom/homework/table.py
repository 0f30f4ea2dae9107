"""``/class/CODE/tournament/N/deal/D``: a student's table at a deal of a tournament.

A student plays at this table as at any other table. The moves are stored with the class, not in a
browser's session, so a student has the same table in all browsers, and no one plays a deal twice.
The table is computed from the deal and the moves. The move that ends a round saves the result in
the same transaction.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import flask
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from cardgames.cards import CardGameError
from cardgames.records import replay as records
from cardgames.records.record import Record
from cardgames.table import Table
from cardgames.text import Text
from web import db
from web.classroom.core import access, forms
from web.classroom.core.codes import normalize_code, note_deals
from web.classroom.core.forms import NotAllowed
from web.classroom.core.presence import answer_not_modified, note_presence
from web.classroom.homework import puzzles, queries, views
from web.classroom.homework.models import TournamentPlay
from web.classroom.homework.queries import TOO_LATE, Participant
from web.deals.models import Deal, moves_after_deal, publish
from web.history.addresses import replay_address
from web.http.requests import wants_json
from web.http.responses import json_response, see_other
from web.http.sessions import PlayerSession
from web.tables.seat import Seat
from web.tables.views import play_move, render_seat

blueprint = flask.Blueprint("tournament_deals", __name__)
blueprint.before_request(answer_not_modified)
blueprint.register_error_handler(CardGameError, views.show_rejected)


class HomeworkPlace(NamedTuple):
    """The deal of a student's homework to which a table belongs."""

    participant: Participant
    number: int
    """The number of the deal, counted from 1."""


def load_homework(participant: Participant, number: int) -> Seat:
    """Return a student's table at a deal.

    The table is computed from the deal and the student's moves. The moves are stored with the class
    and not in a session, so a student has the same table in all browsers.

    Raises:
        NotFound: If there is no such deal.
    """
    if not 1 <= number <= participant.tournament.deals:
        raise NotFound
    deal, play = participant.tournament.deal(number), participant.play(number)
    table = table_after(deal, play.moves) if play else deal.shared.table
    return Seat(
        url=participant.deal_address(number),
        table=table,
        step=table.record.steps if play else 0,
        salt=deal.salt.hex(),
        kind="homework",
        place=HomeworkPlace(participant, number),
        layout="class/tournament_table.html",
    )


def save_homework(seat: Seat, finished: tuple[Record, ...]) -> None:
    """Save a student's moves, and the result if the last move ended the round.

    Raises:
        NotAllowed: If the homework has ended since the request began.
    """
    place: HomeworkPlace = seat.place
    participant, now = place.participant, db.now()
    # The end of the homework is checked again before the moves are saved.
    if participant.tournament.is_over(now):
        raise NotAllowed(TOO_LATE)
    moves, student = moves_after_deal(seat.table.record), participant.student
    play = TournamentPlay(
        class_code=student.class_code, student=student.number, moves=moves, winner=""
    )
    play.tournament, play.deal = participant.tournament.number, place.number
    for record in finished:
        play.winner, play.finished = record.result, now
        play.score = participant.tournament.score(place.number, moves)
    db.session().merge(play)
    note_deals(student.class_code, student.number, {play.tournament: place.number})
    if finished and place.number == participant.tournament.deals:
        access.save_students(participant.classroom)  # The big screen and the dashboards reload.


def panel(_session: PlayerSession, seat: Seat) -> Mapping[str, Any]:
    """Return the homework to which a table belongs."""
    place: HomeworkPlace = seat.place
    return {**place._asdict(), "status": place.participant.status}


@lru_cache(maxsize=512)  # The cache saves 0.3 of about 3 ms per request at a deal.
def table_after(deal: Deal, moves: str) -> Table:
    """Return a student's table after moves.

    The moves are words of a record, separated by spaces.
    """
    table = deal.shared.table
    for action in deal.record(moves).single_actions():
        table = deal.shared.play(table, action.name)
    return table


@blueprint.get("/class/<code>/tournament/<int:number>/deal/<int:deal>")
def show_deal(code: str, number: int, deal: int) -> ResponseReturnValue:
    """Show a student's table for the next deal or a finished deal.

    If the homework has ended, a student can see every puzzle with its solution.
    """
    participant = _participant(code, number)
    note_presence(participant.classroom.code)
    refusal = None if participant.is_solved(deal) else queries.deal_refusal(participant, deal)
    if refusal and not wants_json():
        return see_other(participant.address)
    if refusal:
        raise NotAllowed(refusal)
    if participant.tournament.has_puzzles:
        return puzzles.render_puzzle(participant, deal)
    return render_seat(load_homework(participant, deal))


@blueprint.post("/class/<code>/tournament/<int:number>/deal/<int:deal>")
def move_at_deal(code: str, number: int, deal: int) -> ResponseReturnValue:
    """Make a move at a deal, or reject the move and show the current table."""
    participant = _participant(code, number)
    if refusal := queries.deal_refusal(participant, deal):
        raise NotAllowed(refusal)
    if participant.tournament.has_puzzles:
        return puzzles.answer_puzzle(participant, deal)
    seat = load_homework(participant, deal)
    return play_move(
        seat, save_homework, lambda: flask.make_response(show_deal(code, number, deal))
    )


@blueprint.get("/class/<code>/tournament/<int:number>/deal/<int:deal>/replay")
def replay(code: str, number: int, deal: int) -> ResponseReturnValue:
    """Redirect to the replay of a student's round, if the tournament has ended."""
    participant = _participant(code, number)
    forms.require(participant.is_over, Text("Replays become available when the homework ends."))
    play = participant.play(deal)
    if play is None or not play.winner:
        raise NotFound
    if participant.tournament.has_puzzles:
        return see_other(participant.deal_address(deal))
    record = records.replay(participant.tournament.deal(deal).record(play.moves)).last.record
    return see_other(replay_address(record))


@blueprint.get("/class/<code>/tournament/<int:number>/deal/<int:deal>/link")
def show_form(code: str, number: int, deal: int) -> flask.Response:  # noqa: ARG001 - from the URL
    """Redirect from the form's URL to the page of the deal's tournament."""
    return see_other(flask.url_for("tournaments.show", code=normalize_code(code), number=number))


@blueprint.post("/class/<code>/tournament/<int:number>/deal/<int:deal>/link")
def link(code: str, number: int, deal: int) -> ResponseReturnValue:
    """If the tournament has ended, create a deal link and redirect to it."""
    homework = views.find_tournament(access.load_class(code), number)
    if not access.is_instructor(homework.classroom):
        access.require_student(homework.classroom)
    if homework.tournament.has_puzzles or not 1 <= deal <= homework.tournament.deals:
        raise NotFound
    forms.require(homework.is_over, Text("The deals become links when the homework ends."))
    deal_id = publish(homework.tournament.deal(deal))
    address = flask.url_for("deals.show", deal_id=deal_id)
    if wants_json():
        return json_response(
            {"deal": deal_id, "address": address, "game": homework.tournament.table}
        )
    return see_other(address)


def _participant(code: str, number: int) -> Participant:
    """Return the browser's student in a tournament, or raise an error."""
    homework = views.find_tournament(access.load_class(code), number)
    (participant,) = queries.load_participants(
        homework.classroom, access.require_student(homework.classroom), [homework]
    )
    return participant
