"""War: a check for each requirement."""
