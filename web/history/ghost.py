"""A ghost: another line of play with the same cards, that goes along with a player's own.

While the player's round is open it shows as many of its moves as the player has made, and not how
its round ended: so it discloses no card that the player has not seen.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cardgames.game import AnyGame
from cardgames.moves import Action
from cardgames.text import Text


def action_text(game: AnyGame, name: str, times: int = 1) -> str:
    """Say what was done."""
    move = game.move(name)
    return move.said(times) if move else Text("Gave the round up")


@dataclass(frozen=True, slots=True)
class GhostLine:
    """What was done after the deal, in words, and how the round ended."""

    moves: tuple[str, ...]
    ended: str
    """Empty while that is not shown."""


@dataclass(frozen=True, slots=True)
class Ghost:
    """Two lines of play, as far as they may stand side by side."""

    yours: GhostLine
    theirs: GhostLine


def ghost_of(
    game: AnyGame, yours: Iterable[Action], theirs: Iterable[Action], ended: tuple[str, str] | None
) -> Ghost:
    """Return two lines of play side by side.

    Args:
        game: the table's.
        yours: what the player did after the deal.
        theirs: the same of the other line.
        ended: how the player's round ended and the other one; None while the player's is open.
    """
    own, other = tuple(_said(game, yours)), tuple(_said(game, theirs))
    if ended is None:
        return Ghost(GhostLine(own, ""), GhostLine(other[: len(own)], ""))
    return Ghost(GhostLine(own, ended[0]), GhostLine(other, ended[1]))


def _said(game: AnyGame, actions: Iterable[Action]) -> Iterator[str]:
    """Yield single moves in words."""
    for action in actions:
        yield from (action_text(game, action.name) for _ in range(action.times))
