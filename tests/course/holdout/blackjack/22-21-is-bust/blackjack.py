"""Blackjack, functional: each round is an immutable value, handlers map one to the next."""
import random
from collections import namedtuple
from functools import reduce
from itertools import product

import simplegui

SUITS = tuple("CSHD")
RANKS = tuple("A23456789TJQK")
VALUES = dict(zip(RANKS, [*range(1, 11), 10, 10, 10]))
W, H = 72, 96
FACES = simplegui.load_image("http://storage.googleapis.com/codeskulptor-assets/cards_jfitz.png")
BACK = simplegui.load_image("http://storage.googleapis.com/codeskulptor-assets/card_jfitz_back.png")


class Card(object):
    def __init__(self, suit, rank):
        ok = suit in SUITS and rank in RANKS
        self.suit, self.rank = (suit, rank) if ok else (None, None)
        if not ok:
            print("Invalid card: ", suit, rank)

    def __str__(self):
        return "%s%s" % (self.suit, self.rank)

    __repr__ = __str__

    def get_suit(self):
        return self.suit

    def get_rank(self):
        return self.rank

    def draw(self, canvas, pos):
        source = (W * RANKS.index(self.rank) + W / 2, H * SUITS.index(self.suit) + H / 2)
        canvas.draw_image(FACES, source, (W, H), (pos[0] + W / 2, pos[1] + H / 2), (W, H))


class Hand(object):
    def __init__(self):
        self.cards = []

    def __str__(self):
        return reduce(lambda text, card: text + str(card) + " ", self.cards, "Hand contains ")

    def add_card(self, card):
        self.cards.append(card)
        return self

    def get_value(self):
        low = sum(map(VALUES.get, map(Card.get_rank, self.cards)))
        return low + (10 if low < 12 and "A" in map(Card.get_rank, self.cards) else 0)

    def draw(self, canvas, pos):
        [card.draw(canvas, (pos[0] + i * (W + 8), pos[1])) for i, card in enumerate(self.cards)]


class Deck(object):
    def __init__(self):
        self.cards = [Card(*pair) for pair in product(SUITS, RANKS)]

    def __str__(self):
        return reduce(lambda text, card: text + str(card) + " ", self.cards, "Deck contains ")

    def shuffle(self):
        random.shuffle(self.cards)

    def deal_card(self):
        return self.cards.pop()


Round = namedtuple("Round", "deck player dealer in_play outcome score")
game = Round(Deck(), Hand(), Hand(), False, "", 0)


def fresh(old):
    deck = Deck()
    deck.shuffle()
    player, dealer = Hand(), Hand()
    for hand in (player, dealer) * 2:
        hand.add_card(deck.deal_card())
    return Round(deck, player, dealer, True,
                 "Last round was lost, you quit it" if old.in_play else "Good luck",
                 old.score - old.in_play)


def ended(now, change, outcome):
    return now._replace(in_play=False, score=now.score + change, outcome=outcome)


def with_card(now):
    now.player.add_card(now.deck.deal_card())
    return ended(now, -1, "You have busted") if now.player.get_value() >= 21 else now._replace(outcome="Good luck")


def play_dealer(hand, deck):
    return hand if hand.get_value() >= 17 else play_dealer(hand.add_card(deck.deal_card()), deck)


def compared(now):
    his = play_dealer(now.dealer, now.deck).get_value()
    return (ended(now, +1, "Dealer busted, you win") if his > 21 else
            ended(now, +1, "You win") if now.player.get_value() > his else
            ended(now, -1, "You lose, dealer wins"))


def handler(step, always=False):
    def handle():
        global game
        game = step(game) if game.in_play or always else game
    return handle


deal, hit, stand = handler(fresh, always=True), handler(with_card), handler(compared)


def draw(canvas):
    write = lambda text, x, y, size=24: canvas.draw_text(text, (x, y), size, "White")
    write("Blackjack", 40, 60, 44)
    write("Score: {:+d}".format(game.score), 420, 60)
    write("Dealer", 40, 130)
    write(game.outcome, 200, 130)
    game.dealer.draw(canvas, (40, 150))
    if game.in_play:
        canvas.draw_image(BACK, (W / 2, H / 2), (W, H), (40 + W / 2, 150 + H / 2), (W, H))
    write("Player", 40, 330)
    write("Hit or stand?" if game.in_play else "New deal?", 200, 330)
    game.player.draw(canvas, (40, 350))


frame = simplegui.create_frame("Blackjack", 600, 500)
frame.set_canvas_background("Green")
for name in "Deal Hit Stand".split():
    frame.add_button(name, {"Deal": deal, "Hit": hit, "Stand": stand}[name], 200)
frame.set_draw_handler(draw)
deal()
frame.start()
