"""A class as it stands now: what is kept of it, and what follows from that and from the time."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from typing import Final, Literal, TypeVar

import flask
import msgspec
from werkzeug.exceptions import NotFound

from cardgames.cards import DECK_SIZE, Cards
from cardgames.class_bingo.card import BingoCard, Kind, salted_card
from cardgames.class_bingo.decks import calling_deck, seal
from cardgames.class_bingo.results import (
    Claim,
    OneAway,
    Place,
    claimed_places,
    one_away,
    places,
    stop_call,
)
from cardgames.text import Text
from web.classroom.class_store import ClassStore
from web.classroom.codes import is_code, tidy_code
from web.classroom.model import CardInPlay, Change, Classroom, Member, RoundData
from web.classroom.rows import ClassCounters
from web.storage.store import decide

MAX_ATTEMPTS: Final = 30
"""How often something is decided anew when the class has changed meanwhile."""

EXTENSION: Final = "class-store"
MEMBERS: Final = "class-members"
"""The app's extensions: the classes, and the students of some as they were last read."""

PAPER: Final = Text("Paper card {number}")
GONE: Final = Text("Somebody who has left")

_CLASSES_KEPT: Final = 64

T = TypeVar("T")
Phase = Literal["playing", "bingo", "over", "void"]


class NoClass(NotFound):
    """No class has a code, or none any more."""


@dataclass(frozen=True, slots=True)
class LiveRound:
    """The newest round of a class, as it stands now."""

    data: RoundData
    phase: Phase
    calls: int
    """How many cards have been called."""

    every: int
    """The interval of the clock; 0 where somebody calls, or nothing is called any more."""

    cards_in_play: Mapping[int, CardInPlay]
    """By their numbers, ascending."""

    claims: tuple[Claim, ...]

    @property
    def is_open(self) -> bool:
        """Whether it is still on."""
        return self.phase in ("playing", "bingo")

    @property
    def called(self) -> Cards:
        """The cards called, the last one last."""
        return calling_deck(self.data.secret)[: self.calls]

    @property
    def left(self) -> int:
        """How many cards are left to call."""
        return DECK_SIZE - self.calls

    @property
    def seal(self) -> str:
        """What has been shown since the deal."""
        return seal(self.data.secret)

    def card(self, number: int) -> BingoCard:
        """Return a card of the round."""
        return salted_card(self.data.secret, number, self.data.kind)

    @property
    def places(self) -> tuple[Place, ...]:
        """Who has BINGO!, by the numbers of their cards."""
        if self.data.finished:
            return self.data.finished.places
        if self.data.by_hand:
            return claimed_places(
                [claim for claim in self.claims if claim.card in self.cards_in_play]
            )
        return _places(self.data.secret, self.data.kind, self.numbers, self.calls)

    @property
    def one_away(self) -> OneAway:
        """How near it is to its next BINGO!"""
        return _one_away(self.data.secret, self.data.kind, self.numbers, self.calls)

    def claim_of(self, card: int, call: int | None = None) -> Claim | None:
        """Return the right claim of a card, or the one at a call, if there is one."""
        for one in self.claims:
            if one.card == card and (one.right if call is None else one.call == call):
                return one
        return None

    def stop_after(self, call: int, numbers: Iterable[int] | None = None) -> int:
        """Return the first later call that gives one of some cards BINGO!; of all by default."""
        chosen = self.numbers if numbers is None else tuple(numbers)
        return stop_call((self.card(number) for number in chosen), call)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the cards in play, ascending."""
        return tuple(self.cards_in_play)

    def student_of(self, card: int) -> int:
        """Return who has a card; 0 for nobody with a browser."""
        return self.cards_in_play[card].student if card in self.cards_in_play else 0


@dataclass(frozen=True, slots=True)
class ClassState:
    """A class as it stands now."""

    code: str
    counters: ClassCounters
    classroom: Classroom
    members: Mapping[int, Member]
    """All students, by their numbers and in their order; those who are banned as well."""

    round: LiveRound | None

    @property
    def open_round(self) -> LiveRound | None:
        """The newest round while it is on."""
        return self.round if self.round and self.round.is_open else None

    @property
    def students(self) -> tuple[Member, ...]:
        """The students of the class, but for those who are banned."""
        return tuple(member for member in self.members.values() if member.student.state != "banned")

    @property
    def playing(self) -> tuple[Member, ...]:
        """Those who have not stepped out either."""
        return tuple(member for member in self.members.values() if member.student.state == "in")

    @property
    def version(self) -> str:
        """What changes whenever a student's page does."""
        return version_of(self.counters)

    def name_of(self, card: int) -> str:
        """Return the nickname of who has a card in the newest round."""
        number = self.round.student_of(card) if self.round else 0
        if not number:
            return PAPER.fill(number=card)
        member = self.members.get(number)
        return member.student.name if member else GONE

    def card_of(self, member: Member) -> BingoCard | None:
        """Return a student's card in the newest round."""
        if self.round is None:
            return None
        found = (
            held.card for held in self.round.cards_in_play.values() if held.student == member.number
        )
        number = next(found, None)
        return None if number is None else self.round.card(number)


def class_store() -> ClassStore:
    """Return the store of the app that is answering."""
    store: ClassStore = flask.current_app.extensions[EXTENSION]
    return store


def commit(state: ClassState, change: Change) -> bool:
    """Write a change if the class is still as it was read.

    What has been called by now is settled with it, so that no other machine's clock, a little
    behind, calls fewer afterwards.

    Returns:
        whether it was written.
    """
    if change.clock is None and state.counters.is_open:
        change = replace(change, clock=state.counters.clock.settled(state.counters.now))
    return class_store().commit(state.code, state.counters, change)


def decide_on(code: str, attempt: Callable[[ClassState], T | None]) -> T:
    """Decide something on a class as it stands, again when somebody else was faster.

    The first time the students are those of whom the class's numbers say that they are the newest.
    What is marked on a card does not change those: so after a failure every student is read anew.

    Args:
        code: the class's, as it was typed.
        attempt: decides and writes; None where the class has changed meanwhile.

    Returns:
        what was decided.

    Raises:
        NoClass: there is none.
        StoreUnavailable: the class has changed each time, or the store does not answer.
    """
    tries = count()
    return decide(lambda: attempt(load_class(code, fresh=next(tries) > 0)))


def version_of(counters: ClassCounters) -> str:
    """Return what changes whenever a student's page does.

    Joins do not change it: sixty of them would have sixty pages loaded sixty times.
    """
    right = f".{counters.right}" if counters.right else ""
    return f"{counters.version}.{counters.calls}{right}"


def load_class(text: str, *, fresh: bool = False) -> ClassState:
    """Return a class as it stands now.

    Args:
        text: its code, as somebody has typed it.
        fresh: whether every student is read anew, so that a change can be decided on them.

    Raises:
        NoClass: there is none.
        StoreUnavailable: the store does not answer.
    """
    code = tidy_code(text)
    store = class_store()
    try:
        stored = store.load(code) if is_code(code) else None
        if stored is None:
            raise NoClass
        counters, classroom = stored.counters, stored.classroom
        members = None if fresh else _known_members(code, classroom, counters)
        if members is None:
            members = {member.number: member for member in store.students(code)}
        _keep_members(code, classroom, counters, members)
    except msgspec.MsgspecError:  # it is damaged
        raise NoClass from None
    live = (
        live_round(classroom.round, counters, members, stored.claims) if classroom.round else None
    )
    return ClassState(code, counters, classroom, members, live)


def live_round(
    data: RoundData,
    counters: ClassCounters,
    members: Mapping[int, Member],
    claims: tuple[Claim, ...],
) -> LiveRound:
    """Return a round as it stands.

    Args:
        data: what its class keeps of it.
        counters: the numbers that tell how far it is called.
        members: the class's students by their numbers.
        claims: what they called out, the first one first.
    """
    if data.finished:
        finished = data.finished
        return LiveRound(
            data=data,
            phase="void" if data.void else "over",
            calls=finished.calls,
            every=0,
            cards_in_play={held.card: held for held in finished.cards},
            claims=finished.claims,
        )
    live = LiveRound(
        data=data,
        phase="playing",
        calls=counters.calls,
        every=counters.clock.every,
        cards_in_play=cards_in_play(data, members),
        claims=claims,
    )
    if data.by_hand:
        is_bingo = counters.right > 0
    else:
        is_bingo = any(place.call > data.resumed_at_call for place in live.places)
    return replace(live, phase="bingo") if is_bingo else live


def cards_in_play(data: RoundData, members: Mapping[int, Member]) -> dict[int, CardInPlay]:
    """Return the cards that are in play, by their numbers."""
    found = {}
    dealt = frozenset(data.dealt)
    for number, member in members.items():
        student = member.student
        if student.state != "in":
            continue
        if student.late and student.late[0] == data.number:
            _, card, from_call = student.late
            if card:
                found[card] = CardInPlay(card, number, from_call)
        elif number in dealt:
            found[number] = CardInPlay(number, number, 0)
    for card in range(1, data.paper + 1):
        found.setdefault(card, CardInPlay(card, 0, 0))
    return dict(sorted(found.items()))


@lru_cache(512)
def _one_away(salt: str, kind: Kind, numbers: tuple[int, ...], calls: int) -> OneAway:
    return one_away((salted_card(salt, number, kind) for number in numbers), calls)


@lru_cache(512)
def _places(salt: str, kind: Kind, numbers: tuple[int, ...], calls: int) -> tuple[Place, ...]:
    return places((salted_card(salt, number, kind) for number in numbers), calls)


KnownMembers = dict[str, tuple[float, ClassCounters, Mapping[int, Member]]]
"""The students of some classes as they were last read: when it was opened, and its numbers then."""


def _known_members(
    code: str, classroom: Classroom, counters: ClassCounters
) -> Mapping[int, Member] | None:
    """Return the students that are known, and those who have joined since; None for changed ones.

    So of a thousand who join one after the other, each is read once and not each time all.
    """
    found: KnownMembers = flask.current_app.extensions[MEMBERS]
    opened, before, members = found.get(code, (0.0, counters, {}))
    joined = counters.joined - before.joined
    if opened != classroom.opened or counters.students - before.students != joined:
        return None
    if not joined:
        return members
    new = class_store().students_joined(code, before.joined, counters.joined)
    return {**members, **{member.number: member for member in new}}


def _keep_members(
    code: str, classroom: Classroom, counters: ClassCounters, members: Mapping[int, Member]
) -> None:
    known: KnownMembers = flask.current_app.extensions[MEMBERS]
    while len(known) >= _CLASSES_KEPT and code not in known:
        known.pop(next(iter(known)), None)
    known[code] = (classroom.opened, counters, members)
