"""The list of the tables' hook functions, by extension point.

:mod:`web.tables.hooks` describes the arguments and results of each extension point. To add a panel,
write its function in its own package, and add the function and the slugs of its games to the list
here.
"""

from collections.abc import Mapping
from typing import Final

import flask

from cardgames.records.transcript import TRANSCRIPTS
from web.classroom.core import presence
from web.classroom.homework import table as homework
from web.classroom.insight import queries as insight
from web.deals import seat as deals
from web.history import views as history
from web.tables import advice, by_hand, charts, counting, guessing
from web.tables.hooks import AfterMove, Hooks, Panel, install
from web.tables.seat import ADVISED_GAMES, Kind

PANELS: Final[Mapping[Kind, tuple[Panel, ...]]] = {
    "own": (
        # This panel is first, because it may show another table.
        Panel(by_hand.panel, (by_hand.GAME,)),
        Panel(advice.panel, ADVISED_GAMES),
        Panel(advice.regret_panel, ADVISED_GAMES, needs_result=True),
        Panel(charts.streak_panel, charts.WON_OR_LOST, needs_result=True),
        Panel(charts.course_panel, charts.WON_OR_LOST),
        Panel(charts.progress_panel, charts.LONG),
        Panel(deals.offer_panel),
        Panel(history.transcript_panel, TRANSCRIPTS),
        Panel(counting.panel, (counting.GAME,)),
        Panel(guessing.panel, (guessing.GAME,)),
    ),
    "deal": (Panel(deals.panel), Panel(charts.progress_panel, charts.LONG)),
    "homework": (Panel(homework.panel), Panel(charts.progress_panel, charts.LONG)),
}
AFTER_MOVE: Final = (
    AfterMove(advice.record_move, ADVISED_GAMES),
    AfterMove(counting.after_move, (counting.GAME,)),
    AfterMove(guessing.after_move, (guessing.GAME,)),
)
AFTER_ROUND: Final = (presence.note_table, insight.record_rounds, insight.note_daily)
"""The functions that are called after a round to update a player's classes, always in this order.
"""

DAY_RANKS: Final = (insight.class_ranks,)


def register(app: flask.Flask) -> None:
    """Install the hook functions of an app's tables, and any functions for classes."""
    joining = Hooks(PANELS, AFTER_MOVE)
    if app.config["CLASSES"] != "off":
        joining = joining._replace(after_round=AFTER_ROUND, day_ranks=DAY_RANKS)
    install(app, joining)
