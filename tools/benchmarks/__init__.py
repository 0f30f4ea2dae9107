"""Measurements of the site, each with a command of its own; ``make bench`` runs two of them."""
