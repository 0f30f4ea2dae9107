"""The dashboard: a class as its instructor sees it."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cardgames.cards import Card
from cardgames.text import Text
from web.classroom.access import browser_of
from web.classroom.card_page import kind_text, names_text, places_text
from web.classroom.changes import Presence, RealNames
from web.classroom.deal_form import CLOCK, DealForm, deal_form
from web.classroom.legal import available_moves
from web.classroom.model import HAND_ON_LINK, LIVES, Member
from web.classroom.moves import ClassMove
from web.classroom.nicknames import offers, roster_key
from web.classroom.presence import is_here, table_of
from web.classroom.public_address import PublicAddress
from web.classroom.results import Score, finished_rounds, scores
from web.classroom.screen_page import short_seal
from web.classroom.state import ClassState, LiveRound
from web.classroom.student_moves import taken_keys
from web.classroom.times import time_text

_chance: Final = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class StudentRow:
    """A student in the list."""

    number: int
    name: str
    real: str | None
    """The real name; ``None`` where none is shown or given."""

    here: bool
    place: str
    """Where they are: ``bingo`` for their card, or the title of a table."""

    state: str
    rounds: int
    won: int


@dataclass(frozen=True, slots=True)
class StudentDetails:
    """What the open row of a student says besides."""

    joined: str
    browsers: int
    card: int
    """The number of the card in the round that is on; 0 for none."""

    offer: str
    """A nickname for renaming."""

    is_code_blocked: bool
    """Whether too many wrong rejoin codes were sent."""


@dataclass(frozen=True, slots=True)
class DashboardRow:
    """A dashboard that was handed on."""

    number: int
    at: str
    """When."""

    is_used: bool
    """Whether anybody holds it."""

    is_own: bool
    """Whether that is the browser that asks."""


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim in the list."""

    name: str
    card: int
    call: int
    answer: str


@dataclass(frozen=True, slots=True)
class DashboardRound:
    """The round that is on, for who runs it."""

    number: int
    phase: str
    kind: Text
    by_hand: bool
    calls: int
    left: int
    every: int
    dealt_every: int
    """The interval that the clock had at the deal."""

    last: Card | None
    away: int
    chance: float
    cards: int
    paper: int
    claims: tuple[ClaimRow, ...]
    verdict: str
    """Who has BINGO!"""

    next_place: int
    """The place that the round would go on for."""

    seal: str


@dataclass(frozen=True, slots=True)
class DashboardPage:
    """The dashboard of a class."""

    code: str
    title: str
    step: int
    version: str
    reach: PublicAddress
    moves: Mapping[str, ClassMove]
    here: int
    rows: tuple[StudentRow, ...]
    banned: tuple[StudentRow, ...]
    open_row: int
    """The number of the student whose row is open; 0 for none."""

    details: StudentDetails | None
    round: DashboardRound | None
    """The one that is on."""

    over: str
    """What became of the last one, where none is on."""

    deal: DealForm | None
    show: str
    locked: bool
    closed: bool
    days: int
    with_names: bool
    roster: int
    """How many names are on the list."""

    missing: int
    missing_names: tuple[str, ...]
    refusal: str
    keeps_names: bool
    status: str
    dashboards: tuple[DashboardRow, ...]
    """Those that were handed on."""

    @property
    def lives(self) -> tuple[int, ...]:
        """How many days the class may live."""
        return LIVES


def dashboard_page(  # noqa: PLR0913 - it is the whole of an instructor's page
    state: ClassState,
    *,
    seen: Mapping[int, Presence],
    real: RealNames,
    with_names: bool,
    open_row: int,
    language: str,
    version: str,
    reach: PublicAddress,
    refusal: str = "",
) -> DashboardPage:
    """Return the dashboard.

    Args:
        state: the class.
        seen: when and where each student was last seen.
        real: the real names of the class; they are shown only where asked for.
        with_names: whether they are.
        open_row: the number of the student whose row is open.
        language: whose words are offered as nicknames.
        version: what changes whenever the page does.
        reach: where phones find the site.
        refusal: why a move was not made.
    """
    known = scores(finished_rounds(state))
    rows = tuple(
        _row(state, one, seen.get(one.number), known.get(one.number, Score()), real, with_names)
        for one in state.members.values()
    )
    live = state.open_round
    chosen = state.members.get(open_row)
    missing = _missing(real)
    dashboard_round = _dashboard_round(state, live) if live else None
    return DashboardPage(
        code=state.code,
        title=state.classroom.title,
        step=state.counters.version,
        version=version,
        reach=reach,
        moves=available_moves(state),
        here=sum(row.here for row in rows if row.state != "banned"),
        rows=tuple(row for row in rows if row.state != "banned"),
        banned=tuple(row for row in rows if row.state == "banned"),
        open_row=open_row if chosen else 0,
        details=_details(state, chosen, language) if chosen else None,
        round=dashboard_round,
        over=_over_text(state),
        deal=None if live or state.classroom.closed else deal_form(state),
        show=state.classroom.show,
        locked=state.classroom.locked,
        closed=state.classroom.closed,
        days=state.classroom.days,
        with_names=with_names,
        roster=len(real.roster),
        missing=len(missing),
        missing_names=missing if with_names else (),
        refusal=refusal,
        keeps_names=state.classroom.real != "no" or bool(real.roster) or bool(real.given),
        status=_status(dashboard_round),
        dashboards=tuple(_dashboard_rows(state)),
    )


def _dashboard_rows(state: ClassState) -> Iterator[DashboardRow]:
    """Yield the dashboards that were handed on, but for links whose time is over."""
    own, now = browser_of(state.code), state.counters.now
    for one in state.classroom.dashboards:
        if one.browser or now - one.at < HAND_ON_LINK:
            at, is_own = time_text(one.at, now), one.browser == own
            yield DashboardRow(one.number, at, bool(one.browser), is_own)


def _row(
    state: ClassState,
    member: Member,
    seen: Presence | None,
    score: Score,
    real: RealNames,
    with_names: bool,  # noqa: FBT001 - passed on
) -> StudentRow:
    here = is_here(seen.at if seen else None, state.counters.now)
    return StudentRow(
        number=member.number,
        name=member.student.name,
        real=real.given.get(member.number) if with_names else None,
        here=here,
        place=(table_of(seen.place) or seen.place) if seen and here else "",
        state=member.student.state,
        rounds=score.rounds,
        won=score.won,
    )


def _details(state: ClassState, member: Member, language: str) -> StudentDetails:
    card = state.card_of(member) if state.open_round else None
    return StudentDetails(
        joined=f"{datetime.fromtimestamp(member.student.joined).astimezone():%H:%M}",
        browsers=len(member.student.browsers),
        card=card.number if card else 0,
        offer=offers(language, taken_keys(state), _chance)[0],
        is_code_blocked=member.student.is_code_blocked,
    )


def _missing(real: RealNames) -> tuple[str, ...]:
    """Return the names of the pasted list that nobody in the class has given."""
    came = {roster_key(name) for name in real.given.values()}
    return tuple(name for name in real.roster if roster_key(name) not in came)


def _dashboard_round(state: ClassState, live: LiveRound) -> DashboardRound:
    near = live.one_away
    verdict = ""
    if live.phase == "bingo":
        verdict = places_text(state) or Text(
            "BINGO! {what}", what=Text("Call {call}", call=live.calls)
        )
    return DashboardRound(
        number=live.data.number,
        phase=live.phase,
        kind=kind_text(live.data),
        by_hand=live.data.by_hand,
        calls=live.calls,
        left=live.left,
        every=live.every,
        dealt_every=live.data.every or CLOCK,
        last=live.called[-1] if live.called else None,
        away=near.cards_in_play,
        chance=near.chance,
        cards=len(live.cards_in_play),
        paper=live.data.paper,
        claims=tuple(_claim_rows(state, live)),
        verdict=verdict,
        next_place=1 + sum(len(place.cards) for place in live.places),
        seal=short_seal(live.seal),
    )


def _claim_rows(state: ClassState, live: LiveRound) -> list[ClaimRow]:
    """Return the claims, the newest first."""
    place_of = {card: place.place for place in live.places for card in place.cards}
    rows = []
    for claim in reversed(live.claims):
        if claim.right:
            number = place_of.get(claim.card)
            answer: Text = Text("right, place {place}", place=number) if number else Text("right")
        else:
            lacks = len(live.card(claim.card).nearest(claim.call)[1])
            answer = Text("not yet, lacks {number}", number=lacks)
        rows.append(ClaimRow(state.name_of(claim.card), claim.card, claim.call, answer))
    return rows


def _over_text(state: ClassState) -> str:
    """Say what became of the last round, where none is on."""
    live = state.round
    if live is None or live.is_open:
        return ""
    if live.phase == "void":
        return Text("Round {number} is void.", number=live.data.number)
    if not live.places:
        return Text("Round {number} is over: nobody had BINGO!", number=live.data.number)
    first = live.places[0]
    names = names_text([state.name_of(card) for card in first.cards])
    return Text(
        "Round {number} is over: {names}, at call {call}.",
        number=live.data.number,
        names=names,
        call=first.call,
    )


def _status(live: DashboardRound | None) -> str:
    """Say what is announced: calls, claims and BINGO!, never who joins or goes."""
    if live is None:
        return ""
    if live.verdict:
        return live.verdict
    if live.claims:
        newest = live.claims[0]
        return Text("{name}: {answer}.", name=newest.name, answer=newest.answer)
    if live.last is None:
        return Text("The cards are dealt.")
    return Text("Called: {card}.", card=live.last.full_name)
