"""``/class/CODE/bingo``: a student's card, with buttons to cover it by hand and to claim BINGO!"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import flask
from flask import url_for
from flask.typing import ResponseReturnValue

from cardgames.cards import DECK_SIZE, Card, CardGameError, Cards, Rank, Suit
from cardgames.class_bingo.card import BingoCard
from cardgames.class_bingo.results import Claim, Place
from cardgames.games.bingo.rules import CENTRE, GRID_SIZE
from cardgames.text import Text, comma_join, plural
from web.classroom.bingo.latecomers import take_late_card
from web.classroom.bingo.queries import bingo_in, live_bingo, save_claim
from web.classroom.bingo.rules import (
    MAX_NAMES,
    LiveBingo,
    Tile,
    evaluate_claim,
    may_take_card,
    number_held,
    round_document,
    tile_rows,
)
from web.classroom.core import forms, words
from web.classroom.core.access import load_class_as_student, write
from web.classroom.core.forms import NOT_REJECTED, Fields, NotAllowed, OutOfDate, Rejection
from web.classroom.core.models import BingoRound, Classroom, Student
from web.classroom.core.presence import answer_not_modified, record_visit, with_etag
from web.http.addresses import parse_int
from web.http.request_log import MOVE
from web.http.requests import form_fields, wants_json
from web.http.responses import json_response, see_other
from web.http.threads import quick

MAX_CARDS_NAMED: Final = 3
"""Maximum number of cards to name if calling any one of them would give BINGO!"""


SUIT_ORDER: Final = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)
_RANK_ORDER: Final = (*tuple(Rank)[1:], Rank.ACE)


blueprint = flask.Blueprint("card", __name__)
blueprint.before_request(answer_not_modified)


@blueprint.get("/class/<code>/bingo")
@quick
def show(code: str) -> ResponseReturnValue:
    """Show a student's card. A student who missed the deal gets a card."""
    classroom, student = load_class_as_student(code)
    if may_take_card(classroom, student):
        classroom, student = take_late_card(code)
    record_visit(classroom.code, "bingo")
    said_at = parse_int(flask.request.args.get("said", ""))
    return with_etag(_page(classroom, student, live_bingo(classroom), said_at), classroom.etag())


@blueprint.post("/class/<code>/bingo")
@quick
def move(code: str) -> ResponseReturnValue:
    """Cover a position or claim BINGO!"""
    sent = form_fields()
    name = flask.request.environ[MOVE] = sent.get("move", "")
    classroom, student = load_class_as_student(code)
    try:
        match name:
            case "claim":
                return _claim(classroom, student, sent)
            case "mark":
                return _mark(classroom, student, sent)
        raise NotAllowed(Text("On a card you can cover a position, or say BINGO!"))
    except CardGameError as error:
        rejection = forms.rejected(error, sent)
        return _page(classroom, student, live_bingo(classroom), rejection=rejection)


def _claim(classroom: Classroom, student: Student, sent: Fields) -> ResponseReturnValue:
    """Claim BINGO! at the call that the card's page shows."""
    named = forms.int_field(sent.get("call", ""), "call", 0, DECK_SIZE)
    stored = _round_by_hand(classroom)
    card, live = _own_card(stored, student), bingo_in(classroom, stored)
    claim = evaluate_claim(live, card, named)
    live = save_claim(classroom, live, claim, student.number)
    if not wants_json():
        address = url_for(".show", code=classroom.code, said=claim.call)
        return see_other(address, partial(_page, classroom, student, live, claim.call))
    result = {"right": claim.right, "said": words.claim_text(card, claim)}
    return json_response(bingo_document(classroom, student, live) | result)


def _mark(classroom: Classroom, student: Student, sent: Fields) -> ResponseReturnValue:
    """Cover or uncover a position."""
    position = forms.int_field(sent.get("place", ""), "place", 0, GRID_SIZE - 1)
    forms.require(position != CENTRE, words.NO_PLACE)
    on = forms.choice_field(sent, "on", ("Y", "N")) == "Y"
    live = _round_by_hand(classroom)
    _own_card(live, student)
    if parse_int(sent.get("round", "")) not in (None, live.number):
        raise OutOfDate(Text("That move was for another round. This is your card now."))
    marks = student.marks_in(live.number)
    marks = marks | 1 << position if on else marks & ~(1 << position)
    write(student, marks_round=live.number, marks=marks)
    if wants_json():
        return _page(classroom, student, live_bingo(classroom))
    form: dict[str, Any] = {"as": "list"} if sent.get("as") == "list" else {}
    anchor = f"place-{position}"
    return see_other(url_for(".show", code=classroom.code, **form, _anchor=anchor))


def _round_by_hand(classroom: Classroom) -> BingoRound:
    """Return the open round, or raise NotAllowed unless cards are covered by hand."""
    stored = classroom.newest_round
    if stored is None:
        raise NotAllowed(words.NO_ROUND)
    if stored.ended is not None:
        raise NotAllowed(Text("The round ended at call {call}.", call=stored.calls or 0))
    forms.require(stored.by_hand, Text("In this round the cards are covered automatically."))
    return stored


def _own_card(stored: BingoRound, student: Student) -> BingoCard:
    """Return a student's card in the open round, or raise an error if it is missing."""
    number = number_held(student)
    forms.require(number > 0, Text("You have no card in this round. The next deal gives you one."))
    return stored.card(number)


def _page(
    classroom: Classroom,
    student: Student,
    live: LiveBingo | None,
    said_at: int | None = None,
    rejection: Rejection = NOT_REJECTED,
) -> ResponseReturnValue:
    """Return the page of a student's card.

    The page contains the response to the claim at the given call.
    """
    if wants_json():
        return forms.json_page(bingo_document(classroom, student, live), rejection)
    if live is None or (student.state == "out" and not rejection.text):
        return see_other(url_for("entry.show", code=classroom.code))
    query = flask.request.args
    card = card_view(live, student, said_at)
    return forms.form_page(
        "class/card_list.html" if query.get("as") == "list" else "class/card.html",
        rejection,
        classroom=classroom,
        student=student,
        bingo=live,
        card=card,
        status_text=status_text(live, card),
        renews=live.is_open and "still" not in query,
        is_answer=bool(said_at is not None and card and card.said),  # response to a claim
    )


@dataclass(frozen=True, slots=True)
class CardView:
    """A student's card, with the values that the student may see."""

    number: int
    rows: tuple[tuple[Tile, ...], ...]
    near_text: str
    """The text for the cards whose call would give this card BINGO!, or an empty string if cards
    are covered by hand.
    """

    line: Text | None
    """The pattern with the fewest missing cards, or None if cards are covered by hand."""

    lacks_text: str
    """The missing positions of the pattern with the fewest missing cards."""

    calls_away: int
    """Minimum number of calls until the card has BINGO!"""

    won_text: str
    """The text for the card's BINGO!, or an empty string if the card has not won."""

    tie_text: str
    can_claim: bool
    said: Claim | None
    """The claim whose result the page shows."""

    said_text: str

    @property
    def suits(self) -> list[tuple[Suit, str, list[Tile]]]:
        """The card as a sorted list with aces last, for players who do not see the grid."""
        tiles = {tile.card: tile for row in self.rows for tile in row if tile.card}
        by_suit = {
            suit: [tiles[card] for rank in _RANK_ORDER if (card := Card(f"{rank}{suit}")) in tiles]
            for suit in SUIT_ORDER
        }
        return [(suit, suit.text, suit_tiles) for suit, suit_tiles in by_suit.items() if suit_tiles]

    @property
    def called(self) -> list[Tile]:
        """The positions that the last call covers."""
        return [tile for row in self.rows for tile in row if tile.called]

    @property
    def where_text(self) -> Text:
        """The position of the last call on the card."""
        if not self.called:
            return Text("Not on your card.")
        if len(self.called) > 1:
            return plural(
                "You have the card.", "You have the card {number} times.", len(self.called)
            )
        return Text("You have the card: {place}.", place=self.called[0].place_text)


def card_view(live: LiveBingo, student: Student, said: int | None = None) -> CardView | None:
    """Return a student's card in a round, or None."""
    card = live.find_card(student)
    if card is None:
        return None
    right, by_hand = live.find_claim(card.number), live.round.by_hand
    claim = (live.find_claim(card.number, said) if said is not None else None) or right
    won = next((place for place in live.places if card.number in place.cards), None)
    line, lacks = (None, ()) if by_hand else card.nearest(live.calls)
    can_claim = by_hand and live.is_open and not right
    return CardView(
        number=card.number,
        rows=_shown_rows(live, card, student, claim, is_won=won is not None, can_claim=can_claim),
        near_text="" if by_hand else _near_text(card, card.needed(live.calls)),
        line=words.pattern_text(line, live.round.mode, first=True) if line else None,
        lacks_text=words.lacking_text(card, lacks) if lacks else "",
        calls_away=len({card.covered_by[lacked] for lacked in lacks}),
        won_text=_won_text(card, right) if won else "",
        tie_text=_tie_text(live, card, won) if won else "",
        can_claim=can_claim,
        said=claim,
        said_text=words.claim_text(card, claim) if claim else "",
    )


def _shown_rows(
    live: LiveBingo,
    card: BingoCard,
    student: Student,
    claim: Claim | None,
    *,
    is_won: bool,
    can_claim: bool,
) -> tuple[tuple[Tile, ...], ...]:
    """Return a student's card by row, and mark missing and wrongly claimed cards."""
    calls, by_hand = live.calls, live.round.by_hand
    needed = () if by_hand or live.phase != "playing" else card.needed(calls)
    if claim and not claim.right:
        needed = tuple(card.grid[lacked] for lacked in card.nearest(claim.call)[1])
    covered = card.covered(calls)
    if by_hand and not is_won:
        covered = marked_positions(student.marks_in(live.round.number))
    winning = card.winning(calls) if is_won else ()
    is_over = live.phase != "playing" and not can_claim
    last = 0 if by_hand else calls
    return tile_rows(card, covered, winning, needed, last, is_over=is_over)


def marked_positions(bits: int) -> tuple[int, ...]:
    """Return the positions covered by hand, including the free centre."""
    bits |= 1 << CENTRE
    return tuple(position for position in range(GRID_SIZE) if bits >> position & 1)


def _won_text(card: BingoCard, right: Claim | None) -> str:
    """Return the text for a card's BINGO!"""
    if right and right.since < right.call:
        return Text("You have had BINGO! since call {call}.", call=right.since)
    return words.win_text(card, right.call if right else card.bingo_call)


def _tie_text(live: LiveBingo, card: BingoCard, won: Place) -> str:
    """Return the text for a shared place or for a place after the first, or ""."""
    others = [live.holder_name(number) for number in won.cards if number != card.number]
    if others:
        return Text("A tie with {names}.", names=words.listed(others, MAX_NAMES))
    return Text("That is place {place}.", place=won.place) if won.place > 1 else ""


def _near_text(card: BingoCard, near: Cards) -> str:
    """Return the text for the cards whose call would give a card BINGO!"""
    named = list(dict.fromkeys(words.the_card(needed, card.kind) for needed in near))
    if len(named) > MAX_CARDS_NAMED:
        return Text("one of {number} cards", number=len(named))
    if len(named) > 1:
        return Text("{first} or {last}", first=comma_join(named[:-1]), last=named[-1])
    return named[0] if named else ""


def status_text(live: LiveBingo, card: CardView | None) -> str:
    """Return the announcement that is made when the page replaces an older page."""
    if card and card.won_text:
        return Text("BINGO! {what}", what=card.won_text)
    if live.phase == "bingo":
        return Text("BINGO! {what}", what=live.winners_text)
    if live.phase != "playing":
        return Text("The round has ended.")
    if live.last is None:
        return Text("The cards are dealt.")
    called = Text("Called: {card}.", card=live.last.full_name)
    if live.round.by_hand or not card:
        return called
    called = Text("{called} {where}", called=called, where=card.where_text)
    if not card.near_text:
        return called
    away = Text("One away: you need {cards}.", cards=card.near_text)
    return Text("{called} {where}", called=called, where=away)


def bingo_document(
    classroom: Classroom, student: Student, live: LiveBingo | None
) -> dict[str, Any]:
    """Return a student's card as JSON, with the possible moves."""
    card, document, moves = live and live.find_card(student), None, []
    if live and card:
        by_hand, has_claimed = live.round.by_hand, live.find_claim(card.number) is not None
        may_claim = by_hand and live.is_open and not has_claimed
        if may_claim:
            fields = {"call": {str(live.calls): str(live.calls)}}
            moves.append({"name": "claim", "label": Text("BINGO!"), "fields": fields})
        marks = marked_positions(student.marks_in(live.round.number))
        document = {
            "number": card.number,
            "cards": [
                None if position == CENTRE else grid_card
                for position, grid_card in enumerate(card.grid)
            ],
            "covered": marks if by_hand else card.covered(live.calls),
            # Players who cover their cards by hand must find a BINGO! themselves.
            "winning": () if may_claim else card.winning(live.calls),
            "one_away": card.needed(live.calls),
        }
    return classroom.document | {
        "student": {"number": student.number, "name": student.name},
        "round": round_document(live),
        "card": document,
        "moves": moves,
    }
