"""The page of the five assignment sheets: what to build, decks, and the commands."""
