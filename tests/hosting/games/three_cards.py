"""Three Cards: three cards are turned, and you win where two of them are of one suit."""

import random
from dataclasses import dataclass, field

from cardgames.cards import FULL_DECK, Cards, shuffled
from cardgames.game import Game, HouseRule, Info, Result, label
from cardgames.moves import Action, Move
from cardgames.text import Text

TURNED = 3


@dataclass(frozen=True, slots=True)
class State:
    """A round: the cards that were turned, and the rest of the deck."""

    deck: Cards
    turned: Cards


@dataclass(frozen=True, slots=True)
class View:
    """What the player may see."""

    turned: Cards = field(metadata=label(Text("On the table")))


class ThreeCards(Game[State, None, View]):
    """A round is over with its deal."""

    info = Info(
        slug="three-cards",
        title="Three Cards",
        pitch=Text("Will two of three cards be of one suit?"),
        rules=(HouseRule("suits", Text("Who wins"), Text("Two of one suit win.")),),
        winners={"you": Text("You won"), "house": Text("The house won")},
    )
    deals = Move("deal", Text("Deal"))
    state_type = State
    empty = View(())

    def deal(self, carry: None, action: Action, rng: random.Random) -> State:
        """Turn the cards on top of a fresh deck."""
        deck = shuffled(FULL_DECK, rng)
        return State(deck[TURNED:], deck[:TURNED])

    def result(self, state: State) -> Result:
        """Count the suits."""
        if len({card.suit for card in state.turned}) < TURNED:
            return Result("you", Text("You win"), "suits")
        return Result("house", Text("The house wins"), "suits")

    def view(self, state: State) -> View:
        """Show what was turned."""
        return View(state.turned)

    def cards(self, state: State) -> Cards:
        """Return all 52 cards."""
        return state.deck + state.turned

    def seen(self, state: State) -> Cards:
        """Return what was turned."""
        return state.turned
