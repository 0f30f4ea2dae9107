"""``/class/CODE/tournament/N/deal/D``: a student's table at a deal of a tournament.

It is played by the same steps as at every table. What a student has played lies with the class and
not in a browser's session, so all browsers of a student are at the same table, and nobody plays a
deal twice. The table itself follows from the deal and from what was done there. The move that ends
a round writes the result, in the same transaction.
"""

from functools import lru_cache
from typing import ClassVar

import flask
import msgspec
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from cardgames.cards import CardGameError
from cardgames.records import replay as records
from cardgames.records.record import Record
from cardgames.table import Table
from cardgames.text import Text, format_points
from web import db
from web.classroom.core import access, forms
from web.classroom.core.codes import note_deals, tidy_code
from web.classroom.core.forms import NotAllowed
from web.classroom.core.presence import answer_known_page, note_presence
from web.classroom.homework import queries, views
from web.classroom.homework.models import TournamentPlay
from web.classroom.homework.queries import TOO_LATE, Seat
from web.deals.models import Deal, moves_after_deal, publish
from web.history.addresses import replay_address
from web.http.requests import wants_json
from web.http.responses import json_response, see_other
from web.http.sessions import PlayerSession
from web.tables.location import TableLocation
from web.tables.page import TablePage
from web.tables.rows import TableSlot
from web.tables.views import play_move, render_table

blueprint = flask.Blueprint("tournament_deals", __name__)
blueprint.before_request(answer_known_page)
blueprint.register_error_handler(CardGameError, views.show_rejected)


class TournamentTablePage(TablePage, frozen=True, kw_only=True):
    """The page of a table at a deal of a tournament."""

    layout: ClassVar[str] = "class/tournament_table.html"
    seat: Seat
    number: int
    """Of the deal, from 1."""

    chart: ClassVar[None] = None
    """None is drawn: one round has no course."""

    @property
    def status(self) -> Text:
        """Until when it can be played, and what the student has made of it so far."""
        seat = self.seat
        if not seat.entry.played:
            return seat.when
        if not seat.is_over:
            return Text("{when} · points are shown when it ends", when=seat.when)
        points = format_points(seat.entry.total)
        return Text("{when} · {points} points given away", when=seat.when, points=points)


class TournamentTable(TableLocation, frozen=True):
    """A student's table at a deal of a tournament: it lies with the class, not in a session."""

    seat: Seat
    number: int
    """Of the deal, from 1."""

    has_coach: ClassVar[bool] = False
    """There is no coach: everybody decides alone."""

    @property
    def address(self) -> str:
        """The address of its page."""
        return self.seat.deal_address(self.number)

    @property
    def deal(self) -> Deal:
        """What is played."""
        return self.seat.tournament.deal(self.number)

    def new_salt(self) -> str:
        """Return the salt that all students have."""
        return self.deal.salt.hex()

    def empty_table(self) -> Table:
        """Return the table before the deal."""
        return self.deal.shared.table

    def load(self, session: PlayerSession) -> TableSlot:  # noqa: ARG002 - it lies with the class
        """Return the table as the student's moves have left it."""
        play = self.seat.entry.play(self.number)
        table = table_after(self.deal, play.moves) if play else self.empty_table()
        return TableSlot(table.record.steps if play else 0, table)

    def save(
        self,
        session: PlayerSession,  # noqa: ARG002 - it lies with the class
        slot: TableSlot,
        finished: tuple[Record, ...],  # noqa: ARG002 - the table says how the round has ended
    ) -> None:
        """Write what was done, and with the last move how the round ended.

        Raises:
            NotAllowed: the tournament has ended meanwhile.
        """
        seat, table, now = self.seat, slot.table, db.now()
        if seat.tournament.is_over(now):  # checked again, when it is written
            raise NotAllowed(TOO_LATE)
        moves, who = moves_after_deal(table.record), seat.student
        play = TournamentPlay(class_code=who.class_code, student=who.number, moves=moves, winner="")
        play.tournament, play.deal = seat.tournament.number, self.number
        if table.result:
            play.winner, play.finished = table.result.winner, now
            play.score = seat.tournament.score(self.number, moves)
        db.session().merge(play)
        note_deals(who.class_code, who.number, {play.tournament: self.number})
        if table.result and self.number == seat.tournament.deals:
            access.save_students(seat.classroom)  # the big screen and dashboards look again

    def page(
        self,
        session: PlayerSession,  # noqa: ARG002 - it lies with the class
        table: Table,  # noqa: ARG002 - it is in the page
        page: TablePage,
    ) -> TournamentTablePage:
        """Return the page of the table with the tournament around it."""
        asdict = msgspec.structs.asdict(page)
        return TournamentTablePage(**asdict, seat=self.seat, number=self.number)


@lru_cache(maxsize=512)  # else 0.3 ms of each request at a deal, which takes about 3
def table_after(deal: Deal, moves: str) -> Table:
    """Return a student's table after some moves: words of a record, with blanks between."""
    table = deal.shared.table
    for action in deal.record(moves).single_actions():
        table = deal.shared.play(table, action.name)
    return table


@blueprint.get("/class/<code>/tournament/<int:number>/deal/<int:deal>")
def show_deal(code: str, number: int, deal: int) -> ResponseReturnValue:
    """Show a student's table at a deal: the one that is next, or one that they have finished."""
    seat = _seat(code, number)
    note_presence(seat.classroom.code)
    refusal = queries.refusal_at(seat, deal)
    if refusal and not wants_json():
        return see_other(seat.address)
    if refusal:
        raise NotAllowed(refusal)
    return render_table(_table_at(seat, deal))


@blueprint.post("/class/<code>/tournament/<int:number>/deal/<int:deal>")
def move_at_deal(code: str, number: int, deal: int) -> ResponseReturnValue:
    """Play one move at a deal, or refuse it and show the table as it stands."""
    seat = _seat(code, number)
    if refusal := queries.refusal_at(seat, deal):
        raise NotAllowed(refusal)
    table = _table_at(seat, deal)
    return play_move(table, lambda: flask.make_response(show_deal(code, number, deal)))


@blueprint.get("/class/<code>/tournament/<int:number>/deal/<int:deal>/replay")
def replay(code: str, number: int, deal: int) -> ResponseReturnValue:
    """Lead to the replay of a student's round, once the tournament is over."""
    seat = _seat(code, number)
    forms.require(seat.is_over, Text("Replays open when the homework has ended."))
    play = seat.entry.play(deal)
    if play is None or not play.winner:
        raise NotFound
    record = records.replay(seat.tournament.deal(deal).record(play.moves)).last.record
    return see_other(replay_address(record))


@blueprint.get("/class/<code>/tournament/<int:number>/deal/<int:deal>/link")
def show_form(code: str, number: int, deal: int) -> flask.Response:  # noqa: ARG001 - of the URL
    """Redirect from the URL of the form below to the page of its tournament."""
    return see_other(flask.url_for("tournaments.show", code=tidy_code(code), number=number))


@blueprint.post("/class/<code>/tournament/<int:number>/deal/<int:deal>/link")
def link(code: str, number: int, deal: int) -> ResponseReturnValue:
    """Make an ordinary deal link of a deal, once the tournament is over, and lead there."""
    at = views.find_tournament(access.load_class(code), number)
    if not access.is_instructor(at.classroom):
        access.require_student(at.classroom)
    if not 1 <= deal <= at.tournament.deals:
        raise NotFound
    forms.require(at.is_over, Text("Its deals become links when the homework has ended."))
    deal_id = publish(at.tournament.deal(deal))
    address = flask.url_for("deals.show", deal_id=deal_id)
    if wants_json():
        return json_response({"deal": deal_id, "address": address, "game": at.tournament.table})
    return see_other(address)


def _seat(code: str, number: int) -> Seat:
    """Return where the student of the browser is in a tournament; raise where either is none."""
    at = views.find_tournament(access.load_class(code), number)
    (seat,) = queries.seats_of(at.classroom, access.require_student(at.classroom), [at])
    return seat


def _table_at(seat: Seat, deal: int) -> TournamentTable:
    """Return a student's table at a deal; raise NotFound where there is no such deal."""
    if not 1 <= deal <= seat.tournament.deals:
        raise NotFound
    return TournamentTable(seat.tournament.game, "", seat, deal)
