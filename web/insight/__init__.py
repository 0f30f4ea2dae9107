"""Insight: what a class gives away at the tables, what it believes, and what a lesson taught it."""
