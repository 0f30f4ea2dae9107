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
class Asked:
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

    def with_room(self, change: Change, **changes: Any) -> Change:
        """Return a change that writes the class anew, with other values in some fields."""
        room = msgspec.structs.replace(self.state.room, **changes)
        return replace(change, room=room)

    def with_round(self, change: Change, **changes: Any) -> Change:
        """Return a change that writes the round that is on anew."""
        return self.with_room(change, round=msgspec.structs.replace(self.data, **changes))


MakeMove = Callable[[Asked], Change]


def deal(asked: Asked) -> Change:
    """Deal a round to everybody who is here and has not stepped out."""
    state = asked.state
    require(not state.room.closed and not state.open_round)
    players = tuple(member.number for member in dealt_in(state))
    every = int(asked.choice("every", EVERY, "8"))
    data = RoundData(
        number=state.counters.round + 1,
        mode=Mode(asked.choice("mode", tuple(Mode), Mode.LINE)),
        speed=asked.choice("speed", _YES_NO, "N") == "Y",
        by_hand=asked.choice("by_hand", _YES_NO, "N") == "Y",
        salt=secrets.token_bytes(SALT_BYTES),
        dealt=players,
        began=asked.now,
        every=every if players else 0,  # on paper alone it begins when the cards are given out
    )
    dealt = LiveRound(data, "playing", 0, 0, (), ())
    stop = DECK_SIZE if data.by_hand else dealt.stop_after(0, players)
    change = Change(
        clock=Clock(0, asked.now, data.every, stop),
        round=data.number,
        is_open=True,
        next_card=state.counters.joined + 1,
    )
    return asked.with_room(change, round=data, show="round")


def call(asked: Asked) -> Change:
    """Call one card; the number it is to be is named, so two dashboards cannot make it two."""
    live = asked.live
    require(live.phase == "playing", words.NO_CALLING)
    number = asked.number("call", 1, DECK_SIZE + 1)
    if number != live.calls + 1:
        raise OutOfDate(words.CALLED_ALREADY.fill(number=live.calls))
    require(number <= DECK_SIZE, words.ALL_CALLED)
    return asked.with_round(Change(clock=asked.clock.called_one(asked.now)))


def auto(asked: Asked) -> Change:
    """Let the clock call."""
    require(asked.live.phase == "playing", words.NO_CALLING)
    every = int(asked.choice("every", INTERVALS))
    return asked.with_round(Change(clock=asked.clock.set_to(every, asked.now)))


def pause(asked: Asked) -> Change:
    """Stop the clock."""
    require(asked.live.phase == "playing" and asked.clock.every > 0)
    return asked.with_round(Change(clock=asked.clock.set_to(0, asked.now)))


def go_on(asked: Asked) -> Change:
    """Go on after a BINGO!, for more places."""
    live = asked.live
    require(live.phase == "bingo")
    require(live.calls < DECK_SIZE, words.ALL_CALLED)
    stop = DECK_SIZE
    if not live.data.by_hand:
        later = [one.card for one in live.holdings if live.card(one.card).bingo_call > live.calls]
        require(bool(later), words.NO_MORE_BINGO)
        stop = live.stop_after(live.calls)
    clock = replace(asked.clock, calls=live.calls, since=asked.now, stop=stop)
    change = Change(clock=clock, goes_on=True)
    return asked.with_round(change, heat=live.data.heat + 1, after=live.calls)


def end(asked: Asked) -> Change:
    """End the round after a BINGO!, or when there is nothing left to call."""
    live = asked.live
    require(live.phase == "bingo" or live.calls == DECK_SIZE)
    change, data = _ended(asked)
    return asked.with_room(change, round=data)


def void(asked: Asked) -> Change:
    """End the round so that it does not count."""
    reason = " ".join(asked.fields.get("reason", "").split())[:MAX_REASON]
    require(reason.isprintable())
    change, data = _ended(asked, void=True, reason=reason)
    return asked.with_room(change, round=data)


def _ended(asked: Asked, **changes: Any) -> tuple[Change, RoundData]:
    """Return the round as it ends, and a change that keeps it beside the class."""
    live = asked.live
    finished = FinishedData(
        calls=live.calls,
        ended=asked.now,
        cards=tuple((one.card, one.student, one.from_call) for one in live.holdings),
        claims=tuple((one.card, one.call, one.heat, one.since) for one in live.claims),
        places=tuple((one.place, one.call, one.cards) for one in live.places),
    )
    data = msgspec.structs.replace(live.data, finished=finished, **changes)
    change = Change(
        clock=Clock(live.calls, asked.now, 0, live.calls),
        is_open=False,
        finished=data,
    )
    return change, data


def paper(asked: Asked) -> Change:
    """Bring cards 1 to a number into play that are on paper."""
    live = asked.live
    require(live.phase == "playing", words.NO_CALLING)
    count = asked.number("cards", 0, MAX_STUDENTS)
    known = {one.card for one in live.holdings if one.student}
    for number in range(1, count + 1):
        if number not in known and live.card(number).bingo_call <= live.calls:
            raise NotAllowed(words.PAPER_TOO_LATE.fill(number=number))
    clock = asked.clock
    if not live.data.by_hand:
        stop = live.stop_after(live.data.after, {*known, *range(1, count + 1)})
        clock = clock.stopping_at(stop, asked.now)
    return asked.with_round(Change(clock=clock, next_card=count + 1), paper=count)


def show(asked: Asked) -> Change:
    """Choose what the big screen shows."""
    return asked.with_room(Change(), show=asked.choice("show", SHOWS))


def lock(asked: Asked) -> Change:
    """Let nobody new in."""
    require(not asked.state.room.locked)
    return asked.with_room(Change(), locked=True)


def unlock(asked: Asked) -> Change:
    """Let newcomers in again."""
    require(asked.state.room.locked)
    return asked.with_room(Change(), locked=False)


def prolong(asked: Asked) -> Change:
    """Choose anew how long the class lives."""
    days = int(asked.choice("days", LIVES))
    return asked.with_room(Change(expires=int(asked.now) + days * _DAY), days=days)


def close(asked: Asked) -> Change:
    """End the class: nobody joins any more, and nothing is dealt."""
    require(not asked.state.room.closed)
    change, data = Change(), asked.state.room.round
    if asked.state.open_round:
        change, data = _ended(asked, void=True)
    return asked.with_room(change, round=data, closed=True, locked=True, show="nothing")


def forget_names(asked: Asked) -> Change:
    """Forget all real names; the results stay, under nicknames."""
    return asked.with_room(Change(forget_names=True))


def hand_on(asked: Asked, link: str) -> Change:
    """List a dashboard that is handed on by a link, with the hash of that."""
    room = asked.state.room
    waiting = asked.now - HAND_ON_LINK
    kept = tuple(one for one in room.dashboards if one.browser or one.at > waiting)
    require(len(kept) < MAX_DASHBOARDS, words.TOO_MANY_DASHBOARDS)
    made = Dashboard(next_number(room), asked.now, link)
    return asked.with_room(Change(), dashboards=(*kept, made))


def take_back(asked: Asked) -> Change:
    """Take a dashboard back that was handed on, or its link before anybody has used it."""
    room = asked.state.room
    number = asked.number("dashboard", 1, next_number(room))
    kept = tuple(one for one in room.dashboards if one.number != number)
    require(len(kept) < len(room.dashboards))
    return asked.with_room(Change(), dashboards=kept)


def next_number(room: Classroom) -> int:
    """Return the number of the next dashboard of a class that is handed on."""
    return 1 + max((one.number for one in room.dashboards), default=0)


def roster(asked: Asked) -> Change:
    """Keep the list of those who should come, a name a line."""
    lines = asked.fields.get("names", "").splitlines()
    names = tuple(name for line in lines if (name := " ".join(line.split())[:MAX_REASON]))
    require(all(name.isprintable() for name in names) and len(names) <= MAX_ROSTER)
    return asked.with_room(Change(roster=names))


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
