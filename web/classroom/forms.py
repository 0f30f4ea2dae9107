"""What a move of an instructor is: its name and fields, what it changes, and how it is answered.

A page lists the moves that are possible now (:class:`ClassMove`). :func:`answer_move` reads the
class, refuses a form that is out of date and a move that is not possible, makes the move, and leads
back to the page.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import flask
from flask.typing import ResponseReturnValue

from cardgames.cards import CardGameError
from cardgames.text import Text
from web.classroom import answers, words
from web.classroom.access import led_class, load_class, save_move
from web.classroom.models import Classroom
from web.classroom.questions import MAX_CODE
from web.classroom.roster import MAX_BYTES
from web.http.i18n import negotiated
from web.http.requests import sent_texts, wants_json
from web.http.responses import Show, see_other

YES_NO: Final[Mapping[str, Text]] = {"N": Text("No"), "Y": Text("Yes")}

_LONGER: Final = {"names": MAX_BYTES, "code": 2 * MAX_CODE}

Options = Mapping[str, Text | str] | None
"""What a field takes, by its values; None for any text."""


class ClassMove(NamedTuple):
    """A move that is possible now, with what makes it.

    That changes the class, or raises ``CardGameError``. It may return an answer of its own.
    """

    name: str
    label: Text
    make: "Callable[[MoveRequest], ResponseReturnValue | None]"
    fields: Mapping[str, Options] = {}

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"name": self.name, "label": self.label, "fields": self.fields}


@dataclass(frozen=True)
class MoveRequest:
    """A move that an instructor asks for; what cannot be had of it raises NotAllowed."""

    classroom: Classroom
    move: ClassMove
    fields: answers.Fields
    language: str
    """The language of the instructor's pages."""

    @property
    def now(self) -> float:
        """The store's time."""
        return self.classroom.now

    def choice(self, name: str, default: str | None = None) -> str:
        """Return what was chosen for a field of the move."""
        return answers.chosen(self.fields, name, (*(self.move.fields[name] or ()),), default)

    def number(self, name: str, least: int, most: int) -> int:
        """Return the number in a field."""
        return answers.number_from(self.fields.get(name, ""), name, least, most)

    def text(self, name: str) -> str:
        """Return the text of a field, with single spaces."""
        return " ".join(self.fields.get(name, "").split())

    def write(self, **values: Any) -> None:
        """Write some columns of the class."""
        save_move(self.classroom, **values)


def writing(**values: Any) -> Callable[[MoveRequest], None]:
    """Return what makes a move that gives some columns of the class other values."""
    return lambda request: request.write(**values)


def answer_move(
    code: str,
    available: Callable[[Classroom], Iterable[ClassMove]],
    show: Callable[..., ResponseReturnValue],
    why_not: Callable[[Classroom, str], Text] = lambda *_: words.NOT_NOW,
    address: str = "",
) -> ResponseReturnValue:
    """Make one of an instructor's moves.

    Args:
        code: the class's.
        available: returns which moves are possible.
        show: answers with the page of a class; where a move is refused also with a status, the
            reason, and what was sent.
        why_not: says why a move is not possible.
        address: where the page is.
    """
    sent = sent_texts(_LONGER)
    name = flask.g.move = sent.pop("move", "")
    step = sent.pop("step", "")
    try:
        classroom = led_class(code)
        if step != str(classroom.step):
            raise answers.OutOfDate(words.STALE)
        move = next((one for one in available(classroom) if one.name == name), None)
        if move is None:
            raise answers.NotAllowed(why_not(classroom, name))
        made = move.make(MoveRequest(classroom, move, sent, negotiated()))
        return made or lead_back(lambda: show(load_class(code)), address)
    except CardGameError as error:
        return show(load_class(code), answers.undo(error), error.text, sent)


def lead_back(show: Show, address: str) -> ResponseReturnValue:
    """Lead back to the page as it was looked at, or send a program how it stands."""
    return show() if wants_json() else see_other(address, show)
