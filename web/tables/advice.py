"""The coach at a table: the odds of an open decision, and what decisions cost.

It is there where a game has an advisor, off until a player asks for it, and remembered in the
session; an instructor can switch it off for the whole server. While it is off it costs a move
nothing.
"""

from dataclasses import dataclass, replace
from typing import Final

import flask
import msgspec
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.advice import Advisor, Decision, Odds
from cardgames.game import AnyGame
from cardgames.ledger import EMPTY_LEDGER, Ledger, after_move
from cardgames.table import Phase, Table
from cardgames.text import Text, comma_join, format_number
from web.storage.sessions import Session, current_session, retry_on_conflict

ROW: Final = "advice"
"""The key of the coach's row in a session."""

blueprint = flask.Blueprint("advice", __name__)


@dataclass(frozen=True, slots=True)
class Notes:
    """What is kept of a player: whether the coach is wanted, and a ledger a table."""

    on: bool
    ledgers: dict[str, Ledger]


@dataclass(frozen=True, slots=True)
class Advice:
    """What the coach tells on a table's page."""

    advisor: Advisor
    on: bool
    ledger: Ledger
    odds: Odds | None = None
    """The odds of the decision that is open."""

    outs: tuple[Text, ...] = ()
    """Which cards would help."""

    unseen: int = 0
    """How many cards the player has not seen."""

    decisions: tuple[Text, ...] = ()
    """Once the round is over, a sentence for each decision in it."""

    costliest: tuple[Text, ...] = ()

    @property
    def outs_text(self) -> Text:
        """Which cards would help, in a sentence."""
        if not self.outs:
            return Text("No card would leave you better off than stopping now.")
        return Text(
            "Cards that would leave you better off than stopping now: {cards} of the {unseen} you "
            "have not seen.",
            cards=comma_join(self.outs),
            unseen=self.unseen,
        )


def advisor_of(game: AnyGame) -> Advisor | None:
    """Return who can be asked about a game's decisions, unless the instructor has no coach."""
    return game.advisor if flask.current_app.config["COACH"] else None


def record_move(
    session: Session, before: Table, move: str, after: Table
) -> tuple[Decision, ...] | None:
    """Count a move in the session, where the player wants the coach.

    Args:
        session: the player's session.
        before: the table before the move.
        move: the move's name.
        after: the table after it.

    Returns:
        What was decided in the round on the table, if that is over and all of it is known.
    """
    game = after.game
    advisor = advisor_of(game)
    if not advisor or not (notes := _notes(session)).on:
        return None
    ledger = notes.ledgers.get(game.info.slug, EMPTY_LEDGER)
    ledger = after_move(ledger, advisor, before, move, after)
    _keep(session, replace(notes, ledgers={**notes.ledgers, game.info.slug: ledger}))
    decided = ledger.current_decisions
    is_known = after.result is not None and len(decided) == after.record.steps - 1
    return decided if is_known else None


def advice(session: Session, table: Table) -> Advice | None:
    """Return what the coach tells at a table; None where there is no coach."""
    advisor = advisor_of(table.game)
    if not advisor:
        return None
    notes = _notes(session)
    ledger = notes.ledgers.get(table.game.info.slug, EMPTY_LEDGER)
    if not notes.on:
        return Advice(advisor, on=False, ledger=ledger)
    costliest = tuple(
        Text("Round {number}: {sentence}", number=one.round, sentence=advisor.assessment(one))
        for one in ledger.costliest
    )
    if table.phase is not Phase.PLAYING:
        decisions = tuple(map(advisor.assessment, ledger.current_decisions))
        return Advice(advisor, on=True, ledger=ledger, decisions=decisions, costliest=costliest)
    odds = advisor.odds(table.state)
    return Advice(
        advisor,
        on=True,
        ledger=ledger,
        odds=odds,
        outs=tuple(map(advisor.out_text, advisor.outs(table.state, odds))),
        unseen=len(advisor.unseen(table.state)),
        costliest=costliest,
    )


def share_of_best(session: Session) -> float | None:
    """Return the share of a player's decisions that were the best ones; None without any."""
    ledgers = _notes(session).ledgers.values() if flask.current_app.config["COACH"] else ()
    decisions = sum(ledger.decisions for ledger in ledgers)
    mistakes = sum(ledger.mistakes for ledger in ledgers)
    return (decisions - mistakes) / decisions if decisions else None


@blueprint.post("/coach")
@retry_on_conflict
def toggle() -> flask.Response:
    """Switch the coach on or off, and go back to the table."""
    slug = flask.request.form.get("table", "")
    if slug not in GAMES or not advisor_of(GAMES[slug]):
        raise NotFound
    session = current_session()
    _keep(session, replace(_notes(session), on=flask.request.form.get("on") == "yes"))
    address = f"{flask.request.script_root}/{slug}"
    return flask.Response(status=303, headers={"Location": address})


def _notes(session: Session) -> Notes:
    row = session.get(ROW)
    try:
        return msgspec.msgpack.decode(row, type=Notes) if row else Notes(on=False, ledgers={})
    except msgspec.MsgspecError:
        return Notes(on=True, ledgers={})  # of another version: the sums begin anew


def _keep(session: Session, notes: Notes) -> None:
    session[ROW] = msgspec.Raw(msgspec.msgpack.encode(notes))


@blueprint.app_template_global()
def dealer_ends(odds: Odds) -> Text:
    """Say with what chances the dealer ends on each total."""
    totals = (
        Text("{total}: {chance}", total=total, chance=format_number(chance, ".1%"))
        for total, chance in odds.dealer.items()
        if total not in ("bust", "out")
    )
    bust = format_number(odds.dealer["bust"], ".1%")
    return Text("The dealer ends on {totals}, bust: {bust}.", totals=comma_join(totals), bust=bust)
