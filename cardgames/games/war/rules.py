"""The rules of War: no decisions, only chance; the highest card takes the pile.

A turn is two pure steps on the hands. :func:`battle` determines the shown cards and the winner of
the pile, without luck. :func:`award_pile` adds the pile to the winner's hand and shuffles it, which
is the only luck. A hand is a tuple whose first card is the top.
"""

import random
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Final

from cardgames.cards import FULL_DECK, Card, Cards, Rank, Suit, shuffled
from cardgames.moves import IllegalMove
from cardgames.text import Text

MAX_PLAYERS: Final = 6
"""The sheet's two, or more as in its last cell (S3-30, A3-9)."""

MAX_TURNS: Final = 20_000
"""As many turns as one click may play. The longest of 64 million games took 8,461."""

MAX_NAME_LENGTH: Final = 20

STRENGTH: Final[dict[Card, int]] = {
    card: strength
    for strength, rank in enumerate((*tuple(Rank)[1:], Rank.ACE), start=2)
    for card in FULL_DECK
    if card.rank is rank
}
"""The strength of each card: 2 for a two up to 14 for an ace, in any suit (S3-8, A3-15)."""

_SYMBOL_OF_SUIT: Final = {Suit.SPADES: "♠", Suit.HEARTS: "♡", Suit.CLUBS: "♣", Suit.DIAMONDS: "♢"}

SYMBOLS: Final = {
    card: card.rank.value.replace("T", "10") + _SYMBOL_OF_SUIT[card.suit] for card in FULL_DECK
}
"""Each card in the sheet's notation (S3-7, A3-11)."""

Hands = tuple[Cards, ...]
"""Every player's cards, in the players' order. A player without cards is out of the game."""

Seats = tuple[int, ...]
"""Some of the players, by number from 0, in players' order."""


@dataclass(frozen=True, slots=True)
class Battle:
    """One turn as it lay on the table."""

    cards: tuple[Cards, ...]
    """The rows shown, newest first, so that one after the other they are the pile (S3-24)."""

    seats: tuple[Seats, ...]
    """For each row, the seats of the players who showed its cards."""

    winner_seat: int
    """The seat of the player who takes the pile."""


def dealt(deck: Cards, players: int) -> Hands:
    """Deal a whole deck one card at a time, the first player first (S3-1, S3-22).

    >>> [len(hand) for hand in dealt(FULL_DECK, 3)]
    [18, 17, 17]
    """
    return tuple(deck[seat::players] for seat in range(players))


def highest(cards: Cards, seats: Seats) -> Seats:
    """Return the players who showed the highest rank.

    >>> highest((Card("AS"), Card("KH"), Card("AD")), (0, 2, 3))
    (0, 3)
    """
    best = max(STRENGTH[card] for card in cards)
    pairs = zip(cards, seats, strict=True)
    return tuple(seat for card, seat in pairs if STRENGTH[card] == best)


def battle(hands: Hands) -> Battle:
    """Play one turn until a player takes the pile (S3-2 to S3-4, S3-25).

    Everyone with cards shows one. While the highest cards tie, their players show another card each
    if they have one. If only one of them has, that player takes the pile; if none has, the
    last-seated of them does (A3-3).

    >>> battle(((Card("AH"), Card("7H")), (Card("AD"), Card("5D")))).winner_seat
    0
    """
    seats = tuple(seat for seat, hand in enumerate(hands) if hand)
    rows: list[Cards] = []
    showed: list[Seats] = []
    while True:
        # A player who shows the third row has shown two cards before, so the row is the index.
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
    """Put the pile under the winner's hand and shuffle all of it; the others' order stays (A3-5).

    Args:
        hands: the hands before the turn.
        fought: the turn.
        rng: the random numbers for the shuffle.

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
"""The default names of players on pages; JSON and records have numbers instead."""


def parse_names(text: str, players: int) -> tuple[str, ...]:
    """Parse the players' names, separated by commas; players without one are numbered.

    Args:
        text: The names.
        players: The number of players.

    Raises:
        IllegalMove: If there are too many names, one is invalid, or two are the same.

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
    """Return the names in a text, without blanks around them; not checked yet.

    >>> split_names("Amy, , Carl,,")
    ['Amy', '', 'Carl']
    """
    return [name.strip() for name in text.rstrip(", ").split(",")] if text.strip(", ") else []


def name_text(name: str) -> str:
    """Return a player's name, which is translatable unless the player chose it.

    >>> type(name_text("Amy")).__name__, type(name_text("Player 2")).__name__
    ('str', 'Text')
    """
    return DEFAULT_NAMES.get(name, name)


def person_text(name: str) -> str:
    """Return a page's name for a player.

    >>> person_text("Amy"), person_text("Player 1"), person_text("Player 2")
    ('Amy', 'You', 'Mona')
    """
    return PEOPLE.get(name, name)
