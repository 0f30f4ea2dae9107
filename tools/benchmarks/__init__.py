"""Measurements that a command reproduces: ``make bench`` runs them all and prints ratios."""
