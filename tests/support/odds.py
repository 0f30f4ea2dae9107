"""The odds as tests ask for them, and tables with a decision open."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from cardgames.advice import Odds
from cardgames.cards import FULL_DECK, Card, Cards
from cardgames.games.twentyone import BLACKJACK, ONE_DECK, SIMPLE_21, Rules, State, TwentyOne
from cardgames.odds import odds
from cardgames.table import Phase, Table
from cardgames.ways import Ways
from tests.support.play import salts

RULES = {"simple-21": SIMPLE_21, "blackjack": BLACKJACK, "one-deck": ONE_DECK}


def fresh(rules: Rules, player: Cards, upcard: Card) -> Odds:
    """Return the odds with nothing seen but the hand and the upcard."""
    return odds(rules, player, upcard, set(FULL_DECK) - {*player, upcard})


@dataclass(frozen=True)
class Position:
    """What the odds are asked of: a hand, the upcard, and what else is known of the cards."""

    player: Cards
    upcard: Card
    unseen: Cards
    discards: Cards = ()
    buried: int = 0
    returned: Cards = ()
    ways: Ways = ()
    """What is known of one card besides: of the first buried one, or of the hole card."""

    of_buried: bool = False

    def asked(self, name: str) -> Odds:
        suspects = tuple(card for card in self.unseen if card not in self.returned)
        return odds(
            RULES[name],
            self.player,
            self.upcard,
            self.unseen,
            self.discards,
            buried=self.buried,
            ways=self.ways or (((1, suspects),) if self.returned else ()),
            of_buried=self.of_buried,
        )


def decisions(game: TwentyOne, seed: str) -> Iterator[State]:
    """Yield rounds with a decision open, from round after round of moves without plan."""
    rng = random.Random(seed)
    table, new_salt = Table(game), salts(rng.getrandbits(32))
    while True:
        names = [move.name for move in table.moves()]
        if table.phase is Phase.PLAYING:
            yield table.state
            move = "hit" if rng.random() < 0.6 else "stay"
        else:
            move = "deal" if "deal" in names else "new"
        table = table.play(move, new_salt=new_salt).table
