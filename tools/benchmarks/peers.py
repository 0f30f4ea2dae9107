"""What a move costs beside the least that keeps one: ``python -m tools.benchmarks.peers``.

The peer is what a first Flask tutorial ends with: a page with a form, whose POST writes one row of
SQLite and answers 303. It is served by the same server program, and measured in the same rounds.
"""

import secrets
import sqlite3
import sys

import flask
from werkzeug import Response

from tools.benchmarks.moves import HELLO, PAGE_MOVE, TABLE, Kind, measure, page_moves
from web.http.server import serve
from web.settings import Settings

PAGE = """<!doctype html><title>Count</title><p>You have pressed {{ step }} times.</p>
<form method="post"><input type="hidden" name="step" value="{{ step }}">
<button name="move" value="press">Press</button></form>
"""


def application(settings: Settings) -> flask.Flask:
    """Return an app that counts for each browser how often it has pressed a button."""
    app = flask.Flask(__name__)
    app.secret_key = secrets.token_bytes()
    page = app.jinja_env.from_string(PAGE)
    settings.data_dir.mkdir(exist_ok=True)
    store = sqlite3.connect(settings.data_dir / "counts.db", check_same_thread=False)
    store.executescript(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
        "CREATE TABLE IF NOT EXISTS counts (id TEXT PRIMARY KEY, step INTEGER) WITHOUT ROWID"
    )

    @app.get(TABLE)
    def show() -> str:
        visitor = (flask.session.get("id"),)
        row = store.execute("SELECT step FROM counts WHERE id = ?", visitor).fetchone()
        return page.render(step=row[0] if row else 0)

    @app.post(TABLE)
    def press() -> Response:
        if "id" not in flask.session:
            flask.session["id"] = secrets.token_hex()
        pressed = (flask.session["id"], int(flask.request.form["step"]) + 1)
        with store:
            store.execute("INSERT OR REPLACE INTO counts VALUES (?, ?)", pressed)
        return flask.redirect(TABLE, 303)

    return app


PEER = Kind("bare form", ("-m", "tools.benchmarks.peers", "serve"), page_moves, 1_500)


def main() -> None:
    """Measure the peer beside the site."""
    measure((HELLO, PEER, PAGE_MOVE), __doc__)


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        serve(Settings.from_environment(), application)
    else:
        main()
