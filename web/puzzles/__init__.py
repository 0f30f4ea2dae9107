"""Puzzles: decisions in which a rule of thumb goes wrong, and a player's own weak spots."""
