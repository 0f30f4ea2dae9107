"""What was played: history, replays that can be sent on, seals to check, and a drill."""

import flask

from web.rounds import drill, history, replays
from web.settings import Settings


def register(app: flask.Flask, settings: Settings) -> None:  # noqa: ARG001 - as all are called
    """Give an app its histories, replays and drills."""
    app.register_blueprint(drill.blueprint)
    app.register_blueprint(history.blueprint)
    app.register_blueprint(replays.blueprint)
