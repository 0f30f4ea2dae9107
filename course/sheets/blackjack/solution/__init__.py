"""Blackjack: the mini-project's ``blackjack``, with a canvas to draw on and a frame of buttons."""
