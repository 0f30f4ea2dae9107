"""Blackjack: the mini-project's module ``blackjack``, with a canvas and a frame with buttons."""
