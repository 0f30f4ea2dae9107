"""The pages: requests become moves, states become pages. The rules are in ``cardgames``."""
