"""Tournaments: the same deals for a whole class, and who stands where."""
