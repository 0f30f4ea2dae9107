"""Votes: questions to a class, and the answers of its students."""
