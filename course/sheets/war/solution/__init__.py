"""War: the module ``war`` of the design notebook."""
