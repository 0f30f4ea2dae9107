"""``/class/CODE/react``: a student presses one of four signs; and what is shown of them."""

from typing import Final, NamedTuple

import flask

from cardgames.text import Text
from web.classes import words
from web.classes.reactions import SIGNS
from web.http.requests import sent_texts, wants_json
from web.http.responses import json_response, see_other
from web.live_class.answers import answer_or_refuse, chosen, class_address, require
from web.live_class.state import ClassState, class_store, load_class, note_in_session, session_notes
from web.storage.sessions import retry_on_conflict
from web.storage.side_effects import side_effect

PRESS_EVERY: Final = 5
"""Minimum number of seconds between two presses of a browser."""

_PAGES: Final = ("", "bingo", "vote")
"""Where a student can press."""

blueprint = flask.Blueprint("class-reactions", __name__)


class ShownReaction(NamedTuple):
    """A sign, what it says, and how often it was pressed lately."""

    name: str
    sign: str
    label: Text
    number: int


def shown_reactions(state: ClassState) -> list[ShownReaction]:
    """Return the signs that were pressed lately."""
    if state.classroom.quiet or not state.counters.is_lively:
        return []
    counts = class_store().reactions.counts(state.code)
    return [ShownReaction(name, *SIGNS[name], count) for name, count in counts.items() if count]


@blueprint.post("/class/<code>/react")
@retry_on_conflict
def react(code: str) -> flask.Response:
    """Count a sign that a student presses, and lead back to the page where it was pressed."""
    state, sent = load_class(code), sent_texts()
    member, page = state.require_student(), sent.get("at", "")
    address = f"{class_address(state.code)}/{page if page in _PAGES else ''}".rstrip("/")

    def answer() -> flask.Response:
        sign = chosen(sent, "sign", tuple(SIGNS))
        require(not state.classroom.quiet, words.QUIET)
        require(member.student.state == "in" and not state.classroom.closed)
        now = state.counters.now
        is_counted = not 0 <= now - session_notes().reacted < PRESS_EVERY
        if is_counted:
            note_in_session(lasts=False, reacted=now)
        _count_later(state.code, sign if is_counted else "")
        return json_response({"counted": is_counted}) if wants_json() else see_other(address)

    def refuse(status: int, why: str) -> flask.Response:
        return json_response({}, status, why) if wants_json() else see_other(address)

    return answer_or_refuse(answer, refuse)


def _count_later(code: str, sign: str) -> None:
    """Count a sign once the session has noted the press, so that two at once are one."""
    is_first = "sign" not in flask.g
    flask.g.sign = sign  # the view is run again when another request was faster
    if is_first:
        flask.after_this_request(lambda answer: _count(code, answer))


def _count(code: str, answer: flask.Response) -> flask.Response:
    with side_effect("reactions"):
        if flask.g.sign:
            class_store().reactions.add(code, flask.g.sign)
    return answer
