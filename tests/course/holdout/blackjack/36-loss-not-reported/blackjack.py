# Blackjack. Score on a label beside the canvas, a log of messages on the canvas and in the console.
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


log = []
in_play = False
wins = losses = 0


def tell(text):
    print(text)
    log.append(text)
    del log[:-3]


class Hand:
    def __init__(self):
        self.cards = []
    def __str__(self):
        return "Hand contains " + ' '.join(map(str, self.cards)) + " "
    def add_card(self, card):
        self.cards.append(card)
    def get_value(self):
        ranks = [c.get_rank() for c in self.cards]
        value = sum([VALUES[r] for r in ranks])
        return value + 10 if ranks.count('A') and value + 10 < 22 else value
    def draw(self, canvas, pos):
        for i in range(len(self.cards)):
            self.cards[i].draw(canvas, (pos[0] + i * 75, pos[1]))


class Deck:
    def __init__(self):
        self.cards = []
        for i in range(52):
            self.cards.append(Card(SUITS[i // 13], RANKS[i % 13]))
    def __str__(self):
        return "Deck contains " + ' '.join(map(str, self.cards)) + " "
    def shuffle(self):
        random.shuffle(self.cards)
    def deal_card(self):
        return self.cards.pop()


def show_score():
    score_label.set_text("Score: %d (wins %d, losses %d)" % (wins - losses, wins, losses))


def win(why):
    global wins, in_play
    wins += 1
    in_play = False
    tell(why)
    tell("New deal?")
    show_score()


def lose(why):
    global losses, in_play
    losses += 1
    in_play = False
    tell(why)
    tell("New deal?")
    show_score()


def deal():
    global deck, player, dealer, in_play, losses
    del log[:]
    if in_play:
        losses += 1
        show_score()
    deck = Deck()
    deck.shuffle()
    player, dealer = Hand(), Hand()
    for i in range(4):
        [player, dealer][i % 2].add_card(deck.deal_card())
    in_play = True
    tell("Hit or stand?")


def hit():
    if not in_play:
        return
    player.add_card(deck.deal_card())
    del log[:]
    if player.get_value() > 21:
        lose("You have busted with %d" % player.get_value())
    else:
        tell("You got " + str(player.cards[-1]))
        tell("Hit or stand?")


def stand():
    if not in_play:
        if player.get_value() > 21:
            del log[:]
            tell("You have busted, there is nothing to stand on")
            tell("New deal?")
        return
    del log[:]
    while dealer.get_value() < 17:
        dealer.add_card(deck.deal_card())
    if dealer.get_value() > 21:
        win("Dealer busted with %d, you win" % dealer.get_value())
    elif player.get_value() > dealer.get_value():
        win("You win")
    else:
        lose("Dealer wins")


def draw(canvas):
    canvas.draw_text("~ Blackjack ~", (150, 50), 36, "Gold")
    player.draw(canvas, (20, 80))
    canvas.draw_text("^ you     v dealer", (20, 210), 20, "Gold")
    dealer.draw(canvas, (20, 230))
    if in_play:
        canvas.draw_image(card_back, CARD_BACK_CENTER, CARD_BACK_SIZE, (56, 278), CARD_BACK_SIZE)
    for i in range(len(log)):
        canvas.draw_text(log[i], (20, 380 + 30 * i), 22, "Gold")


frame = simplegui.create_frame("Blackjack", 560, 480, 250)
frame.set_canvas_background("Black")
deal_button = frame.add_button("Deal", deal, 100)
hit_button = frame.add_button("Hit", hit, 100)
stand_button = frame.add_button("Stand", stand, 100)
score_label = frame.add_label("Score: 0 (wins 0, losses 0)")
frame.set_draw_handler(draw)
player, dealer, deck = Hand(), Hand(), Deck()
deal()
frame.start()
