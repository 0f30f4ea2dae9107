"""Simple 21: the classes Player and Table."""

import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from cardgames.games.twentyone.rules import POINTS
from tests.sheets.simple_21.support import DOWN, ORDER, UP, codes_on
from tests.support.sheets import DECKS, WebTable, public_names


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
    assert 2 * max(POINTS.values()) == 20
    for seed in range(300):
        table = WebTable("simple-21", random.Random(seed))
        table.play("deal")
        assert table.view.player.total <= 20


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
    assert printed == "Repopulating deck with cards...\n"
    shown = str(table)
    for place, code in enumerate(ORDER[52 - left :]):
        line = shown.splitlines()[place % 2]
        assert line.split(":")[1].startswith(f"[ {code} ]", 6 * (place // 2))
    assert shown.endswith("[ xx ]")
    assert codes_on(table) == sorted(ORDER)


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
    """S0-13, S0-14, S0-55, S0-56, S0-57, S0-58, S0-59: what they show, say, draw, return."""
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
    """S0-56, S0-75: in the middle of their turn."""
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
