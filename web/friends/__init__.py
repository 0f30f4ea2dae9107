"""Playing with a friend: the creator of a Bingo deal link and the first visitor who opens it."""
