"""The moves by which an instructor changes a round, a class and its students.

Each move has a name, a label, a condition and a function.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import Any, Final

from flask import render_template, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import delete

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.clock import INTERVALS, Clock
from cardgames.class_bingo.results import stop_call
from cardgames.games.bingo.rules import Mode
from cardgames.shuffling import random_salt
from cardgames.text import Text, plural
from web import db
from web.classroom.bingo.queries import deal_cards, save_final_cards
from web.classroom.bingo.rules import LiveBingo, placed_cards
from web.classroom.core import access, forms, words
from web.classroom.core.access import load_students, not_banned
from web.classroom.core.codes import new_link, save_link
from web.classroom.core.forms import ClassMove, FieldOptions, MoveRequest, NotAllowed, OutOfDate
from web.classroom.core.models import BingoRound, Classroom, Student
from web.classroom.core.presence import is_dealt_in
from web.classroom.core.words import time_text
from web.classroom.desk import opening
from web.classroom.people.nicknames import checked_nickname, is_offered, name_key
from web.classroom.people.roster import NO_NAMES, table_in
from web.classroom.people.students import (
    MAX_STUDENTS,
    find_number_by_name,
    find_student,
    forget,
    forget_real_names,
    joined_since,
    new_nicknames,
    set_state,
)
from web.classroom.screen.views import SHOWN
from web.classroom.votes.queries import close_vote
from web.http.requests import wants_json
from web.http.responses import json_response
from web.http.sessions import DAY
from web.reach import public_address
from web.sharing import inline_qr

EVERY: Final = (0, *INTERVALS)
"""The intervals of the clock, in seconds, or 0 if a person calls."""

MAX_ARRIVALS: Final = 30
"""Maximum number of offered times. The instructor can remove everyone who joined after such a time.
"""

MAX_REASON: Final = 80

_MAX_MINUTE: Final = 10**9 - 1
_MAX_NUMBER: Final = 100 * MAX_STUDENTS


CLOCK_MOVES: Final = ("call", "auto", "pause", "go-on")
"""The moves that change only a round's clock, but no card or claim."""


def class_moves(
    classroom: Classroom,
    live: LiveBingo | None,
    students: Mapping[int, Student],
) -> Iterator[ClassMove]:
    """Yield the possible moves that change the class or its students.

    Args:
        classroom: The class that the moves change.
        live: The open round.
        students: All students, keyed by number.
    """
    yield ClassMove("show", Text("Show on the big screen"), _show, {"show": SHOWN})
    if not classroom.closed:
        if classroom.locked:
            yield ClassMove("unlock", Text("Unlock"), partial(MoveRequest.write, locked=False))
        else:
            yield ClassMove("lock", Text("Lock"), partial(MoveRequest.write, locked=True))
        yield ClassMove("roster", Text("Save this list"), _save_roster, {"names": None})
        yield ClassMove("close", Text("Close the class"), partial(_close, live))
    yield from _moves_at_any_time(classroom)
    if students:
        yield from _moves_about(classroom, students)


def bingo_moves(classroom: Classroom, live: LiveBingo | None) -> Iterator[ClassMove]:
    """Yield the moves that change the open round, or the move that deals a new round."""
    if live:
        yield from moves_in(live)
    elif not classroom.closed:
        yield _deal_move()


def _deal_move() -> ClassMove:
    """Return the move that deals a round."""
    callers: FieldOptions = {
        str(every): Text("every {seconds} s", seconds=every) if every else Text("I do")
        for every in EVERY
    }
    modes: FieldOptions = {mode.value: label for mode, label in words.MODES.items()}
    choices = {"mode": modes, "speed": forms.YES_NO, "by_hand": forms.YES_NO, "every": callers}
    return ClassMove("deal", Text("Deal"), _deal, choices)


def _moves_at_any_time(classroom: Classroom) -> Iterator[ClassMove]:
    """Yield the moves that are always possible, such as sharing the class."""
    yield ClassMove("hand-on", Text("Share"), _share)
    if access.is_opener(classroom):
        yield ClassMove("take-back", Text("Revoke all shares"), _revoke_shares)
    lives: FieldOptions = {
        str(days): plural("{number} day", "{number} days", days) for days in opening.LIFETIMES
    }
    yield ClassMove("prolong", Text("Keep the class longer"), _set_lifetime, {"days": lives})
    yield ClassMove("forget-names", Text("Delete real names"), _forget_names)
    yield ClassMove("forget", Text("Delete the class"), _forget_class)


def moves_in(live: LiveBingo) -> Iterator[ClassMove]:
    """Yield the possible moves in the open round."""
    has_more, is_bingo = live.calls < DECK_SIZE, live.phase == "bingo"
    if is_bingo and has_more:
        yield ClassMove("go-on", Text("Go on"), partial(_go_on, live))
    elif has_more:
        number = str(live.calls + 1)
        yield ClassMove("call", Text("Call"), partial(_call, live), {"call": {number: number}})
        intervals: FieldOptions = {str(seconds): str(seconds) for seconds in INTERVALS}
        yield ClassMove("auto", Text("Let the clock call"), _start_clock, {"every": intervals})
    if is_bingo or live.places or not has_more:
        yield ClassMove("end", Text("End the round"), partial(_end, live))
    if not is_bingo:
        if live.every:
            yield ClassMove("pause", Text("Pause"), _pause)
        into_play = Text("Bring paper cards into play")
        yield ClassMove("paper", into_play, partial(_paper, live), {"cards": None})
    yield ClassMove("void", Text("Void this round"), partial(_void, live), {"reason": None})


def _moves_about(classroom: Classroom, students: Mapping[int, Student]) -> Iterator[ClassMove]:
    """Yield the possible moves that change students."""
    student_field: Mapping[str, FieldOptions] = {"student": None}
    since = {"since": _join_times(students, classroom.now)}
    yield ClassMove("rename", Text("Rename"), _rename, {**student_field, "name": None})
    if not classroom.asks_sign_on:
        yield ClassMove("rejoin-code", Text("New rejoin code"), _new_rejoin_code, student_field)
    yield ClassMove("remove", Text("Remove"), _remove, student_field)
    yield ClassMove("remove-since", Text("Remove"), _remove_since, since)
    yield ClassMove("ban", Text("Ban"), partial(_set_banned, banned=True), student_field)
    yield ClassMove("unban", Text("Unban"), partial(_set_banned, banned=False), student_field)


def refusal_reason(live: LiveBingo | None, name: str) -> Text:
    """Return the reason why a move is not possible now.

    Args:
        live: The open round.
        name: The move's name.
    """
    is_bingo = live is not None and live.phase == "bingo"
    if is_bingo and name in ("call", "auto", "paper"):
        return words.NO_CALLING
    has_called_all = live is not None and live.calls == DECK_SIZE
    if has_called_all and name in (("go-on",) if is_bingo else ("call", "auto")):
        return words.ALL_CALLED
    return words.NOT_NOW


def _join_times(students: Mapping[int, Student], now: float) -> dict[str, Text]:
    """Return the newest minutes in which students joined.

    Each minute has the number of students who have joined since then.
    """
    counts = Counter(int(student.joined) // 60 for student in not_banned(students))
    minutes = sorted(counts, reverse=True)[:MAX_ARRIVALS]
    totals = accumulate(counts[minute] for minute in minutes)
    return {
        str(minute): plural(
            "{time}: one student",
            "{time}: {number} students",
            total,
            time=time_text(minute * 60, now),
        )
        for minute, total in zip(minutes, totals, strict=True)
    }


def _deal(request: MoveRequest) -> None:
    """Deal a round to all students who are present and have not stepped out."""
    classroom, now = request.classroom, request.now
    students = load_students(classroom).values()
    players = [student.number for student in students if is_dealt_in(student, now)]
    every = int(request.choice("every", "8"))
    dealt = BingoRound(
        class_code=classroom.code,
        number=classroom.round_number + 1,
        mode=Mode(request.choice("mode", Mode.LINE)),
        speed=request.choice("speed", "N") == "Y",
        by_hand=request.choice("by_hand", "N") == "Y",
        salt=random_salt(),
        began=now,
        every=every
        if players
        else 0,  # With only paper cards, the instructor starts the clock later.
    )
    stop = DECK_SIZE if dealt.by_hand else stop_call(map(dealt.card, players))
    begun: dict[str, Any] = {"round_number": dealt.number, "is_open": True, "show": "round"}
    begun |= {"called": 0, "since": now, "every": dealt.every, "stop": stop}
    begun |= {"claims": 0, "right": 0, **close_vote(classroom)}
    db.session().add(dealt)
    db.session().flush()
    classroom.newest_round = dealt
    deal_cards(dealt, players)
    request.write(**begun)


def _call(live: LiveBingo, request: MoveRequest) -> None:
    """Call a card.

    The form contains the number of the call, so that two concurrent dashboards call only one card.
    """
    number = request.number("call", 1, DECK_SIZE + 1)
    if number != live.calls + 1:
        raise OutOfDate(Text("Call {number} was already made.", number=live.calls))
    access.save_move(request.classroom, request.classroom.clock.called_one(request.now))


def _start_clock(request: MoveRequest) -> None:
    every = int(request.choice("every"))
    access.save_move(request.classroom, request.classroom.clock.set_to(every, request.now))


def _pause(request: MoveRequest) -> None:
    access.save_move(request.classroom, request.classroom.clock.set_to(0, request.now))


def _go_on(live: LiveBingo, request: MoveRequest) -> None:
    stop = DECK_SIZE
    if not live.round.by_hand:
        stop = live.stop_after(live.calls)
        has_more = any(live.round.card(number).bingo_call == stop for number in live.numbers)
        forms.require(has_more, Text("All cards have BINGO!, so there are no places left to win."))
    clock = replace(request.classroom.clock, calls=live.calls, since=request.now, stop=stop)
    resumptions = live.round.resumptions + 1
    access.write(live.round, resumptions=resumptions, resumed_at_call=live.calls)
    # The clock no longer waits for these claims.
    access.save_move(request.classroom, clock, right=0)


def _paper(live: LiveBingo, request: MoveRequest) -> None:
    classroom, count = request.classroom, request.number("cards", 0, MAX_STUDENTS)
    clock, known = classroom.clock, {dealt.card for dealt in live.cards.values() if dealt.student}
    for number in range(1, count + 1):
        is_late = number not in known and live.round.card(number).bingo_call <= live.calls
        forms.require(not is_late, words.PAPER_TOO_LATE.fill(number=number))
    if not live.round.by_hand:
        stop = live.stop_after(live.round.resumed_at_call, {*known, *range(1, count + 1)})
        clock = clock.stopping_at(stop, request.now)
    access.write(live.round, paper=count)
    access.save_move(classroom, clock)


def _void(live: LiveBingo, request: MoveRequest) -> None:
    reason = request.text("reason")[:MAX_REASON]
    forms.require(reason.isprintable())
    _end(live, request, void=True, reason=reason)


def _end(
    live: LiveBingo, request: MoveRequest, *, void: bool = False, reason: str = "", **values: Any
) -> None:
    """End the open round, and save other changes of the class in the same transaction."""
    cards = placed_cards(live)  # computed while the round is still open
    access.write(live.round, calls=live.calls, ended=request.now, void=void, reason=reason)
    save_final_cards(live.round, cards, counts=not void)
    clock = Clock(live.calls, request.now, 0, live.calls)
    access.save_move(request.classroom, clock, is_open=False, **values)


def _show(request: MoveRequest) -> None:
    request.write(show=request.choice("show"))


def _save_roster(request: MoveRequest) -> None:
    text = request.fields.get("names", "")
    people = table_in(text).people if text.strip() else ()
    forms.require(bool(people) or not text.strip(), NO_NAMES)
    request.write(roster=[[*person] for person in people])
    db.scrub_after_commit()  # The old list contained real names.


def _close(live: LiveBingo | None, request: MoveRequest) -> None:
    closed: dict[str, Any] = {"closed": True, "locked": True, "show": "nothing"}
    if live:
        _end(live, request, void=True, **closed)
    else:
        request.write(**closed)


def _set_lifetime(request: MoveRequest) -> None:
    days = int(request.choice("days"))
    request.write(expires=int(request.now) + days * DAY, days=days)


def _forget_names(request: MoveRequest) -> None:
    forget_real_names(request.classroom.code)
    request.write(roster=[])
    db.scrub_after_commit()


def _forget_class(request: MoveRequest) -> ResponseReturnValue:
    code = request.classroom.code
    db.execute(delete(Classroom).where(Classroom.code == code))  # deletes all dependent rows, too
    db.scrub_after_commit()
    return forms.redirect_or_json(url_for("entry.go"), {"class": code, "forgotten": True})


def _share(request: MoveRequest) -> ResponseReturnValue:
    """Return the dashboard with a single-use link for another browser."""
    classroom, token = request.classroom, new_link()
    too_many = words.TOO_MANY_DASHBOARDS.fill(most=opening.MAX_DASHBOARDS)
    forms.require(opening.count_shares(classroom.code) < opening.MAX_DASHBOARDS, too_many)
    opening.require_room()
    save_link(token, classroom.code, access.SHARE_LINK_SECONDS)
    request.write()
    public = public_address()
    address = f"{public.scheme}://{public.host}{url_for('opening.show_link', token=token)}"
    if wants_json():
        link = {"class": classroom.code, "address": address, "seconds": access.SHARE_LINK_SECONDS}
        return json_response(link)
    return render_template(
        "class/share_dashboard.html",
        classroom=access.load_class(classroom.code),
        address=address,
        qr=inline_qr(address),
        warning=public.warning,
    )


def _revoke_shares(request: MoveRequest) -> None:
    opening.revoke_shares(request.classroom.code)
    request.write()


def _student(request: MoveRequest) -> Student:
    """Return the student to whom a move applies."""
    number = request.number("student", 1, _MAX_NUMBER)
    student = find_student(request.classroom, number)
    if student is None:
        raise NotAllowed(Text("No student of this class has the number {number}.", number=number))
    return student


def _save_student(request: MoveRequest, student: Student, **values: Any) -> None:
    access.write(student, **values)
    request.write(changes=request.classroom.changes + 1)


def _rename(request: MoveRequest) -> None:
    """Rename a student, by default to a nickname that the site offers."""
    classroom, student = request.classroom, _student(request)
    sent = request.fields.get("name", "").strip()
    name = checked_nickname(sent or new_nicknames(classroom)[0])
    key = name_key(name)
    is_free = find_number_by_name(classroom.code, key) in (0, student.number)
    forms.require(is_free, Text("The name {name} is already taken in this class.", name=name))
    new = {"name": name, "name_key": key, "offered": is_offered(name), "renamed": request.now}
    _save_student(request, student, **new)
    db.scrub_after_commit()  # The file must not contain the old nickname.


def _new_rejoin_code(request: MoveRequest) -> None:
    student = _student(request)
    _save_student(request, student, generation=student.generation + 1, wrong_codes=[])


def _remove(request: MoveRequest) -> None:
    forget(request.classroom, _student(request))
    request.write()
    db.scrub_after_commit()


def _remove_since(request: MoveRequest) -> None:
    newcomers = joined_since(
        load_students(request.classroom), request.number("since", 0, _MAX_MINUTE)
    )
    forms.require(bool(newcomers))
    forget(request.classroom, *newcomers)
    request.write()
    db.scrub_after_commit()


def _set_banned(request: MoveRequest, *, banned: bool) -> None:
    """Ban a student, or lift the ban.

    When the ban is lifted, the student has stepped out and must step in again.
    """
    student = _student(request)
    forms.require((student.state == "banned") != banned)
    set_state(request.classroom, student, "banned" if banned else "out")
    request.write()
