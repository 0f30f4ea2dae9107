"""``/class/CODE/bingo``: a student's card, what they cover by hand, and BINGO!"""

from dataclasses import dataclass, replace
from typing import Final

import flask
import msgspec

from cardgames.cards import DECK_SIZE, SUIT_WORDS, Card, Cards, Rank, Suit
from cardgames.class_bingo.card import BingoCard
from cardgames.class_bingo.results import Claim, judge
from cardgames.games.bingo.rules import CENTRE, GRID_SIZE
from cardgames.text import Text, comma_join, plural
from web.classroom import words
from web.classroom.access import member_of, require_student
from web.classroom.answers import (
    NotAllowed,
    OutOfDate,
    answer_or_refuse,
    chosen,
    class_address,
    number_from,
    require,
)
from web.classroom.documents import bingo_document, marked_places
from web.classroom.joining import next_call_at, take_late_card
from web.classroom.model import Member
from web.classroom.state import ClassState, LiveRound, class_store, decide_on, load_class
from web.classroom.updates import answer_known_page, note_presence
from web.classroom.view import RoundView, Tile, class_view, in_rows, names_text
from web.http.addresses import number_in
from web.http.requests import sent_texts, wants_json
from web.http.responses import json_response, render_page, see_other
from web.storage.sessions import current_session, renew_session

MAX_CARDS_NAMED: Final = 3
"""Maximum number of cards that would give BINGO! of which each is named."""

NOT_A_MOVE: Final = Text("On a card you can cover a position, or say BINGO!")

_SUIT_ORDER: Final = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)
_RANK_ORDER: Final = (*tuple(Rank)[1:], Rank.ACE)

blueprint = flask.Blueprint("class-card", __name__)
blueprint.before_request(answer_known_page)


# ---- The page ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListedSuit:
    """The cards of one suit, for play without seeing the grid."""

    suit: Suit
    name: Text
    tiles: tuple[Tile, ...]
    """Ascending, the ace last."""


@dataclass(frozen=True, slots=True)
class CardView:
    """A student's card as they may see it: without the calls that are still to cover it."""

    number: int
    tiles: tuple[Tile, ...]
    near: Cards
    """What would give it BINGO! as the next call; none where cards are covered by hand."""

    near_text: str
    line: Text | None
    """The nearest pattern; none where cards are covered by hand."""

    lacks_text: str
    """What that lacks."""

    calls_away: int
    """How many calls it takes at least."""

    won_text: str
    """With what it has BINGO!; empty where it has no place."""

    tie_text: str
    can_claim: bool
    said: Claim | None
    """The claim whose answer the page shows."""

    said_text: str

    @property
    def rows(self) -> tuple[tuple[Tile, ...], ...]:
        """The tiles, row by row."""
        return in_rows(self.tiles)

    @property
    def suits(self) -> tuple[ListedSuit, ...]:
        """The tiles as a sorted list."""
        by_card = {tile.card: tile for tile in self.tiles if tile.card}
        listed = {
            suit: [by_card.get(Card(f"{rank}{suit}")) for rank in _RANK_ORDER]
            for suit in _SUIT_ORDER
        }
        return tuple(
            ListedSuit(suit, SUIT_WORDS[suit], found)
            for suit, tiles in listed.items()
            if (found := tuple(tile for tile in tiles if tile))
        )

    @property
    def has_called(self) -> bool:
        """Whether the last call is on the card."""
        return any(tile.called for tile in self.tiles)

    @property
    def where_text(self) -> Text:
        """Where the last call is on the card."""
        places = [tile.where for tile in self.tiles if tile.called]
        if not places:
            return Text("Not on your card.")
        if len(places) > 1:
            return plural("You have it.", "You have it {number} times.", len(places))
        return Text("You have it: {place}.", place=places[0])


def card_view(state: ClassState, member: Member, said: int | None = None) -> CardView | None:
    """Return a student's card in the newest round; None where they have none.

    Args:
        state: the class.
        member: the student.
        said: the call of a claim whose answer is to be shown.
    """
    live, card = state.round, state.card_of(member)
    if live is None or card is None:
        return None
    right = live.claim_of(card.number)
    claim = (live.claim_of(card.number, said) if said is not None else None) or right
    place = next((won for won in live.places if card.number in won.cards), None)
    others = (
        [state.name_of(number) for number in place.cards if number != card.number] if place else []
    )
    automatic = not live.data.by_hand
    near = card.needed(live.calls) if automatic else ()
    line = card.nearest(live.calls)[0] if automatic else None
    tie: str = (
        Text("That is place {place}.", place=place.place) if place and place.place > 1 else ""
    )
    return CardView(
        number=card.number,
        tiles=_tiles(live, card, member, claim, won=place is not None),
        near=near,
        near_text=_near_text(card, near),
        line=words.pattern_text(line, live.data.mode, first=True) if line else None,
        lacks_text=words.lacking_text(card, live.calls) if line and not place else "",
        calls_away=card.calls_away(live.calls) if line else 0,
        won_text=_won_text(card, right) if place else "",
        tie_text=Text("A tie with {names}.", names=names_text(others)) if others else tie,
        can_claim=live.data.by_hand and live.is_open and not right,
        said=claim,
        said_text=words.claim_text(card, claim) if claim else "",
    )


def status_text(shown: RoundView, card: CardView | None) -> str:
    """Return what is announced when the page comes in the place of an older one."""
    if card and card.won_text:
        return Text("BINGO! {what}", what=card.won_text)
    if shown.phase == "bingo":
        return Text("BINGO! {what}", what=shown.winners_text)
    if shown.phase != "playing":
        return Text("The round is over.")
    if shown.last is None:
        return Text("The cards are dealt.")
    called = Text("Called: {card}.", card=shown.last.full_name)
    if shown.by_hand or not card:
        return called
    called = Text("{called} {where}", called=called, where=card.where_text)
    if not card.near_text:
        return called
    away = Text("One away: you need {cards}.", cards=card.near_text)
    return Text("{called} {where}", called=called, where=away)


def _tiles(
    live: LiveRound, card: BingoCard, member: Member, claim: Claim | None, *, won: bool
) -> tuple[Tile, ...]:
    by_hand = live.data.by_hand
    covered = card.covered(live.calls)
    if by_hand and not won:
        covered = marked_places(member.student.marks_in(live.data.number))
    winning = card.winning(live.calls) if won else ()
    needed: frozenset[Card] = frozenset()
    if claim and not claim.right:
        needed = frozenset(card.grid[place] for place in card.nearest(claim.call)[1])
    elif not by_hand and live.phase == "playing":
        needed = frozenset(card.needed(live.calls))
    return tuple(
        Tile(
            place=place,
            card=None if place == CENTRE else one,
            covered=place in covered,
            called=not by_hand and live.calls > 0 and card.covered_by[place] == live.calls,
            needed=place != CENTRE and one in needed and place not in covered,
            winning=place in winning,
        )
        for place, one in enumerate(card.grid)
    )


def _won_text(card: BingoCard, right: Claim | None) -> str:
    """Say with what a card has won."""
    if right and right.since < right.call:
        return Text("You have had it since call {call}.", call=right.since)
    return words.win_text(card, right.call if right else card.bingo_call)


def _near_text(card: BingoCard, near: Cards) -> str:
    """Say what a card waits for."""
    named = list(dict.fromkeys(words.the_card(needed, card.kind) for needed in near))
    if not named:
        return ""
    if len(named) == 1:
        return named[0]
    if len(named) > MAX_CARDS_NAMED:
        return Text("one of {number} cards", number=len(named))
    return Text("{first} or {last}", first=comma_join(named[:-1]), last=named[-1])


# ---- The requests --------------------------------------------------------------------------------


@blueprint.get("/class/<code>/bingo")
def show(code: str) -> flask.Response:
    """Show a student's card; who was not here when the round was dealt gets one now."""
    state = take_late_card(code)
    member = require_student(state)
    renew_session()
    note_presence(state.code, current_session().sid, "bingo")
    return _answer(state, member)


@blueprint.post("/class/<code>/bingo")
def move(code: str) -> flask.Response:
    """Cover a position, or say BINGO!"""
    require_student(load_class(code))
    sent = sent_texts()
    name = flask.g.move = sent.get("move", "")

    def answer() -> flask.Response:
        match name:
            case "claim":
                return _answer_claim(code, sent)
            case "mark":
                return _answer_mark(code, sent)
        raise NotAllowed(NOT_A_MOVE)

    def refuse(status: int, why: str) -> flask.Response:
        state = load_class(code)
        return _answer(state, require_student(state), status, why)

    return answer_or_refuse(answer, refuse)


def _answer_claim(code: str, sent: dict[str, str]) -> flask.Response:
    named = number_from(sent.get("call", ""), "call", 0, DECK_SIZE)

    def attempt(state: ClassState) -> Claim | None:
        return claim_card(state, _own_card_by_hand(state)[1], named)

    made = decide_on(code, attempt)
    state = load_class(code)
    member, said_at = require_student(state), str(made.call)
    if not wants_json():
        address = f"{class_address(state.code)}/bingo?said={said_at}"
        return see_other(address, lambda: _answer(state, member, said_at=said_at))
    card = state.card_of(member)
    said = {"right": made.right, "said": words.claim_text(card, made) if card else ""}
    return json_response(bingo_document(state, member) | said)


def _answer_mark(code: str, sent: dict[str, str]) -> flask.Response:
    place = number_from(sent.get("place", ""), "place", 0, GRID_SIZE - 1)
    require(place != CENTRE, words.NO_PLACE)
    on = chosen(sent, "on", ("Y", "N")) == "Y"
    shown = number_in(sent.get("round", ""))

    def attempt(state: ClassState) -> bool | None:
        member, _ = _own_card_by_hand(state)
        number = state.counters.round
        if shown not in (None, number):
            raise OutOfDate(words.OTHER_ROUND)
        bits = member.student.marks_in(number)
        bits = bits | 1 << place if on else bits & ~(1 << place)
        student = msgspec.structs.replace(member.student, marks=(number, bits))
        return class_store().save_student(state.code, replace(member, student=student)) or None

    decide_on(code, attempt)
    state = load_class(code)
    if wants_json():
        return _answer(state, require_student(state))
    form = "?as=list" if sent.get("as") == "list" else ""
    return see_other(f"{class_address(state.code)}/bingo{form}#place-{place}")


def _answer(
    state: ClassState, member: Member, status: int = 200, refusal: str = "", said_at: str = ""
) -> flask.Response:
    """Answer with the card as it stands."""
    if wants_json():
        return json_response(bingo_document(state, member), status, refusal)
    arguments, shown = flask.request.args, class_view(state)
    if shown.round is None or (member.student.state == "out" and not refusal):
        return see_other(class_address(state.code))
    said_at = said_at or arguments.get("said", "")
    card = card_view(state, member, number_in(said_at))
    return render_page(
        "class/card_list.html" if arguments.get("as") == "list" else "class/card.html",
        status,
        classroom=shown,
        round=shown.round,
        name=member.student.name,
        card=card,
        status_text=status_text(shown.round, card),
        refusal=refusal,
        renews=shown.live is not None and "still" not in arguments,
        is_answer=bool(said_at and card and card.said),  # to a claim
    )


# ---- Covering and claiming -----------------------------------------------------------------------


def claim_card(state: ClassState, card: BingoCard, named: int) -> Claim | None:
    """Say BINGO! for a card; return what became of it, or None if the class has changed.

    Args:
        state: the class.
        card: the card.
        named: the call that the page of its student shows.
    """
    live = state.round
    if live is None:
        return None
    for earlier in live.claims:
        if earlier.card == card.number and (earlier.right or earlier.call == named):
            return earlier
    judged = judge(card, named, live.calls, live.data.resumptions)
    return class_store().claim(state.code, state.counters, judged, next_call_at(state.counters))


def _own_card_by_hand(state: ClassState) -> tuple[Member, BingoCard]:
    """Return the student of the request, and their card in a round by hand.

    Raises:
        NotAllowed: there is no such round, or they have no card in it.
    """
    live, member = state.round, member_of(state)
    if live is None:
        raise NotAllowed(words.NO_ROUND)
    if not live.is_open:
        raise NotAllowed(words.ROUND_ENDED.fill(call=live.calls))
    require(live.data.by_hand, words.NOT_BY_HAND)
    card = state.card_of(member) if member else None
    if member is None or card is None:
        raise NotAllowed(words.NO_CARD)
    return member, card
