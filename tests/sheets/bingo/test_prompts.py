"""Bingo: what the program asks and how it takes the answers."""

import pytest

from tests.sheets.bingo.support import ASKS_AGAIN, ASKS_FILE, ASKS_MODE, ASKS_SPEED, BANNER, GOODBYE
from tests.support.sheets import DECKS, EOF, INTERRUPT, command, in_terminal, mostly_by_file, piped

DECK_FILES = [str(DECKS / "bingoDeck.txt"), str(DECKS / "callingDeck_line_Awins.txt")]


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
