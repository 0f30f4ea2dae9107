"""What the tests of the War notebook share."""

RANKS = [*map(str, range(2, 11)), "J", "Q", "K", "A"]
SYMBOLS = {"S": "\u2660", "H": "\u2661", "C": "\u2663", "D": "\u2662"}
NAMES = ("Amy", "Brad", "Carl", "Dora", "Emil", "Fay")
