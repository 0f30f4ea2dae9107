"""One-deck Blackjack: the whole of its sheet."""
