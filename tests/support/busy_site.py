"""A site on which some responses wait until a file exists.

``python -m tests.support.busy_site`` serves this site. The site tests how :mod:`web.http.threads`
calls an app, without the pages of the real site.
"""

import time
from wsgiref.types import WSGIEnvironment

import flask
from flask.sessions import SecureCookieSessionInterface
from werkzeug.sansio.http import parse_cookie

from web.commands.serve import serve
from web.http.security import REFUSED
from web.http.threads import quick
from web.settings import Settings


class Sessions(SecureCookieSessionInterface):
    """A session interface that accepts every cookie as a verified session."""

    def read_player_key(self, environ: WSGIEnvironment) -> str:
        """Return the value of the session cookie."""
        return parse_cookie(environ.get("HTTP_COOKIE")).get("session", "")


def create_app(settings: Settings) -> flask.Flask:
    app = flask.Flask(__name__)
    app.session_interface = Sessions()
    go_on = settings.data_dir / "go-on"
    now, most = [0], [0]

    @app.before_request
    def refuse() -> tuple[str, int, dict[str, str]] | None:
        error = flask.request.environ.get(REFUSED)
        return ("busy", error.code, {"Retry-After": "1"}) if error else None

    @app.get("/quick")
    @quick
    def in_the_loop() -> str:
        return "quick"

    @app.route("/long", methods=["GET", "POST"])
    def long() -> str:
        now[0] += 1
        most[0] = max(*most, *now)
        (settings.data_dir / f"began-{now[0]}").touch()
        while not go_on.exists():
            time.sleep(0.01)
        now[0] -= 1
        return "long"

    @app.get("/most-at-once")
    def most_at_once() -> str:
        return str(most[0])

    @app.get("/settings")
    def chosen() -> str:
        return f"{settings.url_prefix} {settings.max_store_mb}"

    @app.route("/seen", methods=["GET", "POST", "HEAD", "OPTIONS"])
    @app.route("/seen/<path:_>")
    def seen(_: str = "") -> dict[str, str]:
        """Return the WSGI environment of the request."""
        return {name: str(value) for name, value in flask.request.environ.items()}

    return app


if __name__ == "__main__":
    environment = Settings.from_environment()
    serve(
        Settings(
            port=environment.port,
            data_dir=environment.data_dir,
            workers=1,
            url_prefix="/only-here",
            max_store_mb=123,
        ),
        create_app,
    )
