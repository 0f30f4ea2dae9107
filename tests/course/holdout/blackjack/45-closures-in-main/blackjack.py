# Blackjack in closures: no global state besides the card constants
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


class Hand:
    def __init__(self):
        self.cards = []

    def __str__(self):
        return "Hand contains " + "".join(str(c) + " " for c in self.cards)

    def add_card(self, card):
        self.cards.append(card)

    def get_value(self):
        def best(cards, so_far):
            """Try both values of every ace, keep the better total."""
            if not cards:
                return so_far
            rank = cards[0].get_rank()
            low = best(cards[1:], so_far + VALUES[rank])
            if rank != "A":
                return low
            high = best(cards[1:], so_far + 11)
            return high if high <= 21 else low
        return best(self.cards, 0)

    def draw(self, canvas, pos):
        for i, c in enumerate(self.cards):
            c.draw(canvas, (pos[0] + 80 * i, pos[1]))


class Deck:
    def __init__(self):
        self.cards = [Card(s, r) for s in SUITS for r in RANKS]

    def __str__(self):
        return "Deck contains " + "".join(str(c) + " " for c in self.cards)

    def shuffle(self):
        random.shuffle(self.cards)

    def deal_card(self):
        return self.cards.pop()


def main():
    deck, player, dealer = Deck(), Hand(), Hand()
    in_play, score, outcome = False, 0, ""

    def deal():
        nonlocal deck, player, dealer, in_play, score, outcome
        outcome = ""
        if in_play:
            outcome, score = "You have lost the round by dealing.", score - 1
        deck, player, dealer = Deck(), Hand(), Hand()
        deck.shuffle()
        for hand in (player, dealer, player, dealer):
            hand.add_card(deck.deal_card())
        in_play = True

    def end(won, text):
        nonlocal in_play, score, outcome
        in_play, outcome = False, text
        score += 1 if won else -1

    def hit():
        nonlocal outcome
        if in_play:
            outcome = ""
            player.add_card(deck.deal_card())
            if player.get_value() > 21:
                end(False, "You have busted.")

    def stand():
        if in_play:
            while dealer.get_value() < 17:
                dealer.add_card(deck.deal_card())
            if dealer.get_value() > 21:
                end(True, "Dealer has busted, you win.")
            elif dealer.get_value() >= player.get_value():
                end(False, "Dealer wins.")
            else:
                end(True, "You win.")

    def draw(canvas):
        canvas.draw_text("Blackjack", (50, 50), 40, "White")
        canvas.draw_text("Score " + str(score), (450, 50), 24, "White")
        canvas.draw_text("Dealer's hand:", (50, 90), 20, "White")
        dealer.draw(canvas, (50, 100))
        canvas.draw_text("Player's hand:", (50, 290), 20, "White")
        player.draw(canvas, (50, 300))
        if in_play:
            canvas.draw_image(card_back, CARD_BACK_CENTER, CARD_BACK_SIZE, (86, 148), CARD_BACK_SIZE)
        canvas.draw_text(outcome + (" Hit or stand?" if in_play else " New deal?"), (50, 450), 24, "White")

    frame = simplegui.create_frame("Blackjack", 600, 480)
    frame.set_canvas_background("Green")
    frame.add_button("Deal", deal, 200)
    frame.add_button("Hit", hit, 200)
    frame.add_button("Stand", stand, 200)
    frame.set_draw_handler(draw)
    deal()
    frame.start()


if __name__ == "__main__":
    main()
