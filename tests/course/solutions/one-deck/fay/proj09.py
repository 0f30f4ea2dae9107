"""Project 09: Blackjack.

The rounds are objects; running out of cards is an exception.
"""

import cards
import sys


class OutOfCards(Exception):
    """The deck could not give a card."""


class Hand(object):
    """Somebody's cards."""

    def __init__(self, owner):
        self.owner = owner
        self.cards = []

    def take(self, deck):
        """One more."""
        if deck.is_empty():
            raise OutOfCards
        self.cards.append(deck.deal())

    def points(self):
        """The best total."""
        soft = sum(card.get_value() for card in self.cards)
        if soft <= 11 and any(card.get_rank() == 1 for card in self.cards):
            return soft + 10
        return soft

    def __str__(self):
        return "{}'s hand is {} ({} points)".format(self.owner, ', '.join(map(str, self.cards)), self.points())


def ask(question, *yes):
    """A yes is one of these."""
    sys.stdout.write(question + ' ')
    sys.stdout.flush()
    return sys.stdin.readline().rstrip('\n') in yes


def deal(deck):
    """Two hands."""
    you, house = Hand('Your'[:3]), Hand('Dealer')
    for hand in (you, house, you, house):
        hand.take(deck)
    return you, house


def user_plays(deck, you):
    """Until standing or busted."""
    while you.points() <= 21 and ask('Hit?', 'Y', 'y', 'H', 'h', ''):
        you.take(deck)
        print(you)
    print(you)
    if you.points() > 21:
        print('Sorry, you busted.')


def dealer_plays(deck, house):
    """Up to seventeen."""
    print('The hole card was', house.cards[1])
    while house.points() < 17:
        house.take(deck)
        print('dealer hits:', house)
    if house.points() > 21:
        print('The dealer is busted.')
    else:
        print('dealer stands:', house)


def round_of(deck):
    """Return +1, 0 or -1."""
    try:
        you, house = deal(deck)
        print('You have', ' and '.join(map(str, you.cards)), '- the dealer shows', house.cards[0])
        user_plays(deck, you)
        if you.points() > 21:
            return -1
        dealer_plays(deck, house)
    except OutOfCards:
        print('No more cards.')
        return 0
    if house.points() > 21:
        return 1
    return (you.points() > house.points()) - (you.points() < house.points())


def main():
    """Play."""
    deck = cards.Deck()
    deck.shuffle()
    score = {1: 0, 0: 0, -1: 0}
    playing = True
    while playing:
        result = round_of(deck)
        score[result] += 1
        print({1: 'You win!', -1: 'Dealer wins!', 0: "It's a tie."}[result])
        playing = not deck.is_empty() and ask('Again?', 'Y', 'y', '')
    print('Rounds you won: %d' % score[1])
    print('Rounds the dealer won: %d' % score[-1])
    print('Ties: %d' % score[0])


if __name__ == '__main__':
    main()
