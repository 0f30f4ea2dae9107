"""The last two players of a game of War, for the kernel (:mod:`.war_kernel`)."""

from typing import Any, Final

ROW: Final = 64
"""Words come in rows of so many for the turns of two players, and singly for everything else."""

RESERVE: Final = 512
"""So many single words must be left before a row is begun, or a turn of more players: that one
needs more has a chance of less than 1 in 10 to the 200."""

Ints = Any
"""Whole numbers by place: lists and tuples, or arrays when compiled."""


def play_two(  # noqa: PLR0913, PLR0917
    rows: Ints,
    row: int,
    words: Ints,
    at: int,
    cards: Ints,
    border: int,
    pairs: Ints,
    places: Ints,
) -> tuple[int, int, int, int, int, int]:
    """Let two players fight until one has all cards, or the words run out.

    The first player's hand is the cards before the border, the second's those behind it. A turn
    draws one of each at random; the loser's card changes places with the one at the border, and
    the border moves over it.

    Returns:
        Where the next row is and the next word, the border, how many turns and ties there were,
        and whether the last turn ended for lack of a card.
    """
    size = len(cards)
    turns = ties = out = 0
    while 0 < border < size and row < len(rows) and at < len(words) - RESERVE:
        for word in rows[row]:
            pair = pairs[border][word]
            left = pair[0]
            right = pair[1]
            mine = cards[left]
            theirs = cards[right]
            if mine > theirs:
                cards[right] = cards[border]
                cards[border] = theirs
                border += 1
            elif mine < theirs:
                border -= 1
                cards[left] = cards[border]
                cards[border] = mine
            elif left != right:
                at, border, more, out = tie_of_two(words, at, cards, border, left, right, places)
                ties += more
            else:  # nobody has drawn
                turns -= 1
        turns += ROW
        row += 1
    return row, at, border, turns, ties, out


def tie_of_two(  # noqa: PLR0913, PLR0917
    words: Ints, at: int, cards: Ints, border: int, left: int, right: int, places: Ints
) -> tuple[int, int, int, int]:
    """Fight out a tie of the last two players.

    What they show lies around the border, so that the pile is between the hands; whoever takes it
    moves the border to its other side.

    Returns:
        Where the next word is, the border, how many ties there were, and whether a player had no
        card left.
    """
    size = len(cards)
    shown = 0
    while True:
        mine, theirs = cards[left], cards[right]
        cards[left] = cards[border - 1 - shown]
        cards[border - 1 - shown] = mine
        cards[right] = cards[border + shown]
        cards[border + shown] = theirs
        shown += 1
        if mine > theirs:
            return at, border + shown, shown - 1, 0
        if mine < theirs:
            return at, border - shown, shown - 1, 0
        if border == shown:  # the first has no card left, and perhaps the second has none either
            return at, 0, shown, 1
        if border + shown == size:
            return at, size, shown, 1
        left, at = draw(words, at, border - shown, places)
        place, at = draw(words, at, size - border - shown, places)
        right = border + shown + place


def draw(words: Ints, at: int, size: int, places: Ints) -> tuple[int, int]:
    """Draw one of so many cards; return its place, and where the next word is."""
    row = places[size]
    place = row[words[at]]
    at += 1
    while place < 0:
        place = row[words[at]]
        at += 1
    return place, at
