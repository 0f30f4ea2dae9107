"""What an instructor does with votes: when it is possible, and what it writes.

Each move puts the vote on the big screen. What has closed takes no more answers, so sums that are
counted after the class was read stay as they are.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from cardgames.class_bingo.clock import Clock
from cardgames.games.bingo.rules import Mode
from cardgames.games.war.rules import MAX_TURNS
from cardgames.games.war.words import turns_text
from cardgames.shuffling import random_salt
from cardgames.text import Text
from web.classes import words
from web.classes.model import Change
from web.classes.predictions import TICK_TURNS, BingoCalls, WarGame
from web.classes.questions import Question, code_question, posed
from web.classes.rows import ClassCounters
from web.classes.tournaments import TABLES
from web.classes.votes import Answers, Vote, may_ask
from web.live_class.answers import require
from web.live_class.moves import YES_NO, ClassMove, MoveRequest, Options
from web.live_class.state import ClassState, class_store
from web.live_class.updates import dealt_in
from web.votes.guesses import lab_run

_CODE_FIELDS: Final = ("rule", "code", "a", "b", "c")
_LETTERS: Final = _CODE_FIELDS[2:]
_TURNS: Final = {
    **{str(number): (number, turns_text(number)) for number in (1, 10, 100)},
    "all": (MAX_TURNS, Text("To the end")),
}


def vote_moves(state: ClassState) -> Iterator[ClassMove]:
    """Yield the moves about votes that are possible now."""
    classroom, vote = state.classroom, state.classroom.vote
    if classroom.closed:
        return
    if vote and vote.is_open:
        yield ClassMove("close-vote", Text("Close the vote"), _close)
        if vote.is_prediction and not vote.has_bars:
            yield ClassMove("bars", Text("Show the guesses"), _show_bars)
        return
    if vote and not vote.is_solved:
        if vote.ballot == 1 and not vote.is_prediction:
            yield ClassMove("second", Text("Vote again"), _vote_again)
        if not vote.has_bars:
            label = Text("Show the guesses") if vote.is_prediction else Text("Show the bars")
            yield ClassMove("bars", label, _show_bars)
        if isinstance(vote.question, WarGame):
            yield from _war_moves(state.counters, vote)
        if _outcome(state, vote.question):
            label = Text("Show the result") if vote.is_prediction else Text("Show what is right")
            yield ClassMove("solve", label, _solve)
    if may_ask(classroom.votes):
        hand: dict[str, Options] = {"table": TABLES, "hand": None, "upcard": None}
        yield ClassMove("ask", Text("Open the vote"), _ask, hand)
        letters = {letter: letter for letter in _LETTERS}
        code = {**dict.fromkeys(_CODE_FIELDS), "right": letters}
        yield ClassMove("ask-code", Text("Open the vote"), _ask_code, code)
        yield ClassMove("predict-war", Text("Open the vote"), _predict_war)
        modes: Options = {mode.value: label for mode, label in words.MODES.items()}
        kinds = {"mode": modes, "speed": YES_NO}
        yield ClassMove("predict-bingo", Text("Open the vote"), _predict_bingo, kinds)


def _war_moves(counters: ClassCounters, vote: Vote) -> Iterator[ClassMove]:
    """Yield the moves of a game of War that is bet on: turn after turn, or by the clock."""
    game = vote.shown_after(counters.ticks).question
    if isinstance(game, WarGame) and game.turned < game.number:
        labels: Options = {value: label for value, (_, label) in _TURNS.items()}
        yield ClassMove("turn", Text("Play"), _turn, {"turns": labels})
        if counters.every and not counters.is_open:
            yield ClassMove("stop-war", Text("Pause"), _stop_war)
        else:
            yield ClassMove("run-war", Text("Let it run"), _run_war)


def _ask(request: MoveRequest) -> Change:
    table, sent = request.choice("table"), request.fields
    return _open(request, posed(table, sent.get("hand", ""), sent.get("upcard", "")))


def _ask_code(request: MoveRequest) -> Change:
    rule, code, *answers = (request.fields.get(field, "") for field in _CODE_FIELDS)
    return _open(request, code_question(rule, code, answers, request.choice("right")))


def _predict_war(request: MoveRequest) -> Change:
    return _open(request, WarGame.dealt(random_salt(), lab_run()))


def _predict_bingo(request: MoveRequest) -> Change:
    state = request.state
    mode = Mode(request.choice("mode", Mode.LINE))
    speed = request.choice("speed", "N") == "Y"
    cards = max(1, len(dealt_in(state)))
    return _open(request, BingoCalls(mode, speed, cards, state.counters.round + 1))


def _outcome(state: ClassState, question: Question) -> Question | None:
    """Return a question with what came out; None where that is not known yet."""
    if not isinstance(question, BingoCalls):
        return question
    first = next(_first_bingos(state, question), 0)
    return msgspec.structs.replace(question, number=first) if first else None


def _first_bingos(state: ClassState, question: BingoCalls) -> Iterator[int]:
    """Yield the calls of the first BINGO! in the rounds that are meant, the oldest first."""
    if state.counters.round < question.round:
        return
    live = state.open_round
    found = [(data, data.finished.places) for data in class_store().finished(state.code)
             if data.finished and not data.void]  # fmt: skip
    for data, places in [*found, *([(live.data, live.places)] if live else [])]:
        if data.number >= question.round and data.kind == question.asked and places:
            yield places[0].call


def _open(request: MoveRequest, question: Question) -> Change:
    """Return a change that opens a vote."""
    # A class has one clock, and the big screen one thing to show.
    require(request.state.open_round is None, words.ROUND_IS_ON)
    votes = request.state.votes
    made = Vote(len(votes) + 1, request.now, question)
    return request.write(_stopped(request), votes=(*votes, made), show="vote")


def _write(request: MoveRequest, vote: Vote, clock: Clock | None = None, **changes: Any) -> Change:
    """Return a change that writes the newest vote anew; the clock of a game of War then stops."""
    votes = (*request.state.votes[:-1], msgspec.structs.replace(vote, **changes))
    change = _stopped(request) if clock is None else Change(clock=clock)
    return request.write(change, votes=votes, show="vote")


def _stopped(request: MoveRequest) -> Change:
    """Return a change that stops the clock of a game of War; that of a round goes on."""
    runs = request.state.counters.every and request.state.open_round is None
    return Change(clock=Clock(0, request.now)) if runs else Change()


def _turn(request: MoveRequest) -> Change:
    turns, _ = _TURNS[request.choice("turns")]
    vote = request.state.votes[-1]
    return _write(request, vote, question=_game(vote).after(turns))


def _run_war(request: MoveRequest) -> Change:
    require(request.state.open_round is None, words.ROUND_IS_ON)
    vote = request.state.votes[-1]
    game = _game(vote)
    ticks = -(-(game.number - game.turned) // TICK_TURNS)
    return _write(request, vote, Clock(0, request.now, 1, ticks))


def _stop_war(request: MoveRequest) -> Change:
    return _write(request, request.state.votes[-1])


def _game(vote: Vote) -> WarGame:
    assert isinstance(vote.question, WarGame)  # noqa: S101 - no other vote has the move
    return vote.question


def _newest(request: MoveRequest) -> tuple[Vote, list[Answers]]:
    vote = request.state.votes[-1]
    return vote, class_store().votes.answers(request.state.code, vote.number)


def _counted(request: MoveRequest) -> Vote:
    vote, answers = _newest(request)
    return vote.counted(answers)


def _close(request: MoveRequest) -> Change:
    return _write(request, request.state.votes[-1].closed())


def _vote_again(request: MoveRequest) -> Change:
    return _write(request, _counted(request), ballot=2, is_open=True, has_bars=False)


def _show_bars(request: MoveRequest) -> Change:
    """Show the sums, which are counted once the ballot has closed."""
    vote = request.state.votes[-1]
    return _write(request, vote if vote.is_open else _counted(request), has_bars=True)


def _solve(request: MoveRequest) -> Change:
    vote, answers = _newest(request)
    question = _outcome(request.state, vote.question)
    return _write(request, vote.solved(answers), question=question)
