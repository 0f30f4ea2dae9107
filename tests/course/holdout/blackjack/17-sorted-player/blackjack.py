# Blackjack - sorts the player's cards, deals any card out of the deck, and knows no score variable:
# the score is counted from the list of all results.
import simplegui
import random

# load card sprite - 936x384 - source: jfitz.com
CARD_SIZE = (72, 96)
CARD_CENTER = (36, 48)
card_images = simplegui.load_image("http://storage.googleapis.com/codeskulptor-assets/cards_jfitz.png")

CARD_BACK_SIZE = (72, 96)
CARD_BACK_CENTER = (36, 48)
card_back = simplegui.load_image("http://storage.googleapis.com/codeskulptor-assets/card_jfitz_back.png")

# define globals for cards
SUITS = ('C', 'S', 'H', 'D')
RANKS = ('A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K')
VALUES = {'A':1, '2':2, '3':3, '4':4, '5':5, '6':6, '7':7, '8':8, '9':9, 'T':10, 'J':10, 'Q':10, 'K':10}


# define card class
class Card:
    def __init__(self, suit, rank):
        if (suit in SUITS) and (rank in RANKS):
            self.suit = suit
            self.rank = rank
        else:
            self.suit = None
            self.rank = None
            print("Invalid card: ", suit, rank)

    def __str__(self):
        return self.suit + self.rank

    def get_suit(self):
        return self.suit

    def get_rank(self):
        return self.rank

    def draw(self, canvas, pos):
        card_loc = (CARD_CENTER[0] + CARD_SIZE[0] * RANKS.index(self.rank),
                    CARD_CENTER[1] + CARD_SIZE[1] * SUITS.index(self.suit))
        canvas.draw_image(card_images, card_loc, CARD_SIZE, [pos[0] + CARD_CENTER[0], pos[1] + CARD_CENTER[1]], CARD_SIZE)


results = []


class Hand:
    """A hand of cards. A tidy hand keeps them in order of rank."""

    def __init__(self, tidy=False):
        self.cards = []
        self.tidy = tidy

    def __str__(self):
        return "Hand contains " + "".join([str(c) + " " for c in self.cards])

    def add_card(self, card):
        self.cards.append(card)
        if self.tidy:
            self.cards.sort(key=lambda c: RANKS.index(c.get_rank()))

    def has_ace(self):
        for c in self.cards:
            if c.get_rank() == "A":
                return True
        return False

    def get_value(self):
        v = sum(VALUES[c.get_rank()] for c in self.cards)
        return v + 10 if self.has_ace() and v <= 11 else v

    def draw(self, canvas, pos):
        for i, c in enumerate(self.cards):
            c.draw(canvas, [pos[0] + 78 * i, pos[1]])


class Deck:
    def __init__(self):
        self.cards = [Card(s, r) for s in SUITS for r in RANKS]

    def __str__(self):
        return "Deck contains " + "".join([str(c) + " " for c in self.cards])

    def shuffle(self):
        random.shuffle(self.cards)

    def deal_card(self):
        """Draw one from anywhere, as from a fan."""
        card = random.choice(self.cards)
        self.cards.remove(card)
        return card


class Game:
    outcome = ""
    in_play = False


def deal():
    Game.outcome = ""
    if Game.in_play:
        results.append("lost")
        Game.outcome = "You lost (gave up)"
    Game.deck = Deck()
    Game.deck.shuffle()
    Game.player, Game.dealer = Hand(tidy=True), Hand()
    for hand in [Game.player, Game.player, Game.dealer, Game.dealer]:
        hand.add_card(Game.deck.deal_card())
    Game.in_play = True


def result(which, text):
    results.append(which)
    Game.outcome = text
    Game.in_play = False


def hit():
    if Game.in_play:
        Game.player.add_card(Game.deck.deal_card())
        Game.outcome = ""
        if Game.player.get_value() > 21:
            result("lost", "You have busted (%d)" % Game.player.get_value())


def stand():
    if Game.player.get_value() > 21:
        Game.outcome = "Remember: you have busted"
    if Game.in_play:
        while not Game.dealer.get_value() >= 17:
            Game.dealer.add_card(Game.deck.deal_card())
        p, d = Game.player.get_value(), Game.dealer.get_value()
        if d > 21:
            result("won", "Dealer has busted, you have won")
        elif p <= d:
            result("lost", "Dealer has won")
        else:
            result("won", "You have won")


def draw(canvas):
    canvas.draw_text("Blackjack", (200, 40), 40, "Red")
    Game.dealer.draw(canvas, (40, 80))
    canvas.draw_text("Dealer", (40, 200), 20, "White")
    Game.player.draw(canvas, (40, 250))
    canvas.draw_text("Player", (40, 370), 20, "White")
    canvas.draw_text(Game.outcome, (40, 420), 26, "White")
    if Game.in_play:
        canvas.draw_image(card_back, CARD_BACK_CENTER, CARD_BACK_SIZE, (40 + 36, 80 + 48), CARD_BACK_SIZE)
        canvas.draw_text("Hit or stand?", (40, 460), 26, "White")
    else:
        canvas.draw_text("New deal?", (40, 460), 26, "White")
    canvas.draw_text("Score: " + str(results.count("won") - results.count("lost")), (400, 460), 26, "White")


frame = simplegui.create_frame("Blackjack", 600, 500)
frame.set_canvas_background("Green")
frame.add_button("Deal", deal, 200)
frame.add_button("Hit", hit, 200)
frame.add_button("Stand", stand, 200)
frame.set_draw_handler(draw)
Game.deck, Game.player, Game.dealer = Deck(), Hand(), Hand()
deal()
frame.start()
