"""Keep or Swap: the player may swap a card for the next card before the house shows its own."""

import random
from dataclasses import dataclass, field, replace

from cardgames.cards import FULL_DECK, Card, Cards, MaskedCards, shuffled
from cardgames.game import KNOWN, Game, HouseRule, Info, Result, impossible_carry, label
from cardgames.moves import Action, DeckFile, Move
from cardgames.text import Text

RANKS = "23456789TJQKA"
FEWEST = 3
"""Minimum number of cards for a round: one for each player, and one for a swap."""


@dataclass(frozen=True, slots=True)
class Piles:
    """The piles that are passed on to the next round."""

    deck: Cards
    discards: Cards = field(metadata=KNOWN)


@dataclass(frozen=True, slots=True)
class State:
    """A round."""

    deck: Cards
    discards: Cards
    """Cards of earlier rounds and swapped cards, all of which the player has seen."""

    yours: Card
    theirs: Card
    over: bool


@dataclass(frozen=True, slots=True)
class View:
    """The part of a table that the player can see. The house's card, or ``None`` while it is face down."""

    yours: MaskedCards = field(metadata=label(Text("You")))
    theirs: MaskedCards = field(metadata=label(Text("The house")))
    left: int = field(metadata=label(Text("Cards left")))


class KeepOrSwap(Game[State, Piles, View]):
    """A game with one decision per round, and one deck for all rounds."""

    info = Info(
        slug="keep-or-swap",
        title="Keep or Swap",
        pitch=Text("Is the next card a better one?"),
        rules=(HouseRule("higher", Text("Who wins"), Text("The higher rank; or else the house.")),),
        winners={"you": Text("You won"), "house": Text("The house won")},
    )
    deals = Move(
        "deal",
        Text("Deal"),
        {"deck": DeckFile(Text("Deck file"), Text("Play your own deck"), first_only=True)},
    )
    round_moves = (Move("keep", Text("Keep")), Move("swap", Text("Swap")))
    state_type = State
    carry_type = Piles
    empty = View((), (), len(FULL_DECK))

    def deal(self, carry: Piles | None, action: Action, rng: random.Random) -> State:
        """Deal one card to the player, and one face-down card to the house."""
        piles = carry or Piles(action.deck() or shuffled(FULL_DECK, rng), ())
        if len(piles.deck) < FEWEST:
            piles = Piles(shuffled(piles.deck + piles.discards, rng), ())
        if len(piles.deck) < FEWEST:
            raise impossible_carry()
        yours, theirs, *deck = piles.deck
        return State(tuple(deck), piles.discards, yours, theirs, over=False)

    def apply(self, state: State, action: Action, rng: random.Random) -> State:
        """Keep the card, or swap it for the next card."""
        if action.name == "keep":
            return replace(state, over=True)
        new, *deck = state.deck
        discards = (*state.discards, state.yours)
        return State(tuple(deck), discards, new, state.theirs, over=True)

    def result(self, state: State) -> Result | None:
        """Compare the ranks after the player's decision."""
        if not state.over:
            return None
        if RANKS.index(state.yours.rank) > RANKS.index(state.theirs.rank):
            return Result("you", Text("You win"), "higher")
        return Result("house", Text("The house wins"), "higher")

    def view(self, state: State) -> View:
        """Show the house's card only after the round has ended."""
        theirs = state.theirs if state.over else None
        return View((state.yours,), (theirs,), len(state.deck))

    def cards(self, state: State) -> Cards:
        """Return all 52 cards."""
        return (*state.deck, *state.discards, state.yours, state.theirs)

    def seen(self, state: State) -> Cards:
        """Return the face-up cards and the cards of earlier rounds."""
        return (*state.discards, state.yours, *((state.theirs,) * state.over))

    def carry(self, state: State) -> Piles:
        """Return the remaining deck, with the cards on the table added to the discards."""
        return Piles(state.deck, (*state.discards, state.yours, state.theirs))
