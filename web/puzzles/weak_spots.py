"""A player's weak spots at a table, the decisions of their own rounds that cost most; and drills.

A drill has the hands of one habit, and some for which what the habit does is right: else the answer
would always be the same.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Final

import msgspec

from cardgames.advice import Advisor, Decision
from cardgames.cards import Rank
from cardgames.game import AnyGame
from cardgames.puzzles import MARGIN, Position, margin_of, puzzles, theme_of
from cardgames.records.replay import replay
from cardgames.strategies.habits import HABITS, hands_for, right_move
from web.puzzles.progress import Series
from web.rounds.costs import decisions_of, with_costs
from web.rounds.finished import latest_rounds

SET_SIZE: Final = 10
"""Number of puzzles that are chosen at a time."""

DRILLED: Final = 7
"""How many hands of a drill's set are such in which the habit is wrong."""

MAX_ROUNDS: Final = 100
"""Maximum number of the latest rounds that they come from."""

MAX_NEW: Final = 10
"""Maximum number of rounds whose costs are computed at a time, where they are not known yet."""


def choose(series: Series, game: AnyGame, advisor: Advisor, rng: Random) -> Series:
    """Return a series with its next weak spot; a new set is chosen when there is none left."""
    ahead, own = series.ahead, series.own
    if not ahead:
        spots = costly_positions(game, advisor, latest_decisions(game, advisor))
        # One play must be better by as much as in any puzzle, with a fresh deck too.
        mine = tuple(islice((one for one in spots if margin_of(one.odds) >= MARGIN), SET_SIZE))
        ahead, own = choose_set(mine, common_puzzles(game.info.slug), rng), len(mine)
    return msgspec.structs.replace(series, position=ahead[0], ahead=ahead[1:], own=own)


def choose_drill(series: Series, game: AnyGame, habit: str, rng: Random) -> Series:
    """Return a series with its next hand for a habit; when there is none left a set is dealt."""
    ahead, slug = series.ahead, game.info.slug
    if not ahead:
        tempting = tuple(islice(hands_for(slug, habit, rng), DRILLED))
        right = [one for one in common_puzzles(slug) if right_move(one) == HABITS[habit].chosen]
        ahead = choose_set(tempting, right, rng)
    return msgspec.structs.replace(series, position=ahead[0], ahead=ahead[1:])


def choose_set(
    own: tuple[Position, ...], common: list[Position], rng: Random
) -> tuple[Position, ...]:
    """Return a set in any order: the player's own, and then what players commonly get wrong."""
    filled = [*own, *rng.sample(common, SET_SIZE - len(own))]
    return tuple(rng.sample(filled, len(filled)))


def common_puzzles(table: str) -> list[Position]:
    """Return the puzzles of a table that need no other past than a fresh deck."""
    return [one for one in puzzles() if one.table == table and not one.discards]


def costly_positions(
    game: AnyGame, advisor: Advisor, decisions: Iterator[Decision]
) -> list[Position]:
    """Return the positions in which a player has given something away, the costliest first.

    Those that only differ in how the same hand was come by are one: its latest cards stand for it.

    Args:
        game: the table's.
        advisor: the game's.
        decisions: what was decided, the latest first.
    """
    cost: dict[tuple[int, bool, Rank], float] = {}
    posed: dict[tuple[int, bool, Rank], Position] = {}
    decided = {move.name for move in game.round_moves}
    for one in decisions:
        if one.cost and one.chosen in decided:
            position = Position(game.info.slug, one.hand, one.upcard)
            key = position.total, position.is_soft, advisor.upcard_rank(one.upcard)
            cost[key] = cost.get(key, 0.0) + one.cost
            posed.setdefault(key, replace(position, theme=theme_of(position)))
    return [posed[key] for key in sorted(posed, key=lambda key: -cost[key])]


def latest_decisions(game: AnyGame, advisor: Advisor) -> Iterator[Decision]:
    """Yield what the player has decided in their finished rounds, the latest first."""
    rounds = latest_rounds(game, MAX_ROUNDS)
    unknown = [one for one in rounds if one.stored.costs is None]
    worked_out = with_costs(game, advisor, list(islice(unknown, MAX_NEW)))
    known = [one for one in rounds if one.stored.costs is not None]
    for one in sorted((*known, *worked_out), key=lambda one: one.number, reverse=True):
        record = one.stored.record(game)
        costs = one.stored.costs or ()
        if len(costs) == record.steps - 1:
            yield from decisions_of(advisor, costs, record, replay(record))
