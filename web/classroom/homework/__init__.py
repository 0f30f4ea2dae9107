"""Homework: deals that a class plays by a due time, and the ranks of its students."""
