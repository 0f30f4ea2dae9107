"""One-deck Blackjack: the course's module ``cards`` and the project ``proj09``."""
