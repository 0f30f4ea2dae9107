"""Simple 21: the program agrees with the web table."""

import contextlib
import io
import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cardgames.cards import FULL_DECK, shuffled
from cardgames.games.twentyone.rules import Winner
from cardgames.table import Phase
from tests.sheets.simple_21.support import codes_on, deck_file
from tests.support.amounts import few_or_all
from tests.support.sheets import Luck, WebTable


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


@few_or_all("decks", 50, 500)
def test_the_sheet_and_the_web_table_agree(
    simple21: ModuleType,
    answer: Callable[..., list[str]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    decks: int,
) -> None:
    """S0-12, S0-13, S0-14, S0-15, S0-38, S0-53, S0-75, S0-77: many decks, 25 rounds each."""
    refills = endings = 0
    for seed in range(decks):
        player = random.Random(seed)
        deck = shuffled(FULL_DECK, random.Random(f"deck {seed}"))
        luck = Luck(seed, code=lambda card: card.getRank() + card.getSuit())
        monkeypatch.setattr(random, "shuffle", luck.shuffle)
        answer(deck_file(tmp_path, "\n".join(deck)))
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
