"""Bingo: the class Table."""

import builtins
import contextlib
import io
import itertools
import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.sheets.bingo.support import (
    CODES,
    GRID_A,
    GRID_B,
    IN_A,
    ORDER,
    SAME_CARD,
    SAME_RANK,
    code_of,
    codes_in,
    faces_down,
    places_of,
    shown,
)
from tests.support.sheets import public_names


def codes_on(table: Any) -> tuple[list[str], list[str]]:
    """The codes of each deck's cards, wherever they lie."""
    private = {name.removeprefix("_Table__"): value for name, value in vars(table).items()}
    bingo = codes_in(private["bingoDeck"]) + list(map(code_of, private["bingoDiscards"]))
    for mine in (private["gridA"], private["gridB"]):
        bingo += [code_of(card) for row in mine._Bingo__grid for card in row]
    calling = codes_in(private["callingDeck"]) + list(map(code_of, private["callingDiscards"]))
    return sorted(bingo), sorted(calling)


BOTH_WHOLE = (sorted(CODES), sorted(CODES))


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
