"""The record of a round: all data that is needed to replay the round.

A round is determined by its actions, by the orders of its shuffles, and by the piles that it took
over from the previous round. :mod:`cardgames.records.line` writes and parses a record as a line of
text, and :mod:`cardgames.records.replay` replays the record.
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
    """The number of rounds that were played at the table before this round."""

    stacked: bool = False
    """Whether the round took over the player's own deck."""

    carry: Any = None
    """The piles that the round took over (:class:`cardgames.game.Game`). A hidden card is None."""

    salt: str = ""
    """The salt of all shuffles of the round."""

    shuffles: tuple[MaskedCards, ...] = ()
    """The orders of the shuffles, top card first, if they are recorded."""

    actions: tuple[Action, ...] = ()
    """The actions, starting with the deal."""

    result: str = ""
    """The winner's name in the tally, or an empty string while the round is open."""

    @property
    def steps(self) -> int:
        """The number of actions, including repetitions."""
        return sum(action.times for action in self.actions)

    def with_action(self, action: Action) -> "Record":
        """Return the record with another action.

        Consecutive equal actions are stored as one action with a count.

        >>> Record("blackjack").with_action(Action("hit")).with_action(Action("hit")).actions
        (Action(name='hit', choices=(), times=2),)
        """
        actions = self.actions
        if actions and actions[-1].once == action.once:
            action = replace(action, times=actions[-1].times + action.times)
            actions = actions[:-1]
        return replace(self, actions=(*actions, action))

    def truncated(self, steps: int) -> "Record":
        """Return the record with only the given number of actions, including repetitions."""
        actions: list[Action] = []
        for action in self.actions:
            if steps <= 0:
                break
            actions.append(replace(action, times=min(action.times, steps)))
            steps -= action.times
        return replace(self, actions=tuple(actions), result="")

    def single_actions(self) -> Iterator[Action]:
        """Yield every action, once per repetition."""
        for action in self.actions:
            once = action.once
            for _ in range(action.times):
                yield once
