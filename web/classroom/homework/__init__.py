"""Homework: deals that a class plays by a due time, and the places of its students."""
