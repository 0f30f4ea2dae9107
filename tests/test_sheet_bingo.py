"""The Bingo sheet: its classes, its program, and that it agrees with the table.

Each test names the requirements and decisions it covers first.
"""
# Blanks at the end of a grid's row are part of the format.
# ruff: noqa: W291

import ast
import builtins
import contextlib
import io
import itertools
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cardgames.bingo import State
from cardgames.record import Played, Record, as_played
from cardgames.transcript import TRANSCRIPTS

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

FOLDER = ASSIGNMENTS / "bingo"
HANDED_IN = ["playingCards.py", "bingo.py", "bingoTests.py"]
UP, DOWN = True, False
SAME_CARD, SAME_RANK = False, True
ORDER = (DECKS / "bingoDeck.txt").read_text().split()
CODES = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
ASKS_FILE = "Please enter filename to initialize deck: "
ASKS_MODE = "Please select playing mode for this round: (L)ine, (C)orners, (F)ull > "
ASKS_SPEED = "Play speed round (i.e. compare card ranks only) (Y/N)? "
ASKS_AGAIN = "Play another round (Y/N)? "
GOODBYE = "Thank you for playing. Goodbye.\n"
BANNER = (
    "******************************\n"
    "Welcome to Playing Card Bingo!\n"
    "******************************\n"
)

# The grids that bingoDeck.txt deals; A's is the picture of the sheet.
GRID_A = """\
[ KS ][ AH ][ 6C ][ 5H ][ KC ]
[ TD ][ 7H ][ 9C ][ 8S ][ 4C ]
[ 2D ][ AC ] [ ]  [ 4S ][ 4D ]
[ 5D ][ 3D ][ TC ][ 8C ][ JC ]
[ 9H ][ 5C ][ 7C ][ 5S ][ JS ]
"""
GRID_B = """\
[ JH ][ QS ][ 6D ][ TS ][ TH ]
[ KD ][ 3C ][ 2C ][ 9S ][ AD ]
[ QH ][ 2H ] [ ]  [ QD ][ 3S ]
[ 6S ][ QC ][ JD ][ 6H ][ AS ]
[ 7S ][ 7D ][ 9D ][ 3H ][ 8D ]
"""
SHOUT = "            BINGO!            \n"
DIAGONAL = """\
 [ ]  [ AH ][ 6C ][ 5H ][ KC ]
[ TD ] [ ]  [ 9C ][ 8S ][ 4C ]
[ 2D ][ AC ] [ ]  [ 4S ][ 4D ]
[ 5D ][ 3D ][ TC ] [ ]  [ JC ]
[ 9H ][ 5C ][ 7C ][ 5S ] [ ]  
            BINGO!            """
"""The sheet's second picture, trailing blanks included."""

CENTRE_A, CENTRE_B = "4H", "8H"
IN_A = GRID_A.replace("[ ]", f"[ {CENTRE_A} ]").translate({91: None, 93: None}).split()
LINES = [
    *([5 * row + column for column in range(5)] for row in range(5)),
    *([5 * row + column for row in range(5)] for column in range(5)),
    [0, 6, 12, 18, 24],
    [4, 8, 12, 16, 20],
]
PATTERNS = {"L": LINES, "C": [[0, 4, 20, 24]], "F": [list(range(25))]}


@pytest.fixture
def load() -> Iterator[Callable[[str], ModuleType]]:
    with sheet("bingo") as load:
        yield load


@pytest.fixture
def cards(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("playingCards")


@pytest.fixture
def bingo(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("bingo")


@pytest.fixture
def card(cards: ModuleType) -> Callable[..., Any]:
    """Make a card from its code."""
    return lambda code, face_up=UP: cards.Card(code[0], code[1], face_up)


@pytest.fixture
def grid(bingo: ModuleType, card: Callable[..., Any]) -> Callable[..., Any]:
    """Make a grid of these cards."""

    def make(mode: str = "L", codes: Sequence[str] = IN_A) -> Any:
        made = bingo.Bingo()
        made.populate([card(code) for code in codes], mode)
        return made

    return make


@pytest.fixture
def table(bingo: ModuleType) -> Any:
    """A table with the sample's bingo deck and line deck."""
    made = bingo.Table()
    made.populateDeck(0, str(DECKS / "bingoDeck.txt"))
    made.populateDeck(1, str(DECKS / "callingDeck_line_Awins.txt"))
    return made


@pytest.fixture
def deck_file(tmp_path: Path) -> Callable[..., str]:
    """Write a deck file, and return its name."""
    numbers = itertools.count()

    def write(content: str | Sequence[str]) -> str:
        file = tmp_path / f"deck{next(numbers)}.txt"
        text = content if isinstance(content, str) else "\n".join(content)
        file.write_bytes(text.encode())
        return str(file)

    return write


def code_of(card: Any) -> str:
    return card.getRank() + card.getSuit()


def codes_in(deck: Any) -> list[str]:
    """The codes in a deck, top first, by its own text."""
    return re.findall(r"\[ (\w\w) \]", str(deck))


def codes_on(table: Any) -> tuple[list[str], list[str]]:
    """The codes of each deck's cards, wherever they lie."""
    private = {name.removeprefix("_Table__"): value for name, value in vars(table).items()}
    bingo = codes_in(private["bingoDeck"]) + list(map(code_of, private["bingoDiscards"]))
    for mine in (private["gridA"], private["gridB"]):
        bingo += [code_of(card) for row in mine._Bingo__grid for card in row]
    calling = codes_in(private["callingDeck"]) + list(map(code_of, private["callingDiscards"]))
    return sorted(bingo), sorted(calling)


BOTH_WHOLE = (sorted(CODES), sorted(CODES))


def shown(act: Callable[[], object]) -> str:
    """What a call prints; it must return None."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert act() is None
    return out.getvalue()


def faces_down(grid: Any) -> set[int]:
    """The places of a grid that lie face down, by its text."""
    fields = [row[at : at + 6] for row in str(grid).split("\n")[:5] for at in range(0, 30, 6)]
    assert {field for field in fields if "[ ]" in field} <= {" [ ]  "}
    return {place for place, field in enumerate(fields) if field == " [ ]  "}


# The class Card


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


# The class Deck


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
    assert queues.CircularQueue.__module__ == "cardgames.assignments.simple21.queues"
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


def places_of(deck: Any) -> list[Any]:
    (queue,) = vars(deck).values()
    return [card for card in queue._CircularQueue__places if card is not None]


def test_a_deck_as_text(cards: ModuleType, card: Callable[..., Any]) -> None:
    """S4-21: every rank and suit, the top card first; nothing is changed by looking."""
    deck = cards.Deck()
    for code in ORDER[:3]:
        deck.addCard(card(code))
    assert [str(deck), str(deck)] == ["top -> [ KS ][ JH ][ AH ] <- bottom"] * 2
    assert not any(one.isFaceUp() for one in places_of(deck))
    assert [code_of(deck.dealCard()) for _ in range(3)] == ["KS", "JH", "AH"]


# The class Bingo


def test_the_interface_of_a_grid(bingo: ModuleType) -> None:
    """S4-23, S4-24: four public methods; a private empty 2-D grid and a private play mode."""
    assert public_names(bingo.Bingo) == {"populate", "search", "isBingo", "clear"}
    assert "__str__" in vars(bingo.Bingo)
    assert vars(bingo.Bingo()) == {"_Bingo__grid": [[]] * 5, "_Bingo__playMode": "L"}


def test_an_empty_grid(bingo: ModuleType, card: Callable[..., Any]) -> None:
    """S4-24, A4-10, A4-11: nothing to clear, no BINGO!, no match, and a text all the same."""
    grid = bingo.Bingo()
    assert (grid.isBingo(), grid.clear(), str(grid)) == (False, [], "\n\n\n\n\n")
    assert grid.search(card("KS"), SAME_RANK) is False


@pytest.mark.parametrize("faces", [[UP], [DOWN], [UP, DOWN]], ids=["up", "down", "mixed"])
def test_populating(bingo: ModuleType, card: Callable[..., Any], faces: list[bool]) -> None:
    """S4-25, S4-34, A4-2: row by row, all face up but the middle one, whatever they were."""
    codes = list(IN_A)
    dealt = [card(code, face) for code, face in zip(codes, itertools.cycle(faces))]
    grid = bingo.Bingo()
    assert grid.populate(dealt, "L") is None
    assert str(grid) == GRID_A
    assert [one.isFaceUp() for one in dealt] == [place != 12 for place in range(25)]
    assert [len(row) for row in str(grid).split("\n")] == [30, 30, 30, 30, 30, 0]


def test_populating_with_more_cards_than_fit(bingo: ModuleType, card: Callable[..., Any]) -> None:
    """S4-26, A4-12: the first 25 are laid, and the list stays its owner's."""
    dealt = [card(code) for code in IN_A] + [card("2S", DOWN), card("KH", UP)]
    grid = bingo.Bingo()
    grid.populate(dealt, "C")
    assert str(grid) == GRID_A
    assert [one.isFaceUp() for one in dealt[25:]] == [False, True]
    assert len(dealt) == 27
    assert grid.clear() == dealt[:25]


@pytest.mark.parametrize("mode", ["", "l", "c", "f", "X", "LC", "LCF", " L", None, 1, ["L"]])
def test_what_is_no_play_mode(bingo: ModuleType, card: Callable[..., Any], mode: object) -> None:
    """S4-26, A4-13: an AssertionError, for small letters too; the grid stays empty."""
    grid = bingo.Bingo()
    dealt = [card(code) for code in IN_A]
    with pytest.raises(AssertionError):
        grid.populate(dealt, mode)
    assert grid.clear() == []
    assert all(one.isFaceUp() for one in dealt)


def test_what_cannot_fill_a_grid(bingo: ModuleType, card: Callable[..., Any]) -> None:
    """S4-26, A4-12: too few cards, something that is no list, and things that are no cards."""
    enough = [card(code) for code in IN_A]
    grid = bingo.Bingo()
    for wrong in (enough[:24], [], tuple(enough), [*enough[:24], "KS"], IN_A, None, "KS" * 25):
        with pytest.raises(AssertionError):
            grid.populate(wrong, "L")
        assert str(grid) == "\n" * 5


def test_the_play_mode_is_updated(grid: Callable[..., Any], card: Callable[..., Any]) -> None:
    """S4-25: each time the grid is populated."""
    one = grid("F")
    for mode, expected in (("C", True), ("F", False), ("L", False), ("C", True)):
        one.populate(one.clear(), mode)
        for code in ("KS", "KC", "9H", "JS"):
            one.search(card(code), SAME_CARD)
        assert one.isBingo() is expected


def test_the_pictures_of_the_sheet(grid: Callable[..., Any], card: Callable[..., Any]) -> None:
    """S4-28, S4-30, S4-34, S4-67, A4-2: KS, 7H, 8C and JS face down, and BINGO! under it."""
    mine = grid("L")
    for code in ("KS", "7H", "8C"):
        assert mine.search(card(code), SAME_CARD) is True
        assert "BINGO!" not in str(mine)
        assert str(mine).endswith("]\n")
    assert mine.search(card("JS"), SAME_CARD) is True
    assert str(mine) == DIAGONAL
    corners = grid("C")
    for code in ("KS", "7H", "8C", "JS"):
        corners.search(card(code), SAME_CARD)
    assert str(corners) == DIAGONAL.rpartition("\n")[0] + "\n"


def test_searching_by_card(grid: Callable[..., Any], card: Callable[..., Any]) -> None:
    """S4-27, S4-28: one card at most is turned; without a match nothing is."""
    for code, face_up in itertools.product(CODES, [UP, DOWN]):
        mine, called = grid(), card(code, face_up)
        assert mine.search(called, SAME_CARD) is (code in IN_A)
        turned = {IN_A.index(code)} if code in IN_A else set()
        assert faces_down(mine) == {12} | turned
        assert called.isFaceUp() is face_up


def test_searching_by_rank(grid: Callable[..., Any], card: Callable[..., Any]) -> None:
    """S4-27, S4-28: up to four are turned, all of the rank."""
    numbers = set()
    for code in CODES:
        mine = grid()
        turned = {place for place, one in enumerate(IN_A) if one[0] == code[0]}
        assert mine.search(card(code), SAME_RANK) is bool(turned)
        assert faces_down(mine) == {12} | turned
        numbers.add(len(turned))
    assert {0, 4} <= numbers


@pytest.mark.parametrize("rank_only", [SAME_CARD, SAME_RANK])
def test_a_card_that_lies_face_down_stays_so(
    grid: Callable[..., Any],
    card: Callable[..., Any],
    rank_only: bool,  # noqa: FBT001
) -> None:
    """S4-28, S4-67, A4-3, A4-4: it is a match again, and is never turned up."""
    mine = grid()
    for code in ("KS", CENTRE_A):
        mine.search(card(code), rank_only)
    down = faces_down(mine)
    assert {0, 12} <= down
    for code in (CENTRE_A, "KS", CENTRE_A):
        assert mine.search(card(code), rank_only) is True
        assert faces_down(mine) == down


def test_the_centre_alone_is_a_match(grid: Callable[..., Any], card: Callable[..., Any]) -> None:
    """S4-28, A4-3, A4-4: it lies face down from the start; the sample's toggle is not followed."""
    mine = grid()
    for _ in range(3):
        assert mine.search(card(CENTRE_A), SAME_CARD) is True
        assert str(mine) == GRID_A


@pytest.mark.parametrize(
    ("thing", "rank_only"), [("KS", False), (None, True), (0, False), ("card", 0), ("card", None)]
)
def test_what_cannot_be_searched(
    grid: Callable[..., Any], card: Callable[..., Any], thing: object, rank_only: object
) -> None:
    """S4-29: an AssertionError for what is no card, or neither True nor False."""
    mine = grid()
    with pytest.raises(AssertionError):
        mine.search(card("KS") if thing == "card" else thing, rank_only)
    assert str(mine) == GRID_A


@pytest.mark.parametrize("mode", PATTERNS)
def test_each_pattern(grid: Callable[..., Any], card: Callable[..., Any], mode: str) -> None:
    """S4-30, S4-31, S4-32, S4-34: complete it is a BINGO!, and without any one of its cards not."""
    for pattern in PATTERNS[mode]:
        needed = [place for place in pattern if place != 12]
        for missing in (None, *needed):
            mine = grid(mode)
            for place in needed:
                if place != missing:
                    mine.search(card(IN_A[place]), SAME_CARD)
            assert mine.isBingo() is (missing is None)
            assert str(mine).split("\n")[5] == ("BINGO!".center(30) if missing is None else "")


def test_any_cards_face_down(grid: Callable[..., Any], card: Callable[..., Any]) -> None:
    """S4-30, S4-31, S4-32: 200 random sets of places, each in every mode."""
    luck = random.Random(30)
    seen = set()
    for _ in range(200):
        places = {12, *luck.sample(range(25), luck.randrange(26))}
        for mode, patterns in PATTERNS.items():
            mine = grid(mode)
            for place in places - {12}:
                mine.search(card(IN_A[place]), SAME_CARD)
            expected = any(places.issuperset(pattern) for pattern in patterns)
            assert mine.isBingo() is expected
            seen.add((mode, expected))
    assert len(seen) == 6


def test_clearing_a_grid(grid: Callable[..., Any]) -> None:
    """S4-33, A4-10: every card comes back once, in a list of its own."""
    mine = grid()
    removed = mine.clear()
    assert list(map(code_of, removed)) == list(IN_A)
    assert (mine.clear(), str(mine), mine.isBingo()) == ([], "\n" * 5, False)
    mine.populate(removed, "L")
    removed.clear()
    assert str(mine) == GRID_A


# The class Table


def test_the_interface_of_a_table(bingo: ModuleType, cards: ModuleType) -> None:
    """S4-36, S4-37, A4-8: nine public methods; two decks, two piles and two grids, all empty."""
    assert public_names(bingo.Table) == {
        "populateDeck", "dealBingo", "displayTable", "callCard", "updateTable", "clearTable",
        "resetDecks", "isWinner", "whoWon",
    }  # fmt: skip
    table = bingo.Table()
    assert len(vars(table)) == 6
    assert all(name.startswith("_Table__") for name in vars(table))
    kinds = [type(value) for value in vars(table).values()]
    assert [kinds.count(kind) for kind in (cards.Deck, list, bingo.Bingo)] == [2, 2, 2]
    assert codes_on(table) == ([], [])


@pytest.mark.parametrize(("number", "attribute"), [(0, "bingoDeck"), (1, "callingDeck")])
@pytest.mark.parametrize(
    "text",
    ["\n".join(ORDER), "\r\n".join(ORDER), "\n".join(ORDER).lower(), " \t\n".join(ORDER) + "\n"],
    ids=["as it is", "CRLF", "lower case", "blanks"],
)
def test_populating_a_deck(
    bingo: ModuleType, deck_file: Callable[..., str], text: str, number: int, attribute: str
) -> None:
    """S4-38, A4-21, A4-35: the first line on top, face down, in the deck with this number only."""
    table = bingo.Table()
    name = deck_file(text)
    assert shown(lambda: table.populateDeck(number, name)) == ""
    deck = vars(table)[f"_Table__{attribute}"]
    assert codes_in(deck) == ORDER
    assert not any(card.isFaceUp() for card in places_of(deck))
    assert [len(codes) for codes in codes_on(table)] == [52 * (number == 0), 52 * (number == 1)]


def test_lines_that_are_no_cards(bingo: ModuleType, deck_file: Callable[..., str]) -> None:
    """S4-39, A4-21, A4-22: each is named and left out, and the deck can be whole all the same."""
    bad = ["XX", "1S", "10S", "K", "KSQ", "K S", "# mine"]
    name = deck_file([*bad[:3], *ORDER[:20], *bad[3:], "", *ORDER[20:]])
    table = bingo.Table()
    told = shown(lambda: table.populateDeck(0, name)).splitlines()
    assert told == [f"Not a card, and not added to the deck: {line!r}" for line in [*bad, ""]]
    assert codes_in(table._Table__bingoDeck) == ORDER


INVALID = {
    "empty": [],
    "one card": ["KS"],
    "51 cards": ORDER[1:],
    "one twice": [*ORDER[:-1], "KS"],
    "one twice in another case": [*ORDER[:-1], "ks"],
    "53 cards": [*ORDER, "KS"],
    "104 cards": ORDER * 2,
    "one bad": [*ORDER[:-1], "XX"],
}


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("lines", INVALID.values(), ids=INVALID)
def test_files_that_make_no_deck(
    bingo: ModuleType, deck_file: Callable[..., str], lines: list[str], number: int
) -> None:
    """S4-40, A4-16, A4-17, A4-19, A4-20: an Exception with the file's name; the deck is empty."""
    table, name = bingo.Table(), deck_file(lines)
    with contextlib.redirect_stdout(io.StringIO()), pytest.raises(Exception) as refusal:
        table.populateDeck(number, name)
    assert type(refusal.value) is Exception
    assert refusal.value.args == (f"Deck created from {name} is not valid",)
    assert codes_on(table) == ([], [])
    table.populateDeck(number, deck_file(ORDER))
    assert codes_on(table)[number] == sorted(CODES)


def test_a_file_that_is_no_text(bingo: ModuleType, tmp_path: Path) -> None:
    """S4-40, A4-22: bytes that are no text are lines that are no cards."""
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\xff\xfe\x00")
    with (
        contextlib.redirect_stdout(io.StringIO()) as told,
        pytest.raises(Exception, match=r"^Deck created from .*picture\.png is not valid$"),
    ):
        bingo.Table().populateDeck(0, str(picture))
    assert told.getvalue().isprintable() or told.getvalue().count("\n") == 1
    assert "\x00" not in told.getvalue()


@pytest.mark.parametrize(
    ("number", "name"),
    [(2, "x"), (-1, "x"), ("0", "x"), (0.0, "x"), (None, "x"), (0, None), (1, 3), (0, ["x"])],
)
def test_what_cannot_be_populated(
    bingo: ModuleType, monkeypatch: pytest.MonkeyPatch, number: object, name: object
) -> None:
    """S4-41, A4-15: an AssertionError before any file is opened."""
    monkeypatch.setattr(builtins, "open", lambda *_, **__: pytest.fail("opened"))
    with pytest.raises(AssertionError):
        bingo.Table().populateDeck(number, name)


def test_a_file_that_cannot_be_opened(bingo: ModuleType, tmp_path: Path) -> None:
    """S4-42: the OSError goes through, and the deck stays empty."""
    table = bingo.Table()
    for name in (tmp_path / "none.txt", tmp_path, ""):
        with pytest.raises(OSError):
            table.populateDeck(0, str(name))
    assert codes_on(table) == ([], [])


def test_the_file_is_closed(
    bingo: ModuleType, monkeypatch: pytest.MonkeyPatch, deck_file: Callable[..., str]
) -> None:
    """S4-38, S4-40: after a good and after an invalid deck."""
    opened, real = [], open
    names = [deck_file(ORDER), deck_file(ORDER[1:])]

    def remember(*args: Any, **kwargs: Any) -> Any:
        opened.append(real(*args, **kwargs))
        return opened[-1]

    monkeypatch.setattr(builtins, "open", remember)
    for name in names:
        with contextlib.suppress(Exception):
            bingo.Table().populateDeck(0, name)
    assert [file.closed for file in opened] == [True, True]


def test_the_deal(table: Any) -> None:
    """S4-43, S4-44, S4-65: A the odd cards, B the even ones, and two are discarded."""
    assert table.dealBingo("L") is None
    assert shown(table.displayTable) == f"Player A:\n{GRID_A}\nPlayer B:\n{GRID_B}\n"
    assert table._Table__bingoDeck.deckSize() == 0
    assert list(map(code_of, table._Table__bingoDiscards)) == ["2S", "KH"]
    assert codes_on(table) == BOTH_WHOLE
    in_b = {code_of(card) for row in table._Table__gridB._Bingo__grid for card in row}
    assert in_b.isdisjoint(IN_A)
    assert len(in_b) == 25


@pytest.mark.parametrize("mode", ["l", "X", "", None])
def test_a_deal_with_a_wrong_mode(table: Any, mode: object) -> None:
    """S4-43, A4-13, A4-14: an AssertionError, and no card has moved."""
    with pytest.raises(AssertionError):
        table.dealBingo(mode)
    assert codes_in(table._Table__bingoDeck) == ORDER
    table.dealBingo("L")


def test_a_deal_without_enough_cards(bingo: ModuleType, table: Any) -> None:
    """S4-18, S4-43, S4-64, A4-14: the deck's Exception goes through, and no card is lost."""
    for broken in (bingo.Table(), table):
        if broken is table:
            table.dealBingo("L")
            table.resetDecks()  # the grids were not cleared, so two cards come back
        with pytest.raises(Exception) as refusal:
            broken.dealBingo("C")
        assert type(refusal.value) is Exception
        assert refusal.value.args == ("Cannot deal card from empty deck",)
    assert codes_on(table) == BOTH_WHOLE
    table.clearTable()
    table.resetDecks()
    table.dealBingo("L")
    assert codes_on(table) == BOTH_WHOLE


def test_calling_a_card(table: Any) -> None:
    """S4-45, S4-64, S4-68, A4-7: the top card, returned face up, lies on the calling pile."""
    order = codes_in(table._Table__callingDeck)
    for count, code in enumerate(order, start=1):
        card = table.callCard()
        assert str(card) == f"[ {code} ]"
        assert table._Table__callingDeck.deckSize() == 52 - count
        assert list(map(code_of, table._Table__callingDiscards)) == order[:count]
        assert table._Table__bingoDiscards == []
        assert codes_on(table) == BOTH_WHOLE
    with pytest.raises(Exception, match=r"^Cannot deal card from empty deck$"):
        table.callCard()


def test_updating_the_table(table: Any, card: Callable[..., Any]) -> None:
    """S4-46: the card is searched on both grids; nothing is returned."""
    table.dealBingo("L")
    assert table.updateTable(card("KS"), SAME_CARD) is None
    assert (faces_down(table._Table__gridA), faces_down(table._Table__gridB)) == ({0, 12}, {12})
    assert table.updateTable(card("8H"), SAME_RANK) is None
    assert faces_down(table._Table__gridA) == {0, 8, 12, 18}
    assert faces_down(table._Table__gridB) == {12, 24}


@pytest.mark.parametrize(
    ("thing", "rank_only"), [("KS", False), (None, True), ("card", 1), ("card", "N")]
)
def test_what_cannot_update_the_table(
    table: Any, card: Callable[..., Any], thing: object, rank_only: object
) -> None:
    """S4-46: an AssertionError for what is no card, or neither True nor False."""
    table.dealBingo("L")
    with pytest.raises(AssertionError):
        table.updateTable(card("KS") if thing == "card" else thing, rank_only)
    assert shown(table.displayTable) == f"Player A:\n{GRID_A}\nPlayer B:\n{GRID_B}\n"


def test_clearing_the_table(table: Any) -> None:
    """S4-47: both grids to the bingo pile, the rest of the calling deck to the calling pile."""
    table.dealBingo("F")
    for _ in range(3):
        table.updateTable(table.callCard(), SAME_RANK)
    assert table.clearTable() is None
    assert [len(codes) for codes in codes_on(table)] == [52, 52]
    assert (len(table._Table__bingoDiscards), len(table._Table__callingDiscards)) == (52, 52)
    assert (table._Table__bingoDeck.deckSize(), table._Table__callingDeck.deckSize()) == (0, 0)
    assert shown(table.displayTable) == "Player A:\n\n\n\n\n\n\nPlayer B:\n\n\n\n\n\n\n"


def test_resetting_the_decks(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """S4-48: each pile goes through random.shuffle and under its deck, face down."""
    calls = []

    def reverse(pile: list[Any]) -> None:
        calls.append(sorted(map(code_of, pile)))
        pile.reverse()

    order = codes_in(table._Table__callingDeck)
    table.dealBingo("L")
    table.clearTable()
    monkeypatch.setattr(random, "shuffle", reverse)
    assert table.resetDecks() is None
    assert calls == [sorted(CODES)] * 2
    assert (table._Table__bingoDiscards, table._Table__callingDiscards) == ([], [])
    for deck in (table._Table__bingoDeck, table._Table__callingDeck):
        assert deck.isComplete()
        assert not any(card.isFaceUp() for card in places_of(deck))
    assert codes_in(table._Table__callingDeck) == order[::-1]


def test_the_decks_are_really_shuffled(table: Any) -> None:
    """S4-48: no two orders of ten are the same."""
    orders = set()
    for _ in range(10):
        table.dealBingo("L")
        table.clearTable()
        table.resetDecks()
        orders.add(str(table._Table__bingoDeck))
        orders.add(str(table._Table__callingDeck))
    assert len(orders) == 20


@pytest.mark.parametrize("when", ["before the deal", "after the deal", "after a call"])
def test_nothing_is_lost_when_a_round_is_given_up(table: Any, when: str) -> None:
    """S4-60, S4-64, A4-9: whenever it ends, both decks are whole again after the reset."""
    if when != "before the deal":
        table.dealBingo("L")
    if when == "after a call":
        table.updateTable(table.callCard(), SAME_RANK)
    table.clearTable()
    table.resetDecks()
    assert table._Table__bingoDeck.isComplete()
    assert table._Table__callingDeck.isComplete()
    assert codes_on(table) == BOTH_WHOLE


def test_who_won(table: Any, card: Callable[..., Any]) -> None:
    """S4-49, S4-50, A4-28, A4-30: the sheet's words, for A, for B and for both."""
    corners = {"A": ["KS", "KC", "9H", "JS"], "B": ["JH", "TH", "7S", "8D"]}
    for winners, words in (("A", "Player A won!"), ("B", "Player B won!"), ("AB", "Tie!")):
        table.dealBingo("C")
        turned = [card(code) for winner in winners for code in corners[winner]]
        for one in turned[:3]:
            table.updateTable(one, SAME_CARD)
            assert table.isWinner() is False
            with pytest.raises(Exception) as refusal:
                table.whoWon()
            assert type(refusal.value) is Exception
            assert refusal.value.args == ("Neither player has won",)
        for one in turned[3:]:
            table.updateTable(one, SAME_CARD)
        assert table.isWinner() is True
        assert table.whoWon() == words
        table.clearTable()
        table._Table__bingoDiscards.sort(key=lambda one: ORDER.index(code_of(one)))
        for one in list(table._Table__bingoDiscards):
            table._Table__bingoDeck.addCard(one)
        table._Table__bingoDiscards.clear()


def test_nobody_has_won_on_an_empty_table(bingo: ModuleType) -> None:
    """S4-49, S4-50, A4-11: there is no BINGO! without cards."""
    table = bingo.Table()
    assert table.isWinner() is False
    with pytest.raises(Exception, match=r"^Neither player has won$"):
        table.whoWon()


def test_cards_are_conserved_and_only_speed_rounds_tie(
    table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S4-1, S4-64, S4-65: at every moment of 25 rounds in each mode, speed or not."""
    monkeypatch.setattr(random, "shuffle", random.Random(64).shuffle)
    ties = dict.fromkeys(itertools.product("LCF", [SAME_CARD, SAME_RANK]), 0)
    for mode, rank_only in ties:
        for _ in range(25):
            table.dealBingo(mode)
            while not table.isWinner():
                table.updateTable(table.callCard(), rank_only)
                assert codes_on(table) == BOTH_WHOLE
            ties[mode, rank_only] += table.whoWon() == "Tie!"
            table.clearTable()
            table.resetDecks()
    assert [ties[mode, SAME_CARD] for mode in "LCF"] == [0, 0, 0]
    assert all(ties[mode, SAME_RANK] for mode in "LCF")
    assert ties["F", SAME_RANK] > 15  # 21 are expected


# The files


def test_the_three_files_keep_the_sheets_restrictions() -> None:
    """S4-63, A4-26: no break, no continue, and no import but the sheet's and the one of the rules.

    S4-69: a header comment that names an author and references, and docstrings everywhere.
    """
    for name in HANDED_IN:
        source = (FOLDER / name).read_text()
        nodes = list(ast.walk(ast.parse(source)))
        assert not [node for node in nodes if isinstance(node, ast.Break | ast.Continue)]
        imported = set()
        for node in nodes:
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module)
        assert imported <= {"random", "queues", "playingCards", "bingo", "_bingo_rules"}
        assert source.startswith("# Author: ")
        assert "\n# Collaborators and references: " in source
    assert undocumented("bingo") == []
    files = {file.name for file in FOLDER.glob("*.py")}
    assert files == {*HANDED_IN, "queues.py", "_bingo_rules.py", "__init__.py"}


def test_the_rules_are_asked_of_the_project() -> None:
    """S4-69: nothing but the adapter imports the project, and the queues their other folder."""
    for file in FOLDER.glob("*.py"):
        asked = [
            node.module
            for node in ast.walk(ast.parse(file.read_text()))
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cardgames")
        ]
        assert asked == {
            "_bingo_rules.py": ["cardgames.bingo", "cardgames.cards"],
            "queues.py": ["cardgames.assignments.simple21.queues"],
        }.get(file.name, [])


def test_importing_asks_and_prints_nothing(
    load: Callable[[str], ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    """S4-2, S4-23, S4-36, A4-25: every file of the sheet can be imported under its own name."""
    for name in ("queues", "playingCards", "bingo", "bingoTests"):
        assert Path(load(name).__file__) == FOLDER / f"{name}.py"
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("how", ["file", "module"])
def test_the_tests_for_the_marker(how: str) -> None:
    """S4-11, S4-22, S4-35, S4-51: they run by themselves, and pass."""
    printed = piped(*command("bingo", "playingCards", how), "")
    assert printed == "Card: all tests passed\nDeck: all tests passed\n"
    printed = piped(*command("bingo", "bingoTests", how), "")
    assert printed == "Bingo: all tests passed\nTable: all tests passed\n"


BREAKS = {
    "a match toggles": ("bingo.py", "if mine.isFaceUp():", "if mine:"),
    "the centre lies up": ("bingo.py", "== (place == CENTRE)", "== (place == 26)"),
    "no rank only": ("bingo.py", "codeOf(card), rankOnly)", "codeOf(card), False)"),
    "B is not searched": ("bingo.py", "self.__gridB.search", "self.__gridA.search"),
    "a file of 53": ("bingo.py", "len(cards) > DECK_SIZE or ", ""),
    "not shuffled": ("bingo.py", "random.shuffle(pile)", "list(pile)"),
    "added face up": ("playingCards.py", "if card.isFaceUp():", "if False:"),
    "always complete": ("playingCards.py", "return isWholeDeck(", "return True or isWholeDeck("),
    "small letters": ("playingCards.py", "rank.upper()", "rank"),
    "the face counts": ("playingCards.py", "isinstance(anotherCard, Card)",
                        "str(self) == str(anotherCard)"),
}  # fmt: skip


@pytest.mark.parametrize(("file", "right", "wrong"), BREAKS.values(), ids=BREAKS)
def test_the_tests_for_the_marker_find_mistakes(
    tmp_path: Path, file: str, right: str, wrong: str
) -> None:
    """S4-11, S4-22, S4-35, S4-51: with a mistake in the code, one of them fails."""
    for source in FOLDER.glob("*.py"):
        (tmp_path / source.name).write_text(source.read_text())
    tests = "bingoTests.py" if file == "bingo.py" else file
    source = (FOLDER / file).read_text()
    assert right in source
    for text, code in ((source, 0), (source.replace(right, wrong, 1), 1)):
        (tmp_path / file).write_text(text)
        run = subprocess.run(
            [sys.executable, "-B", tests],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT)},
            capture_output=True,
            timeout=20,
            check=False,
        )
        assert run.returncode == code, run.stderr


# The program: the rounds of the sample output


def turned(grid: str, codes: Sequence[str], *, bingo: bool) -> str:
    """The text of a grid with these cards turned down, and the line under it."""
    for code in codes:
        assert f"[ {code} ]" in grid
        grid = grid.replace(f"[ {code} ]", " [ ]  ")
    return grid + (SHOUT if bingo else "\n")


def calls(grids: tuple[str, str], called: str, *, speed: bool, winners: str) -> str:
    """A round's tables from the start to the last call, which gives the winners their BINGO!"""
    codes = called.split()
    text = ""
    for count in range(len(codes) + 1):
        if count:
            text += f"------------------------\nNow calling [ {codes[count - 1]} ]\n"
        for player, grid in zip("AB", grids, strict=True):
            fields = re.findall(r"\[ (\w\w) \]", grid)
            named = codes[:count] if not speed else [code[0] for code in codes[:count]]
            down = [one for one in fields if (one[0] if speed else one) in named]
            bingo = count == len(codes) and player in winners
            text += f"Player {player}:\n{turned(grid, down, bingo=bingo)}"
    return text


def opening(calling: str) -> str:
    return (
        f"{BANNER}Creating bingo deck...\n{ASKS_FILE}«bingoDeck.txt»\n"
        f"Creating calling deck...\n{ASKS_FILE}«{calling}»\n"
    )


LINE_ROUND = calls((GRID_A, GRID_B), "KS KC AH JH 6C 5H", speed=False, winners="A")
SAMPLES = {
    "line": Transcript(
        opening("callingDeck_line_Awins.txt")
        + f"{ASKS_MODE}«L»\n{ASKS_SPEED}«N»\n\nRound 1 beginning...\n{LINE_ROUND}"
        + f"Round 1: Player A won!\n{ASKS_AGAIN}«N»\n{GOODBYE}"
    ),
    "corners": Transcript(
        opening("callingDeck_corners_Bwins.txt")
        + f"{ASKS_MODE}«c»\n{ASKS_SPEED}«No»\n\nRound 1 beginning...\n"
        + calls((GRID_A, GRID_B), "JH TH 7S 8D", speed=False, winners="B")
        + f"Round 1: Player B won!\n{ASKS_AGAIN}«no»\n{GOODBYE}"
    ),
    "full": Transcript(
        opening("callingDeck_full_rankonly_tie.txt")
        + f"{ASKS_MODE}«f»\n{ASKS_SPEED}«Y»\n\nRound 1 beginning...\n"
        + calls(
            (GRID_A, GRID_B),
            " ".join((DECKS / "callingDeck_full_rankonly_tie.txt").read_text().split()[:13]),
            speed=True,
            winners="AB",
        )
        + f"Round 1: Tie!\n{ASKS_AGAIN}«nope»\n{GOODBYE}"
    ),
}
"""Built from the two grids above by putting ``[ ]`` in the place of what was called, and from the
spec: when each of the rounds ends, and for whom."""


def test_the_expected_text_is_the_samples() -> None:
    """S4-34, S4-44, S4-57: some of its lines written out, so that its construction is checked."""
    assert LINE_ROUND.endswith(
        """\
------------------------
Now calling [ 5H ]
Player A:
 [ ]   [ ]   [ ]   [ ]   [ ]  
[ TD ][ 7H ][ 9C ][ 8S ][ 4C ]
[ 2D ][ AC ] [ ]  [ 4S ][ 4D ]
[ 5D ][ 3D ][ TC ][ 8C ][ JC ]
[ 9H ][ 5C ][ 7C ][ 5S ][ JS ]
            BINGO!            
Player B:
 [ ]  [ QS ][ 6D ][ TS ][ TH ]
[ KD ][ 3C ][ 2C ][ 9S ][ AD ]
[ QH ][ 2H ] [ ]  [ QD ][ 3S ]
[ 6S ][ QC ][ JD ][ 6H ][ AS ]
[ 7S ][ 7D ][ 9D ][ 3H ][ 8D ]

"""
    )
    full = SAMPLES["full"].shown
    blank = " [ ]   [ ]   [ ]   [ ]   [ ]  \n"
    assert full.count("Now calling") == 13
    assert full.count("Now calling [ 8S ]\nPlayer A:\n" + blank * 5 + SHOUT) == 1
    assert full.count("Player B:\n" + blank * 5 + SHOUT + "Round 1: Tie!\n") == 1
    assert full.count("BINGO!") == 2


def from_the_decks(how: str) -> tuple[list[str], Path]:
    """The command that plays from the folder of the deck files, with sorted shuffles."""
    arguments = [str(FOLDER), str(FOLDER / "bingo.py"), str(ROOT)]
    run = BY_FILE if how == "file" else BY_MODULE
    return [sys.executable, "-W", "error", "-c", ARRANGED + run, *arguments], DECKS


ARRANGED = """
import random, runpy, sys
random.shuffle = lambda cards: cards.sort(key=lambda card: card.getRank() + card.getSuit())
"""
BY_FILE = "sys.path.insert(0, sys.argv[1]); runpy.run_path(sys.argv[2], run_name='__main__')"
BY_MODULE = (
    "sys.path.insert(0, sys.argv[3]);"
    "runpy.run_module('cardgames.assignments.bingo.bingo', run_name='__main__')"
)


@pytest.mark.parametrize("how", ["file", "module"])
@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_the_samples_with_piped_input(sample: Transcript, how: str) -> None:
    """S4-38, S4-43, S4-44, S4-52, S4-54, S4-55, S4-56, S4-57, S4-58, S4-62, A4-25, A4-37, A4-38.

    All of it, byte for byte, in mode L, C and F.
    """
    arguments, _ = command("bingo", "bingo", how)
    if how == "file":
        arguments[-1] = str(FOLDER / arguments[-1])
        assert piped(arguments, DECKS, sample.stdin) == sample.piped
    else:
        assert piped(arguments, DECKS, sample.stdin, PYTHONPATH=str(ROOT)) == sample.piped


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_the_samples_in_a_terminal(sample: Transcript) -> None:
    """S4-44, S4-52, S4-54, S4-55, S4-56, S4-57, S4-58, S4-62, A4-38: as a player sees it."""
    program = [sys.executable, str(FOLDER / "bingo.py")]
    assert in_terminal(program, DECKS, sample.answers) == sample.shown


SORTED = (
    """\
[ 2C ][ 2H ][ 3C ][ 3H ][ 4C ]
[ 4H ][ 5C ][ 5H ][ 6C ][ 6H ]
[ 7C ][ 7H ] [ ]  [ 8H ][ 9C ]
[ 9H ][ AC ][ AH ][ JC ][ JH ]
[ KC ][ KH ][ QC ][ QH ][ TC ]
""",
    """\
[ 2D ][ 2S ][ 3D ][ 3S ][ 4D ]
[ 4S ][ 5D ][ 5S ][ 6D ][ 6S ]
[ 7D ][ 7S ] [ ]  [ 8S ][ 9D ]
[ 9S ][ AD ][ AS ][ JD ][ JS ]
[ KD ][ KS ][ QD ][ QS ][ TD ]
""",
)
"""What a deck sorted by its codes deals."""

WHOLE_GAME = Transcript(
    f"{BANNER}Creating bingo deck...\n"
    f"{ASKS_FILE}«nowhere.txt»\nProblem with filename provided. Creating bingo deck...\n"
    f"{ASKS_FILE}«»\nProblem with filename provided. Creating bingo deck...\n"
    f"{ASKS_FILE}«bingoDeck.txt»\n"
    "Creating calling deck...\n"
    f"{ASKS_FILE}«.»\nProblem with filename provided. Creating calling deck...\n"
    f"{ASKS_FILE}«invalid1.txt»\nDeck created from invalid1.txt is not valid\n"
    f"{ASKS_FILE}«callingDeck_line_Awins.txt»\n"
    f"{ASKS_MODE}« L»\n{ASKS_MODE}«»\n{ASKS_MODE}«q»\n{ASKS_MODE}«1»\n{ASKS_MODE}«line»\n"
    f"{ASKS_SPEED}«»\n{ASKS_SPEED}«maybe»\n{ASKS_SPEED}«nah»\n"
    f"\nRound 1 beginning...\n{LINE_ROUND}Round 1: Player A won!\n"
    f"{ASKS_AGAIN}«»\n{ASKS_AGAIN}«what?»\n{ASKS_AGAIN}« y»\n{ASKS_AGAIN}«yes»\n"
    f"{ASKS_MODE}«Lines»\n{ASKS_SPEED}«yup»\n"
    "\nRound 2 beginning...\n"
    + calls(SORTED, "2C 2D 2H 2S 3C 3D 3H 3S 4C", speed=True, winners="AB")
    + f"Round 2: Tie!\n{ASKS_AGAIN}«Y»\n"
    f"{ASKS_MODE}«l»\n{ASKS_SPEED}«n»\n"
    "\nRound 3 beginning...\n"
    + calls(SORTED, "2C 2D 2H 2S 3C 3D 3H 3S 4C", speed=False, winners="A")
    + f"Round 3: Player A won!\n{ASKS_AGAIN}«n»\n{GOODBYE}"
)


@pytest.mark.parametrize("how", ["file", "module"])
def test_a_whole_game_with_piped_input(how: str) -> None:
    """S4-42, S4-48, S4-53, S4-54, S4-55, S4-56, S4-60, S4-61, S4-62, A4-13, A4-18.

    A4-24: wrong files, wrong answers, and three rounds; whole shuffled decks in between.
    """
    printed = piped(*from_the_decks(how), WHOLE_GAME.stdin)
    assert re.sub(r"Not a card, and .*\n", "", printed) == WHOLE_GAME.piped


@pytest.mark.parametrize("how", ["file", "module"])
def test_a_whole_game_in_a_terminal(how: str) -> None:
    """S4-42, S4-48, S4-53, S4-54, S4-55, S4-56, S4-60, S4-61, S4-62: as it is seen."""
    screen = in_terminal(*from_the_decks(how), WHOLE_GAME.answers)
    assert re.sub(r"Not a card, and .*\n", "", screen) == WHOLE_GAME.shown


# The program, from inside


@pytest.fixture
def run(bingo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Run the program with these answers; returns what it prints to a file."""

    def run(*answers: str) -> str:
        left, out = list(answers), io.StringIO()

        def typed(prompt: str = "") -> str:
            sys.stdout.write(prompt)
            if not left:
                raise EOFError
            return left.pop(0)

        monkeypatch.setattr(builtins, "input", typed)
        with contextlib.redirect_stdout(out):
            bingo.main()
        assert left == []
        return out.getvalue()

    return run


DECK_FILES = [str(DECKS / "bingoDeck.txt"), str(DECKS / "callingDeck_line_Awins.txt")]


@pytest.mark.parametrize("method", ["dealBingo", "displayTable", "callCard", "updateTable",
                                    "isWinner", "whoWon"])  # fmt: skip
def test_an_exception_ends_the_round(
    bingo: ModuleType, run: Callable[..., str], monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """S4-59, S4-60, A4-9, A4-23, A4-29: with its argument; the next round has the next number."""
    real, tables = getattr(bingo.Table, method), []

    def fail_once(table: Any, *arguments: object) -> object:
        if table not in tables:
            tables.append(table)
            raise RuntimeError("the dog ate a card")
        return real(table, *arguments)

    monkeypatch.setattr(bingo.Table, method, fail_once)
    printed = run(*DECK_FILES, "L", "N", "Y", "L", "N", "N")
    broken = "the dog ate a card\nCannot continue with this round.\n"
    assert printed.count(broken) == 1
    first, second = printed.split(broken)
    assert first.count("Round 1 beginning...\n") == 1
    assert "Round 1: " not in first
    assert second.startswith(f"{ASKS_AGAIN}{ASKS_MODE}{ASKS_SPEED}\nRound 2 beginning...\n")
    assert re.search(rf"\nRound 2: .*!\n{re.escape(ASKS_AGAIN + GOODBYE)}$", second)
    (table,) = tables
    assert table._Table__bingoDeck.isComplete()
    assert table._Table__callingDeck.isComplete()


def test_an_assertion_ends_the_round_too(
    bingo: ModuleType, run: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """S4-59, A4-14: exceptions of any kind, that of an invalid mode for one."""
    monkeypatch.setattr(bingo, "MODES", ("X",))
    printed = run(*DECK_FILES, "x", "N", "N")
    assert printed.endswith(
        "\nRound 1 beginning...\nNot a play mode: 'X'\nCannot continue with this round.\n"
        f"{ASKS_AGAIN}{GOODBYE}"
    )


@pytest.mark.parametrize("how", ["file", "module"])
@pytest.mark.parametrize("lines", range(5))
def test_the_end_of_the_input_ends_politely(how: str, lines: int) -> None:
    """S4-62: at each of the five prompts, with the goodbye and without a traceback."""
    stdin = "".join(f"{line}\n" for line in [*DECK_FILES, "l", "y"][:lines])
    printed = piped(*command("bingo", "bingo", how), stdin)
    assert printed.startswith(BANNER)
    asked = [ASKS_FILE, ASKS_FILE, ASKS_MODE, ASKS_SPEED, ASKS_AGAIN][lines]
    assert printed.endswith(f"{asked}\n{GOODBYE}")


@pytest.mark.parametrize("key", [EOF, INTERRUPT], ids=["ctrl-d", "ctrl-c"])
def test_keys_that_end_the_game(key: str) -> None:
    """S4-62: at a real terminal, at the first prompt and within a round."""
    answers = [*zip([ASKS_FILE, ASKS_FILE, ASKS_MODE], [*DECK_FILES, "L"], strict=True)]
    for typed in ([(ASKS_FILE, key)], [*answers, (ASKS_SPEED, key)]):
        screen = in_terminal(*command("bingo", "bingo", "file"), typed)
        assert screen.endswith(f"\n{GOODBYE}")
        assert "Traceback" not in screen


def test_a_name_that_no_file_can_have(run: Callable[..., str]) -> None:
    """S4-53: is a problem with the filename like any other."""
    printed = run("with\0nul", DECK_FILES[0])
    assert "Problem with filename provided. Creating bingo deck...\n" in printed


# Against the web table


def seen_by_the_web(view: Any) -> str:
    """The table as the sheet shows it, from what the player of the web table sees."""
    text = ""
    for grid in view.grids:
        text += f"Player {grid.player}:\n"
        for place, card in enumerate(grid.cards):
            text += " [ ]  " if place in grid.covered else f"[ {card} ]"
            text += "\n" * (place % 5 == 4)
        text += SHOUT if grid.winning else "\n"
    return text


RESULTS = {"A": "Player A won!", "B": "Player B won!", "tie": "Tie!"}


def test_the_sheet_and_the_web_table_agree(
    bingo: ModuleType, deck_file: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """S4-27, S4-43, S4-45, S4-48, S4-49, S4-50, S4-57, A4-3: 500 pairs of decks."""
    game = GAMES["bingo"]
    results = dict.fromkeys(RESULTS, 0)
    kinds = list(itertools.product("LCF", "NY"))
    for seed in range(500):
        luck, rng = Luck(seed, code_of), Luck(seed)
        monkeypatch.setattr(random, "shuffle", luck.shuffle)
        decks = [shuffled(FULL_DECK, random.Random(f"{seed} {name}")) for name in "bc"]
        table = bingo.Table()
        for number, deck in enumerate(decks):
            table.populateDeck(number, deck_file(deck))
        state = game.start()
        choices = dict(zip(("bingo_deck", "calling_deck"), map("\n".join, decks), strict=True))
        rounds = 3 if seed % 10 == 0 else 1
        for number in range(rounds):
            mode, speed = kinds[(seed + number) % len(kinds)]
            state = game.play(state, "deal", {"mode": mode, "speed": speed, **choices}, rng)
            choices = {}
            table.dealBingo(mode)
            view = game.page_view(state)
            assert shown(table.displayTable) == seen_by_the_web(view)
            while not table.isWinner():
                assert view.winner is None
                card = table.callCard()
                table.updateTable(card, speed == "Y")
                state = game.play(state, "call", {"calls": "1"}, rng)
                view = game.page_view(state)
                assert str(card) == f"[ {view.called[-1]} ]"
            assert shown(table.displayTable) == seen_by_the_web(view)
            assert table.whoWon() == RESULTS[view.winner]
            results[view.winner] += 1
            table.clearTable()
            table.resetDecks()
        assert luck.count == 2 * rounds  # the sheet shuffles after a round, the table before
        assert rng.count == 2 * rounds - 2
    assert min(results.values()) > 80


def record_of(before: State, choices: dict[str, str], after: State) -> Record:
    """The record of a round: both decks as they lay, and its calls one by one."""
    own = "bingo_deck" in choices
    return Record(
        game="bingo",
        before=GAMES["bingo"].before(before),
        salt="",
        shuffles=() if own else (after.bingo_deck, after.calling_deck),
        moves=(as_played("deal", choices), Played("call", (("calls", "1"),), after.calls)),
        result=str(GAMES["bingo"].won(after)),
    )


@pytest.mark.parametrize("seed", range(6))
def test_the_tables_transcript_is_what_the_program_prints(
    run: Callable[..., str],
    deck_file: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    """S4-34, S4-44, S4-56, S4-57, S4-58, S4-62: eight rounds with the same decks and shuffles."""
    game, player = GAMES["bingo"], random.Random(seed)
    luck, rng = Luck(seed, code_of), Luck(seed)
    monkeypatch.setattr(random, "shuffle", luck.shuffle)
    decks = ["\n".join(shuffled(FULL_DECK, player)) for _ in range(2)]
    answers = [deck_file(deck) for deck in decks]
    own = {"bingo_deck": decks[0], "calling_deck": decks[1]}
    state, records = game.start(), []
    for _ in range(8):
        kind = {"mode": player.choice("LCF"), "speed": player.choice("YN")}
        before, choices = state, {**kind, **own}
        state = game.play(state, "deal", choices, rng)
        own = {}
        while game.view(state).winner is None:
            some = player.choice(["1", "5", "all"])
            state = game.play(state, "call", {"calls": some}, rng)
        records.append(record_of(before, choices, state))
        answers += [kind["mode"], kind["speed"], "y"]
    answers[-1] = "n"
    assert run(*answers) == TRANSCRIPTS["bingo"](records)


def test_a_students_diff_is_empty(deck_file: Callable[..., str]) -> None:
    """S4-44, S4-52: the same with the program run by itself, for a round of each kind."""
    game = GAMES["bingo"]
    for mode, speed in itertools.product("LCF", "NY"):
        decks = ["\n".join(shuffled(FULL_DECK, random.Random(f"{mode}{n}"))) for n in range(2)]
        choices = {"bingo_deck": decks[0], "calling_deck": decks[1], "mode": mode, "speed": speed}
        state = game.play(game.start(), "deal", choices, random.Random())
        state = game.play(state, "call", {"calls": "all"}, random.Random())
        answers = [*map(deck_file, decks), mode, speed, "N", ""]
        printed = piped(*command("bingo", "bingo", "file"), "\n".join(answers))
        record = record_of(game.start(), choices, state)
        assert printed == TRANSCRIPTS["bingo"]([record])
