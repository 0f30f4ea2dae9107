"""A class as a student finds it: the form to join, their own page, and what is kept of them."""

import random
from dataclasses import dataclass
from typing import Any, Final

import flask

from cardgames.cards import CardGameError
from cardgames.text import Text
from web.classroom import words
from web.classroom.access import (
    forget_class,
    is_instructor,
    member_of,
    rejoin_code_of,
    remember_class,
)
from web.classroom.ask_page import AskPage, ask
from web.classroom.codes import new_link
from web.classroom.documents import kept_document, student_document
from web.classroom.entry import class_address
from web.classroom.insight import total_of
from web.classroom.joining import (
    JoinForm,
    join,
    leave,
    may_take_card,
    rejoin,
    require_open,
)
from web.classroom.model import Member
from web.classroom.moves import NotAllowed, chosen
from web.classroom.nicknames import MAX_LENGTH, MAX_REAL_LENGTH, NICKNAME_RULE, offers
from web.classroom.results import Score, finished_rounds, scores
from web.classroom.state import ClassState, class_store, load_class
from web.classroom.student_moves import taken_keys
from web.classroom.tournament_summary import TournamentLink, student_links
from web.classroom.updates import answer_known_page, asks_every, note_presence
from web.http.addresses import asked_number
from web.http.i18n import negotiated
from web.http.requests import sent_texts, wants_json
from web.http.responses import json_response, refusal, render_page, see_other
from web.storage.sessions import current_session, renew_session, retry_on_conflict

RENAMED_FOR: Final = 3_600
"""For so many seconds a student is told of a new nickname."""

LEAVING: Final = {
    "step-out": (
        Text("Step out of {title}? Nothing is counted until you step in again."),
        Text("Step out"),
    ),
    "step-in": (Text("Step in again?"), Text("Step in")),
    "forget": (
        Text(
            "Forget you in {title}? Your nickname, your results and your real name are deleted at "
            "once, and nobody can bring them back. Deals of a tournament that you have played stay "
            "played in this browser until it ends: their number is kept, without your name."
        ),
        Text("Forget me"),
    ),
}
"""How a student can leave: the question before it, and the button that does it."""

_chance: Final = random.SystemRandom()

blueprint = flask.Blueprint("class-student", __name__)
blueprint.before_request(answer_known_page)


@dataclass(frozen=True, slots=True)
class JoinPage:
    """The form to join a class."""

    code: str
    title: str
    nicknames: str
    real: str
    days: int
    offers: tuple[str, ...]
    receipt: str
    typed_name: str
    """A nickname that was refused, to be mended; a real name is never shown again."""

    refusal: str
    closed: str
    """Why nobody new can join, if so."""

    rejoining: bool
    """Whether the form for a rejoin code is open."""

    nickname_rule: Text = NICKNAME_RULE
    max_name: int = MAX_LENGTH
    max_real: int = MAX_REAL_LENGTH


@dataclass(frozen=True, slots=True)
class ClassPage:
    """A student's own page of a class."""

    code: str
    title: str
    version: str
    every: int
    name: str
    number: int
    rejoin: str
    is_code_blocked: bool
    renamed: bool
    is_out: bool
    closed: bool
    round: int
    """The number of the round that is on; 0 for none."""

    calls: int
    has_card: bool
    """Whether the student has a card in it, or gets one by looking at it."""

    waits_for: int
    """The number of the round that is waited for; 0 while one is on, or none is to come."""

    real: str
    has_real: bool
    score: Score
    at_tables: tuple[int, int]
    """How many rounds at the tables were judged, and how many of them won."""

    leads: bool
    """Whether this browser holds the dashboard as well."""

    tournaments: list[TournamentLink]

    @property
    def next_deal(self) -> TournamentLink | None:
        """The tournament to go on with: the one that ends first."""
        playable = [one for one in self.tournaments if one.deal]
        return min(
            playable,
            key=lambda one: (not one.tournament.due, one.tournament.due),
            default=None,
        )

    @property
    def status(self) -> str:
        """What is announced when this page comes in the place of an older one."""
        if self.renamed:
            return Text("Your instructor renamed you: you are {name} now.", name=self.name)
        if self.round:
            return Text("Bingo is on.")
        one = self.next_deal
        return Text("{title} is open.", title=one.tournament.heading) if one else ""


@blueprint.get("/class/<code>")
def show(code: str) -> flask.Response:
    """Show the form to join a class, or the student's own page of it."""
    state = load_class(code)
    member = member_of(state)
    if member is None:
        return join_page(state)
    if member.student.state == "banned":
        return _banned(state)
    renew_session()
    note_presence(state.code, current_session().sid, "")
    waited_for, live = asked_number("waits", 0), state.open_round
    if waited_for and live and live.data.number >= waited_for and _has_card(state, member):
        return see_other(f"{class_address(state.code)}/bingo")
    what = flask.request.args.get("ask", "")
    if what in LEAVING and not wants_json():
        return _ask(state, what)
    return student_page(state, member)


@blueprint.post("/class/<code>/join")
@retry_on_conflict
def join_class(code: str) -> flask.Response:
    """Join a class, or say why that cannot be."""
    sent = sent_texts()
    form = JoinForm(
        name=sent.get("name", "").strip(),
        offer=sent.get("offer", "").strip(),
        real=sent.get("real", ""),
        receipt=sent.get("receipt", "")[:64],
    )
    try:
        join(code, form)
    except CardGameError as error:
        return join_page(load_class(code), 422, error.text, form.name)
    return _welcome(load_class(code))


@blueprint.post("/class/<code>/rejoin")
@retry_on_conflict
def rejoin_class(code: str) -> flask.Response:
    """Come back to a student with a nickname and a rejoin code."""
    sent = sent_texts()
    state = load_class(code)
    try:
        fits = rejoin(code, sent.get("name", ""), sent.get("code", ""))
    except CardGameError as error:
        return join_page(state, 422, error.text, rejoining=True)
    if not fits:
        return join_page(state, 422, words.NO_REJOIN, rejoining=True)
    return _welcome(load_class(code))


@blueprint.post("/class/<code>/leave")
@retry_on_conflict
def leave_class(code: str) -> flask.Response:
    """Step out, step in, or be forgotten."""
    state = load_class(code)
    what = sent_texts().get("what", "")
    try:
        leave(code, chosen({"what": what}, "what", tuple(LEAVING)))
    except CardGameError as error:
        return join_page(state, 422, error.text)
    if what == "forget":
        forget_class(state.code)
        if wants_json():
            return json_response({"class": state.code, "student": None})
        return see_other(f"{flask.request.script_root}/class")
    return _welcome(load_class(code))


@blueprint.get("/class/<code>/me.json")
def kept(code: str) -> flask.Response:
    """Return all that is kept of the student who asks."""
    state = load_class(code)
    member = member_of(state)
    if member is None:
        return json_response({}, 403, words.JOIN_FIRST)
    return json_response(kept_document(state, member))


def student_page(state: ClassState, member: Member, status: int = 200) -> flask.Response:
    """Answer with a student's own page."""
    if wants_json():
        return json_response(student_document(state, member), status)
    live = state.open_round
    has_real = class_store().has_real_name(state.code, member.number)
    known = scores(finished_rounds(state))
    page = ClassPage(
        code=state.code,
        title=state.classroom.title,
        version=state.version,
        every=asks_every(state.counters),
        name=member.student.name,
        number=member.number,
        rejoin=rejoin_code_of(state, member),
        is_code_blocked=member.student.is_code_blocked,
        renamed=state.counters.now - member.student.renamed < RENAMED_FOR,
        is_out=member.student.state == "out",
        closed=state.classroom.closed,
        round=live.data.number if live else 0,
        calls=live.calls if live else 0,
        has_card=_has_card(state, member),
        waits_for=state.counters.round + 1 if _waits(state, member) else 0,
        real=state.classroom.real,
        has_real=has_real,
        score=known.get(member.number, Score()),
        at_tables=total_of(class_store().insight.play_of(state.code, member.number).play),
        leads=is_instructor(state),
        tournaments=student_links(state, member),
    )
    renews = bool(page.waits_for) and "still" not in flask.request.args
    return render_page("class/class.html", status, page=page, renews=renews)


def _has_card(state: ClassState, member: Member) -> bool:
    """Say whether a round is on in which a student has a card, or gets one by looking at it."""
    has_card = state.open_round is not None and state.card_of(member) is not None
    return has_card or may_take_card(state, member)


def _waits(state: ClassState, member: Member) -> bool:
    """Say whether a student waits for a round to be dealt."""
    return not (state.open_round or state.classroom.closed) and member.student.state == "in"


def join_page(
    state: ClassState,
    status: int = 200,
    why: str = "",
    typed_name: str = "",
    *,
    rejoining: bool = False,
) -> flask.Response:
    """Answer with the form to join a class, or in JSON with what it takes.

    Args:
        state: the class.
        status: the answer's.
        why: why a student could not join, if they tried.
        typed_name: the name that they had typed.
        rejoining: it was by their code that they tried.
    """
    offered = offers(negotiated(), taken_keys(state), _chance)
    if wants_json():
        return json_response(_join_document(state, offered, refused=bool(why)), status, why)
    closed = ""
    try:
        require_open(state)
    except NotAllowed as error:
        closed = error.text
    page = JoinPage(
        code=state.code,
        title=state.classroom.title,
        nicknames=state.classroom.nicknames,
        real=state.classroom.real,
        days=state.classroom.days,
        offers=offered,
        receipt=sent_texts().get("receipt", "")[:64] or new_link(),
        typed_name=typed_name,
        refusal="" if why == closed else why,
        closed=closed,
        rejoining=rejoining,
    )
    response = render_page("class/join.html", status, page=page)
    if status == 429:  # noqa: PLR2004 - too many requests
        response.headers["Retry-After"] = "60"
    return response


def _join_document(state: ClassState, offered: tuple[str, ...], *, refused: bool) -> dict[str, Any]:
    """Return what a program needs to know to join a class."""
    if refused:
        return {"class": state.code, "offers": offered}
    return {
        "class": state.code,
        "title": state.classroom.title,
        "student": None,
        "nicknames": state.classroom.nicknames,
        "real": state.classroom.real,
        "offers": offered,
    }


def _welcome(state: ClassState) -> flask.Response:
    """Lead a student to their page, and remember the class in their browser."""
    remember_class(state.code)
    member = member_of(state, is_new=True)
    if member is None or member.student.state == "banned":
        return _banned(state)
    if wants_json():
        return student_page(state, member)
    return see_other(class_address(state.code))


def _banned(state: ClassState) -> flask.Response:
    """Say that the browser's student was banned."""
    return refusal(words.BANNED, 403, **{"class": state.code})


def _ask(state: ClassState, what: str) -> flask.Response:
    """Ask before a student leaves."""
    question, label = LEAVING[what]
    address, title = class_address(state.code), state.classroom.title
    fields = {"what": what}
    return ask(
        AskPage(title, question.fill(title=title), label, f"{address}/leave", fields, address)
    )
