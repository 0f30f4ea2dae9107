"""How the tests of the One-deck sheet load its files."""

from tests.support.sheets import loader

load = loader("one_deck")
