"""Functions to load a table, play a move and render the page."""
