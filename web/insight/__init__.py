"""Insight: what a class gives away at the tables, and what it believes."""
