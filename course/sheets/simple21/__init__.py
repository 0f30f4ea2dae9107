"""Simple 21: the whole of its sheet."""
