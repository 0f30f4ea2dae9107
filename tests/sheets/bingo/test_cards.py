"""Bingo: the classes Card and Deck."""

import itertools
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.sheets.bingo.support import CODES, DOWN, FOLDER, ORDER, UP, code_of, codes_in, places_of
from tests.support.sheets import public_names


def test_the_interface_of_a_card(cards: ModuleType) -> None:
    """S4-2, S4-6, A4-31: four public methods, three private attributes, upper case inside."""
    assert public_names(cards.Card) == {"getRank", "getSuit", "isFaceUp", "turnOver"}
    assert {"__eq__", "__str__"} <= vars(cards.Card).keys()
    assert vars(cards.Card("t", "h", DOWN)) == {
        "_Card__rank": "T",
        "_Card__suit": "H",
        "_Card__faceUp": False,
    }


def test_every_card_in_either_case(cards: ModuleType) -> None:
    """S4-1, S4-3, S4-4, S4-6, S4-7, S4-10, A4-1: 52 cards, ``[ TH ]`` up and ``[ ]`` down."""
    made = set()
    for rank, suit in itertools.product("Aa23456789TtJjQqKk", "SsHhDdCc"):
        card = cards.Card(rank, suit, UP)
        assert (card.getRank(), card.getSuit()) == (rank.upper(), suit.upper())
        assert str(card) == "[ " + rank.upper() + suit.upper() + " ]"
        assert str(cards.Card(rank, suit, DOWN)) == "[ ]"
        made.add(str(card))
    assert len(made) == 52
    assert {len(text) for text in made} == {6}


NOT_RANKS = ["", "1", "0", "10", "X", "23", "TJ", " ", "A ", "K\u0307", "\u212a", 2, None, True,
             b"A", ["A"], ("A",)]  # fmt: skip
NOT_SUITS = ["", "X", "SH", "HD", "SHDC", " ", "S ", "\u017f", "♠", 1, None, False, b"S", ["S"]]


@pytest.mark.parametrize("rank", NOT_RANKS, ids=repr)
def test_what_is_no_rank(cards: ModuleType, rank: object) -> None:
    """S4-3, A4-36: an AssertionError, for several characters of the list at once too."""
    with pytest.raises(AssertionError):
        cards.Card(rank, "S", UP)


@pytest.mark.parametrize("suit", NOT_SUITS, ids=repr)
def test_what_is_no_suit(cards: ModuleType, suit: object) -> None:
    """S4-4, A4-36: an AssertionError, for several characters of the list at once too."""
    with pytest.raises(AssertionError):
        cards.Card("A", suit, UP)


@pytest.mark.parametrize("face_up", [0, 1, None, "True", "", []], ids=repr)
def test_a_card_lies_up_or_down(cards: ModuleType, face_up: object) -> None:
    """S4-5: only True and False say which."""
    with pytest.raises(AssertionError):
        cards.Card("A", "S", face_up)


def test_turning_over(card: Callable[..., Any]) -> None:
    """S4-8, S4-10, A4-32: up becomes down, and down becomes up again; None is returned."""
    ten = card("TH")
    assert (ten.isFaceUp(), str(ten)) == (True, "[ TH ]")
    assert ten.turnOver() is None
    assert (ten.isFaceUp(), str(ten)) == (False, "[ ]")
    assert ten.turnOver() is None
    assert (ten.isFaceUp(), str(ten)) == (True, "[ TH ]")
    assert (ten.getRank(), ten.getSuit()) == ("T", "H")


def test_equal_cards(card: Callable[..., Any]) -> None:
    """S4-9, A4-27: rank and suit count, the face does not; nothing else is a card."""
    for one, other in itertools.product(CODES, repeat=2):
        assert (card(one, UP) == card(other, DOWN)) is (one == other)
    for thing in ("KS", None, 13, ["K", "S"], object()):
        assert (card("KS") == thing) is False
        assert card("KS") != thing


def test_the_interface_of_a_deck(cards: ModuleType, load: Callable[[str], ModuleType]) -> None:
    """S4-12, S4-13: four public methods, one private circular queue for 52 cards, empty."""
    assert public_names(cards.Deck) == {"addCard", "dealCard", "deckSize", "isComplete"}
    assert "__str__" in vars(cards.Deck)
    deck = cards.Deck()
    (attribute,) = vars(deck)
    assert attribute.startswith("_Deck__")
    queue = getattr(deck, attribute)
    assert type(queue) is load("queues").CircularQueue
    assert (queue.capacity(), queue.size(), deck.deckSize()) == (52, 0, 0)


def test_the_queues_are_those_of_the_other_sheet(load: Callable[[str], ModuleType]) -> None:
    """S4-13: from queues.py of the lab, which is one module for both sheets."""
    queues = load("queues")
    assert Path(queues.__file__) == FOLDER / "queues.py"
    assert queues.CircularQueue.__module__ == "course.sheets.simple21.queues"
    assert public_names(queues) == {"BoundedQueue", "CircularQueue", "Path", "sys"}


def test_adding_and_dealing(cards: ModuleType, card: Callable[..., Any]) -> None:
    """S4-14, S4-17, S4-19, A4-6: in at the bottom face down, out at the top face up; the same."""
    deck = cards.Deck()
    added = [card(code, face_up) for code, face_up in zip(ORDER, itertools.cycle([UP, DOWN]))]
    for count, one in enumerate(added, start=1):
        assert deck.addCard(one) is None
        assert (one.isFaceUp(), deck.deckSize()) == (False, count)
    for left, one in enumerate(added[:40], start=1):
        dealt = deck.dealCard()
        assert dealt is one
        assert (dealt.isFaceUp(), deck.deckSize()) == (True, 52 - left)
    for one in added[:40]:
        deck.addCard(one)
    assert [deck.dealCard() for _ in range(52)] == added[40:] + added[:40]
    assert type(deck.deckSize()) is int


def test_a_deck_costs_the_same_for_every_card(cards: ModuleType, card: Callable[..., Any]) -> None:
    """S4-14, S4-17: adding and dealing change one place of the queue, however many cards lie."""
    deck = cards.Deck()
    for code in CODES:
        deck.addCard(card(code))
    (queue,) = vars(deck).values()
    places = queue._CircularQueue__places
    for _ in range(120):
        before = list(places)
        dealt = deck.dealCard()
        assert sum(one is not other for one, other in zip(before, places, strict=True)) == 1
        deck.addCard(dealt)
        assert [*map(id, places)] == [*map(id, before)]


@pytest.mark.parametrize("thing", ["KS", None, 13, ["K", "S"]])
def test_only_cards_go_into_a_deck(cards: ModuleType, thing: object) -> None:
    """S4-15: an AssertionError with the sheet's words, and the deck stays empty."""
    deck = cards.Deck()
    with pytest.raises(AssertionError) as refusal:
        deck.addCard(thing)
    assert refusal.value.args == ("Can only add cards to deck",)
    assert deck.deckSize() == 0


@pytest.mark.parametrize("face_up", [UP, DOWN])
def test_a_full_deck(
    cards: ModuleType,
    card: Callable[..., Any],
    face_up: bool,  # noqa: FBT001
) -> None:
    """S4-16, A4-5: the message shows the card face up, and the card stays as it lay."""
    deck = cards.Deck()
    for code in CODES:
        deck.addCard(card(code))
    extra = card("ks", face_up)
    with pytest.raises(Exception) as refusal:
        deck.addCard(extra)
    assert type(refusal.value) is Exception
    assert refusal.value.args == ("Cannot add [ KS ]: Deck is full",)
    assert extra.isFaceUp() is face_up
    assert codes_in(deck) == CODES


def test_an_empty_deck(cards: ModuleType, card: Callable[..., Any]) -> None:
    """S4-18, A4-34: nothing to deal, and a text all the same."""
    deck = cards.Deck()
    for _ in range(2):
        with pytest.raises(Exception) as refusal:
            deck.dealCard()
        assert type(refusal.value) is Exception
        assert refusal.value.args == ("Cannot deal card from empty deck",)
        assert str(deck) == "top ->  <- bottom"
        deck.addCard(card("KS"))
        deck.dealCard()


def test_a_complete_deck(cards: ModuleType, card: Callable[..., Any]) -> None:
    """S4-20, A4-33: 52 different cards, looked through without a change; neither 51 nor a pair."""
    deck = cards.Deck()
    order = ORDER[:]
    for code in order:
        assert deck.isComplete() is False
        deck.addCard(card(code))
    for _ in range(3):
        assert deck.isComplete() is True
        assert (codes_in(deck), deck.deckSize()) == (order, 52)
        top = deck.dealCard()
        assert deck.isComplete() is False
        deck.addCard(top)
        order = order[1:] + order[:1]
    top = deck.dealCard()
    deck.addCard(card(order[1]))
    assert deck.deckSize() == 52
    assert deck.isComplete() is False
    assert not any(one.isFaceUp() for one in places_of(deck))
    assert code_of(top) == order[0]


def test_a_deck_as_text(cards: ModuleType, card: Callable[..., Any]) -> None:
    """S4-21: every rank and suit, the top card first; nothing is changed by looking."""
    deck = cards.Deck()
    for code in ORDER[:3]:
        deck.addCard(card(code))
    assert [str(deck), str(deck)] == ["top -> [ KS ][ JH ][ AH ] <- bottom"] * 2
    assert not any(one.isFaceUp() for one in places_of(deck))
    assert [code_of(deck.dealCard()) for _ in range(3)] == ["KS", "JH", "AH"]
