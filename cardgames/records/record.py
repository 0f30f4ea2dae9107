"""A record: all that a round depends on, so that it can be played again.

A round follows from what it took over from the round before it, the orders of its shuffles and what
was done in it. :mod:`cardgames.records.line` writes a record as a line of text and reads it again;
:mod:`cardgames.records.replay` plays it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from cardgames.cards import MaskedCards
from cardgames.moves import Action


@dataclass(frozen=True)
class Record:
    """One round of a game."""

    game: str
    """The game's slug."""

    round: int = 0
    """How many rounds the table had played before."""

    stacked: bool = False
    """Whether the deck that the round took over was the player's own."""

    carry: Any = None
    """What the round took over (:class:`cardgames.game.Game`); a card that is hidden is None."""

    salt: str = ""
    """What all its shuffles follow from."""

    shuffles: tuple[MaskedCards, ...] = ()
    """The orders that they gave, the top first, where they are recorded."""

    actions: tuple[Action, ...] = ()
    """What was done; the deal first."""

    result: str = ""
    """Who won, as the tally names them; a round that is not over has no result."""

    @property
    def steps(self) -> int:
        """How many single actions it has."""
        return sum(action.times for action in self.actions)

    def with_action(self, action: Action) -> "Record":
        """Return the record with one more action; the same one again is counted.

        >>> Record("blackjack").with_action(Action("hit")).with_action(Action("hit")).actions
        (Action(name='hit', choices=(), times=2),)
        """
        actions = self.actions
        if actions and actions[-1].once == action.once:
            action = replace(action, times=actions[-1].times + action.times)
            actions = actions[:-1]
        return replace(self, actions=(*actions, action))

    def truncated(self, steps: int) -> "Record":
        """Return the record of the round as it stood after some single actions."""
        actions: list[Action] = []
        for action in self.actions:
            if steps <= 0:
                break
            actions.append(replace(action, times=min(action.times, steps)))
            steps -= action.times
        return replace(self, actions=tuple(actions), result="")

    def single_actions(self) -> Iterator[Action]:
        """Yield every single action."""
        for action in self.actions:
            once = action.once
            for _ in range(action.times):
                yield once
