"""War: the whole of its sheet."""
