"""Blackjack: a check for each requirement."""
