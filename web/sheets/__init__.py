"""The page of the five assignment sheets: what to build, decks, a comparison, and the commands."""
