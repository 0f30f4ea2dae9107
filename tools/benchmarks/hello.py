"""The yardstick: a bare Flask app that says hello, served exactly as the site is."""

import flask

from web.http.server import serve
from web.settings import Settings


def application(_: Settings) -> flask.Flask:
    """Return an app with one route and nothing else."""
    app = flask.Flask(__name__)

    @app.get("/")
    def hello() -> str:
        return "hello"

    return app


if __name__ == "__main__":
    serve(Settings.from_environment(), application)
