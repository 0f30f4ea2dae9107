"""The games, each in a package or module. ``cardgames.GAMES`` lists the playable games."""
