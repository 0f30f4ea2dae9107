"""Puzzles by theme, a player's own weak spots as one of the themes; what was wrong comes again."""
