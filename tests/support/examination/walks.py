"""Random play for all checks, with the views after each move."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any, Final

import msgspec

from cardgames.game import AnyGame
from cardgames.records.record import Record
from cardgames.table import Phase, Table
from tests.support.play import Played, play_at_random

SEEDS: Final = (1, 2)
MOVES = 40
"""Number of random moves per game. The slow run plays more moves."""

LONG: Final = 20
"""Maximum number of moves for a game with long rounds, which plays a fifth of the moves."""

FEW: Final = 30
"""Number of moves for checks that examine each table in many ways."""


def walk(game: AnyGame, seed: int) -> tuple[Played, ...]:
    """Play a game at random.

    The result is cached, because all checks read the same moves.
    """
    return _walk(game, seed, min(MOVES // 5, LONG) if game.info.reshuffles else MOVES)


@lru_cache(maxsize=32)
def _walk(game: AnyGame, seed: int, moves: int) -> tuple[Played, ...]:
    return tuple(play_at_random(game, seed, moves))


def tables_of(steps: tuple[Played, ...]) -> Iterator[Table]:
    return (step.table for step in steps if step.table.state is not None)


def all_tables(game: AnyGame, moves: int | None = None) -> Iterator[Table]:
    """Yield every table that has a round."""
    return chain.from_iterable(tables_of(walk(game, seed)[:moves]) for seed in SEEDS)


def at_ends(steps: tuple[Played, ...]) -> Iterator[Table]:
    """Yield the tables whose round has ended, and the last table."""
    return (table for table in tables_of(steps) if table.result or table is steps[-1].table)


def records_of(steps: tuple[Played, ...]) -> Iterator[Record]:
    """Yield the records of all rounds, including unfinished and abandoned rounds."""
    for step in steps:
        yield from step.finished
        left = step.move == "new" and step.before.phase is Phase.PLAYING
        if left or (step is steps[-1] and step.table.phase is Phase.PLAYING):
            yield (step.before if left else step.table).record


def as_json(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value, enc_hook=str)
    except (TypeError, msgspec.MsgspecError) as error:
        raise AssertionError(
            f"A view cannot be sent as JSON ({error}): it is made of cards, texts, numbers, tuples "
            "and dataclasses."
        ) from error


def public_state(table: Table) -> Mapping[str, Any]:
    """Return all views of a table that a player can see, keyed by name."""
    game, state = table.game, table.state
    return {
        "view()": (game.view(state), as_json(game.view(state))),
        "moves()": table.moves(),
        "result()": table.result,
        "messages()": table.messages(),
        "players()": game.players(state),
        "progress()": game.progress(state),
    }


def named(error: Exception) -> str:
    return f"{type(error).__name__} ({error})"
