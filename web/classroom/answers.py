"""What the requests and answers of a class have in common: fields, refusals, questions before."""

from collections.abc import Callable, Mapping
from typing import Any

import flask

from cardgames.cards import CardGameError
from cardgames.text import Text
from web.classroom import words
from web.http.addresses import number_in
from web.http.responses import render_page

Fields = Mapping[str, str]
"""What was sent, by the names of the fields."""


class NotAllowed(CardGameError):
    """A move that is not possible now, or whose fields make no sense."""


class OutOfDate(CardGameError):
    """A move that somebody else, or the clock, has made already."""


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


def chosen(sent: Fields, name: str, values: tuple[Any, ...], default: str | None = None) -> str:
    """Return what was chosen for a field of a form.

    Args:
        sent: what was sent.
        name: the field's name.
        values: what is offered.
        default: what stands for a field that was left empty; without one it must be chosen.

    Raises:
        NotAllowed: something that is not offered.
    """
    choice, offered = sent.get(name, "") or default, [str(value) for value in values]
    if choice not in offered:
        raise NotAllowed(words.BAD_FIELD.fill(name=name, values=", ".join(offered)))
    return choice


def number_from(text: str, name: str, least: int, most: int) -> int:
    """Return the number that was sent in a field.

    Raises:
        NotAllowed: it is none between the two.
    """
    number = number_in(text.strip())
    if number is None or not least <= number <= most:
        raise NotAllowed(words.BAD_NUMBER.fill(name=name, least=least, most=most))
    return number


def require(condition: bool, why: Text = words.NOT_NOW) -> None:  # noqa: FBT001 - a condition
    """Return if a move is possible.

    Raises:
        NotAllowed: it is not.
    """
    if not condition:
        raise NotAllowed(why)
