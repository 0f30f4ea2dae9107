"""Homework: deals that a class plays until a due time, and the students' ranks."""
