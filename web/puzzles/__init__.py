"""Puzzles by theme or from a player's own weak spots. Puzzles with a wrong answer are repeated."""
