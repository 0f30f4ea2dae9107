###########################################################
#  CSE 231  Project 9
#
#  Algorithm: play rounds of blackjack until the user stops
#  or the deck is empty; then show the results
###########################################################

import cards

def name_of_card(card):
    rank = card.get_rank()
    suit = card.get_suit()
    if rank == 1:
        name = "Ace"
    elif rank == 11:
        name = "Jack"
    elif rank == 12:
        name = "Queen"
    elif rank == 13:
        name = "King"
    else:
        name = str(rank)
    if suit == 1:
        name = name + " of Clubs"
    elif suit == 2:
        name = name + " of Diamonds"
    elif suit == 3:
        name = name + " of Hearts"
    else:
        name = name + " of Spades"
    return name

def calculate_value(hand):
    minimum = 0
    ace_found = False
    for card in hand:
        minimum = minimum + card.get_value()
        if card.get_rank() == 1:
            ace_found = True
    maximum = minimum
    if ace_found:
        if minimum + 10 <= 21:
            maximum = minimum + 10
    return maximum

def display_hand(hand):
    for card in hand:
        print("    ", name_of_card(card))
    print("     The total is", calculate_value(hand))

def main():
    the_deck = cards.Deck()
    the_deck.shuffle()
    user_count = 0
    dealer_count = 0
    draw_count = 0
    game_goes_on = True
    while game_goes_on:
        not_enough = False
        user_hand = []
        dealer_hand = []
        if the_deck.cards_count() < 4:
            not_enough = True
            while not the_deck.is_empty():
                the_deck.deal()
        else:
            user_hand.append(the_deck.deal())
            dealer_hand.append(the_deck.deal())
            user_hand.append(the_deck.deal())
            dealer_hand.append(the_deck.deal())
            print("Your cards are:")
            for card in user_hand:
                print("    ", name_of_card(card))
            print("The dealer's first card is:")
            print("    ", name_of_card(dealer_hand[0]))
            user_is_playing = True
            while user_is_playing:
                answer = input("Do you want another card? ")
                if answer == "Y" or answer == "y" or answer == "H" or answer == "h" or answer == "":
                    if the_deck.is_empty():
                        not_enough = True
                        user_is_playing = False
                    else:
                        user_hand.append(the_deck.deal())
                        print("You hit. Your cards are:")
                        display_hand(user_hand)
                        if calculate_value(user_hand) > 21:
                            print("Sorry, you are busted.")
                            user_is_playing = False
                else:
                    print("You stand. Your cards are:")
                    display_hand(user_hand)
                    user_is_playing = False
            if not not_enough:
                if calculate_value(user_hand) <= 21:
                    while calculate_value(dealer_hand) < 17 and not not_enough:
                        if the_deck.is_empty():
                            not_enough = True
                        else:
                            dealer_hand.append(the_deck.deal())
                            print("Dealer hits. The dealer's cards are:")
                            display_hand(dealer_hand)
                    if not not_enough:
                        if calculate_value(dealer_hand) > 21:
                            print("The dealer is busted.")
                        else:
                            print("Dealer stands. The dealer's cards are:")
                            display_hand(dealer_hand)
        if not_enough:
            print("There were not enough cards to complete the round: it is a draw.")
            draw_count = draw_count + 1
        elif calculate_value(user_hand) > 21:
            print("The dealer won this round.")
            dealer_count = dealer_count + 1
        elif calculate_value(dealer_hand) > 21:
            print("You won this round.")
            user_count = user_count + 1
        elif calculate_value(user_hand) > calculate_value(dealer_hand):
            print("You won this round.")
            user_count = user_count + 1
        elif calculate_value(user_hand) < calculate_value(dealer_hand):
            print("The dealer won this round.")
            dealer_count = dealer_count + 1
        else:
            print("This round is a draw.")
            draw_count = draw_count + 1
        if the_deck.is_empty():
            game_goes_on = False
        else:
            answer = input("Do you want to continue the game? ")
            if answer != "Y" and answer != "y" and answer != "":
                game_goes_on = False
    print("The game is over.")
    print("You won", user_count, "rounds.")
    print("The dealer won", dealer_count, "rounds.")
    print("There were", draw_count, "draws.")

main()
