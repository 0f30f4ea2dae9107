"""Deal links: the same cards for everyone who opens an address."""
