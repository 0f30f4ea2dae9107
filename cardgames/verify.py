"""Check an exported history: do its records keep the rules, and do the seals fit?

``python -m cardgames.verify FILE`` reads what a table's history sends as JSON, and needs nothing
of the server: all that it checks follows from the file. Of every round

* the record is readable, keeps the rules and ends as it says;
* every opened seal is the SHA-256 of its salt and order, the order is the one that the salt gives
  (:mod:`cardgames.shuffling`), and it is the one that the round was played with;
* it goes on where the round before it stopped: no card has been changed in between;
* its decisions are those of the record, and have cost what they are said to have cost.

What it cannot see is a decision that was changed into another one which the rules allow and which
ends the same; that is what the signature is for, and only the server that made it can check it.
"""

import argparse
import json
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, is_dataclass, replace
from enum import IntEnum
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, TextIO, get_args, get_origin, get_type_hints

from cardgames import GAMES
from cardgames.cards import Card, Cards, MaskedCards
from cardgames.class_bingo import verify as class_bingo
from cardgames.ledger import review_round
from cardgames.records.line import InvalidRecord, parse, pile_names
from cardgames.records.record import Record
from cardgames.records.replay import Replay, is_complete, replay, sealed_orders
from cardgames.shuffling import SaltedRandom, commitment
from cardgames.ways import MaskedWays


class ExitCode(IntEnum):
    """What the program ends with."""

    OK = 0
    PROBLEMS = 1
    UNREADABLE = 2


_ROUNDED: Final = 1e-6
"""By so much a cost may differ: it is written with nine digits."""

_digest: Final = re.compile(r"[0-9a-f]{64}").fullmatch
_salt: Final = re.compile(r"(?:[0-9a-f]{2}){1,32}").fullmatch


class Unreadable(Exception):
    """A file that is no history."""


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A seal; it has no salt while it is not opened."""

    seal: str
    salt: str = ""
    order: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision as the file has it."""

    chosen: str
    best: str
    cost: float


@dataclass(frozen=True, slots=True)
class Round:
    """A round as the file has it."""

    number: int
    result: str
    record: str
    opened: bool
    shuffles: tuple[Shuffle, ...]
    deal: str = ""
    """The deal link that it was played from, if any: its cards are its own."""

    decisions: tuple[Decision, ...] = ()
    """None where the table has no coach."""


@dataclass(frozen=True, slots=True)
class History:
    """A whole file: the rounds of one table."""

    game: str
    rounds: tuple[Round, ...]


@dataclass(frozen=True, slots=True)
class ReplayedRound:
    """A round whose record keeps the rules, and its replay where enough of it is shown."""

    number: int
    record: Record
    replay: Replay | None


def read_json(path: Path) -> Any:
    """Return what a file holds.

    Raises:
        Unreadable: it cannot be read, or is no JSON.
    """
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise Unreadable(error.strerror or "it cannot be read") from None
    except (ValueError, RecursionError):  # not UTF-8, not JSON, or nested too deep
        raise Unreadable("it is not JSON") from None


def read(data: Any) -> History:
    """Read a history, its rounds from the oldest on.

    Raises:
        Unreadable: it is not a history.
    """
    history: History = _read(History, data, "rounds")
    if history.game not in GAMES:
        raise Unreadable("its game is not known here")
    return replace(history, rounds=tuple(sorted(history.rounds, key=attrgetter("number"))))


def _read(kind: Any, data: Any, name: str) -> Any:
    """Return a value of JSON as one of a type: a dataclass, a tuple, or a plain type."""
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(data, dict):
        hints = get_type_hints(kind)
        given = {key: _read(hints[key], value, key) for key, value in data.items() if key in hints}
        with suppress(TypeError):  # a field without a default is missing
            return kind(**given)
    if get_origin(kind) is tuple and isinstance(data, list):
        return tuple(_read(get_args(kind)[0], one, name) for one in data)
    if type(data) is kind or (kind is float and type(data) is int):
        return data
    raise Unreadable(f"it is no history: there is no fitting {name!r} where one belongs")


def check(history: History) -> Iterator[str]:
    """Yield what is wrong, a line each."""
    checked = []
    for round_ in history.rounds:
        try:
            checked.append(_replayed(history.game, round_))
            record, replayed = checked[-1].record, checked[-1].replay
            wrong = [*_wrong_seals(record, round_), *_wrong_decisions(replayed, record, round_)]
        except InvalidRecord as error:
            wrong = [error.text]
        yield from (f"Round {round_.number}: {text}" for text in wrong)
    for before, after in pairwise(history.rounds):
        if after.number != before.number + 1:
            yield f"Round {after.number} stands after round {before.number}."
    if history.rounds and history.rounds[0].number < 1:
        yield "Rounds are counted from 1."
    deals = {round_.number for round_ in history.rounds if round_.deal}
    readable = {round_.number for round_ in checked} | deals
    own = [
        round_ for round_ in checked if round_.number not in deals
    ]  # a deal link has cards of its own
    for earlier, later in pairwise(
        own
    ):  # with a round between that cannot be read, nothing follows
        between = range(earlier.number + 1, later.number)
        if readable.issuperset(between) and not _goes_on(earlier, later):
            text = f"it does not go on where round {earlier.number} stopped."
            yield f"Round {later.number}: {text}"


def _replayed(game: str, one: Round) -> ReplayedRound:
    """Return a round with its record, replayed, if it is a finished one of this table."""
    record = parse(one.record)
    if record.game != game:
        raise InvalidRecord("this is a round of another table.")
    if not one.result or record.result != one.result:
        raise InvalidRecord("it did not end as the history says.")
    if one.opened and not is_complete(record):
        raise InvalidRecord("it is opened, and some of its cards are hidden.")
    if not one.opened and _tells_no_deal(record):
        return ReplayedRound(one.number, record, None)
    return ReplayedRound(one.number, record, replay(record))


def _tells_no_deal(record: Record) -> bool:
    """Say whether the record hides too much for a replay while cards lie hidden."""
    info = GAMES[record.game].info
    return not is_complete(record) and (info.reshuffles or info.decks > 1)


def _wrong_seals(record: Record, one: Round) -> Iterator[str]:
    """Yield what does not fit between the seals of a round and its record."""
    for shuffle in one.shuffles:
        if not _digest(shuffle.seal):
            yield "a seal is none."
        if one.opened != bool(shuffle.salt):
            yield "a seal is not opened." if one.opened else "a seal is opened before its time."
    if one.opened:
        orders = [" ".join(order) for order in sealed_orders(record)]
        if orders != [shuffle.order for shuffle in one.shuffles]:
            yield "its shuffles are not those that were sealed."
        if record.salt and any(shuffle.salt != record.salt for shuffle in one.shuffles):
            yield "its salt is not the one that was sealed."
        yield from _wrong_orders(one.shuffles)


def _wrong_decisions(replayed: Replay | None, record: Record, one: Round) -> Iterator[str]:
    """Yield what does not fit between the decisions of the file and those of the record."""
    advisor = GAMES[record.game].advisor
    if not one.decisions or not advisor or not replayed:
        return
    moves = [action.name for action in record.single_actions()]
    found = review_round(advisor, replayed.tables, moves).current_decisions
    claimed = [(claim.chosen, claim.best) for claim in one.decisions]
    if claimed != [(decision.chosen, decision.best) for decision in found]:
        yield "its decisions are not those of its record."
    pairs = zip(found, one.decisions, strict=False)
    if any(abs(decision.cost - claim.cost) > _ROUNDED for decision, claim in pairs):
        yield "a decision has cost something else."


def _wrong_orders(shuffles: Sequence[Shuffle]) -> Iterator[str]:
    """Yield which opened seals are not what their salts give."""
    drawn: dict[str, SaltedRandom] = {}
    for shuffle in shuffles:
        if not shuffle.salt:
            continue
        cards = shuffle.order.split()
        if not _salt(shuffle.salt) or commitment(shuffle.salt, cards) != shuffle.seal:
            yield "a seal is not the SHA-256 of its salt and order."
        salted = drawn.setdefault(shuffle.salt, SaltedRandom(str, shuffle.salt))
        given = sorted(cards)
        salted.shuffle(given)
        if given != cards:
            yield "an order is not the one that its salt gives."


def _goes_on(earlier: ReplayedRound, later: ReplayedRound) -> bool:
    """Say whether a round took over what the one before it left, or a table begun anew."""
    taken = later.record
    if earlier.replay is None or (not taken.round and taken.carry is None):
        return True
    table = earlier.replay.last
    carry = table.carry
    number = table.round if table.game.info.numbered else 0
    if (taken.round, taken.stacked) != (number, table.stacked and carry is not None):
        return False
    if is_complete(earlier.record) and is_complete(taken):
        return bool(taken.carry == carry)
    seen = table.game.seen(table.state)
    piles = [
        (getattr(carry, name, ()), getattr(taken.carry, name, ()))
        for name in pile_names(table.game)
    ]
    return all(_may_be(left, shown, seen) for left, shown in piles) and (
        _ranks(getattr(carry, "ways", ())) == _ranks(getattr(taken.carry, "ways", ()))
    )


def _may_be(left: Cards, shown: MaskedCards, seen: Collection[Card]) -> bool:
    """Say whether a pile that a round took over is the one that the round before it left.

    In what was left other cards stand for those not shown; in what is shown they are None.
    """
    return len(left) == len(shown) and all(
        later is None or later == before or (before not in seen and later not in seen)
        for before, later in zip(left, shown, strict=True)
    )


def _ranks(ways: MaskedWays) -> list[tuple[int, list[str]]]:
    """Return what is known of a card that was never shown, as far as every record tells it."""
    return [(number, sorted(card[0] for card in cards)) for number, cards in ways]


def summary(history: History, found: int) -> str:
    """Return what was checked, in a line."""
    title = GAMES[history.game].info.title
    closed = sum(not round_.opened for round_ in history.rounds)
    seals = sum(len(round_.shuffles) for round_ in history.rounds if round_.opened)
    return (
        f"{title}: {len(history.rounds)} rounds and {seals} opened seals checked, "
        f"{closed} rounds not opened yet, {found} problems. Signatures are not checked here: "
        "that takes the key of the server that signed them."
    )


def main(arguments: Sequence[str] | None = None, out: TextIO | None = None) -> ExitCode:
    """Check a file and print what is wrong with it, a line each, and a summary."""
    parser = argparse.ArgumentParser(
        prog="python -m cardgames.verify",
        description="Check the exported history of a table, or a round of class Bingo.",
    )
    parser.add_argument("file", type=Path, help="what a table's history or a round sends as JSON")
    path, out = parser.parse_args(arguments).file, out or sys.stdout
    try:
        found, said = _checked(read_json(path))
    except Unreadable as error:
        out.write(f"{path}: {error}.\n")
        return ExitCode.UNREADABLE
    out.writelines(f"{line}\n" for line in (*found, said))
    return ExitCode.PROBLEMS if found else ExitCode.OK


def _checked(data: Any) -> tuple[list[str], str]:
    """Return what is wrong with a file's content, and what was checked."""
    if not class_bingo.is_round(data):
        history = read(data)
        found = [*check(history)]
        return found, summary(history, len(found))
    try:
        found = [*class_bingo.check(data)]
    except ValueError as error:
        raise Unreadable(str(error)) from None
    return found, class_bingo.summary(data, len(found))


if __name__ == "__main__":
    sys.exit(main())
