"""How a long round has gone so far: a few numbers a player, to be drawn as lines.

Nothing of it is kept: it is worked out from the record of the round, as a replay would.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cardgames.records.replay import replay
from cardgames.table import Table

MAX_SAMPLES: Final = 120
"""So many points of a line are drawn at most."""

Sample = tuple[int, ...]
"""The number of a step, and then the game's number for each player."""


def progress_of(table: Table) -> tuple[Sample, ...]:
    """Return how the round on a table has gone; nothing where the game has no numbers for it."""
    if table.state is None or not table.game.progress(table.state):
        return ()
    return sampled(replay(replace(table.record, result="")).tables[1:])


def sampled(tables: Sequence[Table]) -> tuple[Sample, ...]:
    """Return how a round has gone, from its replay.

    Args:
        tables: the table after the deal, and after every single action.
    """
    if not tables or not tables[0].game.progress(tables[0].state):
        return ()
    every = -(-len(tables) // MAX_SAMPLES)
    steps = [*range(0, len(tables) - 1, every), len(tables) - 1]
    return tuple((step, *tables[step].game.progress(tables[step].state)) for step in steps)
