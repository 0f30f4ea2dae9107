"""A site some of whose answers come only when a file is there.

``python -m tests.support.busy_site`` serves it. It shows how :mod:`web.http.rsgi` calls an app
without any of the real one's pages.
"""

import asyncio
import threading
import time
from collections.abc import Awaitable
from pathlib import Path

import flask
from granian.rsgi import Scope

from web.http import rsgi
from web.http.rsgi import Answer, Early
from web.http.server import serve
from web.settings import Settings

rsgi.SLOW, rsgi.CALM = 0.1, 2.0


def create_app(settings: Settings) -> flask.Flask:
    """Return the app; what holds the name of a dear page is one."""
    app = flask.Flask(__name__)
    go_on = settings.data_dir / "go-on"

    @app.get("/quick")
    def quick() -> str:
        return "loop" if threading.current_thread() is threading.main_thread() else "thread"

    @app.get("/slow")
    def slow() -> str:
        time.sleep(2 * rsgi.SLOW)
        return quick()

    @app.get("/hangs")
    def hangs() -> str:
        while not go_on.exists():
            time.sleep(0.01)
        return quick()

    now, most = [0], [0]

    @app.get("/dear/history")
    def dear() -> str:
        now[0] += 1
        most[0] = max(*most, *now)
        said = hangs()
        now[0] -= 1
        return said

    @app.get("/most-at-once")
    def most_at_once() -> str:
        return str(most[0])

    @app.get("/settings")
    def told() -> str:
        return f"{settings.url_prefix} {settings.rate_limit}"

    @app.route("/seen", methods=["GET", "POST", "HEAD", "OPTIONS"])
    @app.route("/seen/<path:_>")
    def seen(_: str = "") -> dict[str, str]:
        """Tell what WSGI says of the request."""
        return {name: str(value) for name, value in flask.request.environ.items()}

    app.config["GO_ON"] = go_on
    return app


def make_early(app: flask.Flask) -> Early:
    """Return what answers ``/early``, and nothing else."""

    def early(scope: Scope) -> Awaitable[Answer] | None:
        return awaited(app.config["GO_ON"]) if scope.path == "/early" else None

    return early


async def awaited(path: Path) -> Answer:
    """Answer in the loop, when a file is there."""
    while not path.exists():  # noqa: ASYNC110, ASYNC240 - what it waits for is a test
        await asyncio.sleep(0.01)
    return Answer(200, [("Content-Type", "text/plain")], b"early")


if __name__ == "__main__":
    environment = Settings.from_environment()
    serve(
        Settings(
            port=environment.port,
            data_dir=environment.data_dir,
            workers=1,
            url_prefix="/only-here",
            rate_limit=123,
        ),
        create_app,
        make_early,
    )
