"""The pages that do not belong to a table, such as the lobby, house rules and settings."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import flask
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from cardgames import GAMES
from cardgames.text import Text
from web import db
from web.classroom.people.views import class_activity, load_browser_classes
from web.deals.daily import daily_deals
from web.http import i18n
from web.http.addresses import safe_redirect, site_address
from web.http.requests import MAX_ADDRESS, form_fields, wants_json
from web.http.responses import json_response, see_other
from web.http.sessions import current_session
from web.preferences import CHOICES, COOKIE, chosen, remember
from web.puzzles.views import puzzle_state
from web.tables.lobby import lobby
from web.tables.seat import ADVISED_GAMES, game_or_404

blueprint = flask.Blueprint("site", __name__)


@blueprint.get("/")
def show() -> ResponseReturnValue:
    """Show the tables, each with the state in which the player left it."""
    values = lobby()
    if not wants_json():
        session = current_session()
        news = {"daily": daily_deals(session), "puzzles_due": puzzle_state(session).due}
        return flask.render_template("lobby.html", lobby=values, **news, **_own_classes())
    tables = [
        {
            "game": seat.game.info.slug,
            "title": seat.game.info.title,
            "step": seat.step,
            "phase": seat.phase,
        }
        for seat in values.seats
    ]
    return json_response({"tables": tables})


def _own_classes() -> dict[str, Any]:
    """Return the browser's classes, and the current activity of the first class."""
    classes = load_browser_classes() if flask.current_app.config["CLASSES"] != "off" else []
    student = classes[0][1] if classes else None
    return {"own_classes": classes, "at": student and class_activity(classes[0][0], student)}


@blueprint.get("/practise")
def practise() -> str:
    """Show the ways to practise and the player's progress."""
    session = current_session()
    return flask.render_template(
        "practise.html",
        daily=daily_deals(session),
        puzzles=puzzle_state(session),
        spots=[*ADVISED_GAMES.values()],
    )


@blueprint.get("/<slug>/rules")
def rules(slug: str) -> ResponseReturnValue:
    """Show the house rules of a table."""
    game = game_or_404(slug)
    if wants_json():
        info = game.info
        return json_response({"game": info.slug, "title": info.title, "rules": info.rules})
    return flask.render_template("rules.html", game=game)


@dataclass(frozen=True, slots=True)
class KeyHint:
    """A letter key and the names of the moves that it makes."""

    key: str
    moves: tuple[str, ...]
    """The names of the moves that the key makes, at any table."""


def key_hints() -> list[KeyHint]:
    """Return the keys that make a move at a table, in the order of the tables."""
    hints: dict[str, dict[str, str]] = {}
    for game in GAMES.values():
        for move in (game.deals, *game.round_moves):
            if move.key:
                label = next(iter(move.repeat.options.values()))[1] if move.repeat else move.label
                hints.setdefault(move.key, {}).setdefault(label, game.info.title)
    return [KeyHint(key, tuple(_labels(moves))) for key, moves in hints.items()]


def _labels(moves: Mapping[str, str]) -> Iterator[str]:
    """Yield the labels of moves.

    A label that begins with a number includes the table's name.
    """
    at_table = Text("{move} ({table})")
    for label, table in moves.items():
        yield at_table.fill(move=label, table=table) if label[0].isdigit() else label


@blueprint.get("/settings")
def preferences() -> str:
    """Show the preferences with their choices, and the keyboard shortcuts.

    Writes nothing.
    """
    to = safe_redirect(flask.request.args.get("to", ""))
    return flask.render_template("settings.html", to=to, back=site_address(to), keys=key_hints())


@blueprint.post("/settings")
def choose_preferences() -> flask.Response:
    """Save a preference, and redirect to the user's previous page.

    Preferences that the form does not contain remain unchanged.

    Raises:
        BadRequest: If the form contains a choice that does not exist.
    """
    sent, before = _sent(), chosen(flask.request)
    choices = {name: sent.get(name, getattr(before, name)) for name in CHOICES}
    if any(value not in CHOICES[name] for name, value in choices.items()):
        raise BadRequest
    return remember(_back(), COOKIE, ".".join(choices.values()))


@blueprint.post("/language")
def choose_language() -> flask.Response:
    """Save the user's language, and redirect to the page on which it was chosen.

    Raises:
        BadRequest: If the site does not support the language.
    """
    code = _sent().get("language", "")
    if code not in i18n.LANGUAGES:
        raise BadRequest
    return remember(_back(), i18n.COOKIE, code)


def _back() -> flask.Response:
    """Redirect to the page whose path is in the form's field ``to``."""
    return see_other(site_address(_sent().get("to", "")))


def _sent() -> dict[str, str]:
    """Return the form's fields, including ``to``, the path of the form's page."""
    return form_fields({"to": MAX_ADDRESS})


@blueprint.get("/healthz")
def healthz() -> flask.Response:
    """Return ``ok`` if the database can be read and written."""
    db.database().check()
    return flask.Response("ok", mimetype="text/plain")
