"""Hands that an instructor types: ranks or cards separated by spaces, as in ``10 6``."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cardgames.cards import FULL_DECK, Card, Cards
from cardgames.games.twentyone.rules import TABLES, TARGET, total
from cardgames.puzzles import Position, find_theme
from cardgames.text import Text

MAX_HAND: Final = 6
"""Maximum number of cards in a typed hand, so that the hand fits on the big screen."""

WRONG_LENGTH: Final = Text("Write 2 to {most} cards for the player, as in {example}.")
NO_UPCARD: Final = Text("Add the dealer's card after a slash, as in {example}.")
UNKNOWN_CARD: Final = Text("“{card}” is not a card. Write A, 2 to 10, J, Q or K.")
NOT_IN_DECK: Final = Text("A deck has each card once and each rank four times. Change a card.")
OVER_TARGET: Final = Text("The hand is worth {total}. Change it to 21 at most.")

_SUITS: Final = "SHDC"
_EXAMPLE: Final = "10 6"
_EXAMPLE_LINE: Final = "10 6 / K"
_MAX_SHOWN: Final = 12
"""Maximum number of characters from an invalid card that are shown in an error message."""


class WrongHand(ValueError):
    """Raised if a typed hand does not leave the player a decision.

    The attribute ``text`` is the message.
    """

    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self.text = text


def position_from(table: str, hand: str, upcard: str) -> Position:
    """Return the position with a typed hand, a typed upcard and a new deck.

    A rank without a suit gets an unused suit.

    Raises:
        WrongHand: If the table has no decision with these cards.

    >>> position = position_from("blackjack", "10 6", "k")
    >>> position.total, position.theme.value
    (16, 'stiff')
    """
    names, dealer_cards = _split(hand), _split(upcard)
    if not 1 < len(names) <= MAX_HAND:
        raise WrongHand(WRONG_LENGTH.fill(most=MAX_HAND, example=_EXAMPLE))
    if len(dealer_cards) != 1:
        raise WrongHand(NO_UPCARD.fill(example=_EXAMPLE_LINE))
    *cards, dealers = cards_from([*names, *dealer_cards])
    worth = total(cards, TABLES[table])
    if worth > TARGET:
        raise WrongHand(OVER_TARGET.fill(total=worth))
    position = Position(table, tuple(cards), dealers)
    return replace(position, theme=find_theme(position))


def cards_from(names: Sequence[str]) -> Cards:
    """Return typed cards. A rank without a suit gets an unused suit.

    Raises:
        WrongHand: If a word is not a card, or a card occurs too often.
    """
    typed = [name.upper().replace("10", "T") for name in names]
    cards: list[Card] = []
    for index, name in enumerate(typed):
        turned = _SUITS[index % 4 :] + _SUITS[: index % 4]
        named = [name] if len(name) > 1 else [name + suit for suit in turned]
        possible = [code for code in named if code in FULL_DECK]
        if not possible:
            raise WrongHand(UNKNOWN_CARD.fill(card=names[index][:_MAX_SHOWN]))
        free = (code for code in possible if len(name) > 1 or code not in typed)
        card = next((code for code in free if code not in cards), None)
        if card is None:
            raise WrongHand(NOT_IN_DECK)
        cards.append(Card(card))
    return tuple(cards)


def _split(cards: str) -> list[str]:
    """Return the names of typed cards."""
    return cards.replace(",", " ").split()
