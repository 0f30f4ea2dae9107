"""Deal links: the same cards for everyone who opens an address; and the deal of the day."""
