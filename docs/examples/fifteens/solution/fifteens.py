"""Pairs of cards that make fifteen."""

from itertools import combinations


class Hand:
    """A hand of cards: ``Hand("7H 8S KD")``."""

    def __init__(self, text):
        self.ranks = [card[0] for card in text.split()]

    def fifteens(self):
        """Count the pairs that make fifteen."""
        values = [worth(rank) for rank in self.ranks]
        return sum(one + other == 15 for one, other in combinations(values, 2))


def worth(rank):
    """Return the value of a card."""
    if rank == "A":
        return 1
    return 10 if rank in "TJQK" else int(rank)


if __name__ == "__main__":
    print("Fifteens:", Hand(input("Your hand: ")).fifteens())
