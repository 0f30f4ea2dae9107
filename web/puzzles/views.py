"""The pages on which a puzzle is shown and answered.

A browser's answer redirects to the page of the answer, which has a link to the next puzzle. JSON
clients receive the evaluation and the next puzzle in a single response.
"""

import random
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any, Final, NamedTuple

import flask

from cardgames import GAMES
from cardgames.advice import Advisor, Out, posed_text
from cardgames.cards import CardGameError, Rank
from cardgames.game import AnyGame
from cardgames.moves import IllegalMove, Move
from cardgames.puzzles import FEW_UNSEEN, Position, Theme, rule_against, why
from cardgames.table import Table
from cardgames.text import Text, comma_join
from web import db
from web.http.request_log import MOVE
from web.http.requests import wants_json
from web.http.responses import json_response, see_other
from web.http.sessions import DAY, PlayerSession, current_session
from web.puzzles.rules import ROW, Progress, PuzzleAnswer, with_suits
from web.puzzles.series import THEMES, Series
from web.tables.advice import advisor_or_404, public_odds
from web.tables.page import Refusal, ShownTable, TablePage, public_moves, to_refusal
from web.tables.views import STALE, parse_move_form

BEGIN: Final = Move("begin", Text("Begin"), key=Text("D"))
GONE: Final = Text("Played cards: {cards}.")
LEFT: Final = Text("Cards in the deck and face down: {cards}.")

blueprint = flask.Blueprint("puzzles", __name__)


@blueprint.get("/puzzles", defaults={"name": ""})
@blueprint.get("/puzzles/<name>")
@blueprint.get("/puzzles/<name>/<habit>")
def show(name: str, habit: str = "") -> flask.Response:
    """Show the current puzzle, or the last answered puzzle with its evaluation.

    Writes nothing.
    """
    return _answer(Series.at(name, habit), is_answered="answered" in flask.request.args)


@blueprint.post("/puzzles", defaults={"name": ""})
@blueprint.post("/puzzles/<name>")
@blueprint.post("/puzzles/<name>/<habit>")
def move(name: str, habit: str = "") -> flask.Response:
    """Answer a puzzle or start a series, or reject the move and show the puzzle."""
    series, session = Series.at(name, habit), current_session()
    chosen, step, sent = parse_move_form(())
    flask.request.environ[MOVE] = chosen
    progress, today = session.value(ROW, Progress), _today()
    if step != str(progress.step):
        return _answer(series, 409, Refusal(STALE))
    try:
        legal_move(_moves(series, progress), chosen).read(sent)
    except CardGameError as error:
        return _answer(series, 422, to_refusal(error))
    judged = chosen != BEGIN.name
    after = progress.after_answer(chosen, today) if judged else progress
    session.keep(ROW, series.go_on(after, today, random.SystemRandom()))
    if wants_json():
        return _answer(series, is_answered=judged)
    return see_other(
        series.address + "?answered" * judged, partial(_answer, series, is_answered=judged)
    )


class PuzzleState(NamedTuple):
    """The summary of a player's puzzles for other pages."""

    due: int
    """The number of puzzles that are due."""

    best: int
    """The longest streak of right answers."""


def puzzle_state(session: PlayerSession) -> PuzzleState:
    """Return the summary of a session's puzzles for other pages."""
    progress = session.value(ROW, Progress)
    return PuzzleState(len(progress.due_positions(_today(), Series.at("").has)), progress.best)


def _moves(series: Series, progress: Progress) -> dict[str, Move]:
    """Return the possible moves."""
    puzzle = series.puzzle(progress)
    moves = GAMES[puzzle.table].round_moves if puzzle else (BEGIN,)
    return {move.name: move for move in moves}


def legal_move(moves: dict[str, Move], name: str) -> Move:
    """Return a move by its name.

    Raises:
        IllegalMove: If the move is not possible now.
    """
    if name not in moves:
        labels = comma_join([move.label for move in moves.values()])
        refused = Text("That move is not allowed now. You can choose: {moves}.", moves=labels)
        raise IllegalMove(refused)
    return moves[name]


def _answer(
    series: Series, status: int = 200, refusal: Refusal | None = None, *, is_answered: bool = False
) -> flask.Response:
    """Return the current or the answered puzzle, as JSON or as a page."""
    progress = current_session().value(ROW, Progress)
    puzzle, moves = series.puzzle(progress), _moves(series, progress)
    last = progress.answer if is_answered and puzzle else None
    if wants_json():
        return _document(progress.step, puzzle, moves, last, refusal, status)
    lying = last.position if last else puzzle
    position = with_suits(progress.step - bool(last), lying) if lying else None
    page = TablePage(
        table=shown_table(series.game, position),
        layout="puzzles/puzzle.html",
        address=series.address,
        step=progress.step,
        moves={} if last else moves,
        refusal=refusal,
    )
    html = flask.render_template(
        page.table.templates,
        page=page,
        themes=THEMES,
        **_standing(series, progress),
        **_judgement(advisor_or_404(page.table.game), position, last),
    )
    return flask.Response(html, status)


def _standing(series: Series, progress: Progress) -> dict[str, Any]:
    """Return the template variables for a series and the player's progress in it."""
    return {
        "series": series,
        "is_weak_spots": series.theme is Theme.OWN,
        "progress": progress,
        "due": len(progress.due_positions(_today(), series.has)),
    }


def _judgement(
    advisor: Advisor, position: Position | None, last: PuzzleAnswer | None
) -> dict[str, Any]:
    """Return the template variables for a position, and for any answer to it."""
    document: dict[str, Any] = {
        "advisor": advisor,
        "theme": position.theme.text if position else None,
        "situation": position and posed_text(advisor, position.player, position.upcard),
        "known": known_cards(position, advisor) if position else None,
        "answer": last,
    }
    if not last:
        return document
    # The page shows the rule of thumb that is wrong for this hand.
    rule = rule_against(last.position, last.position.odds.best)
    return document | {
        "decided": advisor.decided_text(last.chosen),
        "why": why(last.position, last.position.odds),
        "rule": rule.text if rule else None,
    }


def _document(
    step: int,
    puzzle: Position | None,
    moves: Mapping[str, Move],
    last: PuzzleAnswer | None,
    refusal: Refusal | None,
    status: int,
) -> flask.Response:
    """Return the current puzzle and any evaluation of the last answer, as JSON."""
    answer: dict[str, Any] = {
        "step": step,
        "puzzle": puzzle and _public(with_suits(step, puzzle)),
        "moves": public_moves(moves.values()),
    }
    if last:
        answer["answered"] = {"right": last.right, "odds": public_odds(last.position.odds)}
    return json_response(answer, status, refusal.in_one_line if refusal else "")


def _public(puzzle: Position) -> dict[str, Any]:
    """Return a puzzle as JSON.

    The known cards are in the order of a new deck.
    """
    names = ("table", "player", "upcard", "unseen", "discards", "theme")
    return {name: getattr(puzzle, name) for name in names}


def known_cards(position: Position, advisor: Advisor) -> Text | None:
    """Return the text for the discards, or for the unseen cards if few are left.

    For a new deck, return None.
    """
    if not position.discards:
        return None
    unseen, discards = position.unseen, position.discards
    cards, sentence = (unseen, LEFT) if len(unseen) <= FEW_UNSEEN else (discards, GONE)
    counts = Counter(card.rank for card in cards)
    outs = (Out(rank, counts[rank]) for rank in Rank if counts[rank])
    return sentence.fill(cards=comma_join(map(advisor.out_text, outs)))


def shown_table(game: AnyGame, position: Position | None) -> ShownTable:
    """Return a table that shows a position, or an empty table."""
    if position is None:
        return ShownTable.of(Table(game))
    game = GAMES[position.table]
    state = advisor_or_404(game).pose(position.player, position.upcard, position.discards)
    return ShownTable.of(Table(game, state))


def _today() -> int:
    """Return the current day, in days since 1970."""
    return int(db.now()) // DAY
