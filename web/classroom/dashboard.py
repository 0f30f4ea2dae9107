"""``/class/CODE/dashboard``: where an instructor runs a class, on a laptop or a phone.

A call, as every move: :func:`move` reads the class, refuses a form that is out of date, finds the
move among those that are possible (:mod:`.moves`), has it say what it writes, writes that if the
class is still as it was read, and leads back to the page.
"""

from collections.abc import Callable
from typing import Final

import flask

from cardgames.text import Text, plural
from web.classroom import words
from web.classroom.access import led_class, require_instructor
from web.classroom.answers import (
    NotAllowed,
    OutOfDate,
    answer_or_refuse,
    ask_first,
    class_address,
    public_address,
    require,
    time_text,
)
from web.classroom.card import claim_card
from web.classroom.codes import link_hash, new_link
from web.classroom.dashboard_page import answer_dashboard, dashboard_query, moves_now
from web.classroom.model import HAND_ON_LINK, Change
from web.classroom.moves import MAX_ROSTER_TEXT, MoveRequest, hand_on, why_not
from web.classroom.opening import Link, make_link
from web.classroom.results import rounds_csv, students_csv
from web.classroom.state import ClassState, class_store, commit, decide_on, load_class
from web.classroom.student_moves import came_since
from web.classroom.tournament_table import without_finished
from web.classroom.updates import answer_known_page
from web.http.addresses import asked_number
from web.http.i18n import negotiated
from web.http.qr import inline_qr
from web.http.requests import sent_texts, wants_json
from web.http.responses import json_response, render_page, see_other
from web.storage.sessions import renew_session

QUESTIONS: Final = {
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

_DAY: Final = 86_400
_HOUR: Final = 3_600

ApplyMove = Callable[[str, MoveRequest], flask.Response | None]
ShowRefusal = Callable[[ClassState, int, str, dict[str, str]], flask.Response]

blueprint = flask.Blueprint("class-dashboard", __name__)
blueprint.before_request(answer_known_page)


# ---- The requests --------------------------------------------------------------------------------


@blueprint.get("/class/<code>/dashboard")
def show(code: str) -> flask.Response:
    """Show the dashboard; the class lives on from now."""
    state = led_class(code)
    renew_session()
    extend_expiry(state)
    question = flask.request.args.get("ask", "")
    if question in QUESTIONS and not wants_json():
        return _ask(state, question)
    return answer_dashboard(state)


@blueprint.post("/class/<code>/dashboard")
def move(code: str) -> flask.Response:
    """Make one move, or refuse it and show the class as it stands."""
    return answer_move(
        code, apply_move, lambda state, status, why, _: answer_dashboard(state, status, why)
    )


@blueprint.get("/class/<code>/dashboard/students.csv")
def students(code: str) -> flask.Response:
    """Return the students with their real names."""
    state = led_class(code)
    return students_csv(state, class_store().real_names(state.code))


@blueprint.get("/class/<code>/dashboard/rounds.csv")
def rounds(code: str) -> flask.Response:
    """Return the rounds with the real names of who played."""
    state = led_class(code)
    return rounds_csv(state, class_store().real_names(state.code))


def answer_move(code: str, apply: ApplyMove, refuse: ShowRefusal) -> flask.Response:
    """Make one of an instructor's moves, on the class as it stands when it is written.

    Args:
        code: the class's.
        apply: makes a move and answers; None if the class has changed meanwhile. It may raise
            ``CardGameError``.
        refuse: shows the page as it stands, with a status, the reason, and what was sent.
    """
    sent = sent_texts({"names": MAX_ROSTER_TEXT})
    name = flask.g.move = sent.pop("move", "")
    step = sent.pop("step", "")

    def attempt(state: ClassState) -> flask.Response | None:
        require_instructor(state)
        if step != str(state.counters.version):
            raise OutOfDate(words.STALE)
        return apply(name, MoveRequest(state, sent, negotiated()))

    return answer_or_refuse(
        lambda: decide_on(code, attempt),
        lambda status, why: refuse(load_class(code), status, why, sent),
    )


def apply_move(name: str, request: MoveRequest) -> flask.Response | None:
    """Make a move and answer; None if the class has changed meanwhile.

    Raises:
        CardGameError: it is not possible.
    """
    match name:
        case "hand-on":
            return create_handover_link(request)
        case "forget":
            return _forget_class(request.state)
        case "claim":
            return claim_for_paper_card(request)
    found = next((one for one in moves_now(request.state) if one.name == name), None)
    if found is None:
        raise NotAllowed(why_not(request.state, name))
    return redirect_to_dashboard(request) if commit(request.state, found.apply(request)) else None


def claim_for_paper_card(request: MoveRequest) -> flask.Response | None:
    """Say BINGO! for a card on paper, which its student has held up."""
    live, number = request.live, request.number("card", 1, 9_999)
    require(live.data.by_hand and number in live.cards_in_play)
    made = claim_card(request.state, live.card(number), live.calls)
    return redirect_to_dashboard(request) if made else None


def create_handover_link(request: MoveRequest) -> flask.Response | None:
    """Answer with a link that gives the dashboard to another browser, once.

    Raises:
        NotAllowed: too many were handed on.
    """
    state, token = request.state, new_link()
    change = hand_on(request, link_hash(token))
    # First: were the server killed between the two, the step would be taken, and there is no link.
    path = make_link(Link("dashboard", state.code, is_listed=True), HAND_ON_LINK, token)
    if not commit(state, change):
        return None
    found = public_address()
    address = f"{found.scheme}://{found.host}{found.root}{path}"
    if wants_json():
        return json_response({"class": state.code, "address": address, "seconds": HAND_ON_LINK})
    picture, is_local = inline_qr(address), found.is_local
    return render_page(
        "class/hand_on.html", state=state, address=address, qr=picture, is_local=is_local
    )


def _forget_class(state: ClassState) -> flask.Response:
    class_store().delete(state.code)
    if wants_json():
        return json_response({"class": state.code, "forgotten": True})
    return see_other(f"{flask.request.script_root}/class")


def redirect_to_dashboard(request: MoveRequest) -> flask.Response:
    """Lead back to the dashboard as it was looked at, or send a program how it stands."""
    code = request.state.code
    if wants_json():
        return answer_dashboard(load_class(code))
    address = f"{class_address(code)}/dashboard{dashboard_query()}"
    return see_other(address, lambda: answer_dashboard(load_class(code)))


def extend_expiry(state: ClassState) -> None:
    """Let the class live its days from now, without what has served its time; once an hour."""
    until = int(state.counters.now) + state.classroom.days * _DAY
    if until - state.counters.expires > _HOUR:
        class_store().extend_expiry(state.code, until)
        commit(state, Change(deals_played=without_finished(state)))


def _ask(state: ClassState, what: str) -> flask.Response:
    """Ask before something is destroyed."""
    fields, values = {"move": what, "step": str(state.counters.version)}, {}
    if what in ("remove", "ban"):
        member = state.members.get(asked_number("student", 0))
        if member is None:
            return answer_dashboard(state, 422, words.NOT_NOW)
        values["name"], fields["student"] = member.student.name, str(member.number)
    elif what == "remove-since":
        minute = asked_number("since", 0)
        count = len(came_since(state, minute))
        if not count:
            return answer_dashboard(state, 422, words.NOT_NOW)
        values["time"], fields["since"] = time_text(minute * 60, state.counters.now), str(minute)
        values["students"] = plural("{number} student", "{number} students", count)
    question, label = QUESTIONS[what]
    address = f"{class_address(state.code)}/dashboard"
    title = state.classroom.title
    return ask_first(title, question.fill(**values), label, address, fields, address)
