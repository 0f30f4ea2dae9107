"""The pages for students: the field for a join code, the join form, and the student's own page."""

from contextlib import suppress
from typing import Any, Final

import flask
from flask import render_template, url_for
from flask.typing import ResponseReturnValue

from cardgames.cards import CardGameError
from cardgames.text import Text
from web import db
from web.classroom.bingo.queries import live_bingo
from web.classroom.bingo.rules import (
    Outcome,
    has_card,
    may_take_card,
    round_document,
    student_outcome,
)
from web.classroom.core import access, codes, forms, words
from web.classroom.core.access import ClassNotFound, NotAStudent, NotTheInstructor
from web.classroom.core.forms import NOT_REJECTED, Rejection
from web.classroom.core.models import Classroom, Student
from web.classroom.core.presence import answer_not_modified, record_visit, with_etag
from web.classroom.homework.queries import load_participants
from web.classroom.insight.queries import load_days
from web.classroom.insight.rules import TablePlay, play_by_period
from web.classroom.people import nicknames, students
from web.classroom.people.students import derive_rejoin_code, new_nicknames
from web.classroom.votes.queries import newest_vote
from web.http import probe
from web.http.addresses import query_int
from web.http.requests import form_fields, wants_json
from web.http.responses import error_response, json_response, see_other
from web.http.sessions import current_login, current_session

OUTCOME_FOR: Final = 3_600
"""Time, in seconds, for which a student's page shows the end of a round."""

RENAMED_FOR: Final = 3_600
"""Time, in seconds, for which a new nickname is announced to its student."""

LEAVE_QUESTIONS: Final = {
    "step-out": (
        Text("Step out of {title}? Nothing is counted until you step in again."),
        Text("Step out"),
    ),
    "step-in": (Text("Step in again?"), Text("Step in")),
    "browser": (
        Text(
            "Leave this browser to someone else? You stay in {title} as {name}, and nothing is "
            "lost. To come back, you need your nickname and your rejoin code, {code}."
        ),
        Text("Leave this browser"),
    ),
    "forget": (
        Text(
            "Forget you in {title}? Your nickname, your results and your real name are deleted "
            "immediately and cannot be restored."
        ),
        Text("Forget me"),
    ),
}
"""The ways to leave a class, each with its confirmation question and button."""

blueprint = flask.Blueprint("entry", __name__)
blueprint.before_request(answer_not_modified)


@blueprint.get("/class")
@blueprint.get("/j")
@blueprint.get("/J")
def show_entry() -> ResponseReturnValue:
    """Show the field for a join code, and the classes of this browser."""
    classes = load_browser_classes()
    if wants_json():
        joined = [
            {"class": classroom.code, "title": classroom.title, "name": student.name}
            for classroom, student, _ in classes
            if student
        ]
        return json_response({"classes": joined})
    return render_template("class/code.html", own_classes=classes, typed="", refusal="")


@blueprint.post("/class")
def go() -> ResponseReturnValue:
    """Redirect to the class with a join code."""
    code = codes.normalize_code(form_fields().get("code", ""))
    if codes.failed_codes() < codes.MAX_CODES and access.find_numbers(code) is not None:
        address = url_for(".show", code=code)
        return forms.redirect_or_json(address, {"class": code, "address": address})
    return _unknown_code_page(code, is_guess=True)


@blueprint.get("/j/<code>")
@blueprint.get("/J/<code>")
def join_address(code: str) -> flask.Response:
    """Redirect from the URL in a QR code to the class's page."""
    return see_other(url_for(".show", code=codes.normalize_code(code)))


def unknown_code(_: ClassNotFound | None = None) -> ResponseReturnValue:
    """Return the page for a code that does not belong to a class.

    The code is counted as a guess. A visitor without a session is not counted, because GET requests
    create no sessions.
    """
    code = codes.normalize_code((flask.request.view_args or {}).get("code", ""))
    return _unknown_code_page(code, is_guess=bool(current_session().is_kept))


def not_the_instructor(error: NotTheInstructor) -> flask.Response:
    """Return the page for a browser that has no access to the dashboard of a class."""
    return error_response(words.NOT_YOURS, 403, **{"class": error.class_code})


def not_a_student(error: NotAStudent) -> flask.Response:
    """Redirect a browser that has not joined the class to the page with the join form."""
    if wants_json():
        return json_response({"class": error.class_code}, 403, words.JOIN_FIRST)
    return see_other(url_for("entry.show", code=error.class_code))


def _unknown_code_page(code: str, *, is_guess: bool) -> ResponseReturnValue:
    """Return the page for a code without a class.

    The code is counted if it is a guess.
    """
    too_many = codes.failed_codes() >= codes.MAX_CODES
    if is_guess and not too_many:
        codes.count_failed_code()
    why = Text("Too many codes. Wait a minute.") if too_many else words.NO_SUCH_CODE.fill(code=code)
    status, headers = (429, {"Retry-After": "60"}) if too_many else (404, {})
    if wants_json():
        return json_response({}, status, why), headers
    page = render_template("class/code.html", typed=code[:12], refusal=why, own_classes=())
    return page, status, headers


def load_browser_classes() -> list[tuple[Classroom, Student | None, bool]]:
    """Return the classes of this browser, the newest first.

    For each class, the result contains the browser's student and whether the browser may open the
    dashboard.
    """
    notes, classes = codes.class_session(), []
    # Several classes are locked in a fixed order, to avoid deadlocks.
    for code in sorted({*notes.opened, *notes.joined}):
        with suppress(ClassNotFound):
            classroom = access.load_class(code)
            classes.append(
                (classroom, access.current_student(classroom), access.is_instructor(classroom))
            )
    classes.sort(key=lambda pair: (pair[0].closed, -pair[0].opened))
    return [entry for entry in classes if entry[1] or entry[2]]


def class_activity(classroom: Classroom, student: Student) -> dict[str, Any]:
    """Return the template variables of a class's page for a student."""
    seats = load_participants(classroom, student)[::-1]
    is_in = student.state == "in" and not classroom.closed
    return {
        "classroom": classroom,
        "student": student,
        "has_card": is_in and _has_card(classroom, student),
        "vote": newest_vote(classroom) if is_in and classroom.leads_to_vote else None,
        "tournaments": seats,
        "next_deal": min(
            (seat for seat in seats if seat.may_play),
            key=lambda seat: (not seat.tournament.due, seat.tournament.due),
            default=None,
        ),
        "played": next((seat for seat in seats if seat.is_done), None),
    }


@blueprint.get("/class/<code>")
def show(code: str) -> ResponseReturnValue:
    """Show the form to join a class, or the student's own page of the class."""
    classroom = access.load_class(code)
    student, asked = access.current_student_or_banned(classroom), flask.request.args.get("ask", "")
    if student is None:
        return _join_page(classroom)
    if student.state == "banned":
        return _banned(classroom)
    # Signed-on students must join in each browser, because rounds at the tables are stored per
    # browser.
    if classroom.asks_sign_on and classroom.code not in codes.class_session().joined:
        return _join_page(classroom)
    record_visit(classroom.code)
    waited_for, open_round = query_int("waits", 0), classroom.open_round
    if (
        waited_for
        and open_round
        and open_round.number >= waited_for
        and _has_card(classroom, student)
    ):
        return see_other(url_for("card.show", code=classroom.code))
    if asked in LEAVE_QUESTIONS and not wants_json():
        question, label = LEAVE_QUESTIONS[asked]
        values = {
            "title": classroom.title,
            "name": student.name,
            "code": derive_rejoin_code(student),
        }
        text = question.fill(**values)
        address = url_for(".leave_class", code=classroom.code)
        return forms.confirmation_page(classroom, text, label, address, what=asked)
    return with_etag(_student_page(classroom, student), classroom.etag())


@blueprint.post("/class/<code>/join")
def join_class(code: str) -> ResponseReturnValue:
    """Join a class, or show the reason for the form's rejection."""
    sent = {field: text.strip() for field, text in form_fields().items()}
    is_from_page = "receipt" in sent and not wants_json()
    try:
        students.require_seat(code, sent)
        forms.require(probe.stores_cookies() or not is_from_page, words.NO_COOKIES)
        return _welcome(*students.join(code, sent))
    except students.FullClass:
        return error_response(words.FULL, 422, **{"class": codes.normalize_code(code)})
    except CardGameError as error:
        rejection = forms.rejected(error, sent)
        return _join_page(access.load_class(code), rejection)


@blueprint.post("/class/<code>/rejoin")
def rejoin_class(code: str) -> ResponseReturnValue:
    """Rejoin as a student with a nickname and a rejoin code."""
    sent = form_fields()
    try:
        return _welcome(*students.rejoin(code, sent.get("name", ""), sent.get("code", "")))
    except students.WrongCode as error:
        # The wrong code is saved with the student, so the transaction is not rolled back.
        return _join_page(access.load_class(code), forms.Rejection(error.text, 422, sent))
    except CardGameError as error:
        rejection = forms.rejected(error, sent)
        return _join_page(access.load_class(code), rejection)


@blueprint.post("/class/<code>/leave")
def leave_class(code: str) -> ResponseReturnValue:
    """Suspend or resume participation, remove this browser, or delete the student."""
    sent = form_fields()
    try:
        choice = forms.choice_field(sent, "what", tuple(LEAVE_QUESTIONS))
        classroom, student = students.leave(code, choice)
    except CardGameError as error:
        rejection = forms.rejected(error, sent)
        return _join_page(access.load_class(code), rejection)
    if student:
        return _welcome(classroom, student)
    codes.forget_class(classroom.code)
    if choice == "forget":
        db.scrub_after_commit()
    address = url_for(".go") if choice == "forget" else url_for(".show", code=classroom.code)
    return forms.redirect_or_json(address, {"class": classroom.code, "student": None})


@blueprint.get("/class/<code>/join")
@blueprint.get("/class/<code>/rejoin")
@blueprint.get("/class/<code>/leave")
def show_form(code: str) -> flask.Response:
    """Redirect from a form's URL to the form's page.

    A browser shows the form's URL after a rejection.
    """
    return see_other(url_for(".show", code=codes.normalize_code(code)))


def _welcome(classroom: Classroom, student: Student) -> ResponseReturnValue:
    """Redirect a student to their page of the class.

    The class is saved as the student's newest class.
    """
    codes.remember_class(classroom.code, student.number)
    if student.state == "banned":
        return _banned(classroom)
    if wants_json():
        return _student_page(classroom, student)
    return see_other(url_for(".show", code=classroom.code))


def _banned(classroom: Classroom) -> flask.Response:
    return error_response(words.BANNED, 403, **{"class": classroom.code})


def _student_page(classroom: Classroom, student: Student) -> ResponseReturnValue:
    rejoin_code = "" if classroom.asks_sign_on else derive_rejoin_code(student)
    if wants_json():
        you = {"number": student.number, "name": student.name, "rejoin": rejoin_code}
        you["state"] = student.state
        document = {"student": you, "round": round_document(live_bingo(classroom))}
        return json_response(classroom.document | document)
    days = load_days(student)
    waits = not (classroom.open_round or classroom.closed) and student.state == "in"
    return render_template(
        "class/class.html",
        **class_activity(classroom, student),
        rejoin=rejoin_code,
        is_renamed=classroom.now - student.renamed < RENAMED_FOR,
        waits_for=classroom.round_number + 1 if waits else 0,
        outcome=_outcome(classroom, student) if waits else None,
        at_tables=TablePlay.of(days),
        numbers=[*play_by_period(days, classroom.now)] if days else (),
        leads=access.is_instructor(classroom),
        renews=waits and "still" not in flask.request.args,
    )


def _outcome(classroom: Classroom, student: Student) -> Outcome | None:
    """Return the end of the newest round, as seen by a student, or None.

    The page shows the end for an hour.
    """
    newest = classroom.newest_round
    if newest is None or newest.ended is None or classroom.now - newest.ended > OUTCOME_FOR:
        return None
    live = live_bingo(classroom)
    return student_outcome(live, student) if live else None


def _has_card(classroom: Classroom, student: Student) -> bool:
    """Return whether a student has a card in an open round, or can get a card in it."""
    return has_card(classroom, student) or may_take_card(classroom, student)


def _join_page(classroom: Classroom, rejection: Rejection = NOT_REJECTED) -> ResponseReturnValue:
    """Return the join form of a class, or the form's fields as JSON."""
    offered, why = new_nicknames(classroom), rejection.text
    known = access.current_student(classroom) if classroom.asks_sign_on else None
    if wants_json():
        about = {} if why else _join_document(classroom, known)
        document = {"class": classroom.code, "offers": offered, **about}
        return forms.json_page(document, rejection)
    closed = students.why_closed(classroom) or ""
    page = forms.form_page(
        "class/join.html",
        rejection._replace(text="" if why == closed else why),
        classroom=classroom,
        offers=offered,
        known=known,
        receipt=form_fields().get("receipt", "")[: students.MAX_RECEIPT] or codes.new_link(),
        closed=closed,
        rejoining=flask.request.endpoint == "entry.rejoin_class",
        login=current_login() if classroom.asks_sign_on else "",
        leads=access.is_instructor(classroom),
        nickname_rule=nicknames.NICKNAME_RULE,
        max_name=nicknames.MAX_LENGTH,
        max_real=nicknames.MAX_REAL_LENGTH,
    )
    return probe.with_probe(flask.make_response(page))


def _join_document(classroom: Classroom, known: Student | None) -> dict[str, Any]:
    """Return the fields of the join form as JSON."""
    about = {"nicknames": classroom.nicknames, "real": classroom.real, "student": None}
    return {"title": classroom.title, **about} | ({"known": known.name} if known else {})
