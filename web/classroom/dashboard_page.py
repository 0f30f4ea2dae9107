"""The dashboard as its instructor sees it: the class, its round, and a page of its students."""

import random
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlencode

import flask

from cardgames.class_bingo.card import Kind
from cardgames.class_bingo.expectations import Expectation, expected
from cardgames.class_bingo.results import Claim
from cardgames.games.bingo.rules import Mode
from cardgames.text import Text
from web.classroom.access import browser_of
from web.classroom.answers import (
    MAX_SEARCH,
    PAGE_ROWS,
    local_time,
    page_of,
    public_address,
    time_text,
)
from web.classroom.documents import dashboard_document
from web.classroom.model import HAND_ON_LINK, Dashboard, RealNames
from web.classroom.moves import ClassMove, available_moves
from web.classroom.nicknames import offers, roster_key
from web.classroom.results import Score, finished_rounds, scores
from web.classroom.state import ClassState, class_store
from web.classroom.student_moves import available_student_moves, taken_keys
from web.classroom.updates import DEALT_IN, is_here, last_seen, page_version, table_of
from web.classroom.view import RoundView, round_view
from web.http.addresses import asked_number
from web.http.i18n import negotiated
from web.http.requests import wants_json
from web.http.responses import json_response, render_page

MAX_CLAIMS: Final = 12
"""Maximum number of claims that are listed: the newest."""

CLOCK: Final = 8
"""The usual interval in seconds: what to expect is said for it."""

_MINUTE: Final = 60
_SHORT: Final = 90
_chance: Final = random.SystemRandom()


def moves_now(state: ClassState) -> Iterator[ClassMove]:
    """Yield all moves that are possible now."""
    yield from available_moves(state)
    yield from available_student_moves(state)


def dashboard_query(**changes: Any) -> str:
    """Return the query of this request for the dashboard, with some changes: what is looked at."""
    asked = flask.request.args
    names = asked.get("names", "")
    kept = {
        "names": names if names in ("yes", "no") else "",
        "search": asked.get("search", "")[:MAX_SEARCH],
        "page": asked_number("page", 1) if asked_number("page", 1) > 1 else "",
    }
    query = urlencode({name: value for name, value in (kept | changes).items() if value})
    return f"?{query}" if query else ""


def answer_dashboard(state: ClassState, status: int = 200, refusal: str = "") -> flask.Response:
    """Answer with the dashboard as it stands."""
    seen, real = last_seen(state), class_store().real_names(state.code)
    with_names = flask.request.args.get("names") == "yes"
    if wants_json():
        at = {number: one.at for number, one in seen.items()}
        given = real.given if with_names else None
        document = dashboard_document(state, _by_name(state), at, given)
        return json_response(document, status, refusal)
    now = state.counters.now
    dealt = {number for number, one in seen.items() if now - one.at < DEALT_IN}
    here = {number for number, one in seen.items() if is_here(one.at, now)}
    places = {number: table_of(seen[number].place) or seen[number].place for number in here}
    missing, shown = _missing(real), round_view(state)
    absent = sum(member.number not in dealt for member in state.playing)
    return render_page(
        "class/dashboard.html",
        status,
        state=state,
        classroom=state.classroom,
        round=shown if shown and shown.is_open else None,
        over_text=shown.over_text if shown else "",
        status_text=_status_text(state, shown),
        moves=_by_name(state),
        version=page_version(state.counters, "dashboard"),
        public=public_address(),
        query=dashboard_query,
        page=page_of(state.students, lambda one: f"{one.student.name} {one.number}"),
        opened=asked_number("student", 0),
        banned=[member for member in state.members.values() if member.student.state == "banned"][
            :PAGE_ROWS
        ],
        scores=scores(finished_rounds(state)),
        no_score=Score(),
        here_now=here,
        present=sum(member.number in here for member in state.students),
        verdict=verdict_text(shown) if shown else "",
        next_place=1 + sum(len(winners.cards) for winners in shown.winners) if shown else 1,
        places=places,
        real=real.given if with_names else {},
        with_names=with_names,
        keeps_names=state.classroom.real != "no" or bool(real.roster) or bool(real.given),
        roster=len(real.roster),
        missing=len(missing),
        missing_names=missing if with_names else (),
        claims=[*_claims(state)],
        dashboards=[*_dashboards(state)],
        own_browser=browser_of(state.code),
        expected=_expected,
        absent=absent,
        dealt=len(state.playing) - absent,
        new_name=lambda: offers(negotiated(), taken_keys(state), _chance)[0],
        clock_time=lambda at: f"{local_time(at):%H:%M}",
        day_and_time=lambda at: time_text(at, state.counters.now),
        usual_interval=CLOCK,
        refusal=refusal,
    )


def _by_name(state: ClassState) -> dict[str, ClassMove]:
    return {move.name: move for move in moves_now(state)}


def _missing(real: RealNames) -> tuple[str, ...]:
    """Return the names of the pasted list that nobody in the class has given."""
    came = {roster_key(name) for name in real.given.values()} if real.roster else set()
    return tuple(name for name in real.roster if roster_key(name) not in came)


def _dashboards(state: ClassState) -> Iterator[Dashboard]:
    """Yield the dashboards that were handed on, but for links whose time is over."""
    for one in state.classroom.dashboards:
        if one.browser or state.counters.now - one.at < HAND_ON_LINK:
            yield one


def _claims(state: ClassState) -> Iterator[tuple[str, Claim, str]]:
    """Yield the newest claims of the round that is on: of each the name, and what became of it."""
    live = state.open_round
    if live is None:
        return
    place_of = {card: place.place for place in live.places for card in place.cards}
    for claim in list(reversed(live.claims))[:MAX_CLAIMS]:
        place = place_of.get(claim.card)
        answer: Text = Text("right, place {place}", place=place) if place else Text("right")
        if not claim.right:
            lacks = len(live.card(claim.card).nearest(claim.call)[1])
            answer = Text("not yet, lacks {number}", number=lacks)
        yield state.name_of(claim.card), claim, answer


def verdict_text(shown: RoundView) -> str:
    """Say who has BINGO!; nothing while cards are called."""
    if shown.phase != "bingo":
        return ""
    at = Text("Call {call}", call=shown.calls)
    return shown.winners_text or Text("BINGO! {what}", what=at)


def _status_text(state: ClassState, shown: RoundView | None) -> str:
    """Say what is announced: calls, claims and BINGO!, never who joins or goes."""
    if shown is None or not shown.is_open:
        return ""
    if verdict := verdict_text(shown):
        return verdict
    for name, _, answer in _claims(state):
        return Text("{name}: {answer}.", name=name, answer=answer)
    if shown.last is None:
        return Text("The cards are dealt.")
    return Text("Called: {card}.", card=shown.last.full_name)


def _expected(mode: str, cards: int, *, speed: bool = False) -> tuple[Expectation, Text]:
    """Return what to expect of a kind of round, and how long it lasts at the usual interval."""
    found = expected(Kind(Mode(mode), speed), cards)
    return found, duration_text(found.calls * CLOCK)


def duration_text(seconds: float) -> Text:
    """Say about how long something lasts.

    >>> duration_text(32), duration_text(112)
    ('30 s', '2 min')
    """
    if seconds < _SHORT:
        return Text("{number} s", number=max(10, round(seconds / 10) * 10))
    return Text("{number} min", number=round(seconds / _MINUTE))
