"""Simple 21: the sheet's classes agree with the web table, and the self-tests of its files work."""

import contextlib
import io
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from cardgames.cards import FULL_DECK, shuffled
from cardgames.games.twentyone.rules import Winner
from cardgames.table import Phase
from tests.support.amounts import few_or_all
from tests.support.sheets import (
    DECKS,
    SHEETS_ROOT,
    Luck,
    WebTable,
    command,
    either_way,
    piped,
    sheet,
)

ASKS_FILE = "Name of file that should be used to populate the deck of cards: "


def codes_on(table: Any) -> list[str]:
    """Return the code of every card on a table, in any position."""
    private = {name.removeprefix("_Table__"): value for name, value in vars(table).items()}
    found = list(private["discardPile"])
    for player in (private["player"], private["dealer"]):
        found += player._Player__hand
    (queue,) = vars(private["deck"]).values()
    found += [card for card in queue._CircularQueue__places if card is not None]
    return sorted(card.getRank() + card.getSuit() for card in found)


def lay_of(view: Any) -> str:
    """Return the two lines of the sheet's table for a view of the web table."""
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


@few_or_all("decks", 50, 500)
def test_the_sheet_and_the_web_table_agree(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, decks: int
) -> None:
    """S0-12, S0-13, S0-14, S0-15, S0-38, S0-53, S0-75, S0-77: many decks, with 25 rounds each."""
    refills = endings = 0
    with sheet("simple21") as load:
        simple21 = load("simple21")
    file = tmp_path / "deck.txt"
    monkeypatch.setattr("builtins.input", lambda _: str(file))
    for seed in range(decks):
        player = random.Random(seed)
        deck = shuffled(FULL_DECK, random.Random(f"deck {seed}"))
        luck = Luck(seed, code=lambda card: card.getRank() + card.getSuit())
        monkeypatch.setattr(random, "shuffle", luck.shuffle)
        file.write_text("\n".join(deck))
        table = simple21.Table()
        site = WebTable("simple-21", Luck(seed))
        choices: dict[str, str] = {"deck": "\n".join(deck)}
        for _ in range(25):
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                site.play("deal", **choices)
                choices = {}
                table.dealHands()
                assert str(table) == lay_of(site.view)
                bust = False
                while not bust and player.random() < 0.5:
                    site.play("hit")
                    bust = table.playerHit()
                    assert bust is (site.phase is Phase.ROUND_OVER)
                    assert str(table) == lay_of(site.view)
                if bust:
                    assert site.state.winner is Winner.DEALER
                elif table.playerNatural():
                    site.play("stay")
                    assert site.state.winner is Winner.PLAYER
                    assert str(table) == lay_of(site.view)
                else:
                    site.play("stay")
                    dealer_bust = table.dealerHit()
                    assert dealer_bust is (site.view.dealer.total > 21)
                    assert str(table) == lay_of(site.view)
                    table.whoWon()
                    assert said.getvalue().endswith(WORDS[site.state.winner])
                    endings += 1
            table.clearTable()
            assert codes_on(table) == sorted(FULL_DECK)
        assert site.luck.count == luck.count
        refills += site.luck.count
    assert refills >= 2 * decks
    assert endings > 8 * decks


@either_way
def test_the_tests_for_the_marker(how: str) -> None:
    """S0-26, S0-41, S0-49, S0-78: the self-tests are in the main guard; Deck's asks for a file."""
    file = DECKS / "shuffledDeck.txt"
    printed = piped(*command("simple21", "playingCards", how), f"{file}\n")
    faces = "".join(f"[ {code} ]" for code in file.read_text().split())
    assert printed == (
        "Card: all tests passed\n"
        f"{ASKS_FILE}front -> {faces} <- rear\n"
        "Cannot deal card from an empty deck.\n"
        "Repopulating deck with cards...\n"
        "Deck: all tests passed\n"
    )
    assert piped(*command("simple21", "simple21", how), "") == "Player: all tests passed\n"


def test_the_tests_for_the_marker_without_a_good_file() -> None:
    """S0-26, S0-41: the self-tests end normally without a file, and with an invalid file."""
    run = command("simple21", "playingCards", "file")
    assert piped(*run, "").endswith(f"{ASKS_FILE}\nDeck: no file was named, so it was not tested\n")
    file = DECKS / "invalid1.txt"
    refusal = f"{ASKS_FILE}Cannot populate deck: invalid data in {file}\n"
    assert piped(*run, f"{file}\n").endswith(refusal)


def test_an_invalid_deck_ends_the_game() -> None:
    """S0-33, S0-64, S0-73, S0-79: the output contains the exception's message and a goodbye."""
    program = SHEETS_ROOT / "simple21" / "solution" / "assignment2.py"
    printed = piped([sys.executable, str(program)], DECKS, "invalid1.txt\n")
    refusal = "Cannot populate deck: invalid data in invalid1.txt\n"
    goodbye = "\nThank you for playing. Goodbye...\n"
    assert printed.endswith(f"{ASKS_FILE}{refusal}{goodbye}")


def test_simple_21_believes_dealer_hit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """S0-14, S0-59: a bust dealer loses, whatever another module's ``whoWon`` returns."""
    lines = [str(DECKS / "shuffledDeck.txt"), "s", "n"]
    monkeypatch.setattr("builtins.input", lambda _: lines.pop(0))
    with sheet("simple21") as load:
        table, game = load("simple21").Table, load("assignment2")
        monkeypatch.setattr(table, "dealerHit", lambda _: True)
        monkeypatch.setattr(table, "whoWon", lambda _: sys.stdout.write("Dealer wins"))
        game.main()
    shown = capsys.readouterr().out
    assert "Player wins round 1!\n" in shown
    assert "Dealer wins" not in shown
