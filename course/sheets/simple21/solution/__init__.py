"""Simple 21: the sheet's ``queues``, ``playingCards``, ``simple21`` and ``assignment2``."""
