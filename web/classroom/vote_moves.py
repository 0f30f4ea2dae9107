"""What an instructor does with votes: when it is possible, and what it writes.

Each move puts the vote on the big screen. What has closed takes no more answers, so sums that are
counted after the class was read stay as they are.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from cardgames.text import Text
from web.classroom import words
from web.classroom.answers import require
from web.classroom.dashboard_moves import ClassMove, MoveRequest, Options
from web.classroom.model import Change
from web.classroom.questions import Question, code_question, posed
from web.classroom.state import ClassState, class_store
from web.classroom.tournaments import TABLES
from web.classroom.votes import Answers, Vote, may_ask

_CODE_FIELDS: Final = ("rule", "code", "a", "b", "c")
_LETTERS: Final = _CODE_FIELDS[2:]


def vote_moves(state: ClassState) -> Iterator[ClassMove]:
    """Yield the moves about votes that are possible now."""
    classroom, vote = state.classroom, state.classroom.vote
    if classroom.closed:
        return
    if vote and vote.is_open:
        yield ClassMove("close-vote", Text("Close the vote"), _close)
        return
    if vote and not vote.is_solved:
        if vote.ballot == 1:
            yield ClassMove("second", Text("Vote again"), _vote_again)
        if not vote.has_bars:
            yield ClassMove("bars", Text("Show the bars"), _show_bars)
        yield ClassMove("solve", Text("Show what is right"), _solve)
    if may_ask(classroom.votes):
        hand: dict[str, Options] = {"table": TABLES, "hand": None, "upcard": None}
        yield ClassMove("ask", Text("Open the vote"), _ask, hand)
        letters = {letter: letter for letter in _LETTERS}
        code = {**dict.fromkeys(_CODE_FIELDS), "right": letters}
        yield ClassMove("ask-code", Text("Open the vote"), _ask_code, code)


def _ask(request: MoveRequest) -> Change:
    table, sent = request.choice("table"), request.fields
    return _open(request, posed(table, sent.get("hand", ""), sent.get("upcard", "")))


def _ask_code(request: MoveRequest) -> Change:
    rule, code, *answers = (request.fields.get(field, "") for field in _CODE_FIELDS)
    return _open(request, code_question(rule, code, answers, request.choice("right")))


def _open(request: MoveRequest, question: Question) -> Change:
    """Return a change that opens a vote."""
    # The big screen has one thing to show.
    require(request.state.open_round is None, words.ROUND_IS_ON)
    votes = request.state.classroom.votes
    made = Vote(len(votes) + 1, request.now, question)
    return request.write(votes=(*votes, made), show="vote")


def _write(request: MoveRequest, vote: Vote, **changes: Any) -> Change:
    """Return a change that writes the newest vote anew."""
    votes = (*request.state.classroom.votes[:-1], msgspec.structs.replace(vote, **changes))
    return request.write(votes=votes, show="vote")


def _newest(request: MoveRequest) -> tuple[Vote, list[Answers]]:
    vote = request.state.classroom.votes[-1]
    return vote, class_store().votes.answers(request.state.code, vote.number)


def _counted(request: MoveRequest) -> Vote:
    vote, answers = _newest(request)
    return vote.counted(answers)


def _close(request: MoveRequest) -> Change:
    return _write(request, request.state.classroom.votes[-1].closed())


def _vote_again(request: MoveRequest) -> Change:
    return _write(request, _counted(request), ballot=2, is_open=True, has_bars=False)


def _show_bars(request: MoveRequest) -> Change:
    """Show the sums, which are counted now that the ballot has closed."""
    return _write(request, _counted(request), has_bars=True)


def _solve(request: MoveRequest) -> Change:
    vote, answers = _newest(request)
    return _write(request, vote.solved(answers))
