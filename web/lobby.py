"""The pages around the tables: the lobby, the house rules, the settings, the server's health."""

import flask
from werkzeug.exceptions import BadRequest

from web.answers import as_json, as_page, wants_json
from web.look import CHOICES, COOKIE, Look, own_path, remembered
from web.sessions import query_store
from web.tables.location import game_or_404
from web.tables.views import lobby_entries

lobby = flask.Blueprint("lobby", __name__)


@lobby.get("/")
def show() -> flask.Response:
    """Show the tables, and where the player left each."""
    entries = lobby_entries()
    if not wants_json():
        return as_page("lobby.html", seats=entries)
    return as_json(
        {
            "tables": [
                {
                    "game": entry.game.info.slug,
                    "title": entry.game.info.title,
                    "step": entry.step,
                    "phase": entry.phase,
                }
                for entry in entries
            ]
        }
    )


@lobby.get("/<slug>/rules")
def rules(slug: str) -> flask.Response:
    """Show the house rules of a table."""
    game = game_or_404(slug)
    if wants_json():
        info = game.info
        return as_json({"game": info.slug, "title": info.title, "rules": info.rules})
    return as_page("rules.html", game=game)


@lobby.get("/look")
def settings() -> flask.Response:
    """Show how the pages can look, and the keys. Nothing is written."""
    return as_page("look.html", to=own_path(flask.request.args.get("to", "")))


@lobby.post("/look")
def choose() -> flask.Response:
    """Remember how the reader wants the pages to look, and go back to where he came from.

    Raises:
        BadRequest: something was chosen that is not offered.
    """
    sent = flask.request.form
    choices = {what: sent.get(what, offered[0]) for what, offered in CHOICES.items()}
    if any(value not in CHOICES[what] for what, value in choices.items()):
        raise BadRequest
    where = flask.request.script_root + own_path(sent.get("to", ""))
    answer = flask.Response(status=303, headers={"Location": where})
    return remembered(answer, COOKIE, Look(**choices).kept)


@lobby.get("/readyz")
def readyz() -> flask.Response:
    """Say ``ready`` when the store takes a write, so that a move would be kept."""
    query_store(lambda store: store.probe())
    return flask.Response("ready", mimetype="text/plain")


@lobby.get("/healthz")
def healthz() -> flask.Response:
    """Say ``ok`` when the store answers."""
    query_store(lambda store: store.ping())
    return flask.Response("ok", mimetype="text/plain")
