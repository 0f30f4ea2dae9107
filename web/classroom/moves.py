"""What an instructor can do about a round, a class and its students, and what each move writes."""

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import Any, Final

import flask
import msgspec

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.clock import INTERVALS, Clock
from cardgames.class_bingo.results import stop_call
from cardgames.games.bingo.rules import Mode
from cardgames.shuffling import SALT_BYTES
from cardgames.text import Text, plural
from web.classroom import answers, model, words
from web.classroom.class_store import round_over
from web.classroom.codes import link_hash, new_link
from web.classroom.dashboard_moves import (
    MAX_REASON,
    YES_NO,
    ClassMove,
    MoveRequest,
    Options,
    writing,
)
from web.classroom.joining import came_since, forget, taken_keys, with_state
from web.classroom.nicknames import checked_nickname, is_offered, name_key, offers
from web.classroom.opening import Link, make_link
from web.classroom.roster import people_in
from web.classroom.rows import CLAIMS, ROSTER
from web.classroom.state import ClassState, class_store
from web.classroom.updates import dealt_in
from web.classroom.votes import Vote
from web.http.requests import wants_json
from web.http.responses import json_response, render_page
from web.http.sharing import inline_qr
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
    yield ClassMove("show", Text("Show on the big screen"), _show, {"show": SHOWN})
    if not classroom.closed:
        if classroom.locked:
            yield ClassMove("unlock", Text("Unlock"), writing(locked=False))
        else:
            yield ClassMove("lock", Text("Lock"), writing(locked=True))
        yield ClassMove("roster", Text("Save this list"), _save_roster, {"names": None})
        yield ClassMove("close", Text("Close the class"), _close)
    yield ClassMove("hand-on", Text("Hand on"), _hand_on, {"label": None})
    if own := {str(one.number): one.label or str(one.number) for one in classroom.dashboards}:
        yield ClassMove("take-back", Text("Take it back"), _take_back, {"dashboard": own})
    lives: Options = {
        str(days): plural("{number} day", "{number} days", days) for days in model.LIVES
    }
    yield ClassMove("prolong", Text("Keep it longer"), _prolong, {"days": lives})
    yield ClassMove("forget-names", Text("Forget real names"), _forget_names)
    yield ClassMove("forget", Text("Forget the class"), _forget_class)
    if state.members:
        one = {"student": None}
        yield ClassMove("rename", Text("Rename"), _rename, {**one, "name": None})
        if not classroom.asks_sign_on:
            yield ClassMove("rejoin-code", Text("New rejoin code"), _new_rejoin_code, one)
        yield ClassMove("remove", Text("Remove"), _remove, one)
        yield ClassMove("remove-since", Text("Remove"), _remove_since, {"since": _arrivals(state)})
        yield ClassMove("ban", Text("Ban"), partial(_set_banned, banned=True), one)
        yield ClassMove("unban", Text("Unban"), partial(_set_banned, banned=False), one)


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
            yield ClassMove("deal", Text("Deal"), _deal, choices)
        return
    if live.phase == "bingo":
        if live.calls < DECK_SIZE:
            yield ClassMove("go-on", Text("Go on"), _go_on)
    elif live.calls < DECK_SIZE:
        number = str(live.calls + 1)
        yield ClassMove("call", Text("Call"), _call, {"call": {number: number}})
        intervals: Options = {str(seconds): str(seconds) for seconds in INTERVALS}
        yield ClassMove("auto", Text("Let the clock call"), _start_clock, {"every": intervals})
    if live.phase == "bingo" or live.calls == DECK_SIZE:
        yield ClassMove("end", Text("End the round"), _ended)
    if live.phase == "playing":
        if live.every:
            yield ClassMove("pause", Text("Pause"), partial(_set_clock, every=0))
        yield ClassMove("paper", Text("Bring paper cards into play"), _paper, {"cards": None})
    yield ClassMove("void", Text("Void this round"), _void, {"reason": None})


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
    """Deal to everybody who is here and has not stepped out."""
    players = tuple(member.number for member in dealt_in(request.state))
    every = int(request.choice("every", "8"))
    data = model.RoundData(
        number=request.state.counters.round + 1,
        mode=Mode(request.choice("mode", Mode.LINE)),
        speed=request.choice("speed", "N") == "Y",
        by_hand=request.choice("by_hand", "N") == "Y",
        salt=secrets.token_bytes(SALT_BYTES),
        dealt=players,
        began=request.now,
        every=every if players else 0,  # on paper alone it begins when the cards are given out
    )
    stop = DECK_SIZE if data.by_hand else stop_call(map(data.card, players))
    clock, next_card = Clock(0, request.now, data.every, stop), request.state.counters.joined + 1
    none = {"round": data.number, "is_open": True, "claims": 0, "right": 0, "next_card": next_card}
    change = model.Change(None, clock, none, {CLAIMS: None})
    votes = tuple(map(Vote.closed, request.state.classroom.votes))
    return request.write(change, round=data, votes=votes, show="round")


def _call(request: MoveRequest) -> model.Change:
    """Call one card; the form names which call it is, so two dashboards cannot call two."""
    number = request.number("call", 1, DECK_SIZE + 1)
    if number != request.live.calls + 1:
        raise answers.OutOfDate(words.CALLED_ALREADY.fill(number=request.live.calls))
    return request.write_round(model.Change(clock=request.clock.called_one(request.now)))


def _start_clock(request: MoveRequest) -> model.Change:
    return _set_clock(request, int(request.choice("every")))


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


def _show(request: MoveRequest) -> model.Change:
    return request.write(show=request.choice("show"))


def _save_roster(request: MoveRequest) -> model.Change:
    text = request.fields.get("names", "")
    people = people_in(text).people if text.strip() else ()
    return request.write(model.Change(rows={ROSTER: pack(people)}))


def _close(request: MoveRequest) -> model.Change:
    change = _ended(request, void=True) if request.state.open_round else request.write()
    assert change.classroom  # noqa: S101 - both write it
    closed = {"closed": True, "locked": True, "show": "nothing"}
    return replace(change, classroom=msgspec.structs.replace(change.classroom, **closed))


def _prolong(request: MoveRequest) -> model.Change:
    days = int(request.choice("days"))
    expires = int(request.now) + days * DAY
    return request.write(model.Change(counters={"expires": expires}), days=days)


def _forget_names(request: MoveRequest) -> model.Change:
    return request.write(model.Change(rows=class_store().without_real_names(request.state.code)))


def _forget_class(request: MoveRequest) -> flask.Response:
    code = request.state.code
    class_store().delete(code)
    return answers.lead_on(f"{flask.request.script_root}/class", {"class": code, "forgotten": True})


def _hand_on(request: MoveRequest) -> flask.Response | None:
    """Answer with a link that gives the dashboard to another browser, once."""
    state, classroom, token = request.state, request.state.classroom, new_link()
    kept = classroom.handed_on(request.now)
    too_many = words.TOO_MANY_DASHBOARDS.fill(most=model.MAX_DASHBOARDS)
    answers.require(len(kept) < model.MAX_DASHBOARDS, too_many)
    label = " ".join(request.fields.get("label", "").split())
    answers.require(len(label) <= words.MAX_LABEL and label.isprintable(), words.BAD_LABEL)
    made = model.Dashboard(classroom.next_dashboard, request.now, link_hash(token), label=label)
    # First: were the server killed between the two, the step would be taken, and there is no link.
    path = make_link(Link(state.code, is_listed=True), model.HAND_ON_LINK, token)
    if not state.commit(request.write(dashboards=(*kept, made))):
        return None
    found, seconds = answers.public_address(), model.HAND_ON_LINK
    address = f"{found.scheme}://{found.host}{found.root}{path}"
    if wants_json():
        return json_response({"class": state.code, "address": address, "seconds": seconds})
    qr, is_local = inline_qr(address), found.is_local
    return render_page("class/hand_on.html", state=state, address=address, qr=qr, is_local=is_local)


def _take_back(request: MoveRequest) -> model.Change:
    """Take a dashboard back, or its link before anybody has used it."""
    classroom = request.state.classroom
    number = request.number("dashboard", 1, classroom.next_dashboard)
    kept = tuple(dashboard for dashboard in classroom.dashboards if dashboard.number != number)
    answers.require(len(kept) < len(classroom.dashboards))
    return request.write(dashboards=kept)


def new_nickname(state: ClassState, language: str) -> str:
    """Return a nickname by chance that nobody has."""
    return offers(language, taken_keys(state))[0]


def _rename(request: MoveRequest) -> model.Change:
    """Give a student another nickname; where none was sent, one that is offered."""
    others = taken_keys(request.state) - {name_key(request.member.student.name)}
    sent = request.fields.get("name", "").strip()
    name = checked_nickname(sent or new_nickname(request.state, request.language))
    answers.require(name_key(name) not in others, words.TAKEN_NAME.fill(name=name))
    return request.write_student(name=name, offered=is_offered(name), renamed=request.now)


def _new_rejoin_code(request: MoveRequest) -> model.Change:
    generation = request.member.student.generation + 1
    return request.write_student(generation=generation, wrong_codes=())


def _remove(request: MoveRequest) -> model.Change:
    return request.write(forget(request.state, request.member))


def _remove_since(request: MoveRequest) -> model.Change:
    gone = came_since(request.state, request.number("since", 0, _MAX_MINUTE))
    answers.require(bool(gone))
    return request.write(forget(request.state, *gone))


def _set_banned(request: MoveRequest, *, banned: bool) -> model.Change:
    """Ban a student, or let one in again, who then steps in themselves."""
    member = request.member
    answers.require((member.student.state == "banned") != banned)
    return request.write(with_state(request.state, member, "banned" if banned else "out"))
