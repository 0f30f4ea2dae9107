"""Classes as they are kept: their rows, and a layer of the store for each kind of thing."""
