"""Random play at a table of any game, as its moves say what can be done."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from cardgames.cards import FULL_DECK, Card, shuffled
from cardgames.deck_file import File
from cardgames.game import AnyGame
from cardgames.moves import Move, Sent
from cardgames.records.record import Record
from cardgames.table import NEW, Table, cards_in


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
    """Fill a move's fields in at random: left out, empty, as text or as a file where they can be."""
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
    """Play random legal moves; starting over comes seldom, so that games get somewhere."""
    rng = random.Random(f"{game.info.slug} {seed}")
    table = Table(game)
    for number in range(moves):
        legal = table.moves()
        weights = [1 if move is NEW and len(legal) > 1 else 30 for move in legal]
        (move,) = rng.choices(legal, weights)
        sent = fill(move, rng, own_decks=own_decks)
        salt = f"{seed:016x}{number:016x}"
        before = table
        table, finished = before.play(move.name, sent, lambda salt=salt: salt)  # type: ignore[misc]
        yield Played(before, move.name, sent, salt, table, finished)


def tables(game: AnyGame, seed: int, moves: int = 300) -> Iterator[Table]:
    """Yield an empty table, and the table after each of some random moves."""
    yield Table(game)
    for played in play_at_random(game, seed, moves):
        yield played.table


def swapped(value: Any, others: dict[Card, Card]) -> Any:
    """Return a value with other cards in the places of some."""
    if isinstance(value, Card):
        return others.get(value, value)
    if isinstance(value, tuple):
        changed = (swapped(one, others) for one in value)
        return type(value)(*changed) if hasattr(value, "_fields") else tuple(changed)
    if hasattr(value, "__dataclass_fields__"):
        names = value.__dataclass_fields__
        return replace(value, **{name: swapped(getattr(value, name), others) for name in names})
    return value


__all__ = ["Played", "cards_in", "fill", "own_deck", "play_at_random", "swapped", "tables"]
