"""The decks of a round, all of which are derived from one secret salt.

Shuffle 1 is the calling deck, and shuffle k+1 is the bingo deck of card k. Every card has its own
deck. Two cards from the same deck would have no card in common, and with an odd number of cards in
play, the only card without such a partner would win less often. Separate decks also fix the cards
of late players before the first call.
"""

from functools import lru_cache
from typing import Final

from cardgames.cards import FULL_DECK, Cards, shuffled
from cardgames.games.bingo.rules import dealt
from cardgames.shuffling import SaltedRandom

_DECKS_KEPT: Final = 4_096
"""Maximum number of cached decks. Every call uses the decks of the same round."""


def calling_deck(salt: str) -> Cards:
    """Return a round's calling deck, with the first call on top.

    >>> from hashlib import sha256
    >>> by_hash = sorted(FULL_DECK, key=lambda card: sha256(f"00ff 1 {card}".encode()).digest())
    >>> calling_deck("00ff") == tuple(by_hash)
    True
    """
    return _shuffle(salt, 1)


def bingo_deck(salt: str, card: int) -> Cards:
    """Return the bingo deck for the card with the given number, starting at 1."""
    return _shuffle(salt, card + 1)


def grid(salt: str, card: int) -> Cards:
    """Return a card's grid, as the sheet would deal it to A.

    Args:
        salt: The round's salt, in hexadecimal.
        card: The number of the card, starting at 1.
    """
    return dealt(bingo_deck(salt, card))[0]


@lru_cache(_DECKS_KEPT)
def _shuffle(salt: str, number: int) -> Cards:
    return shuffled(FULL_DECK, SaltedRandom(str, salt, number - 1))
