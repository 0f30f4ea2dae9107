"""The results of a round: cards with BINGO! or close to it, claims, and ranks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from cardgames.cards import DECK_SIZE, Cards
from cardgames.class_bingo.card import BingoCard


@dataclass(frozen=True, slots=True)
class OneAway:
    """The numbers of cards and calls that show how close a round is to its next BINGO!"""

    cards_in_play: int
    """The number of cards that need one more call."""

    ending: Cards
    """The cards of the calling deck that would give a player BINGO! if called next."""

    left: int
    """The number of cards left to call."""

    @property
    def chance(self) -> float:
        """The exact chance that the next call gives a player BINGO!

        Every order of the remaining cards is equally likely, regardless of the previous calls.
        """
        return len(self.ending) / self.left if self.left else 0.0


class Place(NamedTuple):
    """A rank in the results, and the cards that share it."""

    place: int
    call: int
    cards: tuple[int, ...]
    """The numbers of the cards, in ascending order."""


class Claim(NamedTuple):
    """A player's claim to have BINGO! at a call, and its evaluation."""

    card: int
    call: int
    """The call at which the claim is evaluated."""

    resumptions: int
    """The number of times that the round was resumed after a BINGO! before this claim."""

    since: int
    """The call at which the card had BINGO!, or 0 if the claim is wrong."""

    @property
    def right(self) -> bool:
        """Whether the card had BINGO!"""
        return self.since > 0


def one_away(cards: Iterable[BingoCard], calls: int) -> OneAway:
    """Return the distance of a round from its next BINGO!, given its cards and calls."""
    near = [needed for card in cards if (needed := card.needed(calls))]
    ending = tuple(sorted({card for needed in near for card in needed}))
    return OneAway(len(near), ending, DECK_SIZE - calls)


def stop_call(cards: Iterable[BingoCard], after: int = 0) -> int:
    """Return the next call at which a card completes BINGO!, or 52 if there is none."""
    return min((card.bingo_call for card in cards if card.bingo_call > after), default=DECK_SIZE)


def places(cards: Iterable[BingoCard], calls: int) -> tuple[Place, ...]:
    """Return the ranks of the cards that have BINGO!, earliest BINGO! first.

    Cards with BINGO! at the same call tie. After two cards at rank 1, the next card has rank 3.
    """
    return _ranked((card.bingo_call, card.number) for card in cards if card.bingo_call <= calls)


def claimed_places(claims: Sequence[Claim]) -> tuple[Place, ...]:
    """Return the ranks of a round in which players claim BINGO! themselves.

    Only the first valid claim of a card counts. Claims at the same call tie, regardless of the
    calls that completed each card's BINGO!

    >>> claims = [Claim(7, 14, 0, 12), Claim(3, 14, 0, 14), Claim(5, 13, 0, 0), Claim(5, 19, 1, 18)]
    >>> [(place.place, place.call, place.cards) for place in claimed_places(claims)]
    [(1, 14, (3, 7)), (3, 19, (5,))]
    """
    first: dict[int, Claim] = {}
    for claim in sorted(claims, key=lambda made: (made.resumptions, made.call)):
        if claim.right:
            first.setdefault(claim.card, claim)
    ranked = sorted((claim.resumptions, claim.call, claim.card) for claim in first.values())
    return _ranked(((resumptions, call), card) for resumptions, call, card in ranked)


def judge(card: BingoCard, named: int, calls: int, resumptions: int) -> Claim:
    """Return the evaluated claim of a player.

    Args:
        card: The card of the player who claims BINGO!
        named: The call that the player's page shows.
        calls: The number of calls so far. ``named`` is limited to this number.
        resumptions: The number of times that the round has been resumed after a BINGO!
    """
    call = max(0, min(named, calls))
    return Claim(card.number, call, resumptions, card.bingo_call if card.bingo_call <= call else 0)


def _ranked(entries: Iterable[tuple[Any, int]]) -> tuple[Place, ...]:
    """Return the ranks of cards, sorted by call, or by resumptions and then by call."""
    places: list[Place] = []
    before = 0
    for rank, group in groupby(sorted(entries), key=lambda entry: entry[0]):
        numbers = tuple(number for _, number in group)
        call = rank[1] if isinstance(rank, tuple) else rank
        places.append(Place(before + 1, call, numbers))
        before += len(numbers)
    return tuple(places)
