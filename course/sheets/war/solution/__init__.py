"""War: the design notebook's ``war``."""
