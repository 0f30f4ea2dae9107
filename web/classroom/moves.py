"""What an instructor can do: each move is a function of the class and its fields.

A move returns what is to be written; whoever calls it writes that if the class is still as it was
read, and decides anew if not.
"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec

from cardgames.cards import DECK_SIZE, CardGameError
from cardgames.class_bingo.clock import INTERVALS, Clock
from cardgames.games.bingo.rules import Mode
from cardgames.shuffling import SALT_BYTES
from cardgames.text import Text
from web.classroom import words
from web.classroom.changes import MAX_STUDENTS, Change
from web.classroom.model import (
    EVERY,
    HAND_ON_LINK,
    LIVES,
    MAX_DASHBOARDS,
    SHOWS,
    Classroom,
    Dashboard,
    FinishedData,
    RoundData,
)
from web.classroom.presence import dealt_in
from web.classroom.state import ClassState, LiveRound
from web.http.addresses import number_in

MAX_REASON: Final = 80
MAX_ROSTER: Final = 600
"""So many names a pasted list has at most."""

MAX_ROSTER_TEXT: Final = MAX_ROSTER * (MAX_REASON + 2)
"""Maximum number of characters of such a list, a name a line."""

_DAY: Final = 86_400
_YES_NO: Final = ("Y", "N")

Fields = Mapping[str, str]
Options = Mapping[str, str] | None
"""What a field takes, by its values; ``None`` where that is any text."""


class NotAllowed(CardGameError):
    """A move that is not possible now, or whose fields make no sense."""


class OutOfDate(CardGameError):
    """A move that somebody else, or the clock, has made already."""


@dataclass(frozen=True, slots=True)
class ClassMove:
    """A move that is possible now, as programs are told of it."""

    name: str
    label: Text
    fields: Mapping[str, Options]


@dataclass(frozen=True, slots=True)
class MoveRequest:
    """A move that somebody asks for."""

    state: ClassState
    fields: Fields
    language: str
    """The language of whoever asks."""

    @property
    def live(self) -> LiveRound:
        """The round that is on.

        Raises:
            NotAllowed: there is none.
        """
        if self.state.open_round is None:
            raise NotAllowed(words.NOT_NOW)
        return self.state.open_round

    @property
    def data(self) -> RoundData:
        """The same as it is kept."""
        return self.live.data

    @property
    def now(self) -> float:
        """The store's time."""
        return self.state.counters.now

    @property
    def clock(self) -> Clock:
        """The clock of the round."""
        return self.state.counters.clock

    def choice(self, name: str, values: tuple[Any, ...], default: str | None = None) -> str:
        """Return what was chosen for a field.

        Raises:
            NotAllowed: something that is not offered.
        """
        return chosen(self.fields, name, values, default)

    def number(self, name: str, least: int, most: int) -> int:
        """Return the number in a field.

        Raises:
            NotAllowed: there is none between the two.
        """
        return number_from(self.fields.get(name, ""), name, least, most)

    def with_classroom(self, change: Change, **changes: Any) -> Change:
        """Return a change that writes the class anew, with other values in some fields."""
        classroom = msgspec.structs.replace(self.state.classroom, **changes)
        return replace(change, classroom=classroom)

    def with_round(self, change: Change, **changes: Any) -> Change:
        """Return a change that writes the round that is on anew."""
        return self.with_classroom(change, round=msgspec.structs.replace(self.data, **changes))


MakeMove = Callable[[MoveRequest], Change]


def deal(request: MoveRequest) -> Change:
    """Deal a round to everybody who is here and has not stepped out."""
    state = request.state
    require(not state.classroom.closed and not state.open_round)
    players = tuple(member.number for member in dealt_in(state))
    every = int(request.choice("every", EVERY, "8"))
    data = RoundData(
        number=state.counters.round + 1,
        mode=Mode(request.choice("mode", tuple(Mode), Mode.LINE)),
        speed=request.choice("speed", _YES_NO, "N") == "Y",
        by_hand=request.choice("by_hand", _YES_NO, "N") == "Y",
        salt=secrets.token_bytes(SALT_BYTES),
        dealt=players,
        began=request.now,
        every=every if players else 0,  # on paper alone it begins when the cards are given out
    )
    dealt = LiveRound(data, "playing", 0, 0, (), ())
    stop = DECK_SIZE if data.by_hand else dealt.stop_after(0, players)
    change = Change(
        clock=Clock(0, request.now, data.every, stop),
        round=data.number,
        is_open=True,
        next_card=state.counters.joined + 1,
    )
    return request.with_classroom(change, round=data, show="round")


def call(request: MoveRequest) -> Change:
    """Call one card; the number it is to be is named, so two dashboards cannot make it two."""
    live = request.live
    require(live.phase == "playing", words.NO_CALLING)
    number = request.number("call", 1, DECK_SIZE + 1)
    if number != live.calls + 1:
        raise OutOfDate(words.CALLED_ALREADY.fill(number=live.calls))
    require(number <= DECK_SIZE, words.ALL_CALLED)
    return request.with_round(Change(clock=request.clock.called_one(request.now)))


def auto(request: MoveRequest) -> Change:
    """Let the clock call."""
    require(request.live.phase == "playing", words.NO_CALLING)
    every = int(request.choice("every", INTERVALS))
    return request.with_round(Change(clock=request.clock.set_to(every, request.now)))


def pause(request: MoveRequest) -> Change:
    """Stop the clock."""
    require(request.live.phase == "playing" and request.clock.every > 0)
    return request.with_round(Change(clock=request.clock.set_to(0, request.now)))


def go_on(request: MoveRequest) -> Change:
    """Go on after a BINGO!, for more places."""
    live = request.live
    require(live.phase == "bingo")
    require(live.calls < DECK_SIZE, words.ALL_CALLED)
    stop = DECK_SIZE
    if not live.data.by_hand:
        later = [
            one.card for one in live.cards_in_play if live.card(one.card).bingo_call > live.calls
        ]
        require(bool(later), words.NO_MORE_BINGO)
        stop = live.stop_after(live.calls)
    clock = replace(request.clock, calls=live.calls, since=request.now, stop=stop)
    change = Change(clock=clock, goes_on=True)
    return request.with_round(
        change, resumptions=live.data.resumptions + 1, resumed_at_call=live.calls
    )


def end(request: MoveRequest) -> Change:
    """End the round after a BINGO!, or when there is nothing left to call."""
    live = request.live
    require(live.phase == "bingo" or live.calls == DECK_SIZE)
    change, data = _ended(request)
    return request.with_classroom(change, round=data)


def void(request: MoveRequest) -> Change:
    """End the round so that it does not count."""
    reason = " ".join(request.fields.get("reason", "").split())[:MAX_REASON]
    require(reason.isprintable())
    change, data = _ended(request, void=True, reason=reason)
    return request.with_classroom(change, round=data)


def _ended(request: MoveRequest, **changes: Any) -> tuple[Change, RoundData]:
    """Return the round as it ends, and a change that keeps it beside the class."""
    live = request.live
    finished = FinishedData(
        calls=live.calls,
        ended=request.now,
        cards=tuple((one.card, one.student, one.from_call) for one in live.cards_in_play),
        claims=tuple((one.card, one.call, one.heat, one.since) for one in live.claims),
        places=tuple((one.place, one.call, one.cards) for one in live.places),
    )
    data = msgspec.structs.replace(live.data, finished=finished, **changes)
    change = Change(
        clock=Clock(live.calls, request.now, 0, live.calls),
        is_open=False,
        finished=data,
    )
    return change, data


def paper(request: MoveRequest) -> Change:
    """Bring cards 1 to a number into play that are on paper."""
    live = request.live
    require(live.phase == "playing", words.NO_CALLING)
    count = request.number("cards", 0, MAX_STUDENTS)
    known = {one.card for one in live.cards_in_play if one.student}
    for number in range(1, count + 1):
        if number not in known and live.card(number).bingo_call <= live.calls:
            raise NotAllowed(words.PAPER_TOO_LATE.fill(number=number))
    clock = request.clock
    if not live.data.by_hand:
        stop = live.stop_after(live.data.resumed_at_call, {*known, *range(1, count + 1)})
        clock = clock.stopping_at(stop, request.now)
    return request.with_round(Change(clock=clock, next_card=count + 1), paper=count)


def show(request: MoveRequest) -> Change:
    """Choose what the big screen shows."""
    return request.with_classroom(Change(), show=request.choice("show", SHOWS))


def lock(request: MoveRequest) -> Change:
    """Let nobody new in."""
    require(not request.state.classroom.locked)
    return request.with_classroom(Change(), locked=True)


def unlock(request: MoveRequest) -> Change:
    """Let newcomers in again."""
    require(request.state.classroom.locked)
    return request.with_classroom(Change(), locked=False)


def prolong(request: MoveRequest) -> Change:
    """Choose anew how long the class lives."""
    days = int(request.choice("days", LIVES))
    return request.with_classroom(Change(expires=int(request.now) + days * _DAY), days=days)


def close(request: MoveRequest) -> Change:
    """End the class: nobody joins any more, and nothing is dealt."""
    require(not request.state.classroom.closed)
    change, data = Change(), request.state.classroom.round
    if request.state.open_round:
        change, data = _ended(request, void=True)
    return request.with_classroom(change, round=data, closed=True, locked=True, show="nothing")


def forget_names(request: MoveRequest) -> Change:
    """Forget all real names; the results stay, under nicknames."""
    return request.with_classroom(Change(forget_names=True))


def hand_on(request: MoveRequest, link: str) -> Change:
    """List a dashboard that is handed on by a link, with the hash of that."""
    classroom = request.state.classroom
    waiting = request.now - HAND_ON_LINK
    kept = tuple(one for one in classroom.dashboards if one.browser or one.at > waiting)
    require(len(kept) < MAX_DASHBOARDS, words.TOO_MANY_DASHBOARDS)
    made = Dashboard(next_number(classroom), request.now, link)
    return request.with_classroom(Change(), dashboards=(*kept, made))


def take_back(request: MoveRequest) -> Change:
    """Take a dashboard back that was handed on, or its link before anybody has used it."""
    classroom = request.state.classroom
    number = request.number("dashboard", 1, next_number(classroom))
    kept = tuple(one for one in classroom.dashboards if one.number != number)
    require(len(kept) < len(classroom.dashboards))
    return request.with_classroom(Change(), dashboards=kept)


def next_number(classroom: Classroom) -> int:
    """Return the number of the next dashboard of a class that is handed on."""
    return 1 + max((one.number for one in classroom.dashboards), default=0)


def roster(request: MoveRequest) -> Change:
    """Keep the list of those who should come, a name a line."""
    lines = request.fields.get("names", "").splitlines()
    names = tuple(name for line in lines if (name := " ".join(line.split())[:MAX_REASON]))
    require(all(name.isprintable() for name in names) and len(names) <= MAX_ROSTER)
    return request.with_classroom(Change(roster=names))


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
