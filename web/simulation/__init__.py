"""The lab: thousands of games at once, asked for on a page and played beside the requests.

``POST /lab`` puts a run among the jobs (:mod:`web.storage.jobs`), and the background process
(:mod:`web.background`) plays it, a second at a time.
"""

import flask

from web.settings import Settings
from web.simulation import cli, views
from web.simulation.player import make_player
from web.storage import open_jobs

__all__ = ["make_player", "register"]


def register(app: flask.Flask, settings: Settings) -> None:
    """Give a site its lab.

    Args:
        app: the site.
        settings: where jobs are kept.
    """
    jobs = open_jobs(settings.ensure_data_dir(), settings.session_store)
    app.extensions[views.JOBS] = jobs
    app.register_blueprint(views.blueprint)
    app.cli.add_command(cli.simulation)
