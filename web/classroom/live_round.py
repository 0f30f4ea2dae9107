"""The newest round of a class as it stands now: its calls, who has BINGO!, and what is said of it.

It holds the salt that all decks follow from. What everybody may see of it are its properties and
:func:`round_document`; its ``data`` and its cards are for who holds them.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, TypeVar

from cardgames.cards import DECK_SIZE, Card, Cards
from cardgames.class_bingo.card import BingoCard, Kind, salted_card
from cardgames.class_bingo.decks import calling_deck
from cardgames.class_bingo.export import FinishedRound, PlayedCard, disclosed_orders
from cardgames.class_bingo.results import (
    Claim,
    OneAway,
    Place,
    claimed_places,
    one_away,
    places,
    stop_call,
)
from cardgames.games.bingo.rules import CENTRE, SIDE
from cardgames.text import Text
from web.classroom import words
from web.classroom.models import BingoRound
from web.classroom.queries import ClassCounters, Member, find_players
from web.classroom.rounds import CardInPlay, CardPlayed, cards_of, claims_in

MAX_NAMES: Final = 12
"""Maximum number of winners that are named; the others are counted."""

PAPER: Final = Text("Paper card {number}")
GONE: Final = Text("Somebody who has left")

T = TypeVar("T")
Phase = Literal["playing", "bingo", "over", "void"]


@dataclass(frozen=True)
class LiveRound:
    """The newest round of a class, as it stands now."""

    data: BingoRound
    phase: Phase
    calls: int
    """How many cards have been called."""

    every: int
    """The interval of the clock; 0 where somebody calls, or nothing is called any more."""

    cards_in_play: Mapping[int, CardInPlay | CardPlayed]
    """By the cards' numbers, ascending."""

    claims: tuple[Claim, ...]
    names: Callable[[int], str]
    """Returns the nickname of a student; empty for one who has left."""

    @property
    def is_open(self) -> bool:
        """Whether it is still on."""
        return self.phase in ("playing", "bingo")

    @cached_property
    def called(self) -> Cards:
        """The cards called, the last one last."""
        return calling_deck(self.data.salt)[: self.calls]

    @property
    def last(self) -> Card | None:
        """The last call."""
        return self.called[-1] if self.called else None

    @property
    def left(self) -> int:
        """How many cards are left to call."""
        return DECK_SIZE - self.calls

    @property
    def salt(self) -> str:
        """What its decks follow from; empty while it is on."""
        return "" if self.is_open else self.data.salt

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the cards in play, ascending."""
        return tuple(self.cards_in_play)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Who has BINGO!, by the numbers of their cards."""
        if self.data.ended is not None:
            return places_of(
                card for card in self.cards_in_play.values() if isinstance(card, CardPlayed)
            )
        if self.data.by_hand:
            return claimed_places([one for one in self.claims if one.card in self.cards_in_play])
        return _places(self.data.salt, self.data.kind, self.numbers, self.calls)

    @cached_property
    def one_away(self) -> OneAway:
        """How near it is to its next BINGO!"""
        return _one_away(self.data.salt, self.data.kind, self.numbers, self.calls)

    def card(self, number: int) -> BingoCard:
        """Return a card of the round."""
        return self.data.card(number)

    def claim_of(self, card: int, call: int | None = None) -> Claim | None:
        """Return the right claim of a card, or the one at a call, if there is one."""
        for claim in self.claims:
            if claim.card == card and (claim.right if call is None else claim.call == call):
                return claim
        return None

    def stop_after(self, call: int, numbers: Iterable[int] | None = None) -> int:
        """Return the first later call that gives one of some cards BINGO!; of all by default."""
        return stop_call(map(self.card, self.numbers if numbers is None else numbers), call)

    def name_of(self, card: int) -> str:
        """Return the nickname of who has a card."""
        held = self.cards_in_play.get(card)
        if held is None or not held.student:
            return PAPER.fill(number=card)
        return self.names(held.student) or GONE

    def names_at(self, place: Place) -> list[str]:
        """Return the nicknames of those who share a place, in the order of their cards."""
        return [self.name_of(card) for card in place.cards]

    @property
    def kind_text(self) -> Text:
        """What kind of round it is, as a heading says it."""
        return words.kind_text(self.data.kind)

    @property
    def sentence_kind(self) -> Text:
        """The same within a sentence."""
        return words.kind_text(self.data.kind, words.PATTERNS)

    @property
    def hand_text(self) -> Text:
        """Who covers the cards."""
        return Text("by hand") if self.data.by_hand else Text("automatic")

    @property
    def winners_text(self) -> str:
        """Who had BINGO! last, and at which call."""
        if not self.places:
            return ""
        newest = self.places[-1]
        names = names_text(self.names_at(newest))
        if len(newest.cards) == 1:
            return Text("{names} has BINGO! at call {call}.", names=names, call=newest.call)
        return Text("{names} have BINGO! at call {call}.", names=names, call=newest.call)

    @property
    def over_text(self) -> str:
        """What became of it; empty while it is on."""
        number = self.data.number
        if self.is_open:
            return ""
        if self.phase == "void":
            return Text("Round {number} is void.", number=number)
        if not self.places:
            return Text("Round {number} is over: nobody had BINGO!", number=number)
        return Text(
            "Round {number} is over: {names}, at call {call}.",
            number=number,
            names=names_text(self.names_at(self.places[0])),
            call=self.places[0].call,
        )


def names_text(names: Sequence[str]) -> str:
    """Return names one after the other; from the thirteenth on they are counted."""
    more = len(names) - MAX_NAMES
    if more <= 0:
        return words.listed(names)
    return words.AND_MORE.fill(first=", ".join(names[:MAX_NAMES]), number=more)


def live_round(data: BingoRound, counters: ClassCounters, names: Callable[[int], str]) -> LiveRound:
    """Return a round as it stands."""
    code, number = data.class_code, data.number
    if data.ended is not None:
        played = {card.card: card for card in cards_of(code, number)}
        phase: Phase = "void" if data.void else "over"
        return LiveRound(data, phase, data.calls or 0, 0, played, claims_in(code, number), names)
    held, every = cards_in_play(data, find_players(code, number)), counters.clock.every
    claims = claims_in(code, number) if data.by_hand else ()
    live = LiveRound(data, "playing", counters.calls, every, held, claims, names)
    if data.by_hand:
        is_bingo = counters.right > 0
    else:
        is_bingo = any(place.call > data.resumed_at_call for place in live.places)
    return replace(live, phase="bingo") if is_bingo else live


def cards_in_play(
    data: BingoRound, players: Iterable[tuple[int, int | None, int | None]]
) -> dict[int, CardInPlay]:
    """Return the cards that are in play, by their numbers."""
    dealt = frozenset(data.dealt)
    found = {}
    for number, late, from_call in players:
        if late is None and number in dealt:
            found[number] = CardInPlay(number, number, 0)
        elif late:
            found[late] = CardInPlay(late, number, from_call or 0)
    for card in range(1, data.paper + 1):
        found.setdefault(card, CardInPlay(card, 0, 0))
    return dict(sorted(found.items()))


def card_held(data: BingoRound, member: Member) -> int:
    """Return the number of a student's card in the round that is on; 0 for none."""
    if member.state != "in":
        return 0
    if member.late_card is not None:
        return member.late_card
    return member.number if member.number in data.dealt else 0


def placed_cards(live: LiveRound) -> list[CardPlayed]:
    """Return the cards in play with the places that they have won."""
    won = {card: (place.place, place.call) for place in live.places for card in place.cards}
    return [
        CardPlayed(*held, *won.get(held.card, (None, None))) for held in live.cards_in_play.values()
    ]


def places_of(cards: Iterable[CardPlayed]) -> tuple[Place, ...]:
    """Return who has won places in a round that is over."""
    won: dict[tuple[int, int], list[int]] = {}
    for card in cards:
        if card.rank is not None:
            won.setdefault((card.rank, card.rank_call or 0), []).append(card.card)
    return tuple(Place(*at, tuple(numbers)) for at, numbers in sorted(won.items()))


def export_of(data: BingoRound) -> FinishedRound | None:
    """Return a round as it is exported, if it is over."""
    if data.ended is None:
        return None
    cards = cards_of(data.class_code, data.number)
    return FinishedRound(
        number=data.number,
        kind=data.kind,
        by_hand=data.by_hand,
        salt=data.salt,
        calls=data.calls or 0,
        cards=tuple(PlayedCard(card.card, card.from_call) for card in cards),
        claims=claims_in(data.class_code, data.number),
        places=places_of(cards),
    )


def round_document(live: LiveRound | None) -> dict[str, Any] | None:
    """Return the newest round in JSON, as everybody sees it."""
    if live is None:
        return None
    data, near = live.data, live.one_away
    kind = {name: getattr(data, name) for name in ("number", "mode", "speed", "by_hand")}
    now = {name: getattr(live, name) for name in ("phase", "called", "left", "every")}
    students, cards = near.cards_in_play, len(near.ending)
    document: dict[str, Any] = {
        **kind,
        **now,
        "one_away": {"students": students, "cards": cards, "chance": near.chance},
        "places": [
            {"place": place.place, "call": place.call, "names": live.names_at(place)}
            for place in live.places
        ],
    }
    if not live.is_open:
        orders = disclosed_orders(live.salt, live.numbers)
        document |= {"salt": live.salt, "orders": orders}
    return document | {"reason": data.reason} if live.phase == "void" else document


@dataclass(frozen=True, slots=True)
class Tile:
    """A position of a card."""

    place: int
    card: Card | None
    """``None`` for the free centre."""

    covered: bool
    called: bool
    """Whether the last call covers it; not shown where cards are covered by hand."""

    needed: bool
    """Whether it is all that a pattern lacks, or what an answer has named."""

    winning: bool

    @property
    def rank(self) -> str:
        """Its rank, for a list in which the suit stands above."""
        return self.card.rank.text if self.card else ""

    @property
    def where(self) -> Text:
        """Its row and column."""
        return words.place_text(self.place)


def tile_rows(
    card: BingoCard,
    covered: Collection[int],
    winning: Collection[int],
    needed: Collection[Card] = (),
    last: int = 0,
) -> tuple[tuple[Tile, ...], ...]:
    """Return a card row by row, with its positions that are covered, and that make its BINGO!

    Cards that are needed are pointed out where they are not covered, and what the last call covers.
    """
    tiles = [
        Tile(
            place=place,
            card=None if place == CENTRE else held,
            covered=place in covered,
            called=last > 0 and card.covered_by[place] == last,
            needed=place != CENTRE and held in needed and place not in covered,
            winning=place in winning,
        )
        for place, held in enumerate(card.grid)
    ]
    return in_rows(tiles)


def in_rows(places: Sequence[T]) -> tuple[tuple[T, ...], ...]:
    """Return the places of a grid row by row."""
    return tuple(tuple(places[start : start + SIDE]) for start in range(0, len(places), SIDE))


# Sixty phones ask at the same call: each of these is worked out once for all of them.


@lru_cache(512)
def _one_away(salt: str, kind: Kind, numbers: tuple[int, ...], calls: int) -> OneAway:
    return one_away((salted_card(salt, number, kind) for number in numbers), calls)


@lru_cache(512)
def _places(salt: str, kind: Kind, numbers: tuple[int, ...], calls: int) -> tuple[Place, ...]:
    return places((salted_card(salt, number, kind) for number in numbers), calls)
