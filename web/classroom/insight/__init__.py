"""Insight: the mistakes of a class at the tables, and their cost."""
