"""What was played: history, replays that can be sent on, and seals to check."""

import flask

from web.rounds import history, replays
from web.settings import Settings


def register(app: flask.Flask, settings: Settings) -> None:  # noqa: ARG001 - as all are called
    """Give an app its histories and replays."""
    app.register_blueprint(history.blueprint)
    app.register_blueprint(replays.blueprint)
