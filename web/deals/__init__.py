"""Deal links: the same cards for everyone who opens an address."""

import flask

from web.deals import views
from web.settings import Settings


def register(app: flask.Flask, settings: Settings) -> None:  # noqa: ARG001 - as all are called
    """Give an app its deal links."""
    app.register_blueprint(views.blueprint)
