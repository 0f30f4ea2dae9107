"""``/class/CODE/vote``, where students answer, and ``/class/CODE/votes``, where they are asked.

An instructor opens a vote, closes it, lets the class talk, has it vote again and shows what is
right, with one press each (:mod:`.moves`). Sums are all that anybody sees of answers but
one's own, and only when the instructor shows them.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import flask

from cardgames.text import Text
from web.classroom.answers import (
    NotAllowed,
    OutOfDate,
    answer_or_refuse,
    chosen,
    class_address,
    csv_response,
    require,
)
from web.classroom.codes import tidy_code
from web.classroom.dashboard_moves import answer_move
from web.classroom.misconceptions import CostlyDecision, insight_of, position_of
from web.classroom.model import Member
from web.classroom.questions import Position, puzzle_positions
from web.classroom.state import (
    ClassState,
    class_store,
    decide_on,
    led_class,
    load_class,
    page_version,
)
from web.classroom.term import visited_class
from web.classroom.updates import answer_known_page, note_presence
from web.classroom.vote_moves import vote_moves
from web.classroom.votes import SURE, Answer, Answers, Vote
from web.http.downloads import Cell
from web.http.requests import sent_texts, wants_json
from web.http.responses import json_response, render_page, see_other
from web.http.turns import takes_long
from web.sessions import renew_session

MAX_COSTLY: Final = 6
"""Maximum number of the class's costliest mistakes that are offered."""

NO_VOTE: Final = Text("No vote is open.")
VOTE_CLOSED: Final = Text("The vote has closed. What you answered before counts.")
OTHER_VOTE: Final = Text("That was another vote. This is the one that is on.")
STEPPED_OUT: Final = Text("You have stepped out: step in again to vote.")

blueprint = flask.Blueprint("class-votes", __name__)
blueprint.before_request(answer_known_page)


@blueprint.get("/class/<code>/vote")
def show(code: str) -> flask.Response:
    """Show the newest vote and what the student has answered."""
    state = load_class(code)
    if state.own_student() is None and state.is_led():
        return see_other(f"{class_address(state.code)}/votes")
    member = state.require_student()
    renew_session()
    note_presence(state.code)
    return _answer_student(state, member)


@blueprint.post("/class/<code>/vote")
def vote(code: str) -> flask.Response:
    """Keep what the student answers, or refuse it and show the vote as it stands."""
    load_class(code).require_student()
    sent = sent_texts()

    def attempt(state: ClassState) -> ClassState | None:
        member = state.require_student()
        asked = _open_vote(state, member, sent)
        choice = chosen(sent, "choice", tuple(asked.choices))
        answer = Answer(choice, int(chosen(sent, "sure", tuple(SURE))))
        is_kept = class_store().votes.answer(code, state.counters, asked, member.number, answer)
        return state if is_kept else None

    def answer() -> flask.Response:
        state = decide_on(code, attempt)
        member = state.require_student()
        if wants_json():
            return _answer_student(state, member)
        address = f"{class_address(state.code)}/vote"
        return see_other(address, lambda: _answer_student(state, member))

    def refuse(status: int, why: str) -> flask.Response:
        state = load_class(code)
        return _answer_student(state, state.require_student(), status, why)

    return answer_or_refuse(answer, refuse)


def _open_vote(state: ClassState, member: Member, sent: dict[str, str]) -> Vote:
    """Return the vote that a form answers.

    Raises:
        CardGameError: it is not open, or another.
    """
    asked = state.classroom.vote
    require(member.student.state == "in", STEPPED_OUT)
    if asked is None or state.classroom.closed:
        raise NotAllowed(NO_VOTE)
    if (sent.get("vote"), sent.get("ballot")) != (str(asked.number), str(asked.ballot)):
        raise OutOfDate(OTHER_VOTE)
    if not asked.is_open:
        raise OutOfDate(VOTE_CLOSED)
    return asked


def _answer_student(
    state: ClassState, member: Member, status: int = 200, refusal: str = ""
) -> flask.Response:
    """Answer with the newest vote, as one student sees it."""
    asked, answers = state.classroom.vote, Answers()
    if asked:
        answers = class_store().votes.of(state.code, member.number, asked.number)
    if wants_json():
        yours = {str(ballot): answer._asdict() for ballot, answer in answers.items()}
        document: dict[str, Any] = {"vote": asked and asked.document(), "yours": yours}
        return json_response(state.document | document, status, refusal)
    may_answer = bool(asked and asked.is_open) and member.student.state == "in"
    has_answered = bool(asked and asked.ballot in answers)
    return render_page(
        "class/vote.html",
        status,
        state=state,
        vote=asked,
        answers=answers,
        sure=SURE,
        may_answer=may_answer,
        has_card=state.open_round is not None and state.card_of(member) is not None,
        refusal=refusal,
        renews=not (may_answer and not has_answered) and "still" not in flask.request.args,
    )


class Offer(NamedTuple):
    """A mistake of the class on which it can vote."""

    decision: CostlyDecision
    position: Position


@blueprint.get("/class/<code>/votes")
@takes_long
def show_all(code: str) -> flask.Response:
    """Show the vote that is on, and what can be voted on; the class lives on from now."""
    return _answer_instructor(visited_class(code))


@blueprint.post("/class/<code>/votes")
@takes_long
def move(code: str) -> flask.Response:
    """Make one of the instructor's moves, or refuse it."""
    return answer_move(
        code,
        vote_moves,
        _answer_instructor,
        address=f"{class_address(tidy_code(code))}/votes",
    )


def _answer_instructor(
    state: ClassState, status: int = 200, refusal: str = "", typed: Mapping[str, str] | None = None
) -> flask.Response:
    """Answer with the votes of a class, as its instructor sees them: sums alone."""
    asked = state.classroom.vote
    moves = {move.name: move for move in vote_moves(state)}
    if wants_json():
        document = {
            "class": state.code,
            "title": state.classroom.title,
            "step": state.counters.version,
            "vote": asked and asked.document() | {"answered": answered(state)},
            "votes": [vote.document() for vote in state.classroom.votes],
            "moves": [move.document() for move in moves.values()],
        }
        return json_response(document, status, refusal)
    arguments = flask.request.args
    filled = {field: arguments.get(field, "")[:80] for field in ("table", "hand", "upcard", "rule")}
    return render_page(
        "class/votes.html",
        status,
        state=state,
        version=page_version(state.counters, "dashboard"),
        vote=asked,
        answered=answered(state),
        sure=SURE,
        before=[vote for vote in state.classroom.votes[:-1] if vote.is_solved][::-1],
        moves=moves,
        offers=[*islice(_offers(state), MAX_COSTLY)] if "ask" in moves else (),
        puzzles=puzzle_positions(len(state.classroom.votes)) if "ask" in moves else (),
        typed=typed or {name: value for name, value in filled.items() if value},
        refusal=refusal,
    )


def answered(state: ClassState) -> int:
    """Return how many have answered in the newest ballot of a class."""
    asked = state.classroom.vote
    if asked is None:
        return 0
    if len(asked.counts) >= asked.ballot:
        return asked.total(asked.ballot)
    answers = class_store().votes.answers(state.code, asked.number)
    return sum(asked.ballot in given for given in answers)


def _offers(state: ClassState) -> Iterator[Offer]:
    """Yield the class's costliest mistakes on which it can vote, at all tables."""
    every = [one for table in insight_of(state).values() for one in table.costly]
    for decision in sorted(every, key=lambda one: -one.mistake.cost):
        if position := position_of(decision.slug, decision.mistake):
            yield Offer(decision, position)


@blueprint.get("/class/<code>/votes.csv")
def export(code: str) -> flask.Response:
    """Return the votes of a class whose solution was shown: sums alone."""
    state = led_class(code)
    head = ("number", "about", "question", "right", "ballot", "answer", "chosen by", "of")
    lines: list[Sequence[Cell]] = []
    for vote in state.classroom.votes:
        asked, total = vote.question, vote.total
        for ballot in vote.ballots if vote.is_solved else ():
            about = (vote.number, asked.title, asked.text, asked.right, ballot)
            lines += [(*about, bar.label, bar.number, total(ballot)) for bar in vote.bars(ballot)]
    return csv_response(f"{state.code}-votes.csv", head, lines)
