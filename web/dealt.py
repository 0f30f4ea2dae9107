"""A deal as it is kept, and what a player who has finished it is told of everyone's rounds.

Nothing here asks a store or a session: all follows from the deal, and from what the players did.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import msgspec

from cardgames import GAMES
from cardgames.cards import Cards
from cardgames.coach import Ledger, judged
from cardgames.game import Before
from cardgames.luck import seal, sealed_text
from cardgames.onedeal import Ends, OneDeal, Path, best_played, partings
from cardgames.record import Played, Record, parsed_moves, recorded, replayed, single_moves
from cardgames.twentyone import TwentyOne, is_soft, total
from cardgames.words import Text
from web import coach
from web.history import in_address, signature


class Deal(msgspec.Struct, frozen=True, array_like=True):
    """A deal as it is kept: all that its cards follow from."""

    version: int
    game: str
    counted: bool
    seeded: bool
    """Whether the salt follows from the maker's seed."""

    salt: bytes
    choices: tuple[tuple[str, str], ...]
    """The fields of the deal as a record has them: a deck as codes."""

    @property
    def dealt(self) -> Played:
        """The first move of everyone's round."""
        return Played("deal", self.choices)

    @property
    def round(self) -> OneDeal[Any, Any]:
        """The round that everyone plays."""
        choices = {
            name: _lines(value) if name.endswith("deck") else value for name, value in self.choices
        }
        return OneDeal(GAMES[self.game], choices)

    @property
    def kind(self) -> str:
        """The name of its kind."""
        return "counted" if self.counted else "practice"


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    """What is kept of a player who has finished a deal."""

    winner: str
    """Who won, where the game has sides."""

    moves: str
    """What he did after the deal, as words of a record."""

    step: int
    """How many moves his table has accepted."""

    number: int
    """Which round of his history it is; 0 for none."""

    @property
    def path(self) -> Path:
        """What he did at a twenty-one table."""
        moves = parsed_moves(self.moves.split())
        hits = sum(move.times for move in moves if move.name == "hit")
        return Path(hits, any(move.name == "stay" for move in moves), self.winner)


@dataclass(frozen=True, slots=True)
class Bar:
    """How many players' rounds ended in one way."""

    name: str
    """``won``, ``tied`` or ``lost``."""

    count: int
    share: float
    yours: bool


@dataclass(frozen=True, slots=True)
class Fork:
    """A decision, and what became of those who took it one way and the other."""

    hand: Text
    stay: str
    """What staying is called at the table."""

    ends: Mapping[str, Ends]
    """By ``hit`` and ``stay``."""

    yours: str
    """Which of them you chose; empty where you did not come so far."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What the cards of a deal were worth, and what you have made of them."""

    decisions: tuple[Text, ...]
    ledger: Ledger
    best: str
    """How the round ends for who takes the best decision by the odds each time."""


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A shuffle whose seal is opened."""

    seal: str
    text: str
    """What was sealed: the salt and the order."""


@dataclass(frozen=True, slots=True)
class Over:
    """What a player is told of a deal that he has finished."""

    bars: tuple[Bar, ...]
    """How it ended for everyone; none where nothing is decided."""

    forks: tuple[Fork, ...]
    worth: Worth | None
    number: int
    """Which round of the player's history it is; 0 for none."""

    full: bool
    """Whether more players came than results are kept."""

    record: str
    replay: str
    """What stands in the address at which the round can be looked at step by step."""

    decks: Mapping[str, Cards]
    shuffles: tuple[Shuffle, ...]


def _lines(codes: str) -> str:
    """Return a deck as a file has it: a card a line."""
    return "\n".join(codes[place : place + 2] for place in range(0, len(codes), 2))


@lru_cache(maxsize=64)
def round_of(deal: Deal, moves: str) -> tuple[Record, Any]:
    """Return the record of a player's round, and the table at its end.

    Remembered, because whoever plays War to its end plays the same hundreds of turns.
    """
    played = (deal.dealt, *parsed_moves(moves.split()))
    return recorded(deal.game, Before(), (deal.salt.hex(),), played)


def told_of(deal: Deal, outcomes: list[Outcome], yours: Outcome | None, moves: str) -> Over:
    """Return all there is to tell of a deal to a player who has finished it."""
    record, state = round_of(deal, moves)
    winner = deal.round.won(state) or ""
    everyone = outcomes if yours else [*outcomes, Outcome(winner, moves, 0, 0)]
    inner = GAMES[deal.game]
    twentyone = inner if isinstance(inner, TwentyOne) else None
    path = Outcome(winner, moves, 0, 0).path
    return Over(
        bars=_bars([one.winner for one in everyone], winner) if twentyone else (),
        forks=_forks(deal, twentyone, [one.path for one in everyone], path) if twentyone else (),
        worth=_worth(deal, twentyone, record) if twentyone and coach.offered(inner) else None,
        number=yours.number if yours else 0,
        full=yours is None,
        record=record.text,
        replay=f"{in_address(record)}~{signature(record.text)}",
        decks=deal.round.dealt(deal.salt.hex())[1],
        shuffles=_shuffles(deal, record),
    )


_NAMED: Final = {"player": "won", "tie": "tied", "dealer": "lost"}


def _bars(winners: list[str], yours: str) -> tuple[Bar, ...]:
    """Return how a deal ended for everyone."""
    return tuple(
        Bar(name, winners.count(who), winners.count(who) / len(winners), yours=who == yours)
        for who, name in _NAMED.items()
    )


def _forks(deal: Deal, game: TwentyOne, paths: list[Path], yours: Path) -> tuple[Fork, ...]:
    """Return the decisions of a deal, and who took which."""
    return tuple(
        Fork(
            hand=_hand(game, parting.table),
            stay=game.rules.stay,
            ends={"hit": parting.hit, "stay": parting.stay},
            yours=_choice(yours, hits),
        )
        for hits, parting in enumerate(partings(deal.round, deal.salt.hex(), paths))
    )


def _choice(path: Path, hits: int) -> str:
    """Return what a player did after so many hits; nothing if he did not come so far."""
    if path.hits > hits:
        return "hit"
    return "stay" if path.hits == hits and path.stayed else ""


def _hand(game: TwentyOne, table: Any) -> Text:
    """Say what was to be decided."""
    soft = is_soft(table.player, game.rules)
    against = coach.AGAINST[table.dealer[1 - game.rules.hole].rank]
    sentence = Text("Soft {total} {against}") if soft else Text("{total} {against}")
    return sentence.filled(total=total(table.player, game.rules), against=against)


def _worth(deal: Deal, game: TwentyOne, record: Record) -> Worth:
    """Return what the decisions of a round were worth, by the exact odds at each."""
    moves = [name for name, _ in single_moves(record.moves)]
    ledger = judged(game.rules, replayed(record), moves)
    best = best_played(deal.round, game.rules, deal.salt.hex())
    return Worth(
        decisions=tuple(coach.judgement(one, game.rules) for one in ledger.last),
        ledger=ledger,
        best=_NAMED[best.winner],
    )


def _shuffles(deal: Deal, record: Record) -> tuple[Shuffle, ...]:
    """Return the seals of the shuffles, opened."""
    salt = deal.salt.hex()
    return tuple(
        Shuffle(seal(salt, order), sealed_text(salt, order)) for order in record.sealed_orders
    )
