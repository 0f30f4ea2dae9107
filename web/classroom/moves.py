"""What an instructor's move is, and those of a round: when they are possible, what they write.

A move is a function from a request, which has the class and the fields that were sent, to what is
to be written. It is made only if its name is among those that are possible.
"""

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import msgspec

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.clock import INTERVALS, Clock
from cardgames.class_bingo.results import stop_call
from cardgames.games.bingo.rules import Mode
from cardgames.shuffling import SALT_BYTES
from cardgames.text import Text
from web.classroom import words
from web.classroom.answers import Fields, NotAllowed, OutOfDate, chosen, number_from, require
from web.classroom.live_round import LiveRound
from web.classroom.model import (
    EVERY,
    MAX_STUDENTS,
    Change,
    FinishedData,
    Member,
    RoundData,
)
from web.classroom.state import ClassState
from web.classroom.updates import dealt_in

MAX_REASON: Final = 80
YES_NO: Final[Mapping[str, Text]] = {"N": Text("No"), "Y": Text("Yes")}
_MAX_NUMBER: Final = 100 * MAX_STUDENTS

Options = Mapping[str, Text | str] | None
"""What a field takes, by its values; ``None`` where that is any text."""


@dataclass(frozen=True)
class MoveRequest:
    """A move that an instructor asks for."""

    state: ClassState
    fields: Fields
    language: str
    """The language of the instructor's pages."""

    @cached_property
    def live(self) -> LiveRound:
        """The round that is on.

        Raises:
            NotAllowed: there is none.
        """
        live = self.state.open_round
        if live is None:
            raise NotAllowed(words.NOT_NOW)
        return live

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

    @property
    def member(self) -> Member:
        """The student that the move is about.

        Raises:
            NotAllowed: the class has none of that number.
        """
        number = self.number("student", 1, _MAX_NUMBER)
        if number not in self.state.members:
            raise NotAllowed(words.NO_STUDENT.fill(number=number))
        return self.state.members[number]

    def with_classroom(self, change: Change, **changes: Any) -> Change:
        """Return a change that writes the class anew, with other values in some fields."""
        classroom = msgspec.structs.replace(self.state.classroom, **changes)
        return replace(change, classroom=classroom)

    def with_round(self, change: Change, **changes: Any) -> Change:
        """Return a change that writes the round that is on anew."""
        return self.with_classroom(change, round=msgspec.structs.replace(self.live.data, **changes))


MakeChange = Callable[[MoveRequest], Change]


def refuse(_: MoveRequest) -> Change:
    """Refuse a move.

    Raises:
        NotAllowed: always.
    """
    raise NotAllowed(words.NOT_NOW)


@dataclass(frozen=True, slots=True)
class ClassMove:
    """A move that is possible now."""

    name: str
    label: Text
    fields: Mapping[str, Options] = field(default_factory=dict)
    apply: MakeChange = refuse
    """Returns what it writes; a move that does more than write the class has a view of its own."""


# ---- The round -----------------------------------------------------------------------------------


def round_moves(state: ClassState) -> Iterator[ClassMove]:
    """Yield the moves about the round of a class that are possible now."""
    live = state.open_round
    if live is None:
        if not state.classroom.closed:
            modes: Options = {mode.value: label for mode, label in words.MODES.items()}
            callers: Options = {str(every): caller_text(every) for every in EVERY}
            choices = {"mode": modes, "speed": YES_NO, "by_hand": YES_NO, "every": callers}
            yield ClassMove("deal", Text("Deal"), choices, deal)
        return
    if live.phase == "bingo":
        if live.calls < DECK_SIZE:
            yield ClassMove("go-on", Text("Go on"), {}, go_on)
    elif live.calls < DECK_SIZE:
        number = str(live.calls + 1)
        yield ClassMove("call", Text("Call"), {"call": {number: number}}, call)
        intervals: Options = {str(seconds): str(seconds) for seconds in INTERVALS}
        yield ClassMove("auto", Text("Let the clock call"), {"every": intervals}, auto)
    if live.phase == "bingo" or live.calls == DECK_SIZE:
        yield ClassMove("end", Text("End the round"), {}, end)
    if live.phase == "playing":
        if live.every:
            yield ClassMove("pause", Text("Pause"), {}, pause)
        yield ClassMove("paper", Text("Bring paper cards into play"), {"cards": None}, paper)
    yield ClassMove("void", Text("Void this round"), {"reason": None}, void)


def why_not(state: ClassState, name: str) -> Text:
    """Say why a move is not possible now."""
    live = state.open_round
    is_bingo = live is not None and live.phase == "bingo"
    if is_bingo and name in ("call", "auto", "paper"):
        return words.NO_CALLING
    has_called_all = live is not None and live.calls == DECK_SIZE
    if has_called_all and name in (("go-on",) if is_bingo else ("call", "auto")):
        return words.ALL_CALLED
    return words.NOT_NOW


def caller_text(every: int) -> Text:
    """Say who calls, and how often.

    >>> caller_text(8), caller_text(0)
    ('every 8 s', 'I do')
    """
    return Text("every {seconds} s", seconds=every) if every else Text("I do")


def deal(request: MoveRequest) -> Change:
    """Deal a round to everybody who is here and has not stepped out."""
    players = tuple(member.number for member in dealt_in(request.state))
    every = int(request.choice("every", EVERY, "8"))
    data = RoundData(
        number=request.state.counters.round + 1,
        mode=Mode(request.choice("mode", tuple(Mode), Mode.LINE)),
        speed=request.choice("speed", tuple(YES_NO), "N") == "Y",
        by_hand=request.choice("by_hand", tuple(YES_NO), "N") == "Y",
        salt=secrets.token_bytes(SALT_BYTES),
        dealt=players,
        began=request.now,
        every=every if players else 0,  # on paper alone it begins when the cards are given out
    )
    stop = DECK_SIZE if data.by_hand else stop_call(map(data.card, players))
    change = Change(
        clock=Clock(0, request.now, data.every, stop),
        round=data.number,
        is_open=True,
        next_card=request.state.counters.joined + 1,
    )
    return request.with_classroom(change, round=data, show="round")


def call(request: MoveRequest) -> Change:
    """Call one card; the number it is to be is named, so two dashboards cannot make it two."""
    number = request.number("call", 1, DECK_SIZE + 1)
    if number != request.live.calls + 1:
        raise OutOfDate(words.CALLED_ALREADY.fill(number=request.live.calls))
    return request.with_round(Change(clock=request.clock.called_one(request.now)))


def auto(request: MoveRequest) -> Change:
    """Let the clock call."""
    every = int(request.choice("every", INTERVALS))
    return request.with_round(Change(clock=request.clock.set_to(every, request.now)))


def pause(request: MoveRequest) -> Change:
    """Stop the clock."""
    return request.with_round(Change(clock=request.clock.set_to(0, request.now)))


def go_on(request: MoveRequest) -> Change:
    """Go on after a BINGO!, for more places."""
    live, stop = request.live, DECK_SIZE
    if not live.data.by_hand:
        stop = live.stop_after(live.calls)
        require(
            any(live.card(number).bingo_call == stop for number in live.numbers),
            words.NO_MORE_BINGO,
        )
    clock = replace(request.clock, calls=live.calls, since=request.now, stop=stop)
    resumptions = live.data.resumptions + 1
    change = Change(clock=clock, goes_on=True)
    return request.with_round(change, resumptions=resumptions, resumed_at_call=live.calls)


def end(request: MoveRequest) -> Change:
    """End the round after a BINGO!, or when there is nothing left to call."""
    change, data = ended(request)
    return request.with_classroom(change, round=data)


def void(request: MoveRequest) -> Change:
    """End the round so that it does not count."""
    reason = " ".join(request.fields.get("reason", "").split())[:MAX_REASON]
    require(reason.isprintable())
    change, data = ended(request, void=True, reason=reason)
    return request.with_classroom(change, round=data)


def paper(request: MoveRequest) -> Change:
    """Bring cards 1 to a number into play that are on paper."""
    live, clock = request.live, request.clock
    count = request.number("cards", 0, MAX_STUDENTS)
    known = {card.card for card in live.cards_in_play.values() if card.student}
    for number in range(1, count + 1):
        if number not in known and live.card(number).bingo_call <= live.calls:
            raise NotAllowed(words.PAPER_TOO_LATE.fill(number=number))
    if not live.data.by_hand:
        stop = live.stop_after(live.data.resumed_at_call, {*known, *range(1, count + 1)})
        clock = clock.stopping_at(stop, request.now)
    return request.with_round(Change(clock=clock, next_card=count + 1), paper=count)


def ended(request: MoveRequest, **changes: Any) -> tuple[Change, RoundData]:
    """Return a change that keeps the round beside the class as it ends, and the round."""
    live = request.live
    finished = FinishedData(
        calls=live.calls,
        ended=request.now,
        cards=tuple(live.cards_in_play.values()),
        claims=live.claims,
        places=live.places,
    )
    data = msgspec.structs.replace(live.data, finished=finished, **changes)
    clock = Clock(live.calls, request.now, 0, live.calls)
    return Change(clock=clock, is_open=False, finished=data), data
