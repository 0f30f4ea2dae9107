"""The games: one package or module each. ``cardgames.GAMES`` lists those that can be played."""
