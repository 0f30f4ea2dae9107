"""The pages: requests into moves, states into pages and JSON. The rules are in ``cardgames``."""
