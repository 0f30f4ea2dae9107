"""Playing-card Bingo: the sheet with its solution, checks, probes and driver."""
