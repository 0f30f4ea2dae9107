"""A class as it stands now: its round, whose browser asks, what has changed, and its moves."""
