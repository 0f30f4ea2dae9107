"""Rounds of twenty-one by a strategy, each from a fresh deck, and their exact chances.

Cards are their values here, an ace 1: suits and the names of the court cards change nothing.
"""

import math
import random
from collections import Counter
from collections.abc import Iterator
from typing import Final

from cardgames.advice import Chances
from cardgames.cards import FULL_DECK
from cardgames.games.twentyone.rules import POINTS, Rules
from cardgames.odds.card_sets import VALUES
from cardgames.simulation.experiments import TwentyOneRounds, games_in, random_numbers
from cardgames.simulation.results import TwentyOneResult, UpcardChances
from cardgames.strategies.chart import StrategyChart
from cardgames.strategies.hands import dealt, round_points
from cardgames.strategies.rating import Mistake, ends, mistakes
from cardgames.strategies.strategy import Decision, decision, odds_of

_DECK: Final = tuple(POINTS[card.rank] for card in FULL_DECK)


def play_step(experiment: TwentyOneRounds, step: int) -> TwentyOneResult:
    """Work out the exact chances for an upcard, or play a chunk of rounds."""
    chunk = step - len(VALUES)
    if chunk < 0:
        return _exact(experiment.rules, experiment.strategy, VALUES[step])
    rng = random_numbers(experiment, chunk)
    decide = decision(experiment.strategy, experiment.rules)
    won = Counter(
        _play_round(experiment.rules, decide, rng) for _ in range(games_in(experiment, chunk))
    )
    return TwentyOneResult(won.total(), won[1], won[0], won[-1], ())


def _play_round(rules: Rules, decide: Decision, rng: random.Random) -> int:
    cards = _drawn(rng)
    hand = [next(cards), next(cards)]
    dealer = [next(cards)]  # the hole card is drawn later, like any other
    return round_points(rules, decide, hand, dealer, dealer[0], cards)


def _drawn(rng: random.Random) -> Iterator[int]:
    """Yield the cards of a fresh deck, each taken from anywhere in it."""
    deck = list(_DECK)
    while deck:
        place = int(rng.random() * len(deck))
        deck[place], deck[-1] = deck[-1], deck[place]
        yield deck.pop()


def _exact(rules: Rules, strategy: str, upcard: int) -> TwentyOneResult:
    """Work out the chances with this upcard, times its own, and what costs something there."""
    costly: tuple[Mistake, ...] = ()
    if strategy.split() == ["best"]:  # it looks at every card: it has no chart, and no mistakes
        weighed = [*_best_ends(rules, upcard)]
    else:
        chart = StrategyChart.read(rules, strategy)
        weighed, costly = [*ends(chart, upcard)], mistakes(chart, upcard)
    chances = UpcardChances(
        upcard,
        win=math.fsum(chance * end.win for chance, end in weighed),
        tie=math.fsum(chance * end.tie for chance, end in weighed),
        lose=math.fsum(chance * end.lose for chance, end in weighed),
    )
    return TwentyOneResult(0, 0, 0, 0, (chances,), costly)


def _best_ends(rules: Rules, upcard: int) -> Iterator[tuple[float, Chances]]:
    """Yield the chances of the first two cards, and what the best play from there is worth."""
    for hand, chance in dealt(upcard).items():
        found = odds_of(rules, hand, upcard)
        yield chance, found.hit if found.best == "hit" else found.stay
