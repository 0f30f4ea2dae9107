"""The book of a table: what its rounds were played with, kept beside its state.

The rules know nothing of it. From move to move it holds what the record of the open round will
need, and the seals of the shuffles that are not opened yet; a finished round leaves it as a
:class:`Kept`, which the store puts beside the session.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import msgspec

from cardgames.cards import Card, Cards, compact, expanded
from cardgames.game import PILES, AnyGame, Before, Choices, Phase, told
from cardgames.luck import SALT_BYTES, Luck, seal
from cardgames.record import (
    FORFEIT,
    Played,
    Record,
    as_played,
    counted_word,
    parsed_moves,
    recorded,
)

LONGEST_COURSE: Final = 100
"""Of so many rounds the course of the tally is remembered."""

OPENED: Final = 2
"""So many opened seals a table goes on showing: at Bingo a round has two."""

_VERSION: Final = 1


class Sealed(msgspec.Struct, frozen=True, array_like=True):
    """A shuffle that was sealed: its salt, and the order that it gave."""

    salt: bytes
    cards: bytes
    """The order, compact; of no cards where the player's own deck is shuffled during the game."""

    @property
    def order(self) -> Cards:
        """The cards, the top first."""
        return expanded(self.cards)

    @property
    def digest(self) -> str:
        """What is shown while it is sealed."""
        return _digest(self.salt, self.cards)


@lru_cache(maxsize=4096)
def _digest(salt: bytes, cards: bytes) -> str:
    """Return the seal of a shuffle; a table is looked at far more often than shuffled."""
    return seal(salt.hex(), expanded(cards))


class Began(msgspec.Struct, frozen=True, array_like=True):
    """What a round has taken over, in little room (:class:`cardgames.game.Before`)."""

    round: int = 0
    stacked: bool = False
    lengths: tuple[int, ...] = ()
    cards: bytes = b""

    @classmethod
    def of(cls, before: Before) -> "Began":
        """Write down what a round takes over."""
        piles = [told(before.piles.get(name, ())) for name in PILES] if before.piles else []
        lengths = tuple(map(len, piles))
        cards = compact(card for pile in piles for card in pile) if piles else b""
        return cls(before.round, before.stacked, lengths, cards)

    @property
    def before(self) -> Before:
        """What was written down."""
        cards: Iterator[Card] = iter(expanded(self.cards) if self.cards else ())
        piles = {
            name: tuple(next(cards) for _ in range(length))
            for name, length in zip(PILES, self.lengths, strict=False)
            if length
        }
        return Before(self.round, self.stacked, piles)


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """A finished round as the store keeps it; its shape depends on no game's state."""

    version: int
    result: str
    """Who won; a digit is the place among the game's ``sides``."""

    at: int
    """When it was finished, in seconds since 1970."""

    began: Began
    salts: tuple[bytes, ...]
    moves: str
    deal: str = ""
    """The deal link that it was played from, if any."""

    def packed(self) -> bytes:
        """Return it as it is kept."""
        return msgspec.msgpack.encode(self)

    @classmethod
    def unpacked(cls, data: bytes) -> "Kept":
        """Read it again.

        Raises:
            MsgspecError: it cannot be read.
        """
        return msgspec.msgpack.decode(data, type=cls)

    def winner(self, game: AnyGame) -> str:
        """Return who won, as the tally names him."""
        digit = self.result.isdigit() and game.sides
        return game.sides[int(self.result)] if digit else self.result

    def recorded(self, game: AnyGame) -> tuple[Record, Any]:
        """Return the whole record of the round, and the table at its end.

        Raises:
            InvalidRecord: the rules have changed so that it cannot be replayed.
        """
        moves = parsed_moves(self.moves.split(" "))
        return recorded(game.slug, self.began.before, map(bytes.hex, self.salts), moves)

    def record(self, game: AnyGame) -> Record:
        """Return the whole record of the round.

        A game of War takes hundreds of shuffles to replay, and one of them is in its record: the
        deal's. So that is all that is played for it.

        Raises:
            InvalidRecord: the rules have changed so that it cannot be replayed.
        """
        if not game.reshuffles:
            return self.recorded(game)[0]
        deal, *_ = moves = parsed_moves(self.moves.split(" "))
        began, _ = recorded(game.slug, self.began.before, map(bytes.hex, self.salts), (deal,))
        salt = self.salts[0].hex() if self.salts else ""
        return replace(began, moves=moves, salt=salt, result=self.winner(game))

    def sealed(self, record: Record) -> tuple[Sealed, ...]:
        """Return what was sealed in the round.

        Args:
            record: its whole record.
        """
        # At Bingo a deal shuffles two decks with one salt; elsewhere every shuffle has its own.
        orders = record.sealed_orders
        salts = self.salts * len(orders) if len(self.salts) == 1 else self.salts
        return tuple(
            Sealed(salt, compact(order)) for salt, order in zip(salts, orders, strict=False)
        )


class Book(msgspec.Struct, frozen=True, array_like=True):
    """What a table remembers of its rounds."""

    rounds: int = 0
    """How many were finished, ever: the number of the last one."""

    course: str = ""
    """Who won each since the tally was cleared: a digit is the place among the game's ``sides``."""

    sealed: tuple[Sealed, ...] = ()
    """The shuffles that nobody may see yet, the newest last."""

    opened: tuple[Sealed, ...] = ()
    """The last ones that everybody may see."""

    drawn: int = 0
    """How often the newest salt was drawn from, at a table that shuffles all the time."""

    began: Began = Began()
    salts: tuple[bytes, ...] = ()
    """The salts of the open round."""

    moves: tuple[tuple[str, int], ...] = ()
    """Its moves as words of a record, and how often each was made in a row."""

    sealed_in: int = 0
    """In which round the newest shuffle was sealed."""

    opened_to: int = 0
    """Up to which round all cards may be seen; from later ones some lie hidden still."""

    def luck(self, game: AnyGame, move: str, randbytes: Callable[[int], bytes]) -> Luck:
        """Return the luck for the next move.

        Args:
            game: the table's.
            move: the move's name.
            randbytes: where a new salt comes from.
        """
        if game.reshuffles and move != "deal" and self.salts:
            return Luck(_never, self.salts[-1].hex(), self.drawn)
        return Luck(lambda: randbytes(SALT_BYTES).hex())

    def recorded(self, game: AnyGame) -> Record:
        """Return the record of the open round, or of the last one.

        Raises:
            InvalidRecord: its beginning is not known.
        """
        moves = parsed_moves(counted_word(word, times) for word, times in self.moves)
        return recorded(game.slug, self.began.before, map(bytes.hex, self.salts), moves)[0]

    def winners(self, game: AnyGame) -> tuple[str, ...]:
        """Return who won each round since the tally was cleared, as the tally names them."""
        return tuple(game.sides[int(digit)] for digit in self.course)

    def opening(self) -> "Book":
        """Return the book with every seal opened."""
        opened = (*self.opened, *self.sealed)[-OPENED:]
        return msgspec.structs.replace(self, sealed=(), opened=opened, opened_to=self.rounds)

    def anew(self) -> "Book":
        """Return the book of a table that is begun anew, with every seal opened."""
        opened = self.opening()
        return Book(rounds=self.rounds, opened=opened.opened, opened_to=opened.opened_to)


EMPTY: Final = Book()
"""The book of a table where nothing was played yet."""


def _never() -> str:
    raise AssertionError("a game that has a salt needs no new one")


@dataclass(frozen=True, slots=True)
class Turn:
    """A move that was accepted: what was done, and the table before and after it."""

    game: AnyGame
    before: Any
    name: str
    choices: Choices
    after: Any
    luck: Luck
    """What it was played with."""


def written(book: Book, turn: Turn) -> tuple[Book, tuple[Kept, ...]]:
    """Write a move into the book of its table.

    Returns:
        The book, and the rounds that are finished by it: mostly none, and one that a player has
        given up by dealing again beside one that was over with the deal.
    """
    game, after = turn.game, turn.after
    finished: tuple[Kept, ...] = ()
    if turn.name == "new":
        return book.anew(), ()
    if turn.name == "deal":
        if game.phase(turn.before) is Phase.PLAYING:
            book, finished = _finished(_moved(book, FORFEIT), game, game.given_up(turn.before))
        began = Began.of(game.before(turn.before))
        book = msgspec.structs.replace(book, began=began, moves=(), salts=(), drawn=0)
    choices, times = game.singly(turn.before, turn.choices, after)
    book = _shuffled(_moved(book, as_played(turn.name, choices, times)), game, turn.luck)
    if game.phase(after) in (Phase.ROUND_OVER, Phase.GAME_OVER):
        book, kept = _finished(book, game, after)
        finished += kept
    return book, finished


def _moved(book: Book, move: Played) -> Book:
    """Write down a move; the same one again is counted."""
    word, times, moves = replace(move, times=1).text, move.times, book.moves
    if moves and moves[-1][0] == word:
        moves, times = moves[:-1], moves[-1][1] + times
    return msgspec.structs.replace(book, moves=(*moves, (word, times)))


def _shuffled(book: Book, game: AnyGame, luck: Luck) -> Book:
    """Seal what a move has shuffled with a new salt."""
    if not luck.drawn:
        return book
    salt = bytes.fromhex(luck.salt)
    if salt in book.salts:  # what follows from a salt is sealed with it
        return msgspec.structs.replace(book, drawn=luck.drawn)
    # Where the player's own deck lies on the table, the first shuffle comes with the first turn.
    own = game.reshuffles and not _dealing(book)
    orders = ((),) if own else luck.orders[:1] if game.reshuffles else luck.orders
    sealed = tuple(Sealed(salt, compact(order)) for order in orders)
    return msgspec.structs.replace(
        book,
        salts=(*book.salts, salt),
        sealed=(*book.sealed, *sealed),
        sealed_in=book.rounds + 1,
        drawn=luck.drawn,
    )


def _dealing(book: Book) -> bool:
    """Say whether the round's only move is its deal."""
    return len(book.moves) == 1


def _finished(book: Book, game: AnyGame, after: Any) -> tuple[Book, tuple[Kept, ...]]:
    """Close the round that the book holds, and open the seals that may be."""
    winner = game.won(after) or ""
    result = str(game.sides.index(winner)) if winner in game.sides else winner
    course = f"{book.course}{result}"[-LONGEST_COURSE:] if game.sides else ""
    book = msgspec.structs.replace(book, course=course)
    if not book.moves[0][0].startswith("deal"):
        return book, ()  # begun before there were books: nothing can replay it
    kept = Kept(
        version=_VERSION,
        result=result,
        at=int(time.time()),
        began=book.began,
        salts=book.salts,
        moves=" ".join(counted_word(word, times) for word, times in book.moves),
    )
    book = msgspec.structs.replace(book, rounds=book.rounds + 1)
    return _unsealed(book, game, after), (kept,)


def _unsealed(book: Book, game: AnyGame, after: Any) -> Book:
    """Open at the end of a round what tells nothing of the cards that lie hidden still.

    That is every shuffle once the cards on the table are not played again, and otherwise the older
    ones once all that is hidden comes from the newest.
    """
    if game.spent(after):
        return book.opening()
    if not book.sealed or not set(game.hidden(after)) <= set(book.sealed[-1].order):
        return book
    *older, newest = book.sealed
    return msgspec.structs.replace(
        book,
        sealed=(newest,),
        opened=(*book.opened, *older)[-OPENED:],
        opened_to=book.sealed_in - 1,
    )
