"""The Simple 21 sheet: its queues, its classes, its program, and that it agrees with the table.

Each test names the requirements it covers first.
"""

import ast
import builtins
import contextlib
import io
import itertools
import random
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cardgames.twentyone import DEALER_STANDS, PIPS, Phase, Winner

from cardgames import GAMES
from cardgames.cards import FULL_DECK, shuffled
from tests.sheets import (
    ASSIGNMENTS,
    DECKS,
    EOF,
    INTERRUPT,
    ROOT,
    Luck,
    Transcript,
    command,
    in_terminal,
    piped,
    public_names,
    sheet,
    undocumented,
)

FOLDER = ASSIGNMENTS / "simple21"
UP, DOWN = True, False
SHUFFLED = (DECKS / "shuffledDeck.txt").read_text()
ORDER = SHUFFLED.split()
ASKS_FILE = "Name of file that should be used to populate the deck of cards: "
ASKS_HIT = "Would you like to HIT (H/h) or STAY (S/s)? >> "
ASKS_AGAIN = "Would you like to play another round (Y/N)? >> "
BANNER = "=======================\nWelcome to CARD GAME 21\n=======================\n"
GOODBYE = "\nThank you for playing. Goodbye...\n"


@pytest.fixture
def load() -> Iterator[Callable[[str], ModuleType]]:
    with sheet("simple21") as load:
        yield load


@pytest.fixture
def cards(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("playingCards")


@pytest.fixture
def simple21(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("simple21")


@pytest.fixture
def queues(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("queues")


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Answer the prompts with these lines; returns the prompts that were shown."""

    def answer(*lines: object) -> list[str]:
        left, prompts = list(map(str, lines)), []

        def typed(prompt: str = "") -> str:
            prompts.append(prompt)
            return left.pop(0)

        monkeypatch.setattr(builtins, "input", typed)
        return prompts

    return answer


def deck_file(folder: Path, codes: list[str] | str, name: str = "deck.txt") -> Path:
    """A deck file with these codes on top, and the rest of the cards below unless it is text."""
    if not isinstance(codes, str):
        rest = [str(card) for card in FULL_DECK if card not in codes]
        codes = "\n".join([*codes, *rest])
    file = folder / name
    file.write_bytes(codes.encode())
    return file


@pytest.fixture
def table_with(
    simple21: ModuleType, answer: Callable[..., list[str]], tmp_path: Path
) -> Callable[..., Any]:
    """Make a table whose deck has these cards on top."""

    def make(*codes: str) -> Any:
        answer(deck_file(tmp_path, list(codes)))
        return simple21.Table()

    return make


# The queues


@pytest.mark.parametrize("name", ["BoundedQueue", "CircularQueue"])
def test_both_queues_have_the_methods_of_the_lab(queues: ModuleType, name: str) -> None:
    """S0-29: the queue that the deck is kept in, and its slower sister."""
    queue = getattr(queues, name)(2)
    assert public_names(type(queue)) == {
        "enqueue", "dequeue", "peek", "isEmpty", "isFull", "size", "capacity", "clear",
    }  # fmt: skip
    assert (queue.isEmpty(), queue.isFull(), queue.size(), queue.capacity()) == (True, False, 0, 2)
    queue.enqueue("a")
    queue.enqueue("b")
    assert (queue.isEmpty(), queue.isFull(), queue.size()) == (False, True, 2)
    with pytest.raises(Exception) as full:
        queue.enqueue("c")
    assert (type(full.value), full.value.args) == (Exception, ("Error: Queue is full",))
    assert (queue.peek(), queue.dequeue(), queue.dequeue()) == ("a", "a", "b")
    for take in (queue.peek, queue.dequeue):
        with pytest.raises(Exception) as empty:
            take()
        assert (type(empty.value), empty.value.args) == (Exception, ("Error: Queue is empty",))
    queue.enqueue("d")
    queue.clear()
    assert (queue.size(), queue.capacity(), str(queue)) == (0, 2, "" if "B" in name else "]]")


def test_queues_as_text(queues: ModuleType) -> None:
    """S0-29: each item and a blank; the circular one in the hand-out's two brackets."""
    texts = []
    for queue in (queues.BoundedQueue(3), queues.CircularQueue(3)):
        for item in (0, 1, 2, 3):
            if queue.isFull():
                queue.dequeue()
            queue.enqueue(item)
        texts += [str(queue), repr(queue)]
    assert texts == [
        "1 2 3 ", "BoundedQueue(3): [1, 2, 3]", "]1 2 3 ]", "CircularQueue(3): [1, 2, 3]",
    ]  # fmt: skip


def test_queues_refuse_a_capacity_that_is_none(queues: ModuleType) -> None:
    """S0-29: an assertion in the bounded queue, an Exception in the circular one."""
    queues.BoundedQueue(0)
    with pytest.raises(AssertionError, match=r"^Error: Type error: <class 'str'>$"):
        queues.BoundedQueue("3")
    with pytest.raises(AssertionError, match=r"^Error: Illegal capacity: -1$"):
        queues.BoundedQueue(-1)
    for capacity in (0, -1, "3", 3.0, True):
        with pytest.raises(Exception) as refusal:
            queues.CircularQueue(capacity)
        assert (type(refusal.value), refusal.value.args) == (Exception, ("Capacity Error",))


def test_the_circular_queue_moves_no_other_item(queues: ModuleType) -> None:
    """S0-29, S0-36: taking and adding changes one place, however many items wait."""
    queue = queues.CircularQueue(52)
    for item in range(52):
        queue.enqueue(item)
    for step in range(200):
        for act in (queue.dequeue, lambda item=step: queue.enqueue(item)):
            before = list(queue._CircularQueue__places)
            act()
            after = queue._CircularQueue__places
            assert sum(a is not b for a, b in zip(before, after, strict=True)) == 1


def test_the_queues_agree_with_a_list(queues: ModuleType) -> None:
    """S0-29: both behave like a list over thousands of random operations."""
    luck = random.Random(6)
    for queue in (queues.BoundedQueue(5), queues.CircularQueue(5)):
        model: list[int] = []
        for step in range(3000):
            if luck.random() < 0.5 and len(model) < 5:
                model.append(step)
                queue.enqueue(step)
            elif model:
                assert (queue.peek(), queue.dequeue()) == (model[0], model.pop(0))
            assert queue.size() == len(model)


# The class Card


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
    assert {rank.value: points for rank, points in PIPS.items()} == values


def test_turning_over(cards: ModuleType) -> None:
    """S0-23, S0-24, S0-25: turning twice changes nothing, and shows or hides the code."""
    card = cards.Card("jD", UP)
    assert (card.isFaceUp(), str(card)) == (True, "[ JD ]")
    assert card.turnOver() is None
    assert (card.isFaceUp(), str(card)) == (False, "[ xx ]")
    assert card.turnOver() is None
    assert (card.isFaceUp(), str(card)) == (True, "[ JD ]")


# The class Deck


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


# The class Player


def test_the_interface_of_a_player(simple21: ModuleType) -> None:
    """S0-42, S0-43: four public methods, a private hand and a private value."""
    assert public_names(simple21.Player) == {
        "addToHand", "clearHand", "getHandValue", "revealAllCards",
    }  # fmt: skip
    assert vars(simple21.Player()) == {"_Player__hand": [], "_Player__value": 0}
    assert str(simple21.Player()) == "hand:, value = 0"


def test_a_hand(simple21: ModuleType, cards: ModuleType) -> None:
    """S0-8, S0-44, S0-46, S0-47, S0-48: the sheet's own example, and its sum of 3H and KS."""
    player = simple21.Player()
    assert player.addToHand(cards.Card("9S", UP)) is None
    assert player.addToHand(cards.Card("AD", DOWN)) is None
    assert (player.getHandValue(), str(player)) == (10, "hand:[ 9S ][ xx ]")
    assert player.revealAllCards() is None
    assert (player.getHandValue(), str(player)) == (10, "hand:[ 9S ][ AD ], value = 10")
    player.revealAllCards()
    assert str(player) == "hand:[ 9S ][ AD ], value = 10"
    player.clearHand()
    player.addToHand(cards.Card("3H", UP))
    player.addToHand(cards.Card("KS", UP))
    assert str(player) == "hand:[ 3H ][ KS ], value = 13"


def test_clearing_a_hand(simple21: ModuleType, cards: ModuleType) -> None:
    """S0-45: the cards come back in a list that is no longer the player's."""
    player = simple21.Player()
    mine = [cards.Card("9S", UP), cards.Card("AD", DOWN)]
    for card in mine:
        player.addToHand(card)
    removed = player.clearHand()
    assert removed == mine
    assert (player.getHandValue(), str(player)) == (0, "hand:, value = 0")
    player.addToHand(cards.Card("2C", UP))
    assert removed == mine
    assert (player.clearHand() == mine, player.clearHand()) == (False, [])


@pytest.mark.parametrize("thing", ["9S", None, 9, ["9S"]])
def test_only_cards_go_into_a_hand(simple21: ModuleType, thing: object) -> None:
    """S0-44: an AssertionError, and the hand stays as it is."""
    player = simple21.Player()
    with pytest.raises(AssertionError):
        player.addToHand(thing)
    assert str(player) == "hand:, value = 0"


# The class Table


def test_the_interface_of_a_table(simple21: ModuleType, table_with: Callable[..., Any]) -> None:
    """S0-1, S0-50, S0-51: six public methods; a player, a dealer, a deck and a discard pile."""
    assert public_names(simple21.Table) == {
        "dealHands", "playerHit", "dealerHit", "playerNatural", "whoWon", "clearTable",
    }  # fmt: skip
    table = table_with()
    assert all(name.startswith("_Table__") for name in vars(table))
    kinds = [type(value).__name__ for value in vars(table).values()]
    assert sorted(kinds) == ["Deck", "Player", "Player", "list"]
    assert [] in vars(table).values()
    assert str(table) == "Player's hand:, value = 0\nDealer's hand:, value = 0"


def test_a_table_lets_the_exception_of_its_deck_through(
    simple21: ModuleType, answer: Callable[..., list[str]]
) -> None:
    """S0-51, S0-79: neither the deck nor the table deals with an invalid file."""
    answer(DECKS / "invalid1.txt")
    with pytest.raises(Exception, match=r"^Cannot populate deck: invalid data in .*invalid1\.txt$"):
        simple21.Table()


def test_the_deal(table_with: Callable[..., Any]) -> None:
    """S0-7, S0-11, S0-52, S0-63: player, dealer, player, and the dealer's second face down."""
    table = table_with("KS", "JH", "QS", "AH")
    assert table.dealHands() is None
    assert str(table) == "Player's hand:[ KS ][ QS ], value = 20\nDealer's hand:[ JH ][ xx ]"


def test_nobody_has_21_after_the_deal() -> None:
    """S0-9: two cards are worth 20 at most, since an ace counts 1."""
    assert 2 * max(PIPS.values()) == 20
    game = GAMES["simple-21"]
    luck = random.Random(9)
    for _ in range(300):
        assert game.view(game.play(game.start(), "deal", {}, luck)).player.total <= 20


@pytest.mark.parametrize("left", [0, 1, 2, 3])
def test_the_deck_runs_out_during_the_deal(
    table_with: Callable[..., Any], capsys: pytest.CaptureFixture[str], left: int
) -> None:
    """S0-53, S0-75: at each of the four cards the discards come back, once."""
    table = table_with(*ORDER)
    table.dealHands()
    for _ in range(48 - left):
        table.playerHit()
    table.clearTable()
    capsys.readouterr()
    table.dealHands()
    printed = capsys.readouterr().out
    assert printed == ("Dealing cards to player and dealer...\nRepopulating deck with cards...\n")
    shown = str(table)
    for place, code in enumerate(ORDER[52 - left :]):
        line = shown.splitlines()[place % 2]
        assert line.split(":")[1].startswith(f"[ {code} ]", 6 * (place // 2))
    assert shown.endswith("[ xx ]")
    assert codes_on(table) == sorted(ORDER)


def codes_on(table: Any) -> list[str]:
    """Every code on a table, wherever its card lies."""
    private = {name.removeprefix("_Table__"): value for name, value in vars(table).items()}
    found = list(private["discardPile"])
    for player in (private["player"], private["dealer"]):
        found += player._Player__hand
    (queue,) = vars(private["deck"]).values()
    found += [card for card in queue._CircularQueue__places if card is not None]
    return sorted(card.getRank() + card.getSuit() for card in found)


def test_hitting(table_with: Callable[..., Any]) -> None:
    """S0-10, S0-54, S0-60: a card face up; over 21 is bust, and exactly 21 is not."""
    table = table_with("KS", "2C", "5S", "3C", "6D", "AH")
    table.dealHands()
    assert table.playerNatural() is False
    assert table.playerHit() is False
    assert str(table).startswith("Player's hand:[ KS ][ 5S ][ 6D ], value = 21\n")
    assert table.playerNatural() is True
    assert table.playerHit() is True
    assert str(table).startswith("Player's hand:[ KS ][ 5S ][ 6D ][ AH ], value = 22\n")
    assert table.playerNatural() is False


def test_hitting_an_empty_deck(
    table_with: Callable[..., Any],
    cards: ModuleType,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """S0-37, S0-54: the discards come back; without any, the exception goes through."""
    table = table_with(*ORDER)
    table.dealHands()
    table.clearTable()
    for _ in range(48):
        table.playerHit()
    capsys.readouterr()
    table.playerHit()
    assert capsys.readouterr().out == "Repopulating deck with cards...\n"
    for _ in range(3):
        table.playerHit()
    with pytest.raises(cards.EmptyDeckException, match=r"^Cannot deal card from an empty deck\.$"):
        table.playerHit()
    assert codes_on(table) == sorted(ORDER)


DEALERS = {
    "stands on 17": (["TH", "7D"], [], "", False),
    "stands on 20": (["TH", "QD"], [], "", False),
    "draws on 16": (["TH", "6D"], ["AS"], "", False),
    "ace counts 1": (["6D", "AH"], ["TS"], "", False),
    "draws often": (["2C", "2D"], ["2H", "2S", "3C", "3D", "3H"], "", False),
    "busts": (["TH", "6D"], ["KS"], "Dealer went bust. ", True),
    "draws to 21": (["TH", "6D"], ["5S"], "Dealer has a natural 21! ", False),
}


@pytest.mark.parametrize(("first", "drawn", "ending", "bust"), DEALERS.values(), ids=DEALERS)
def test_the_dealers_turn(
    table_with: Callable[..., Any],
    capsys: pytest.CaptureFixture[str],
    first: list[str],
    drawn: list[str],
    ending: str,
    bust: object,
) -> None:
    """S0-13, S0-14, S0-55, S0-56, S0-57, S0-58, S0-59: what he shows, says, draws, returns."""
    table = table_with("KC", first[0], "QC", first[1], *drawn)
    table.dealHands()
    capsys.readouterr()
    assert table.dealerHit() is bust
    values = {"A": 1, "T": 10, "Q": 10, "K": 10}
    expected = ""
    for count in range(2, len(drawn) + 3):
        held = (first + drawn)[:count]
        value = sum(values.get(code[0]) or int(code[0]) for code in held)
        hand = "".join(f"[ {code} ]" for code in held)
        expected += "Dealer must take a card...\n" * (count > 2)
        expected += "Player's hand:[ KC ][ QC ], value = 20\n"
        expected += f"Dealer's hand:{hand}, value = {value}\n"
    assert capsys.readouterr().out == expected + ending


def test_the_dealer_refills_the_deck(
    table_with: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """S0-56, S0-75: in the middle of his turn."""
    table = table_with(*(code for code in ORDER if code not in ("2C", "2D")), "2C", "2D")
    for _ in range(46):
        table.playerHit()
    table.clearTable()
    for _ in range(2):
        table.playerHit()
    table.dealHands()
    capsys.readouterr()
    table.dealerHit()
    printed = capsys.readouterr().out
    assert printed.count("Repopulating deck with cards...\n") == 1
    assert codes_on(table) == sorted(ORDER)


HANDS = {
    "player closer": (["KS", "QS"], ["KH", "9H"], "Player wins"),
    "dealer closer": (["KS", "9S"], ["KH", "QH"], "Dealer wins"),
    "equal": (["KS", "9S"], ["QH", "9H"], "Tie! No one wins"),
    "equal at 21": (["KS", "9S", "2S"], ["QH", "9H", "2H"], "Tie! No one wins"),
    "player bust": (["KS", "9S", "8S"], ["2H", "3H"], "Dealer wins"),
    "dealer bust": (["2S", "3S"], ["KH", "9H", "8H"], "Player wins"),
    "both bust": (["KS", "9S", "8S"], ["KH", "9H", "7H"], "Dealer wins"),
    "both bust alike": (["KS", "9S", "8S"], ["KH", "9H", "8H"], "Dealer wins"),
}


@pytest.mark.parametrize(("yours", "theirs", "words"), HANDS.values(), ids=HANDS)
def test_who_won(
    table_with: Callable[..., Any],
    cards: ModuleType,
    capsys: pytest.CaptureFixture[str],
    yours: list[str],
    theirs: list[str],
    words: str,
) -> None:
    """S0-12, S0-14, S0-15, S0-61, S0-77: the words of the sheet, the line left open; None."""
    table = table_with()
    for player, codes in ((table._Table__player, yours), (table._Table__dealer, theirs)):
        for code in codes:
            player.addToHand(cards.Card(code, UP))
    before = str(table)
    capsys.readouterr()
    assert table.whoWon() is None
    assert capsys.readouterr().out == f"{words} "
    assert str(table) == before


def test_clearing_the_table(table_with: Callable[..., Any]) -> None:
    """S0-62: both hands go to the discard pile."""
    table = table_with(*ORDER)
    table.dealHands()
    table.playerHit()
    assert table.clearTable() is None
    assert str(table) == "Player's hand:, value = 0\nDealer's hand:, value = 0"
    pile = {card.getRank() + card.getSuit() for card in table._Table__discardPile}
    assert pile == set(ORDER[:5])
    assert codes_on(table) == sorted(ORDER)


# The files, run by themselves


@pytest.mark.parametrize("how", ["file", "module"])
def test_the_tests_for_the_marker(how: str) -> None:
    """S0-26, S0-41, S0-49, S0-78: under the main guard; the one for the deck asks for a file."""
    file = DECKS / "shuffledDeck.txt"
    printed = piped(*command("simple21", "playingCards", how), f"{file}\n")
    faces = "".join(f"[ {code} ]" for code in ORDER)
    assert printed == (
        "Card: all tests passed\n"
        f"{ASKS_FILE}front -> {faces} <- rear\n"
        "Cannot deal card from an empty deck.\n"
        "Repopulating deck with cards...\n"
        "Deck: all tests passed\n"
    )
    assert piped(*command("simple21", "simple21", how), "") == "Player: all tests passed\n"


def test_the_tests_for_the_marker_without_a_good_file() -> None:
    """S0-26, S0-41: they end well without a file, and with an invalid one."""
    run = command("simple21", "playingCards", "file")
    assert piped(*run, "").endswith(f"{ASKS_FILE}\nDeck: no file was named, so it was not tested\n")
    file = DECKS / "invalid1.txt"
    refusal = f"{ASKS_FILE}Cannot populate deck: invalid data in {file}\n"
    assert piped(*run, f"{file}\n").endswith(refusal)


def test_importing_asks_and_prints_nothing(
    load: Callable[[str], ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    """S0-16, S0-42, S0-50: every file of the sheet can be imported under its own name."""
    for name in ("queues", "playingCards", "simple21", "assignment2"):
        assert Path(load(name).__file__) == FOLDER / f"{name}.py"
    assert capsys.readouterr() == ("", "")


def test_everything_has_a_docstring() -> None:
    """S0-16, S0-28, S0-42, S0-50: modules, classes and functions say what they do."""
    assert undocumented("simple21") == []


LOADING = {
    "by whole names": """
        from cardgames.assignments.one.user import Thing, made
        from cardgames.assignments.two.user import Thing as Other, made as other
        from cardgames.assignments.two.thing import Thing as Second
        from cardgames.assignments.one.thing import Thing as First
        import cardgames.assignments.one.thing
        assert cardgames.assignments.one.thing.Thing is First
        assert (Thing is First, Other is Second, First is Second) == (True, True, False)
        assert type(made) is First and type(other) is Second
    """,
    "bare first": """
        sys.path[:0] = [one, root]
        import thing, user
        from cardgames.assignments.one.thing import Thing
        from cardgames.assignments.one.user import made
        assert thing.Thing is Thing is type(made)
        assert sys.modules["cardgames.assignments.one.user"] is user
    """,
    "bare last": """
        from cardgames.assignments.one.user import made
        sys.path[:0] = [one, root]
        import thing, user
        assert type(made) is thing.Thing
        assert sys.modules["cardgames.assignments.one.user"] is user
    """,
    "bare names of one, whole names of the other": """
        sys.path[:0] = [one, root]
        import thing
        before = list(sys.path)
        from cardgames.assignments.two.user import Thing
        assert sys.path == before
        import user
        assert (user.Thing is thing.Thing, Thing is thing.Thing) == (True, False)
        assert type(user.made) is thing.Thing
    """,
    "one sheet's file uses the other's": """
        sys.path[:0] = [two, root]
        import borrowed
        import thing
        from cardgames.assignments.one.thing import Thing
        assert borrowed.Thing is Thing is not thing.Thing
        assert thing.__file__.startswith(two)
    """,
    "a stand-in": """
        from types import ModuleType
        sys.modules["thing"] = stand_in = ModuleType("thing")
        stand_in.Thing = int
        from cardgames.assignments.one.user import made
        assert made == 0
    """,
    "one program after the other": """
        import runpy
        for folder in ("one", "two", "one"):
            end = runpy.run_module(f"cardgames.assignments.{folder}.user", run_name="__main__")
            assert sys.modules[end["Thing"].__module__].__file__.startswith(globals()[folder])
    """,
    "a file that fails": """
        import pytest
        with pytest.raises(ZeroDivisionError):
            import cardgames.assignments.one.failing
        assert not {"failing", "cardgames.assignments.one.failing"} & set(sys.modules)
    """,
}


@pytest.mark.parametrize("program", LOADING.values(), ids=LOADING)
def test_loading_sheets_whose_files_share_names(tmp_path: Path, program: str) -> None:
    """S0-44: one class a file, under its bare and its whole name, whatever else is loaded."""
    package = tmp_path / "cardgames" / "assignments"
    for folder in ("one", "two"):
        (package / folder).mkdir(parents=True)
        (package / folder / "__init__.py").touch()
        (package / folder / "thing.py").write_text("class Thing: pass\n")
        (package / folder / "user.py").write_text("from thing import Thing\nmade = Thing()\n")
        (package / folder / "failing.py").write_text("import thing\n1 / 0\n")
    (package / "two" / "borrowed.py").write_text(
        "from cardgames.assignments.one.thing import Thing\nimport thing\n"
    )
    (package / "__init__.py").write_bytes((ASSIGNMENTS / "__init__.py").read_bytes())
    (package.parent / "__init__.py").touch()
    start = f"import sys\nroot, one, two = {str(tmp_path)!r}, {str(package / 'one')!r}, "
    start += f"{str(package / 'two')!r}\n"
    whole = start + textwrap.dedent(program)
    run = [sys.executable, "-W", "error", "-c", whole]
    assert piped(run, tmp_path, "") == ""


def test_two_sheets_in_one_program() -> None:
    """S0-44: the real ones, by whole and by bare names."""
    program = """
import sys
from cardgames.assignments.simple21.simple21 import Player
import cardgames.assignments.one_deck.proj09
import cardgames.assignments.blackjack.blackjack
sys.path.insert(0, "cardgames/assignments/simple21")
import playingCards
Player().addToHand(playingCards.Card("KS", True))
"""
    assert piped([sys.executable, "-W", "error", "-c", program], ROOT, "") == ""


# The program

WHOLE_GAME = Transcript(
    """\
=======================
Welcome to CARD GAME 21
=======================
Name of file that should be used to populate the deck of cards: «fileDoesn'tExist»
Cannot read from fileDoesn'tExist.
Name of file that should be used to populate the deck of cards: «shuffledDeck.txt»

Dealing cards to player and dealer...
Player's hand:[ KS ][ QS ], value = 20
Dealer's hand:[ JH ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «s»
Player's hand:[ KS ][ QS ], value = 20
Dealer's hand:[ JH ][ AH ], value = 11
Dealer must take a card...
Player's hand:[ KS ][ QS ], value = 20
Dealer's hand:[ JH ][ AH ][ QH ], value = 21
Dealer has a natural 21! Dealer wins round 1!

Would you like to play another round (Y/N)? >> «y»

Dealing cards to player and dealer...
Player's hand:[ 6D ][ TS ], value = 16
Dealer's hand:[ 5H ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Player's hand:[ 6D ][ TS ][ TH ], value = 26
Dealer's hand:[ 5H ][ xx ]
Player went bust. Dealer wins round 2!

Would you like to play another round (Y/N)? >> «Y»

Dealing cards to player and dealer...
Player's hand:[ 6C ][ KD ], value = 16
Dealer's hand:[ TD ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «stay»
Player's hand:[ 6C ][ KD ], value = 16
Dealer's hand:[ TD ][ 7H ], value = 17
Dealer wins round 3!

Would you like to play another round (Y/N)? >> «yes»

Dealing cards to player and dealer...
Player's hand:[ 3C ][ 2C ], value = 5
Dealer's hand:[ 9C ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «H»
Player's hand:[ 3C ][ 2C ][ 9S ], value = 14
Dealer's hand:[ 9C ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «hit»
Player's hand:[ 3C ][ 2C ][ 9S ][ 4C ], value = 18
Dealer's hand:[ 9C ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «S»
Player's hand:[ 3C ][ 2C ][ 9S ][ 4C ], value = 18
Dealer's hand:[ 9C ][ 8S ], value = 17
Player wins round 4!

Would you like to play another round (Y/N)? >> «yoyo»

Dealing cards to player and dealer...
Player's hand:[ AD ][ QD ], value = 11
Dealer's hand:[ 2D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «HIT»
Player's hand:[ AD ][ QD ][ JD ], value = 21
Dealer's hand:[ 2D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «y»
Player wins round 5 with a NATURAL 21!

Would you like to play another round (Y/N)? >> «y»

Dealing cards to player and dealer...
Player's hand:[ 2H ][ 8H ], value = 10
Dealer's hand:[ 4H ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Player's hand:[ 2H ][ 8H ][ 4D ], value = 14
Dealer's hand:[ 4H ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «»
Player's hand:[ 2H ][ 8H ][ 4D ], value = 14
Dealer's hand:[ 4H ][ 4S ], value = 8
Dealer must take a card...
Player's hand:[ 2H ][ 8H ][ 4D ], value = 14
Dealer's hand:[ 4H ][ 4S ][ 3S ], value = 11
Dealer must take a card...
Player's hand:[ 2H ][ 8H ][ 4D ], value = 14
Dealer's hand:[ 4H ][ 4S ][ 3S ][ 5D ], value = 16
Dealer must take a card...
Player's hand:[ 2H ][ 8H ][ 4D ], value = 14
Dealer's hand:[ 4H ][ 4S ][ 3S ][ 5D ][ 6S ], value = 22
Dealer went bust. Player wins round 6!

Would you like to play another round (Y/N)? >> «maybe»
Invalid entry.  Would you like to play another round (Y/N)? >> «y»

Dealing cards to player and dealer...
Player's hand:[ 3D ][ TC ], value = 13
Dealer's hand:[ QC ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Player's hand:[ 3D ][ TC ][ 5C ], value = 18
Dealer's hand:[ QC ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «anything but H or h»
Player's hand:[ 3D ][ TC ][ 5C ], value = 18
Dealer's hand:[ QC ][ 8C ], value = 18
Tie! No one wins round 7!

Would you like to play another round (Y/N)? >> «y»

Dealing cards to player and dealer...
Player's hand:[ 6H ][ AS ], value = 7
Dealer's hand:[ JC ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> « h»
Player's hand:[ 6H ][ AS ], value = 7
Dealer's hand:[ JC ][ 9H ], value = 19
Dealer wins round 8!

Would you like to play another round (Y/N)? >> «»
Invalid entry.  Would you like to play another round (Y/N)? >> « y»
Invalid entry.  Would you like to play another round (Y/N)? >> «Y»

Dealing cards to player and dealer...
Player's hand:[ 7S ][ 7C ], value = 14
Dealer's hand:[ 7D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «hit»
Player's hand:[ 7S ][ 7C ][ 5S ], value = 19
Dealer's hand:[ 7D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «x»
Player's hand:[ 7S ][ 7C ][ 5S ], value = 19
Dealer's hand:[ 7D ][ 9D ], value = 16
Dealer must take a card...
Player's hand:[ 7S ][ 7C ][ 5S ], value = 19
Dealer's hand:[ 7D ][ 9D ][ 3H ], value = 19
Tie! No one wins round 9!

Would you like to play another round (Y/N)? >> «y»

Dealing cards to player and dealer...
Player's hand:[ JS ][ 2S ], value = 12
Dealer's hand:[ 8D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Repopulating deck with cards...
Player's hand:[ JS ][ 2S ][ QS ], value = 22
Dealer's hand:[ 8D ][ xx ]
Player went bust. Dealer wins round 10!

Would you like to play another round (Y/N)? >> «yup»

Dealing cards to player and dealer...
Player's hand:[ 2C ][ 2H ], value = 4
Dealer's hand:[ 2D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Player's hand:[ 2C ][ 2H ][ 3D ], value = 7
Dealer's hand:[ 2D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Player's hand:[ 2C ][ 2H ][ 3D ][ 3H ], value = 10
Dealer's hand:[ 2D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Player's hand:[ 2C ][ 2H ][ 3D ][ 3H ][ 3S ], value = 13
Dealer's hand:[ 2D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «h»
Player's hand:[ 2C ][ 2H ][ 3D ][ 3H ][ 3S ][ 4C ], value = 17
Dealer's hand:[ 2D ][ xx ]
Would you like to HIT (H/h) or STAY (S/s)? >> «s»
Player's hand:[ 2C ][ 2H ][ 3D ][ 3H ][ 3S ][ 4C ], value = 17
Dealer's hand:[ 2D ][ 3C ], value = 5
Dealer must take a card...
Player's hand:[ 2C ][ 2H ][ 3D ][ 3H ][ 3S ][ 4C ], value = 17
Dealer's hand:[ 2D ][ 3C ][ 4D ], value = 9
Dealer must take a card...
Player's hand:[ 2C ][ 2H ][ 3D ][ 3H ][ 3S ][ 4C ], value = 17
Dealer's hand:[ 2D ][ 3C ][ 4D ][ 4H ], value = 13
Dealer must take a card...
Player's hand:[ 2C ][ 2H ][ 3D ][ 3H ][ 3S ][ 4C ], value = 17
Dealer's hand:[ 2D ][ 3C ][ 4D ][ 4H ][ 4S ], value = 17
Tie! No one wins round 11!

Would you like to play another round (Y/N)? >> «no»

Thank you for playing. Goodbye...
"""
)
"""Written by hand from the spec and shuffledDeck.txt; the discards come back with QS on top, and
then in the order of their codes (ranks 2 to 9, A, J, K, Q, T)."""

ARRANGED = """
import random, runpy, sys
code = lambda card: card.getRank() + card.getSuit()
random.shuffle = lambda cards: cards.sort(key=lambda card: (code(card) != "QS", code(card)))
"""
BY_FILE = "sys.path.insert(0, sys.argv[1]); runpy.run_path(sys.argv[2], run_name='__main__')"
BY_MODULE = "runpy.run_module('cardgames.assignments.simple21.assignment2', run_name='__main__')"


def arranged(how: str) -> tuple[list[str], Path]:
    """The command that plays with arranged shuffles, from the folder of the deck files."""
    run = BY_FILE if how == "file" else f"sys.path.insert(0, sys.argv[3]); {BY_MODULE}"
    arguments = [str(FOLDER), str(FOLDER / "assignment2.py"), str(ROOT)]
    return [sys.executable, "-W", "error", "-c", ARRANGED + run, *arguments], DECKS


@pytest.mark.parametrize("how", ["file", "module"])
def test_a_whole_game_with_piped_input(how: str) -> None:
    """S0-8, S0-10, S0-65, S0-66, S0-67, S0-68, S0-69, S0-70, S0-71, S0-72, S0-73, S0-74: all of it.

    S0-7, S0-12, S0-13, S0-14, S0-15, S0-31, S0-54, S0-57, S0-58, S0-61, S0-63, S0-80 too.
    """
    assert piped(*arranged(how), WHOLE_GAME.stdin) == WHOLE_GAME.piped


@pytest.mark.parametrize("how", ["file", "module"])
def test_a_whole_game_in_a_terminal(how: str) -> None:
    """S0-65, S0-66, S0-67, S0-68, S0-69, S0-70, S0-71, S0-72, S0-73, S0-74: as a player sees it."""
    assert in_terminal(*arranged(how), WHOLE_GAME.answers) == WHOLE_GAME.shown


def test_an_invalid_deck_ends_the_game() -> None:
    """S0-33, S0-64, S0-73, S0-79: with the exception's text, and goodbye."""
    arguments, _ = command("simple21", "assignment2", "file")
    printed = piped([arguments[0], str(FOLDER / "assignment2.py")], DECKS, "invalid1.txt\n")
    refusal = "Cannot populate deck: invalid data in invalid1.txt\n"
    assert printed == f"{BANNER}{ASKS_FILE}{refusal}{GOODBYE}"


@pytest.mark.parametrize("how", ["file", "module"])
@pytest.mark.parametrize("lines", [0, 1, 2])
def test_the_end_of_the_input_ends_politely(how: str, lines: int) -> None:
    """S0-73: at each of the three prompts, with the goodbye and without a traceback."""
    stdin = "".join([f"{DECKS / 'shuffledDeck.txt'}\n", "h\n" * 2][:lines])
    printed = piped(*command("simple21", "assignment2", how), stdin)
    assert printed.startswith(BANNER + ASKS_FILE)
    last = (ASKS_FILE, ASKS_HIT, ASKS_AGAIN)[lines]
    assert printed.endswith(f"{last}\nThank you for playing. Goodbye...\n")


@pytest.mark.parametrize("key", [EOF, INTERRUPT], ids=["ctrl-d", "ctrl-c"])
def test_keys_that_end_the_game(key: str) -> None:
    """S0-73: at a real terminal, at each of the three prompts."""
    run = command("simple21", "assignment2", "file")
    answers = [(ASKS_FILE, str(DECKS / "shuffledDeck.txt")), (ASKS_HIT, "s"), (ASKS_AGAIN, "")]
    for count in range(3):
        typed = [*answers[:count], (answers[count][0], key)]
        assert in_terminal(*run, typed).endswith("\nThank you for playing. Goodbye...\n")


def test_only_the_program_handles_an_invalid_deck() -> None:
    """S0-79: no other file has a handler that would take the deck's Exception."""
    for name in ("simple21.py", "queues.py"):
        for node in ast.walk(ast.parse((FOLDER / name).read_text())):
            if isinstance(node, ast.ExceptHandler):
                assert ast.unparse(node.type) in ("EmptyDeckException", "AssertionError")


# Against the web table, and against exact numbers


def lay_of(view: Any) -> str:
    """The two lines that the sheet's table shows, from what the web table's player sees."""
    lines = []
    for name, hand in (("Player", view.player), ("Dealer", view.dealer)):
        faces = "".join(f"[ {card or 'xx'} ]" for card in hand.cards)
        value = "" if hand.total is None else f", value = {hand.total}"
        lines.append(f"{name}'s hand:{faces}{value}")
    return "\n".join(lines)


WORDS = {
    Winner.PLAYER: "Player wins ",
    Winner.DEALER: "Dealer wins ",
    Winner.TIE: "Tie! No one wins ",
}


def test_the_sheet_and_the_web_table_agree(
    simple21: ModuleType,
    answer: Callable[..., list[str]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """S0-12, S0-13, S0-14, S0-15, S0-38, S0-53, S0-75, S0-77: 500 decks, 25 rounds each."""
    game = GAMES["simple-21"]
    refills = endings = 0
    for seed in range(500):
        player = random.Random(seed)
        deck = shuffled(FULL_DECK, random.Random(f"deck {seed}"))
        luck = Luck(seed, code=lambda card: card.getRank() + card.getSuit())
        monkeypatch.setattr(random, "shuffle", luck.shuffle)
        answer(deck_file(tmp_path, "\n".join(deck)))
        table = simple21.Table()
        state, rng = game.start(), Luck(seed)
        choices: dict[str, str] = {"deck": "\n".join(deck)}
        for _ in range(25):
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                state = game.play(state, "deal", choices, rng)
                choices = {}
                table.dealHands()
                assert str(table) == lay_of(game.view(state))
                bust = False
                while not bust and player.random() < 0.5:
                    state = game.play(state, "hit", {}, rng)
                    bust = table.playerHit()
                    assert bust is (state.phase is Phase.ROUND_OVER)
                    assert str(table) == lay_of(game.view(state))
                if bust:
                    assert state.winner is Winner.DEALER
                elif table.playerNatural():
                    state = game.play(state, "stay", {}, rng)
                    assert state.winner is Winner.PLAYER
                    assert str(table) == lay_of(game.view(state))
                else:
                    state = game.play(state, "stay", {}, rng)
                    dealer_bust = table.dealerHit()
                    assert dealer_bust is (game.view(state).dealer.total > 21)
                    assert str(table) == lay_of(game.view(state))
                    table.whoWon()
                    assert said.getvalue().endswith(WORDS[state.winner])
                    endings += 1
            table.clearTable()
            assert codes_on(table) == sorted(FULL_DECK)
        assert rng.count == luck.count
        refills += rng.count
    assert refills >= 1000
    assert endings > 4000


EXACT = {
    17: 72279047 / 486936450,
    18: 0.139230,
    19: 2433866735 / 18121118652,
    20: 0.173535,
    21: 0.089357,
    22: 785198055451 / 2491653814650,
}
"""P of each end of the dealer's hand from a fresh deck with the ace as 1; 22 stands for bust."""


def test_how_the_dealer_ends(
    simple21: ModuleType, answer: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """S0-6, S0-13, S0-56: as the exact numbers say, over 4,000 shuffled decks."""
    games = 4000
    answer(DECKS / "shuffledDeck.txt")
    monkeypatch.setattr(random, "shuffle", random.Random(21).shuffle)
    table = simple21.Table()
    deck, dealer, pile = table._Table__deck, table._Table__dealer, table._Table__discardPile
    ends = dict.fromkeys(EXACT, 0)
    with contextlib.redirect_stdout(io.StringIO()):
        for _ in range(games):
            table.clearTable()
            with contextlib.suppress(simple21.EmptyDeckException):
                while True:
                    pile.append(deck.deal())
            deck.repopulate(pile)
            pile.clear()
            table.dealHands()
            table.dealerHit()
            assert dealer.getHandValue() >= DEALER_STANDS
            ends[min(dealer.getHandValue(), 22)] += 1
    for end, probability in EXACT.items():
        deviation = (probability * (1 - probability) / games) ** 0.5
        assert abs(ends[end] / games - probability) < 4 * deviation, end
