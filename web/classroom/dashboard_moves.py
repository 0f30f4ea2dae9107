"""What a move of an instructor is: when it is possible, what it writes, and how it is answered.

A page yields the moves that are possible now (:class:`ClassMove`). :func:`answer_move` reads the
class, refuses a form that is out of date and a move that is not possible, writes what the move
returns if the class is still as it was read, and leads back to the page.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

import flask
import msgspec

from cardgames.class_bingo.clock import Clock
from cardgames.text import Text
from web.classroom import answers, model, roster, words
from web.classroom.live_round import LiveRound
from web.classroom.model import Change
from web.classroom.questions import MAX_CODE
from web.classroom.state import ClassState, decide_on, load_class
from web.http.i18n import negotiated
from web.http.requests import sent_texts, wants_json
from web.http.responses import see_other

MAX_REASON: Final = 80
YES_NO: Final[Mapping[str, Text]] = {"N": Text("No"), "Y": Text("Yes")}

_LONGER: Final = {"names": roster.MAX_BYTES, "code": 2 * MAX_CODE}
_MAX_NUMBER: Final = 100 * model.MAX_STUDENTS

Options = Mapping[str, Text | str] | None
"""What a field takes, by its values; None for any text."""


Written = Change | flask.Response | None
"""What a move writes; or its answer, where it has been made; or None if the class has changed."""


class ClassMove(NamedTuple):
    """A move that is possible now, with what it writes, which may raise ``CardGameError``."""

    name: str
    label: Text
    write: "Callable[[MoveRequest], Written]"
    fields: Mapping[str, Options] = {}

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"name": self.name, "label": self.label, "fields": self.fields}


def writing(**changes: Any) -> "Callable[[MoveRequest], Change]":
    """Return what a move writes that gives some fields of the class other values."""
    return lambda request: request.write(**changes)


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
    def member(self) -> model.Member:
        """The student that the move is about."""
        number = self.number("student", 1, _MAX_NUMBER)
        if number not in self.state.members:
            raise answers.NotAllowed(words.NO_STUDENT.fill(number=number))
        return self.state.members[number]

    def write(self, change: model.Change | None = None, /, **changes: Any) -> model.Change:
        """Return a change that writes the class anew, with other values in some fields."""
        classroom = msgspec.structs.replace(self.state.classroom, **changes)
        return replace(change or model.Change(), classroom=classroom)

    def write_round(self, change: model.Change, **changes: Any) -> model.Change:
        """Return a change that writes the round that is on anew."""
        return self.write(change, round=msgspec.structs.replace(self.live.data, **changes))

    def write_student(self, **changes: Any) -> model.Change:
        """Return a change that writes the student that the move is about anew."""
        return self.write(model.Change(students=(self.member.changed(**changes),)))


def answer_move(
    code: str,
    available: Callable[[ClassState], Iterable[ClassMove]],
    show: Callable[..., flask.Response],
    why_not: Callable[[ClassState, str], Text] = lambda *_: words.NOT_NOW,
    address: str = "",
) -> flask.Response:
    """Make one of an instructor's moves, on the class as it stands when it is written.

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

    def attempt(state: ClassState) -> flask.Response | None:
        state.require_instructor()
        if step != str(state.counters.version):
            raise answers.OutOfDate(words.STALE)
        move = next((one for one in available(state) if one.name == name), None)
        if move is None:
            raise answers.NotAllowed(why_not(state, name))
        made = move.write(MoveRequest(state, move, sent, negotiated()))
        if not isinstance(made, Change):
            return made
        return lead_back(lambda: show(load_class(code)), address) if state.commit(made) else None

    return answers.answer_or_refuse(
        lambda: decide_on(code, attempt),
        lambda status, why: show(load_class(code), status, why, sent),
    )


def lead_back(show: Callable[[], flask.Response], address: str) -> flask.Response:
    """Lead back to the page as it was looked at, or send a program how it stands."""
    return show() if wants_json() else see_other(address, show)
