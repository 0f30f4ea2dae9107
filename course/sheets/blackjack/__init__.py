"""Blackjack: the whole of its sheet."""
