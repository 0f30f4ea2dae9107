"""Blackjack (see pieces.py for the classes)."""
import simplegui
from pieces import Card, Deck, Hand, draw_back

DEALER_AT = (40, 180)
PLAYER_AT = (40, 400)

in_play, score = False, 0
outcome, prompt = "", ""
deck, player, dealer = Deck(), Hand(), Hand()


def deal():
    global in_play, score, outcome, prompt, deck, player, dealer
    outcome = ""
    if in_play:
        score -= 1
        outcome = "That round is lost: you left it."
    deck, player, dealer = Deck(), Hand(), Hand()
    while len(dealer) < 2:
        player.add_card(deck.deal_card())
        dealer.add_card(deck.deal_card())
    in_play, prompt = True, "Hit or stand?"


def settle(won, why):
    global in_play, score, outcome, prompt
    in_play = False
    score += 1 if won else -1
    outcome = why + (" You win!" if won else " Dealer wins.")
    prompt = "New deal?"


def hit():
    global outcome
    if in_play:
        outcome = ""
        player.add_card(deck.deal_card())
        if player.get_value() > 21:
            settle(False, "You have busted.")


def stand():
    global outcome
    if player.get_value() > 21:
        outcome = "You have busted. No standing now."
        return
    if not in_play:
        return
    while dealer.get_value() < 17:
        dealer.add_card(deck.deal_card())
    if dealer.get_value() > 21:
        settle(True, "Dealer busted.")
    else:
        settle(player.get_value() > dealer.get_value(),
               "%d against %d." % (player.get_value(), dealer.get_value()))


def draw(canvas):
    canvas.draw_text("Blackjack", (40, 60), 40, "Silver", "monospace")
    canvas.draw_text("Score: %d" % score, (400, 60), 30, "Silver", "monospace")
    canvas.draw_text(outcome, (40, 130), 22, "Silver", "monospace")
    canvas.draw_text("Dealer's cards", (40, 165), 18, "Silver", "monospace")
    dealer.draw(canvas, DEALER_AT)
    if in_play:
        draw_back(canvas, DEALER_AT)
    canvas.draw_text(prompt, (40, 350), 22, "Silver", "monospace")
    canvas.draw_text("Your cards", (40, 385), 18, "Silver", "monospace")
    player.draw(canvas, PLAYER_AT)


frame = simplegui.create_frame("Blackjack", 600, 600)
frame.set_canvas_background("Navy")
frame.add_button("Deal", deal)
frame.add_button("Hit", hit)
frame.add_button("Stand", stand)
frame.set_draw_handler(draw)
deal()
frame.start()
