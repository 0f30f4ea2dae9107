"""Games of War with little work for each: numbers and loops only, so that numba compiles them too.

Whoever takes a pile shuffles the whole hand, and a first hand is shuffled too: so the top card of a
hand is a card drawn from it at random, and a hand needs no order. What is drawn is looked up
(:mod:`.war_draws`).

A game goes from :func:`_play_many` over :func:`_play_three` to :func:`play_two`, as players drop
out: the fewer there are, the less each turn has to ask. Five of six turns are between two.
"""

from typing import Final

from cardgames.simulation.war_duel import RESERVE, Ints, draw, play_two, tie_of_two


def play_games(  # noqa: PLR0913, PLR0917
    rows: Ints,
    words: Ints,
    deck: Ints,
    cards: Ints,
    hands: Ints,
    sizes: Ints,
    shown: Ints,
    pairs: Ints,
    places: Ints,
    results: Ints,
) -> tuple[int, int, int]:
    """Play games until the words run out; a game that was cut off does not count.

    Args:
        rows: words in rows.
        words: single words.
        deck: the cards of a deck.
        cards: room for a deck.
        hands: room for a deck for each player.
        sizes: room for a number for each player.
        shown: room for a card for each player.
        pairs: what a word of a row draws (:func:`.war_draws.pair_table`).
        places: what a single word draws (:func:`.war_draws.place_table`).
        results: room for a line a game: its turns, its ties, who won, and whether the last turn
            ended for lack of a card.

    Returns:
        How many games were played to their end, and the row and the word after the last of them.
    """
    size, players = len(deck), len(sizes)
    row = at = 0
    for game in range(len(results)):
        first_row, first_word = row, at
        if at >= len(words) - RESERVE:
            return game, first_row, first_word
        cards[:] = deck
        for place in range(size - size // players):  # what the last hand gets is then random too
            other, at = draw(words, at, size - place, places)
            card = cards[place]
            cards[place] = cards[place + other]
            cards[place + other] = card
        turns = ties = out = 0
        seat, other_seat, border = 0, 1, size - size // players
        if players > 2:  # noqa: PLR2004
            _deal(cards, hands, sizes)
            at, turns, ties, out = _play_many(words, at, hands, sizes, shown, cards, places)
            if _count_alive(sizes) == 3:  # noqa: PLR2004
                at, more_turns, more_ties, out = _play_three(
                    words, at, hands, sizes, shown, cards, places
                )
                turns += more_turns
                ties += more_ties
            if _count_alive(sizes) > 2:  # noqa: PLR2004
                return game, first_row, first_word
            seat, other_seat, border = _lay_out(hands, sizes, cards)
        row, at, border, more_turns, more_ties, last_out = play_two(
            rows, row, words, at, cards, border, pairs, places
        )
        if 0 < border < size:
            return game, first_row, first_word
        result = results[game]
        result[0] = turns + more_turns
        result[1] = ties + more_ties
        result[2] = seat if border else other_seat
        result[3] = last_out if more_turns else out
    return len(results), row, at


def _deal(cards: Ints, hands: Ints, sizes: Ints) -> None:
    """Give everybody an equal part of the deck, and one more to the first where some are over."""
    size, players = len(cards), len(sizes)
    first = 0
    for seat in range(players):
        sizes[seat] = (size - seat + players - 1) // players
        hands[seat][: sizes[seat]] = cards[first : first + sizes[seat]]
        first += sizes[seat]


def _count_alive(sizes: Ints) -> int:
    alive = 0
    for size in sizes:
        alive += min(1, size)
    return alive


def _lay_out(hands: Ints, sizes: Ints, cards: Ints) -> tuple[int, int, int]:
    """Lay the last two hands out as one deck, the first in front.

    Returns:
        The two seats, and how many cards the first hand has. A winner stands for both.
    """
    size = len(cards)
    seat = other_seat = -1
    border = 0
    for place in range(len(sizes)):
        if sizes[place] > 0:
            if seat < 0:
                seat, border = place, sizes[place]
            other_seat = place
            cards[size - sizes[place] :] = hands[place][: sizes[place]]
    cards[:border] = hands[seat][:border]
    return seat, other_seat, border


def _play_many(  # noqa: PLR0913, PLR0917
    words: Ints, at: int, hands: Ints, sizes: Ints, shown: Ints, pile: Ints, places: Ints
) -> tuple[int, int, int, int]:
    """Let more than three players fight until at most three have cards, or the words run out.

    Args:
        words: single words.
        at: where the next one is.
        hands: every player's cards, at the front.
        sizes: how many of them each player has.
        shown: room for the card that each player shows; 0 is none.
        pile: room for the cards shown.
        places: what each word draws.

    Returns:
        Where the next word is, how many turns and ties there were, and whether the last turn ended
        for lack of a card.
    """
    players = len(sizes)
    turns = ties = out = 0
    alive = players
    while alive > 3 and at < len(words) - RESERVE:  # noqa: PLR2004
        best = tied = taker = height = 0
        for seat in range(players):
            size = sizes[seat]
            shown[seat] = 0
            if size > 0:
                row = places[size]
                place = row[words[at]]
                at += 1
                while place < 0:
                    place = row[words[at]]
                    at += 1
                hand = hands[seat]
                card = hand[place]
                size -= 1
                hand[place] = hand[size]
                sizes[seat] = size
                shown[seat] = card
                pile[height] = card
                height += 1
                if card > best:
                    best = card
                    taker = seat
                    tied = 1
                elif card == best:
                    tied += 1
        turns += 1
        out = 0
        if tied > 1:
            at, height, taker, more, out = _tie(
                words, at, hands, sizes, shown, pile, height, best, places
            )
            ties += more
        _take(hands, sizes, taker, pile, height)
        if min(sizes) == 0:
            alive = _count_alive(sizes)
    return at, turns, ties, out


def _play_three(  # noqa: PLR0913, PLR0917
    words: Ints, at: int, hands: Ints, sizes: Ints, shown: Ints, pile: Ints, places: Ints
) -> tuple[int, int, int, int]:
    """Let the last three players fight until one has no card left, or the words run out.

    Arguments and results are those of :func:`_play_many`. A turn takes three words, and is drawn
    again as a whole where one of them decides nothing.
    """
    a = b = c = -1
    for seat in range(len(sizes)):
        shown[seat] = 0
        if sizes[seat] > 0:
            a, b, c = b, c, seat
    hand_a, hand_b, hand_c = hands[a], hands[b], hands[c]
    size_a, size_b, size_c = sizes[a], sizes[b], sizes[c]
    turns = ties = out = 0
    while size_a > 0 and size_b > 0 and size_c > 0 and at < len(words) - RESERVE:
        place_a = places[size_a][words[at]]
        place_b = places[size_b][words[at + 1]]
        place_c = places[size_c][words[at + 2]]
        at += 3
        if place_a < 0 or place_b < 0 or place_c < 0:
            continue
        card_a, card_b, card_c = hand_a[place_a], hand_b[place_b], hand_c[place_c]
        size_a -= 1
        size_b -= 1
        size_c -= 1
        hand_a[place_a] = hand_a[size_a]
        hand_b[place_b] = hand_b[size_b]
        hand_c[place_c] = hand_c[size_c]
        turns += 1
        out = 0
        if card_a > card_b and card_a > card_c:
            hand_a[size_a], hand_a[size_a + 1], hand_a[size_a + 2] = card_a, card_b, card_c
            size_a += 3
        elif card_b > card_a and card_b > card_c:
            hand_b[size_b], hand_b[size_b + 1], hand_b[size_b + 2] = card_a, card_b, card_c
            size_b += 3
        elif card_c > card_a and card_c > card_b:
            hand_c[size_c], hand_c[size_c + 1], hand_c[size_c + 2] = card_a, card_b, card_c
            size_c += 3
        else:
            sizes[a], sizes[b], sizes[c] = size_a, size_b, size_c
            shown[a], shown[b], shown[c] = card_a, card_b, card_c
            pile[0], pile[1], pile[2] = card_a, card_b, card_c
            best = max(card_a, card_b, card_c)
            at, height, taker, more, out = _tie(
                words, at, hands, sizes, shown, pile, 3, best, places
            )
            ties += more
            _take(hands, sizes, taker, pile, height)
            size_a, size_b, size_c = sizes[a], sizes[b], sizes[c]
    sizes[a], sizes[b], sizes[c] = size_a, size_b, size_c
    return at, turns, ties, out


def _take(hands: Ints, sizes: Ints, taker: int, pile: Ints, height: int) -> None:
    """Put a pile into the hand of who takes it."""
    for place in range(height):
        hands[taker][sizes[taker] + place] = pile[place]
    sizes[taker] += height


def _tie(  # noqa: PLR0913, PLR0917
    words: Ints,
    at: int,
    hands: Ints,
    sizes: Ints,
    shown: Ints,
    pile: Ints,
    height: int,
    best: int,
    places: Ints,
) -> tuple[int, int, int, int, int]:
    """Fight out a tie for the highest card.

    Returns:
        Where the next word is, the height of the pile, who takes it, how many ties there were, and
        whether somebody had no card left.
    """
    players = len(sizes)
    ties = 0
    while True:
        tied = able = taker = last_able = 0
        for seat in range(players):
            if shown[seat] < best:
                shown[seat] = 0
                continue
            tied += 1
            taker = seat
            if sizes[seat] > 0:
                able += 1
                last_able = seat
            else:
                shown[seat] = 0
        if tied == 1:
            return at, height, taker, ties, 0
        ties += 1
        if able <= 1:
            return at, height, last_able if able else taker, ties, 1
        best = 0
        for seat in range(players):
            if shown[seat] > 0:
                place, at = draw(words, at, sizes[seat], places)
                sizes[seat] -= 1
                shown[seat] = hands[seat][place]
                hands[seat][place] = hands[seat][sizes[seat]]
                pile[height] = shown[seat]
                height += 1
                best = max(best, shown[seat])


COMPILED: Final = (
    draw,
    _deal,
    _count_alive,
    _lay_out,
    play_two,
    tie_of_two,
    _tie,
    _take,
    _play_three,
    _play_many,
)
"""What :func:`play_games` calls, each before it is called by another."""
