"""Sessions of the version before: their tables are played again from what they had recorded.

A session lives for two weeks, so this module can go two weeks after the last server has been
brought up to date.
"""

from dataclasses import replace
from typing import Any, Final

import msgspec

from cardgames import GAMES
from cardgames.cards import unpack_cards
from cardgames.records.line import parse_actions
from cardgames.records.record import Record
from cardgames.records.replay import replay
from cardgames.shuffling import Seal, Seals
from cardgames.table import Table
from web.tables.stored_round import PackedCarry

Rows = dict[str, msgspec.Raw]


class _OldBook(msgspec.Struct, frozen=True, array_like=True):
    rounds: int = 0
    course: str = ""
    sealed: tuple[tuple[bytes, bytes], ...] = ()
    opened: tuple[tuple[bytes, bytes], ...] = ()
    drawn: int = 0
    began: PackedCarry = PackedCarry()
    salts: tuple[bytes, ...] = ()
    moves: tuple[tuple[str, int], ...] = ()
    sealed_in: int = 0
    opened_to: int = 0


class _OldTable(msgspec.Struct, frozen=True):
    step: int
    state: dict[str, Any]
    book: _OldBook = _OldBook()


class _OldRow(msgspec.Struct, frozen=True):
    state: msgspec.Raw


def upgrade(rows: Rows) -> Rows:
    """Return the rows of a session under the names that they have today.

    Args:
        rows: the rows as the store has them, of this version or the one before.
    """
    # The lab's runs of the version before were kept elsewhere: their numbers mean others now.
    return dict(_upgraded(key, row) for key, row in rows.items() if key != "lab")


def _upgraded(key: str, row: msgspec.Raw) -> tuple[str, msgspec.Raw]:
    if key in GAMES:
        return f"table:{key}", row
    if key.startswith("deal:"):
        return key.replace(":", "-table:", 1), row
    if key == "coach":
        return "advice", _upgraded_advice(msgspec.msgpack.decode(row, type=_OldRow).state)
    if key == "deals":
        return "made-deals", msgspec.msgpack.decode(row, type=_OldRow).state
    return key, row


_NEW_NAMES: Final = {
    "dearest": "costliest",
    "last": "current_decisions",
    "watching": "round_open",
}


def _upgraded_advice(notes: msgspec.Raw) -> msgspec.Raw:
    told = msgspec.msgpack.decode(notes)
    ledgers = {
        slug: {_NEW_NAMES.get(name, name): value for name, value in old.items()}
        for slug, old in told["ledgers"].items()
    }
    return msgspec.Raw(msgspec.msgpack.encode({"on": told["on"], "ledgers": ledgers}))


def is_old_table(row: msgspec.Raw) -> bool:
    """Say whether a table was packed by the version before: as a map, and not as an array."""
    first = bytes(row)[:1]
    return b"\x80" <= first < b"\x90"


def unpack_old_table(row: msgspec.Raw, empty: Table) -> tuple[Table, int]:
    """Return a table as the version before has kept it, and its step.

    Args:
        row: the row.
        empty: the table before its first deal.

    Raises:
        MsgspecError, ValueError, LookupError, TypeError: it cannot be read.
    """
    old = msgspec.msgpack.decode(row, type=_OldTable)
    state, book = old.state, old.book
    seals = Seals(
        tuple(_seal(salt, cards, book.sealed_in) for salt, cards in book.sealed),
        tuple(_seal(salt, cards, 0) for salt, cards in book.opened),
        book.opened_to,
    )
    table = replace(empty, finished=book.rounds, seals=seals)
    if not (state.get("round") or state.get("hands")):
        return table, old.step
    return _with_round(table, state, book), old.step


def _with_round(table: Table, state: dict[str, Any], book: _OldBook) -> Table:
    """Return a table with its round, played again."""
    game = table.game
    (salt,) = book.salts or (b"",)
    words = (f"{word}*{times}" if times > 1 else word for word, times in book.moves)
    record = Record(
        game.info.slug,
        round=book.began.round,
        stacked=book.began.stacked,
        carry=book.began.carry(game),
        salt=salt.hex(),
        actions=parse_actions(words, game),
    )
    last = replay(record).last
    tally, messages = state["tally"], state.get("messages", ())
    if isinstance(tally, list):
        tally = dict(zip(state["names"], tally, strict=True))
    calls = state.get("calls", 0) - state.get("calls_before", 0)
    skipped = [one["number"] for one in messages if one["said"] == "skipped"]
    return replace(
        last,
        tally=tuple(tally.items()),
        course=book.course,
        stacked=state["stacked"],
        times=max((1, calls, *skipped)),
        conceded=len(messages) > 1 and messages[0]["said"] == "forfeit",
        finished=table.finished,
        seals=table.seals,
        settled=table.settled,
    )


def _seal(salt: bytes, cards: bytes, number: int) -> Seal:
    return Seal(salt.hex(), unpack_cards(cards), number)
