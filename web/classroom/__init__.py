"""The classroom: a class joins by a code and plays live Bingo, and its instructor looks on.

A class is data and pure functions of data and time: no process holds it, and no timer runs for it.
"""

import time

import flask

from cardgames.records.record import Record
from web import guide
from web.classroom.bingo import views as card
from web.classroom.core import presence
from web.classroom.core.access import SETTINGS, NoClass, NotAStudent, NotTheInstructor
from web.classroom.core.forms import form_context
from web.classroom.core.presence import PresenceNotes
from web.classroom.desk import asking, exports, opening
from web.classroom.desk import views as dashboard
from web.classroom.homework import table as tournament_table
from web.classroom.homework import views as tournament_pages
from web.classroom.insight import models as days
from web.classroom.insight import views as insight
from web.classroom.people import roster
from web.classroom.people import views as entry
from web.classroom.screen import views as screen
from web.classroom.votes import views as voting
from web.deals.daily import CLASS_RANKS
from web.settings import Settings
from web.tables.location import TableLocation
from web.tables.rounds import rounds_over


def register(app: flask.Flask, settings: Settings) -> None:
    """Give an app its classroom, unless the settings say that there is none."""
    app.config["CLASSES"] = settings.classes
    if settings.classes == "off":
        return
    app.extensions[SETTINGS] = settings
    app.extensions[presence.NOTES] = PresenceNotes(time.monotonic)
    for part in (
        *(opening, entry, card),
        *(dashboard, roster, screen, exports, guide),
        *(tournament_pages, tournament_table, insight, voting, asking),
    ):
        app.register_blueprint(part.blueprint)
    app.context_processor(form_context)
    rounds_over.connect(_note_rounds, app)
    app.extensions[CLASS_RANKS] = days.class_ranks
    app.register_error_handler(NoClass, entry.unknown_code)
    app.register_error_handler(NotTheInstructor, entry.not_the_instructor)
    app.register_error_handler(NotAStudent, entry.not_a_student)


def _note_rounds(_: flask.Flask, location: TableLocation, records: tuple[Record, ...]) -> None:
    """Note what a move has ended, in the classes of its player; always in this order."""
    presence.note_table(location)
    days.note_rounds(location, records)
    days.note_daily(location)
