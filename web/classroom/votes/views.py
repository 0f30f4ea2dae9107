"""``/class/CODE/vote``: the page on which students answer a vote.

Students see the totals of everyone's answers only when the instructor shows them.
"""

from collections.abc import Mapping
from functools import partial

import flask
from flask import url_for
from flask.typing import ResponseReturnValue

from cardgames.cards import CardGameError
from web.classroom.bingo.rules import has_card
from web.classroom.core import access, forms
from web.classroom.core.forms import NOT_REJECTED, Rejection
from web.classroom.core.models import Classroom, Student
from web.classroom.core.presence import answer_not_modified, record_visit, with_etag
from web.classroom.votes.models import CONFIDENCE_LEVELS, Vote, VoteAnswer
from web.classroom.votes.queries import answers_to, newest_vote, save_answer
from web.classroom.votes.rules import checked_answer
from web.http.requests import form_fields, wants_json
from web.http.responses import see_other

blueprint = flask.Blueprint("votes", __name__)
blueprint.before_request(answer_not_modified)


@blueprint.get("/class/<code>/vote")
def show(code: str) -> ResponseReturnValue:
    """Show the newest vote and the student's answer."""
    classroom = access.load_class(code)
    student = access.current_student(classroom)
    if student is None and access.is_instructor(classroom):
        return see_other(url_for("asking.show", code=classroom.code))
    if student is None:
        raise access.NotAStudent(classroom.code)
    record_visit(classroom.code)
    vote = newest_vote(classroom)
    page = _page(classroom, student, vote, answers_to(vote, student))
    return with_etag(page, classroom.etag())


def _page(
    classroom: Classroom,
    student: Student,
    vote: Vote | None,
    answers: Mapping[int, VoteAnswer],
    rejection: Rejection = NOT_REJECTED,
) -> ResponseReturnValue:
    """Return the page of a vote with a student's answers, keyed by ballot."""
    if wants_json():
        yours = {str(ballot): answer.document() for ballot, answer in answers.items()}
        document = {"vote": vote and vote.document(), "yours": yours}
        return forms.json_page(classroom.document | document, rejection)
    may_answer = bool(vote and vote.is_open) and student.state == "in"
    has_answered = bool(vote and vote.ballot in answers)
    return forms.form_page(
        "class/vote.html",
        rejection,
        classroom=classroom,
        vote=vote,
        answers=answers,
        sure=CONFIDENCE_LEVELS,
        may_answer=may_answer,
        has_card=has_card(classroom, student),
        renews=not (may_answer and not has_answered) and "still" not in flask.request.args,
    )


@blueprint.post("/class/<code>/vote")
def answer(code: str) -> ResponseReturnValue:
    """Save the student's answer, or show the vote with an error message."""
    sent = form_fields()
    classroom, student = access.load_class_as_student(code)
    vote = newest_vote(classroom)
    answers = answers_to(vote, student)
    try:
        checked = checked_answer(classroom, student, vote, sent)
    except CardGameError as error:
        return _page(classroom, student, vote, answers, forms.rejected(error, sent))
    answers = save_answer(answers, checked)
    page = partial(_page, classroom, student, vote, answers)
    return forms.accepted(url_for(".show", code=classroom.code), page)
