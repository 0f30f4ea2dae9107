"""``/class/CODE/bingo``: a student's card, what they cover by hand, and BINGO!"""

from typing import Final

import flask

from cardgames.cards import CardGameError
from cardgames.class_bingo.results import Claim
from cardgames.text import Text
from web.classroom import words
from web.classroom.access import member_of
from web.classroom.card_page import card_page
from web.classroom.documents import bingo_document
from web.classroom.entry import class_address
from web.classroom.moves import NotAllowed, OutOfDate
from web.classroom.play import claim, mark
from web.classroom.state import ClassState, Member, load_class
from web.classroom.student_views import JOIN_FIRST
from web.classroom.updates import asks_every, note_presence
from web.http.requests import current_request
from web.http.responses import json_response, render_page, sent_texts, wants_json
from web.storage.sessions import current_session, renew_session

MOVES: Final = ("mark", "claim")
NOT_A_MOVE: Final = Text("On a card you can cover a position, or say BINGO!")

blueprint = flask.Blueprint("class-card", __name__)


@blueprint.get("/class/<code>/bingo")
def show(code: str) -> flask.Response:
    """Show a student's card."""
    state = load_class(code)
    member = member_of(state)
    if member is None or member.student.state == "banned":
        return _not_a_student(state)
    renew_session()
    note_presence(state.code, current_session().sid, "bingo")
    return _answer(state, member)


@blueprint.post("/class/<code>/bingo")
def move(code: str) -> flask.Response:
    """Cover a position, or say BINGO!"""
    state = load_class(code)
    member = member_of(state)
    if member is None or member.student.state == "banned":
        return _not_a_student(state)
    sent = sent_texts()
    name = current_request().move = sent.get("move", "")
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
    made = claim(code, _number("call", named, 52))
    if not wants_json():
        where = f"{class_address(load_class(code).code)}/bingo?said={made.call}"
        return flask.Response(status=303, headers={"Location": where})
    state = load_class(code)
    member = member_of(state)
    card = state.card_of(member) if member else None
    if member is None or card is None:
        return _not_a_student(state)
    said = {"right": made.right, "said": words.claim_text(card, made)}
    return json_response(bingo_document(state, member) | said)


def _mark(code: str, sent: dict[str, str]) -> flask.Response:
    """Cover or uncover a position."""
    place = _number("place", sent.get("place", ""), 24)
    on = sent.get("on", "")
    if on not in ("Y", "N"):
        raise NotAllowed(words.BAD_FIELD.fill(name="on", values="Y, N"))
    page_round = sent.get("round", "")
    number = int(page_round) if page_round.isascii() and page_round.isdigit() else None
    mark(code, place, on=on == "Y", round_number=number)
    state = load_class(code)
    member = member_of(state)
    if member is None:
        return _not_a_student(state)
    if wants_json():
        return _answer(state, member)
    form = "?as=list" if sent.get("as") == "list" else ""
    where = f"{class_address(state.code)}/bingo{form}#place-{place}"
    return flask.Response(status=303, headers={"Location": where})


def _number(name: str, sent: str, most: int) -> int:
    """Return a number that was sent.

    Raises:
        NotAllowed: it is none, or too large.
    """
    if not (sent.isascii() and sent.isdigit() and int(sent[:9]) <= most):
        raise NotAllowed(words.BAD_NUMBER.fill(name=name, least=0, most=most))
    return int(sent)


def _answer(
    state: ClassState, member: Member, status: int = 200, refusal: str = ""
) -> flask.Response:
    """Answer with the card as it stands."""
    if wants_json():
        answer = bingo_document(state, member)
        return json_response(answer | {"error": refusal} if refusal else answer, status)
    asked = flask.request.args
    said = asked.get("said", "")
    page = card_page(state, member, int(said) if said.isascii() and said.isdigit() else None)
    if page is None or (member.student.state == "out" and not refusal):
        return flask.Response(status=303, headers={"Location": class_address(state.code)})
    name = "class/card_list.html" if asked.get("as") == "list" else "class/card.html"
    return render_page(
        name,
        status,
        page=page,
        refusal=refusal,
        every=asks_every(state.pulse),
        renews=state.pulse.is_open and "still" not in asked,
        tells=_told(said, page.said),
    )


def _told(said: str, claim: Claim | None) -> bool:
    """Say whether the page is the answer to a claim."""
    return bool(said) and claim is not None


def _not_a_student(state: ClassState) -> flask.Response:
    """Lead who has not joined to the class."""
    if wants_json():
        return json_response({"error": JOIN_FIRST, "class": state.code}, 403)
    return flask.Response(status=303, headers={"Location": class_address(state.code)})
