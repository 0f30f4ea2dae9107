"""The coach at the twenty-one tables: the odds of an open decision, and what decisions cost.

It is off until a player asks for it, remembered in the session, and an instructor can switch it off
for the whole server. While it is off it costs a move nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import flask
import msgspec
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.cards import Rank
from cardgames.coach import NOTHING_YET, Decision, Ledger, asked, followed
from cardgames.game import Game, Phase
from cardgames.odds import Odds
from cardgames.twentyone import PIPS, Rules, State, TwentyOne, is_soft, total
from web.sessions import Row, Session, current, rerun_on_conflict

KEY: Final = "coach"
"""The coach's row in a session; no game has this slug."""

coach = flask.Blueprint("coach", __name__)


@dataclass(frozen=True, slots=True)
class Notes:
    """What is kept of a player: whether the coach is wanted, and a ledger a table."""

    on: bool
    ledgers: dict[str, Ledger]


@dataclass(frozen=True, slots=True)
class Help:
    """A rank among the unseen cards that would leave the player better off than staying."""

    rank: str
    count: int

    @property
    def in_words(self) -> str:
        """The count and the rank, ``4 sixes`` for example."""
        plural = "" if self.count == 1 else "es" if self.rank == "six" else "s"
        return f"{self.count} {self.rank}{plural}"


@dataclass(frozen=True, slots=True)
class Advice:
    """What the coach tells on a table's page."""

    on: bool
    odds: Odds | None
    """The odds of the decision that is open."""

    helps: tuple[Help, ...]
    unseen: int
    """How many cards the player has not seen."""

    decisions: tuple[str, ...]
    """Once the round is over, a sentence for each decision in it."""

    ledger: Ledger
    dearest: tuple[str, ...]


def offered(game: Game[Any, Any]) -> bool:
    """Say whether the coach can be asked at a table."""
    return isinstance(game, TwentyOne) and flask.current_app.config["COACH"]


def follow(session: Session, game: Game[Any, Any], before: State, move: str, after: State) -> None:
    """Count a move in the session, where the player wants the coach."""
    if KEY not in session or not isinstance(game, TwentyOne) or not offered(game):
        return
    notes = _notes(session)
    if notes.on:
        ledger = notes.ledgers.get(game.slug, NOTHING_YET)
        ledger = followed(ledger, game.rules, before, move, after)
        _keep(session, replace(notes, ledgers={**notes.ledgers, game.slug: ledger}))


def advice(session: Session, game: Game[Any, Any], state: State) -> Advice | None:
    """Return what the coach tells at a table; nothing where there is no coach."""
    if not isinstance(game, TwentyOne) or not offered(game):
        return None
    notes = _notes(session)
    ledger = notes.ledgers.get(game.slug, NOTHING_YET)
    if not notes.on:
        return Advice(
            on=False, odds=None, helps=(), unseen=0, decisions=(), ledger=ledger, dearest=()
        )
    rules = game.rules
    playing = state.phase is Phase.PLAYING
    odds = asked(rules, state) if playing else None
    return Advice(
        on=True,
        odds=odds,
        helps=tuple(_helps(state, rules, odds)) if odds else (),
        unseen=len(_unseen(state, rules)),
        decisions=() if playing else tuple(_sentence(one, rules) for one in ledger.last),
        ledger=ledger,
        dearest=tuple(f"Round {one.round}: {_sentence(one, rules)}" for one in ledger.dearest),
    )


@coach.post("/coach")
@rerun_on_conflict
def switch() -> flask.Response:
    """Switch the coach on or off, and go back to the table."""
    slug = flask.request.form.get("table", "")
    if slug not in GAMES or not offered(GAMES[slug]):
        raise NotFound
    session = current()
    _keep(session, replace(_notes(session), on=flask.request.form.get("on") == "yes"))
    address = f"{flask.request.script_root}/{slug}"
    return flask.Response(status=303, headers={"Location": address})


def _notes(session: Session) -> Notes:
    row: Row | None = session.get(KEY)
    if row is None:
        return Notes(on=False, ledgers={})
    try:
        return msgspec.msgpack.decode(row.state, type=Notes)
    except msgspec.MsgspecError:
        return Notes(on=True, ledgers={})  # of an older version: the sums begin anew


def _keep(session: Session, notes: Notes) -> None:
    session[KEY] = Row(0, msgspec.Raw(msgspec.msgpack.encode(notes)))


def _unseen(state: State, rules: Rules) -> tuple[Any, ...]:
    hole = state.dealer[rules.hole : rules.hole + 1] if state.hole_down else ()
    return (*hole, *state.deck, *state.buried)


def _helps(state: State, rules: Rules, odds: Odds) -> Iterator[Help]:
    """Yield the ranks that would help, with how many of each the player has not seen."""
    unseen = [card.rank for card in _unseen(state, rules)]
    for rank in Rank:
        if rank in unseen and odds.after.get(PIPS[rank], odds.stay.ev) > odds.stay.ev:
            yield Help(rank.name.lower(), unseen.count(rank))


def _sentence(decision: Decision, rules: Rules) -> str:
    """Say what a decision was worth against the best one."""
    soft = "soft " if is_soft(decision.hand, rules) else ""
    staying = "Staying on" if rules.stay == "Stay" else "Standing on"
    doing = {"hit": "Hitting", "stay": staying, "deal": "Giving up"}[decision.chosen]
    upcard = decision.upcard.rank.name.lower()
    article = "an" if upcard[0] in "ae" else "a"
    what = f"{doing} {soft}{total(decision.hand, rules)} against {article} {upcard}"
    if not decision.cost:
        return f"{what} was the best play."
    return f"{what} cost you {decision.cost * 100:.1f} points in a hundred."
