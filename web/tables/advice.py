"""The coach at a player's own table, with the odds of the open decision and the costs of decisions.

Games with an advisor have a coach, which is off until the player switches it on. The setting is
stored in the session. The coach either shows the chances of each move *before* a move, or
comments *after* the move on its quality and its cost.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

import flask
import msgspec
from werkzeug.exceptions import NotFound, UnprocessableEntity

from cardgames.advice import Advisor, Decision, Odds
from cardgames.game import AnyGame
from cardgames.ledger import EMPTY_LEDGER, Ledger, after_move
from cardgames.moves import Move
from cardgames.table import Phase, Table
from cardgames.text import Text, comma_join
from web.http.requests import form_fields, wants_json
from web.http.responses import json_response, see_other
from web.http.sessions import PlayerSession, current_session
from web.tables import views
from web.tables.seat import ADVISED_GAMES, Seat, game_or_404, load_table

ROW: Final = "advice"
"""The key of the coach's row in a session."""

Mode = Literal["off", "after", "before"]
"""The coach's mode: off, comments after a move, or advice before a move."""

WEAK_SPOTS: Final = Text("Practise your weak spots")

MODES: Final = get_args(Mode)

blueprint = flask.Blueprint("coach", __name__)


class CoachState(msgspec.Struct, frozen=True):
    """A player's stored data: the setting of the coach, and one ledger per table."""

    mode: Mode = "off"
    ledgers: dict[str, Ledger] = {}


class Advice(msgspec.Struct, frozen=True):
    """The coach's part of a table's page."""

    advisor: Advisor
    mode: Mode
    ledger: Ledger
    odds: Odds | None = None
    """The odds of the open decision."""

    outs: Text | None = None
    """A sentence about the cards that would help with the open decision."""

    decisions: tuple[tuple[Decision, Text], ...] = ()
    """The decisions of the round that can be evaluated now, each with a comment."""

    @property
    def costliest(self) -> list[Text]:
        """The player's costliest mistakes."""
        sentence = Text("Round {number}: {sentence}")
        return [
            sentence.fill(number=decision.round, sentence=self.advisor.assessment(decision))
            for decision in self.ledger.costliest
        ]


def advisor_or_404(game: AnyGame) -> Advisor:
    """Return a game's advisor.

    Raises:
        NotFound: If the game has no advisor.
    """
    if not game.advisor:
        raise NotFound
    return game.advisor


@blueprint.get("/<slug>/odds")
def odds(slug: str) -> flask.Response:
    """Return the exact odds of the open decision, given what the player knows."""
    advisor = advisor_or_404(game_or_404(slug))
    seat = load_table(current_session(), slug)
    if not wants_json():  # The coach shows the odds at the table.
        return see_other(seat.url)
    if seat.table.phase is not Phase.PLAYING:
        raise UnprocessableEntity
    return json_response(public_odds(advisor.odds(seat.table.state)))


@blueprint.post("/coach")
def choose() -> flask.Response:
    """Save the mode of the coach, and redirect to the table."""
    sent = form_fields()
    slug, mode = (sent.get(name, "") for name in ("table", "mode"))
    if slug not in ADVISED_GAMES or mode not in MODES:
        raise NotFound
    session = current_session()
    session.keep(ROW, msgspec.structs.replace(_notes(session), mode=mode))
    return see_other(load_table(session, slug).url, lambda: views.show(slug))


def record_move(session: PlayerSession, before: Seat, move: str, after: Seat) -> None:
    """Add a move to the ledger in the session, unless the coach is off.

    Args:
        session: The player's session.
        before: The seat before the move.
        move: The move's name.
        after: The seat after the move.
    """
    game, notes = after.table.game, _notes(session)
    if not game.advisor or notes.mode == "off":
        return
    ledger = notes.ledgers.get(game.info.slug, EMPTY_LEDGER)
    ledger = after_move(ledger, game.advisor, before.table, move, after.table)
    ledgers = {**notes.ledgers, game.info.slug: ledger}
    session.keep(ROW, msgspec.structs.replace(notes, ledgers=ledgers))


def panel(session: PlayerSession, seat: Seat) -> Mapping[str, Any] | None:
    """Return the panel of a table's coach, or an offer to switch the coach on."""
    game = seat.table.game
    if not game.advisor:
        return None
    coach = advice(session, game.advisor, seat.table)
    if coach.mode == "off":
        link = (WEAK_SPOTS, "puzzles.show", "name", game.info.slug)
        return {"felt": "tables/panels/coach_offer.html", "links": link}
    parts = {"aid": "tables/panels/coach.html", "thoughts": "tables/panels/coach_reasons.html"}
    # At the end of a deck, the page shows a scoreboard instead of the coach.
    if (coach.odds or coach.decisions) and seat.table.phase is not Phase.GAME_OVER:
        parts["described"] = "advice"
    return {"coach": coach, **parts}


def regret_panel(session: PlayerSession, seat: Seat) -> Mapping[str, Any] | None:
    """Return the decision that could have changed a lost round, if it may be revealed."""
    table, advisor = seat.table, seat.table.game.advisor
    if table.shown_to < table.finished or not advisor:
        return None
    decisions = advice(session, advisor, table).decisions
    regret = find_regret(table, [decision.cost for decision, _ in decisions])
    return {"regret": regret, "moves": "tables/panels/regret.html"} if regret else None


def advice(session: PlayerSession, advisor: Advisor, table: Table) -> Advice:
    """Return the coach's values for a table, computed by the game's advisor."""
    notes = _notes(session)
    ledger = notes.ledgers.get(table.game.info.slug, EMPTY_LEDGER)
    coach, is_open = Advice(advisor, notes.mode, ledger), table.phase is Phase.PLAYING
    if coach.mode == "off":
        return coach
    if coach.mode == "before" and is_open:
        odds = advisor.odds(table.state)
        outs = _outs_text(advisor, table, odds)
        return msgspec.structs.replace(coach, odds=odds, outs=outs)
    decisions = tuple(
        (decision, advisor.assessment(decision)) for decision in ledger.current_decisions
    )
    return msgspec.structs.replace(coach, decisions=decisions[-1:] if is_open else decisions)


def _outs_text(advisor: Advisor, table: Table, odds: Odds) -> Text:
    """Return the text for the cards that would help the player at a table."""
    outs = advisor.outs(table.state, odds)
    if not outs:
        return Text("No next card would be better for you than stopping now.")
    return Text(
        "Cards that would leave you better off than stopping now: {cards} of the {unseen} you "
        "have not seen.",
        cards=comma_join(tuple(map(advisor.out_text, outs))),
        unseen=len(advisor.unseen(table.state)),
    )


class Regret(NamedTuple):
    """A decision of a lost round in which another move was possible."""

    text: Text
    """The question to the player."""

    step: int
    """The number of the round's moves before the decision."""

    move: Move
    """The alternative move."""


def find_regret(table: Table, costs: Sequence[float]) -> Regret | None:
    """Return the costliest mistake, otherwise the last decision.

    Return None if no round was lost.

    Args:
        table: The current table.
        costs: The cost of each decision of the table's round, if known.
    """
    game, result = table.game, table.result
    chosen = [action.name for action in table.record.single_actions()][1:]
    lost = game.advisor and result and game.advisor.points[result.winner] < 0
    if not game.advisor or not lost or not chosen:
        return None
    worst = max(costs, default=0.0)
    index = costs.index(worst) if worst and len(costs) == len(chosen) else len(chosen) - 1
    other = next(move for move in game.round_moves if move.name != chosen[index])
    return Regret(game.advisor.regret_text(other.name), index + 1, other)


def public_odds(odds: Odds) -> dict[str, Any]:
    """Return the odds in the format of the JSON response."""
    return {name: getattr(odds, name) for name in ("stay", "hit", "bust", "dealer", "best")}


def best_share(session: PlayerSession) -> float | None:
    """Return the proportion of a player's best decisions, or None without decisions."""
    ledgers = _notes(session).ledgers.values()
    decisions = sum(ledger.decisions for ledger in ledgers)
    mistakes = sum(ledger.mistakes for ledger in ledgers)
    return (decisions - mistakes) / decisions if decisions else None


def _notes(session: PlayerSession) -> CoachState:
    return session.value(ROW, CoachState)
