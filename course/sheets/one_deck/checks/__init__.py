"""One-deck Blackjack: a check for each requirement."""
