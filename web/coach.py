"""The coach at the twenty-one tables: the odds of an open decision, and what decisions cost.

It is off until a player asks for it, remembered in the session, and an instructor can switch it off
for the whole server. While it is off it costs a move nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, TypeGuard

import flask
import msgspec
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.cards import Rank
from cardgames.coach import NOTHING_YET, Decision, Ledger, asked, followed
from cardgames.game import AnyGame, Phase
from cardgames.odds import Odds
from cardgames.twentyone import PIPS, Rules, State, TwentyOne, is_soft, total
from cardgames.words import Text, counted, figure, listed
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

    rank: Rank
    count: int

    @property
    def in_words(self) -> Text:
        """The count and the rank, ``4 sixes`` for example."""
        return _RANKS[self.rank].filled(number=self.count)


@dataclass(frozen=True, slots=True)
class Advice:
    """What the coach tells on a table's page."""

    on: bool
    odds: Odds | None
    """The odds of the decision that is open."""

    helps: tuple[Help, ...]
    unseen: int
    """How many cards the player has not seen."""

    decisions: tuple[Text, ...]
    """Once the round is over, a sentence for each decision in it."""

    ledger: Ledger
    dearest: tuple[Text, ...]

    @property
    def hope(self) -> Text:
        """Which cards would help, in a sentence."""
        if not self.helps:
            return Text("No card would leave you better off than stopping now.")
        return Text(
            "Cards that would leave you better off than stopping now: {cards} of the {unseen} you "
            "have not seen.",
            cards=listed(one.in_words for one in self.helps),
            unseen=self.unseen,
        )


def offered(game: AnyGame) -> TypeGuard[TwentyOne]:
    """Say whether the coach can be asked at a table: at the twenty-one tables only."""
    return isinstance(game, TwentyOne) and flask.current_app.config["COACH"]


def follow(session: Session, game: AnyGame, before: State, move: str, after: State) -> None:
    """Count a move in the session, where the player wants the coach."""
    if KEY not in session or not offered(game):
        return
    notes = _notes(session)
    if notes.on:
        ledger = notes.ledgers.get(game.slug, NOTHING_YET)
        ledger = followed(ledger, game.rules, before, move, after)
        _keep(session, replace(notes, ledgers={**notes.ledgers, game.slug: ledger}))


def advice(session: Session, game: AnyGame, state: State) -> Advice | None:
    """Return what the coach tells at a table; nothing where there is no coach."""
    if not offered(game):
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
        decisions=() if playing else tuple(judgement(one, rules) for one in ledger.last),
        ledger=ledger,
        dearest=tuple(
            Text("Round {number}: {sentence}", number=one.round, sentence=judgement(one, rules))
            for one in ledger.dearest
        ),
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
            yield Help(rank, unseen.count(rank))


def judgement(decision: Decision, rules: Rules) -> Text:
    """Say what a decision was worth against the best one."""
    chosen = rules.stay if decision.chosen == "stay" else decision.chosen
    best, dear = _JUDGED[chosen, is_soft(decision.hand, rules)]
    return (dear if decision.cost else best).filled(
        total=total(decision.hand, rules),
        against=AGAINST[decision.upcard.rank],
        points=figure(decision.cost * 100, ".1f"),
    )


@coach.app_template_global()
def dealer_ends(odds: Odds) -> Text:
    """Say with what chances the dealer ends on each total."""
    totals = (
        Text("{total}: {chance}", total=total, chance=figure(chance, ".1%"))
        for total, chance in odds.dealer.items()
        if total not in ("bust", "out")
    )
    bust = figure(odds.dealer["bust"], ".1%")
    return Text("The dealer ends on {totals}, bust: {bust}.", totals=listed(totals), bust=bust)


_JUDGED: Final = {
    ("hit", False): (
        Text("Hitting {total} {against} was the best play."),
        Text("Hitting {total} {against} cost you {points} points in a hundred."),
    ),
    ("hit", True): (
        Text("Hitting soft {total} {against} was the best play."),
        Text("Hitting soft {total} {against} cost you {points} points in a hundred."),
    ),
    ("Stay", False): (
        Text("Staying on {total} {against} was the best play."),
        Text("Staying on {total} {against} cost you {points} points in a hundred."),
    ),
    ("Stay", True): (
        Text("Staying on soft {total} {against} was the best play."),
        Text("Staying on soft {total} {against} cost you {points} points in a hundred."),
    ),
    ("Stand", False): (
        Text("Standing on {total} {against} was the best play."),
        Text("Standing on {total} {against} cost you {points} points in a hundred."),
    ),
    ("Stand", True): (
        Text("Standing on soft {total} {against} was the best play."),
        Text("Standing on soft {total} {against} cost you {points} points in a hundred."),
    ),
    ("deal", False): (
        Text("Giving up {total} {against} was the best play."),
        Text("Giving up {total} {against} cost you {points} points in a hundred."),
    ),
    ("deal", True): (
        Text("Giving up soft {total} {against} was the best play."),
        Text("Giving up soft {total} {against} cost you {points} points in a hundred."),
    ),
}
"""The judgement on a decision where it was the best and where it was not: by the move, or what
staying is called at the table, and by whether the hand was soft."""

AGAINST: Final = {
    Rank.ACE: Text("against an ace"),
    Rank.TWO: Text("against a two"),
    Rank.THREE: Text("against a three"),
    Rank.FOUR: Text("against a four"),
    Rank.FIVE: Text("against a five"),
    Rank.SIX: Text("against a six"),
    Rank.SEVEN: Text("against a seven"),
    Rank.EIGHT: Text("against an eight"),
    Rank.NINE: Text("against a nine"),
    Rank.TEN: Text("against a ten"),
    Rank.JACK: Text("against a jack"),
    Rank.QUEEN: Text("against a queen"),
    Rank.KING: Text("against a king"),
}
"""The dealer's upcard, as it stands in a judgement."""

_RANKS: Final = {
    Rank.ACE: counted("{number} ace", "{number} aces", 1),
    Rank.TWO: counted("{number} two", "{number} twos", 1),
    Rank.THREE: counted("{number} three", "{number} threes", 1),
    Rank.FOUR: counted("{number} four", "{number} fours", 1),
    Rank.FIVE: counted("{number} five", "{number} fives", 1),
    Rank.SIX: counted("{number} six", "{number} sixes", 1),
    Rank.SEVEN: counted("{number} seven", "{number} sevens", 1),
    Rank.EIGHT: counted("{number} eight", "{number} eights", 1),
    Rank.NINE: counted("{number} nine", "{number} nines", 1),
    Rank.TEN: counted("{number} ten", "{number} tens", 1),
    Rank.JACK: counted("{number} jack", "{number} jacks", 1),
    Rank.QUEEN: counted("{number} queen", "{number} queens", 1),
    Rank.KING: counted("{number} king", "{number} kings", 1),
}
"""So many cards of a rank."""
