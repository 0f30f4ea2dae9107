"""Rounds as one line of text: written, read, replayed, checked, and printed as a transcript."""
