"""Homework: deals that a class plays by a due time, and who stands where."""
