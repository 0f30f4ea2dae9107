"""Playing-card Bingo: the whole of its sheet."""
