"""``/class/CODE/dashboard``: where an instructor runs a class, on a laptop or a phone.

A call goes the way of every move (:func:`~web.classroom.dashboard_moves.answer_move`): what is
possible, and what it changes, is in :mod:`.moves`.
"""

import logging
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final
from urllib.parse import urlencode

import flask
from sqlalchemy import update

from cardgames.class_bingo.card import Kind
from cardgames.class_bingo.chances import Expectation, expected
from cardgames.class_bingo.results import Claim
from cardgames.games.bingo.rules import Mode
from cardgames.text import Text, plural
from web import db
from web.classroom import answers, words
from web.classroom.card import claim_card
from web.classroom.codes import tidy_code
from web.classroom.dashboard_moves import ClassMove, MoveRequest, answer_move
from web.classroom.joining import came_since
from web.classroom.live_round import round_document
from web.classroom.models import Dashboard
from web.classroom.moves import available_moves, new_nickname, why_not
from web.classroom.opening import handed_on
from web.classroom.queries import real_names
from web.classroom.roster import Person, joined
from web.classroom.screen import HOUR, best_players
from web.classroom.state import ClassState, page_version, visited_class
from web.classroom.tournaments import MAX_BEST
from web.classroom.updates import DEALT_IN, TABLES, answer_known_page, is_here, last_seen
from web.http.addresses import asked_number
from web.http.i18n import negotiated
from web.http.reach import public_address
from web.http.requests import wants_json
from web.http.responses import json_response, render_page

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

MAX_CLAIMS: Final = 12
"""Maximum number of claims that are listed: the newest."""

CLOCK: Final = 8
"""The usual interval in seconds: what to expect is said for it."""

_MINUTE: Final = 60

log = logging.getLogger("cardgames.classroom")
blueprint = flask.Blueprint("class-dashboard", __name__)
blueprint.before_request(answer_known_page)


@blueprint.get("/class/<code>/dashboard")
def show(code: str) -> flask.Response:
    """Show the dashboard; the class lives on from now."""
    state = visited_class(code)
    _note_dashboard(state)
    question = flask.request.args.get("ask", "")
    if question in QUESTIONS and not wants_json():
        return _ask(state, question)
    return answer_dashboard(state)


@blueprint.post("/class/<code>/dashboard")
def move(code: str) -> flask.Response:
    """Make one move, or refuse it and show the class as it stands."""
    address = f"{answers.class_address(tidy_code(code))}/dashboard{dashboard_query()}"
    claim = ClassMove("claim", Text("BINGO!"), _claim)  # for a card on paper: its page has the form
    return answer_move(
        code,
        lambda state: chain(available_moves(state), (claim,)),
        lambda state, *why: answer_dashboard(state, *why[:2]),
        why_not,
        address,
    )


def _claim(request: MoveRequest) -> None:
    """Say BINGO! for a card on paper, which its student has held up."""
    live, number = request.live, request.number("card", 1, 9_999)
    answers.require(live.data.by_hand and number in live.cards_in_play)
    claim_card(request.state, live.card(number), live.calls)


def _note_dashboard(state: ClassState) -> None:
    """Note that a dashboard that was handed on is open; once a minute."""
    own, now = state.own_dashboard(), state.counters.now
    if own is None or now - own.seen < _MINUTE:
        return
    here = Dashboard.class_code == state.code, Dashboard.number == own.number
    try:
        with db.writing() as session:
            session.connection().execute(update(Dashboard).where(*here).values(seen=now))
    except db.FAULTS as error:  # it must not fail the request
        log.error("a dashboard that is open: %s", error)  # noqa: TRY400 - a full disk


def _ask(state: ClassState, what: str) -> flask.Response:
    """Ask before something is destroyed."""
    fields, values = {"move": what, "step": str(state.counters.version)}, {}
    if what in ("remove", "ban"):
        member = state.members.get(asked_number("student", 0))
        if member is None:
            return answer_dashboard(state, 422, words.NOT_NOW)
        values["name"], fields["student"] = member.name, str(member.number)
    elif what == "remove-since":
        minute = asked_number("since", 0)
        count = len(came_since(state, minute))
        if not count:
            return answer_dashboard(state, 422, words.NOT_NOW)
        values["time"], fields["since"] = (
            answers.time_text(minute * 60, state.counters.now),
            str(minute),
        )
        values["students"] = plural("{number} student", "{number} students", count)
    question, label = QUESTIONS[what]
    address = f"{answers.class_address(state.code)}/dashboard"
    return render_page(
        "class/ask.html",
        state=state,
        question=question.fill(**values),
        label=label,
        action=address,
        fields=fields,
        back=address,
    )


def dashboard_query(**changes: Any) -> str:
    """Return the query of this request for the dashboard, with some changes: what is looked at."""
    asked = flask.request.args
    names = asked.get("names", "")
    kept = {
        "names": names if names in ("yes", "no") else "",
        "search": asked.get("search", "")[: answers.MAX_SEARCH],
        "page": asked_number("page", 1) if asked_number("page", 1) > 1 else "",
    }
    query = urlencode({name: value for name, value in (kept | changes).items() if value})
    return f"?{query}" if query else ""


def answer_dashboard(state: ClassState, status: int = 200, refusal: str = "") -> flask.Response:
    """Answer with the dashboard as it stands."""
    seen, given = last_seen(state), real_names(state.code)
    roster = [Person(*one) for one in state.classroom.roster]
    moves, now = {move.name: move for move in available_moves(state)}, state.counters.now
    with_names = flask.request.args.get("names") == "yes"
    here = {number for number, last in seen.items() if is_here(last.at, now)}
    if wants_json():
        shown = given if with_names else None
        return json_response(dashboard_document(state, moves, here, shown), status, refusal)
    came = {*joined(roster, given).values()}
    missing = [person.name for person in roster if person not in came]
    absent = sum(now - seen[member.number].at >= DEALT_IN for member in state.playing)
    banned = [member for member in state.members.values() if member.state == "banned"]
    return render_page(
        "class/dashboard.html",
        status,
        state=state,
        round=state.open_round,
        status_text=_status_text(state),
        moves=moves,
        version=page_version(state.counters, "dashboard"),
        public=public_address(),
        query=dashboard_query,
        page=answers.page_of(state.students, lambda one: f"{one.name} {one.number}"),
        opened=asked_number("student", 0),
        banned=banned[: answers.PAGE_ROWS],
        scores=state.members,
        best=[*best_players(state)][:MAX_BEST],
        hour=[*best_players(state, HOUR)][:MAX_BEST],
        here_now=here,
        places={number: TABLES.get(place := seen[number].place, place) for number in here},
        verdict=_verdict(state),
        real=given if with_names else {},
        with_names=with_names,
        keeps_names=state.classroom.real != "no" or bool(roster) or bool(given),
        roster=len(roster),
        missing=len(missing),
        missing_names=missing if with_names else (),
        claims=[*_claims(state)],
        dashboards=handed_on(state),
        own_dashboard=state.own_dashboard(),
        expected=_expected,
        absent=absent,
        dealt=len(state.playing) - absent,
        new_name=lambda: new_nickname(state, negotiated()),
        clock_time=lambda at: f"{answers.local_time(at):%H:%M}",
        day_and_time=lambda at: answers.time_text(at, now),
        usual_interval=CLOCK,
        refusal=refusal,
    )


def dashboard_document(
    state: ClassState,
    moves: Mapping[str, ClassMove],
    here: set[int],
    real: Mapping[int, str] | None,
) -> dict[str, Any]:
    """Return a class in JSON, as its instructor sees it."""
    students = []
    for number, member in state.members.items():
        row = {"number": number, "name": member.name, "here": number in here}
        if member.state != "in":
            row["state"] = member.state
        students.append(row if real is None else row | {"real": real.get(number)})
    return {
        "class": state.code,
        "title": state.classroom.title,
        "step": state.counters.version,
        "students": students,
        "round": round_document(state.round),
        "moves": [move.document() for move in moves.values()],
    }


def _claims(state: ClassState) -> Iterator[tuple[str, Claim, str]]:
    """Yield the newest claims of the round that is on: of each the name, and what became of it."""
    live = state.open_round
    if live is None:
        return
    place_of = {card: place.place for place in live.places for card in place.cards}
    for claim in live.claims[: -MAX_CLAIMS - 1 : -1]:
        place = place_of.get(claim.card)
        answer: Text = Text("right, place {place}", place=place) if place else Text("right")
        if not claim.right:
            lacks = len(live.card(claim.card).nearest(claim.call)[1])
            answer = Text("not yet, lacks {number}", number=lacks)
        yield live.name_of(claim.card), claim, answer


def _verdict(state: ClassState) -> str:
    """Say who has BINGO!; nothing while cards are called."""
    live = state.round
    if live is None or live.phase != "bingo":
        return ""
    at = Text("Call {call}", call=live.calls)
    return live.winners_text or Text("BINGO! {what}", what=at)


def _status_text(state: ClassState) -> str:
    """Say what is announced: calls, claims and BINGO!, never who joins or goes."""
    live = state.open_round
    if live is None:
        return ""
    if verdict := _verdict(state):
        return verdict
    for name, _, answer in _claims(state):
        return Text("{name}: {answer}.", name=name, answer=answer)
    if live.last is None:
        return Text("The cards are dealt.")
    return Text("Called: {card}.", card=live.last.full_name)


def _expected(mode: str, cards: int, *, speed: bool = False) -> tuple[Expectation, Text]:
    """Return what to expect of a kind of round, and how long it lasts at the usual interval."""
    found = expected(Kind(Mode(mode), speed), max(1, cards))
    return found, answers.duration_text(found.calls * CLOCK)
