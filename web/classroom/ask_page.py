"""The page that asks before something is done that cannot be undone."""

from collections.abc import Mapping
from dataclasses import dataclass

import flask

from cardgames.text import Text
from web.http.responses import render_page


@dataclass(frozen=True, slots=True)
class AskPage:
    """What is asked, and the form that does it."""

    title: str
    """Of the class."""

    question: Text
    label: Text
    """Of the button that does it."""

    action: str
    """Where the form is sent."""

    fields: Mapping[str, str]
    back: str


def ask(page: AskPage) -> flask.Response:
    """Answer with the page."""
    return render_page("class/ask.html", page=page)
