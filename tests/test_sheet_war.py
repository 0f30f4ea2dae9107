"""The War notebook: its classes, its program, and that it agrees with the table.

Each test names the requirements and decisions it covers first.
"""

import ast
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cardgames.war import STRENGTH, dealt, fight, taken

from cardgames import GAMES
from cardgames.cards import FULL_DECK, shuffled
from tests.sheets import (
    ASSIGNMENTS,
    INTERRUPT,
    ROOT,
    command,
    in_terminal,
    piped,
    public_names,
    sheet,
    undocumented,
)

FOLDER = ASSIGNMENTS / "war"
RANKS = [*map(str, range(2, 11)), "J", "Q", "K", "A"]
SYMBOLS = {"S": "\u2660", "H": "\u2661", "C": "\u2663", "D": "\u2662"}
NAMES = ("Amy", "Brad", "Carl", "Dora", "Emil", "Fay")


@pytest.fixture
def war() -> Iterator[ModuleType]:
    with sheet("war") as load:
        yield load("war")


@pytest.fixture
def card(war: ModuleType) -> Callable[[str], Any]:
    """Make a card from what is written on it, as in ``10♢``."""
    suits = {symbol: suit for suit, symbol in SYMBOLS.items()}
    return lambda face: war.Card(RANKS.index(face[:-1]) + 2, suits[face[-1]])


@pytest.fixture
def game_of(war: ModuleType, card: Callable[[str], Any]) -> Callable[..., Any]:
    """Make a game whose players hold these cards, and nothing is in the deck."""

    def make(*hands: str) -> Any:
        players = [
            war.Player(name, map(card, hand.split()))
            for name, hand in zip(NAMES, hands, strict=False)
        ]
        game = war.Game(players)
        game.deck.cards.clear()
        game.deck.size = sum(player.num_cards for player in players)
        return game

    return make


@pytest.fixture
def unshuffled(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Let shuffling change nothing; returns what was to be shuffled."""
    asked: list[list[str]] = []
    monkeypatch.setattr(random, "shuffle", lambda cards: asked.append(faces(cards)))
    return asked


def faces(cards: Iterable[Any]) -> list[str]:
    return [str(card) for card in cards]


def table_of(game: Any) -> list[str]:
    """Each player's hand, as it is written."""
    return [" ".join(faces(player)) for player in game.players]


# The class Card


def test_the_interface_of_a_card(war: ModuleType) -> None:
    """S3-6, S3-8, A3-11: rank and suit, two tables of how they are written, three comparisons."""
    assert vars(war.Card(5, "S")) == {"rank": 5, "suit": "S"}
    assert public_names(war.Card) == {"suit_str", "rank_str"}
    assert war.Card.suit_str == SYMBOLS
    assert war.Card.rank_str == dict(enumerate(RANKS, start=2))
    assert {"__gt__", "__lt__", "__eq__", "__str__", "__repr__"} <= vars(war.Card).keys()


@pytest.mark.parametrize(
    ("rank", "suit"),
    [(1, "S"), (15, "S"), (0, "S"), (-2, "S"), ("5", "S"), ("K", "S"), (None, "S"), (5.5, "S"),
     ([], "S"), (5, "s"), (5, "X"), (5, ""), (5, "SH"), (5, "♠"), (5, None), (5, 1), (5, [])],
)  # fmt: skip
def test_what_is_no_card(war: ModuleType, rank: object, suit: object) -> None:
    """S3-6: an AssertionError for a rank that is not 2 to 14 and a suit that is not S H C D."""
    with pytest.raises(AssertionError):
        war.Card(rank, suit)


def test_cards_as_text(war: ModuleType) -> None:
    """S3-7, A3-11, A3-15: each of the 52, as written and as it is made."""
    for rank, suit in product(range(2, 15), "SHCD"):
        assert str(war.Card(rank, suit)) == RANKS[rank - 2] + SYMBOLS[suit]
        assert repr(war.Card(rank, suit)) == f"Card({rank},'{suit}')"
    assert (str(war.Card(2, "H")), repr(war.Card(2, "H"))) == ("2♡", "Card(2,'H')")
    assert [str(war.Card(14, suit)) for suit in "SHCD"] == ["A♠", "A♡", "A♣", "A♢"]


def test_cards_compare_by_rank(war: ModuleType) -> None:
    """S3-8, A3-10, A3-15: the suit does not count, and the ace is the highest."""
    for one, other in product(product(range(2, 15), "SH"), product(range(2, 15), "HC")):
        mine, yours = war.Card(*one), war.Card(*other)
        assert (mine > yours) is (one[0] > other[0])
        assert (mine < yours) is (one[0] < other[0])
        assert (mine == yours) is (one[0] == other[0])
        assert (mine != yours) is (one[0] != other[0])


def test_the_comparisons_of_the_notebook(war: ModuleType) -> None:
    """S3-8, S3-9: its own lines; two cards alike are two cards."""
    two = war.Card(2, "H")
    assert (two == war.Card(2, "S")) is True
    assert (two > war.Card(7, "S")) is False
    assert (two < war.Card(7, "S")) is True
    assert (two == war.Card(2, "H")) is True
    assert two is not war.Card(2, "H")


def test_cards_have_no_other_comparison(war: ModuleType) -> None:
    """S3-8, A3-10: nor a hash, since different cards are equal; only cards compare."""
    two = war.Card(2, "H")
    with pytest.raises(TypeError):
        hash(two)
    with pytest.raises(TypeError):
        assert two <= war.Card(2, "H")
    with pytest.raises(TypeError):
        assert two >= war.Card(2, "H")
    with pytest.raises(AttributeError):
        assert two == 5


def test_the_list_of_the_notebook(war: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """S3-8: the built-in functions work with cards, and equal ranks keep their order."""
    cards = [war.Card(3, "S"), war.Card(14, "D"), war.Card(10, "D"), war.Card(14, "H")]
    sys.stdout.write(f"cards: {cards}\nmax: {max(cards)}\nmin: {min(cards)}\n")
    sys.stdout.write(f"position of max card: {cards.index(max(cards))}\n")
    sys.stdout.write(f"regular sorted: {faces(sorted(cards))}\n")
    sys.stdout.write(f"reverse sorted: {faces(sorted(cards, reverse=True))}\n")
    assert (
        capsys.readouterr().out
        == """\
cards: [Card(3,'S'), Card(14,'D'), Card(10,'D'), Card(14,'H')]
max: A♢
min: 3♠
position of max card: 1
regular sorted: ['3♠', '10♢', 'A♢', 'A♡']
reverse sorted: ['A♢', 'A♡', '10♢', '3♠']
"""
    )


# The class Hand


def test_the_interface_of_a_hand(war: ModuleType) -> None:
    """S3-10, S3-15, A3-1: six public names, of which ``num_cards`` is a property."""
    assert public_names(war.Hand) == {
        "receive_cards", "receive_card", "shuffle", "give_card", "give_cards", "num_cards",
    }  # fmt: skip
    assert vars(war.Hand()) == {"cards": []}
    assert isinstance(war.Hand.num_cards, property)
    with pytest.raises(TypeError):
        war.Hand().num_cards()
    with pytest.raises(AttributeError):
        war.Hand().num_cards = 3


def test_hands_share_nothing(war: ModuleType) -> None:
    """S3-10, A3-7: neither the list that they are made of, nor one with another."""
    mine = [war.Card(2, "S")]
    one, other, empty = war.Hand(mine), war.Hand(mine), war.Hand()
    one.receive_card(war.Card(3, "S"))
    war.Hand().receive_card(war.Card(4, "S"))
    war.Player("Amy").receive_card(war.Card(4, "S"))
    assert (len(mine), one.num_cards, other.num_cards, empty.num_cards) == (1, 2, 1, 0)
    assert (war.Hand().num_cards, war.Player("Pam").num_cards) == (0, 0)


def test_the_hand_of_the_notebook(war: ModuleType) -> None:
    """S3-11, S3-13, S3-14, S3-15, S3-17: its own lines."""
    hand = war.Hand()
    assert hand.receive_card(war.Card(2, "S")) is None
    assert hand.receive_cards([war.Card(13, "H"), war.Card(7, "C")]) is None
    assert f"hand: {hand}" == "hand: ['2♠', 'K♡', '7♣']"
    assert repr(hand) == "Hand([Card(2,'S'), Card(13,'H'), Card(7,'C')])"
    assert f"num_cards: {hand.num_cards}" == "num_cards: 3"
    assert f"give card: {hand.give_card()}" == "give card: 2♠"
    assert f"rest of cards: {faces(hand.give_cards())}" == "rest of cards: ['K♡', '7♣']"
    assert (repr(hand), str(hand)) == ("Hand([])", "[]")
    assert repr(war.Hand([war.Card(2, "S")])) == "Hand([Card(2,'S')])"
    assert str(war.Hand([war.Card(2, "S")])) == "['2♠']"


def test_cards_go_in_at_the_bottom_and_out_at_the_top(war: ModuleType) -> None:
    """S3-11, S3-13: the very same cards, in order; an empty hand has none to give."""
    cards = [war.Card(rank, "C") for rank in range(2, 15)]
    hand = war.Hand(cards[:3])
    hand.receive_cards(iter(cards[3:]))
    assert all(hand.give_card() is card for card in cards)
    with pytest.raises(AssertionError):
        hand.give_card()
    assert hand.num_cards == 0


def test_giving_cards_one_after_the_other(war: ModuleType) -> None:
    """S3-14: a generator takes a card out only when it is asked for; then the next, to the end."""
    hand = war.Hand(war.Card(rank, "C") for rank in range(2, 6))
    giving = hand.give_cards()
    assert iter(giving) is giving
    assert hand.num_cards == 4
    assert (str(next(giving)), hand.num_cards) == ("2♣", 3)
    hand.receive_card(war.Card(14, "S"))
    assert faces(giving) == ["3♣", "4♣", "5♣", "A♠"]
    assert (hand.num_cards, faces(hand.give_cards())) == (0, [])


def test_going_through_a_hand(war: ModuleType) -> None:
    """S3-16: the cards stay where they are."""
    hand = war.Hand(war.Card(rank, "C") for rank in range(2, 6))
    assert [faces(hand), faces(hand)] == [["2♣", "3♣", "4♣", "5♣"]] * 2
    assert (hand.num_cards, len([*hand])) == (4, 4)
    assert war.Card(5, "H") in hand


def test_shuffling(war: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3-12: in place, by random.shuffle, the same cards; an empty hand stays so."""
    hand = war.Hand(war.Card(rank, "C") for rank in range(2, 15))
    inside, before = hand.cards, faces(hand)
    orders = set()
    for _ in range(20):
        assert hand.shuffle() is None
        assert hand.cards is inside
        assert sorted(faces(hand)) == sorted(before)
        orders.add(str(hand))
    assert len(orders) == 20
    war.Hand().shuffle()
    monkeypatch.setattr(random, "shuffle", list.reverse)
    order = faces(hand)
    hand.shuffle()
    assert faces(hand) == order[::-1]


# The classes Deck and Player


def test_a_deck(war: ModuleType) -> None:
    """S3-18, A3-2, A3-4: a hand of the 52, shuffled; its size stays when cards are given."""
    assert issubclass(war.Deck, war.Hand)
    assert public_names(war.Deck) == {"build_deck"}
    deck = war.Deck()
    assert {(card.rank, card.suit) for card in deck} == set(product(range(2, 15), "SHCD"))
    assert (deck.num_cards, deck.size) == (52, 52)
    assert len({str(war.Deck()) for _ in range(10)}) == 10
    assert f"size of deck: {deck.size}" == "size of deck: 52"
    top, rest = faces(deck)[0], faces(deck)[1:]
    assert str(deck.give_card()) == top
    assert faces(deck.give_cards()) == rest
    assert (deck.num_cards, deck.size) == (0, 52)


def test_a_deck_is_shuffled_once(war: ModuleType, unshuffled: list[list[str]]) -> None:
    """S3-18: with random.shuffle, when it is made."""
    deck = war.Deck()
    assert unshuffled == [faces(war.Deck.build_deck())] == [faces(deck)]


def test_building_a_deck(war: ModuleType) -> None:
    """S3-19: a static method, that returns a new list of 52 cards."""
    assert isinstance(vars(war.Deck)["build_deck"], staticmethod)
    one, other = war.Deck.build_deck(), war.Deck.build_deck()
    assert type(one) is list
    assert {(card.rank, card.suit) for card in one} == set(product(range(2, 15), "SHCD"))
    assert len(one) == 52
    assert faces(one) == faces(other)
    assert one[0] is not other[0]


def test_the_order_of_a_new_deck_is_always_the_same() -> None:
    """S3-19, A3-8: whatever Python's hashes are."""
    program = "import war; print(*war.Deck.build_deck())"
    runs = {
        piped([sys.executable, "-W", "error", "-c", program], FOLDER, "", PYTHONHASHSEED=seed)
        for seed in ("0", "1", "2")
    }
    assert len(runs) == 1


def test_a_player(war: ModuleType) -> None:
    """S3-20, A3-12: a hand with a name; both texts, with cards and without."""
    assert issubclass(war.Player, war.Hand)
    assert public_names(war.Player) == set()
    player = war.Player("Pam")
    assert vars(player) == {"cards": [], "name": "Pam"}
    assert (repr(player), str(player)) == ("Player('Pam', [])", "<'Pam' has []>")
    player.receive_card(war.Card(10, "H"))
    assert str(player) == "<'Pam' has ['10♡']>"
    assert repr(player) == "Player('Pam', [Card(10,'H')])"
    assert repr(war.Player("O'Neil", [war.Card(2, "S")])) == "Player(\"O'Neil\", [Card(2,'S')])"


# The class Game


def test_the_interface_of_a_game(war: ModuleType) -> None:
    """S3-21: four public methods, the players as they were given, and a deck."""
    assert public_names(war.Game) == {"deal", "turn", "play", "play_n_times"}
    players = [war.Player("Amy"), war.Player("Brad")]
    game = war.Game(players)
    assert vars(game).keys() == {"players", "deck"}
    assert game.players is players
    assert type(game.deck) is war.Deck
    assert (game.deck.num_cards, players[0].num_cards) == (52, 0)


@pytest.mark.parametrize("number", [0, 1])
def test_nobody_plays_alone(war: ModuleType, number: int) -> None:
    """S3-30, A3-9: fewer than two players are refused, instead of dealing for ever."""
    with pytest.raises(AssertionError, match=r"^War needs at least two players$"):
        war.Game([war.Player("Amy")][:number])


@pytest.mark.parametrize("number", range(2, 8))
def test_the_deal(war: ModuleType, number: int) -> None:
    """S3-1, S3-22, S3-30, A3-9: card by card, the first player first, until there is none."""
    game = war.Game([war.Player(str(seat)) for seat in range(number)])
    order = list(game.deck)
    assert game.deal() is None
    for seat, player in enumerate(game.players):
        assert faces(player) == faces(order[seat::number])
    assert game.deck.num_cards == 0
    counts = [player.num_cards for player in game.players]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] - counts[-1] == (1 if 52 % number else 0)
    game.deal()
    assert [player.num_cards for player in game.players] == counts


def test_three_players_get_18_17_and_17(war: ModuleType) -> None:
    """S3-22, S3-30, A3-9: where the notebook's deal fails."""
    game = war.Game([war.Player(name) for name in NAMES[:3]])
    game.deal()
    assert [player.num_cards for player in game.players] == [18, 17, 17]


def test_no_turn_without_cards(war: ModuleType, game_of: Callable[..., Any]) -> None:
    """S3-23, S3-29: before the deal, and after the end of the game."""
    for game in (
        war.Game([war.Player("Amy"), war.Player("Brad")]),
        game_of("2♠ 3♠", ""),
        game_of("", "2♠"),
        game_of("", "2♠ 3♠", ""),
    ):
        before = table_of(game)
        with pytest.raises(AssertionError):
            game.turn()
        assert table_of(game) == before


TURNS = {
    "first": ("A♡ 3♠", "2♢ 4♠", 0, ["3♠ A♡ 2♢", "4♠"], "war: ['A♡', '2♢'] => Amy\n"),
    "second": ("9♡ 3♠", "10♢ 4♠", 1, ["3♠", "4♠ 9♡ 10♢"], "war: ['9♡', '10♢'] => Brad\n"),
    "tie": (
        "A♡ 7♡ 2♠",
        "A♢ 5♢ J♠",
        0,
        ["2♠ 7♡ 5♢ A♡ A♢", "J♠"],
        "war: ['A♡', 'A♢'] TIE!\nwar: ['7♡', '5♢', 'A♡', 'A♢'] => Amy\n",
    ),
    "two ties": (
        "6♣ K♢ 10♣",
        "6♠ K♡ 8♣ 4♠",
        0,
        ["10♣ 8♣ K♢ K♡ 6♣ 6♠", "4♠"],
        """\
war: ['6♣', '6♠'] TIE!
war: ['K♢', 'K♡', '6♣', '6♠'] TIE!
war: ['10♣', '8♣', 'K♢', 'K♡', '6♣', '6♠'] => Amy
""",
    ),
    "first out in a tie": (
        "6♣",
        "6♠ 2♡",
        1,
        ["", "2♡ 6♣ 6♠"],
        "war: ['6♣', '6♠'] => Brad\n",
    ),
    "second out in a tie": (
        "6♣ 2♡",
        "6♠",
        0,
        ["2♡ 6♣ 6♠", ""],
        "war: ['6♣', '6♠'] => Amy\n",
    ),
    "first out in a second tie": (
        "6♣ K♢",
        "6♠ K♡ 2♡",
        1,
        ["", "2♡ K♢ K♡ 6♣ 6♠"],
        "war: ['6♣', '6♠'] TIE!\nwar: ['K♢', 'K♡', '6♣', '6♠'] => Brad\n",
    ),
    "both out in a tie": ("6♣", "6♠", 1, ["", "6♣ 6♠"], "war: ['6♣', '6♠'] => Brad\n"),
    "both out in a second tie": (
        "6♣ 9♣",
        "6♠ 9♠",
        1,
        ["", "9♣ 9♠ 6♣ 6♠"],
        "war: ['6♣', '6♠'] TIE!\nwar: ['9♣', '9♠', '6♣', '6♠'] => Brad\n",
    ),
}


@pytest.mark.parametrize("case", TURNS.values(), ids=TURNS)
def test_a_turn_of_two(
    game_of: Callable[..., Any],
    unshuffled: list[list[str]],
    capsys: pytest.CaptureFixture[str],
    case: tuple[str, str, int, list[str], str],
) -> None:
    """S3-2, S3-3, S3-4, S3-23, S3-24, S3-25, A3-3, A3-5, A3-6: who takes what, and the log of it.

    The pile goes under the winner's hand, which is shuffled as a whole; the other keeps its order.
    """
    amy, brad, winner, after, log = case
    game = game_of(amy, brad)
    unshuffled.clear()
    assert game.turn(do_print=True) is game.players[winner]
    assert table_of(game) == after
    assert capsys.readouterr().out == log
    assert unshuffled == [after[winner].split()]
    quiet = game_of(amy, brad)
    assert quiet.turn() is quiet.players[winner]
    assert capsys.readouterr().out == ""


MORE = {
    "the highest takes all": (
        ["2♠ 3♠", "9♠ 4♠", "5♠ 6♠"],
        1,
        ["3♠", "4♠ 2♠ 9♠ 5♠", "6♠"],
        "war: ['2♠', '9♠', '5♠'] => Brad\n",
    ),
    "a tie that is not the highest": (
        ["2♠ 3♠", "2♡ 4♠", "5♠ 6♠"],
        2,
        ["3♠", "4♠", "6♠ 2♠ 2♡ 5♠"],
        "war: ['2♠', '2♡', '5♠'] => Carl\n",
    ),
    "only the tied go on": (
        ["9♠ 3♠ 8♡", "2♡ A♠", "9♡ 6♠ 7♡"],
        2,
        ["8♡", "A♠", "7♡ 3♠ 6♠ 9♠ 2♡ 9♡"],
        "war: ['9♠', '2♡', '9♡'] TIE!\nwar: ['3♠', '6♠', '9♠', '2♡', '9♡'] => Carl\n",
    ),
    "one of the tied has no card": (
        ["9♠", "9♣ 3♣ 2♣", "9♡ 6♠ 7♡"],
        2,
        ["", "2♣", "7♡ 3♣ 6♠ 9♠ 9♣ 9♡"],
        "war: ['9♠', '9♣', '9♡'] TIE!\nwar: ['3♣', '6♠', '9♠', '9♣', '9♡'] => Carl\n",
    ),
    "one of the tied has a card": (
        ["9♠", "9♣ 3♣", "9♡"],
        1,
        ["", "3♣ 9♠ 9♣ 9♡", ""],
        "war: ['9♠', '9♣', '9♡'] => Brad\n",
    ),
    "none of the tied has a card: the last-seated": (
        ["9♠", "9♣", "2♡ 4♡"],
        1,
        ["", "9♠ 9♣ 2♡", "4♡"],
        "war: ['9♠', '9♣', '2♡'] => Brad\n",
    ),
    "who is out shows nothing": (
        ["", "9♣ 5♡", "2♡ 4♡"],
        1,
        ["", "5♡ 9♣ 2♡", "4♡"],
        "war: ['9♣', '2♡'] => Brad\n",
    ),
}


@pytest.mark.parametrize("case", MORE.values(), ids=MORE)
def test_a_turn_of_three(
    game_of: Callable[..., Any],
    unshuffled: list[list[str]],
    capsys: pytest.CaptureFixture[str],
    case: tuple[list[str], int, list[str], str],
) -> None:
    """S3-30, A3-3, A3-9: the notebook's exercise."""
    hands, winner, after, log = case
    game = game_of(*hands)
    unshuffled.clear()
    assert game.turn(do_print=True) is game.players[winner]
    assert table_of(game) == after
    assert capsys.readouterr().out == log
    assert unshuffled == [after[winner].split()]


START = """\
at start <'Amy' has ['A♡', '6♢', 'Q♡', '8♢', '2♡', 'A♠', '3♢', '9♡', 'K♢', '10♣', '9♠', '5♡', \
'10♢', '2♠', '8♡', '7♡', '9♣', 'Q♣', 'Q♢', '9♢', '3♠', '3♣', 'J♡', '7♠', 'K♡', '10♠']>
at start <'Brad' has ['2♢', 'A♢', '5♢', 'J♠', '3♡', 'J♣', '7♢', '2♣', '8♠', '4♢', 'K♣', '6♣', \
'6♠', '6♡', '7♣', '4♡', '4♣', 'K♠', '5♠', '10♡', '4♠', 'A♣', 'Q♠', '8♣', '5♣', 'J♢']>
"""
LOG = """\
war: ['A♡', '2♢'] => Amy
war: ['A♡', 'A♢'] TIE!
war: ['7♡', '5♢', 'A♡', 'A♢'] => Amy
war: ['2♠', 'J♠'] => Brad
war: ['K♡', '8♠'] => Amy
war: ['3♢', 'J♣'] => Brad
war: ['9♢', '3♢'] => Amy
war: ['Q♢', '8♣'] => Amy
war: ['7♠', 'K♠'] => Brad
war: ['A♠', '6♠'] => Amy
war: ['2♢', '6♡'] => Brad
war: ['10♠', '7♢'] => Amy
war: ['J♡', 'J♢'] TIE!
war: ['7♢', 'J♣', 'J♡', 'J♢'] => Brad
war: ['9♡', '3♡'] => Amy
war: ['6♢', 'J♠'] => Brad
"""
"""How the game that the notebook printed began."""


def shown_in(log: str) -> tuple[list[list[str]], list[int]]:
    """The cards that each of two players showed, and how many when each turn was over."""
    rows, turns = [], []
    for line in log.splitlines():
        rows.append(re.findall(r"'(.+?)'", line)[:2])
        if "=>" in line:
            turns.append(len(rows))
    return [list(column) for column in zip(*rows, strict=True)], turns


def test_the_printed_game_of_the_notebook(
    war: ModuleType,
    card: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """S3-1, S3-2, S3-3, S3-5, S3-24, S3-26: its lines, with shuffles that bring them about."""
    hands = [re.findall(r"'(\S+?)'[,\]]", line) for line in START.splitlines()]
    assert list(map(len, hands)) == [26, 26]
    columns, turns = shown_in(LOG)
    game = war.Game([war.Player("Amy"), war.Player("Brad")])
    game.deck.cards = [card(face) for pair in zip(*hands, strict=True) for face in pair]
    real, done = random.Random(3).shuffle, iter(turns)

    def arrange(cards: list[Any]) -> None:
        """Put on top what the player is about to show."""
        shown = next(done, None)
        if shown is None:
            real(cards)
            return
        coming = columns[cards is game.players[1].cards][shown:]
        cards.sort(key=lambda one: coming.index(str(one)) if str(one) in coming else 99)

    monkeypatch.setattr(random, "shuffle", arrange)
    winner = game.play(do_print=True)
    printed = capsys.readouterr().out
    assert printed.startswith(START + LOG)
    assert printed.endswith(f" => {winner.name}\n{winner.name} wins!\n")
    assert printed.count("wins!") == 1
    assert winner.num_cards == 52


def test_a_quiet_game(war: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """S3-5, S3-26, S3-29: nothing is printed; who is returned has all cards, the other none."""
    for number in range(2, 7):
        game = war.Game([war.Player(name) for name in NAMES[:number]])
        winner = game.play()
        assert capsys.readouterr().out == ""
        assert winner in [*game.players]
        counts = {player.name: player.num_cards for player in game.players}
        assert counts == {**dict.fromkeys(NAMES[:number], 0), winner.name: 52}


@pytest.mark.parametrize("number", range(2, 6))
def test_cards_are_conserved(war: ModuleType, number: int) -> None:
    """S3-12, S3-28: 52 different ones after every turn, and only the winner's hand is shuffled."""
    game = war.Game([war.Player(name) for name in NAMES[:number]])
    game.deal()
    whole = sorted(map(repr, war.Deck.build_deck()))
    for _ in range(150):
        if sum(player.num_cards > 0 for player in game.players) < 2:
            break
        before = {player.name: faces(player) for player in game.players}
        winner = game.turn()
        assert sorted(repr(card) for player in game.players for card in player) == whole
        for player in game.players:
            if player is not winner:
                mine = faces(player)
                assert mine == before[player.name][len(before[player.name]) - len(mine) :]


def test_a_second_game_with_the_same_players(
    war: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A3-13: the cards are collected, shuffled and dealt again."""
    asked: list[int] = []
    real = random.Random(13).shuffle
    monkeypatch.setattr(random, "shuffle", lambda cards: (asked.append(len(cards)), real(cards)))
    for number in (2, 3):
        game = war.Game([war.Player(name) for name in NAMES[:number]])
        assert game.play().num_cards == 52
        asked.clear()
        assert game.play().num_cards == 52
        assert asked[0] == 52
        assert asked[1] < 52


def test_an_open_game_goes_on(
    game_of: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """A3-13, S3-30: also with a player who is out already."""
    game = game_of("A♠", "", "2♠")
    assert game.play(do_print=True).name == "Amy"
    assert capsys.readouterr().out == (
        "at start <'Amy' has ['A♠']>\nat start <'Brad' has []>\nat start <'Carl' has ['2♠']>\n"
        "war: ['A♠', '2♠'] => Amy\nAmy wins!\n"
    )


def test_playing_many_games(
    war: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """S3-27: the notebook's tables, from wins that are given here, counted anew each time."""
    players = [war.Player("Amy"), war.Player("Brad")]
    game = war.Game(players)
    wins = iter([0, 1, 0, 1, 1])
    monkeypatch.setattr(game, "play", lambda: players[next(wins)])
    for number in (3, 2, 0):
        assert game.play_n_times(number) is None
    assert capsys.readouterr().out == (
        "\nPlayed 3 hands\n   Amy wins: 2\n   Brad wins: 1\n"
        "\nPlayed 2 hands\n   Amy wins: 0\n   Brad wins: 2\n"
        "\nPlayed 0 hands\n   Amy wins: 0\n   Brad wins: 0\n"
    )
    assert [player.wins for player in players] == [0, 0]


@pytest.mark.parametrize("number", [2, 3, 4])
def test_after_many_games_the_cards_are_dealt(
    war: ModuleType, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    """S3-27, S3-28, S3-30: the wins sum to n, the deck is empty, and one can play on."""
    game = war.Game([war.Player(name) for name in NAMES[:number]])
    for games in (3, 8):
        game.play_n_times(games)
        table = capsys.readouterr().out
        assert re.fullmatch(rf"\nPlayed {games} hands\n(   \w+ wins: \d+\n){{{number}}}", table)
        assert sum(map(int, re.findall(r"wins: (\d+)", table))) == games
        assert sum(player.wins for player in game.players) == games
        assert game.deck.num_cards == 0
        expected = [52 // number + (seat < 52 % number) for seat in range(number)]
        assert [player.num_cards for player in game.players] == expected
        assert len({str(card) for player in game.players for card in player}) == 52
    assert game.play().num_cards == 52


# Against the rules in other words, the project's, and the web table


def by_the_rules(
    hands: list[list[tuple[int, str]]], names: Sequence[str], shuffle: Callable[[list[Any]], None]
) -> Iterator[str]:
    """The lines of a whole game, from the sheet's prose and what it says of more players."""

    def line(end: str) -> str:
        return f"war: {[RANKS[rank - 2] + SYMBOLS[suit] for rank, suit in pile]} {end}"

    seats = list(range(len(hands)))
    while len([hand for hand in hands if hand]) > 1:
        showing, pile = [seat for seat in seats if hands[seat]], []
        winner = None
        while winner is None:
            row = {seat: hands[seat].pop(0) for seat in showing}
            pile = list(row.values()) + pile
            best = max(rank for rank, _ in row.values())
            tied = [seat for seat in showing if row[seat][0] == best]
            showing = [seat for seat in tied if hands[seat]]
            if len(tied) == 1 or not showing:
                winner = tied[-1]
            elif len(showing) == 1:
                winner = showing[0]
            else:
                yield line("TIE!")
        hands[winner].extend(pile)
        shuffle(hands[winner])
        yield line(f"=> {names[winner]}")
    yield f"{names[winner]} wins!"


@pytest.mark.parametrize("number", range(2, 7))
def test_whole_games_go_by_the_rules(
    war: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: int,
) -> None:
    """S3-2, S3-3, S3-4, S3-5, S3-23, S3-24, S3-25, S3-26, S3-30, A3-5, A3-6, A3-9: line by line."""
    names = NAMES[:number]
    for seed in range(12):
        monkeypatch.setattr(random, "shuffle", random.Random(seed).shuffle)
        game = war.Game([war.Player(name) for name in names])
        deck = [(card.rank, card.suit) for card in game.deck]
        luck = random.Random(f"{seed}").shuffle
        monkeypatch.setattr(random, "shuffle", luck)
        game.play(do_print=True)
        lines = capsys.readouterr().out.splitlines()[number:]
        hands = [deck[seat::number] for seat in range(number)]
        expected = by_the_rules(hands, names, random.Random(f"{seed}").shuffle)
        assert lines == list(expected)


def known(player: Iterable[Any]) -> list[tuple[int, str]]:
    return [(card.rank, card.suit) for card in player]


@pytest.mark.parametrize("number", range(2, 7))
def test_the_sheet_and_the_rules_of_the_project_agree(
    war: ModuleType, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """S3-1, S3-2, S3-3, S3-4, S3-22, S3-25, S3-30, A3-8: hand by hand, with the same shuffles."""
    for seed in range(6):
        monkeypatch.setattr(random, "shuffle", random.Random(seed).shuffle)
        rng = random.Random(seed)
        game = war.Game([war.Player(name) for name in NAMES[:number]])
        game.deal()
        hands = dealt(shuffled(FULL_DECK, rng), number)
        winner = None
        while sum(map(bool, hands)) > 1:
            battle = fight(hands)
            hands = taken(hands, battle, rng)
            winner = game.turn()
            assert winner is game.players[battle.taker]
            for player, hand in zip(game.players, hands, strict=True):
                assert known(player) == [(STRENGTH[card], card.suit) for card in hand]
        assert winner is not None
        assert winner.num_cards == game.deck.size


@pytest.mark.parametrize("number", [2, 3, 6])
def test_the_sheet_and_the_web_table_agree(
    war: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: int,
) -> None:
    """S3-24, S3-26, S3-29, S3-30: whole games, line by line as both tell them."""
    table = GAMES["war"]
    for seed in range(6):
        monkeypatch.setattr(random, "shuffle", random.Random(seed).shuffle)
        rng = random.Random(seed)
        game = war.Game([war.Player(name) for name in NAMES[:number]])
        seats = {"players": str(number), "names": ", ".join(NAMES[:number])}
        state = table.play(table.start(), "deal", seats, rng)
        winner = game.play(do_print=True)
        told = []
        while table.view(state).winner is None:
            state = table.play(state, "turn", {"turns": "1"}, rng)
            told += table.view(state).messages
        printed = capsys.readouterr().out.splitlines()
        assert printed[number:] == [line for line in told if re.match(r"war: |.* wins!", line)]
        view = table.view(state)
        assert view.winner == winner.name
        assert [player.cards for player in view.players] == [
            player.num_cards for player in game.players
        ]


def test_how_long_it_takes(war: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3-31, A3-14, A3-15: turns a game, ties, and who wins, as measured over 300,000 games."""
    games = 250
    monkeypatch.setattr(random, "shuffle", random.Random(574).shuffle)
    turns, wins, first_ties = [], 0, 0
    for _ in range(games):
        game = war.Game([war.Player("Amy"), war.Player("Brad")])
        game.deal()
        first_ties += game.players[0].cards[0] == game.players[1].cards[0]
        count, winner = 1, game.turn()
        while winner.num_cards < 52:
            count, winner = count + 1, game.turn()
        turns.append(count)
        wins += winner.name == "Amy"
    assert abs(sum(turns) / games - 574) < 3 * 471 / games**0.5
    assert abs(wins - games / 2) < 3 * games**0.5 / 2
    assert abs(first_ties - games / 17) < 3 * (games / 17 * 16 / 17) ** 0.5
    assert min(turns) >= 26
    assert max(turns) < 8461


def test_the_first_battle_ties_in_one_of_seventeen(war: ModuleType) -> None:
    """S3-31: exactly, over every pair of different cards."""
    pairs = list(permutations(war.Deck.build_deck(), 2))
    ties = sum(one == other for one, other in pairs)
    assert Fraction(ties, len(pairs)) == Fraction(1, 17)
    assert sum(one > other for one, other in pairs) * 17 == 8 * len(pairs)


@pytest.mark.parametrize(
    ("ranks", "mean", "first"),
    [(2, Fraction(13, 6), Fraction(1, 4)), (3, Fraction(7732453, 1521450), Fraction(617, 1470))],
)
def test_small_decks(
    war: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    ranks: int,
    mean: Fraction,
    first: Fraction,
) -> None:
    """S3-31, A3-3, A3-4: two suits of two or three ranks, as exactly worked out elsewhere."""
    games, turns, wins = 4000, 0, 0
    luck = random.Random(ranks)
    shuffles = []
    monkeypatch.setattr(random, "shuffle", lambda cards: (shuffles.append(1), luck.shuffle(cards)))
    for _ in range(games):
        game = war.Game([war.Player("Amy"), war.Player("Brad")])
        game.deck.cards = [war.Card(rank, suit) for rank in range(2, 2 + ranks) for suit in "SH"]
        game.deck.size = 2 * ranks
        game.deck.shuffle()
        shuffles.clear()
        wins += game.play().name == "Amy"
        turns += len(shuffles)
    assert abs(turns / games - mean) < 0.25
    assert abs(wins / games - first) < 3 * float(first * (1 - first) / games) ** 0.5


# The program


def test_everything_has_a_docstring() -> None:
    """S3-6, S3-21: modules, classes and functions say what they do."""
    assert undocumented("war") == []


def test_the_rules_are_asked_of_the_project() -> None:
    """S3-23, A3-9: the game itself compares how many cards there are, and never the cards."""
    tree = ast.parse((FOLDER / "war.py").read_text())
    game = next(node for node in tree.body if getattr(node, "name", "") == "Game")
    compared = {ast.unparse(node.left) for node in ast.walk(game) if isinstance(node, ast.Compare)}
    assert compared == {
        "len(players)", "self._in_play()", "self.deck.num_cards", "winner.num_cards",
        "player.num_cards",
    }  # fmt: skip


@pytest.mark.parametrize("how", ["file", "module"])
def test_the_program(how: str) -> None:
    """S3-26, S3-27, S3-30: one game aloud, then the notebook's tables, and those of three."""
    printed = piped(*command("war", "war", how), "")
    game, *tables = printed.split("\n\n")
    lines = game.splitlines()
    for name, line in zip(("Amy", "Brad"), lines, strict=False):
        assert re.fullmatch(rf"at start <'{name}' has \[('\w+[♠♡♣♢]'(, )?){{26}}\]>", line)
    card = r"'\w+[♠♡♣♢]'"
    for line in lines[2:-1]:
        assert re.fullmatch(rf"war: \[{card}(, {card})+\] (TIE!|=> (Amy|Brad))", line)
    assert re.fullmatch(r"(Amy|Brad) wins!", lines[-1])
    expected = [(3, 2), (30, 2), (100, 2), (3, 3), (30, 3), (100, 3)]
    for table, (games, players) in zip(tables, expected, strict=True):
        heading, *rows = table.splitlines()
        assert heading == f"Played {games} hands"
        assert [row.partition(" wins: ")[0] for row in rows] == [
            f"   {name}" for name in NAMES[:players]
        ]
        assert sum(int(row.partition(" wins: ")[2]) for row in rows) == games


def test_the_program_under_the_sheets_name() -> None:
    """S3-21: it can be imported from its own folder, and then plays nothing."""
    program = "from war import Card, Hand, Deck, Player, Game; print(repr(Card(2, 'H')))"
    assert piped([sys.executable, "-W", "error", "-c", program], FOLDER, "") == "Card(2,'H')\n"
    whole = "import cardgames.assignments.war.war as whole; print(whole.Card(14, 'D'))"
    assert piped([sys.executable, "-W", "error", "-c", whole], ROOT, "") == "A♢\n"


@pytest.mark.parametrize("how", ["file", "module"])
def test_the_program_in_a_terminal(how: str) -> None:
    """S3-26, S3-27: Ctrl-C ends it without a traceback, and before the last table."""
    screen = in_terminal(*command("war", "war", how), [("Played 30 hands", INTERRUPT)])
    assert screen.startswith("at start <'Amy' has ['")
    assert "\nPlayed 3 hands\n" in screen
    assert "Traceback" not in screen
    assert screen.count("Played") < 6
    assert screen.endswith("\n")


def test_nobody_reads_to_the_end() -> None:
    """S3-26: as with ``python war.py | head``."""
    arguments, folder = command("war", "war", "file")
    with subprocess.Popen(
        arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout.readline().startswith(b"at start <'Amy'")
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait(20) == 0


def test_the_file_is_the_sheets() -> None:
    """S3-21: ``war.py`` and nothing else."""
    files = {Path(file).name for file in FOLDER.glob("*.py")}
    assert files == {"war.py", "__init__.py"}
