"""The tests of the rules: of everything in ``cardgames`` but the sheets and the lab."""
