"""High Card, a sixth game: you and the house turn a card each, and the higher rank wins."""

import random
from dataclasses import dataclass, replace

from cardgames.cards import FULL_DECK, Card, Cards, shuffled
from cardgames.game import Choices, Game, HouseRule, Move, Phase, Verdict

RANKS = "23456789TJQKA"


@dataclass(frozen=True, slots=True)
class State:
    phase: Phase
    deck: Cards
    shown: Cards


@dataclass(frozen=True, slots=True)
class View:
    phase: Phase
    shown: tuple[Card, ...]
    left: int


class HighCard(Game[State, View]):
    slug = "high-card"
    title = "High Card"
    pitch = "One card each."
    state_type = State
    house_rules = (HouseRule("higher", "Who wins", "The higher rank wins; equal ranks are even."),)

    def start(self) -> State:
        return State(Phase.READY, FULL_DECK, ())

    def moves(self, state: State) -> tuple[Move, ...]:
        return (Move("deal", "Deal"), Move("new", "Start over"))

    def apply(self, state: State, move: str, choices: Choices, rng: random.Random) -> State:
        if move == "new":
            return self.start()
        deck = shuffled(FULL_DECK, rng)
        return replace(state, phase=Phase.ROUND_OVER, deck=deck[2:], shown=deck[:2])

    def view(self, state: State) -> View:
        return View(state.phase, state.shown, len(state.deck))

    def phase(self, state: State) -> Phase:
        return state.phase

    def verdict(self, state: State) -> Verdict | None:
        if not state.shown:
            return None
        yours, theirs = (RANKS.index(card.rank) for card in state.shown)
        if yours == theirs:
            return Verdict("Even", "higher")
        return Verdict("You win" if yours > theirs else "The house wins", "higher")

    def cards(self, state: State) -> Cards:
        return state.deck + state.shown
