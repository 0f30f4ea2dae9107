"""``/class/CODE/vote``: where students answer.

Sums are all that anybody sees of answers but one's own, and only when the instructor shows them.
"""

import flask
from flask import url_for
from flask.typing import ResponseReturnValue

from cardgames.text import Text
from web import db
from web.classroom.bingo.rules import has_card
from web.classroom.core import access, forms
from web.classroom.core.forms import NotAllowed, OutOfDate
from web.classroom.core.models import Classroom, Student
from web.classroom.core.presence import answer_known_page, note_visit
from web.classroom.votes.models import SURE, Vote, VoteAnswer, answers_of, newest_vote
from web.http.requests import sent_texts, wants_json
from web.http.responses import see_other

blueprint = flask.Blueprint("votes", __name__)
blueprint.before_request(answer_known_page)


@blueprint.get("/class/<code>/vote")
def show(code: str) -> ResponseReturnValue:
    """Show the newest vote and what the student has answered."""
    classroom = access.load_class(code)
    student = access.own_student(classroom)
    if student is None and access.is_instructor(classroom):
        return see_other(url_for("asking.show", code=classroom.code))
    if student is None:
        raise access.NotAStudent(classroom.code)
    note_visit(classroom.code)
    asked = newest_vote(classroom)
    given = answers_of(classroom.code, student.number) if asked else ()
    answers = {one.ballot: one for one in given if asked and one.vote == asked.number}
    if wants_json():
        yours = {str(ballot): answer.document() for ballot, answer in answers.items()}
        vote = asked and asked.document()
        return forms.json_page(classroom.document | {"vote": vote, "yours": yours})
    may_answer = bool(asked and asked.is_open) and student.state == "in"
    has_answered = bool(asked and asked.ballot in answers)
    return flask.render_template(
        "class/vote.html",
        classroom=classroom,
        vote=asked,
        answers=answers,
        sure=SURE,
        may_answer=may_answer,
        has_card=has_card(classroom, student),
        renews=not (may_answer and not has_answered) and "still" not in flask.request.args,
    )


@blueprint.post("/class/<code>/vote")
def vote(code: str) -> ResponseReturnValue:
    """Keep what the student answers, or refuse it and show the vote as it stands."""
    (classroom, student), sent = access.joined_class(code), sent_texts()
    asked = _open_vote(classroom, student, sent)
    given = VoteAnswer(class_code=classroom.code, vote=asked.number, student=student.number)
    given.ballot, given.choice = asked.ballot, forms.chosen(sent, "choice", (*asked.choices,))
    given.sure = int(forms.chosen(sent, "sure", (*SURE,)))
    db.session().merge(given)  # in place of an earlier answer
    return forms.lead_back(show)


def _open_vote(classroom: Classroom, student: Student, sent: dict[str, str]) -> Vote:
    """Return the vote that a form answers.

    Raises:
        CardGameError: it is not open, or another.
    """
    asked = newest_vote(classroom)
    forms.require(student.state == "in", Text("You have stepped out: step in again to vote."))
    if asked is None or classroom.closed:
        raise NotAllowed(Text("No vote is open."))
    if (sent.get("vote"), sent.get("ballot")) != (str(asked.number), str(asked.ballot)):
        raise OutOfDate(Text("That was another vote. This is the one that is open."))
    if not asked.is_open:
        raise OutOfDate(Text("The vote has closed. What you answered before counts."))
    return asked


forms.refusing(blueprint, show)
