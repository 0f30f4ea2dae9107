"""Bingo: what the program asks and how it takes the answers."""

import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.sheets.bingo.support import ASKS_AGAIN, ASKS_FILE, ASKS_MODE, ASKS_SPEED, BANNER, GOODBYE
from tests.support.sheets import DECKS, EOF, INTERRUPT, command, in_terminal, mostly_by_file, piped

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


@mostly_by_file
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
