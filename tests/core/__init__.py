"""The tests of the rules: the package ``cardgames`` except the sheets and the lab."""
