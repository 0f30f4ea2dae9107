"""Playing-card Bingo: the sheet's ``playingCards``, ``bingo`` and ``bingoTests``."""
