"""The list of the tables' hook functions, by extension point.

:mod:`web.tables.hooks` describes the arguments and results of each extension point. To add a panel,
write its function in its own package and add it to the list here.
"""

from collections.abc import Mapping
from typing import Final

import flask

from web.classroom.core import presence
from web.classroom.homework import table as homework
from web.classroom.insight import queries as insight
from web.deals import seat as deals
from web.history import views as history
from web.tables import advice, by_hand, charts, counting, guessing
from web.tables.hooks import GameHooks, Hooks, Panel, install
from web.tables.seat import Kind

PANELS: Final[Mapping[Kind, tuple[Panel, ...]]] = {
    "own": (
        by_hand.panel,  # This function is first, because it may show another table.
        advice.panel,
        advice.regret_panel,
        charts.streak_panel,
        charts.course_panel,
        charts.progress_panel,
        deals.offer_panel,
        history.transcript_panel,
    ),
    "deal": (deals.panel, charts.progress_panel),
    "homework": (homework.panel, charts.progress_panel),
}
GAMES: Final[Mapping[str, GameHooks]] = {
    counting.GAME: GameHooks(counting.panel, counting.after_move),
    guessing.GAME: GameHooks(guessing.panel, guessing.after_move),
}
AFTER_MOVE: Final = (advice.record_move,)
AFTER_ROUND: Final = (presence.note_table, insight.record_rounds, insight.note_daily)
"""The functions that are called after a round for a player's classes, always in this order."""

DAY_RANKS: Final = (insight.class_ranks,)


def register(app: flask.Flask) -> None:
    """Install the hook functions of an app's tables, including those of classes if enabled."""
    joining = Hooks(PANELS, GAMES, AFTER_MOVE)
    if app.config["CLASSES"] != "off":
        joining = joining._replace(after_round=AFTER_ROUND, day_ranks=DAY_RANKS)
    install(app, joining)
