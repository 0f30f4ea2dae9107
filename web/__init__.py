"""Flask views: requests become moves, and states become pages. ``cardgames`` contains the rules."""
