"""The addresses of the puzzles: show one, and answer it.

A browser's answer leads to the page of what was answered, and from there on to the next puzzle; in
a storm to the next at once. A program gets both in one document.
"""

import random
from functools import partial
from typing import Any, Final

import flask
import msgspec
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.advice import Advisor
from cardgames.cards import CardGameError
from cardgames.game import AnyGame
from cardgames.moves import IllegalMove, Move
from cardgames.puzzles import Position
from cardgames.strategies.habits import HABITS, has_hands
from cardgames.table import NEW
from cardgames.text import Text, comma_join
from web.http.requests import wants_json
from web.http.responses import json_response, render_page, see_other
from web.http.turns import takes_long
from web.puzzles import progress as kept
from web.puzzles import weak_spots
from web.puzzles.page import PuzzlePage, Verdict, known_cards, shown_table
from web.puzzles.progress import ALL, Progress, Series, Storm
from web.puzzles.weak_spots import SET_SIZE
from web.storage.rounds import session_place
from web.storage.sessions import Session, current_session, retry_on_conflict, store
from web.tables.advice import advisor_of, public_odds
from web.tables.page import Refusal, to_refusal
from web.tables.views import STALE, parse_move_form

BEGIN: Final = Move("begin", Text("Begin"), key=Text("D"))
STORM: Final = Move("storm", Text("Storm: three minutes"))

blueprint = flask.Blueprint("puzzles", __name__)


class Location(msgspec.Struct, frozen=True):
    """Where a series of puzzles is: all of them, the weak spots at a table, or a habit's hands."""

    name: str
    """The series: ``ALL``, the table's slug, or that and the habit's name with a slash between."""

    game: AnyGame
    """The table's; of all puzzles the first one's."""

    habit: str = ""
    """The name of a habit (:mod:`cardgames.strategies.habits`); empty for no drill."""

    @classmethod
    def at(cls, slug: str, habit: str = "") -> "Location":
        """Return the series at an address.

        Raises:
            NotFound: there is no such series, or the instructor has turned the coach off.
        """
        game = GAMES.get(slug or kept.first_puzzle().table)
        if not game or not advisor_of(game) or (habit and not has_hands(slug, habit)):
            raise NotFound
        return cls(f"{slug}/{habit}" if habit else slug, game, habit)

    @property
    def path(self) -> str:
        """Its address below the root."""
        return f"/puzzles/{self.name}" if self.name else "/puzzles"

    def puzzle(self, progress: Progress) -> Position | None:
        """Return the puzzle to be solved; None before the first weak spot."""
        series = progress.series_of(self.name)
        first = kept.first_puzzle() if self.name == ALL else None
        position = series.position or first
        return position and kept.in_suits_of(series.step, position)

    def moves(self, progress: Progress, now: float) -> dict[str, Move]:
        """Return what can be done now."""
        puzzle = self.puzzle(progress)
        if not puzzle:
            return {BEGIN.name: BEGIN}
        decisions = {move.name: move for move in GAMES[puzzle.table].round_moves}
        if self.name != ALL:
            return decisions
        storm = {} if progress.has_storm(now) else {STORM.name: STORM}
        return {**decisions, **storm, NEW.name: NEW}


@blueprint.get("/puzzles", defaults={"slug": ALL})
@blueprint.get("/puzzles/<slug>")
@blueprint.get("/puzzles/<slug>/<habit>")
def show(slug: str, habit: str = "") -> flask.Response:
    """Show the puzzle to be solved, or the one answered last, and why. Nothing is written."""
    return _answer(Location.at(slug, habit), is_answered="answered" in flask.request.args)


@blueprint.post("/puzzles", defaults={"slug": ALL})
@retry_on_conflict
def move(slug: str) -> flask.Response:
    """Answer a puzzle, begin a storm or start over; or refuse it and show the puzzle."""
    return _play(Location.at(slug))


@blueprint.post("/puzzles/<slug>")
@blueprint.post("/puzzles/<slug>/<habit>")
@takes_long
@retry_on_conflict
def move_at_weak_spots(slug: str, habit: str = "") -> flask.Response:
    """Answer one of the weak spots at a table or of a drill, or begin: ten rounds may be judged."""
    return _play(Location.at(slug, habit))


def _play(location: Location) -> flask.Response:
    """Make the move that the request asks for, and answer."""
    session = current_session()
    name, step, sent = parse_move_form(())
    flask.g.move = name
    progress, now = kept.load(session), _now(session)
    if step != str(progress.series_of(location.name).step):
        return _answer(location, 409, Refusal(STALE))
    try:
        moves = location.moves(progress, now)
        _legal(moves, name).read(sent)
    except CardGameError as error:
        return _answer(location, 422, to_refusal(error))
    after = _after(location, progress, name, now)
    kept.save(session, after)
    judged = name in {"hit", "stay"}
    if wants_json():
        return _document(location, after, now, is_answered=judged)
    is_page = judged and not after.has_storm(now)
    address = f"{flask.request.root_path}{location.path}{'?answered' * is_page}"
    return see_other(address, partial(_answer, location, is_answered=is_page))


def _legal(moves: dict[str, Move], name: str) -> Move:
    """Return a move by its name.

    Raises:
        IllegalMove: it cannot be made now.
    """
    if name not in moves:
        labels = comma_join([move.label for move in moves.values()])
        refused = Text("That move is not allowed now. You can choose: {moves}.", moves=labels)
        raise IllegalMove(refused)
    return moves[name]


def _after(location: Location, progress: Progress, name: str, now: float) -> Progress:
    """Return how the player stands after a move, with the next puzzle on the table."""
    series, rng = progress.series_of(location.name), random.SystemRandom()
    if name == NEW.name:  # the rating goes too; the weak spots are another matter, and stay
        progress = Progress(series={**progress.series, ALL: Series(series.step)})
    elif name == STORM.name:
        storm = Storm(now + kept.STORM_SECONDS)
        progress = msgspec.structs.replace(progress, storm=storm).with_series(
            ALL, msgspec.structs.replace(series, answer=None)
        )
    elif puzzle := location.puzzle(progress):
        progress = kept.after_answer(progress, location.name, name, puzzle.odds, now)

    def choose(series: Series) -> Series:
        if location.name == ALL:
            return msgspec.structs.replace(series, position=kept.new_puzzle(progress, rng))
        if location.habit:
            return weak_spots.choose_drill(series, location.game, location.habit, rng)
        return weak_spots.choose(series, location.game, _advisor(location.game), rng)

    after = kept.after_step(progress.series_of(location.name), choose)
    return progress.with_series(location.name, after)


def _answer(
    location: Location,
    status: int = 200,
    refusal: Refusal | None = None,
    *,
    is_answered: bool = False,
) -> flask.Response:
    """Return the puzzle to be solved or the one that was answered, in JSON or as a page.

    In a storm what is said of the last answer stands above the next puzzle.
    """
    session = current_session()
    progress, now = kept.load(session), _now(session)
    is_answered = is_answered and progress.series_of(location.name).answer is not None
    if wants_json():
        return _document(location, progress, now, status, refusal, is_answered=is_answered)
    series = progress.series_of(location.name)
    position, last = location.puzzle(progress), series.answer
    if is_answered and last:
        position = kept.in_suits_of(series.step - 1, last.position)
    game = GAMES[position.table] if position else location.game
    advisor = _advisor(game)
    storming = location.name == ALL and progress.has_storm(now)
    page = PuzzlePage(
        table=shown_table(game, advisor, position),
        root=flask.request.script_root,
        path=location.path,
        step=series.step,
        moves={} if is_answered else location.moves(progress, now),
        refusal=refusal,
    )
    return render_page(
        page.table.templates,
        status,
        page=page,
        habit=location.habit,
        theme=_theme(location, position),
        situation=_situation_text(advisor, position) if position else None,
        known=known_cards(position, advisor) if position else None,
        progress=progress,
        series=series,
        verdict=Verdict.of(last, advisor) if last and (is_answered or storming) else None,
        is_answered=is_answered,
        is_weak_spots=location.name != ALL,
        has_others=series.own < SET_SIZE,
        puzzle_rating=round(kept.rating_of(progress, last.position).rating) if last else 0,
        storm_left=progress.storm.seconds_left(now) if storming and progress.storm else 0,
        advisor=advisor,
    )


def _document(
    location: Location,
    progress: Progress,
    now: float,
    status: int = 200,
    refusal: Refusal | None = None,
    *,
    is_answered: bool = False,
) -> flask.Response:
    """Return the puzzle to be solved in JSON, with how the last answer was where one was given."""
    puzzle, series = location.puzzle(progress), progress.series_of(location.name)
    moves = location.moves(progress, now).values()
    answer: dict[str, Any] = {
        "step": series.step,
        "puzzle": puzzle and _public(puzzle),
        "moves": [{"name": move.name, "label": move.label, "fields": move.form} for move in moves],
    }
    if is_answered and series.answer:
        found = series.answer.position.odds
        right = series.answer.chosen == found.best
        answer["answered"] = {"right": right, "odds": public_odds(found)}
    return json_response(answer, status, refusal.in_one_line if refusal else "")


def _public(puzzle: Position) -> dict[str, Any]:
    """Return a puzzle as the JSON has it: what a player knows, in the order of a new deck."""
    names = ("table", "player", "upcard", "unseen", "discards", "theme")
    return {name: getattr(puzzle, name) for name in names}


def _theme(location: Location, position: Position | None) -> Text | None:
    """Return what a puzzle is about, or the drill."""
    if location.habit:
        return HABITS[location.habit].about
    return position.theme.text if position else None


def _situation_text(advisor: Advisor, position: Position) -> Text:
    state = advisor.pose(position.player, position.upcard)
    return advisor.situation_text(advisor.situation(state))


def _advisor(game: AnyGame) -> Advisor:
    """Return a game's advisor.

    Raises:
        NotFound: it has none, or the instructor has turned the coach off.
    """
    advisor = advisor_of(game)
    if not advisor:
        raise NotFound
    return advisor


def _now(session: Session) -> float:
    """Return the store's time: all workers and machines have the same."""
    return session.kept.now or store().read(session_place(session.sid)).now
