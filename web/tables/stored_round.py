"""A finished round as the store keeps it: small, and independent of any game's types."""

import time
from collections.abc import Iterable
from itertools import chain, islice
from typing import Any, Final

import msgspec

from cardgames.advice import Decision
from cardgames.cards import Cards, pack_cards, unpack_cards
from cardgames.game import AnyGame
from cardgames.records.line import (
    action_word,
    format_ways,
    parse_actions,
    parse_ways,
    pile_names,
)
from cardgames.records.record import Record

_UNITS: Final = 10**9
"""Parts of a point in which the cost of a decision is kept: a best one takes one byte."""


class PackedCarry(msgspec.Struct, frozen=True, array_like=True):
    """What a round has taken over from the one before it."""

    round: int = 0
    stacked: bool = False
    lengths: tuple[int, ...] = ()
    """How many cards each of the game's piles has."""

    cards: bytes = b""
    """All of them, one pile after the other."""

    ways: str = ""
    """What is known of a buried card, as a record has it."""

    @classmethod
    def of(cls, record: Record, game: AnyGame) -> "PackedCarry":
        """Pack the beginning of a record."""
        if record.carry is None:
            return cls(record.round, record.stacked)
        piles: list[Cards] = [getattr(record.carry, name) for name in pile_names(game)]
        ways = format_ways(getattr(record.carry, "ways", ()))
        cards = pack_cards(chain.from_iterable(piles))
        return cls(record.round, record.stacked, tuple(map(len, piles)), cards, ways)

    def carry(self, game: AnyGame) -> Any:
        """Return the piles in the game's own type; None where nothing was taken over.

        A pile that the game had not yet when this was packed is empty.
        """
        if game.carry_type is None or not self.lengths:
            return None
        cards = iter(unpack_cards(self.cards))
        piles = [tuple(islice(cards, length)) for length in self.lengths]
        missing = len(pile_names(game)) - len(piles)
        known = {"ways": parse_ways(self.ways)} if self.ways else {}
        return game.carry_type(*piles, *(((),) * missing), **known)


class StoredRound(msgspec.Struct, frozen=True, array_like=True):
    """A finished round, as the store keeps it."""

    result: str
    """Who won; a digit is the place among the game's winners."""

    at: int
    """When it was finished, in seconds since 1970."""

    began: PackedCarry
    salts: tuple[bytes, ...]
    """What its shuffles follow from: one salt, or none where nothing was shuffled."""

    moves: str
    """What was done, as words of a record."""

    deal: str = ""
    """The deal link that it was played from, if any."""

    table: bytes = b""
    """At which table it was played: one that could not be read any more had another id."""

    table_round: int = 0
    """Which of the rounds finished at that table it was; 0 where its number says it."""

    costs: tuple[int, ...] | None = None
    """What each decision has cost (:func:`pack_costs`); None where nobody has worked it out yet."""

    @classmethod
    def of(cls, record: Record, game: AnyGame) -> "StoredRound":
        """Return a round that is finished now."""
        winners = tuple(game.info.winners)
        known = record.result in winners
        return cls(
            result=str(winners.index(record.result)) if known else record.result,
            at=int(time.time()),
            began=PackedCarry.of(record, game),
            salts=(bytes.fromhex(record.salt),) if record.salt else (),
            moves=action_words(record),
            costs=() if record.steps == 1 else None,  # over with the deal: nothing was decided
        )

    def at_table(self, table: bytes, number: int) -> "StoredRound":
        """Return it with the table that it was played at, and which of its rounds it was."""
        return msgspec.structs.replace(self, table=table, table_round=number)

    def with_costs(self, costs: tuple[int, ...]) -> "StoredRound":
        """Return it with what its decisions have cost."""
        return msgspec.structs.replace(self, costs=costs)

    def packed(self) -> bytes:
        """Return it as it is kept."""
        return msgspec.msgpack.encode(self)

    @classmethod
    def unpacked(cls, data: bytes) -> "StoredRound":
        """Read it again.

        Raises:
            MsgspecError: it cannot be read.
        """
        return msgspec.msgpack.decode(data, type=cls)

    def winner(self, game: AnyGame) -> str:
        """Return who won, as the tally names them."""
        winners = tuple(game.info.winners)
        digit = self.result.isdigit() and int(self.result) < len(winners)
        return winners[int(self.result)] if digit else self.result

    def record(self, game: AnyGame) -> Record:
        """Return the record of the round.

        Raises:
            InvalidRecord: it cannot be read.
        """
        return Record(
            game=game.info.slug,
            round=self.began.round,
            stacked=self.began.stacked,
            carry=self.began.carry(game),
            salt=self.salts[0].hex() if self.salts else "",
            actions=parse_actions(self.moves.split(" "), game),
            result=self.winner(game),
        )


def pack_costs(decisions: Iterable[Decision]) -> tuple[int, ...]:
    """Return what decisions have cost as whole numbers, from which :func:`best_and_cost` reads it.

    >>> decision = Decision(1, (), Card("2C"), "stay", "hit", 0.25)
    >>> [best_and_cost(cost) for cost in pack_costs([decision])]
    [('hit', 0.25)]
    """
    return tuple(round(one.cost * _UNITS) * 2 + (one.best == "hit") for one in decisions)


def best_and_cost(packed: int) -> tuple[str, float]:
    """Return which decision was the best, and how many points the one that was taken has cost."""
    return "hit" if packed % 2 else "stay", packed // 2 / _UNITS


def action_words(record: Record) -> str:
    """Return what was done in a round, as words of a record with blanks between."""
    return " ".join(map(action_word, record.actions))
