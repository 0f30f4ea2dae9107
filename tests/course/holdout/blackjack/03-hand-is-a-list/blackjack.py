"""Blackjack: hands and decks ARE lists, the table is an object."""
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


class Pile(list):
    """What a hand and a deck have in common."""
    label = "Pile"

    @property
    def cards(self):
        return self

    def __str__(self):
        return self.label + " contains " + "".join(str(c) + " " for c in self)


class Hand(Pile):
    label = "Hand"

    def add_card(self, card):
        self.append(card)

    def get_value(self):
        hard = sum(VALUES[c.get_rank()] for c in self)
        soft = any(c.get_rank() == "A" for c in self) and hard <= 11
        return hard + 10 * soft

    def draw(self, canvas, pos):
        x, y = pos
        for c in self:
            c.draw(canvas, (x, y))
            x += CARD_SIZE[0] + 12


class Deck(Pile):
    label = "Deck"

    def __init__(self):
        Pile.__init__(self, [Card(s, r) for s in SUITS for r in RANKS])

    def shuffle(self):
        random.shuffle(self)

    def deal_card(self):
        return self.pop()


class Table:
    WIN, LOSS = 1, -1

    def __init__(self):
        self.deck = Deck()
        self.player, self.dealer = Hand(), Hand()
        self.in_play = False
        self.score = 0
        self.say("", "")

    def say(self, outcome, prompt):
        self.outcome, self.prompt = outcome, prompt

    def finish(self, points, why):
        self.in_play = False
        self.score += points
        self.say(why, "New deal?")

    def deal(self):
        forfeited = self.in_play
        if forfeited:
            self.score += self.LOSS
        self.deck = Deck()
        self.deck.shuffle()
        self.player, self.dealer = Hand(), Hand()
        for _ in "12":
            for hand in (self.player, self.dealer):
                hand.add_card(self.deck.deal_card())
        self.in_play = True
        self.say("You lost the unfinished round." if forfeited else "", "Hit or stand?")

    def hit(self):
        if not self.in_play:
            return
        self.player.add_card(self.deck.deal_card())
        self.say("", "Hit or stand?")
        if self.player.get_value() > 21:
            self.finish(self.LOSS, "You have busted, dealer wins.")

    def stand(self):
        if self.player.get_value() > 21:
            self.say("You have busted, remember?", "New deal?")
        elif self.in_play:
            while self.dealer.get_value() < 17:
                self.dealer.add_card(self.deck.deal_card())
            mine, his = self.player.get_value(), self.dealer.get_value()
            if his > 21:
                self.finish(self.WIN, "The dealer busted, you win.")
            elif mine > his:
                self.finish(self.WIN, "You win with %d to %d." % (mine, his))
            else:
                self.finish(self.LOSS, "The dealer wins with %d to %d." % (his, mine))

    def draw(self, canvas):
        canvas.draw_text("Blackjack", (30, 60), 50, "Yellow")
        canvas.draw_text("Score %d" % self.score, (420, 60), 30, "White")
        canvas.draw_text(self.outcome, (30, 120), 26, "Orange")
        canvas.draw_text("Dealer", (500, 120), 20, "White")
        self.dealer.draw(canvas, (30, 150))
        if self.in_play:
            centre = (30 + CARD_BACK_CENTER[0], 150 + CARD_BACK_CENTER[1])
            canvas.draw_image(card_back, CARD_BACK_CENTER, CARD_BACK_SIZE, centre, CARD_BACK_SIZE)
        canvas.draw_text("Player", (500, 330), 20, "White")
        self.player.draw(canvas, (30, 350))
        canvas.draw_text(self.prompt, (30, 500), 26, "Orange")


table = Table()
deal, hit, stand, draw = table.deal, table.hit, table.stand, table.draw

frame = simplegui.create_frame("Blackjack", 640, 560)
frame.set_canvas_background("Green")
for text, handler in [("Deal", deal), ("Hit", hit), ("Stand", stand)]:
    frame.add_button(text, handler, 200)
frame.set_draw_handler(draw)
deal()
frame.start()
