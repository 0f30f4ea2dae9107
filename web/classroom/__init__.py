"""The classroom: students join a class with a code and play live Bingo, led by an instructor.

The state of a class is computed by pure functions from its stored data and the time. No process
holds a class in memory, and a class needs no timer.
"""

import time

import flask

from web import guide
from web.classroom.bingo import views as bingo_views
from web.classroom.core import presence
from web.classroom.core.access import SETTINGS, ClassNotFound, NotAStudent, NotTheInstructor
from web.classroom.core.presence import PresenceTracker
from web.classroom.desk import asking, exports, opening
from web.classroom.desk import views as desk_views
from web.classroom.homework import table as homework_table
from web.classroom.homework import views as homework_views
from web.classroom.insight import views as insight_views
from web.classroom.people import roster
from web.classroom.people import views as people_views
from web.classroom.screen import views as screen_views
from web.classroom.votes import views as votes_views
from web.http import news
from web.settings import Settings


def register(app: flask.Flask, settings: Settings) -> None:
    """Register the app's classroom, unless the settings disable it."""
    app.config["CLASSES"] = settings.classes
    if settings.classes == "off":
        return
    app.extensions[SETTINGS] = settings
    app.extensions[presence.NOTES] = PresenceTracker(time.monotonic)
    app.extensions[news.SOURCE] = presence.CLASS_NEWS
    for part in (
        *(opening, people_views, bingo_views),
        *(desk_views, roster, screen_views, exports, guide),
        *(homework_views, homework_table, insight_views, votes_views, asking),
    ):
        app.register_blueprint(part.blueprint)
    app.register_error_handler(ClassNotFound, people_views.unknown_code)
    app.register_error_handler(NotTheInstructor, people_views.not_the_instructor)
    app.register_error_handler(NotAStudent, people_views.not_a_student)
