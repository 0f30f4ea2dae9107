"""Constants, kept apart so that both modules can use them."""
RANKS = 'A23456789TJQK'
SUITS = 'SHDC'
POINTS = {}
for _n, _r in enumerate(RANKS):
    POINTS[_r] = _n + 1 if _n < 9 else 10
BLACKJACK = 21
