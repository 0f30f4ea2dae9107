"""Two games that the tests register in addition to the five games, like a student's own games.

High Card is the smallest possible game, because a round ends with its deal. Lasting High Card uses
one deck for several rounds, so a round leaves unseen cards to the next round.
"""

import random
from dataclasses import dataclass, field

from cardgames.cards import FULL_DECK, Card, Cards, MaskedCards, shuffled
from cardgames.game import KNOWN, Game, HouseRule, Info, Result, impossible_carry
from cardgames.moves import Action, DeckFile, Move

_TWENTY_ONE = frozenset({"round", "player", "dealer", "deck", "discards"})
CONTRACT_VIEWS = {
    "simple-21": _TWENTY_ONE,
    "blackjack": _TWENTY_ONE,
    "one-deck": _TWENTY_ONE,
    "war": frozenset({"players", "battle", "turn"}),
    "bingo": frozenset({"round", "mode", "speed", "grids", "called", "left"}),
}
"""The keys that the view of each of the five tables has in addition to the common keys.
"""

RANKS = "23456789TJQKA"
WINNERS = {"you": "You won", "house": "The house won", "even": "Even"}
RULE = HouseRule("higher", "Who wins", "The higher rank wins; equal ranks are even.")


def compare(yours: Card, theirs: Card) -> Result:
    """Return the player whose card has the higher rank."""
    difference = RANKS.index(yours.rank) - RANKS.index(theirs.rank)
    if difference == 0:
        return Result("even", "Even", "higher")
    won = ("you", "You win") if difference > 0 else ("house", "The house wins")
    return Result(*won, "higher")


@dataclass(frozen=True, slots=True)
class Shown:
    deck: Cards
    shown: Cards


@dataclass(frozen=True, slots=True)
class ShownView:
    shown: Cards
    left: int


class HighCard(Game[Shown, None, ShownView]):
    """You and the house turn over one card each, and the higher rank wins."""

    info = Info("high-card", "High Card", "One card each.", (RULE,), WINNERS)
    deals = Move("deal", "Deal")
    state_type = Shown
    empty = ShownView((), 52)

    def deal(self, carry: None, action: Action, rng: random.Random) -> Shown:
        deck = shuffled(FULL_DECK, rng)
        return Shown(deck[2:], deck[:2])

    def result(self, state: Shown) -> Result:
        return compare(*state.shown)

    def view(self, state: Shown) -> ShownView:
        return ShownView(state.shown, len(state.deck))

    def cards(self, state: Shown) -> Cards:
        return state.deck + state.shown

    def seen(self, state: Shown) -> Cards:
        return state.shown


@dataclass(frozen=True, slots=True)
class Piles:
    deck: Cards
    discards: Cards = field(metadata=KNOWN)


@dataclass(frozen=True, slots=True)
class Held:
    deck: Cards
    discards: Cards
    yours: Card
    theirs: Card
    over: bool


@dataclass(frozen=True, slots=True)
class HeldView:
    yours: MaskedCards
    theirs: MaskedCards
    left: int


class LastingHighCard(Game[Held, Piles, HeldView]):
    """Keep your card or swap it; the deck is used until six cards are left."""

    info = Info("lasting-high-card", "Lasting High Card", "Keep or swap?", (RULE,), WINNERS)
    deals = Move("deal", "Deal", {"deck": DeckFile("Deck", "Play your own deck", first_only=True)})
    round_moves = (Move("swap", "Swap"), Move("keep", "Keep"))
    state_type = Held
    carry_type = Piles
    empty = HeldView((), (), 52)

    def deal(self, carry: Piles | None, action: Action, rng: random.Random) -> Held:
        piles = carry or Piles(action.deck() or shuffled(FULL_DECK, rng), ())
        if len(piles.deck) < 6:
            piles = Piles(shuffled(piles.deck + piles.discards, rng), ())
        if len(piles.deck) < 6:
            raise impossible_carry()
        yours, theirs, *deck = piles.deck
        return Held(tuple(deck), piles.discards, yours, theirs, over=False)

    def apply(self, state: Held, action: Action, rng: random.Random) -> Held:
        if action.name == "keep":
            return Held(state.deck, state.discards, state.yours, state.theirs, over=True)
        new, *deck = state.deck
        return Held(tuple(deck), (*state.discards, state.yours), new, state.theirs, over=True)

    def result(self, state: Held) -> Result | None:
        return compare(state.yours, state.theirs) if state.over else None

    def view(self, state: Held) -> HeldView:
        theirs = state.theirs if state.over else None
        return HeldView((state.yours,), (theirs,), len(state.deck))

    def cards(self, state: Held) -> Cards:
        return (*state.deck, *state.discards, state.yours, state.theirs)

    def seen(self, state: Held) -> Cards:
        return (*state.discards, state.yours, *((state.theirs,) * state.over))

    def carry(self, state: Held) -> Piles:
        return Piles(state.deck, (*state.discards, state.yours, state.theirs))
