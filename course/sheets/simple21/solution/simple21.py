"""A player with a hand of cards, and a table for a player and the dealer.

Run as a program (``python simple21.py``), it tests the class Player.
"""

from playingCards import Card, Deck, EmptyDeckException

__all__ = ["Player", "Table"]

TARGET = 21
DEALER_STANDS = 17


class Player:
    """A player or dealer, with a hand of cards."""

    def __init__(self) -> None:
        """Create a player without cards."""
        self.__hand: list[Card] = []
        self.__value = 0

    def addToHand(self, card: Card) -> None:
        """Add a card to the hand."""
        assert isinstance(card, Card), f"Not a card: {card!r}"
        self.__hand.append(card)
        self.__value += card.getValue()

    def clearHand(self) -> list[Card]:
        """Remove and return all cards of the hand."""
        cards = self.__hand
        self.__hand = []
        self.__value = 0
        return cards

    def getHandValue(self) -> int:
        """Return the total value of the cards in the hand."""
        return self.__value

    def revealAllCards(self) -> None:
        """Turn all cards face up."""
        for card in self.__hand:
            if not card.isFaceUp():
                card.turnOver()

    def __str__(self) -> str:
        """Return ``hand:[ 9S ][ AD ], value = 10``; without the value if a card is face down."""
        cards = "".join(map(str, self.__hand))
        allFaceUp = all(card.isFaceUp() for card in self.__hand)
        return f"hand:{cards}, value = {self.__value}" if allFaceUp else f"hand:{cards}"


class Table:
    """A player, a dealer, a deck, and the discard pile that refills the deck."""

    def __init__(self) -> None:
        """Create the players and the deck. Does not catch exceptions of Deck."""
        self.__player = Player()
        self.__dealer = Player()
        self.__deck = Deck()
        self.__discardPile: list[Card] = []

    def dealHands(self) -> None:
        """Deal two cards each, the player first; the dealer's second card is face down."""
        self.__player.addToHand(self.__nextCard())
        self.__dealer.addToHand(self.__nextCard())
        self.__player.addToHand(self.__nextCard())
        hidden = self.__nextCard()
        hidden.turnOver()
        self.__dealer.addToHand(hidden)

    def playerHit(self) -> bool:
        """Deal a card to the player; return whether they are bust."""
        self.__player.addToHand(self.__nextCard())
        return self.__player.getHandValue() > TARGET

    def dealerHit(self) -> bool:
        """Turn over the dealer's hidden card and play their hand; return whether they are bust.

        Prints the table after each card, and the dealer's actions and result.
        """
        self.__dealer.revealAllCards()
        print(self)
        while self.__dealer.getHandValue() < DEALER_STANDS:
            print("Dealer must take a card...")
            self.__dealer.addToHand(self.__nextCard())
            print(self)
        bust = self.__dealer.getHandValue() > TARGET
        if bust:
            print("Dealer went bust.", end=" ")
        elif self.__dealer.getHandValue() == TARGET:
            print("Dealer has a natural 21!", end=" ")
        return bust

    def playerNatural(self) -> bool:
        """Return whether the player has exactly 21."""
        return self.__player.getHandValue() == TARGET

    def whoWon(self) -> None:
        """Print the winner without a newline, because the round number follows."""
        player, dealer = self.__player.getHandValue(), self.__dealer.getHandValue()
        if player > TARGET:
            print("Dealer wins", end=" ")
        elif dealer > TARGET or player > dealer:
            print("Player wins", end=" ")
        elif player < dealer:
            print("Dealer wins", end=" ")
        else:
            print("Tie! No one wins", end=" ")

    def clearTable(self) -> None:
        """Move the cards of both hands to the discard pile."""
        self.__discardPile += self.__player.clearHand() + self.__dealer.clearHand()

    def __str__(self) -> str:
        """Return both hands, one per line."""
        return f"Player's {self.__player}\nDealer's {self.__dealer}"

    def __nextCard(self) -> Card:
        """Deal a card. If the deck is empty, refill it from the discard pile first."""
        try:
            return self.__deck.deal()
        except EmptyDeckException:
            self.__deck.repopulate(self.__discardPile)
            self.__discardPile = []
            return self.__deck.deal()


def testPlayer() -> None:
    """Test the class Player."""
    player = Player()
    assert str(player) == "hand:, value = 0"
    player.addToHand(Card("9S", faceUp=True))
    hidden = Card("AD", faceUp=False)
    player.addToHand(hidden)
    assert str(player) == "hand:[ 9S ][ xx ]"
    assert player.getHandValue() == 10
    player.revealAllCards()
    player.revealAllCards()
    assert str(player) == "hand:[ 9S ][ AD ], value = 10"
    assert player.clearHand()[1] is hidden
    assert str(player) == "hand:, value = 0"
    try:
        player.addToHand("9S")  # type: ignore[arg-type]
    except AssertionError:
        print("Player: all tests passed")
    else:
        raise AssertionError("a text was accepted as a card")


if __name__ == "__main__":
    testPlayer()
