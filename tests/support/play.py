"""Legal moves at tables, either chosen by a test or random."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from typing import Any, NamedTuple

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card, Cards, shuffled
from cardgames.deck_file import File
from cardgames.game import AnyGame
from cardgames.moves import Move, Sent
from cardgames.records.record import Record
from cardgames.table import NEW, Table

# ---- Chosen moves --------------------------------------------------------------------------


def cards(codes: str) -> Cards:
    """Return the cards whose codes are given, separated by spaces."""
    return tuple(map(Card, codes.split()))


def deck_file(top: str = "") -> str:
    """Return a deck file with these cards on top.

    The other cards follow in the order of a new deck.
    """
    first = top.split()
    return "\n".join([*first, *(card for card in FULL_DECK if card not in first)])


def salts(seed: int) -> Callable[[], str]:
    """Return a generator of distinct salts.

    The same seed always yields the same salts.
    """
    rng = random.Random(seed)
    return lambda: rng.randbytes(16).hex()


def by_salt(salt: str, number: int = 1) -> Cards:
    """Return a complete deck's order after a shuffle, computed as the page explains."""

    def drawn(card: Card) -> bytes:
        return sha256(f"{salt} {number} {card}".encode()).digest()

    return tuple(sorted(FULL_DECK, key=drawn))


def no_salt() -> str:
    """Raise an error instead of returning a salt, for moves that must not shuffle."""
    raise AssertionError("this move shuffles")


class Evening(NamedTuple):
    """A table after some moves, and the records of the rounds that the moves ended."""

    table: Table
    records: tuple[Record, ...]


def play_rounds(
    table: Table | str, *moves: str, new_salt: Callable[[], str] = no_salt, **sent: str | File
) -> Evening:
    """Play moves one after another.

    Args:
        table: The table, or the slug of a game for an empty table.
        *moves: The name and the fields of each move, separated by spaces: "deal mode=L speed=N".
        new_salt: Function that returns a new salt. Without it, no move may shuffle.
        **sent: Additional fields of the first move.
    """
    table = Table(GAMES[table]) if isinstance(table, str) else table
    records: tuple[Record, ...] = ()
    for move in moves:
        name, *fields = move.split()
        table, finished = table.play(
            name, dict(field.split("=") for field in fields) | sent, new_salt
        )
        records, sent = records + finished, {}
    return Evening(table, records)


def play(
    table: Table | str, *moves: str, new_salt: Callable[[], str] = no_salt, **sent: str | File
) -> Table:
    """Play moves as :func:`play_rounds` does, and return the table."""
    return play_rounds(table, *moves, new_salt=new_salt, **sent).table


# ---- Random moves --------------------------------------------------------------------------


@dataclass(frozen=True)
class Played:
    """A random move that was played."""

    before: Table
    move: str
    sent: Sent
    salt: str
    table: Table
    finished: tuple[Record, ...]


def own_deck(rng: random.Random) -> str:
    """Return a deck file with the 52 cards in random order."""
    return "\n".join(shuffled(FULL_DECK, rng))


def fill(move: Move, rng: random.Random, *, own_decks: bool = True) -> Sent:
    """Return random fields of a move: missing, empty, text, or a file if allowed."""
    sent: dict[str, str | File] = {}
    for name, options in move.form.items():
        if options is not None:
            sent[name] = rng.choice(list(options))
            continue
        deck = own_deck(rng) if own_decks and name in move.decks else ""
        ways: list[str | File | None] = [None, "", deck]
        if deck:
            ways.append(File("deck.txt", deck.encode()))
        if (way := rng.choice(ways)) is not None:
            sent[name] = way
    return sent


def play_at_random(
    game: AnyGame, seed: int, moves: int, *, own_decks: bool = True
) -> Iterator[Played]:
    """Play random legal moves. Resets are rare, so that rounds reach their end."""
    rng = random.Random(f"{game.info.slug} {seed}")
    table = Table(game)
    for number in range(moves):
        legal = table.moves()
        weights = [1 if move is NEW and len(legal) > 1 else 30 for move in legal]
        (move,) = rng.choices(legal, weights)
        sent = fill(move, rng, own_decks=own_decks)
        salt = f"{seed:016x}{number:016x}"
        before = table
        table, finished = before.play(move.name, sent, lambda salt=salt: salt)
        yield Played(before, move.name, sent, salt, table, finished)


def tables(game: AnyGame, seed: int, moves: int = 300) -> Iterator[Table]:
    """Yield an empty table, and the table after each of a number of random moves."""
    yield Table(game)
    for played in play_at_random(game, seed, moves):
        yield played.table


# ---- Hidden cards ----------------------------------------------------------------------------


def swapped(value: Any, others: Mapping[Card, Card]) -> Any:
    """Return a value in which some cards are replaced by other cards."""
    if isinstance(value, Card):
        return others.get(value, value)
    if isinstance(value, tuple):
        changed = (swapped(one, others) for one in value)
        return type(value)(*changed) if hasattr(value, "_fields") else tuple(changed)
    if hasattr(value, "__dataclass_fields__"):
        names = value.__dataclass_fields__
        return replace(value, **{name: swapped(getattr(value, name), others) for name in names})
    return value


def rearranged(some: Cards, rng: random.Random) -> dict[Card, Card]:
    """Return a random permutation of cards, as a dict from old to new cards."""
    return dict(zip(some, shuffled(some, rng), strict=True))


def reshuffled(game: AnyGame, state: Any, rng: random.Random) -> Any:
    """Return a state whose hidden cards are exchanged.

    The player cannot exclude the new state.

    The hidden cards are exchanged with each other, regardless of their position. If a game has
    several decks, each deck is a field of the state, and its cards are exchanged only within that
    field.
    """
    if game.info.decks == 1:
        return swapped(state, rearranged(tuple(dict.fromkeys(game.hidden(state))), rng))
    for field in fields(state):
        deck = getattr(state, field.name)
        if isinstance(deck, tuple) and set(deck) == set(FULL_DECK):
            others = rearranged(_hidden_in(game, state, field.name), rng)
            state = replace(state, **{field.name: swapped(deck, others)})
    return state


def _hidden_in(game: AnyGame, state: Any, name: str) -> Cards:
    """Return the hidden cards of one of several decks.

    A card that is hidden in every deck is exchanged with each of the other cards in this deck. If
    the game then declares the same cards as seen, the other card is hidden in this deck, too.
    """
    hidden, seen = Counter(game.hidden(state)), Counter(game.seen(state))
    stand_in = next((card for card, times in hidden.items() if times == game.info.decks), None)

    def stays_unseen(card: Card) -> bool:
        others = {card: stand_in, stand_in: card}
        deck = swapped(getattr(state, name), others)
        return Counter(game.seen(replace(state, **{name: deck}))) == seen

    return tuple(filter(stays_unseen, hidden)) if stand_in else ()
