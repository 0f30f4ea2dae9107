"""A student's card as its page shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from cardgames.cards import RANK_WORDS, SUIT_WORDS, Card, Rank, Suit
from cardgames.class_bingo.card import BingoCard
from cardgames.class_bingo.results import Claim
from cardgames.games.bingo.rules import CENTRE, SIDE
from cardgames.text import Text, comma_join, plural
from web.classroom import words
from web.classroom.model import Member, RoundData
from web.classroom.play import marked_places, own_claim
from web.classroom.state import ClassState, LiveRound

BEFORE: Final = 5
"""So many earlier calls are shown beside the last one."""

MAX_NAMES: Final = 12
"""So many winners are named; the others are counted."""

MAX_CARDS_NAMED: Final = 3
"""So many cards that would give BINGO! are named."""

Place = TypeVar("Place")

_SUIT_ORDER: Final = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)
_RANK_ORDER: Final = (*tuple(Rank)[1:], Rank.ACE)


@dataclass(frozen=True, slots=True)
class Tile:
    """A position of a card."""

    place: int
    card: Card | None
    """``None`` for the free centre."""

    covered: bool
    called: bool = False
    """Whether the last call covers it; never told where cards are covered by hand."""

    needed: bool = False
    """Whether it is all that a pattern lacks, or what an answer has named."""

    winning: bool = False

    @property
    def rank(self) -> str:
        """Its rank, for a list in which the suit stands above."""
        return RANK_WORDS[self.card.rank] if self.card else ""

    @property
    def where(self) -> Text:
        """Its row and column."""
        return words.place_text(self.place)


@dataclass(frozen=True, slots=True)
class ListedSuit:
    """The cards of one suit, for who plays without seeing the grid."""

    suit: Suit
    tiles: tuple[Tile, ...]
    """Ascending, the ace last."""

    @property
    def name(self) -> Text:
        """The suit's name."""
        return SUIT_WORDS[self.suit]

    @property
    def covered(self) -> int:
        """How many of them are covered."""
        return sum(tile.covered for tile in self.tiles)


@dataclass(frozen=True, slots=True)
class CardPage:
    """The page of a card."""

    code: str
    title: str
    name: str
    version: str
    number: int
    """The round's."""

    kind: Text
    by_hand: bool
    phase: str
    calls: int
    last: Card | None
    before: tuple[Card, ...]
    """The calls before it, the latest first."""

    called: tuple[Card, ...]
    """All calls, the first one first."""

    card_number: int
    """0 for a student without a card in this round."""

    tiles: tuple[Tile, ...]
    near: tuple[Card, ...]
    """What would give this card BINGO! as the next call; none where cards are covered by hand."""

    near_text: str
    nearest: Text | None
    """The nearest pattern."""

    nearest_text: str
    """What that lacks."""

    calls_away: int
    """How many calls it takes at least."""

    others_away: int
    """How many cards in play are one away."""

    won: bool
    won_text: str
    tie_text: str
    places_text: str
    """Who has BINGO!, for everybody else."""

    can_claim: bool
    said: Claim | None
    """The claim whose answer the page tells."""

    said_text: str

    @property
    def rows(self) -> tuple[tuple[Tile, ...], ...]:
        """The tiles, row by row."""
        return in_rows(self.tiles)

    @property
    def suits(self) -> tuple[ListedSuit, ...]:
        """The tiles as a sorted list."""
        return tuple(
            ListedSuit(
                suit,
                tuple(
                    tile
                    for rank in _RANK_ORDER
                    for tile in self.tiles
                    if tile.card and (tile.card.suit, tile.card.rank) == (suit, rank)
                ),
            )
            for suit in _SUIT_ORDER
        )

    @property
    def has_called(self) -> bool:
        """Whether the last call is on the card."""
        return any(tile.called for tile in self.tiles)

    @property
    def have_text(self) -> Text:
        """Where the last call is on the card."""
        places = [tile.where for tile in self.tiles if tile.called]
        if not places:
            return Text("Not on your card.")
        if len(places) > 1:
            return plural("You have it.", "You have it {number} times.", len(places))
        return Text("You have it: {place}.", place=places[0])

    @property
    def status(self) -> str:
        """What is announced when this page comes in the place of an older one."""
        if self.won:
            return Text("BINGO! {what}", what=self.won_text)
        if self.phase == "bingo":
            return Text("BINGO! {what}", what=self.places_text)
        if self.phase != "playing":
            return Text("The round is over.")
        if self.last is None:
            return Text("The cards are dealt.")
        called = Text("Called: {card}.", card=self.last.full_name)
        if self.by_hand or not self.card_number:
            return called
        told = Text("{called} {where}", called=called, where=self.have_text)
        if not self.near_text:
            return told
        away = Text("One away: you need {cards}.", cards=self.near_text)
        return Text("{called} {where}", called=told, where=away)


def card_page(state: ClassState, member: Member, said: int | None = None) -> CardPage | None:
    """Return the page of a student's card, or None before the first round.

    Args:
        state: the class.
        member: the student.
        said: the call of a claim whose answer is to be told.
    """
    live = state.round
    if live is None:
        return None
    card = state.card_of(member)
    claim = own_claim(live, card, said) if card and said is not None else None
    right = own_claim(live, card) if card else None
    claim = claim or right
    won = bool(card and _has_won(live, card))
    wrong = claim if claim and not claim.right else None
    near = card.needed(live.calls) if card and not live.data.by_hand else ()
    tiles = _tiles(live, card, member, wrong, won=won) if card else ()
    pattern = card.nearest(live.calls)[0] if card and not live.data.by_hand else None
    return CardPage(
        code=state.code,
        title=state.classroom.title,
        name=member.student.name,
        version=state.version,
        number=live.data.number,
        kind=kind_text(live.data),
        by_hand=live.data.by_hand,
        phase=live.phase,
        calls=live.calls,
        last=live.called[-1] if live.called else None,
        before=live.called[:-1][::-1][:BEFORE],
        called=live.called,
        card_number=card.number if card else 0,
        tiles=tiles,
        near=near,
        near_text=_near_text(card, live) if card and near else "",
        nearest=words.pattern_text(pattern, live.data.mode, first=True) if pattern else None,
        nearest_text=words.lacking_text(card, live.calls) if card and pattern and not won else "",
        calls_away=card.calls_away(live.calls) if card and pattern else 0,
        others_away=live.one_away.cards_in_play,
        won=won,
        won_text=_won_text(card, right) if card and won else "",
        tie_text=_tie_text(state, card) if card and won else "",
        places_text=places_text(state),
        can_claim=bool(card and live.data.by_hand and live.is_open and not right),
        said=claim,
        said_text=words.claim_text(card, claim) if card and claim else "",
    )


def in_rows(places: Sequence[Place]) -> tuple[tuple[Place, ...], ...]:
    """Return the places of a grid row by row."""
    return tuple(tuple(places[start : start + SIDE]) for start in range(0, len(places), SIDE))


def tile_rows(card: BingoCard, calls: int) -> tuple[tuple[Tile, ...], ...]:
    """Return a card after so many calls as it is shown to others than its student."""
    covered, winning = card.covered(calls), card.winning(calls)
    return in_rows(
        [
            Tile(
                place,
                one if card.covered_by[place] else None,
                place in covered,
                winning=place in winning,
            )
            for place, one in enumerate(card.grid)
        ]
    )


def kind_text(round_: RoundData) -> Text:
    """Return what kind of round it is, as a heading says it."""
    mode = words.MODES[round_.mode]
    return Text("{mode}, speed", mode=mode) if round_.speed else mode


def places_text(state: ClassState) -> str:
    """Say who had BINGO! last, and at which call."""
    live = state.round
    if live is None or not live.places:
        return ""
    newest = live.places[-1]
    names = names_text([state.name_of(card) for card in newest.cards])
    if len(newest.cards) == 1:
        return Text("{names} has BINGO! at call {call}.", names=names, call=newest.call)
    return Text("{names} have BINGO! at call {call}.", names=names, call=newest.call)


def names_text(names: list[str]) -> str:
    """Return names one after the other; from the thirteenth on they are counted."""
    more = len(names) - MAX_NAMES
    if more <= 0:
        return words.listed(names)
    return words.AND_MORE.fill(first=", ".join(names[:MAX_NAMES]), number=more)


def _tiles(
    live: LiveRound, card: BingoCard, member: Member, wrong: Claim | None, *, won: bool
) -> tuple[Tile, ...]:
    by_hand = live.data.by_hand
    covered = marked_places(member.student, live.data.number) if by_hand else ()
    if not by_hand or won:
        covered = card.covered(live.calls)
    winning = card.winning(live.calls) if won else ()
    needed: frozenset[Card] = frozenset()
    if wrong:
        needed = frozenset(card.grid[place] for place in card.nearest(wrong.call)[1])
    elif not by_hand and live.phase == "playing":
        needed = frozenset(card.needed(live.calls))
    return tuple(
        Tile(
            place=place,
            card=None if place == CENTRE else one,
            covered=place in covered,
            called=not by_hand and live.calls > 0 and card.covered_by[place] == live.calls,
            needed=place != CENTRE and one in needed and place not in covered,
            winning=place in winning,
        )
        for place, one in enumerate(card.grid)
    )


def _has_won(live: LiveRound, card: BingoCard) -> bool:
    """Say whether a card has a place."""
    return any(card.number in place.cards for place in live.places)


def _won_text(card: BingoCard, right: Claim | None) -> str:
    """Say with what a card has won."""
    if right and right.since < right.call:
        return Text("You have had it since call {call}.", call=right.since)
    call = right.call if right else card.bingo_call
    return words.win_text(card, call)


def _tie_text(state: ClassState, card: BingoCard) -> str:
    """Say with whom a winner shares the place."""
    live = state.round
    if live is None:
        return ""
    place = next(one for one in live.places if card.number in one.cards)
    others = [state.name_of(other) for other in place.cards if other != card.number]
    if others:
        return Text("A tie with {names}.", names=names_text(others))
    if place.place > 1:
        return Text("That is place {place}.", place=place.place)
    return ""


def _near_text(card: BingoCard, live: LiveRound) -> str:
    """Say what a card waits for."""
    needed = card.needed(live.calls)
    named = list(dict.fromkeys(words.the_card(one, card.kind) for one in needed))
    if len(named) == 1:
        return named[0]
    if len(named) > MAX_CARDS_NAMED:
        return Text("one of {number} cards", number=len(named))
    return Text("{first} or {last}", first=comma_join(named[:-1]), last=named[-1])
