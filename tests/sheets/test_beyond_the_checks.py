"""Requirements without a check in the grader: the modules of the course, and some decisions."""

import random
from collections import deque
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.support.sheets import sheet


def why(act: Callable[..., Any], *arguments: Any) -> str:
    """Return the exception that a call raises, as its class and its message."""
    try:
        act(*arguments)
    except Exception as error:  # noqa: BLE001 - an error of any class
        return f"{type(error).__name__}: {error}".rstrip(": ")
    return "nothing"


@pytest.mark.parametrize("kind", ["BoundedQueue", "CircularQueue"])
def test_queues_from_the_course(kind: str) -> None:
    """A queue is first in, first out, up to its maximum length."""
    with sheet("simple21") as load:
        queue, model = getattr(load("queues"), kind)(5), deque[int]()
    for step in range(500):
        if step * 7 % 11 < 6 and len(model) < 5:
            queue.enqueue(step)
            model.append(step)
        elif model:
            assert queue.peek() == model[0]
            assert queue.dequeue() == model.popleft()
        assert (queue.size(), queue.isEmpty(), queue.isFull()) == (
            len(model), not model, len(model) == 5,
        )  # fmt: skip
    while not queue.isFull():
        queue.enqueue(0)
    assert why(queue.enqueue, 1) == "Exception: Error: Queue is full"
    assert queue.capacity() == 5
    queue.clear()
    assert why(queue.peek) == why(queue.dequeue) == "Exception: Error: Queue is empty"
    for item in "abc":
        queue.enqueue(item)
    texts = (str(queue), repr(queue))
    assert (
        texts
        == {
            "BoundedQueue": ("a b c ", "a b c  Max=5"),
            "CircularQueue": ("]a b c ]", "CircularQueue(5): ['a', 'b', 'c']"),
        }[kind]
    )


def test_queues_of_no_size() -> None:
    with sheet("simple21") as load:
        queues = load("queues")
    for capacity in (0, -1, "3", 3.0, True):
        assert why(queues.CircularQueue, capacity) == "Exception: Capacity Error"
    said = "AssertionError: Error: "
    assert why(queues.BoundedQueue, "3") == f"{said}Type error: <class 'str'>"
    assert why(queues.BoundedQueue, -1) == f"{said}Illegal capacity: -1"


@pytest.fixture
def cards() -> ModuleType:
    with sheet("one_deck") as load:
        return load("cards")


def test_cards_from_the_course(
    cards: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """S2-1, S2-3, S2-17: ranks, suits and points. A new deck has the king of spades on top."""
    card = cards.Card(12, 3)
    assert (card.get_rank(), card.rank(), card.get_suit(), card.suit()) == (12, 12, 3, 3)
    assert (card.get_value(), card.value(), str(card), repr(card)) == (10, 10, "Qh", "Qh")
    values = [cards.Card(rank, 1).get_value() for rank in range(1, 14)]
    assert values == [*range(1, 11), 10, 10, 10]
    order = [rank + suit for suit in "cdhs" for rank in "A23456789TJQK"]
    deck = cards.Deck()
    assert str(deck) == repr(deck) == ", ".join(order)
    assert (len(deck), deck.cards_count(), deck.is_empty()) == (52, 52, False)
    assert [str(deck.deal()) for _ in range(52)] == order[::-1]
    assert (deck.deal(), len(deck), deck.is_empty()) == (None, 0, True)
    monkeypatch.setattr(random, "shuffle", list.reverse)
    deck = cards.Deck()
    deck.shuffle()
    assert str(deck.deal()) == "Ac"
    deck.display(cols=26)
    first, second = capsys.readouterr().out.strip().split("\n")
    assert (first[:6], second[-5:]) == ("Ks Qs ", "3c 2c")


def test_blank_cards_and_compared_ranks(cards: ModuleType) -> None:
    """S2-17: a card without a rank is blank, and suits do not count."""
    for wrong in ((), (0, 1), (1, 0), (14, 1), (1, 5), ("A", "c"), (1.0, 1), (None, 1)):
        blank = cards.Card(*wrong)
        assert (blank.get_rank(), blank.get_suit(), blank.get_value()) == (0, 0, 0)
        assert str(blank) == "xx"
    low, other, high = (cards.Card(*card) for card in ((2, 1), (2, 4), (13, 1)))
    assert low == other != high > low < high >= other <= low
    assert not low > other
    assert low != "2c"
    assert why(lambda: low < 3).startswith("TypeError")


def test_bingo_loses_no_card_and_no_deck(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A4-5, A4-14, A4-19: a full deck, an unknown mode, and a file that is not a deck."""
    monkeypatch.chdir(tmp_path)
    codes = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
    for name, lines in (("good", codes), ("short", codes[1:])):
        (tmp_path / name).write_text("\n".join(lines))
    with sheet("bingo") as load:
        bingo, card = load("bingo"), load("playingCards").Card
    table = bingo.Table()
    for number in (0, 1):
        table.populateDeck(number, "good")
        assert why(table.populateDeck, number, "short") == (
            "Exception: Deck created from short is not valid"
        )
    extra = card("K", "S", faceUp=True)
    deck = vars(table)["_Table__bingoDeck"]
    assert why(deck.addCard, extra) == "Exception: Cannot add [ KS ]: Deck is full"
    assert extra.isFaceUp()
    assert why(table.dealBingo, "X") == "AssertionError: Not a play mode: 'X'"
    assert deck.isComplete()
    table.dealBingo("L")
    assert str(table.callCard()) == "[ AC ]"
    table.clearTable()
    table.resetDecks()
    assert deck.isComplete()


def test_war_is_played_again_and_goes_on() -> None:
    """A3-9, A3-13, S3-30: one player is not enough; cards are dealt again unless a game is open."""
    with sheet("war") as load:
        war = load("war")
    amy, brad, carl = players = [war.Player(name) for name in ("Amy", "Brad", "Carl")]
    assert why(war.Game, [amy]) == "AssertionError: War needs at least two players"
    game = war.Game(players)
    assert game.play().num_cards == 52
    assert game.play().num_cards == 52
    game.deck.receive_cards(card for player in players for card in [*player.give_cards()])
    list(game.deck.give_cards())
    amy.receive_card(war.Card(14, "S"))
    carl.receive_card(war.Card(2, "S"))
    game.deck.size = 2
    assert game.play() is amy
    assert (amy.num_cards, brad.num_cards) == (2, 0)


def test_impossible_card_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """A1-23: the program prints a line about an invalid card.

    Such a card has neither suit nor rank.
    """
    with sheet("blackjack") as load:
        card = load("blackjack").Card("X", "A")
    assert capsys.readouterr().out == "Invalid card:  X A\n"
    assert (card.get_suit(), card.get_rank()) == (None, None)


def test_refilled_deck_leaves_the_list_unchanged(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """S0-38: the list is not changed, because it is the discard pile of another module."""
    file = tmp_path / "deck.txt"
    file.write_text("\n".join(rank + suit for suit in "CDHS" for rank in "A23456789TJQK"))
    monkeypatch.setattr("builtins.input", lambda _: str(file))
    monkeypatch.setattr(random, "shuffle", list.reverse)
    with sheet("simple21") as load:
        deck = load("playingCards").Deck()
    pile = [deck.deal() for _ in range(52)]
    before = [*pile]
    deck.repopulate(pile)
    assert all(one is other for one, other in zip(pile, before, strict=True))
    assert all(deck.deal() is card for card in before[::-1])
    assert capsys.readouterr().out == "Repopulating deck with cards...\n"
