"""War: the classes Card, Hand, Deck and Player."""

import random
import sys
from itertools import product
from types import ModuleType

import pytest

from tests.sheets.war.support import FOLDER, RANKS, SYMBOLS, faces
from tests.support.sheets import piped, public_names


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
