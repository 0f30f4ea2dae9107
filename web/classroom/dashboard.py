"""``/class/CODE/dashboard``: where an instructor runs a class, on a laptop or a phone."""

from collections.abc import Callable
from typing import Final

import flask
from werkzeug.exceptions import ServiceUnavailable

from cardgames.cards import CardGameError
from cardgames.text import Text, plural
from web.classroom import words
from web.classroom.access import led_class
from web.classroom.ask_page import AskPage, ask
from web.classroom.changes import Change, RealNames
from web.classroom.codes import link_hash, new_link
from web.classroom.dashboard_page import dashboard_page
from web.classroom.documents import dashboard_document
from web.classroom.entry import class_address
from web.classroom.legal import FORGET, HAND_ON, MOVES
from web.classroom.model import HAND_ON_LINK
from web.classroom.moves import MAX_ROSTER_TEXT, MoveRequest, NotAllowed, OutOfDate, hand_on
from web.classroom.opening import Link, make_link
from web.classroom.play import claim_card
from web.classroom.presence import last_seen
from web.classroom.public_address import public_address
from web.classroom.results import rounds_csv, students_csv
from web.classroom.state import MAX_ATTEMPTS, ClassState, class_store, commit, load_class
from web.classroom.student_moves import came_since
from web.classroom.times import time_text
from web.classroom.tournament_table import without_finished
from web.classroom.updates import page_version
from web.http.addresses import asked_number
from web.http.i18n import negotiated
from web.http.qr import inline_qr
from web.http.requests import sent_texts, wants_json
from web.http.responses import json_response, render_page, see_other
from web.storage.sessions import renew_session

ASKED: Final = {
    "remove": (Text("Remove {name}? They may join again."), Text("Remove")),
    "remove-since": (
        Text("Remove everybody who came since {time}: {students}? They may join again."),
        Text("Remove"),
    ),
    "ban": (Text("Ban {name}? Their browser may not join this class again."), Text("Ban")),
    "close": (
        Text("Close the class? Nobody joins any more, and nothing is dealt."),
        Text("Close the class"),
    ),
    "forget-names": (
        Text("Forget all real names and your list? The results stay, under nicknames."),
        Text("Forget real names"),
    ),
    "forget": (
        Text(
            "Forget the class? Its students, results and names are deleted at once, and nobody "
            "can bring them back."
        ),
        Text("Forget the class"),
    ),
}
"""Moves that destroy something, with the question that a page asks before, and its button."""

CLAIM: Final = "claim"
"""BINGO! said by a student with a paper card."""

_DAY: Final = 86_400
_HOUR: Final = 3_600

Make = Callable[[str, MoveRequest], flask.Response | None]
Refuse = Callable[[ClassState, int, str, dict[str, str]], flask.Response]

blueprint = flask.Blueprint("class-desk", __name__)


@blueprint.get("/class/<code>/dashboard")
def show(code: str) -> flask.Response:
    """Show the dashboard; the class lives on from now."""
    state = led_class(code)
    renew_session()
    extend_expiry(state)
    asked = flask.request.args.get("ask", "")
    if asked in ASKED and not wants_json():
        return _ask(state, asked)
    return _answer(state)


@blueprint.post("/class/<code>/dashboard")
def move(code: str) -> flask.Response:
    """Make one move, or refuse it and show the class as it stands."""
    return make_move(code, apply_move, lambda state, status, why, _: _answer(state, status, why))


def make_move(code: str, make: Make, refuse: Refuse) -> flask.Response:
    """Make one of an instructor's moves, on the class as it stands when it is written.

    Args:
        code: the class's.
        make: makes a move and answers; None if the class has changed meanwhile. It may raise
            ``CardGameError``.
        refuse: shows the page as it stands, with a status, the reason, and what was sent.

    Raises:
        ServiceUnavailable: the class has changed each time.
    """
    sent = sent_texts({"names": MAX_ROSTER_TEXT})
    name = flask.g.move = sent.pop("move", "")
    step = sent.pop("step", "")
    for _ in range(MAX_ATTEMPTS):
        state = led_class(code, fresh=True)
        if step != str(state.counters.version):
            return refuse(state, 409, words.STALE, sent)
        try:
            answer = make(name, MoveRequest(state, sent, negotiated()))
        except OutOfDate as error:
            return refuse(state, 409, error.text, sent)
        except CardGameError as error:
            return refuse(state, 422, error.text, sent)
        if answer:
            return answer
    raise ServiceUnavailable


@blueprint.get("/class/<code>/dashboard/students.csv")
def students(code: str) -> flask.Response:
    """Return the students with their real names."""
    return _export(code, students_csv)


@blueprint.get("/class/<code>/dashboard/rounds.csv")
def rounds(code: str) -> flask.Response:
    """Return the rounds with the real names of who played."""
    return _export(code, rounds_csv)


def apply_move(name: str, request: MoveRequest) -> flask.Response | None:
    """Make a move and answer; None if the class has changed meanwhile.

    Raises:
        CardGameError: it is not possible.
    """
    state, store = request.state, class_store()
    if name == HAND_ON:
        return create_handover_link(request)
    if name == FORGET:
        store.delete(state.code)
        if wants_json():
            return json_response({"class": state.code, "forgotten": True})
        return see_other(f"{flask.request.script_root}/class")
    if name == CLAIM:
        return claim_for_paper_card(request)
    if name not in MOVES:
        raise NotAllowed(words.NOT_NOW)
    if not commit(state, MOVES[name](request)):
        return None
    return redirect_to_dashboard(state.code)


def claim_for_paper_card(request: MoveRequest) -> flask.Response | None:
    """Say BINGO! for a card on paper, which its student has held up."""
    live = request.live
    number = request.number("card", 1, 9_999)
    if not live.data.by_hand or number not in {one.card for one in live.cards_in_play}:
        raise NotAllowed(words.NOT_NOW)
    if claim_card(request.state, live.card(number), live.calls) is None:
        return None
    return redirect_to_dashboard(request.state.code)


def redirect_to_dashboard(code: str) -> flask.Response:
    """Lead back to the dashboard as it was looked at, or tell a program how it stands."""
    if wants_json():
        return _answer(load_class(code))
    kept = {name: flask.request.args[name] for name in ("names",) if name in flask.request.args}
    query = "".join(f"?{name}={value}" for name, value in kept.items() if value in ("yes", "no"))
    address = f"{class_address(code)}/dashboard{query}"
    return see_other(address, lambda: _answer(load_class(code)))


def _answer(state: ClassState, status: int = 200, refusal: str = "") -> flask.Response:
    """Answer with the dashboard as it stands."""
    store, arguments = class_store(), flask.request.args
    with_names = arguments.get("names") == "yes"
    seen, real = last_seen(state), store.real_names(state.code)
    if wants_json():
        at = {number: one.at for number, one in seen.items()}
        told = dashboard_document(state, at, real.given if with_names else None)
        return json_response(told, status, refusal)
    page = dashboard_page(
        state,
        seen=seen,
        real=real,
        with_names=with_names,
        open_row=asked_number("student", 0),
        language=negotiated(),
        version=page_version(state.counters, "dashboard"),
        reach=public_address(),
        refusal=refusal,
    )
    return render_page("class/dashboard.html", status, page=page)


def create_handover_link(request: MoveRequest) -> flask.Response | None:
    """Answer with a link that gives the dashboard to another browser, once.

    Raises:
        NotAllowed: too many were handed on.
    """
    state, token = request.state, new_link()
    if not commit(state, hand_on(request, link_hash(token))):
        return None
    path = make_link(Link("dashboard", state.code, is_listed=True), HAND_ON_LINK, token)
    found = public_address()
    address = f"{found.scheme}://{found.host}{found.root}{path}"
    if wants_json():
        return json_response({"class": state.code, "address": address, "seconds": HAND_ON_LINK})
    return render_page(
        "class/hand_on.html",
        code=state.code,
        title=state.classroom.title,
        address=address,
        qr=inline_qr(address),
        is_local=found.is_local,
    )


def _ask(state: ClassState, what: str) -> flask.Response:
    """Ask before something is destroyed."""
    member = state.members.get(asked_number("student", 0))
    fields, values = {"move": what, "step": str(state.counters.version)}, {}
    if what in ("remove", "ban"):
        if member is None:
            return _answer(state, 422, words.NOT_NOW)
        values["name"], fields["student"] = member.student.name, str(member.number)
    elif what == "remove-since":
        minute = asked_number("since", 0)
        count = len(came_since(state, minute))
        if not count:
            return _answer(state, 422, words.NOT_NOW)
        values["time"], fields["since"] = time_text(minute * 60, state.counters.now), str(minute)
        values["students"] = plural("{number} student", "{number} students", count)
    question, label = ASKED[what]
    address = f"{class_address(state.code)}/dashboard"
    return ask(
        AskPage(state.classroom.title, question.fill(**values), label, address, fields, address)
    )


def _export(code: str, make: Callable[[ClassState, RealNames], flask.Response]) -> flask.Response:
    state = led_class(code)
    return make(state, class_store().real_names(state.code))


def extend_expiry(state: ClassState) -> None:
    """Let the class live its days from now, without what has served its time; once an hour."""
    until = int(state.counters.now) + state.classroom.days * _DAY
    if until - state.counters.expires > _HOUR:
        class_store().extend_expiry(state.code, until)
        commit(state, Change(deals_played=without_finished(state)))
