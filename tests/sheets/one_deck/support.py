"""What the tests of the One-deck sheet share."""

from tests.support.sheets import SHEETS_ROOT

FOLDER = SHEETS_ROOT / "one_deck"
SOURCE = (FOLDER / "proj09.py").read_text()
ASKS_HIT = "Another card (Y/y/H/h or Enter)? "
ASKS_AGAIN = "Another round (Y/y or Enter)? "


def totals(user: int, dealer: int, draws: int) -> str:
    """The end of a game."""
    return (
        f"\nGame over.\nRounds won by you: {user}\nRounds won by the dealer: {dealer}\n"
        f"Rounds which were draws: {draws}\n"
    )
