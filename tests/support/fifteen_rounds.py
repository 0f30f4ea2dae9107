"""The sheet's shuffledDeck.txt, played as one plays it by hand, and on with a referee.

``BY_HAND`` was written from the deck file and the rules with pencil and paper, up to the round that
takes the last four cards. From there on the cards are shuffled, and a referee watches who knows
the rules and what lies on the table, and nothing of the program.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cardgames.deck_file import File

DECK = Path(__file__).parent.parent / "decks" / "shuffledDeck.txt"
DEALING = "Dealing cards to player and dealer..."
REFILL = "Repopulating deck with cards..."
TAKES = "Dealer must take a card..."


@dataclass(frozen=True)
class Seen:
    """What lies on the table, as a player reads it from the page or the JSON."""

    step: int
    round: int
    playing: bool
    player: list[str]
    player_total: int | None
    dealer: list[str | None]
    dealer_total: int | None
    deck: int
    discards: int
    tally: tuple[int, int, int]
    messages: list[str]
    winner: str | None = field(compare=False, default=None)
    stacked: bool | None = field(compare=False, default=None)
    """A page does not say these in a word."""


Play = Callable[[Mapping[str, str | File]], Seen]
"""Plays a move with its fields, ``move`` and ``step`` among them, and says what is seen then."""


# ---- Ten rounds by hand --------------------------------------------------------------------

THE_DECK = """
    KS JH QS AH QH | 6D 5H TS KC TH | 6C TD KD 7H | 3C 9C 2C 8S 9S 4C | AD 2D QD AC JD |
    2H 4H 8H 4S 4D 3S 5D 6S | 3D QC TC 8C 5C | 6H JC AS 9H | 7S 7D 7C 9D 5S 3H | JS 8D 2S KH
"""
"""The file, top card first; a stroke ends a round. Of a round's first four cards the first and the
third are the player's."""

# move, your hand and its total, the dealer's, cards in the deck, discards, winner, tally
# (you, dealer, ties), and what is said.
NOBODY = None
BY_HAND: list[tuple[Any, ...]] = [
    ("deal", "KS QS", 20, "JH xx", None, 48, 0, NOBODY, (0, 0, 0), [DEALING]),
    # 11, so the dealer takes QH: 21.
    (
        *("stay", "KS QS", 20, "JH AH QH", 21, 47, 0, "dealer", (0, 1, 0)),
        [TAKES, "Dealer has a natural 21!", "Dealer wins round 1!"],
    ),
    ("deal", "6D TS", 16, "5H xx", None, 43, 5, NOBODY, (0, 1, 0), [DEALING]),
    (
        *("hit", "6D TS TH", 26, "5H xx", None, 42, 5, "dealer", (0, 2, 0)),
        ["Player went bust. Dealer wins round 2!"],
    ),
    # KC goes to the discards and nobody has seen it.
    ("deal", "6C KD", 16, "TD xx", None, 38, 10, NOBODY, (0, 2, 0), [DEALING]),
    (
        *("stay", "6C KD", 16, "TD 7H", 17, 38, 10, "dealer", (0, 3, 0)),
        ["Dealer wins round 3!"],
    ),
    ("deal", "3C 2C", 5, "9C xx", None, 34, 14, NOBODY, (0, 3, 0), [DEALING]),
    ("hit", "3C 2C 9S", 14, "9C xx", None, 33, 14, NOBODY, (0, 3, 0), []),
    ("hit", "3C 2C 9S 4C", 18, "9C xx", None, 32, 14, NOBODY, (0, 3, 0), []),
    (
        *("stay", "3C 2C 9S 4C", 18, "9C 8S", 17, 32, 14, "player", (1, 3, 0)),
        ["Player wins round 4!"],
    ),
    # An ace is 1: AD QD is 11, not 21.
    ("deal", "AD QD", 11, "2D xx", None, 28, 20, NOBODY, (1, 3, 0), [DEALING]),
    ("hit", "AD QD JD", 21, "2D xx", None, 27, 20, NOBODY, (1, 3, 0), []),
    (
        *("stay", "AD QD JD", 21, "2D xx", None, 27, 20, "player", (2, 3, 0)),
        ["Player wins round 5 with a NATURAL 21!"],
    ),
    ("deal", "2H 8H", 10, "4H xx", None, 23, 25, NOBODY, (2, 3, 0), [DEALING]),
    ("hit", "2H 8H 4D", 14, "4H xx", None, 22, 25, NOBODY, (2, 3, 0), []),
    # 8, 11, 16, 22.
    (
        *("stay", "2H 8H 4D", 14, "4H 4S 3S 5D 6S", 22, 19, 25, "player", (3, 3, 0)),
        [TAKES, TAKES, TAKES, "Dealer went bust.", "Player wins round 6!"],
    ),
    ("deal", "3D TC", 13, "QC xx", None, 15, 33, NOBODY, (3, 3, 0), [DEALING]),
    ("hit", "3D TC 5C", 18, "QC xx", None, 14, 33, NOBODY, (3, 3, 0), []),
    (
        *("stay", "3D TC 5C", 18, "QC 8C", 18, 14, 33, "tie", (3, 3, 1)),
        ["Tie! No one wins round 7!"],
    ),
    ("deal", "6H AS", 7, "JC xx", None, 10, 38, NOBODY, (3, 3, 1), [DEALING]),
    (
        *("stay", "6H AS", 7, "JC 9H", 19, 10, 38, "dealer", (3, 4, 1)),
        ["Dealer wins round 8!"],
    ),
    ("deal", "7S 7C", 14, "7D xx", None, 6, 42, NOBODY, (3, 4, 1), [DEALING]),
    ("hit", "7S 7C 5S", 19, "7D xx", None, 5, 42, NOBODY, (3, 4, 1), []),
    # 16, so the dealer takes 3H: 19 as well.
    (
        *("stay", "7S 7C 5S", 19, "7D 9D 3H", 19, 4, 42, "tie", (3, 4, 2)),
        [TAKES, "Tie! No one wins round 9!"],
    ),
    # The last four cards; and nothing is shuffled before the next one is needed.
    ("deal", "JS 2S", 12, "8D xx", None, 0, 48, NOBODY, (3, 4, 2), [DEALING]),
]

AFTER_THAT = [
    ["hit", "stay"],  # round 10 goes on: QS or another of the 48 discards
    ["deal", "stay"],
    ["deal", "hit", "hit", "stay"],
    ["deal", "hit", "stay"],
    ["deal", "stay"],
    ["deal", "hit", "hit", "hit", "stay"],  # round 15
]
"""What is decided in the rounds from the tenth on; a round that is over sooner ends its list."""


def is_by_hand(seen: Seen, expected: tuple[Any, ...]) -> None:
    _, player, total, dealer, dealer_total, deck, discards, winner, tally, said = expected
    assert seen.player == player.split()
    assert seen.player_total == total
    assert seen.dealer == [None if card == "xx" else card for card in dealer.split()]
    assert seen.dealer_total == dealer_total
    assert (seen.deck, seen.discards) == (deck, discards)
    assert seen.tally == tally
    assert seen.playing == (winner is NOBODY)
    assert [message for message in seen.messages if message in said] == said
    assert REFILL not in seen.messages
    if seen.stacked is not None:
        assert seen.winner == winner
        assert seen.stacked


# ---- And on with a referee -----------------------------------------------------------------

WORTH = dict(zip("A23456789TJQK", (*range(1, 11), 10, 10, 10), strict=True))
ALL = {rank + suit for rank in WORTH for suit in "CDHS"}


def worth(cards: Sequence[str | None]) -> int:
    return sum(WORTH[card[0]] for card in cards if card)


class Referee:
    """Knows the rules, and what has been seen; says whether a move was played by them."""

    def __init__(self, seen: Seen) -> None:
        self.last = seen
        self.deck, self.discards = seen.deck, seen.discards
        self.out: set[str] = ALL - {"KH"}
        """Cards that have been seen or used since the deck was last full: none of them can be
        shown anew. After the ten rounds by hand only the hole card can."""

        self.refills = 0

    def card_is_taken(self, on_table: Sequence[str | None]) -> None:
        """Note that a card leaves the deck, which is refilled if it is empty."""
        if self.deck == 0:
            self.deck, self.discards = self.discards, 0
            self.out = {card for card in on_table if card}
            self.refills += 1
        self.deck -= 1

    def card_is_shown(self, card: str | None) -> None:
        assert card in ALL
        assert card not in self.out, f"{card} lay elsewhere"
        self.out.add(card)

    def watch(self, move: str, seen: Seen) -> None:
        """Hold a move against the rules."""
        before, refills = self.last, self.refills
        assert seen.step == before.step + 1
        winner = self.watch_move(move, before, seen)

        tally = list(before.tally)
        if winner:
            tally[["player", "dealer", "tie"].index(winner)] += 1
        assert seen.tally == tuple(tally)
        assert seen.playing == (winner is None)
        assert (seen.deck, seen.discards) == (self.deck, self.discards)
        assert len(seen.player) + len(seen.dealer) + seen.deck + seen.discards == 52
        assert seen.messages.count(REFILL) == self.refills - refills
        assert seen.player_total == worth(seen.player)
        assert seen.dealer_total == (None if None in seen.dealer else worth(seen.dealer))
        if seen.stacked is not None:
            assert seen.winner == winner
            assert seen.stacked == (self.refills == 0)
        self.last = seen

    def watch_move(self, move: str, before: Seen, seen: Seen) -> str | None:
        """Follow the cards of one move, and return who has won by it."""
        if move == "deal":
            assert seen.round == before.round + 1
            self.discards += len(before.player) + len(before.dealer)
            (first, second), (up, down) = seen.player, seen.dealer
            assert down is None
            dealt = [first, up, second]
            for place, card in enumerate(dealt):
                self.card_is_taken(dealt[:place])
                self.card_is_shown(card)
            self.card_is_taken(dealt)
            return None
        assert seen.round == before.round
        if move == "hit":
            *others, card = seen.player
            assert (others, seen.dealer) == (before.player, before.dealer)
            self.card_is_taken([*before.player, *before.dealer])
            self.card_is_shown(card)
            return "dealer" if worth(seen.player) > 21 else None
        assert seen.player == before.player
        if worth(seen.player) == 21:
            assert seen.dealer == before.dealer
            return "player"
        assert seen.dealer[0] == before.dealer[0]
        self.card_is_shown(seen.dealer[1])
        for number in range(2, len(seen.dealer)):
            assert worth(seen.dealer[:number]) <= 16
            self.card_is_taken([*seen.player, *seen.dealer[:number]])
            self.card_is_shown(seen.dealer[number])
        assert worth(seen.dealer) >= 17
        yours, theirs = worth(seen.player), worth(seen.dealer)
        if theirs > 21 or yours > theirs:
            return "player"
        return "dealer" if theirs > yours else "tie"


# ---- The evening ---------------------------------------------------------------------------


def _round(play: Play, seen: Seen, moves: Sequence[str]) -> Iterator[tuple[str, Seen]]:
    """Play a round's moves, as long as it lasts."""
    for move in moves:
        if move != "deal" and not seen.playing:
            return
        seen = play({"move": move, "step": str(seen.step)})
        yield move, seen


def ten_rounds(play: Play) -> Seen:
    """Play by hand up to the empty deck, the file sent with the first deal."""
    file = File("shuffledDeck.txt", DECK.read_bytes())
    for step, expected in enumerate(BY_HAND):
        deck = {"deck": file} if step == 0 else {}
        seen = play({"move": expected[0], "step": str(step), **deck})
        assert seen.step == step + 1
        assert seen.round == sum(row[0] == "deal" for row in BY_HAND[: step + 1])
        is_by_hand(seen, expected)
    return seen


def fifteen_rounds(play: Play) -> None:
    """Play the ten rounds, and five more over the refill of the deck."""
    seen = ten_rounds(play)
    assert seen.round == 10
    referee = Referee(seen)
    for moves in AFTER_THAT:
        for move, seen in _round(play, referee.last, moves):
            referee.watch(move, seen)
            if referee.refills == 1 and move == "hit" and REFILL in seen.messages:
                # The deck was refilled under the hands, which stay.
                assert seen.messages[0] == REFILL
                assert (seen.deck, seen.discards) == (47, 0)
    assert seen.round == 15
    assert not seen.playing
    assert referee.refills >= 1
    assert sum(seen.tally) == 15


def long_evening(play: Play, seed: int) -> None:
    """Play forty rounds more: the deck is refilled again and again, at every kind of card."""
    rng, moves = random.Random(seed), ["stay"]
    referee = Referee(ten_rounds(play))
    for _ in range(41):
        for move, seen in _round(play, referee.last, moves):
            referee.watch(move, seen)
        moves = ["deal", *["hit"] * rng.choice([0, 0, 1, 1, 2, 9]), "stay"]
    assert referee.last.round == 50
    assert referee.refills >= 3
