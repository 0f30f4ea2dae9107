"""Simple 21: the sheet's modules ``queues``, ``playingCards``, ``simple21`` and ``assignment2``."""
