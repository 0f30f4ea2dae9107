"""Games of War for the lab: hands are lists of strengths with the top card last.

The winner of a pile shuffles the whole hand. Here each card of the pile is put at a random place of
the hand instead. A hand in random order is still in random order then, so games come out as often
as at the table, and a card costs one random number where a shuffle costs one for every card.
"""

from collections.abc import Callable
from typing import NamedTuple

from cardgames.simulation.distribution import Distribution
from cardgames.simulation.experiments import WarGames, games_in, random_numbers
from cardgames.simulation.results import WarResult

Hand = list[int]
RandomNumber = Callable[[], float]
"""Returns a random number from 0 up to but not including 1."""


class GamePlayed(NamedTuple):
    """What is counted of a game."""

    turns: int
    ties: int
    """Ties for the highest card, each further one in the same turn counted too."""

    winner: int
    """The winner's seat, from 0."""

    ran_out: bool
    """Whether the last pile was taken because somebody had no card left for a tie."""


def play_step(experiment: WarGames, step: int) -> WarResult:
    """Play a chunk of games."""
    rng = random_numbers(experiment, step)
    number, players = rng.random, experiment.players
    deck = [rank for rank in range(experiment.ranks) for _ in range(experiment.suits)]
    games = []
    for _ in range(games_in(experiment, step)):
        deck.sort(key=lambda _: number())  # a shuffle, in a third of the time of random's own
        games.append(play_game([deck[seat::players] for seat in range(players)], number))
    turns, ties, winners, outs = zip(*games, strict=True)
    return WarResult(
        games=len(games),
        wins=tuple(map(winners.count, range(players))),
        turns=Distribution.of(turns),
        ties=Distribution.of(ties),
        ran_out=sum(outs),
    )


def play_game(hands: list[Hand], number: RandomNumber) -> GamePlayed:
    """Play a game to its end.

    Args:
        hands: the hands as dealt, in players' order and in random order each; they are used up.
        number: gives a random number for every card of a pile that is taken.
    """
    turns = ties = 0
    ran_out = False
    playing = [hand for hand in hands if hand]
    while len(playing) > 2:  # noqa: PLR2004 - two have a loop of their own
        more, ran_out = _play_turn(playing, number)
        turns += 1
        ties += more
        if not all(playing):
            playing = [hand for hand in playing if hand]
    if len(playing) == 2:  # noqa: PLR2004 - this one
        first, second = playing
        more_turns, more_ties, ran_out = _play_two(first, second, number)
        turns += more_turns
        ties += more_ties
    winner = next(seat for seat, hand in enumerate(hands) if hand)
    return GamePlayed(turns, ties, winner, ran_out)


def _play_turn(playing: list[Hand], number: RandomNumber) -> tuple[int, bool]:
    """Play a turn; return how many ties there were, and whether a player ran out of cards."""
    pile = [hand.pop() for hand in playing]
    best = max(pile)
    if pile.count(best) == 1:
        _take(playing[pile.index(best)], pile, number)
        return 0, False
    tied = [hand for hand, card in zip(playing, pile, strict=True) if card == best]
    return _break_tie(tied, pile, number)


def _play_two(first: Hand, second: Hand, number: RandomNumber) -> tuple[int, int, bool]:
    """Play on until one of two players has all cards; return turns, ties, and how the last ended.

    It is :func:`_play_turn` again and again, written out for speed: five of six turns of a game
    are between two, even where six sat down.
    """
    turns = ties = last_tie = 0
    ran_out = False
    while first and second:
        mine, theirs = first.pop(), second.pop()
        turns += 1
        if mine == theirs:
            more, ran_out = _break_tie([first, second], [mine, theirs], number)
            ties += more
            last_tie = turns
            continue
        hand = first if mine > theirs else second
        size = len(hand) + 1
        hand.insert(int(number() * size), mine)
        hand.insert(int(number() * (size + 1)), theirs)
    return turns, ties, ran_out and last_tie == turns


def _break_tie(tied: list[Hand], pile: list[int], number: RandomNumber) -> tuple[int, bool]:
    """Let the tied show cards until one wins; return how many ties, and whether cards ran out.

    Where one of them alone has cards left, that player takes the pile; where none has, the
    last-seated of them.
    """
    ties = 0
    while True:
        ties += 1
        able = [hand for hand in tied if hand]
        if len(able) <= 1:
            _take((able or tied)[-1], pile, number)
            return ties, True
        row = [hand.pop() for hand in able]
        pile += row
        best = max(row)
        if row.count(best) == 1:
            _take(able[row.index(best)], pile, number)
            return ties, False
        tied = [hand for hand, card in zip(able, row, strict=True) if card == best]


def _take(hand: Hand, pile: list[int], number: RandomNumber) -> None:
    """Put each card of a pile at a random place of a hand."""
    for size, card in enumerate(pile, start=len(hand) + 1):
        hand.insert(int(number() * size), card)
