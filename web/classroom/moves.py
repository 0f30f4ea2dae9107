"""What an instructor can do about a round, a class and its students: the moves that are possible.

:func:`available_moves` says which are possible, with the fields of their forms. :data:`WRITES` says
what each writes: a function from a request, which has the class and what was sent, to a change.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import Any, Final

import msgspec

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.clock import INTERVALS, Clock
from cardgames.class_bingo.results import stop_call
from cardgames.games.bingo.rules import Mode
from cardgames.shuffling import SALT_BYTES
from cardgames.text import Text, plural
from web.classes import model, words
from web.classes.class_store import round_over
from web.classes.nicknames import checked_nickname, is_offered, name_key, offers
from web.classes.rows import CLAIMS, ROSTER
from web.classes.votes import Vote, shown_votes
from web.classroom.joining import came_since, forget, taken_keys, with_state
from web.live_class import answers
from web.live_class.moves import MAX_REASON, MAX_ROSTER, YES_NO, ClassMove, MoveRequest, Options
from web.live_class.state import ClassState, class_store
from web.live_class.updates import dealt_in
from web.storage.store import DAY, pack

MAX_ARRIVALS: Final = 30
"""Maximum number of minutes that are offered, to remove the students who came since."""

SHOWN: Final[Mapping[str, Text]] = {
    "join": Text("Join"),
    "round": Text("Round"),
    "standings": Text("Results"),
    "insight": Text("Insight"),
    "vote": Text("Vote"),
    "nothing": Text("Nothing"),
}
"""What the big screen can show, as its buttons say it."""

_MAX_MINUTE: Final = 10**9 - 1


def available_moves(state: ClassState) -> Iterator[ClassMove]:
    """Yield all moves that are possible now."""
    yield from _round_moves(state)
    classroom = state.classroom
    yield ClassMove("show", Text("Show on the big screen"), {"show": SHOWN})
    if not classroom.closed:
        if classroom.locked:
            yield ClassMove("unlock", Text("Unlock"))
        else:
            yield ClassMove("lock", Text("Lock"))
        if classroom.quiet:
            yield ClassMove("reactions", Text("Allow reactions"))
        else:
            yield ClassMove("quiet", Text("Silence reactions"))
        yield ClassMove("roster", Text("Save this list"), {"names": None})
        yield ClassMove("close", Text("Close the class"))
    yield ClassMove("hand-on", Text("Hand on"), {"label": None})
    if own := {str(one.number): one.label or str(one.number) for one in classroom.dashboards}:
        yield ClassMove("take-back", Text("Take it back"), {"dashboard": own})
    lives: Options = {
        str(days): plural("{number} day", "{number} days", days) for days in model.LIVES
    }
    yield ClassMove("prolong", Text("Keep it longer"), {"days": lives})
    yield ClassMove("forget-names", Text("Forget real names"))
    yield ClassMove("forget", Text("Forget the class"))
    if state.members:
        one = {"student": None}
        yield ClassMove("rename", Text("Rename"), {**one, "name": None})
        if not classroom.asks_sign_on:
            yield ClassMove("rejoin-code", Text("New rejoin code"), one)
        yield ClassMove("remove", Text("Remove"), one)
        yield ClassMove("remove-since", Text("Remove"), {"since": _arrivals(state)})
        yield ClassMove("ban", Text("Ban"), one)
        yield ClassMove("unban", Text("Unban"), one)


def _round_moves(state: ClassState) -> Iterator[ClassMove]:
    live = state.open_round
    if live is None:
        if not state.classroom.closed:
            modes: Options = {mode.value: label for mode, label in words.MODES.items()}
            callers: Options = {
                str(every): Text("every {seconds} s", seconds=every) if every else Text("I do")
                for every in model.EVERY
            }
            choices = {"mode": modes, "speed": YES_NO, "by_hand": YES_NO, "every": callers}
            yield ClassMove("deal", Text("Deal"), choices)
        return
    if live.phase == "bingo":
        if live.calls < DECK_SIZE:
            yield ClassMove("go-on", Text("Go on"))
    elif live.calls < DECK_SIZE:
        number = str(live.calls + 1)
        yield ClassMove("call", Text("Call"), {"call": {number: number}})
        intervals: Options = {str(seconds): str(seconds) for seconds in INTERVALS}
        yield ClassMove("auto", Text("Let the clock call"), {"every": intervals})
    if live.phase == "bingo" or live.calls == DECK_SIZE:
        yield ClassMove("end", Text("End the round"))
    if live.phase == "playing":
        if live.every:
            yield ClassMove("pause", Text("Pause"))
        yield ClassMove("paper", Text("Bring paper cards into play"), {"cards": None})
    yield ClassMove("void", Text("Void this round"), {"reason": None})


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


def _arrivals(state: ClassState) -> dict[str, Text]:
    """Return the newest minutes in which students came, with how many came since."""
    counts = Counter(int(member.student.joined) // 60 for member in state.students)
    minutes = sorted(counts, reverse=True)[:MAX_ARRIVALS]
    totals = accumulate(counts[minute] for minute in minutes)
    return {
        str(minute): plural(
            "{time}: one student",
            "{time}: {number} students",
            total,
            time=answers.time_text(minute * 60, state.counters.now),
        )
        for minute, total in zip(minutes, totals, strict=True)
    }


def _deal(request: MoveRequest) -> model.Change:
    players = tuple(member.number for member in dealt_in(request.state))
    every = int(request.choice("every", model.EVERY, "8"))
    data = model.RoundData(
        number=request.state.counters.round + 1,
        mode=Mode(request.choice("mode", Mode, Mode.LINE)),
        speed=request.choice("speed", YES_NO, "N") == "Y",
        by_hand=request.choice("by_hand", YES_NO, "N") == "Y",
        salt=secrets.token_bytes(SALT_BYTES),
        dealt=players,
        began=request.now,
        every=every if players else 0,  # on paper alone it begins when the cards are given out
    )
    stop = DECK_SIZE if data.by_hand else stop_call(map(data.card, players))
    clock, next_card = Clock(0, request.now, data.every, stop), request.state.counters.joined + 1
    none = {"round": data.number, "is_open": True, "claims": 0, "right": 0, "next_card": next_card}
    change = model.Change(None, clock, none, {CLAIMS: None})
    votes = shown_votes(request.state.classroom.votes, request.state.counters.ticks)
    return request.write(change, round=data, votes=tuple(map(Vote.closed, votes)), show="round")


def _call(request: MoveRequest) -> model.Change:
    """Call one card; the form names which call it is, so two dashboards cannot call two."""
    number = request.number("call", 1, DECK_SIZE + 1)
    if number != request.live.calls + 1:
        raise answers.OutOfDate(words.CALLED_ALREADY.fill(number=request.live.calls))
    return request.write_round(model.Change(clock=request.clock.called_one(request.now)))


def _set_clock(request: MoveRequest, every: int) -> model.Change:
    return request.write_round(model.Change(clock=request.clock.set_to(every, request.now)))


def _go_on(request: MoveRequest) -> model.Change:
    live, stop = request.live, DECK_SIZE
    if not live.data.by_hand:
        stop = live.stop_after(live.calls)
        has_more = any(live.card(number).bingo_call == stop for number in live.numbers)
        answers.require(has_more, words.NO_MORE_BINGO)
    clock = replace(request.clock, calls=live.calls, since=request.now, stop=stop)
    change = model.Change(clock=clock, counters={"right": 0})  # they are no reason to wait any more
    resumptions = live.data.resumptions + 1
    return request.write_round(change, resumptions=resumptions, resumed_at_call=live.calls)


def _paper(request: MoveRequest) -> model.Change:
    live, clock = request.live, request.clock
    count = request.number("cards", 0, model.MAX_STUDENTS)
    known = {card.card for card in live.cards_in_play.values() if card.student}
    for number in range(1, count + 1):
        is_late = number not in known and live.card(number).bingo_call <= live.calls
        answers.require(not is_late, words.PAPER_TOO_LATE.fill(number=number))
    if not live.data.by_hand:
        stop = live.stop_after(live.data.resumed_at_call, {*known, *range(1, count + 1)})
        clock = clock.stopping_at(stop, request.now)
    change = model.Change(clock=clock, counters={"next_card": count + 1})
    return request.write_round(change, paper=count)


def _void(request: MoveRequest) -> model.Change:
    reason = " ".join(request.fields.get("reason", "").split())[:MAX_REASON]
    answers.require(reason.isprintable())
    return _ended(request, void=True, reason=reason)


def _ended(request: MoveRequest, **changes: Any) -> model.Change:
    live = request.live
    cards = tuple(live.cards_in_play.values())
    finished = model.FinishedData(live.calls, request.now, cards, live.claims, live.places)
    data = msgspec.structs.replace(live.data, finished=finished, **changes)
    clock = Clock(live.calls, request.now, 0, live.calls)
    change = model.Change(None, clock, {"is_open": False}, round_over(data))
    return request.write(change, round=data)


def _save_roster(request: MoveRequest) -> model.Change:
    lines = request.fields.get("names", "").splitlines()
    names = tuple(name for line in lines if (name := " ".join(line.split())[:MAX_REASON]))
    answers.require(all(name.isprintable() for name in names) and len(names) <= MAX_ROSTER)
    return request.write(model.Change(rows={ROSTER: pack(names)}))


def _close(request: MoveRequest) -> model.Change:
    change = _ended(request, void=True) if request.state.open_round else request.write()
    assert change.classroom  # noqa: S101 - both write it
    closed = {"closed": True, "locked": True, "show": "nothing"}
    return replace(change, classroom=msgspec.structs.replace(change.classroom, **closed))


def _prolong(request: MoveRequest) -> model.Change:
    days = int(request.choice("days", model.LIVES))
    expires = int(request.now) + days * DAY
    return request.write(model.Change(counters={"expires": expires}), days=days)


def _forget_names(request: MoveRequest) -> model.Change:
    return request.write(model.Change(rows=class_store().without_real_names(request.state.code)))


def hand_on(request: MoveRequest, link: str) -> model.Change:
    """List a dashboard that is handed on by a link, with the link's hash."""
    classroom = request.state.classroom
    kept = classroom.handed_on(request.now)
    too_many = words.TOO_MANY_DASHBOARDS.fill(most=model.MAX_DASHBOARDS)
    answers.require(len(kept) < model.MAX_DASHBOARDS, too_many)
    label = " ".join(request.fields.get("label", "").split())
    answers.require(len(label) <= words.MAX_LABEL and label.isprintable(), words.BAD_LABEL)
    made = model.Dashboard(classroom.next_dashboard, request.now, link, label=label)
    return request.write(dashboards=(*kept, made))


def _take_back(request: MoveRequest) -> model.Change:
    classroom = request.state.classroom
    number = request.number("dashboard", 1, classroom.next_dashboard)
    kept = tuple(dashboard for dashboard in classroom.dashboards if dashboard.number != number)
    answers.require(len(kept) < len(classroom.dashboards))
    return request.write(dashboards=kept)


def new_nickname(state: ClassState, language: str) -> str:
    """Return a nickname by chance that nobody has."""
    return offers(language, taken_keys(state))[0]


def _rename(request: MoveRequest) -> model.Change:
    others = taken_keys(request.state) - {name_key(request.member.student.name)}
    sent = request.fields.get("name", "").strip()
    name = checked_nickname(sent or new_nickname(request.state, request.language))
    answers.require(name_key(name) not in others, words.TAKEN_NAME.fill(name=name))
    return request.write_student(name=name, offered=is_offered(name), renamed=request.now)


def _new_rejoin_code(request: MoveRequest) -> model.Change:
    generation = request.member.student.generation + 1
    return request.write_student(generation=generation, wrong_codes=())


def _remove_since(request: MoveRequest) -> model.Change:
    gone = came_since(request.state, request.number("since", 0, _MAX_MINUTE))
    answers.require(bool(gone))
    return request.write(forget(request.state, *gone))


def _set_banned(request: MoveRequest, *, banned: bool) -> model.Change:
    member = request.member
    answers.require((member.student.state == "banned") != banned)
    return request.write(with_state(request.state, member, "banned" if banned else "out"))


WRITES: Final[Mapping[str, Callable[[MoveRequest], model.Change]]] = {
    "deal": _deal,  # to everybody who is here and has not stepped out
    "call": _call,
    "auto": lambda one: _set_clock(one, int(one.choice("every", INTERVALS))),
    "pause": lambda one: _set_clock(one, 0),
    "go-on": _go_on,  # after a BINGO!, for more places
    "end": _ended,  # after a BINGO!, or when there is nothing left to call
    "void": _void,  # it does not count
    "paper": _paper,  # cards 1 to a number are in play on paper
    "show": lambda one: one.write(show=one.choice("show", SHOWN)),
    "lock": lambda one: one.write(locked=True),
    "unlock": lambda one: one.write(locked=False),
    "quiet": lambda one: one.write(quiet=True),  # no reactions
    "reactions": lambda one: one.write(quiet=False),
    "roster": _save_roster,  # those who should come, a name a line
    "close": _close,  # nobody joins any more, and nothing is dealt
    "take-back": _take_back,  # a dashboard, or its link before anybody has used it
    "prolong": _prolong,  # how long the class lives, chosen anew
    "forget-names": _forget_names,
    "rename": _rename,  # without a name to one that is offered
    "rejoin-code": _new_rejoin_code,  # the old one is no longer good
    "remove": lambda one: one.write(forget(one.state, one.member)),  # they may sit down again
    "remove-since": _remove_since,
    "ban": lambda one: _set_banned(one, banned=True),  # their browsers may not join again
    "unban": lambda one: _set_banned(one, banned=False),  # they step in themselves
}
