"""The rules of War: there are no decisions, and the highest card takes the pile.

A turn consists of two pure functions. :func:`battle` determines, without randomness, the shown
cards and the winner of the pile. :func:`award_pile` adds the pile to the winner's hand and shuffles
the hand. Shuffling this hand is the only use of randomness. A hand is a tuple whose first card is
the top card.
"""

import random
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Final

from cardgames.cards import FULL_DECK, Card, Cards, Rank, Suit, shuffled
from cardgames.moves import IllegalMove
from cardgames.text import Text

MAX_PLAYERS: Final = 6
"""The sheet's game has two players; more players are an extension (S3-30, A3-9)."""

MAX_TURNS: Final = 20_000
"""Maximum number of turns per click. The longest of 64 million simulated games took 8,461 turns."""

MAX_NAME_LENGTH: Final = 20

STRENGTH: Final[dict[Card, int]] = {
    card: strength
    for strength, rank in enumerate((*tuple(Rank)[1:], Rank.ACE), start=2)
    for card in FULL_DECK
    if card.rank is rank
}
"""The strength of each card, from 2 for a two to 14 for an ace, independent of the suit (S3-8,
A3-15).
"""

_SYMBOL_OF_SUIT: Final = {Suit.SPADES: "♠", Suit.HEARTS: "♡", Suit.CLUBS: "♣", Suit.DIAMONDS: "♢"}

SYMBOLS: Final = {
    card: card.rank.value.replace("T", "10") + _SYMBOL_OF_SUIT[card.suit] for card in FULL_DECK
}
"""Each card in the sheet's notation (S3-7, A3-11)."""

Hands = tuple[Cards, ...]
"""The hands of all players. A player without cards is out of the game."""

Seats = tuple[int, ...]
"""Numbers of players, starting at 0, in ascending order."""


@dataclass(frozen=True, slots=True)
class Battle:
    """The cards that were shown in one turn."""

    cards: tuple[Cards, ...]
    """The rows of shown cards, newest first. Concatenated, the rows are the pile (S3-24)."""

    seats: tuple[Seats, ...]
    """For each row, the seats of the players who showed its cards."""

    winner_seat: int
    """The seat of the player who takes the pile."""


def dealt(deck: Cards, players: int) -> Hands:
    """Deal a complete deck one card at a time, the first player first (S3-1, S3-22).

    >>> [len(hand) for hand in dealt(FULL_DECK, 3)]
    [18, 17, 17]
    """
    return tuple(deck[seat::players] for seat in range(players))


def highest(cards: Cards, seats: Seats) -> Seats:
    """Return the players who showed a card of the highest rank.

    >>> highest((Card("AS"), Card("KH"), Card("AD")), (0, 2, 3))
    (0, 3)
    """
    best = max(STRENGTH[card] for card in cards)
    pairs = zip(cards, seats, strict=True)
    return tuple(seat for card, seat in pairs if STRENGTH[card] == best)


def battle(hands: Hands) -> Battle:
    """Play one turn, until a player takes the pile (S3-2 to S3-4, S3-25).

    Every player with cards shows a card. While the highest cards tie, each tied player with cards
    shows another card. If only one tied player has a card, that player takes the pile. If no tied
    player has a card, the tied player with the last seat takes the pile (A3-3).

    >>> battle(((Card("AH"), Card("7H")), (Card("AD"), Card("5D")))).winner_seat
    0
    """
    seats = tuple(seat for seat, hand in enumerate(hands) if hand)
    rows: list[Cards] = []
    showed: list[Seats] = []
    while True:
        # Every player in a row has shown a card in each earlier row, so the index of the row is
        # also the index of the player's next card.
        row = tuple(hands[seat][len(rows)] for seat in seats)
        rows.append(row)
        showed.append(seats)
        tied = highest(row, seats)
        able = tuple(seat for seat in tied if len(hands[seat]) > len(rows))
        if len(tied) == 1 or len(able) <= 1:
            winner = tied[-1] if len(tied) == 1 or not able else able[0]
            return Battle(tuple(reversed(rows)), tuple(reversed(showed)), winner)
        seats = able


def award_pile(hands: Hands, fought: Battle, rng: random.Random) -> Hands:
    """Add the pile to the winner's hand, and shuffle only that hand (A3-5).

    Args:
        hands: The hands before the turn.
        fought: The turn.
        rng: The random number generator for the shuffle.

    Returns:
        The hands after the turn.
    """
    left = [
        hand[sum(seat in row for row in fought.seats) :] if hand else hand
        for seat, hand in enumerate(hands)
    ]
    pile = chain.from_iterable(fought.cards)
    left[fought.winner_seat] = shuffled(chain(left[fought.winner_seat], pile), rng)
    return tuple(left)


def deciding_rule(fought: Battle) -> str:
    """Return the anchor of the house rule by which the winner got the pile."""
    if len(highest(fought.cards[0], fought.seats[0])) > 1:
        return "running-out"
    return "turn" if len(fought.cards) == 1 else "ties"


DEFAULT_NAMES: Final = {
    str(name): name
    for name in (Text("Player {number}", number=seat) for seat in range(1, MAX_PLAYERS + 1))
}
"""The default names of players."""

PEOPLE: Final = dict(
    zip(
        DEFAULT_NAMES,
        (Text("You"), Text("Mona"), Text("Otto"), Text("Pia"), Text("Hugo"), Text("Lena")),
        strict=True,
    )
)
"""The default names of players on pages. JSON and records use "Player 1" and so on."""


def parse_names(text: str, players: int) -> tuple[str, ...]:
    """Return the players' names from a comma-separated string.

    Players without a name are numbered.

    Raises:
        IllegalMove: If there are too many names, a name is invalid, or two names are the same.

    >>> parse_names("Amy, , Carl", 4)
    ('Amy', 'Player 2', 'Carl', 'Player 4')
    """
    given = split_names(text)
    if len(given) > players:
        many = Text("There are {names} names for {players} players.")
        raise IllegalMove(many.fill(names=len(given), players=players))
    if any(len(name) > MAX_NAME_LENGTH for name in given):
        raise IllegalMove(Text("A name has at most {most} characters.", most=MAX_NAME_LENGTH))
    if not all(name.isprintable() for name in given):
        raise IllegalMove(Text("A name contains a character that cannot be displayed."))
    unnamed = tuple(DEFAULT_NAMES)[:players]
    names = tuple(name or default for name, default in zip_longest(given, unnamed))
    if len(set(names)) < players:
        raise IllegalMove(Text("Two players have the same name."))
    return names


def split_names(text: str) -> list[str]:
    """Return the names in a comma-separated string, stripped but not validated.

    >>> split_names("Amy, , Carl,,")
    ['Amy', '', 'Carl']
    """
    return [name.strip() for name in text.rstrip(", ").split(",")] if text.strip(", ") else []


def name_text(name: str) -> str:
    """Return a player's name. A default name is translatable.

    >>> type(name_text("Amy")).__name__, type(name_text("Player 2")).__name__
    ('str', 'Text')
    """
    return DEFAULT_NAMES.get(name, name)


def person_text(name: str) -> str:
    """Return the name that pages show for a player.

    >>> person_text("Amy"), person_text("Player 1"), person_text("Player 2")
    ('Amy', 'You', 'Mona')
    """
    return PEOPLE.get(name, name)
