"""A finished round as the store keeps it: in little room, and in the shape of no game's state."""

import time
from typing import Any, Final

import msgspec

from cardgames.cards import Card, Cards, pack_cards, unpack_cards
from cardgames.game import AnyGame
from cardgames.records.line import action_word, parse_actions, pile_names
from cardgames.records.record import Record

_VERSION: Final = 1
_CODES: Final = b"\xff"
"""How cards begin that are kept by their codes: packed ones begin with their number."""


class PackedCarry(msgspec.Struct, frozen=True, array_like=True):
    """What a round has taken over from the one before it."""

    round: int = 0
    stacked: bool = False
    lengths: tuple[int, ...] = ()
    """How many cards each of the game's piles has."""

    cards: bytes = b""
    """All of them, one pile after the other."""

    @classmethod
    def of(cls, record: Record, game: AnyGame) -> "PackedCarry":
        """Pack the beginning of a record."""
        if record.carry is None:
            return cls(record.round, record.stacked)
        piles: list[Cards] = [getattr(record.carry, name) for name in pile_names(game)]
        cards = tuple(card for pile in piles for card in pile)
        return cls(record.round, record.stacked, tuple(map(len, piles)), pack_any(cards))

    def carry(self, game: AnyGame) -> Any:
        """Return the piles in the game's own type; None where nothing was taken over."""
        if game.carry_type is None or not self.lengths:
            return None
        cards = iter(unpack_any(self.cards))
        piles = zip(pile_names(game), self.lengths, strict=True)
        return game.carry_type(
            **{name: tuple(next(cards) for _ in range(length)) for name, length in piles}
        )


class StoredRound(msgspec.Struct, frozen=True, array_like=True):
    """A finished round, as the store keeps it."""

    version: int
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

    @classmethod
    def of(cls, record: Record, game: AnyGame) -> "StoredRound":
        """Return a round that is finished now."""
        winners = tuple(game.info.winners)
        known = record.result in winners
        return cls(
            version=_VERSION,
            result=str(winners.index(record.result)) if known else record.result,
            at=int(time.time()),
            began=PackedCarry.of(record, game),
            salts=(bytes.fromhex(record.salt),) if record.salt else (),
            moves=action_words(record),
        )

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


def action_words(record: Record) -> str:
    """Return what was done in a round, as words of a record with blanks between."""
    return " ".join(map(action_word, record.actions))


def pack_any(cards: Cards) -> bytes:
    """Return cards in as few bytes as there can be; where one is there twice, by their codes."""
    if len(set(cards)) == len(cards):
        return pack_cards(cards)
    return _CODES + "".join(cards).encode()


def unpack_any(data: bytes) -> Cards:
    """Return the cards that :func:`pack_any` has packed."""
    if not data.startswith(_CODES):
        return unpack_cards(data) if data else ()
    codes = data[1:].decode()
    return tuple(Card(codes[at : at + 2]) for at in range(0, len(codes), 2))
