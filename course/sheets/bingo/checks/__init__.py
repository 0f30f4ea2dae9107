"""Playing-card Bingo: a check for each requirement."""
