"""Tables in a session, which are stored as msgpack with named fields and validated when loaded.

Because the fields have names, a later version of the site can read the rows. The site skips unknown
fields and uses the default values of missing fields.
"""

from dataclasses import replace
from typing import Any, Final

import msgspec

from cardgames.cards import Cards
from cardgames.records.record import Record
from cardgames.table import Table
from cardgames.text import Text, plural

UNREADABLE: Final = (msgspec.MsgspecError, LookupError, TypeError, ValueError, ArithmeticError)
"""The errors that are raised if a row is damaged or from another version of the site."""

_NO_RECORD: Final = Record("")


class TextRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A text as its sentence and values.

    The text is translated when it is shown.
    """

    sentence: str
    singular: str = ""
    values: dict[str, Any] = {}


class TableRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A table in a session, as a mapping (:class:`cardgames.table.Table`)."""

    step: int
    """Number of moves that the table has accepted."""

    finished: int
    shown_to: int
    state: Any = None
    round: int = 0
    tally: tuple[tuple[str, int], ...] = ()
    round_winners: str = ""
    stacked: bool = False
    conceded: bool = False
    times: int = 1
    notes: tuple[TextRow, ...] = ()
    record: Record = _NO_RECORD
    draw_count: int = 0
    shuffled: Cards = ()
    id: bytes = b""
    """An ID that distinguishes the table from an earlier table that could not be read."""


_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(TableRow)


def pack_table(step: int, id_: bytes, table: Table) -> bytes:
    """Serialize a table, its step and its ID for a session."""
    row = TableRow(
        step=step,
        finished=table.finished,
        shown_to=table.shown_to,
        state=table.state,
        round=table.round,
        tally=table.tally,
        round_winners=table.round_winners,
        stacked=table.stacked,
        conceded=table.conceded,
        times=table.times,
        notes=tuple(map(_pack_text, table.notes)) if table.notes else (),
        record=table.record,
        draw_count=table.draw_count,
        shuffled=table.shuffled,
        id=id_,
    )
    return _encoder.encode(row)


def unpack_table(data: bytes, empty: Table) -> tuple[int, bytes, Table]:
    """Deserialize the step, the ID and the table that a session stores.

    Args:
        data: Bytes from :func:`pack_table`.
        empty: The table before its first deal.

    Raises:
        UNREADABLE: If the bytes cannot be read.
    """
    row, game = _decoder.decode(data), empty.game
    notes = tuple(map(_unpack_text, row.notes))
    if row.state is None:  # Between two games, only the counts are stored.
        table = replace(empty, finished=row.finished, shown_to=row.shown_to, notes=notes)
        return row.step, row.id, table
    state = msgspec.convert(row.state, game.state_type)
    record = row.record
    if record.carry is not None:
        record = replace(record, carry=msgspec.convert(record.carry, game.carry_type))
    table = replace(
        empty,
        state=state,
        # The result is not stored, because it is derived from the state, so that a row cannot
        # contradict itself.
        result=game.result(state),
        finished=row.finished,
        shown_to=row.shown_to,
        round=row.round,
        tally=row.tally,
        round_winners=row.round_winners,
        stacked=row.stacked,
        conceded=row.conceded,
        times=row.times,
        notes=notes,
        record=record,
        draw_count=row.draw_count,
        shuffled=row.shuffled,
    )
    return row.step, row.id, table


def read_counts(data: bytes) -> tuple[int, int]:
    """Return the step and the finished rounds of a row.

    The other fields need not be readable.
    """
    try:
        row = msgspec.msgpack.decode(data)
        return int(row["step"]), int(row["finished"])
    except UNREADABLE:
        return 0, 0


def _pack_text(text: Text) -> TextRow:
    values = {
        name: _pack_text(value) if isinstance(value, Text) else value
        for name, value in text.values.items()
    }
    return TextRow(text.sentence, text.singular, values)


def _unpack_text(row: TextRow) -> Text:
    values: dict[str, Any] = {
        name: _unpack_text(msgspec.convert(value, TextRow)) if isinstance(value, dict) else value
        for name, value in row.values.items()
    }
    if row.singular:
        return plural(row.singular, row.sentence, values.pop("number"), **values)
    return Text(row.sentence, **values)
