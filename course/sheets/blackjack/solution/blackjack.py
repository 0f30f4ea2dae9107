"""Blackjack in which the dealer wins ties: the mini-project's classes, handlers and program.

Importing the module sets up an empty table. Run as a program, it deals and waits for a key::

    python blackjack.py              prints the table as text
    python blackjack.py table.svg    also saves a picture after each key

The module uses only the ``simplegui`` functions of CodeSkulptor, and only the methods of the
template's ``Hand``. Therefore, the classes ``Card``, ``Hand`` and ``Deck`` can be replaced.
"""
# The template stores the game in global variables, which its handlers change.
# ruff: noqa: PLW0603

import os
import random
import sys
from pathlib import Path

import simplegui
from simplegui_canvas import Canvas, Pair

CARD_SIZE = (72, 96)
CARD_CENTER = (36, 48)
CARD_BACK_SIZE = (72, 96)
CARD_BACK_CENTER = (36, 48)

SUITS = ("C", "S", "H", "D")
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K")
VALUES = {rank: min(number, 10) for number, rank in enumerate(RANKS, start=1)}
DEALER_STANDS = 17
TARGET = 21

ASSETS = "http://storage.googleapis.com/codeskulptor-assets/"
card_images = simplegui.load_image(ASSETS + "cards_jfitz.png")
card_back = simplegui.load_image(ASSETS + "card_jfitz_back.png")

TITLE = "Blackjack"
FRAME_SIZE = (600, 600)
BUTTON_WIDTH = 200
HAND_STEP = 80  # pixels from card to card, unless the hand exceeds HAND_WIDTH
HAND_WIDTH = 500
DEALER_POS = [50, 190]
PLAYER_POS = [50, 400]


class Card:
    """One of the 52 cards. If the suit or rank does not exist, both are None."""

    def __init__(self, suit: str, rank: str) -> None:
        """Create a card; the suit is the first argument."""
        self.suit: str | None = None
        self.rank: str | None = None
        if suit in SUITS and rank in RANKS:
            self.suit = suit
            self.rank = rank
        else:
            print("Invalid card: ", suit, rank)

    def __str__(self) -> str:
        """Return suit and rank, as in ``SA``."""
        return f"{self.suit}{self.rank}"

    def get_suit(self) -> str | None:
        """Return the suit: C, S, H or D."""
        return self.suit

    def get_rank(self) -> str | None:
        """Return the rank: A, 2 to 9, T, J, Q or K."""
        return self.rank

    def draw(self, canvas: Canvas, pos: Pair) -> None:
        """Draw the card's face with its upper left corner at ``pos``."""
        column, row = RANKS.index(str(self.rank)), SUITS.index(str(self.suit))
        source = (CARD_CENTER[0] + CARD_SIZE[0] * column, CARD_CENTER[1] + CARD_SIZE[1] * row)
        canvas.draw_image(card_images, source, CARD_SIZE, _moved(pos, CARD_CENTER), CARD_SIZE)


class Hand:
    """The cards of the player or the dealer, as a list of Card objects."""

    def __init__(self) -> None:
        """Create an empty hand."""
        self.cards: list[Card] = []

    def __str__(self) -> str:
        """Return ``Hand contains SA C2 ``, each card followed by a space."""
        return "Hand contains " + "".join(f"{card} " for card in self.cards)

    def add_card(self, card: Card) -> None:
        """Add a card without copying the object."""
        self.cards.append(card)

    def get_value(self) -> int:
        """Return the hand's value, with an ace as 11 if that does not bust it."""
        ranks = [str(card.get_rank()) for card in self.cards]
        value = sum(VALUES[rank] for rank in ranks)
        return value + 10 if "A" in ranks and value + 10 <= 21 else value

    def draw(self, canvas: Canvas, pos: Pair) -> None:
        """Draw the cards side by side from ``pos``. Many cards overlap, but all stay visible."""
        gaps = max(1, len(self.cards) - 1)
        step = min(HAND_STEP, (HAND_WIDTH - CARD_SIZE[0]) // gaps)
        for place, card in enumerate(self.cards):
            card.draw(canvas, _moved(pos, (place * step, 0)))


class Deck:
    """A deck of cards, dealt from the end of its list."""

    def __init__(self) -> None:
        """Create a complete deck that is not shuffled."""
        self.cards = [Card(suit, rank) for suit in SUITS for rank in RANKS]

    def shuffle(self) -> None:
        """Put the cards in random order."""
        random.shuffle(self.cards)

    def deal_card(self) -> Card:
        """Remove and return the last card, or raise IndexError if the deck is empty."""
        return self.cards.pop()

    def __str__(self) -> str:
        """Return ``Deck contains CA C2 ``, each card followed by a space."""
        return "Deck contains " + "".join(f"{card} " for card in self.cards)


def _moved(pos: Pair, by: Pair) -> list[float]:
    """Return a point, moved by an offset."""
    return [pos[0] + by[0], pos[1] + by[1]]


# The state of the table before the first deal, as in the template.
in_play = False
outcome = ""
score = 0
deck = Deck()
player = Hand()
dealer = Hand()
upcards = Hand()  # the dealer's cards that are face up during the round


def deal() -> None:
    """Deal two cards each from a new shuffled deck; the player loses a round in progress."""
    global deck, player, dealer, upcards, in_play, outcome, score
    outcome = "Hit or stand?"
    if in_play:
        score -= 1
        outcome = f"You lost the round by dealing. {outcome}"
    deck, player, dealer, upcards = Deck(), Hand(), Hand(), Hand()
    deck.shuffle()
    player.add_card(deck.deal_card())
    dealer.add_card(deck.deal_card())
    player.add_card(deck.deal_card())
    upcard = deck.deal_card()
    dealer.add_card(upcard)
    upcards.add_card(upcard)
    in_play = True


def hit() -> None:
    """Deal a card to the player, who may go bust. Does nothing between rounds."""
    if in_play:
        player.add_card(deck.deal_card())
        if player.get_value() > TARGET:
            _finish("You have busted. Dealer wins.")


def stand() -> None:
    """Play the dealer's hand and end the round. If the player is bust, only remind them."""
    global outcome
    if in_play:
        while dealer.get_value() < DEALER_STANDS:
            dealer.add_card(deck.deal_card())
        if dealer.get_value() > TARGET:
            _finish("Dealer has busted. You win!")
        else:
            _finish("You win!" if _player_wins() else "Dealer wins.")
    elif player.get_value() > TARGET:
        outcome = "You have busted already. New deal?"


def _player_wins() -> bool:
    """Return whether the player wins with the current hands; the dealer wins ties."""
    mine, theirs = player.get_value(), dealer.get_value()
    return mine <= TARGET and (theirs > TARGET or mine > theirs)


def _finish(message: str) -> None:
    """End the round, and change the score by one."""
    global in_play, outcome, score
    in_play = False
    outcome = f"{message} New deal?"
    score += 1 if _player_wins() else -1


def draw(canvas: Canvas) -> None:
    """Draw the table. During a round, the dealer's first card is face down."""
    canvas.draw_text(TITLE, [50, 80], 48, "Aqua")
    canvas.draw_text(f"Score {score}", [420, 80], 32, "White")
    dealers = "Dealer" if in_play else _named("Dealer", dealer)
    canvas.draw_text(dealers, [50, 170], 28, "White", "sans-serif")
    canvas.draw_text(_named("Player", player), [50, 380], 28, "White", "sans-serif")
    canvas.draw_text(outcome, [50, 560], 22, "White", "sans-serif")
    player.draw(canvas, [*PLAYER_POS])
    if not in_play:
        dealer.draw(canvas, [*DEALER_POS])
        return
    upcards.draw(canvas, _moved(DEALER_POS, (HAND_STEP, 0)))
    hole = _moved(DEALER_POS, CARD_BACK_CENTER)
    canvas.draw_image(card_back, CARD_BACK_CENTER, CARD_BACK_SIZE, hole, CARD_BACK_SIZE)


def _named(name: str, hand: Hand) -> str:
    """Return a name, followed by the value of the hand if it has cards."""
    value = hand.get_value()
    return f"{name} {value}" if value else name


def make_frame() -> simplegui.Frame:
    """Return the window with the table and the three buttons."""
    frame = simplegui.create_frame(TITLE, *FRAME_SIZE)
    frame.set_canvas_background("Green")
    frame.add_button("Deal", deal, BUTTON_WIDTH)
    frame.add_button("Hit", hit, BUTTON_WIDTH)
    frame.add_button("Stand", stand, BUTTON_WIDTH)
    frame.set_draw_handler(draw)
    return frame


if __name__ == "__main__":
    simplegui.Frame.picture = next(map(Path, sys.argv[1:2]), None)
    deal()
    try:
        make_frame().start()
        sys.stdout.flush()
    except BrokenPipeError:  # the pipe was closed, as in `python blackjack.py | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
