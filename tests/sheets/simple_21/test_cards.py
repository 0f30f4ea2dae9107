"""Simple 21: the classes Card and Deck."""

import builtins
import contextlib
import itertools
import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cardgames.games.twentyone.rules import POINTS
from tests.sheets.simple_21.support import ASKS_FILE, DOWN, ORDER, UP, deck_file
from tests.support.sheets import DECKS, public_names


def test_the_interface_of_a_card(cards: ModuleType) -> None:
    """S0-16, S0-20: five public methods, and three private attributes."""
    assert public_names(cards.Card) == {
        "getRank", "getSuit", "getValue", "isFaceUp", "turnOver",
    }  # fmt: skip
    assert vars(cards.Card("jd", DOWN)) == {
        "_Card__rank": "J",
        "_Card__suit": "D",
        "_Card__faceUp": False,
    }


def test_every_code_in_either_case(cards: ModuleType) -> None:
    """S0-2, S0-3, S0-19, S0-20, S0-21: 52 cards, and case does not matter."""
    for rank, suit in itertools.product("A23456789TJQK", "CDHS"):
        for code in {rank + suit, rank.lower() + suit, rank + suit.lower(), (rank + suit).lower()}:
            card = cards.Card(code, UP)
            assert (card.getRank(), card.getSuit()) == (rank, suit)
            assert str(card) == f"[ {rank}{suit} ]"


@pytest.mark.parametrize(
    "code",
    ["", "J", "JDD", "1D", "0D", "XD", "JX", "DJ", " J", "J ", "10D", "k\u017f", "\xdfS", None, 11,
     b"JD", ["J", "D"], ("J", "D")],
)  # fmt: skip
def test_what_is_not_a_code(cards: ModuleType, code: object) -> None:
    """S0-17: an AssertionError."""
    with pytest.raises(AssertionError):
        cards.Card(code, UP)


@pytest.mark.parametrize("face", [0, 1, None, "True", "", []])
def test_a_face_is_boolean(cards: ModuleType, face: object) -> None:
    """S0-18: an AssertionError for anything but True and False."""
    with pytest.raises(AssertionError):
        cards.Card("JD", face)


def test_values(cards: ModuleType) -> None:
    """S0-4, S0-5, S0-6, S0-22: by rank alone, the ace as 1, as the project's rules say."""
    values = {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10} | {str(n): n for n in range(2, 10)}
    for rank, suit in itertools.product(values, "CDHS"):
        value = cards.Card(rank + suit, DOWN).getValue()
        assert (value, type(value)) == (values[rank], int)
    assert {rank.value: points for rank, points in POINTS.items()} == values


def test_turning_over(cards: ModuleType) -> None:
    """S0-23, S0-24, S0-25: turning twice changes nothing, and shows or hides the code."""
    card = cards.Card("jD", UP)
    assert (card.isFaceUp(), str(card)) == (True, "[ JD ]")
    assert card.turnOver() is None
    assert (card.isFaceUp(), str(card)) == (False, "[ xx ]")
    assert card.turnOver() is None
    assert (card.isFaceUp(), str(card)) == (True, "[ JD ]")


def test_an_empty_deck_has_its_own_exception(cards: ModuleType) -> None:
    """S0-27: without arguments, and with the sheet's text."""
    assert issubclass(cards.EmptyDeckException, Exception)
    assert cards.EmptyDeckException().args == ("Cannot deal card from an empty deck.",)
    assert str(cards.EmptyDeckException()) == "Cannot deal card from an empty deck."
    with pytest.raises(TypeError):
        cards.EmptyDeckException("text")


def test_the_interface_of_a_deck(
    cards: ModuleType, queues: ModuleType, answer: Callable[..., list[str]]
) -> None:
    """S0-28, S0-29, S0-30: two public methods, one private queue for 52 cards, one prompt."""
    assert public_names(cards.Deck) == {"deal", "repopulate"}
    prompts = answer(DECKS / "shuffledDeck.txt")
    deck = cards.Deck()
    assert prompts == [ASKS_FILE]
    (attribute,) = vars(deck)
    assert attribute.startswith("_Deck__")
    queue = getattr(deck, attribute)
    assert type(queue) is queues.CircularQueue
    assert (queue.capacity(), queue.size()) == (52, 52)


def test_cards_are_dealt_in_the_order_of_the_file(
    cards: ModuleType, answer: Callable[..., list[str]]
) -> None:
    """S0-32, S0-36, S0-37: the first line first, each face up; then there is none."""
    answer(DECKS / "shuffledDeck.txt")
    deck = cards.Deck()
    dealt = [deck.deal() for _ in range(52)]
    assert [str(card) for card in dealt] == [f"[ {code} ]" for code in ORDER]
    for _ in range(2):
        with pytest.raises(cards.EmptyDeckException):
            deck.deal()


def test_cards_lie_face_down_inside(cards: ModuleType, answer: Callable[..., list[str]]) -> None:
    """S0-32, S0-39: from the file, and after repopulating with cards that lie either way."""
    answer(DECKS / "shuffledDeck.txt")
    deck = cards.Deck()

    def inside() -> list[Any]:
        (queue,) = vars(deck).values()
        return [card for card in queue._CircularQueue__places if card is not None]

    assert [card.isFaceUp() for card in inside()] == [False] * 52
    dealt = [deck.deal() for _ in range(52)]
    dealt[0].turnOver()
    deck.repopulate(dealt)
    assert [card.isFaceUp() for card in inside()] == [False] * 52
    assert all(deck.deal().isFaceUp() for _ in range(52))


def test_a_deck_as_text(cards: ModuleType, answer: Callable[..., list[str]]) -> None:
    """S0-40: every card face up from the front on, and nothing is changed by looking."""
    answer(DECKS / "shuffledDeck.txt")
    deck = cards.Deck()
    for _ in range(20):
        deck.deal()
    faces = "".join(f"[ {code} ]" for code in ORDER[20:])
    assert [str(deck), str(deck)] == [f"front -> {faces} <- rear"] * 2
    assert [str(deck.deal()) for _ in range(32)] == [f"[ {code} ]" for code in ORDER[20:]]
    assert str(deck) == "front ->  <- rear"


def test_repopulating_shuffles(
    cards: ModuleType,
    answer: Callable[..., list[str]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """S0-38: a message, every card of the list once, in random.shuffle's order; returns None."""
    answer(DECKS / "shuffledDeck.txt")
    deck = cards.Deck()
    dealt = [deck.deal() for _ in range(52)]
    monkeypatch.setattr(random, "shuffle", list.reverse)
    capsys.readouterr()
    pile = list(dealt)
    assert deck.repopulate(pile) is None
    assert capsys.readouterr().out == "Repopulating deck with cards...\n"
    assert pile == dealt
    assert [deck.deal() for _ in range(52)] == dealt[::-1]
    monkeypatch.undo()
    deck.repopulate(dealt)
    again = [deck.deal() for _ in range(52)]
    assert again != dealt
    assert set(again) == set(dealt)


def test_files_that_cannot_be_opened(
    cards: ModuleType,
    answer: Callable[..., list[str]],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """S0-31: whatever keeps a file from opening, the name is asked again."""
    wrong = ["fileDoesn'tExist", "", tmp_path, "with\0nul"]
    prompts = answer(*wrong, DECKS / "shuffledDeck.txt")
    cards.Deck()
    assert prompts == [ASKS_FILE] * 5
    assert capsys.readouterr().out == "".join(f"Cannot read from {name}.\n" for name in wrong)


GOOD = "\n".join(ORDER)
INVALID = {
    "empty file": "",
    "one card": "KS\n",
    "51 cards": "\n".join(ORDER[:-1]),
    "53 cards": f"{GOOD}\nKS",
    "54 cards": f"{GOOD}\nKS\nQS",
    "52 cards and junk": f"{GOOD}\njunk",
    "one twice": "\n".join([*ORDER[:-1], "KS"]),
    "one twice in another case": "\n".join([*ORDER[:-1], "ks"]),
    "empty line inside": GOOD.replace("\n", "\n\n", 1),
    "empty line at the end": f"{GOOD}\n\n",
    "bad rank": GOOD.replace("TS", "1S"),
    "bad suit": GOOD.replace("TS", "TX"),
    "ten as 10": GOOD.replace("TS", "10S"),
    "two on a line": GOOD.replace("\n", "", 1),
    "a comment": f"# my deck\n{GOOD}",
}


@pytest.mark.parametrize("content", INVALID.values(), ids=INVALID)
def test_files_with_invalid_data(
    cards: ModuleType, answer: Callable[..., list[str]], tmp_path: Path, content: str
) -> None:
    """S0-33, S0-34, S0-35: a plain Exception with the file's name; the deck stays empty."""
    file = deck_file(tmp_path, content)
    prompts = answer(file)
    deck = object.__new__(cards.Deck)
    with pytest.raises(Exception) as refusal:
        deck.__init__()
    assert type(refusal.value) is Exception
    assert refusal.value.args == (f"Cannot populate deck: invalid data in {file}",)
    assert prompts == [ASKS_FILE]
    with pytest.raises(cards.EmptyDeckException):
        deck.deal()


def test_a_file_that_is_no_text(
    cards: ModuleType, answer: Callable[..., list[str]], tmp_path: Path
) -> None:
    """S0-33: bytes that are no text are invalid data, not a problem of opening."""
    file = tmp_path / "picture.png"
    file.write_bytes(b"\x89PNG\xff\xfe")
    answer(file)
    with pytest.raises(Exception, match=r"^Cannot populate deck: invalid data in .*picture\.png$"):
        cards.Deck()


@pytest.mark.parametrize(
    "content",
    [GOOD, f"{GOOD}\n", GOOD.replace("\n", "\r\n"), GOOD.lower(), GOOD.replace("\n", " \t\n")],
    ids=["as it is", "final line end", "CRLF", "lower case", "blanks and tabs"],
)
def test_files_with_the_same_deck(
    cards: ModuleType, answer: Callable[..., list[str]], tmp_path: Path, content: str
) -> None:
    """S0-19, S0-32: line ends, case, and blanks around a code do not matter."""
    answer(deck_file(tmp_path, content))
    deck = cards.Deck()
    assert [str(deck.deal()) for _ in range(52)] == [f"[ {code} ]" for code in ORDER]


@pytest.mark.parametrize("name", ["shuffledDeck.txt", "invalid1.txt"])
def test_the_file_is_closed(
    cards: ModuleType,
    answer: Callable[..., list[str]],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    """S0-35: after good and after invalid data."""
    opened = []
    real = open

    def remember(*args: Any, **kwargs: Any) -> Any:
        opened.append(real(*args, **kwargs))
        return opened[-1]

    monkeypatch.setattr(builtins, "open", remember)
    answer(DECKS / name)
    with contextlib.suppress(Exception):
        cards.Deck()
    assert [file.closed for file in opened] == [True]
