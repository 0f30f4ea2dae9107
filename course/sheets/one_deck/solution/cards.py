"""Playing cards and decks, with exactly the interface of the course's ``cards.py``.

The file needs no other file, so it can be copied into the folder of any program that imports
``cards``. Later editions of the course name the methods of a card without ``get_``, so both names
work.
"""

import random
from typing import ClassVar

__all__ = ["Card", "Deck"]


class Card:
    """A card, compared by its rank. The blank card has rank 0 and suit 0."""

    rank_list: ClassVar = list("xA23456789TJQK")
    suit_list: ClassVar = list("xcdhs")

    def __init__(self, rank: int = 0, suit: int = 0) -> None:
        """Create a card, or the blank card if the rank or suit does not exist.

        Args:
            rank: 1 (ace) to 13 (king).
            suit: 1 clubs, 2 diamonds, 3 hearts, 4 spades.

        """
        known = type(rank) is int and type(suit) is int and 1 <= rank <= 13 and 1 <= suit <= 4
        self.__rank, self.__suit = (rank, suit) if known else (0, 0)

    def get_rank(self) -> int:
        """Return the rank, 0 for the blank card."""
        return self.__rank

    def get_suit(self) -> int:
        """Return the suit, 0 for the blank card."""
        return self.__suit

    def get_value(self) -> int:
        """Return the points: 1 for an ace, and 0 for the blank card."""
        return min(self.__rank, 10)

    rank = get_rank
    suit = get_suit
    value = get_value

    def __eq__(self, other: object) -> bool:
        """Return whether the ranks are equal."""
        return self.__rank == other.__rank if isinstance(other, Card) else NotImplemented

    def __lt__(self, other: object) -> bool:
        """Return whether this card's rank is lower."""
        return self.__rank < other.__rank if isinstance(other, Card) else NotImplemented

    def __le__(self, other: object) -> bool:
        """Return whether this card's rank is lower or equal."""
        return self.__rank <= other.__rank if isinstance(other, Card) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # cards of different suits can be equal

    def __str__(self) -> str:
        """Return rank and suit, as in ``Td``; the blank card is ``xx``."""
        return f"{self.rank_list[self.__rank]}{self.suit_list[self.__suit]}"

    def __repr__(self) -> str:
        """Return the same as ``str``."""
        return str(self)


class Deck:
    """A deck of cards; the last card is the top one."""

    def __init__(self) -> None:
        """Create a complete deck in order, with the king of spades on top."""
        self.__cards = [Card(rank, suit) for suit in range(1, 5) for rank in range(1, 14)]

    def shuffle(self) -> None:
        """Put the cards in random order."""
        random.shuffle(self.__cards)

    def deal(self) -> Card | None:
        """Remove and return the top card, or return None if the deck is empty."""
        return self.__cards.pop() if self.__cards else None

    def cards_count(self) -> int:
        """Return the number of remaining cards."""
        return len(self.__cards)

    def is_empty(self) -> bool:
        """Return whether the deck has no cards."""
        return not self.__cards

    def display(self, cols: int = 13) -> None:
        """Print the cards in rows, bottom first, each followed by a space."""
        for place, card in enumerate(self.__cards):
            if place % cols == 0:
                print()
            print(card, end=" ")
        print()
        print()

    def __len__(self) -> int:
        """Return the number of remaining cards."""
        return len(self.__cards)

    def __str__(self) -> str:
        """Return the cards, bottom first."""
        return ", ".join(map(str, self.__cards))

    def __repr__(self) -> str:
        """Return the same as ``str``."""
        return str(self)
