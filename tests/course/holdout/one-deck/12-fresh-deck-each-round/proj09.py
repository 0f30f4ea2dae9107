"""Blackjack with classes."""
import cards


class OutOfCards(Exception):
    pass


class Player:
    def __init__(self, name):
        self.name = name
        self.hand = []

    def take(self, deck):
        if deck.is_empty():
            raise OutOfCards()
        self.hand.append(deck.deal())

    def points(self):
        low = sum(card.get_value() for card in self.hand)
        return low + 10 if low <= 11 and any(card.get_rank() == 1 for card in self.hand) else low

    def busted(self):
        return self.points() > 21

    def __str__(self):
        return "%s: %s = %d points" % (self.name, " ".join(map(str, self.hand)), self.points())


class Game:
    def __init__(self):
        self.deck = cards.Deck()
        self.deck.shuffle()
        self.count = {"you": 0, "the dealer": 0, "nobody": 0}

    def play(self):
        while True:
            winner = self.round()
            self.count[winner] += 1
            print("Draw: nobody wins this round" if winner == "nobody" else "This round is won by " + winner)
            if self.deck.is_empty() or input("Continue (Y/n)? ") not in ["", "Y", "y"]:
                break
        print("You won %d, the dealer won %d, draws %d" % tuple(self.count.values()))

    def round(self):
        self.deck = cards.Deck()
        self.deck.shuffle()
        user, dealer = Player("You"), Player("Dealer")
        try:
            for player in [user, dealer, user, dealer]:
                player.take(self.deck)
            print("Dealer: %s and a hidden card" % dealer.hand[0])
            print(user)
            self.user_turn(user)
            if user.busted():
                return "the dealer"
            self.dealer_turn(dealer)
        except OutOfCards:
            print("The deck ran out.")
            return "nobody"
        if dealer.busted() or user.points() > dealer.points():
            return "you"
        return "nobody" if user.points() == dealer.points() else "the dealer"

    def user_turn(self, user):
        hits = True
        while hits and not user.busted():
            hits = input("Hit (Y/n)? ") in ["", "Y", "y", "H", "h"]
            if hits:
                user.take(self.deck)
            print(user)
        if user.busted():
            print("Bust! You are over 21.")

    def dealer_turn(self, dealer):
        while dealer.points() < 17:
            dealer.take(self.deck)
            print("dealer hits")
            print(dealer)
        if dealer.busted():
            print("The dealer is bust.")
        else:
            print("dealer stands")
            print(dealer)


if __name__ == "__main__":
    Game().play()
