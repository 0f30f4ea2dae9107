"""What a move of an instructor is: when it is possible, what it changes, and how it is answered.

A page yields the moves that are possible now (:class:`ClassMove`). :func:`answer_move` reads the
class, refuses a form that is out of date and a move that is not possible, makes the move, and leads
back to the page.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import flask

from cardgames.class_bingo.clock import Clock
from cardgames.text import Text
from web.classroom import answers, roster, words
from web.classroom.joining import MAX_STUDENTS
from web.classroom.live_round import LiveRound
from web.classroom.queries import Member, save_student
from web.classroom.questions import MAX_CODE
from web.classroom.state import ClassState, load_class
from web.http.i18n import negotiated
from web.http.requests import sent_texts, wants_json
from web.http.responses import see_other

MAX_REASON: Final = 80
YES_NO: Final[Mapping[str, Text]] = {"N": Text("No"), "Y": Text("Yes")}

_LONGER: Final = {"names": roster.MAX_BYTES, "code": 2 * MAX_CODE}
_MAX_NUMBER: Final = 100 * MAX_STUDENTS

Options = Mapping[str, Text | str] | None
"""What a field takes, by its values; None for any text."""


class ClassMove(NamedTuple):
    """A move that is possible now, with what makes it.

    That changes the class, or raises ``CardGameError``. It may return an answer of its own.
    """

    name: str
    label: Text
    make: "Callable[[MoveRequest], flask.Response | None]"
    fields: Mapping[str, Options] = {}

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"name": self.name, "label": self.label, "fields": self.fields}


def writing(**values: Any) -> "Callable[[MoveRequest], None]":
    """Return what makes a move that gives some columns of the class other values."""
    return lambda request: request.state.write_move(**values)


@dataclass(frozen=True)
class MoveRequest:
    """A move that an instructor asks for; what cannot be had of it raises NotAllowed."""

    state: ClassState
    move: ClassMove
    fields: answers.Fields
    language: str
    """The language of the instructor's pages."""

    @cached_property
    def live(self) -> LiveRound:
        """The round that is on."""
        live = self.state.open_round
        if live is None:
            raise answers.NotAllowed(words.NOT_NOW)
        return live

    @property
    def now(self) -> float:
        """The store's time."""
        return self.state.counters.now

    @property
    def clock(self) -> Clock:
        """The clock of the round."""
        return self.state.counters.clock

    def choice(self, name: str, default: str | None = None) -> str:
        """Return what was chosen for a field of the move."""
        return answers.chosen(self.fields, name, (*(self.move.fields[name] or ()),), default)

    def number(self, name: str, least: int, most: int) -> int:
        """Return the number in a field."""
        return answers.number_from(self.fields.get(name, ""), name, least, most)

    @property
    def member(self) -> Member:
        """The student that the move is about."""
        number = self.number("student", 1, _MAX_NUMBER)
        if number not in self.state.members:
            raise answers.NotAllowed(words.NO_STUDENT.fill(number=number))
        return self.state.members[number]

    def write(self, **values: Any) -> None:
        """Write some columns of the class."""
        self.state.write_move(**values)

    def write_student(self, **values: Any) -> None:
        """Write some columns of the student that the move is about."""
        save_student(self.member, **values)
        self.state.write_move(changes=self.state.classroom.changes + 1)


def answer_move(
    code: str,
    available: Callable[[ClassState], Iterable[ClassMove]],
    show: Callable[..., flask.Response],
    why_not: Callable[[ClassState, str], Text] = lambda *_: words.NOT_NOW,
    address: str = "",
) -> flask.Response:
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

    def answer() -> flask.Response:
        state = load_class(code)
        state.require_instructor()
        if step != str(state.counters.version):
            raise answers.OutOfDate(words.STALE)
        move = next((one for one in available(state) if one.name == name), None)
        if move is None:
            raise answers.NotAllowed(why_not(state, name))
        made = move.make(MoveRequest(state, move, sent, negotiated()))
        return made or lead_back(lambda: show(load_class(code)), address)

    return answers.answer_or_refuse(
        answer, lambda status, why: show(load_class(code), status, why, sent)
    )


def lead_back(show: Callable[[], flask.Response], address: str) -> flask.Response:
    """Lead back to the page as it was looked at, or send a program how it stands."""
    return show() if wants_json() else see_other(address, show)
