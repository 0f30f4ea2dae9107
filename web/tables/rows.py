"""Tables as they are stored in a session: packed with named fields, validated when they are read.

A later version of the site can read a row because its fields have names: it skips fields that it
does not know, and a missing field has its default.
"""

from dataclasses import replace
from functools import cache
from typing import Any, Final

import msgspec

from cardgames.cards import pack_cards, unpack_cards
from cardgames.records.line import line, parse
from cardgames.records.record import Record
from cardgames.table import Table
from cardgames.text import Text, plural

_NO_STATE: Final = msgspec.Raw(msgspec.msgpack.encode(None))

UNREADABLE: Final = (msgspec.MsgspecError, LookupError, TypeError, ValueError, ArithmeticError)
"""What reading a row may raise that is damaged, or of another version of the site."""


class TableRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A table in a session."""

    step: int
    """How many moves it has accepted."""

    finished: int
    shown_to: int
    state: msgspec.Raw = _NO_STATE
    """The round on the table, as its game has it."""

    round: int = 0
    tally: tuple[tuple[str, int], ...] = ()
    round_winners: str = ""
    stacked: bool = False
    conceded: bool = False
    times: int = 1
    record: str = ""
    """The record of the round that lies on it, as far as it has come."""

    draw_count: int = 0

    notes: tuple[Any, ...] = ()
    """Sentences about the last move, with what fills their fields."""

    id: bytes = b""
    """Distinguishes the table from one that stood there before and could not be read any more."""

    shuffled: bytes = b""


class TableSlot(msgspec.Struct, frozen=True):
    """A table of one player: how many moves it has accepted, and how it stands."""

    step: int
    table: Table
    unreadable: bool = False
    """Whether an older table was there that could not be read."""

    id: bytes = b""
    """Distinguishes it from tables that stood there before and could not be read any more."""

    def after_move(self, table: Table) -> "TableSlot":
        """Return the slot after one move more."""
        return TableSlot(self.step + 1, table, id=self.id)


_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(TableRow)


def pack_table(slot: TableSlot) -> bytes:
    """Return a table as a session keeps it."""
    table = slot.table
    row = TableRow(
        step=slot.step,
        finished=table.finished,
        shown_to=table.shown_to,
        state=msgspec.Raw(_encoder.encode(table.state)),
        round=table.round,
        tally=table.tally,
        round_winners=table.round_winners,
        stacked=table.stacked,
        conceded=table.conceded,
        times=table.times,
        record=line(table.record) if table.record.game else "",
        draw_count=table.draw_count,
        notes=tuple(map(_pack_text, table.notes)),
        id=slot.id,
        shuffled=pack_cards(table.shuffled),
    )
    return _encoder.encode(row)


def unpack_table(data: bytes, empty: Table) -> TableSlot:
    """Return a table as a session has kept it.

    Args:
        data: what :func:`pack_table` has returned.
        empty: the table before its first deal.

    Raises:
        UNREADABLE: it cannot be read.
    """
    row = _decoder.decode(data)
    table = replace(
        empty,
        finished=row.finished,
        shown_to=row.shown_to,
        notes=tuple(map(_unpack_text, row.notes)),
    )
    if row.state != _NO_STATE:  # between games there is but what lasts from one to the next
        table = _with_round(table, row)
    return TableSlot(row.step, table, id=row.id)


def _with_round(table: Table, row: TableRow) -> Table:
    """Return a table with the round on it that its row has."""
    game = table.game
    state: Any = _decoder_of(game.state_type).decode(row.state)  # type: ignore[arg-type]
    return replace(
        table,
        state=state,
        # Not kept, since it follows from the state: a row cannot contradict itself.
        result=game.result(state),
        round=row.round,
        tally=row.tally,
        round_winners=row.round_winners,
        stacked=row.stacked,
        times=row.times,
        conceded=row.conceded,
        record=parse(row.record) if row.record else Record(""),
        draw_count=row.draw_count,
        shuffled=unpack_cards(row.shuffled),
    )


def counts_of(data: bytes) -> tuple[int, int]:
    """Return the step and the finished rounds of a row, even if the rest cannot be read."""
    try:
        row = msgspec.msgpack.decode(data)
        return int(row["step"]), int(row["finished"])
    except UNREADABLE:
        return 0, 0


@cache
def _decoder_of(state_type: Any) -> msgspec.msgpack.Decoder[Any]:
    """Return what decodes the states of a game, and checks them against their type."""
    return msgspec.msgpack.Decoder(state_type)


def _pack_text(text: Text) -> tuple[Any, ...]:
    """Return a text as data, so that it can be translated when it is shown."""
    values = {
        name: _pack_text(value) if isinstance(value, Text) else value
        for name, value in text.values.items()
    }
    return text.sentence, text.singular, values


def _unpack_text(packed: Any) -> Text:
    sentence, singular, values = packed
    filled: dict[str, Any] = {
        name: _unpack_text(value) if isinstance(value, list) else value
        for name, value in values.items()
    }
    if singular:
        return plural(singular, sentence, filled.pop("number"), **filled)
    return Text(sentence, **filled)
