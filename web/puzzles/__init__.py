"""Puzzles by theme, including a player's own weak spots; wrong answers are repeated."""
