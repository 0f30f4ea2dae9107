# Assignment 2
# Ada
from playingCards import Card, Deck, EmptyDeckException


class Player:
    def __init__(self):
        self.__hand = []
        self.__value = 0

    def addToHand(self, card):
        assert isinstance(card, Card), "not a card"
        self.__hand.append(card)
        self.__value = self.__value + card.getValue()

    def clearHand(self):
        removed = []
        while len(self.__hand) > 0:
            removed.append(self.__hand.pop(0))
        self.__value = 0
        return removed

    def getHandValue(self):
        return self.__value

    def revealAllCards(self):
        for c in self.__hand:
            if c.isFaceUp() == False:
                c.turnOver()

    def __str__(self):
        text = "hand:"
        allUp = True
        for c in self.__hand:
            text += str(c)
            if not c.isFaceUp():
                allUp = False
        if allUp:
            text += ", value = " + str(self.__value)
        return text


class Table:
    def __init__(self):
        self.__player = Player()
        self.__dealer = Player()
        self.__deck = Deck()
        self.__discardPile = []

    def __getCard(self):
        try:
            return self.__deck.deal()
        except EmptyDeckException:
            self.__deck.repopulate(self.__discardPile)
            self.__discardPile = []
            return self.__deck.deal()

    def dealHands(self):
        for i in range(4):
            card = self.__getCard()
            if i == 3:
                card.turnOver()
            if i % 2 == 0:
                self.__player.addToHand(card)
            else:
                self.__dealer.addToHand(card)

    def playerHit(self):
        self.__player.addToHand(self.__getCard())
        return self.__player.getHandValue() > 21

    def dealerHit(self):
        self.__dealer.revealAllCards()
        print("Dealer's", self.__dealer)
        while self.__dealer.getHandValue() <= 16:
            print("Dealer must take a card…")
            self.__dealer.addToHand(self.__getCard())
            print("Dealer's", self.__dealer)
        if self.__dealer.getHandValue() > 21:
            print("Dealer went bust.")
            return True
        if self.__dealer.getHandValue() == 21:
            print("Dealer has a natural 21!")
        return False

    def playerNatural(self):
        return self.__player.getHandValue() == 21

    def whoWon(self):
        p = self.__player.getHandValue()
        d = self.__dealer.getHandValue()
        if p > 21:
            print("Dealer wins")
        elif d > 21:
            print("Player wins")
        elif p > d:
            print("Player wins")
        elif d > p:
            print("Dealer wins")
        else:
            print("Tie! No one wins")

    def clearTable(self):
        self.__discardPile.extend(self.__player.clearHand())
        self.__discardPile.extend(self.__dealer.clearHand())

    def __str__(self):
        return "Player: " + str(self.__player) + "\n" + "Dealer: " + str(self.__dealer)


def testPlayer():
    p = Player()
    p.addToHand(Card('9S', True))
    p.addToHand(Card('AD', True))
    assert str(p) == "hand:[ 9S ][ AD ], value = 10"
    assert p.getHandValue() == 10
    assert len(p.clearHand()) == 2
    assert p.getHandValue() == 0


if __name__ == "__main__":
    testPlayer()
