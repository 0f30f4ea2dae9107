"""Tournaments: some deals in a row that a whole class plays, ranked.

Everybody has the same cards, so places tell who decides well. A tournament is data and functions of
data and time, as its class is: whether it is open follows from the store's clock, a place from what
was played. Only what decisions cost is worked out beforehand, beside the server.
"""
