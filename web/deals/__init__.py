"""Deal links, with the same cards for everyone who opens the URL, and the deal of the day."""
