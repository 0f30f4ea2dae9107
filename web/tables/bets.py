"""A bet on how many moves a round takes, made before its first, where a game has some to offer.

It is kept beside the table, and the rules know nothing of it: a program's round is the same.
"""

from typing import Final

import msgspec

from cardgames.table import Phase, Table
from web.storage.session_rows import keep_row, read_row
from web.storage.sessions import Session
from web.tables.page import Bet, TablePage

ROW: Final = "bet"
"""The key of the bet's row in a session."""


class KeptBet(msgspec.Struct, frozen=True, array_like=True):
    """What is kept of a bet."""

    finished: int
    """How many rounds of its table were finished before the one that it is about."""

    choice: int
    """Which of the game's bets it is."""


def may_bet(table: Table) -> bool:
    """Say whether the first move of a round that can be bet on is still to come."""
    return bool(table.game.bets) and table.phase is Phase.PLAYING and _moves_made(table) == 0


def place_bet(session: Session, table: Table, choice: int) -> None:
    """Keep a bet on the round that is on the table."""
    keep_row(session, ROW, KeptBet(table.finished, choice))


def with_bet(session: Session, table: Table, page: TablePage) -> TablePage:
    """Return the page of a table with the bet on its round, made or still to be made."""
    bets = table.game.bets
    if not bets or table.state is None:
        return page
    choice = _choice(session, table)
    if choice is None and not may_bet(table):
        return page
    text = bets[choice].text if choice is not None else ""
    right = choice == _right_bet(table) if table.result else None
    options = tuple(bet.text for bet in bets) if may_bet(table) else ()
    return msgspec.structs.replace(page, bet=Bet(options, choice, text, right))


def _choice(session: Session, table: Table) -> int | None:
    """Return what the player has bet on in this round; None if they have not."""
    kept = read_row(session, ROW, KeptBet)
    if not kept:
        return None
    is_this = kept.finished == table.finished - bool(table.result)
    return kept.choice if is_this and kept.choice in range(len(table.game.bets)) else None


def _right_bet(table: Table) -> int:
    """Return the bet that is right for the number of moves that were made."""
    return sum(_moves_made(table) >= bet.least for bet in table.game.bets) - 1


def _moves_made(table: Table) -> int:
    """Return how many single moves were made since the deal."""
    return table.record.steps - 1
