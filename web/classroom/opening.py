"""Becoming an instructor, and opening a class."""

import hmac
import time
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import flask
import msgspec
from werkzeug.exceptions import Forbidden, NotFound, ServiceUnavailable

from cardgames.text import Text
from web.classroom import words
from web.classroom.access import browser_of, instructor, keep_instructor
from web.classroom.changes import MAX_STUDENTS, Change
from web.classroom.codes import link_hash, new_code, new_link
from web.classroom.entry import class_address
from web.classroom.model import (
    DEFAULT_LIFE,
    DEFAULT_STUDENTS,
    LIVES,
    MAX_DASHBOARDS,
    NICKNAMES,
    REAL_NAMES,
    Classroom,
    Dashboard,
)
from web.classroom.moves import NotAllowed, chosen, next_number, number_from
from web.classroom.state import MAX_ATTEMPTS, class_store, commit, load_class
from web.http.requests import sent_texts, wants_json
from web.http.responses import json_response, render_page, see_other
from web.storage.sessions import retry_on_conflict

MAX_TITLE: Final = 60
MAX_OPEN: Final = 20
"""So many classes of an instructor are open at a time."""

MAX_A_DAY: Final = 5
"""So many classes anybody may open in a day, where anybody may."""

INSTRUCTOR_LINK: Final = 1_800
"""Number of seconds for which the link for an instructor is good."""

BAD_PASSWORD: Final = Text("That is not the instructors' password.")
TOO_MANY_TRIES: Final = Text("Too many tries. Wait a minute.")
LINK_OVER: Final = Text("This link has been used already, or its time is over. Ask for a new one.")
NOT_AN_INSTRUCTOR: Final = Text("Only an instructor can open a class.")
TOO_MANY_OPEN: Final = Text(
    "You have {most} open classes. Close or forget one of them first.", most=MAX_OPEN
)
TOO_MANY_TODAY: Final = Text(
    "You have opened {most} classes today. Go on tomorrow.", most=MAX_A_DAY
)

_DAY: Final = 86_400

blueprint = flask.Blueprint("class-opening", __name__)


class Link(msgspec.Struct, frozen=True, array_like=True):
    """What a one-time link is good for."""

    kind: Literal["instructor", "dashboard"]
    code: str
    """The class's, for a dashboard."""

    is_listed: bool = False
    """Whether the class lists it, so that it is good only until it is taken back."""


@dataclass(frozen=True, slots=True)
class InstructorPage:
    """The page on which a browser becomes an instructor's."""

    token: str
    """Of the link that was opened; empty without one."""

    has_password: bool
    is_instructor: bool
    title: str
    """Of the class whose dashboard the link is for; empty for none."""

    refusal: str = ""


@dataclass(frozen=True, slots=True)
class OpeningPage:
    """The form of a new class."""

    typed: Mapping[str, str]
    refusal: str
    most: int

    @property
    def lives(self) -> tuple[int, ...]:
        """How many days it may live."""
        return LIVES


@blueprint.get("/class/instructor")
def show_instructor() -> flask.Response:
    """Say how to become an instructor, or where to go on."""
    return _instructor_page()


@blueprint.get("/class/instructor/<token>")
def show_link(token: str) -> flask.Response:
    """Show one button: looking at a link does not use it up."""
    data = class_store().links.find(link_hash(token))
    if data is None:
        return _instructor_page(status=404, refusal=LINK_OVER)
    return _instructor_page(token, _title_of(msgspec.msgpack.decode(data, type=Link)))


@blueprint.post("/class/instructor")
@retry_on_conflict
def use_password() -> flask.Response:
    """Make a browser an instructor's that knows the password."""
    password: str = flask.current_app.config["INSTRUCTOR_PASSWORD"]
    if not password:
        raise NotFound
    sent = sent_texts().get("password", "")
    is_right = hmac.compare_digest(sent.encode(), password.encode())
    match class_store().passwords.may_pass(is_right=is_right):
        case None:
            return _instructor_page(status=429, refusal=TOO_MANY_TRIES)
        case False:
            return _instructor_page(status=403, refusal=BAD_PASSWORD)
    return _welcome()


@blueprint.post("/class/instructor/<token>")
@retry_on_conflict
def use_link(token: str) -> flask.Response:
    """Use a link up: make the browser an instructor's, or give it a class's dashboard."""
    if "class_link" not in flask.g:  # this view is run again when the session was saved meanwhile
        flask.g.class_link = class_store().links.take(link_hash(token))
    if flask.g.class_link is None:
        return _instructor_page(status=404, refusal=LINK_OVER)
    link = msgspec.msgpack.decode(flask.g.class_link, type=Link)
    if link.kind == "instructor":
        return _welcome()
    if not _hand_over(link, link_hash(token)):
        return _instructor_page(status=404, refusal=LINK_OVER)
    keep_instructor(instructor())  # so that the session, and with it the cookie, lasts
    address = f"{class_address(link.code)}/dashboard"
    if wants_json():
        return json_response({"class": link.code, "dashboard": address})
    return see_other(address)


def make_link(link: Link, lifetime: int, token: str = "") -> str:
    """Make a one-time link.

    Args:
        link: what it is good for.
        lifetime: for how many seconds.
        token: what stands in its address; a new one by default.

    Returns:
        its address below the root.
    """
    token = token or new_link()
    class_store().links.keep(link_hash(token), msgspec.msgpack.encode(link), lifetime)
    return f"/class/instructor/{token}"


def _hand_over(link: Link, key: str) -> bool:
    """Give the browser that asks the dashboard of a class; return False if it was taken back.

    Args:
        link: what was opened.
        key: the hash of its token.
    """
    for _ in range(MAX_ATTEMPTS):
        state = load_class(link.code)
        classroom, browser = state.classroom, browser_of(link.code)
        if browser in classroom.instructors:
            return True
        listed = next((one for one in classroom.dashboards if one.link == key), None)
        if link.is_listed and listed is None:
            return False
        made = listed or Dashboard(next_number(classroom), state.counters.now, "")
        others = tuple(one for one in classroom.dashboards if one != listed)
        dashboards = (*others, msgspec.structs.replace(made, browser=browser))[-MAX_DASHBOARDS:]
        classroom = msgspec.structs.replace(classroom, dashboards=dashboards)
        if commit(state, Change(classroom=classroom)):
            return True
    raise ServiceUnavailable


def _welcome() -> flask.Response:
    """Make the browser an instructor's."""
    keep_instructor(msgspec.structs.replace(instructor(), allowed=True))
    if wants_json():
        return json_response({"instructor": True})
    return see_other(f"{flask.request.script_root}/class/new")


def _instructor_page(
    token: str = "", title: str = "", *, status: int = 200, refusal: str = ""
) -> flask.Response:
    config = flask.current_app.config
    if wants_json():
        answer = {} if refusal else {"instructor": instructor().allowed}
        response = json_response(answer, status, refusal)
    else:
        page = InstructorPage(
            token=token,
            has_password=bool(config["INSTRUCTOR_PASSWORD"]),
            is_instructor=instructor().allowed or config["CLASSES"] == "open",
            title=title,
            refusal=refusal,
        )
        response = render_page("class/instructor.html", status, page=page)
    if status == 429:  # noqa: PLR2004 - too many requests
        response.headers["Retry-After"] = "60"
    return response


def _title_of(link: Link) -> str:
    return load_class(link.code).classroom.title if link.kind == "dashboard" else ""


# ---- Opening a class -----------------------------------------------------------------------


@blueprint.get("/class/new")
def form() -> flask.Response:
    """Show the form of a new class."""
    if not _may_open():
        return see_other(f"{flask.request.script_root}/class/instructor")
    return _form()


@blueprint.post("/class/new")
@retry_on_conflict
def open_class() -> flask.Response:
    """Open a class and go to its dashboard, or say why not."""
    if not _may_open():
        if wants_json():
            return json_response({}, 403, NOT_AN_INSTRUCTOR)
        raise Forbidden
    sent = sent_texts()
    kept, today = instructor(), int(time.time()) // _DAY
    count = kept.today if kept.day == today else 0
    if not kept.allowed and count >= MAX_A_DAY:
        return _form(sent, 429, TOO_MANY_TODAY)
    still_open = tuple(code for code in kept.opened if _is_open(code))
    if len(still_open) >= MAX_OPEN:
        return _form(sent, 422, TOO_MANY_OPEN)
    if "class_opened" not in flask.g:  # this view is run again when the session was saved meanwhile
        try:
            flask.g.class_opened = _opened(sent)
        except NotAllowed as error:
            return _form(sent, 422, error.text)
    code: str = flask.g.class_opened
    keep_instructor(
        msgspec.structs.replace(kept, opened=(*still_open, code), day=today, today=count + 1)
    )
    address = class_address(code)
    if wants_json():
        dashboard = f"{address}/dashboard"
        return json_response({"class": code, "address": address, "dashboard": dashboard})
    return see_other(f"{address}/dashboard")


def _may_open() -> bool:
    return flask.current_app.config["CLASSES"] == "open" or instructor().allowed


def _is_open(code: str) -> bool:
    """Say whether a class is still there, and not closed."""
    stored = class_store().load(code)
    return stored is not None and not stored.classroom.closed


def _opened(sent: Mapping[str, str]) -> str:
    """Keep a new class under a code of its own, and return that.

    Raises:
        NotAllowed: a field makes no sense.
    """
    title = " ".join(unicodedata.normalize("NFKC", sent.get("title", "")).split())
    if not 1 <= len(title) <= MAX_TITLE or not title.isprintable():
        raise NotAllowed(words.NO_TITLE.fill(most=MAX_TITLE))
    students = sent.get("students", "").strip() or str(DEFAULT_STUDENTS)
    limit = number_from(students, "students", 1, MAX_STUDENTS)
    days = int(chosen(sent, "days", LIVES, str(DEFAULT_LIFE)))
    now = time.time()
    for _ in range(MAX_ATTEMPTS):
        code = new_code()
        fields = (
            *(title, chosen(sent, "nicknames", NICKNAMES, NICKNAMES[0])),
            *(chosen(sent, "real", REAL_NAMES, REAL_NAMES[0]), limit, days, now),
            browser_of(code),
        )
        classroom = msgspec.convert(fields, Classroom)
        if class_store().create(code, classroom, int(now) + days * _DAY):
            return code
    raise ServiceUnavailable


def _form(
    typed: Mapping[str, str] | None = None, status: int = 200, refusal: str = ""
) -> flask.Response:
    if wants_json():
        return json_response({} if refusal else {"instructor": True}, status, refusal)
    page = OpeningPage(typed or {}, refusal, MAX_STUDENTS)
    return render_page("class/new.html", status, page=page)
