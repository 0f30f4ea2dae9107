"""Who has BINGO! or is near it, whether a claim is right, and which places are taken."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from cardgames.cards import DECK_SIZE, Cards
from cardgames.class_bingo.card import BingoCard


@dataclass(frozen=True, slots=True)
class OneAway:
    """How near the round is to its next BINGO!"""

    cards_in_play: int
    """How many cards lack one call."""

    ending: Cards
    """The cards of the calling deck whose call would give somebody BINGO!"""

    left: int
    """How many cards are left to call."""

    @property
    def chance(self) -> float:
        """The exact chance that the next call gives somebody BINGO!

        Every order of the cards left is as likely as any other, whatever has been called.
        """
        return len(self.ending) / self.left if self.left else 0.0


class Place(NamedTuple):
    """A place, and the cards that share it."""

    place: int
    call: int
    cards: tuple[int, ...]
    """Their numbers, ascending."""


class Claim(NamedTuple):
    """BINGO! said at a call, and what became of it."""

    card: int
    call: int
    """The call that it is judged at."""

    resumptions: int
    """How often the round had gone on after a BINGO!"""

    since: int
    """The call at which the card had BINGO!; 0 if it had none: the claim is wrong."""

    @property
    def right(self) -> bool:
        """Whether the card had BINGO!"""
        return self.since > 0


def one_away(cards: Iterable[BingoCard], calls: int) -> OneAway:
    """Return how near a round is to its next BINGO!: a function of cards in play and calls."""
    near = [needed for card in cards if (needed := card.needed(calls))]
    ending = tuple(sorted({card for needed in near for card in needed}))
    return OneAway(len(near), ending, DECK_SIZE - calls)


def stop_call(cards: Iterable[BingoCard], after: int = 0) -> int:
    """Return the first call later than one that gives anybody BINGO!; the last card's if none."""
    return min((card.bingo_call for card in cards if card.bingo_call > after), default=DECK_SIZE)


def places(cards: Iterable[BingoCard], calls: int) -> tuple[Place, ...]:
    """Return the places where the calls decide: who has BINGO! at the same call ties.

    Two at place 1, next is place 3.
    """
    return _ranked((card.bingo_call, card.number) for card in cards if card.bingo_call <= calls)


def claimed_places(claims: Sequence[Claim]) -> tuple[Place, ...]:
    """Return the places where players say BINGO! themselves.

    A card's first right claim counts. Those at the same call tie, however long each had it.

    >>> claims = [Claim(7, 14, 0, 12), Claim(3, 14, 0, 14), Claim(5, 13, 0, 0), Claim(5, 19, 1, 18)]
    >>> [(place.place, place.call, place.cards) for place in claimed_places(claims)]
    [(1, 14, (3, 7)), (3, 19, (5,))]
    """
    first: dict[int, Claim] = {}
    for claim in sorted(claims, key=lambda one: (one.resumptions, one.call)):
        if claim.right:
            first.setdefault(claim.card, claim)
    ranked = sorted((claim.resumptions, claim.call, claim.card) for claim in first.values())
    return _ranked(((resumptions, call), card) for resumptions, call, card in ranked)


def judge(card: BingoCard, named: int, made: int, resumptions: int) -> Claim:
    """Return what becomes of a claim.

    Args:
        card: the card of the player who says BINGO!
        named: the call that their page shows.
        made: how many calls have been made; a later one cannot be named.
        resumptions: how often the round has gone on.
    """
    call = max(0, min(named, made))
    return Claim(card.number, call, resumptions, card.bingo_call if card.bingo_call <= call else 0)


def _ranked(entries: Iterable[tuple[Any, int]]) -> tuple[Place, ...]:
    """Return the places of cards by what they are ranked by: a call, or resumptions and a call."""
    found: list[Place] = []
    before = 0
    for rank, group in groupby(sorted(entries), key=lambda entry: entry[0]):
        numbers = tuple(number for _, number in group)
        call = rank[1] if isinstance(rank, tuple) else rank
        found.append(Place(before + 1, call, numbers))
        before += len(numbers)
    return tuple(found)
