"""The lab of a site under test: runs are started by its form, and played here."""

from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

import flask
from flask.testing import FlaskClient

from web.simulation.player import play_parts
from web.storage.jobs import Jobs
from web.storage.sessions import sessions_of

JSON = {"Accept": "application/json"}
CARDS = {"experiment": "twentyone", "games": "300", "table": "simple-21", "play": "table"}
BINGO = {"experiment": "bingo", "games": "300", "mode": "F", "speed": "Y"}
WAR = {"experiment": "war", "games": "400", "seed": "5", "players": "2"}


def jobs_of(app: flask.Flask) -> Jobs:
    """Return the jobs of a site. Nobody plays them but :func:`play_all`."""
    return Jobs(sessions_of(app).store)


MAX_PARTS = 200
"""No run of a test is played in more parts: one that is, makes no progress."""


def play_all(jobs: Jobs) -> None:
    """Play every run to its end."""
    for _ in range(MAX_PARTS):
        if not play_parts(jobs):
            return
    raise AssertionError("a run does not come to its end")


def start(client: FlaskClient, form: Mapping[str, str] = WAR) -> int:
    """Start a run and return its number."""
    response = client.post("/lab", data=form)
    assert response.status_code == 303, response.text
    return int(response.headers["Location"].removeprefix("/lab/"))


def fetch_run(client: FlaskClient, number: int) -> dict[str, Any]:
    """Return what the JSON says of a run."""
    answer: dict[str, Any] = client.get(f"/lab/{number}", headers=JSON).get_json()
    return answer


def play_a_move(client: FlaskClient) -> None:
    """Deal a round, as somebody who plays here does."""
    move = {"move": "deal", "step": "0"}
    assert client.post("/simple-21", data=move).status_code == 303


class Page(HTMLParser):
    """What a test asks of a page: its tables outside of ``details``, and the fields of a form."""

    def __init__(self, text: str, form: str = "") -> None:
        super().__init__()
        self.rows: list[int] = []
        self.fields: dict[str, str] = {}
        self._folded, self._form, self._text = 0, form, ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        self._folded += tag == "details"
        if tag == "table" and not self._folded:
            self.rows.append(0)
        if tag == "tr" and not self._folded:
            self.rows[-1] += 1
        chosen = has.get("type") not in {"radio", "checkbox"} or "checked" in has
        if tag == "input" and chosen:
            self.fields[has["name"]] = has.get("value", "on")
        if tag == "textarea":
            self._text = has["name"]

    def handle_data(self, data: str) -> None:
        if self._text:
            self.fields[self._text] = data
            self._text = ""

    def handle_endtag(self, tag: str) -> None:
        self._folded -= tag == "details"
