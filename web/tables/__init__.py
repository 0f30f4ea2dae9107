"""The tables: load one, play one move, show it."""
