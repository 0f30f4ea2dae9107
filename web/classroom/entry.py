"""``/class`` and ``/j``: a field for the code, and the classes of this browser."""

from dataclasses import dataclass

import flask

from web.classroom import words
from web.classroom.access import (
    NotAStudent,
    NotTheInstructor,
    count_wrong,
    known_classes,
    may_guess,
    student_of,
)
from web.classroom.codes import is_code, tidy_code
from web.classroom.state import NoClass, class_store, load_class
from web.http.requests import sent_texts, wants_json
from web.http.responses import json_response, refusal, render_page, see_other
from web.storage.sessions import current_session, retry_on_conflict

blueprint = flask.Blueprint("class-entry", __name__)


@dataclass(frozen=True, slots=True)
class KnownClass:
    """A class that this browser has joined."""

    code: str
    title: str
    name: str
    """The nickname there."""


@dataclass(frozen=True, slots=True)
class EntryPage:
    """The page that asks for a code."""

    typed: str
    refusal: str
    known: tuple[KnownClass, ...]


@blueprint.get("/class")
def show() -> flask.Response:
    """Show the field for a code, and the classes of this browser."""
    return entry_page()


@blueprint.post("/class")
@retry_on_conflict
def go() -> flask.Response:
    """Go to the class of a code."""
    code = tidy_code(sent_texts().get("code", ""))
    if not may_guess():
        return entry_page(code, words.TOO_MANY_CODES, 429)
    if not is_code(code) or class_store().counters(code) is None:
        count_wrong()
        return entry_page(code, words.NO_SUCH_CODE.fill(code=code), 404)
    address = class_address(code)
    if wants_json():
        return json_response({"class": code, "address": address})
    return see_other(address)


@blueprint.get("/j")
@blueprint.get("/J")
def short() -> flask.Response:
    """Show the same at an address that is short enough to type."""
    return entry_page()


@blueprint.get("/j/<code>")
@blueprint.get("/J/<code>")
def join_address(code: str) -> flask.Response:
    """Lead from what a QR code holds to its class."""
    return see_other(class_address(tidy_code(code)))


@retry_on_conflict
def unknown_code(_: NoClass | None = None) -> flask.Response:
    """Say that there is no such class, and count who guesses.

    A visitor without a session is not counted: looking makes nobody one.
    """
    code = tidy_code((flask.request.view_args or {}).get("code", ""))
    if not may_guess():
        return entry_page(code, words.TOO_MANY_CODES, 429)
    if current_session().version:
        count_wrong()
    return entry_page(code, words.NO_SUCH_CODE.fill(code=code), 404)


def not_the_instructor(error: NotTheInstructor) -> flask.Response:
    """Answer somebody who does not hold the dashboard of a class."""
    return refusal(words.NOT_YOURS, 403, **{"class": error.class_code})


def not_a_student(error: NotAStudent) -> flask.Response:
    """Lead whoever has not joined to the class's page, which says how."""
    if wants_json():
        return json_response({"class": error.class_code}, 403, words.JOIN_FIRST)
    return see_other(class_address(error.class_code))


def entry_page(typed: str = "", why: str = "", status: int = 200) -> flask.Response:
    """Answer with the field for a code.

    Args:
        typed: what was sent.
        why: why it leads nowhere.
        status: the answer's.
    """
    known = tuple(_known()) if not why else ()
    if wants_json():
        listed = [{"class": one.code, "title": one.title, "name": one.name} for one in known]
        response = json_response({} if why else {"classes": listed}, status, why)
    else:
        page = EntryPage(typed[:12], why, known)
        response = render_page("class/code.html", status, page=page)
    if status == 429:  # noqa: PLR2004 - too many requests
        response.headers["Retry-After"] = "60"
    return response


def class_address(code: str) -> str:
    """Return the address of a class."""
    return f"{flask.request.script_root}/class/{code}"


def _known() -> list[KnownClass]:
    """Return the classes of this browser that are still there, the newest first."""
    found = []
    for code in reversed(known_classes()):
        try:
            state = load_class(code)
        except NoClass:
            continue
        if member := student_of(state):
            found.append(KnownClass(state.code, state.classroom.title, member.student.name))
    return found
