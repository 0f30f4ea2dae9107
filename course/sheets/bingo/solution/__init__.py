"""Playing-card Bingo: the sheet's modules ``playingCards``, ``bingo`` and ``bingoTests``."""
