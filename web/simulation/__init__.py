"""The lab: thousands of games at once, asked for on a page and played beside the requests.

``POST /lab`` puts a run among the jobs (:mod:`web.storage.jobs`), and the background process
(:mod:`web.background`) plays it, a second at a time.
"""

import flask

from web.settings import Settings
from web.simulation import cli, views
from web.simulation.player import make_player
from web.simulation.runs import JOBS
from web.storage.jobs import Jobs
from web.storage.sessions import sessions_of

__all__ = ["make_player", "register"]


def register(app: flask.Flask, settings: Settings) -> None:  # noqa: ARG001 - as all are called
    """Give a site its lab."""
    app.extensions[JOBS] = Jobs(sessions_of(app).store)
    app.register_blueprint(views.blueprint)
    app.cli.add_command(cli.simulation)
