"""The decks of a round, all of which follow from one secret salt.

Shuffle 1 is the calling deck, shuffle k+1 the k-th bingo deck. The seal is the SHA-256 of the salt,
so it settles every card before the first one is called, also those of players who come later.
"""

from functools import lru_cache
from typing import Final

from cardgames.cards import FULL_DECK, Cards, shuffled
from cardgames.games.bingo.rules import dealt
from cardgames.shuffling import SaltedRandom, commitment

_DECKS_KEPT: Final = 4_096
"""So many shuffled decks are remembered: the same round is asked for at every call."""


def calling_deck(salt: str) -> Cards:
    """Return the deck that a round's cards are called from, the first call on top.

    >>> from hashlib import sha256
    >>> by_hash = sorted(FULL_DECK, key=lambda card: sha256(f"00ff 1 {card}".encode()).digest())
    >>> calling_deck("00ff") == tuple(by_hash)
    True
    """
    return _shuffle(salt, 1)


def bingo_deck(salt: str, number: int) -> Cards:
    """Return the bingo deck of a number, counted from 1."""
    return _shuffle(salt, number + 1)


def grid(salt: str, number: int) -> Cards:
    """Return the grid of a card, row by row, with its centre.

    Args:
        salt: the round's, in hexadecimal.
        number: the card's, counted from 1.

    >>> a, b = grid("00ff", 1), grid("00ff", 2)
    >>> [str(card) for card in a[:2] + b[:2]] == [
    ...     str(bingo_deck("00ff", 1)[place]) for place in (0, 2, 1, 3)
    ... ]
    True
    """
    a, b, _ = dealt(bingo_deck(salt, (number + 1) // 2))
    return a if number % 2 else b


def seal(salt: str) -> str:
    """Return what is shown from the deal on, and proves afterwards that nothing was changed.

    >>> from hashlib import sha256
    >>> seal("00ff") == sha256(b"00ff").hexdigest()
    True
    """
    return commitment(salt, ())


@lru_cache(_DECKS_KEPT)
def _shuffle(salt: str, number: int) -> Cards:
    """Return the order that a salt gives for its shuffle of a number."""
    return shuffled(FULL_DECK, SaltedRandom(str, salt, number - 1))
