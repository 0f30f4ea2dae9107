"""Files of course systems: points into a gradebook, and names out of a list."""
