"""``/class/CODE/bingo``: a student's card, what they cover by hand, and BINGO!"""

from dataclasses import dataclass
from typing import Any, Final

import flask

from cardgames.cards import DECK_SIZE, Card, Cards, Rank, Suit
from cardgames.class_bingo.card import BingoCard
from cardgames.class_bingo.clock import Clock
from cardgames.class_bingo.results import Claim, judge
from cardgames.games.bingo.rules import CENTRE, GRID_SIZE
from cardgames.text import Text, comma_join, plural
from web.classroom import answers, words
from web.classroom.joining import take_late_card
from web.classroom.live_round import LiveRound, Tile, names_text, round_document, tile_rows
from web.classroom.queries import Member, save_student
from web.classroom.rounds import add_claim, claims_in
from web.classroom.state import ClassState, load_class
from web.classroom.updates import answer_known_page, note_presence
from web.http.addresses import number_in
from web.http.requests import sent_texts, wants_json
from web.http.responses import json_response, render_page, see_other
from web.sessions import renew_session

MAX_CARDS_NAMED: Final = 3
"""Maximum number of cards that would give BINGO! of which each is named."""

NOT_A_MOVE: Final = Text("On a card you can cover a position, or say BINGO!")

SUIT_ORDER: Final = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)
_RANK_ORDER: Final = (*tuple(Rank)[1:], Rank.ACE)

blueprint = flask.Blueprint("class-card", __name__)
blueprint.before_request(answer_known_page)


@blueprint.get("/class/<code>/bingo")
def show(code: str) -> flask.Response:
    """Show a student's card; a student who was not here when the round was dealt gets one now."""
    state, member = take_late_card(code)
    renew_session()
    note_presence(state.code, "bingo")
    return _answer(state, member)


@blueprint.post("/class/<code>/bingo")
def move(code: str) -> flask.Response:
    """Cover a position, or say BINGO!"""
    state = load_class(code)
    member, sent = state.require_student(), sent_texts()
    name = flask.g.move = sent.get("move", "")

    def answer() -> flask.Response:
        match name:
            case "claim":
                return _claim(state, member, sent)
            case "mark":
                return _mark(state, member, sent)
        raise answers.NotAllowed(NOT_A_MOVE)

    return answers.answer_or_refuse(answer, lambda status, why: _show_again(code, status, why))


def _show_again(code: str, status: int = 200, refusal: str = "", said: str = "") -> flask.Response:
    """Answer with the card as it stands now."""
    state = load_class(code)
    return _answer(state, state.require_student(), status, refusal, said)


def _claim(state: ClassState, member: Member, sent: dict[str, str]) -> flask.Response:
    """Say BINGO! at the call that the page of the card shows."""
    named = answers.number_from(sent.get("call", ""), "call", 0, DECK_SIZE)
    card = _own_card(state, member)
    made = claim_card(state, card, named)
    if not wants_json():
        address = f"{answers.class_address(state.code)}/bingo?said={made.call}"
        return see_other(address, lambda: _show_again(state.code, said=str(made.call)))
    said = {"right": made.right, "said": words.claim_text(card, made)}
    return json_response(bingo_document(load_class(state.code), member) | said)


def _mark(state: ClassState, member: Member, sent: dict[str, str]) -> flask.Response:
    """Cover a position, or uncover it."""
    place = answers.number_from(sent.get("place", ""), "place", 0, GRID_SIZE - 1)
    answers.require(place != CENTRE, words.NO_PLACE)
    on = answers.chosen(sent, "on", ("Y", "N")) == "Y"
    shown, number = number_in(sent.get("round", "")), state.classroom.round_number
    _own_card(state, member)
    if shown not in (None, number):
        raise answers.OutOfDate(words.OTHER_ROUND)
    bits = member.marks_in(number)
    bits = bits | 1 << place if on else bits & ~(1 << place)
    save_student(member, marks_round=number, marks=bits)
    if wants_json():
        return _show_again(state.code)
    form = "?as=list" if sent.get("as") == "list" else ""
    return see_other(f"{answers.class_address(state.code)}/bingo{form}#place-{place}")


def _answer(
    state: ClassState, member: Member, status: int = 200, refusal: str = "", said_at: str = ""
) -> flask.Response:
    if wants_json():
        return json_response(bingo_document(state, member), status, refusal)
    arguments, live = flask.request.args, state.round
    if live is None or (member.state == "out" and not refusal):
        return see_other(answers.class_address(state.code))
    said_at = said_at or arguments.get("said", "")
    card = card_view(state, member, number_in(said_at))
    return render_page(
        "class/card_list.html" if arguments.get("as") == "list" else "class/card.html",
        status,
        state=state,
        round=live,
        name=member.name,
        card=card,
        status_text=status_text(live, card),
        refusal=refusal,
        renews=live.is_open and "still" not in arguments,
        is_answer=bool(said_at and card and card.said),  # to a claim
    )


def claim_card(state: ClassState, card: BingoCard, named: int) -> Claim:
    """Judge a claim of BINGO! and keep it; of a card and call the first is kept.

    The first right one of a round stops its clock.
    """
    data, counters, calls = state.data, state.counters, state.counters.calls
    assert data  # noqa: S101 - who claims has a card
    made = judge(card, named, calls, data.resumptions)
    for earlier in claims_in(state.code, data.number):
        if earlier.card == card.number and (earlier.right or earlier.call in (named, made.call)):
            return earlier
    add_claim(state.code, data.number, counters.claims + 1, made)
    stops = made.right and not counters.right
    clock = Clock(calls, counters.now, counters.every, calls) if stops else None
    state.write(clock, claims=counters.claims + 1, right=counters.right + made.right)
    return made


def _own_card(state: ClassState, member: Member) -> BingoCard:
    """Return a student's card in a round by hand; refuse without one."""
    data = state.data
    if data is None:
        raise answers.NotAllowed(words.NO_ROUND)
    is_open, calls = data.ended is None, state.counters.calls if data.calls is None else data.calls
    answers.require(is_open, words.ROUND_ENDED.fill(call=calls))
    answers.require(data.by_hand, words.NOT_BY_HAND)
    card = state.card_of(member)
    if card is None:
        raise answers.NotAllowed(words.NO_CARD)
    return card


@dataclass(frozen=True, slots=True)
class CardView:
    """A student's card as they may see it."""

    number: int
    rows: tuple[tuple[Tile, ...], ...]
    near_text: str
    """What would give it BINGO! as the next call; empty where cards are covered by hand."""

    line: Text | None
    """The nearest pattern; none where cards are covered by hand."""

    lacks_text: str
    """What the nearest pattern lacks."""

    calls_away: int
    """Minimum number of calls until it has BINGO!"""

    won_text: str
    """What made its BINGO!; empty where it has no place."""

    tie_text: str
    can_claim: bool
    said: Claim | None
    """The claim whose answer the page shows."""

    said_text: str

    @property
    def suits(self) -> list[tuple[Suit, str, list[Tile]]]:
        """The tiles as a sorted list, the aces last, for play without seeing the grid."""
        tiles = {tile.card: tile for row in self.rows for tile in row if tile.card}
        by_suit = {
            suit: [tiles[card] for rank in _RANK_ORDER if (card := Card(f"{rank}{suit}")) in tiles]
            for suit in SUIT_ORDER
        }
        return [(suit, suit.text, found) for suit, found in by_suit.items() if found]

    @property
    def called(self) -> list[Tile]:
        """The tiles that the last call covers."""
        return [tile for row in self.rows for tile in row if tile.called]

    @property
    def where_text(self) -> Text:
        """Where the last call is on the card."""
        if not self.called:
            return Text("Not on your card.")
        if len(self.called) > 1:
            return plural("You have it.", "You have it {number} times.", len(self.called))
        return Text("You have it: {place}.", place=self.called[0].where)


def card_view(state: ClassState, member: Member, said: int | None = None) -> CardView | None:
    """Return a student's card in the newest round; None where they have none."""
    live, card = state.round, state.card_of(member)
    if live is None or card is None:
        return None
    calls, by_hand = live.calls, live.data.by_hand
    right = live.claim_of(card.number)
    claim = (live.claim_of(card.number, said) if said is not None else None) or right
    place = next((won for won in live.places if card.number in won.cards), None)
    others = [live.name_of(held) for held in place.cards if held != card.number] if place else []
    is_later = place is not None and place.place > 1
    tie: str = Text("That is place {place}.", place=place.place) if place and is_later else ""
    near = () if by_hand else card.needed(calls)
    line, lacks = (None, ()) if by_hand else card.nearest(calls)
    needed = near if live.phase == "playing" else ()
    if claim and not claim.right:
        needed = tuple(card.grid[lacked] for lacked in card.nearest(claim.call)[1])
    marks = marked_places(member.marks_in(live.data.number))
    return CardView(
        number=card.number,
        rows=tile_rows(
            card,
            marks if by_hand and not place else card.covered(calls),
            card.winning(calls) if place else (),
            needed,
            last=0 if by_hand else calls,
        ),
        near_text=_near_text(card, near),
        line=words.pattern_text(line, live.data.mode, first=True) if line else None,
        lacks_text=words.lacking_text(card, lacks) if lacks else "",
        calls_away=len({card.covered_by[lacked] for lacked in lacks}),
        won_text=_won_text(card, right) if place else "",
        tie_text=Text("A tie with {names}.", names=names_text(others)) if others else tie,
        can_claim=by_hand and live.is_open and not right,
        said=claim,
        said_text=words.claim_text(card, claim) if claim else "",
    )


def marked_places(bits: int) -> tuple[int, ...]:
    """Return the positions that are covered by hand, the free centre included."""
    bits |= 1 << CENTRE
    return tuple(place for place in range(GRID_SIZE) if bits >> place & 1)


def _won_text(card: BingoCard, right: Claim | None) -> str:
    """Say with what a card has won."""
    if right and right.since < right.call:
        return Text("You have had it since call {call}.", call=right.since)
    return words.win_text(card, right.call if right else card.bingo_call)


def _near_text(card: BingoCard, near: Cards) -> str:
    """Say what a card waits for."""
    named = list(dict.fromkeys(words.the_card(needed, card.kind) for needed in near))
    if len(named) > MAX_CARDS_NAMED:
        return Text("one of {number} cards", number=len(named))
    if len(named) > 1:
        return Text("{first} or {last}", first=comma_join(named[:-1]), last=named[-1])
    return named[0] if named else ""


def status_text(live: LiveRound, card: CardView | None) -> str:
    """Return what is announced when the page comes in place of an older one."""
    if card and card.won_text:
        return Text("BINGO! {what}", what=card.won_text)
    if live.phase == "bingo":
        return Text("BINGO! {what}", what=live.winners_text)
    if live.phase != "playing":
        return Text("The round is over.")
    if live.last is None:
        return Text("The cards are dealt.")
    called = Text("Called: {card}.", card=live.last.full_name)
    if live.data.by_hand or not card:
        return called
    called = Text("{called} {where}", called=called, where=card.where_text)
    if not card.near_text:
        return called
    away = Text("One away: you need {cards}.", cards=card.near_text)
    return Text("{called} {where}", called=called, where=away)


def bingo_document(state: ClassState, member: Member) -> dict[str, Any]:
    """Return a student's card in JSON, and what they can do with it."""
    live, card, document, moves = state.round, state.card_of(member), None, []
    if live and card:
        by_hand, has_claimed = live.data.by_hand, live.claim_of(card.number) is not None
        may_claim = by_hand and live.is_open and not has_claimed
        if may_claim:
            fields = {"call": {str(live.calls): str(live.calls)}}
            moves.append({"name": "claim", "label": Text("BINGO!"), "fields": fields})
        marks = marked_places(member.marks_in(live.data.number))
        document = {
            "number": card.number,
            "cards": [None if at == CENTRE else held for at, held in enumerate(card.grid)],
            "covered": marks if by_hand else card.covered(live.calls),
            # By hand it is found by who holds the card, and not by asking.
            "winning": () if may_claim else card.winning(live.calls),
            "one_away": card.needed(live.calls),
        }
    return state.document | {
        "student": {"number": member.number, "name": member.name},
        "round": round_document(live),
        "card": document,
        "moves": moves,
    }
