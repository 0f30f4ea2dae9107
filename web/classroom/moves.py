"""What an instructor can do: the moves that are possible now, and what each of them writes.

A move is a function from a request, which has the class and the fields that were sent, to what is
to be written. Whether it is possible is decided in one place, :func:`available_moves`, so it is
made only if its name is there. The moves about students are in :mod:`.student_moves`.
"""

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import msgspec

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.clock import INTERVALS, Clock
from cardgames.games.bingo.rules import Mode
from cardgames.shuffling import SALT_BYTES
from cardgames.text import Text, plural
from web.classroom import words
from web.classroom.answers import Fields, NotAllowed, OutOfDate, chosen, number_from, require
from web.classroom.model import (
    EVERY,
    HAND_ON_LINK,
    LIVES,
    MAX_DASHBOARDS,
    MAX_STUDENTS,
    Change,
    Classroom,
    Dashboard,
    FinishedData,
    RoundData,
)
from web.classroom.state import ClassState, LiveRound
from web.classroom.updates import dealt_in

MAX_REASON: Final = 80
MAX_ROSTER: Final = 1_000
"""Maximum number of names in a pasted list."""

MAX_ROSTER_TEXT: Final = MAX_ROSTER * (MAX_REASON + 2)
"""Maximum number of characters of such a list, a name a line."""

YES_NO: Final[Mapping[str, Text]] = {"N": Text("No"), "Y": Text("Yes")}
SHOWN: Final[Mapping[str, Text]] = {
    "join": Text("Join"),
    "round": Text("Round"),
    "standings": Text("Results"),
    "insight": Text("Insight"),
    "nothing": Text("Nothing"),
}
"""What the big screen can show, as its buttons say it."""

_DAY: Final = 86_400

Options = Mapping[str, Text | str] | None
"""What a field takes, by its values; ``None`` where that is any text."""


@dataclass(frozen=True, slots=True)
class MoveRequest:
    """A move that an instructor asks for."""

    state: ClassState
    fields: Fields
    language: str
    """The language of the instructor's pages."""

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


# ---- Which moves are possible --------------------------------------------------------------------


def available_moves(state: ClassState) -> Iterator[ClassMove]:
    """Yield the moves about a class and its round that are possible now."""
    classroom = state.classroom
    if state.open_round:
        yield from _round_moves(state.open_round)
    elif not classroom.closed:
        modes: Options = {mode.value: label for mode, label in words.MODES.items()}
        callers: Options = {str(every): caller_text(every) for every in EVERY}
        choices = {"mode": modes, "speed": YES_NO, "by_hand": YES_NO, "every": callers}
        yield ClassMove("deal", Text("Deal"), choices, deal)
    yield ClassMove("show", Text("Show on the big screen"), {"show": SHOWN}, show)
    if not classroom.closed:
        if classroom.locked:
            yield ClassMove("unlock", Text("Unlock"), {}, unlock)
        else:
            yield ClassMove("lock", Text("Lock"), {}, lock)
        yield ClassMove("roster", Text("Save this list"), {"names": None}, save_roster)
        yield ClassMove("close", Text("Close the class"), {}, close)
    yield ClassMove("hand-on", Text("Hand on"))
    if numbers := {
        str(dashboard.number): str(dashboard.number) for dashboard in classroom.dashboards
    }:
        yield ClassMove("take-back", Text("Take it back"), {"dashboard": numbers}, take_back)
    lives: Options = {str(days): plural("{number} day", "{number} days", days) for days in LIVES}
    yield ClassMove("prolong", Text("Keep it longer"), {"days": lives}, prolong)
    yield ClassMove("forget-names", Text("Forget real names"), {}, forget_names)
    yield ClassMove("forget", Text("Forget the class"))


def _round_moves(live: LiveRound) -> Iterator[ClassMove]:
    """Yield the moves of a round that is on."""
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


# ---- The round -----------------------------------------------------------------------------------


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
    dealt = LiveRound(data, "playing", 0, 0, {}, ())
    stop = DECK_SIZE if data.by_hand else dealt.stop_after(0, players)
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
    change, data = _ended(request)
    return request.with_classroom(change, round=data)


def void(request: MoveRequest) -> Change:
    """End the round so that it does not count."""
    reason = " ".join(request.fields.get("reason", "").split())[:MAX_REASON]
    require(reason.isprintable())
    change, data = _ended(request, void=True, reason=reason)
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


def _ended(request: MoveRequest, **changes: Any) -> tuple[Change, RoundData]:
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


# ---- The class -----------------------------------------------------------------------------------


def show(request: MoveRequest) -> Change:
    """Choose what the big screen shows."""
    return request.with_classroom(Change(), show=request.choice("show", tuple(SHOWN)))


def lock(request: MoveRequest) -> Change:
    """Let nobody new in."""
    return request.with_classroom(Change(), locked=True)


def unlock(request: MoveRequest) -> Change:
    """Let newcomers in again."""
    return request.with_classroom(Change(), locked=False)


def save_roster(request: MoveRequest) -> Change:
    """Keep the list of those who should come, a name a line."""
    lines = request.fields.get("names", "").splitlines()
    names = tuple(name for line in lines if (name := " ".join(line.split())[:MAX_REASON]))
    require(all(name.isprintable() for name in names) and len(names) <= MAX_ROSTER)
    return request.with_classroom(Change(roster=names))


def close(request: MoveRequest) -> Change:
    """End the class: nobody joins any more, and nothing is dealt."""
    change, data = Change(), request.state.classroom.round
    if request.state.open_round:
        change, data = _ended(request, void=True)
    return request.with_classroom(change, round=data, closed=True, locked=True, show="nothing")


def prolong(request: MoveRequest) -> Change:
    """Choose anew how long the class lives."""
    days = int(request.choice("days", LIVES))
    return request.with_classroom(Change(expires=int(request.now) + days * _DAY), days=days)


def forget_names(request: MoveRequest) -> Change:
    """Forget all real names; the results stay, under nicknames."""
    return request.with_classroom(Change(forget_names=True))


def hand_on(request: MoveRequest, link: str) -> Change:
    """List a dashboard that is handed on by a link, with the hash of that."""
    classroom, oldest = request.state.classroom, request.now - HAND_ON_LINK
    kept = tuple(
        dashboard
        for dashboard in classroom.dashboards
        if dashboard.browser or dashboard.at > oldest
    )
    require(len(kept) < MAX_DASHBOARDS, words.TOO_MANY_DASHBOARDS)
    made = Dashboard(next_dashboard(classroom), request.now, link)
    return request.with_classroom(Change(), dashboards=(*kept, made))


def take_back(request: MoveRequest) -> Change:
    """Take a dashboard back that was handed on, or its link before anybody has used it."""
    classroom = request.state.classroom
    number = request.number("dashboard", 1, next_dashboard(classroom))
    kept = tuple(dashboard for dashboard in classroom.dashboards if dashboard.number != number)
    require(len(kept) < len(classroom.dashboards))
    return request.with_classroom(Change(), dashboards=kept)


def next_dashboard(classroom: Classroom) -> int:
    """Return the number of the next dashboard of a class that is handed on."""
    return 1 + max((dashboard.number for dashboard in classroom.dashboards), default=0)
