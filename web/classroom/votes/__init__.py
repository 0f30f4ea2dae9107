"""Votes: what a class is asked, and what its students answer."""
