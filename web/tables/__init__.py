"""The tables: load one, play one move, show it."""

import flask

from web.settings import Settings
from web.tables import views


def register(app: flask.Flask, settings: Settings) -> None:  # noqa: ARG001 - as all are called
    """Give an app its tables and their coach."""
    app.register_blueprint(views.blueprint)
