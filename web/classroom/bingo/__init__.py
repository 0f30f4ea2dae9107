"""Class Bingo: rounds, cards, claims and the clock."""
