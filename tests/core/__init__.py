"""The tests of the rules: everything in ``cardgames`` except the sheets and the lab."""
