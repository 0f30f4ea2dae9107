"""Red or Black: say the colour of the next card, which lies face down; three in a row win."""

import random
from dataclasses import dataclass, field, replace

from cardgames.cards import FULL_DECK, Card, Cards, MaskedCards, shuffled
from cardgames.game import Game, HouseRule, Info, Result, label
from cardgames.moves import Action, DeckFile, Move
from cardgames.text import Text

WINS = 3
RED = "DH"


@dataclass(frozen=True, slots=True)
class State:
    """A round: the deck, whose first card is the next one; what was turned; and what was said."""

    deck: Cards
    turned: Cards
    wrong: bool


@dataclass(frozen=True, slots=True)
class View:
    """What the player may see: the next card is ``None``."""

    turned: Cards = field(metadata=label(Text("On the table")))
    coming: MaskedCards = field(metadata=label(Text("The next card")))


class RedOrBlack(Game[State, None, View]):
    """Up to three decisions a round."""

    info = Info(
        slug="red-or-black",
        title="Red or Black",
        pitch=Text("Which colour has the next card?"),
        rules=(HouseRule("three", Text("Who wins"), Text("Three right in a row win.")),),
        winners={"you": Text("You won"), "house": Text("The house won")},
    )
    deals = Move(
        "deal", Text("Deal"), {"deck": DeckFile(Text("Deck file"), Text("Play your own deck"))}
    )
    round_moves = (Move("red", Text("Red")), Move("black", Text("Black")))
    state_type = State
    empty = View((), ())

    def deal(self, carry: None, action: Action, rng: random.Random) -> State:
        """Lay the deck on the table."""
        return State(action.deck() or shuffled(FULL_DECK, rng), (), wrong=False)

    def apply(self, state: State, action: Action, rng: random.Random) -> State:
        """Turn the next card."""
        card: Card = state.deck[0]
        red = card.suit in RED
        wrong = red != (action.name == "red")
        return replace(state, deck=state.deck[1:], turned=(*state.turned, card), wrong=wrong)

    def result(self, state: State) -> Result | None:
        """The round ends with a wrong colour, or with the third right one."""
        if state.wrong:
            return Result("house", Text("The house wins"), "three")
        return Result("you", Text("You win"), "three") if len(state.turned) == WINS else None

    def view(self, state: State) -> View:
        """Show what was turned; the next card lies face down while the round is open."""
        return View(state.turned, () if self.result(state) else (None,))

    def cards(self, state: State) -> Cards:
        """Return all 52 cards."""
        return state.deck + state.turned

    def seen(self, state: State) -> Cards:
        """Return what was turned."""
        return state.turned
