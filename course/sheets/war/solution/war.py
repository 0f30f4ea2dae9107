"""War: the design notebook's cards, hands, players and game, for two or more players.

Run as a program (``python war.py``), it prints one game, and then plays many games.
"""

import io
import os
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

__all__ = ["Card", "Deck", "Game", "Hand", "Player"]


class Card:
    """One playing card. Cards compare by rank; the suit does not count."""

    suit_str: ClassVar = {"S": "♠", "H": "♡", "C": "♣", "D": "♢"}
    rank_str: ClassVar = {rank: str(rank) for rank in range(2, 11)} | dict(
        zip(range(11, 15), "JQKA", strict=True)
    )

    def __init__(self, rank: int, suit: str) -> None:
        """Create a card.

        Args:
            rank: 2 to 10, 11 jack, 12 queen, 13 king, 14 ace.
            suit: ``S`` spades, ``H`` hearts, ``C`` clubs, ``D`` diamonds.

        """
        assert suit in tuple(Card.suit_str), f"Not a suit: {suit!r}"
        assert rank in tuple(Card.rank_str), f"Not a rank: {rank!r}"
        self.rank = rank
        self.suit = suit

    def __str__(self) -> str:
        """Return the rank and the suit's symbol, as in ``2♡``."""
        return f"{self.rank_str[self.rank]}{self.suit_str[self.suit]}"

    def __repr__(self) -> str:
        """Return the code that creates the card, as in ``Card(2,'H')``."""
        return f"Card({self.rank},'{self.suit}')"

    def __gt__(self, other: "Card") -> bool:
        """Return whether this card's rank is higher."""
        return self.rank > other.rank

    def __lt__(self, other: "Card") -> bool:
        """Return whether this card's rank is lower."""
        return self.rank < other.rank

    def __eq__(self, other: Any) -> bool:  # noqa: PYI032 - cards are only compared with cards
        """Return whether the ranks are equal."""
        return bool(self.rank == other.rank)

    __hash__ = None  # type: ignore[assignment]  # cards of different suits can be equal


class Hand:
    """A pile of cards, which are dealt from the top and added at the bottom."""

    def __init__(self, cards: Iterable[Card] = ()) -> None:
        """Create a hand with a copy of the list of cards."""
        self.cards: list[Card] = []
        self.receive_cards(cards)

    def receive_cards(self, cards: Iterable[Card]) -> None:
        """Add cards to the bottom, one after the other."""
        for card in cards:
            self.receive_card(card)

    def receive_card(self, card: Card) -> None:
        """Add a card to the bottom."""
        self.cards.append(card)

    def shuffle(self) -> None:
        """Put the cards in random order."""
        random.shuffle(self.cards)

    def give_card(self) -> Card:
        """Remove and return the top card."""
        assert self.cards, "There is no card to give"
        return self.cards.pop(0)

    def give_cards(self) -> Iterator[Card]:
        """Remove and yield cards, top first, until the hand is empty."""
        while self.cards:
            yield self.give_card()

    @property
    def num_cards(self) -> int:
        """The number of cards in the hand."""
        return len(self.cards)

    def __iter__(self) -> Iterator[Card]:
        """Iterate over the cards, top first, without removing them."""
        return iter(self.cards)

    def __repr__(self) -> str:
        """Return the code that creates the hand, as in ``Hand([Card(2,'S')])``."""
        return f"Hand({self.cards})"

    def __str__(self) -> str:
        """Return the list of the cards as text, as in ``['2♠']``."""
        return str(written(self))


class Deck(Hand):
    """A hand of all 52 cards. The ``size`` of a deck does not change when cards are dealt."""

    def __init__(self) -> None:
        """Create a shuffled deck."""
        super().__init__(Deck.build_deck())
        self.size = self.num_cards
        self.shuffle()

    @staticmethod
    def build_deck() -> list[Card]:
        """Return the 52 cards, always in the same order."""
        return [Card(rank, suit) for suit in "CDHS" for rank in (14, *range(2, 14))]


class Player(Hand):
    """A hand with a name."""

    wins: int
    """The number of games won in the last call of ``play_n_times``."""

    def __init__(self, name: str, cards: Iterable[Card] = ()) -> None:
        """Create a player with these cards."""
        super().__init__(cards)
        self.name = name

    def __repr__(self) -> str:
        """Return the code that creates the player, as in ``Player('Pam', [Card(10,'H')])``."""
        return f"Player({self.name!r}, {list(self)})"

    def __str__(self) -> str:
        """Return the name and the cards, as in ``<'Pam' has ['10♡']>``."""
        return f"<{self.name!r} has {written(self)}>"


class Game:
    """War between two or more players."""

    def __init__(self, players: Sequence[Player]) -> None:
        """Create a game with a new shuffled deck."""
        assert len(players) > 1, "War needs at least two players"
        self.players = players
        self.deck = Deck()

    def deal(self) -> None:
        """Deal the complete deck, one card to each player in turn.

        If the cards cannot be divided evenly, the first players get another card.
        """
        while self.deck.num_cards > 0:
            for player in self.players[: self.deck.num_cards]:
                player.receive_card(self.deck.give_card())

    def turn(self, do_print: bool = False) -> Player:
        """Show the top card of each player who has cards, and give the pile to the winner.

        If the highest cards tie, their players add another card each to the front of the pile. A
        tied player without cards loses. If no tied player has cards, the last of them wins.

        Args:
            do_print: Whether to print the turn.

        """
        assert self._in_play() > 1, "Fewer than two players have cards"
        pile: list[Card] = []
        tied: list[Player] = []
        showing = [player for player in self.players if player.num_cards > 0]
        while len(tied) != 1 and len(showing) > 1:
            if pile and do_print:
                print("war:", written(pile), "TIE!")
            shown = [player.give_card() for player in showing]
            pile = shown + pile
            highest = max(shown)
            tied = [player for player, card in zip(showing, shown, strict=True) if card == highest]
            showing = [player for player in tied if player.num_cards > 0]
        winner = showing[0] if showing else tied[-1]
        winner.receive_cards(pile)
        winner.shuffle()
        if do_print:
            print("war:", written(pile), "=>", winner.name)
        return winner

    def play(self, do_print: bool = False) -> Player:
        """Deal, take turns until one player has all cards, and return that player.

        If the previous game has ended, the cards are collected and shuffled first.

        Args:
            do_print: Whether to print the turns.

        """
        if self.deck.num_cards == 0 and self._in_play() < 2:
            self._collect()
        self.deal()
        if do_print:
            for player in self.players:
                print("at start", player)
        winner = self.turn(do_print)
        while winner.num_cards != self.deck.size:
            winner = self.turn(do_print)
        if do_print:
            print(f"{winner.name} wins!")
        return winner

    def play_n_times(self, n: int) -> None:
        """Play ``n`` games, dealing again after each, and print each player's number of wins."""
        for player in self.players:
            player.wins = 0
        for _ in range(n):
            self.play().wins += 1
            self._collect()
            self.deal()
        print()
        print("Played", n, "hands")
        for player in self.players:
            print("  ", player.name, "wins:", player.wins)

    def _in_play(self) -> int:
        """Return the number of players who have cards."""
        return sum(player.num_cards > 0 for player in self.players)

    def _collect(self) -> None:
        """Put every player's cards back into the deck, and shuffle it."""
        for player in self.players:
            self.deck.receive_cards(player.give_cards())
        self.deck.shuffle()


def written(cards: Iterable[Card]) -> list[str]:
    """Return each card as a string."""
    return [str(card) for card in cards]


def main() -> None:
    """Print one game of two players, and then play many games of two and of three players."""
    Game([Player("Amy"), Player("Brad")]).play(do_print=True)
    for names in (("Amy", "Brad"), ("Amy", "Brad", "Carl")):
        game = Game([Player(name) for name in names])
        for number in (3, 30, 100):
            game.play_n_times(number)
    sys.stdout.flush()


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # Windows' default encoding lacks the suits
    try:
        main()
    except KeyboardInterrupt:
        print()
    except BrokenPipeError:  # the pipe was closed, as in `python war.py | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
