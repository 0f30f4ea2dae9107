"""How a long round has gone so far: a few numbers a player, to be drawn as lines.

Nothing of it is kept: it is worked out from the record of the round, as a replay would.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from cardgames.records.replay import replay
from cardgames.table import Table
from cardgames.text import Text
from web.charts import Plot, line_plot

MAX_SAMPLES: Final = 120
"""So many points of a line are drawn at most."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How a round has gone."""

    samples: tuple[tuple[int, ...], ...]
    """The number of a step, and then the game's number for each player."""

    def plot(self, names: Sequence[str]) -> Plot:
        """Return it as a chart.

        Args:
            names: the players'.
        """
        steps, *numbers = zip(*self.samples, strict=True)
        lines = [
            (name, tuple(zip(steps, line, strict=True)))
            for name, line in zip(names, numbers, strict=True)
        ]
        highest = max(map(max, numbers))
        turns = (0, max(1, steps[-1]))
        return line_plot(
            Text("Cards in each hand"), Text("turns"), Text("cards"), lines, turns, (0, highest)
        )


def progress_of(table: Table) -> Progress | None:
    """Return how the round on a table has gone; None where the game has no numbers for it."""
    if table.state is None or not table.game.progress(table.state):
        return None
    return sampled(replay(replace(table.record, result="")).tables[1:])


def sampled(tables: Sequence[Table]) -> Progress | None:
    """Return how a round has gone, from its replay.

    Args:
        tables: the table after the deal, and after every single action.
    """
    if not tables or not tables[0].game.progress(tables[0].state):
        return None
    every = -(-len(tables) // MAX_SAMPLES)
    steps = [*range(0, len(tables) - 1, every), len(tables) - 1]
    return Progress(
        tuple((step, *tables[step].game.progress(tables[step].state)) for step in steps)
    )
