"""Rounds of Bingo: when is each card called first, and so when is the first pattern complete?"""

from cardgames.cards import DECK_SIZE, Suit
from cardgames.games.bingo.rules import CENTRE, GRID_SIZE, PATTERNS
from cardgames.simulation.distribution import Distribution
from cardgames.simulation.experiments import BingoRounds, games_in, random_numbers
from cardgames.simulation.results import BingoResult


def play_step(experiment: BingoRounds, step: int) -> BingoResult:
    """Play a chunk of rounds.

    A card is a number; in speed rounds the four cards of a rank have the same. Which 25 cards of a
    shuffled deck are a grid makes no difference, so they lie together.
    """
    rng = random_numbers(experiment, step)
    patterns = [tuple(pattern - {CENTRE}) for pattern in PATTERNS[experiment.mode]]
    alike = len(Suit) if experiment.speed else 1
    deck = [card // alike for card in range(DECK_SIZE)]
    calling = deck.copy()
    wins, calls = [0, 0, 0], []
    for _ in range(games_in(experiment, step)):
        rng.shuffle(deck)
        rng.shuffle(calling)
        # Read backwards, the first call of a card is what stays.
        first_calls = dict(zip(reversed(calling), range(DECK_SIZE, 0, -1), strict=True))
        a, b = (
            min(max([first_calls[grid[place]] for place in pattern]) for pattern in patterns)
            for grid in (deck[:GRID_SIZE], deck[-GRID_SIZE:])
        )
        wins[(a > b) + 2 * (a == b)] += 1
        calls.append(min(a, b))
    a_wins, b_wins, tied = wins
    return BingoResult(len(calls), a_wins, b_wins, tied, Distribution.of(calls))
