"""Puzzles: decisions in which a rule of thumb goes wrong, and a player's own weak spots."""

import flask

from web.puzzles import progress, views
from web.settings import Settings


def register(app: flask.Flask, settings: Settings) -> None:  # noqa: ARG001 - as all are called
    """Give an app its puzzles, read before the first is asked for."""
    progress.warm_up()
    app.register_blueprint(views.blueprint)
