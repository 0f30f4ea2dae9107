"""Insight into a class's mistakes at the tables and their cost."""
