"""``/class/CODE/votes``: the page on which an instructor opens votes and shows their results.

With one click each, an instructor opens a vote, closes it, starts a discussion, opens a second
ballot and shows the right answer.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import flask
import msgspec
from flask.typing import ResponseReturnValue

from cardgames import puzzles
from cardgames.cards import CardGameError
from cardgames.text import Text
from web import db
from web.classroom.core import access, forms, words
from web.classroom.core.forms import (
    NOT_REJECTED,
    ClassMove,
    FieldOptions,
    MoveRequest,
    NotAllowed,
    Rejection,
)
from web.classroom.core.models import Classroom
from web.classroom.core.presence import answer_not_modified, with_etag
from web.classroom.homework.models import ADVISED_TABLES
from web.classroom.homework.typed import MAX_HAND, WrongHand, position_from
from web.classroom.insight.queries import load_insight, with_replays
from web.classroom.insight.rules import Mistake, mistake_question
from web.classroom.votes.models import CONFIDENCE_LEVELS, Question, Vote
from web.classroom.votes.queries import (
    answered,
    count_answers,
    count_changes,
    newest_vote,
    votes_in,
)
from web.classroom.votes.rules import can_open_vote
from web.http.requests import wants_json

MAX_COSTLY: Final = 6
"""Maximum number of the class's costliest mistakes that are offered as questions."""

_STRIDE: Final = 61
"""Step size in the list of puzzles, in which neighbouring puzzles are similar."""

_LINKED: Final = ("table", "hand", "upcard")
"""The fields of an instructor's form that a link can fill in."""

blueprint = flask.Blueprint("asking", __name__)
blueprint.before_request(answer_not_modified)


@blueprint.get("/class/<code>/votes")
def show(code: str) -> ResponseReturnValue:
    """Show the open vote and the possible questions, and extend the class's lifetime."""
    classroom = access.load_and_extend_class(code)
    return with_etag(_page(classroom), classroom.etag("dashboard"))


def _page(classroom: Classroom, rejection: Rejection = NOT_REJECTED) -> ResponseReturnValue:
    """Return the page with the class's votes."""
    votes = votes_in(classroom.code)
    newest = votes[-1] if votes else None
    moves = {move.name: move for move in vote_moves(classroom, newest)}
    if wants_json():
        return forms.json_page(_document(classroom, votes, moves), rejection)
    linked = {field: flask.request.args.get(field, "")[:80] for field in _LINKED}
    return forms.form_page(
        "class/votes.html",
        rejection,
        classroom=classroom,
        vote=newest,
        answered=answered(newest) if newest else 0,
        sure=CONFIDENCE_LEVELS,
        before=[vote for vote in votes[:-1] if vote.is_solved][::-1],
        moves=moves,
        offers=[*_offers(classroom)] if "ask" in moves else (),
        puzzles=puzzle_questions(len(votes)) if "ask" in moves else (),
        typed=rejection.typed or {name: text for name, text in linked.items() if text},
    )


@blueprint.post("/class/<code>/votes")
def move(code: str) -> ResponseReturnValue:
    """Make one of the instructor's moves, or show the reason for its rejection."""
    sent = forms.sent_move()
    try:
        classroom = access.load_and_extend_class(code)
        moves = vote_moves(classroom, newest_vote(classroom))
        forms.requested_move(classroom, moves, sent).make()
    except CardGameError as error:
        return _page(access.load_and_extend_class(code), forms.rejected(error, sent))
    return forms.accepted(flask.url_for(".show", code=classroom.code), partial(_page, classroom))


def _document(
    classroom: Classroom, votes: Sequence[Vote], moves: Mapping[str, ClassMove]
) -> dict[str, Any]:
    """Return the votes of a class as JSON for the class's instructor."""
    newest = votes[-1] if votes else None
    document = {
        "vote": newest and newest.document() | {"answered": answered(newest)},
        "votes": [vote.document() for vote in votes],
    }
    return forms.instructor_json(classroom, moves.values(), document)


# ---- Moves ---------------------------------------------------------------------------------------


def vote_moves(classroom: Classroom, vote: Vote | None) -> Iterator[ClassMove]:
    """Yield the moves that change the newest vote, and the moves that open a new vote.

    Each of these moves puts the vote on the big screen.
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
            show_bars = partial(_count_and_write, vote, has_bars=True)
            yield ClassMove("bars", Text("Show the bars"), show_bars)
        yield ClassMove("solve", Text("Show the right answer"), partial(_solve, vote))
    if can_open_vote(classroom, vote):
        number = vote.number + 1 if vote else 1
        hand: dict[str, FieldOptions] = {"table": ADVISED_TABLES, "hand": None, "upcard": None}
        yield ClassMove("ask", Text("Open the vote"), partial(_ask, number), hand)


def _ask(number: int, request: MoveRequest) -> None:
    table, sent = request.choice("table"), request.fields
    question = parse_position(table, sent.get("hand", ""), sent.get("upcard", ""))
    # The big screen shows one kind of content at a time.
    forms.require(request.classroom.open_round is None, words.ROUND_IS_ON)
    vote = Vote(class_code=request.classroom.code, number=number, opened=request.now)
    vote.asked = msgspec.to_builtins(question)
    db.session().add(vote)
    db.session().flush()
    access.save_move(request.classroom, vote_phase=vote.phase, show="vote")


def _write(vote: Vote, request: MoveRequest, **changes: Any) -> None:
    """Save changed columns of the newest vote."""
    for name, value in changes.items():
        setattr(vote, name, value)
    access.save_move(request.classroom, vote_phase=vote.phase, show="vote")


def _count_and_write(vote: Vote, request: MoveRequest, **changes: Any) -> None:
    """Count the answers in the closed ballot, and save the newest vote."""
    count_answers(vote)
    _write(vote, request, **changes)


def _solve(vote: Vote, request: MoveRequest) -> None:
    count_changes(vote)
    _count_and_write(vote, request, is_solved=True)


def _offers(classroom: Classroom) -> Iterator[tuple[Mistake, Question]]:
    """Yield the class's costliest mistakes that can be asked as questions in a vote."""
    every = [decision for table in load_insight(classroom).values() for decision in table.costly]
    costliest = sorted(every, key=lambda mistake: -mistake.cost)[:MAX_COSTLY]
    for decision in with_replays(classroom, "all", costliest):
        if question := mistake_question(decision):
            yield decision, question


# ---- Questions -----------------------------------------------------------------------------------


def parse_position(table: str, hand: str, upcard: str) -> Question:
    """Return the question that the instructor typed.

    Args:
        table: One of :data:`~web.classroom.homework.models.ADVISED_TABLES`.
        hand: Ranks or cards, separated by spaces: ``10 6``, ``AH 7``.
        upcard: The dealer's rank or card.

    Raises:
        NotAllowed: If there is no decision with this hand.

    >>> parse_position("blackjack", "10 6", "k").text
    '16 against a king'
    """
    try:
        position = position_from(table, hand, upcard)
    except WrongHand as error:
        raise NotAllowed(error.text) from None
    return Question(table, position.player, position.upcard)


def puzzle_questions(turn: int) -> list[Question]:
    """Return one puzzle of each theme, as a question.

    The puzzles have a complete deck.

    Args:
        turn: A number that selects the puzzles; different numbers select different puzzles.
    """
    by_theme: dict[str, list[Question]] = {}
    for puzzle in puzzles.puzzles():
        if not puzzle.discards and len(puzzle.player) <= MAX_HAND:
            question = Question(puzzle.table, puzzle.player, puzzle.upcard)
            by_theme.setdefault(puzzle.theme, []).append(question)
    return [questions[_STRIDE * turn % len(questions)] for questions in by_theme.values()]
