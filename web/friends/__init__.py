"""Playing with a friend: the maker of a Bingo deal link and the first visitor who opens it."""
