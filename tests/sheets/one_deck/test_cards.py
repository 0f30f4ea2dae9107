"""One-deck Blackjack: the course's module of cards."""

import itertools
import random
from types import ModuleType
from typing import Any

import pytest

from cardgames.games.twentyone.rules import POINTS
from tests.sheets.one_deck.support import ORDER
from tests.support.sheets import public_names, undocumented


def test_the_interface_of_the_cards(cards: ModuleType) -> None:
    """S2-17: the course's methods, and the names that its later editions have."""
    assert public_names(cards.Card) == {
        "get_rank", "get_suit", "get_value", "rank", "suit", "value", "rank_list", "suit_list",
    }  # fmt: skip
    assert cards.Card.rank_list == ["x", *"A23456789TJQK"]
    assert cards.Card.suit_list == ["x", *"cdhs"]
    assert public_names(cards.Deck) == {"shuffle", "deal", "cards_count", "is_empty", "display"}
    for thing in (cards.Card(1, 1), cards.Deck()):
        assert all(name.startswith(f"_{type(thing).__name__}__") for name in vars(thing))
    assert undocumented("one_deck") == []


def test_cards(cards: ModuleType) -> None:
    """S2-1, S2-17: rank, suit, value and text; the value is the project's, with the ace as 1."""
    points = list(POINTS.values())
    for (suit, letter), (rank, char) in itertools.product(
        enumerate("cdhs", 1), enumerate("A23456789TJQK", 1)
    ):
        card = cards.Card(rank, suit)
        assert (card.get_rank(), card.get_suit()) == (card.rank(), card.suit()) == (rank, suit)
        assert card.get_value() == card.value() == points[rank - 1]
        assert str(card) == repr(card) == char + letter


@pytest.mark.parametrize(
    "arguments",
    [(), (0, 0), (0, 1), (1, 0), (14, 1), (1, 5), (-1, 1), ("A", "c"), (1.0, 1), (None, 1)],
)
def test_the_blank_card(cards: ModuleType, arguments: tuple[Any, ...]) -> None:
    """S2-17: anything that is no card is blank, without an exception."""
    card = cards.Card(*arguments)
    assert (card.get_rank(), card.get_suit(), card.get_value(), str(card)) == (0, 0, 0, "xx")


def test_cards_compare_by_rank(cards: ModuleType) -> None:
    """S2-1, S2-17: suits are not important."""
    low, other, high = cards.Card(2, 1), cards.Card(2, 4), cards.Card(13, 1)
    assert low == other
    assert not low != other  # noqa: SIM202 - each operator is meant
    assert (low != high, low < high, low <= other, high > low, high >= low) == (True,) * 5
    assert (low > high, low < other, low == "2c") == (False,) * 3
    with pytest.raises(TypeError):
        low < 3  # noqa: B015


def test_decks(cards: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """S2-3, S2-17: 52 cards, suit by suit, the last one on top; None when there is none."""
    deck = cards.Deck()
    assert str(deck) == repr(deck) == ", ".join(ORDER)
    assert (len(deck), deck.cards_count(), deck.is_empty()) == (52, 52, False)
    assert [str(deck.deal()) for _ in range(52)] == ORDER[::-1]
    assert (len(deck), deck.cards_count(), deck.is_empty()) == (0, 0, True)
    assert (deck.deal(), deck.deal()) == (None, None)
    deck = cards.Deck()
    assert deck.shuffle() is None
    assert str(deck) != ", ".join(ORDER)
    assert sorted(str(deck).split(", ")) == sorted(ORDER)
    monkeypatch.setattr(random, "shuffle", list.reverse)
    deck = cards.Deck()
    deck.shuffle()
    assert str(deck.deal()) == "Ac"


def test_displaying_a_deck(cards: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """S2-17: so many a row, a line break before each, a blank after each card, a blank line."""
    deck = cards.Deck()
    deck.display()
    rows = [" ".join(ORDER[start : start + 13]) + " " for start in (0, 13, 26, 39)]
    assert capsys.readouterr().out == "\n" + "\n".join(rows) + "\n\n"
    deck.display(cols=26)
    rows = [" ".join(ORDER[start : start + 26]) + " " for start in (0, 26)]
    assert capsys.readouterr().out == "\n" + "\n".join(rows) + "\n\n"
    assert len(deck) == 52
