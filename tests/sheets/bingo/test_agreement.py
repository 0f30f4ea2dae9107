"""Bingo: the program agrees with the web table."""

import itertools
import random
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from cardgames.cards import FULL_DECK, shuffled
from cardgames.records.record import Record
from cardgames.records.transcript import TRANSCRIPTS
from tests.sheets.bingo.support import SHOUT, code_of, shown
from tests.support.amounts import few_or_all
from tests.support.sheets import Luck, WebTable, untyped


def seen_by_the_web(view: Any) -> str:
    """The table as the sheet shows it, from what the player of the web table sees."""
    text = ""
    for grid, marks in zip(view.grids, view.marks, strict=True):
        text += f"Player {grid.player}:\n"
        for place, card in enumerate(grid.cards):
            text += " [ ]  " if place in grid.covered else f"[ {card} ]"
            text += "\n" * (place % 5 == 4)
        text += SHOUT if marks.winning else "\n"
    return text


RESULTS = {"A": "Player A won!", "B": "Player B won!", "tie": "Tie!"}


@few_or_all("pairs", 50, 500)
def test_the_sheet_and_the_web_table_agree(
    bingo: ModuleType, deck_file: Callable[..., str], monkeypatch: pytest.MonkeyPatch, pairs: int
) -> None:
    """S4-27, S4-43, S4-45, S4-48, S4-49, S4-50, S4-57, A4-3: with many pairs of decks."""
    results = dict.fromkeys(RESULTS, 0)
    kinds = list(itertools.product("LCF", "NY"))
    for seed in range(pairs):
        luck, site = Luck(seed, code_of), WebTable("bingo", Luck(seed))
        monkeypatch.setattr(random, "shuffle", luck.shuffle)
        decks = [shuffled(FULL_DECK, random.Random(f"{seed} {name}")) for name in "bc"]
        table = bingo.Table()
        for number, deck in enumerate(decks):
            table.populateDeck(number, deck_file(deck))
        choices = dict(zip(("bingo_deck", "calling_deck"), map("\n".join, decks), strict=True))
        rounds = 3 if seed % 10 == 0 else 1
        for number in range(rounds):
            mode, speed = kinds[(seed + number) % len(kinds)]
            site.play("deal", mode=mode, speed=speed, **choices)
            choices = {}
            table.dealBingo(mode)
            assert shown(table.displayTable) == seen_by_the_web(site.view)
            while not table.isWinner():
                assert site.result is None
                card = table.callCard()
                table.updateTable(card, speed == "Y")
                site.play("call", calls="1")
                assert str(card) == f"[ {site.view.called[-1]} ]"
            assert shown(table.displayTable) == seen_by_the_web(site.view)
            assert table.whoWon() == RESULTS[site.result.winner]
            results[site.result.winner] += 1
            table.clearTable()
            table.resetDecks()
        assert luck.count == 2 * rounds  # the sheet shuffles after a round, the table before
        assert site.luck.count == 2 * rounds - 2
    assert min(results.values()) > 0.16 * pairs


def record_of(site: WebTable) -> Record:
    """The record of the round on a table, with both decks as they lay."""
    record, state = site.record, site.state
    own = record.actions[0]["bingo_deck"]
    return replace(record, shuffles=() if own else (state.bingo_deck, state.calling_deck))


@pytest.mark.parametrize("seed", range(6))
def test_the_tables_transcript_is_what_the_program_prints(
    run: Callable[..., str],
    deck_file: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    """S4-34, S4-44, S4-56, S4-57, S4-58, S4-62: eight rounds with the same decks and shuffles."""
    player, site = random.Random(seed), WebTable("bingo", Luck(seed))
    monkeypatch.setattr(random, "shuffle", Luck(seed, code_of).shuffle)
    decks = ["\n".join(shuffled(FULL_DECK, player)) for _ in range(2)]
    answers = [deck_file(deck) for deck in decks]
    own = {"bingo_deck": decks[0], "calling_deck": decks[1]}
    records = []
    for _ in range(8):
        kind = {"mode": player.choice("LCF"), "speed": player.choice("YN")}
        site.play("deal", **kind, **own)
        own = {}
        while site.result is None:
            site.play("call", calls=player.choice(["1", "5", "all"]))
        records.append(record_of(site))
        answers += [kind["mode"], kind["speed"], "y"]
    answers[-1] = "n"
    assert run(*answers) == untyped("bingo", TRANSCRIPTS["bingo"](records))
