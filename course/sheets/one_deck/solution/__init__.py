"""One-deck Blackjack: the course's ``cards`` and the project ``proj09``."""
