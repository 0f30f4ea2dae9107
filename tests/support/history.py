"""An exported history, made from the rounds of a table as the site makes it from those it keeps."""

from collections.abc import Iterable, Sequence
from typing import Any

from cardgames import GAMES
from cardgames.records.line import readable_line
from cardgames.records.record import Record
from cardgames.records.replay import redacted, replay, sealed_orders, with_shuffle_orders
from cardgames.shuffling import commitment


def exported(
    slug: str, records: Sequence[Record], opened_to: int | None = None, *, first: int = 1
) -> dict[str, Any]:
    """Return a history, the newest round first.

    Args:
        slug: the game.
        records: the finished rounds, the oldest first.
        opened_to: up to which round every card is shown; to the last one, if nothing is said.
        first: the number of the first round.
    """
    last = first + len(records) - 1
    limit = last if opened_to is None else opened_to
    rounds = [
        _round(number, record, opened=number <= limit)
        for number, record in enumerate(records, start=first)
    ]
    return {"game": slug, "rounds": rounds[::-1]}


def _round(number: int, record: Record, *, opened: bool) -> dict[str, Any]:
    whole = with_shuffle_orders(record)
    game = GAMES[record.game]
    known = whole if opened else redacted(whole, game.seen(replay(whole).last.state))
    orders = sealed_orders(whole) if record.salt else ()
    return {
        "number": number,
        "finished": "2026-11-21T08:00:00+00:00",
        "result": record.result,
        "record": readable_line(known),
        "signature": "ab" * 32,
        "opened": opened,
        "shuffles": [_shuffle(record.salt, order, opened=opened) for order in orders],
    }


def _shuffle(salt: str, order: Iterable[str], *, opened: bool) -> dict[str, str]:
    seal = {"seal": commitment(salt, order)}
    return seal | {"salt": salt, "order": " ".join(order)} if opened else seal
