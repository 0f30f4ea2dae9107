"""The coach at a table: the odds of an open decision, and what decisions cost.

It is there where a game has an advisor, off until a player asks for it, and remembered in the
session; an instructor can switch it off for the whole server. While it is off it costs a move
nothing. It speaks *before* a move, with the chances of each, or *after* it: right or wrong, and
what that cost.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

import msgspec
from werkzeug.exceptions import NotFound

from cardgames.advice import Advisor, Decision, Odds
from cardgames.game import AnyGame
from cardgames.ledger import EMPTY_LEDGER, Ledger, after_move
from cardgames.moves import Move
from cardgames.table import Phase, Table
from cardgames.text import Text, comma_join
from web.http.sessions import PlayerSession

ROW: Final = "advice"
"""The key of the coach's row in a session."""

Mode = Literal["off", "after", "before"]
"""When the coach speaks."""

MODES: Final = get_args(Mode)


class Notes(msgspec.Struct, frozen=True):
    """What is kept of a player: when the coach speaks, and a ledger a table."""

    mode: Mode = "off"
    ledgers: dict[str, Ledger] = {}


class Advice(msgspec.Struct, frozen=True):
    """What the coach shows on a table's page."""

    advisor: Advisor
    mode: Mode
    ledger: Ledger
    odds: Odds | None = None
    """The odds of the decision that is open."""

    outs: Text | None = None
    """Which cards would help there, in a sentence."""

    decisions: tuple[tuple[Decision, Text], ...] = ()
    """The decisions of the round as far as they may be judged now, each with a sentence."""

    @property
    def costliest(self) -> list[Text]:
        """What the costliest mistakes were."""
        sentence = Text("Round {number}: {sentence}")
        return [
            sentence.fill(number=one.round, sentence=self.advisor.assessment(one))
            for one in self.ledger.costliest
        ]


def advisor_or_404(game: AnyGame) -> Advisor:
    """Return a game's advisor.

    Raises:
        NotFound: If it has none.
    """
    if not game.advisor:
        raise NotFound
    return game.advisor


def record_move(session: PlayerSession, before: Table, move: str, after: Table) -> None:
    """Count a move in the session, where the player wants the coach.

    Args:
        session: the player's session.
        before: the table before the move.
        move: the move's name.
        after: the table after it.
    """
    game = after.game
    advisor = game.advisor
    notes = _notes(session)
    if not advisor or notes.mode == "off":
        return
    ledger = notes.ledgers.get(game.info.slug, EMPTY_LEDGER)
    ledger = after_move(ledger, advisor, before, move, after)
    ledgers = {**notes.ledgers, game.info.slug: ledger}
    session.keep(ROW, msgspec.structs.replace(notes, ledgers=ledgers))


def advice(session: PlayerSession, table: Table) -> Advice | None:
    """Return what the coach shows at a table; None where there is no coach."""
    advisor = table.game.advisor
    if not advisor:
        return None
    notes = _notes(session)
    ledger = notes.ledgers.get(table.game.info.slug, EMPTY_LEDGER)
    said, is_open = Advice(advisor, notes.mode, ledger), table.phase is Phase.PLAYING
    if said.mode == "off":
        return said
    if said.mode == "before" and is_open:
        odds = advisor.odds(table.state)
        outs = _outs_text(advisor, table, odds)
        return msgspec.structs.replace(said, odds=odds, outs=outs)
    decisions = tuple((one, advisor.assessment(one)) for one in ledger.current_decisions)
    return msgspec.structs.replace(said, decisions=decisions[-1:] if is_open else decisions)


def _outs_text(advisor: Advisor, table: Table, odds: Odds) -> Text:
    """Say which cards would help at a table."""
    outs = advisor.outs(table.state, odds)
    if not outs:
        return Text("No card would leave you better off than stopping now.")
    return Text(
        "Cards that would leave you better off than stopping now: {cards} of the {unseen} you "
        "have not seen.",
        cards=comma_join(tuple(map(advisor.out_text, outs))),
        unseen=len(advisor.unseen(table.state)),
    )


class Regret(NamedTuple):
    """A decision of a lost round that could have been taken otherwise."""

    text: Text
    """The question that its player asks."""

    step: int
    """After how many moves of the round the decision was open."""

    move: Move
    """What was not done."""


def regret_of(table: Table, costs: Sequence[float]) -> Regret | None:
    """Return the decision to regret: the costliest mistake, else the last one; None without a loss.

    Args:
        table: the table as it stands.
        costs: what each decision of its round has cost, where that is known.
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
    """Return odds as the JSON has them."""
    return {name: getattr(odds, name) for name in ("stay", "hit", "bust", "dealer", "best")}


def share_of_best(session: PlayerSession) -> float | None:
    """Return the share of a player's decisions that were the best ones; None without any."""
    ledgers = _notes(session).ledgers.values()
    decisions = sum(ledger.decisions for ledger in ledgers)
    mistakes = sum(ledger.mistakes for ledger in ledgers)
    return (decisions - mistakes) / decisions if decisions else None


def choose_mode(session: PlayerSession, mode: str) -> None:
    """Let the coach speak when the player says, one of :data:`MODES`."""
    session.keep(ROW, msgspec.structs.replace(_notes(session), mode=mode))


def _notes(session: PlayerSession) -> Notes:
    return session.value(ROW, Notes)
