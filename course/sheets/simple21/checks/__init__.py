"""Simple 21: a check for each requirement."""
