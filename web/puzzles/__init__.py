"""Puzzles by theme or from a player's own weak spots. Wrongly answered puzzles are repeated."""
