"""Loading a table, playing a move and rendering the page."""
