"""``/class/CODE/bingo``: a student's card, what they cover by hand, and BINGO!"""

from typing import Final

import flask

from cardgames.cards import DECK_SIZE, CardGameError
from cardgames.games.bingo.rules import GRID_SIZE
from cardgames.text import Text
from web.classroom import words
from web.classroom.access import member_of, require_student
from web.classroom.card_page import card_page
from web.classroom.documents import bingo_document
from web.classroom.entry import class_address
from web.classroom.joining import take_late_card
from web.classroom.model import Member
from web.classroom.moves import NotAllowed, OutOfDate, chosen, number_from
from web.classroom.play import claim, mark
from web.classroom.state import ClassState, load_class
from web.classroom.updates import asks_every, note_presence
from web.http.addresses import number_in
from web.http.requests import sent_texts, wants_json
from web.http.responses import json_response, render_page, see_other
from web.storage.sessions import current_session, renew_session

NOT_A_MOVE: Final = Text("On a card you can cover a position, or say BINGO!")

blueprint = flask.Blueprint("class-card", __name__)


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
    state = load_class(code)
    member = require_student(state)
    sent = sent_texts()
    name = flask.g.move = sent.get("move", "")
    try:
        if name == "claim":
            return _claim(code, sent.get("call", ""))
        if name == "mark":
            return _mark(code, sent)
        raise NotAllowed(NOT_A_MOVE)
    except CardGameError as error:
        state = load_class(code)
        status = 409 if isinstance(error, OutOfDate) else 422
        return _answer(state, member_of(state) or member, status, error.text)


def _claim(code: str, named: str) -> flask.Response:
    """Answer to BINGO!"""
    made = claim(code, number_from(named, "call", 0, DECK_SIZE))
    state = load_class(code)
    member, said = require_student(state), str(made.call)
    if not wants_json():
        address = f"{class_address(state.code)}/bingo?said={said}"
        return see_other(address, lambda: _answer(state, member, said=said))
    card = state.card_of(member)
    answer = {"right": made.right, "said": words.claim_text(card, made) if card else ""}
    return json_response(bingo_document(state, member) | answer)


def _mark(code: str, sent: dict[str, str]) -> flask.Response:
    """Cover or uncover a position."""
    place = number_from(sent.get("place", ""), "place", 0, GRID_SIZE - 1)
    on = chosen(sent, "on", ("Y", "N")) == "Y"
    mark(code, place, on=on, round_number=number_in(sent.get("round", "")))
    state = load_class(code)
    if wants_json():
        return _answer(state, require_student(state))
    form = "?as=list" if sent.get("as") == "list" else ""
    return see_other(f"{class_address(state.code)}/bingo{form}#place-{place}")


def _answer(
    state: ClassState, member: Member, status: int = 200, refusal: str = "", said: str = ""
) -> flask.Response:
    """Answer with the card as it stands."""
    if wants_json():
        return json_response(bingo_document(state, member), status, refusal)
    asked = flask.request.args
    said = said or asked.get("said", "")
    page = card_page(state, member, number_in(said))
    if page is None or (member.student.state == "out" and not refusal):
        return see_other(class_address(state.code))
    name = "class/card_list.html" if asked.get("as") == "list" else "class/card.html"
    return render_page(
        name,
        status,
        page=page,
        refusal=refusal,
        every=asks_every(state.counters),
        renews=state.counters.is_open and "still" not in asked,
        tells=bool(said) and page.said is not None,  # it is the answer to a claim
    )
