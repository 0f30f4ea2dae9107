"""Simulation of War, with hands as lists of card strengths whose last item is the top card.

At the table, the winner of a pile shuffles the complete hand. The simulation instead inserts each
card of the pile at a random position in the hand. A hand in random order stays in random order, so
the probabilities of the results are the same, but each card needs only one random number.
"""

from collections.abc import Callable, Iterator
from random import Random

from cardgames.cards import Rank, Suit

Hand = list[int]
RandomNumber = Callable[[], float]
"""A function that returns a random number of at least 0 and below 1."""


def games(players: int, rng: Random) -> Iterator[tuple[int, int]]:
    """Yield the winner's seat (counted from 0) and the number of turns of each game.

    Args:
        players: The number of players.
        rng: The random number generator for dealing, and for inserting the cards of a pile into a
            hand.
    """
    number = rng.random
    deck = [rank for rank in range(len(Rank)) for _ in Suit]
    while True:
        deck.sort(key=lambda _: number())  # sorting takes a third of the time of random.shuffle
        yield play_game([deck[seat::players] for seat in range(players)], number)


def play_game(hands: list[Hand], number: RandomNumber) -> tuple[int, int]:
    """Play a game to the end.

    Return the winner's seat, counted from 0, and the number of turns.

    Args:
        hands: The dealt hands in the order of the players, each in random order. The function
            empties them.
        number: Function that returns a random number, called once per card of a pile.
    """
    turns = 0
    playing = [hand for hand in hands if hand]
    while len(playing) > 2:  # noqa: PLR2004 - games of two players have their own loop
        _play_turn(playing, number)
        turns += 1
        if not all(playing):
            playing = [hand for hand in playing if hand]
    if len(playing) == 2:  # noqa: PLR2004 - as above
        first, second = playing
        turns += _play_two(first, second, number)
    return next(seat for seat, hand in enumerate(hands) if hand), turns


def _play_turn(playing: list[Hand], number: RandomNumber) -> None:
    pile = [hand.pop() for hand in playing]
    best = max(pile)
    if pile.count(best) == 1:
        _take(playing[pile.index(best)], pile, number)
    else:
        tied = [hand for hand, card in zip(playing, pile, strict=True) if card == best]
        _break_tie(tied, pile, number)


def _play_two(first: Hand, second: Hand, number: RandomNumber) -> int:
    """Play until one of two players has all cards, and return the number of turns.

    This function repeats the code of :func:`_play_turn` for speed, because five out of six turns
    are between two players, even in a game of six.
    """
    turns = 0
    while first and second:
        first_card, second_card = first.pop(), second.pop()
        turns += 1
        if first_card == second_card:
            _break_tie([first, second], [first_card, second_card], number)
            continue
        hand = first if first_card > second_card else second
        size = len(hand) + 1
        hand.insert(int(number() * size), first_card)
        hand.insert(int(number() * (size + 1)), second_card)
    return turns


def _break_tie(tied: list[Hand], pile: list[int], number: RandomNumber) -> None:
    """Play further cards of the tied players until one of them wins the pile.

    If only one of the tied players has cards left, that player takes the pile. If no tied player
    has cards left, the tied player with the last seat takes the pile.
    """
    while True:
        able = [hand for hand in tied if hand]
        if len(able) <= 1:
            _take((able or tied)[-1], pile, number)
            return
        row = [hand.pop() for hand in able]
        pile += row
        best = max(row)
        if row.count(best) == 1:
            _take(able[row.index(best)], pile, number)
            return
        tied = [hand for hand, card in zip(able, row, strict=True) if card == best]


def _take(hand: Hand, pile: list[int], number: RandomNumber) -> None:
    """Insert each card of a pile at a random position of a hand."""
    for size, card in enumerate(pile, start=len(hand) + 1):
        hand.insert(int(number() * size), card)
