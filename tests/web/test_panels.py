"""Panels at a table: one line in a list adds a panel.

A panel is called only at its kind of table.
"""

from collections.abc import Mapping
from typing import Any

import flask
import pytest

from cardgames import GAMES
from tests.support.pages import texts
from tests.support.site import JSON, play
from web.hooks import PANELS
from web.http.sessions import PlayerSession
from web.tables.hooks import Panel, hooks, install
from web.tables.seat import Seat


def add_panel(app: flask.Flask) -> list[str]:
    """Add a panel to a site's own tables, and return the URLs that call the panel."""
    template: Any = app.jinja_env.from_string('<p id="steps">{{ page.panels.steps }} moves</p>')
    called = []

    def steps_panel(_session: PlayerSession, seat: Seat) -> Mapping[str, Any]:
        called.append(seat.url)
        return {
            "steps": seat.step,
            "thoughts": template,
            "links": ("To the daily deal", "deals.form", "table", "war"),
        }

    with app.app_context():
        own = (*PANELS["own"], Panel(steps_panel))
        install(app, hooks()._replace(panels={**PANELS, "own": own}))
    return called


@pytest.mark.parametrize("slug", GAMES)
def test_panel_is_shown_at_every_table_when_added(app: flask.Flask, slug: str) -> None:
    called, client = add_panel(app), app.test_client()
    play(client, f"/{slug}", "deal")
    assert not called, "a program's move renders no page"
    page = client.get(f"/{slug}").text
    assert texts(page, "#steps") == ["1 moves"]
    assert "To the daily deal" in texts(page, "#more a.more")
    assert called == [f"/{slug}"]


def test_panel_of_own_tables_is_not_called_at_a_deal(app: flask.Flask) -> None:
    called, client = add_panel(app), app.test_client()
    made = client.post("/deals", data={"table": "blackjack"}, headers=JSON).get_json()
    assert client.get(made["address"]).status_code == 200
    assert not called
