"""``/class`` and ``/j``: a field for the code, and the classes of this browser."""

from collections.abc import Iterator

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
from web.classroom.answers import class_address
from web.classroom.codes import is_code, tidy_code
from web.classroom.state import NoClass, class_store, load_class
from web.http.requests import sent_texts, wants_json
from web.http.responses import json_response, refusal, render_page, see_other
from web.storage.sessions import current_session, retry_on_conflict

blueprint = flask.Blueprint("class-entry", __name__)


@blueprint.get("/class")
@blueprint.get("/j")
@blueprint.get("/J")
def show() -> flask.Response:
    """Show the field for a code, and the classes of this browser."""
    known = [*_known()]
    if wants_json():
        keys = ("class", "title", "name")
        return json_response({"classes": [dict(zip(keys, one, strict=True)) for one in known]})
    return render_page("class/code.html", known=known, typed="", refusal="")


@blueprint.post("/class")
@retry_on_conflict
def go() -> flask.Response:
    """Go to the class of a code."""
    code = tidy_code(sent_texts().get("code", ""))
    if may_guess() and is_code(code) and class_store().counters(code) is not None:
        address = class_address(code)
        if wants_json():
            return json_response({"class": code, "address": address})
        return see_other(address)
    return _leads_nowhere(code, is_guess=True)


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
    return _leads_nowhere(code, is_guess=bool(current_session().version))


def not_the_instructor(error: NotTheInstructor) -> flask.Response:
    """Answer a browser that does not hold the dashboard of a class."""
    return refusal(words.NOT_YOURS, 403, **{"class": error.class_code})


def not_a_student(error: NotAStudent) -> flask.Response:
    """Lead a browser that has not joined to the class's page, which says how."""
    if wants_json():
        return json_response({"class": error.class_code}, 403, words.JOIN_FIRST)
    return see_other(class_address(error.class_code))


def _leads_nowhere(code: str, *, is_guess: bool) -> flask.Response:
    """Answer to a code that no class has, and count it if it is a guess."""
    too_many = not may_guess()
    if is_guess and not too_many:
        count_wrong()
    why = words.TOO_MANY_CODES if too_many else words.NO_SUCH_CODE.fill(code=code)
    status = 429 if too_many else 404
    if wants_json():
        response = json_response({}, status, why)
    else:
        response = render_page("class/code.html", status, typed=code[:12], refusal=why, known=())
    if too_many:
        response.headers["Retry-After"] = "60"
    return response


def _known() -> Iterator[tuple[str, str, str]]:
    """Yield the classes of this browser that are still there, the newest first.

    Of each its code, its title, and the nickname there.
    """
    for code in reversed(known_classes()):
        try:
            state = load_class(code)
        except NoClass:
            continue
        if member := student_of(state):
            yield state.code, state.classroom.title, member.student.name
