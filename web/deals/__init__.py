"""Deal links, which deal the same cards to everyone who opens the URL, and the deal of the day."""
