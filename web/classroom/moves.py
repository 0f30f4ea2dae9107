"""What an instructor can do about a round, a class and its students, and what each move writes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import Any, Final

import flask

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.clock import INTERVALS, Clock
from cardgames.class_bingo.results import stop_call
from cardgames.games.bingo.rules import Mode
from cardgames.shuffling import random_salt
from cardgames.text import Text, plural
from web import db
from web.classroom import answers, words
from web.classroom.codes import link_hash, new_link
from web.classroom.dashboard_moves import (
    MAX_REASON,
    YES_NO,
    ClassMove,
    MoveRequest,
    Options,
    writing,
)
from web.classroom.joining import MAX_STUDENTS, came_since, forget, set_state, taken_keys
from web.classroom.live_round import placed_cards
from web.classroom.models import BingoRound
from web.classroom.nicknames import checked_nickname, is_offered, name_key, offers
from web.classroom.opening import (
    HAND_ON_LINK,
    LIVES,
    MAX_DASHBOARDS,
    add_dashboard,
    handed_on,
    make_link,
    next_dashboard,
)
from web.classroom.queries import delete_class, forget_real_names
from web.classroom.roster import people_in
from web.classroom.rounds import keep_cards, save_round
from web.classroom.state import ClassState, commit_and_scrub, load_class
from web.classroom.updates import dealt_in
from web.classroom.votes import close_vote
from web.http.reach import public_address
from web.http.requests import wants_json
from web.http.responses import json_response, render_page
from web.http.sharing import inline_qr
from web.sessions import DAY

EVERY: Final = (0, *INTERVALS)
"""The intervals of the clock in seconds; 0 where somebody calls."""

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
    if own := {str(one.number): one.label or str(one.number) for one in state.dashboards}:
        yield ClassMove("take-back", Text("Take it back"), _take_back, {"dashboard": own})
    lives: Options = {str(days): plural("{number} day", "{number} days", days) for days in LIVES}
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
                for every in EVERY
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
        yield ClassMove("end", Text("End the round"), _end)
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
    counts = Counter(int(member.joined) // 60 for member in state.students)
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


def _deal(request: MoveRequest) -> None:
    """Deal to everybody who is here and has not stepped out."""
    state, classroom = request.state, request.state.classroom
    players = [member.number for member in dealt_in(state)]
    every = int(request.choice("every", "8"))
    data = BingoRound(
        class_code=state.code,
        number=classroom.round_number + 1,
        mode=Mode(request.choice("mode", Mode.LINE)),
        speed=request.choice("speed", "N") == "Y",
        by_hand=request.choice("by_hand", "N") == "Y",
        salt=random_salt(),
        dealt=players,
        began=request.now,
        every=every if players else 0,  # on paper alone it begins when the cards are given out
    )
    stop = DECK_SIZE if data.by_hand else stop_call(map(data.card, players))
    begun: dict[str, Any] = {"round_number": data.number, "is_open": True, "show": "round"}
    begun |= {"called": 0, "since": request.now, "every": data.every, "stop": stop}
    begun |= {"claims": 0, "right": 0, "next_card": classroom.joined + 1, **close_vote(state)}
    db.session().add(data)
    db.session().flush()
    state.write_move(**begun)


def _call(request: MoveRequest) -> None:
    """Call one card; the form names which call it is, so two dashboards cannot call two."""
    number = request.number("call", 1, DECK_SIZE + 1)
    if number != request.live.calls + 1:
        raise answers.OutOfDate(words.CALLED_ALREADY.fill(number=request.live.calls))
    request.state.write_move(request.clock.called_one(request.now))


def _start_clock(request: MoveRequest) -> None:
    _set_clock(request, int(request.choice("every")))


def _set_clock(request: MoveRequest, every: int) -> None:
    request.state.write_move(request.clock.set_to(every, request.now))


def _go_on(request: MoveRequest) -> None:
    live, stop = request.live, DECK_SIZE
    if not live.data.by_hand:
        stop = live.stop_after(live.calls)
        has_more = any(live.card(number).bingo_call == stop for number in live.numbers)
        answers.require(has_more, words.NO_MORE_BINGO)
    clock = replace(request.clock, calls=live.calls, since=request.now, stop=stop)
    resumptions = live.data.resumptions + 1
    changed = {"resumptions": resumptions, "resumed_at_call": live.calls}
    save_round(request.state.code, live.data.number, changed)
    request.state.write_move(clock, right=0)  # they are no reason to wait any more


def _paper(request: MoveRequest) -> None:
    live, clock, state = request.live, request.clock, request.state
    count = request.number("cards", 0, MAX_STUDENTS)
    known = {card.card for card in live.cards_in_play.values() if card.student}
    for number in range(1, count + 1):
        is_late = number not in known and live.card(number).bingo_call <= live.calls
        answers.require(not is_late, words.PAPER_TOO_LATE.fill(number=number))
    if not live.data.by_hand:
        stop = live.stop_after(live.data.resumed_at_call, {*known, *range(1, count + 1)})
        clock = clock.stopping_at(stop, request.now)
    save_round(state.code, live.data.number, {"paper": count})
    state.write_move(clock, next_card=max(state.classroom.next_card, count + 1))


def _void(request: MoveRequest) -> None:
    reason = " ".join(request.fields.get("reason", "").split())[:MAX_REASON]
    answers.require(reason.isprintable())
    _end(request, void=True, reason=reason)


def _end(request: MoveRequest, *, void: bool = False, reason: str = "", **values: Any) -> None:
    """End the round that is on; what else changes of the class is written with it."""
    live, state = request.live, request.state
    over = {"calls": live.calls, "ended": request.now, "void": void, "reason": reason}
    save_round(state.code, live.data.number, over)
    keep_cards(state.code, live.data.number, placed_cards(live), counts=not void)
    clock = Clock(live.calls, request.now, 0, live.calls)
    state.write_move(clock, is_open=False, **values)


def _show(request: MoveRequest) -> None:
    request.write(show=request.choice("show"))


def _save_roster(request: MoveRequest) -> None:
    text = request.fields.get("names", "")
    people = people_in(text).people if text.strip() else ()
    request.write(roster=[[*one] for one in people])
    commit_and_scrub()  # of an older list


def _close(request: MoveRequest) -> None:
    closed: dict[str, Any] = {"closed": True, "locked": True, "show": "nothing"}
    if request.state.open_round:
        _end(request, void=True, **closed)
    else:
        request.write(**closed)


def _prolong(request: MoveRequest) -> None:
    days = int(request.choice("days"))
    request.write(expires=int(request.now) + days * DAY, days=days)


def _forget_names(request: MoveRequest) -> None:
    forget_real_names(request.state.code)
    request.write(roster=[])
    commit_and_scrub()


def _forget_class(request: MoveRequest) -> flask.Response:
    code = request.state.code
    delete_class(code)
    commit_and_scrub()
    return answers.lead_on(f"{flask.request.script_root}/class", {"class": code, "forgotten": True})


def _hand_on(request: MoveRequest) -> flask.Response:
    """Answer with a link that gives the dashboard to another browser, once."""
    state, token = request.state, new_link()
    too_many = words.TOO_MANY_DASHBOARDS.fill(most=MAX_DASHBOARDS)
    answers.require(len(handed_on(state)) < MAX_DASHBOARDS, too_many)
    label = " ".join(request.fields.get("label", "").split())
    answers.require(len(label) <= words.MAX_LABEL and label.isprintable(), words.BAD_LABEL)
    add_dashboard(state, link=link_hash(token), label=label)
    request.write()
    path = make_link(state.code, HAND_ON_LINK, token, is_listed=True)
    found, seconds = public_address(), HAND_ON_LINK
    address = f"{found.scheme}://{found.host}{found.root}{path}"
    if wants_json():
        return json_response({"class": state.code, "address": address, "seconds": seconds})
    state, qr, is_local = load_class(state.code), inline_qr(address), found.is_local
    return render_page("class/hand_on.html", state=state, address=address, qr=qr, is_local=is_local)


def _take_back(request: MoveRequest) -> None:
    """Take a dashboard back, or its link before anybody has used it."""
    number = request.number("dashboard", 1, next_dashboard(request.state))
    found = [one for one in request.state.dashboards if one.number == number]
    answers.require(bool(found))
    db.session().delete(found[0])
    db.session().flush()
    request.write()


def new_nickname(state: ClassState, language: str) -> str:
    """Return a nickname by chance that nobody has."""
    return offers(language, taken_keys(state))[0]


def _rename(request: MoveRequest) -> None:
    """Give a student another nickname; where none was sent, one that is offered."""
    others = taken_keys(request.state) - {request.member.name_key}
    sent = request.fields.get("name", "").strip()
    name = checked_nickname(sent or new_nickname(request.state, request.language))
    key = name_key(name)
    answers.require(key not in others, words.TAKEN_NAME.fill(name=name))
    request.write_student(name=name, name_key=key, offered=is_offered(name), renamed=request.now)


def _new_rejoin_code(request: MoveRequest) -> None:
    generation = request.member.generation + 1
    request.write_student(generation=generation, wrong_codes=[])


def _remove(request: MoveRequest) -> None:
    forget(request.state, request.member)
    request.write()
    commit_and_scrub()


def _remove_since(request: MoveRequest) -> None:
    gone = came_since(request.state, request.number("since", 0, _MAX_MINUTE))
    answers.require(bool(gone))
    forget(request.state, *gone)
    request.write()
    commit_and_scrub()


def _set_banned(request: MoveRequest, *, banned: bool) -> None:
    """Ban a student, or let one in again, who then steps in themselves."""
    member = request.member
    answers.require((member.state == "banned") != banned)
    set_state(request.state, member, "banned" if banned else "out")
    request.write()
