"""What the answers of a class have in common: addresses, refusals, and questions before the act."""

from collections.abc import Callable, Mapping

import flask

from cardgames.cards import CardGameError
from cardgames.text import Text
from web.classroom.moves import OutOfDate
from web.http.responses import render_page


def class_address(code: str) -> str:
    """Return the address of a class."""
    return f"{flask.request.script_root}/class/{code}"


def answer_or_refuse(
    answer: Callable[[], flask.Response], refuse: Callable[[int, str], flask.Response]
) -> flask.Response:
    """Do what a form asks for and answer, or refuse it.

    Args:
        answer: does it; it raises ``CardGameError`` where that is not possible.
        refuse: shows the page as it stands, with a status and the reason.
    """
    try:
        return answer()
    except OutOfDate as error:
        return refuse(409, error.text)
    except CardGameError as error:
        return refuse(422, error.text)


def ask_first(
    title: str, question: Text, label: Text, action: str, fields: Mapping[str, str], back: str
) -> flask.Response:
    """Answer with the page that asks before something is done that cannot be undone.

    Args:
        title: the class's.
        question: what is asked.
        label: of the button that does it.
        action: where the form is sent.
        fields: what is sent.
        back: where it leads not to do it.
    """
    return render_page(
        "class/ask.html",
        title=title,
        question=question,
        label=label,
        action=action,
        fields=fields,
        back=back,
    )
