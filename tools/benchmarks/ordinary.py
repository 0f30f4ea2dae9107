"""An ordinary Flask app with the rules of Simple 21, as the baseline for the site's moves.

The session is a signed cookie with an ID, the table is stored as JSON in a row of SQLite, and Jinja
renders the page. It has no history, coach, languages or compare-and-set. ``python -m
tools.benchmarks.ordinary`` serves it with granian's WSGI server, one worker and one thread.
"""

import json
import os
import random
import secrets
import sqlite3
from pathlib import Path
from typing import Any

import flask
import jinja2
from granian import Granian
from granian.constants import Interfaces
from werkzeug import Response

SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
DECK = [rank + suit for rank in "A23456789TJQK" for suit in SUITS]
MOVES = {"ready": ["deal"], "playing": ["hit", "stay"], "round over": ["deal"]}
BASE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{% block title %}{% endblock %}</title>
<link rel="stylesheet" href="/static/site.css"><script src="/static/site.js" defer></script></head>
<body><header><a href="/">Cards</a><nav>{% for name in ("Simple 21", "Blackjack", "War", "Bingo") %}
<a href="/{{ name|lower|replace(' ', '-') }}">{{ name }}</a>{% endfor %}</nav></header>
<main>{% block main %}{% endblock %}</main><footer>Play fair.</footer></body></html>"""
PAGE = """{% extends "base.html" %}
{% macro hand(name, cards, total) %}<section><h2>{{ name }} {% if total is not none %}{{ total }}{% endif %}</h2>
<ul>{% for card in cards %}<li><img src="/static/{{ card or 'back' }}.svg" width="90" height="126" alt="
{%- if card %}{{ card[0] }} of {{ suits[card[1]] }}{% else %}a card face down{% endif %}"></li>{% endfor %}</ul></section>{% endmacro %}
{% block title %}{{ (winner ~ " wins" if winner else "Your move")|capitalize }} - Simple 21{% endblock %}
{% block main %}<h1>Simple 21 {% if round %}<small>Round {{ round }}</small>{% endif %}</h1>
{{ hand("Dealer", dealer.cards, dealer.total) }}
<p>{% if phase == "playing" %}Another card?{% elif winner %}{{ winner|capitalize }} wins.{% else %}Ready.{% endif %}</p>
{{ hand("You", player.cards, player.total) }}
{% for move in moves %}<form method="post"><input type="hidden" name="step" value="{{ step }}">
<button name="move" value="{{ move.name }}">{{ move.label }}</button></form>{% endfor %}
<dl>{% for who, wins in tally.items() %}<dt>{{ who|capitalize }}</dt><dd>{{ wins }}</dd>{% endfor %}
<dt>Deck</dt><dd>{{ deck }}</dd><dt>Discards</dt><dd>{{ discards }}</dd></dl>{% endblock %}"""


def total(cards: list[str]) -> int:
    """Return the best total of a hand."""
    points = sum(min("A23456789TJQK".index(card[0]) + 1, 10) for card in cards)
    return points + 10 if points <= 11 and any(card[0] == "A" for card in cards) else points


class Table:
    """A table that is loaded from a row and saved to a row."""

    def __init__(self, row: str | None) -> None:
        self.state: dict[str, Any] = json.loads(row) if row else self.new()

    def new(self, step: int = 0) -> dict[str, Any]:
        tally = {"player": 0, "dealer": 0, "tie": 0}
        return {"phase": "ready", "round": 0, "player": [], "dealer": [], "deck": DECK, "step": step,
                "discards": [], "winner": None, "tally": tally}  # fmt: skip

    def draw(self) -> str:
        state = self.state
        if not state["deck"]:
            state["deck"], state["discards"] = state["discards"], []
            random.SystemRandom().shuffle(state["deck"])
        card: str = state["deck"].pop()
        return card

    def play(self, move: str) -> None:
        state = self.state
        state["step"] += 1
        if move == "new":
            self.state = self.new(state["step"])
        elif move == "deal":
            state["discards"] += state["player"] + state["dealer"]
            if not state["round"]:
                state["deck"] = random.SystemRandom().sample(DECK, len(DECK))
            hands = [self.draw() for _ in range(4)]
            state.update(player=hands[::2], dealer=hands[1::2], phase="playing", winner=None)
            state["round"] += 1
        elif move == "hit":
            state["player"].append(self.draw())
            if total(state["player"]) > 21:
                self.end("dealer")
        else:
            self.stay()

    def stay(self) -> None:
        player = total(self.state["player"])
        while player != 21 and total(self.state["dealer"]) < 17:
            self.state["dealer"].append(self.draw())
        dealer = total(self.state["dealer"])
        won = player == 21 or dealer > 21 or player > dealer
        self.end("player" if won else "tie" if player == dealer else "dealer")

    def end(self, winner: str) -> None:
        self.state.update(phase="round over", winner=winner)
        self.state["tally"][winner] += 1

    def view(self) -> dict[str, Any]:
        state = self.state
        hidden = state["phase"] == "playing"
        dealer = [state["dealer"][0], None] if hidden else state["dealer"]
        shown = {"cards": dealer, "total": None if hidden else total(dealer)}
        player = {"cards": state["player"], "total": total(state["player"])}
        moves = [
            {"name": name, "label": name.capitalize()} for name in (*MOVES[state["phase"]], "new")
        ]
        counts = {"deck": len(state["deck"]), "discards": len(state["discards"])}
        return {**state, "dealer": shown, "player": player, "moves": moves, **counts}


def create_app(database: Path) -> flask.Flask:
    """Return the app, which stores its tables in a database."""
    app = flask.Flask(__name__)
    app.secret_key = secrets.token_bytes()
    app.jinja_env.loader = jinja2.DictLoader({"base.html": BASE, "table.html": PAGE})
    rows = sqlite3.connect(database, check_same_thread=False)
    rows.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                       "CREATE TABLE IF NOT EXISTS tables (id TEXT PRIMARY KEY, data TEXT)")  # fmt: skip

    def load() -> Table:
        found = rows.execute("SELECT data FROM tables WHERE id = ?", (flask.session.get("id"),))
        return Table((found.fetchone() or (None,))[0])

    def shown(table: Table, status: int = 200) -> Response | tuple[str, int]:
        if flask.request.accept_mimetypes.best == "application/json":
            return flask.make_response(flask.jsonify(table.view()), status)
        return flask.render_template("table.html", suits=SUITS, **table.view()), status

    @app.get("/simple-21")
    def show() -> Response | tuple[str, int]:
        return shown(load())

    @app.post("/simple-21")
    def move() -> Response | tuple[str, int]:
        table, form = load(), flask.request.form
        if form.get("step") != str(table.state["step"]):
            return shown(table, 409)
        if form.get("move") not in (*MOVES[table.state["phase"]], "new"):
            return shown(table, 422)
        table.play(form["move"])
        key = flask.session.setdefault("id", secrets.token_hex())
        with rows:
            rows.execute("REPLACE INTO tables VALUES (?, ?)", (key, json.dumps(table.state)))
        as_json = flask.request.accept_mimetypes.best == "application/json"
        return shown(table) if as_json else flask.redirect("/simple-21", 303)

    return app


if __name__ == "__main__":
    folder = Path(os.environ["DATA_DIR"])
    Granian(
        "app", interface=Interfaces.WSGI, port=int(os.environ["PORT"]), blocking_threads=1
    ).serve(target_loader=lambda: create_app(folder / "tables.db"), wrap_loader=False)
