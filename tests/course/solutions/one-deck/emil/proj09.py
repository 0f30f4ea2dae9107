# Project 09
# a simple game of blackjack
#   loop until the user stops or the deck is empty
#      play the user's hand, play the dealer's hand, say who won
import cards


def handValue(hand):
    aces = 0
    total = 0
    for c in hand:
        if c.get_rank() == 1:
            aces = aces + 1
            total = total + 11
        elif c.get_rank() > 10:
            total = total + 10
        else:
            total = total + c.get_rank()
    while total > 21 and aces > 0:
        total = total - 10
        aces = aces - 1
    return total


def display(who, hand):
    line = who + ":"
    for c in hand:
        line = line + " " + str(c)
    print(line, " total =", handValue(hand))


def getCard(deck, hand):
    c = deck.deal()
    if c == None:
        return False
    hand.append(c)
    return True


def userTurn(deck, user):
    '''returns "bust", "stand" or "empty"'''
    while True:
        answer = input("Do you want another card? ")
        if answer == "Y" or answer == "y" or answer == "H" or answer == "h" or answer == "":
            if not getCard(deck, user):
                return "empty"
            display("User", user)
            if handValue(user) > 21:
                print("User busted!")
                return "bust"
        else:
            display("User", user)
            return "stand"


def dealerTurn(deck, dealer):
    '''returns "bust", "stand" or "empty"'''
    display("Dealer", dealer)
    while handValue(dealer) < 17:
        print("Dealer hits")
        if not getCard(deck, dealer):
            return "empty"
        display("Dealer", dealer)
    if handValue(dealer) > 21:
        print("Dealer busted!")
        return "bust"
    print("Dealer stands")
    display("Dealer", dealer)
    return "stand"


def playRound(deck):
    '''returns 1 if the user wins, 2 if the dealer wins, 0 for a draw'''
    user = []
    dealer = []
    for i in range(2):
        if not getCard(deck, user):
            return 0
        if not getCard(deck, dealer):
            return 0
    print("User:", user[0], user[1])
    print("Dealer:", dealer[0], "??")
    result = userTurn(deck, user)
    if result == "bust":
        return 2
    if result == "empty":
        return 0
    result = dealerTurn(deck, dealer)
    if result == "bust":
        return 1
    if result == "empty":
        return 0
    if handValue(user) > handValue(dealer):
        return 1
    if handValue(user) < handValue(dealer):
        return 2
    return 0


def main():
    deck = cards.Deck()
    deck.shuffle()
    userWins = 0
    dealerWins = 0
    draws = 0
    answer = "Y"
    while answer == "Y" or answer == "y" or answer == "":
        winner = playRound(deck)
        if winner == 1:
            print("The user wins this round")
            userWins += 1
        elif winner == 2:
            print("The dealer wins this round")
            dealerWins += 1
        else:
            print("This round is a draw")
            draws += 1
        if deck.is_empty():
            print("There are no more cards")
            answer = "N"
        else:
            answer = input("Do you want to play another round? ")
    print("User won", userWins, "Dealer won", dealerWins, "Draws", draws)


main()
