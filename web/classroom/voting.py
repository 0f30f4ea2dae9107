"""``/class/CODE/vote``, where students answer, and ``/class/CODE/votes``, where they are asked.

An instructor opens a vote, closes it, lets the class talk, has it vote again and shows what is
right, with one press each. Sums are all that anybody sees of answers but
one's own, and only when the instructor shows them.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import flask
from flask import url_for
from flask.typing import ResponseReturnValue

from cardgames.cards import CardGameError
from cardgames.text import Text
from web import db
from web.classroom import access, forms, misconceptions, questions, words
from web.classroom.forms import ClassMove, MoveRequest, NotAllowed, Options, OutOfDate, csv_response
from web.classroom.misconceptions import CostlyDecision
from web.classroom.models import Classroom, Student
from web.classroom.presence import answer_known_page, note_presence
from web.classroom.questions import Position, Question
from web.classroom.students import has_card
from web.classroom.tournaments import TABLES
from web.classroom.votes import (
    SURE,
    Answer,
    Vote,
    answered,
    count_answers,
    count_changes,
    keep_answer,
    may_ask,
    newest_vote,
    own_answers,
    votes_in,
)
from web.http.downloads import Cell
from web.http.requests import sent_texts, wants_json
from web.http.responses import see_other
from web.http.sessions import renew_session

MAX_COSTLY: Final = 6
"""Maximum number of the class's costliest mistakes that are offered."""

NO_VOTE: Final = Text("No vote is open.")
VOTE_CLOSED: Final = Text("The vote has closed. What you answered before counts.")
OTHER_VOTE: Final = Text("That was another vote. This is the one that is open.")
STEPPED_OUT: Final = Text("You have stepped out: step in again to vote.")

_LINKED: Final = ("table", "hand", "upcard", "rule")
"""The fields that a link to the page of an instructor fills in."""

_CODE_FIELDS: Final = ("rule", "code", "a", "b", "c")
_LETTERS: Final = _CODE_FIELDS[2:]

blueprint = flask.Blueprint("votes", __name__)
blueprint.before_request(answer_known_page)


@blueprint.get("/class/<code>/vote")
def show(code: str) -> ResponseReturnValue:
    """Show the newest vote and what the student has answered."""
    classroom = access.load_class(code)
    if access.own_student(classroom) is None and access.is_instructor(classroom):
        return see_other(url_for(".show_all", code=classroom.code))
    student = access.require_student(classroom)
    renew_session()
    note_presence(classroom.code)
    asked = newest_vote(classroom)
    answers = own_answers(classroom.code, student.number).get(asked.number, {}) if asked else {}
    if wants_json():
        yours = {str(ballot): answer._asdict() for ballot, answer in answers.items()}
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
    classroom, sent = access.load_class(code), sent_texts()
    student = access.require_student(classroom)
    asked = _open_vote(classroom, student, sent)
    choice = forms.chosen(sent, "choice", tuple(asked.choices))
    keep_answer(asked, student.number, Answer(choice, int(forms.chosen(sent, "sure", tuple(SURE)))))
    return forms.lead_back(show)


def _open_vote(classroom: Classroom, student: Student, sent: dict[str, str]) -> Vote:
    """Return the vote that a form answers.

    Raises:
        CardGameError: it is not open, or another.
    """
    asked = newest_vote(classroom)
    forms.require(student.state == "in", STEPPED_OUT)
    if asked is None or classroom.closed:
        raise NotAllowed(NO_VOTE)
    if (sent.get("vote"), sent.get("ballot")) != (str(asked.number), str(asked.ballot)):
        raise OutOfDate(OTHER_VOTE)
    if not asked.is_open:
        raise OutOfDate(VOTE_CLOSED)
    return asked


class Offer(NamedTuple):
    """A mistake of the class on which it can vote."""

    decision: CostlyDecision
    position: Position


@blueprint.get("/class/<code>/votes")
def show_all(code: str) -> ResponseReturnValue:
    """Show the vote that is on, and what can be voted on; the class lives on from now."""
    classroom = access.visited_class(code)
    votes = votes_in(classroom.code)
    asked = votes[-1] if votes else None
    moves = {move.name: move for move in vote_moves(classroom, asked)}
    if wants_json():
        return forms.json_page(_document(classroom, votes, moves))
    linked = {field: flask.request.args.get(field, "")[:80] for field in _LINKED}
    return flask.render_template(
        "class/votes.html",
        classroom=classroom,
        version=classroom.etag("dashboard"),
        vote=asked,
        answered=answered(asked) if asked else 0,
        sure=SURE,
        before=[vote for vote in votes[:-1] if vote.is_solved][::-1],
        moves=moves,
        offers=[*_offers(classroom)] if "ask" in moves else (),
        puzzles=questions.puzzle_positions(len(votes)) if "ask" in moves else (),
        typed=forms.form_context()["typed"]
        or {name: text for name, text in linked.items() if text},
    )


@blueprint.post("/class/<code>/votes")
def move(code: str) -> ResponseReturnValue:
    """Make one of the instructor's moves, or refuse it."""
    made = forms.make_move(code, lambda classroom: vote_moves(classroom, newest_vote(classroom)))
    return made or forms.lead_back(show_all)


@blueprint.errorhandler(CardGameError)
def refused(error: CardGameError) -> flask.Response:
    """Show the page of a form that was refused."""
    page = show if flask.request.endpoint == "votes.vote" else show_all
    return forms.refuse(error, partial(page, **(flask.request.view_args or {})))


def _document(
    classroom: Classroom, votes: Sequence[Vote], moves: Mapping[str, ClassMove]
) -> dict[str, Any]:
    """Return the votes of a class as JSON for its instructor."""
    asked = votes[-1] if votes else None
    return {
        "class": classroom.code,
        "title": classroom.title,
        "step": classroom.step,
        "vote": asked and asked.document() | {"answered": answered(asked)},
        "votes": [vote.document() for vote in votes],
        "moves": [move.document() for move in moves.values()],
    }


# ---- What an instructor does ---------------------------------------------------------------------


def vote_moves(classroom: Classroom, vote: Vote | None) -> Iterator[ClassMove]:
    """Yield the moves about the newest vote, and about another, that are possible now.

    Each puts the vote on the big screen.
    """
    if classroom.closed:
        return
    if vote and vote.is_open:
        yield ClassMove("close-vote", Text("Close the vote"), partial(_write, vote, is_open=False))
        return
    if vote and not vote.is_solved:
        if vote.ballot == 1:
            again = partial(_count_and_write, vote, ballot=2, is_open=True, has_bars=False)
            yield ClassMove("second", Text("Vote again"), again)
        if not vote.has_bars:
            shown = partial(_count_and_write, vote, has_bars=True)
            yield ClassMove("bars", Text("Show the bars"), shown)
        yield ClassMove("solve", Text("Show what is right"), partial(_solve, vote))
    if may_ask(classroom, vote):
        number = vote.number + 1 if vote else 1
        hand: dict[str, Options] = {"table": TABLES, "hand": None, "upcard": None}
        yield ClassMove("ask", Text("Open the vote"), partial(_ask, number), hand)
        letters = {letter: letter for letter in _LETTERS}
        code = {**dict.fromkeys(_CODE_FIELDS), "right": letters}
        yield ClassMove("ask-code", Text("Open the vote"), partial(_ask_code, number), code)


def _ask(number: int, request: MoveRequest) -> None:
    table, sent = request.choice("table"), request.fields
    _open(number, request, questions.posed(table, sent.get("hand", ""), sent.get("upcard", "")))


def _ask_code(number: int, request: MoveRequest) -> None:
    rule, code, *answers = (request.fields.get(field, "") for field in _CODE_FIELDS)
    _open(number, request, questions.code_question(rule, code, answers, request.choice("right")))


def _open(number: int, request: MoveRequest, question: Question) -> None:
    # The big screen has one thing to show.
    forms.require(request.classroom.open_round is None, words.ROUND_IS_ON)
    made = Vote(
        class_code=request.classroom.code, number=number, opened=request.now, question=question
    )
    db.session().add(made)
    db.session().flush()
    access.save_move(request.classroom, vote_phase=made.phase, show="vote")


def _write(vote: Vote, request: MoveRequest, **changes: Any) -> None:
    """Write the newest vote anew."""
    for name, value in changes.items():
        setattr(vote, name, value)
    access.save_move(request.classroom, vote_phase=vote.phase, show="vote")


def _count_and_write(vote: Vote, request: MoveRequest, **changes: Any) -> None:
    """Count the ballot, now that it has closed, and write the newest vote anew."""
    count_answers(vote)
    _write(vote, request, **changes)


def _solve(vote: Vote, request: MoveRequest) -> None:
    count_changes(vote)
    _count_and_write(vote, request, is_solved=True)


def _offers(classroom: Classroom) -> Iterator[Offer]:
    """Yield the class's costliest mistakes on which it can vote, at all tables."""
    every = [one for table in misconceptions.insight_of(classroom).values() for one in table.costly]
    costliest = sorted(every, key=lambda one: -one.mistake.cost)[:MAX_COSTLY]
    for decision in misconceptions.with_replays(classroom, "all", costliest):
        if position := misconceptions.position_of(decision.slug, decision.mistake):
            yield Offer(decision, position)


@blueprint.get("/class/<code>/votes.csv")
def export(code: str) -> ResponseReturnValue:
    """Return the votes of a class whose solution was shown: sums alone."""
    classroom = access.led_class(code)
    head = ("number", "about", "question", "right", "ballot", "answer", "chosen by", "of")
    lines: list[Sequence[Cell]] = []
    for vote in votes_in(classroom.code):
        asked, total = vote.question, vote.total
        for ballot in vote.ballots if vote.is_solved else ():
            about = (vote.number, asked.title, asked.text, asked.right, ballot)
            lines += [(*about, bar.label, bar.number, total(ballot)) for bar in vote.bars(ballot)]
    return csv_response(f"{classroom.code}-votes.csv", head, lines)
