from playingCards import *


class Player(object):

    def __init__(self):
        self._hand, self._value = [], 0

    def addToHand(self, card):
        assert isinstance(card, Card)
        self._hand += [card]
        self._value += card.getValue()

    def clearHand(self):
        hand, self._hand, self._value = self._hand, [], 0
        return hand

    def getHandValue(self):
        return self._value

    def revealAllCards(self):
        for card in filter(lambda c: not c.isFaceUp(), self._hand):
            card.turnOver()

    def __str__(self):
        hidden = any(not card.isFaceUp() for card in self._hand)
        tail = '' if hidden else ', value = %d' % self._value
        return 'hand:' + ''.join(str(card) for card in self._hand) + tail


class Table(object):

    def __init__(self):
        self._deck = Deck()
        self._discards = []
        self._dealer, self._human = Player(), Player()

    def _draw(self, who):
        try:
            card = self._deck.deal()
        except EmptyDeckException:
            self._deck.repopulate(self._discards)
            self._discards.clear()
            card = self._deck.deal()
        who.addToHand(card)
        return card

    def dealHands(self):
        print('Dealing cards to player and dealer...')
        self._draw(self._human)
        self._draw(self._dealer)
        self._draw(self._human)
        self._draw(self._dealer).turnOver()

    def playerHit(self):
        self._draw(self._human)
        return self._human.getHandValue() > BLACKJACK

    def dealerHit(self):
        self._dealer.revealAllCards()
        print(self)
        while self._dealer.getHandValue() < 17:
            print('Dealer must take card...')
            self._draw(self._dealer)
            print(self)
        value = self._dealer.getHandValue()
        if value == BLACKJACK:
            print('Dealer has a natural 21!', end=' ')
        elif value > BLACKJACK:
            print('Dealer went bust.', end=' ')
        return value > BLACKJACK

    def playerNatural(self):
        return self._human.getHandValue() == BLACKJACK

    def whoWon(self):
        human, dealer = self._human.getHandValue(), self._dealer.getHandValue()
        if human > BLACKJACK:
            human = -1
        if dealer > BLACKJACK:
            dealer = 0
        print(['Tie! No one wins', 'Player wins', 'Dealer wins'][(human > dealer) - (human < dealer)], end=' ')

    def clearTable(self):
        for who in (self._human, self._dealer):
            self._discards += who.clearHand()

    def __str__(self):
        return "Player's {}\nDealer's {}".format(self._human, self._dealer)


if __name__ == '__main__':
    player = Player()
    print(player)
    player.addToHand(Card('KS', False))
    assert 'value' not in str(player)
    player.revealAllCards()
    assert str(player).endswith('10')
