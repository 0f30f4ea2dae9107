"""The page of the five assignment sheets: what to build, decks, a comparison, and the commands."""

import flask

from web.settings import Settings
from web.sheets import views


def register(app: flask.Flask, settings: Settings) -> None:  # noqa: ARG001 - as all are called
    """Give an app its page of the sheets."""
    app.register_blueprint(views.blueprint)
