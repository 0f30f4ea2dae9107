"""Measurements of the site, each with its own command; ``make bench`` runs two of them."""
