"""What an instructor does with votes: when it is possible, and what it writes.

Each move puts the vote on the big screen. What has closed takes no more answers, so sums that are
counted after the class was read stay as they are.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

from cardgames import GAMES
from cardgames.text import Text
from web.classroom import words
from web.classroom.answers import require
from web.classroom.model import Change
from web.classroom.moves import ClassMove, MoveRequest
from web.classroom.questions import TABLES, Question, code_question, posed
from web.classroom.state import ClassState, class_store
from web.classroom.votes import MAX_VOTES, Answers, Vote

_CODE_FIELDS: Final = ("rule", "code", "a", "b", "c")
_LETTERS: Final = _CODE_FIELDS[2:]


def vote_moves(state: ClassState) -> Iterator[ClassMove]:
    """Yield the moves about votes that are possible now."""
    classroom, vote = state.classroom, state.classroom.vote
    if classroom.closed:
        return
    if vote and vote.is_open:
        yield ClassMove("close-vote", Text("Close the vote"))
        return
    if vote and not vote.is_solved:
        if vote.ballot == 1:
            yield ClassMove("second", Text("Vote again"))
        if not vote.has_bars:
            yield ClassMove("bars", Text("Show the bars"))
        yield ClassMove("solve", Text("Show what is right"))
    if len(classroom.votes) < MAX_VOTES:
        tables = {slug: GAMES[slug].info.title for slug in TABLES}
        yield ClassMove(
            "ask", Text("Open the vote"), {"table": tables, "hand": None, "upcard": None}
        )
        letters = {letter: letter for letter in _LETTERS}
        code = {**dict.fromkeys(_CODE_FIELDS), "right": letters}
        yield ClassMove("ask-code", Text("Open the vote"), code)


def _ask(request: MoveRequest) -> Change:
    table, sent = request.choice("table", TABLES), request.fields
    return _open(request, posed(table, sent.get("hand", ""), sent.get("upcard", "")))


def _ask_code(request: MoveRequest) -> Change:
    rule, code, *answers = (request.fields.get(field, "") for field in _CODE_FIELDS)
    return _open(request, code_question(rule, code, answers, request.choice("right", _LETTERS)))


def _open(request: MoveRequest, question: Question) -> Change:
    """Return a change that opens a vote."""
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


def _solve(request: MoveRequest) -> Change:
    vote, answers = _newest(request)
    return _write(request, vote.solved(answers))


WRITES: Final[Mapping[str, Callable[[MoveRequest], Change]]] = {
    "ask": _ask,  # what is best with a hand
    "ask-code": _ask_code,  # what a rule of a sheet asks of code
    "close-vote": lambda one: _write(one, _newest(one)[0], is_open=False),
    "second": lambda one: _write(one, _counted(one), ballot=2, is_open=True, has_bars=False),
    "bars": lambda one: _write(one, _counted(one), has_bars=True),
    "solve": _solve,
}
"""What each of them writes."""
