"""The drill: a player's costliest decisions, dealt again and judged at once.

It deals situations, not rounds: a hand, an upcard, and a fresh deck around them. They come from the
player's finished rounds; until enough is known of those, from what players commonly get wrong. What
is decided here is counted here alone: no tally and no history has it.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import ClassVar, Final, Self

import flask
import msgspec
from werkzeug.exceptions import NotFound

from cardgames.advice import Advisor, Decision
from cardgames.cards import Card, Cards, Rank, Suit
from cardgames.game import AnyGame
from cardgames.ledger import EMPTY_LEDGER, Ledger, after_decision
from cardgames.moves import Move
from cardgames.records.replay import replay
from cardgames.table import Table
from cardgames.text import Text
from web.http.requests import sent_texts
from web.http.responses import render_page, see_other
from web.rounds.costs import decisions_of, with_costs
from web.rounds.finished import latest_rounds
from web.storage.session_rows import keep_row
from web.storage.sessions import Session, current_session, retry_on_conflict
from web.tables.advice import Advice, advisor_of
from web.tables.location import game_or_404
from web.tables.page import ShownTable
from web.tables.rows import UNREADABLE

ROW: Final = "drill"
"""The key of the drills' row in a session."""

SET_SIZE: Final = 10
"""Number of situations that are chosen at a time."""

MAX_ROUNDS: Final = 100
"""Maximum number of the latest rounds that situations come from."""

MAX_NEW: Final = 10
"""Maximum number of rounds whose costs are computed for one page, where they are not known yet."""

blueprint = flask.Blueprint("drill", __name__)


class Posed(msgspec.Struct, frozen=True, array_like=True):
    """A situation that is dealt: what the player holds, and the upcard."""

    hand: Cards
    upcard: Card

    def in_other_suits(self, order: list[Suit]) -> Self:
        """Return it with the suits exchanged for others: the same decision with other cards."""
        other = dict(zip(Suit, order, strict=True))
        hand = tuple(Card(card.rank + other[card.suit]) for card in self.hand)
        return self.__class__(hand, Card(self.upcard.rank + other[self.upcard.suit]))


class Drill(msgspec.Struct, frozen=True, array_like=True):
    """How a player's drill at a table stands."""

    step: int = 0
    """How many moves it has accepted: an old page cannot answer again."""

    queue: tuple[Posed, ...] = ()
    """The situations to come, the first of which is on the table."""

    ledger: Ledger = EMPTY_LEDGER
    """Its decisions summed up; the last one of them stands under ``current_decisions``."""

    own: int = 0
    """How many of the situations chosen last were the player's own."""

    @property
    def judged(self) -> Decision | None:
        """The decision on the situation on the table, once it is made."""
        return next(iter(self.ledger.current_decisions), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillPage:
    """The page of the drill of a table."""

    layout: ClassVar[str] = "drill.html"
    chart: ClassVar[None] = None
    owns_deck: ClassVar[bool] = False
    table: ShownTable
    root: str
    step: int
    situation: Text | None
    """What is to be decided; None before the first."""

    moves: tuple[Move, ...]
    """What can be decided now; none where the next situation is to be dealt."""

    deals: Move
    advice: Advice
    own: int
    others: bool
    """Whether there are situations besides the player's own."""

    @property
    def base_url(self) -> str:
        """Where the pages about the game are."""
        return f"{self.root}/{self.table.game.info.slug}"


@blueprint.get("/<slug>/drill")
def show(slug: str) -> flask.Response:
    """Show the situation that is dealt. Nothing is written."""
    game, advisor = _drilled(slug)
    return _page(game, advisor, _drills(current_session()).get(slug, Drill()))


@blueprint.post("/<slug>/drill")
@retry_on_conflict
def move(slug: str) -> flask.Response:
    """Decide, or have the next situation dealt. A form of an old page changes nothing."""
    game, advisor = _drilled(slug)
    session = current_session()
    drills = _drills(session)
    drill = drills.get(slug, Drill())
    form = sent_texts()
    if form.get("step") == str(drill.step):
        after = _after(game, advisor, drill, form.get("move", ""))
        if after is not drill:
            drills[slug] = after
            keep_row(session, ROW, drills)
    return see_other(f"{flask.request.root_path}/{slug}/drill", lambda: show(slug))


def choose_situations(costly: list[Posed], common: list[Posed], rng: random.Random) -> list[Posed]:
    """Return a set of situations, in any order.

    Args:
        costly: the player's own, the costliest first.
        common: what others commonly get wrong, where the player has too few.
        rng: the source of randomness.
    """
    own = costly[:SET_SIZE]
    chosen = [*own, *rng.sample(common, min(len(common), SET_SIZE - len(own)))]
    return rng.sample(chosen, len(chosen))


def costly_situations(
    game: AnyGame, advisor: Advisor, decisions: Iterator[Decision]
) -> list[Posed]:
    """Return the situations in which a player has given something away, the costliest first.

    Situations that only differ in how the same hand was come by are one: its latest cards stand for
    it.

    Args:
        game: the table's.
        advisor: the game's.
        decisions: what was decided, the latest first.
    """
    cost: dict[tuple[int, bool, Rank], float] = {}
    posed: dict[tuple[int, bool, Rank], Posed] = {}
    decided = {move.name for move in game.round_moves}
    for one in decisions:
        if one.cost and one.chosen in decided:
            situation = advisor.situation(advisor.pose(one.hand, one.upcard))
            key = situation.total, situation.soft, situation.upcard.rank
            cost[key] = cost.get(key, 0.0) + one.cost
            posed.setdefault(key, Posed(one.hand, one.upcard))
    return [posed[key] for key in sorted(posed, key=lambda key: -cost[key])]


def _drilled(slug: str) -> tuple[AnyGame, Advisor]:
    """Return a game and its advisor.

    Raises:
        NotFound: it has none, or the instructor wants no coach.
    """
    game = game_or_404(slug)
    advisor = advisor_of(game)
    if not advisor:
        raise NotFound
    return game, advisor


def _drills(session: Session) -> dict[str, Drill]:
    """Return a player's drills by their tables; what cannot be read is begun anew."""
    try:
        row = session.get(ROW)
        return msgspec.msgpack.decode(row, type=dict[str, Drill]) if row else {}
    except UNREADABLE:
        return {}


def _after(game: AnyGame, advisor: Advisor, drill: Drill, move: str) -> Drill:
    """Return a drill after a move; the same one where there is no such move now."""
    is_open = drill.queue and not drill.judged
    if is_open and move in {one.name for one in game.round_moves}:
        ledger = after_decision(drill.ledger, advisor, _posed_table(game, advisor, drill), move)
        return msgspec.structs.replace(drill, step=drill.step + 1, ledger=ledger)
    if not is_open and move == game.deals.name:
        return _next(game, advisor, drill)
    return drill


def _next(game: AnyGame, advisor: Advisor, drill: Drill) -> Drill:
    """Return a drill with its next situation; what was decided wrongly comes once more."""
    rng = random.SystemRandom()
    queue, own = drill.queue[1:], drill.own
    if drill.judged and drill.judged.cost:
        queue = (*queue, drill.queue[0])
    if not queue:
        costly = costly_situations(game, advisor, _decisions(game, advisor))
        common = [Posed(*one) for one in advisor.hard_situations]
        queue = tuple(choose_situations(costly, common, rng))
        own = min(len(costly), SET_SIZE)
    first = queue[0].in_other_suits(rng.sample(tuple(Suit), len(Suit)))
    return Drill(
        step=drill.step + 1,
        queue=(first, *queue[1:]),
        ledger=replace(drill.ledger, current_decisions=()),
        own=own,
    )


def _decisions(game: AnyGame, advisor: Advisor) -> Iterator[Decision]:
    """Yield what the player has decided in their finished rounds, the latest first."""
    rounds = latest_rounds(game, MAX_ROUNDS)
    unknown = [one for one in rounds if one.stored.costs is None]
    worked_out = with_costs(game, advisor, list(islice(unknown, MAX_NEW)))
    known = [one for one in rounds if one.stored.costs is not None]
    for one in sorted((*known, *worked_out), key=lambda one: one.number, reverse=True):
        record = one.stored.record(game)
        costs = one.stored.costs or ()
        if len(costs) == record.steps - 1:
            yield from decisions_of(advisor, costs, record, replay(record))


def _posed_table(game: AnyGame, advisor: Advisor, drill: Drill) -> Table:
    """Return the table with the situation on it; an empty one before the first."""
    if not drill.queue:
        return Table(game)
    return Table(game, advisor.pose(drill.queue[0].hand, drill.queue[0].upcard))


def _page(game: AnyGame, advisor: Advisor, drill: Drill) -> flask.Response:
    table = _posed_table(game, advisor, drill)
    judged, state = drill.judged, table.state
    decisions = ((judged, advisor.assessment(judged)),) if judged else ()
    is_open = state is not None and not judged
    page = DrillPage(
        table=ShownTable.of(table),
        root=flask.request.script_root,
        step=drill.step,
        situation=advisor.situation_text(advisor.situation(state)) if drill.queue else None,
        moves=tuple(game.moves(state)) if is_open else (),
        deals=game.deals,
        advice=Advice(
            advisor,
            "after",
            drill.ledger,
            odds=advisor.odds(state) if judged else None,
            decisions=decisions,
        ),
        own=drill.own,
        others=drill.own < SET_SIZE,
    )
    return render_page(page.table.templates, page=page)
