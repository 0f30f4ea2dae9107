"""Simple 21: the sheet with its solution, checks, probes and driver."""
