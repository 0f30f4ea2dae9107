"""The decks of a round, all of which are derived from one secret salt.

Shuffle 1 is the calling deck, shuffle k+1 the bingo deck of card k. Every card has its own deck,
because two cards from one deck would share no card, and with an odd number the card without a
partner would win less often. The cards of late players are thus fixed before the first call too.
"""

from functools import lru_cache
from typing import Final

from cardgames.cards import FULL_DECK, Cards, shuffled
from cardgames.games.bingo.rules import dealt
from cardgames.shuffling import SaltedRandom

_DECKS_KEPT: Final = 4_096
"""Maximum number of cached decks; every call uses those of the same round."""


def calling_deck(salt: str) -> Cards:
    """Return the deck that a round's cards are called from, the first call on top.

    >>> from hashlib import sha256
    >>> by_hash = sorted(FULL_DECK, key=lambda card: sha256(f"00ff 1 {card}".encode()).digest())
    >>> calling_deck("00ff") == tuple(by_hash)
    True
    """
    return _shuffle(salt, 1)


def bingo_deck(salt: str, card: int) -> Cards:
    """Return the bingo deck that a card comes from; cards are counted from 1."""
    return _shuffle(salt, card + 1)


def grid(salt: str, card: int) -> Cards:
    """Return the grid of a card in the round of a salt: the one that the sheet deals to A.

    Args:
        salt: the round's, in hexadecimal.
        card: the number of the card, counted from 1.
    """
    return dealt(bingo_deck(salt, card))[0]


@lru_cache(_DECKS_KEPT)
def _shuffle(salt: str, number: int) -> Cards:
    return shuffled(FULL_DECK, SaltedRandom(str, salt, number - 1))
