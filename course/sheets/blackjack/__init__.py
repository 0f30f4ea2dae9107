"""Blackjack: the sheet with its solution, checks, probes and driver."""
