"""Records of rounds as lines of text, with functions to write, parse, replay and check them."""
