"""Rounds of twenty-one by a strategy, each from a fresh deck, and their exact chances.

Cards are their values here, an ace 1: suits and the names of the court cards change nothing.
"""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from cardgames.advice import Chances
from cardgames.cards import DECK_SIZE, FULL_DECK
from cardgames.games.twentyone.rules import DEALER_STANDS, POINTS, TARGET, Rules
from cardgames.simulation.experiments import TwentyOneRounds, games_in, random_numbers
from cardgames.simulation.hands import chance_of, next_cards, worth
from cardgames.simulation.rating import mistakes
from cardgames.simulation.results import TwentyOneResult, UpcardChances
from cardgames.simulation.strategy import (
    VALUES,
    Decision,
    decision,
    odds_of,
    stay_chances,
)

_DECK: Final = tuple(POINTS[card.rank] for card in FULL_DECK)
_FIRST_CARDS: Final = 2
_BUST: Final = Chances(win=0.0, tie=0.0, lose=1.0, ev=-1.0)


def play_step(experiment: TwentyOneRounds, step: int) -> TwentyOneResult:
    """Work out the exact chances for an upcard, or play a chunk of rounds."""
    chunk = step - len(VALUES)
    if chunk < 0:
        chances = exact_chances(experiment.rules, experiment.strategy, VALUES[step])
        costly = mistakes(experiment.rules, experiment.strategy, VALUES[step])
        return TwentyOneResult(0, 0, 0, 0, (chances,), costly)
    rng = random_numbers(experiment, chunk)
    decide = decision(experiment.strategy, experiment.rules)
    ends = Counter(
        _play_round(experiment.rules, decide, rng) for _ in range(games_in(experiment, chunk))
    )
    return TwentyOneResult(ends.total(), ends["win"], ends["tie"], ends["lose"], ())


def _play_round(rules: Rules, decide: Decision, rng: random.Random) -> str:
    """Play a round from a fresh deck: ``win``, ``tie`` or ``lose``."""
    deck = list(_DECK)
    hand = [_draw(deck, rng), _draw(deck, rng)]
    dealer = [_draw(deck, rng)]
    total, soft = worth(hand, rules)
    while total <= TARGET and decide(total, soft, dealer[0], hand):
        hand.append(_draw(deck, rng))
        total, soft = worth(hand, rules)
    if total > TARGET:
        return "lose"
    if total == TARGET and rules.stay_on_21_wins:
        return "win"
    theirs = 0
    while theirs < DEALER_STANDS:  # the hole card is drawn like any other
        dealer.append(_draw(deck, rng))
        theirs, _ = worth(dealer, rules)
    if theirs > TARGET or total > theirs:
        return "win"
    return "lose" if theirs > total or rules.dealer_wins_ties else "tie"


def _draw(deck: list[int], rng: random.Random) -> int:
    """Take a card from anywhere in the deck."""
    place = int(rng.random() * len(deck))
    deck[place], deck[-1] = deck[-1], deck[place]
    return deck.pop()


def exact_chances(rules: Rules, strategy: str, upcard: int) -> UpcardChances:
    """Work out the chances of a round with this upcard, times the chance of the upcard."""
    is_best = strategy.split() == ["best"]
    ends = _best_ends(rules, upcard) if is_best else _ends(rules, decision(strategy, rules), upcard)
    weighed = list(ends)
    return UpcardChances(
        upcard,
        win=math.fsum(chance * end.win for chance, end in weighed),
        tie=math.fsum(chance * end.tie for chance, end in weighed),
        lose=math.fsum(chance * end.lose for chance, end in weighed),
    )


def _ends(rules: Rules, decide: Decision, upcard: int) -> Iterator[tuple[float, Chances]]:
    """Follow a strategy card by card: the hands it ends with, their chances, what they are worth.

    A hand is a set of cards: it is reached in as many orders as the sets it comes from.
    """
    hands: dict[tuple[int, ...], float] = {(): chance_of(upcard)}
    for size in range(DECK_SIZE):
        larger: defaultdict[tuple[int, ...], float] = defaultdict(float)
        for hand, chance in hands.items():
            total, soft = worth(hand, rules)
            if total > TARGET:
                yield chance, _BUST
            elif size >= _FIRST_CARDS and not decide(total, soft, upcard, hand):
                yield chance, stay_chances(rules, hand, upcard)
            else:
                for value, share in next_cards(hand, upcard):
                    larger[tuple(sorted((*hand, value)))] += chance * share
        if not larger:
            return
        hands = larger


def _best_ends(rules: Rules, upcard: int) -> Iterator[tuple[float, Chances]]:
    """Yield the first two cards, their chance, and what the best play from there is worth."""
    for first, chance in next_cards((), upcard):
        for second, share in next_cards((first,), upcard):
            if first <= second:
                found = odds_of(rules, (first, second), upcard)
                orders = 1 if first == second else 2
                weight = orders * chance * share * chance_of(upcard)
                yield weight, found.hit if found.best == "hit" else found.stay
