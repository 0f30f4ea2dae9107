"""A check that lists the faults of an exported history, the JSON of ``/TABLE/history``."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import pytest

from cardgames import GAMES
from cardgames.ledger import review_round
from cardgames.records.line import parse
from cardgames.records.record import Record
from cardgames.records.replay import Replay, is_complete, replay

DECIDED: Final = ("chosen", "best", "cost")


def problems(history: dict[str, Any]) -> Iterator[str]:
    """Yield one line per fault.

    Each record must follow the rules, have the correct result and continue the previous round. The
    record's decisions and their costs must be those in the history.
    """
    rounds = [Exported(history["game"], one) for one in reversed(history["rounds"])]
    for one in rounds:
        yield from (f"Round {one.number}: {text}" for text in one.problems())
    for before, after in pairwise(rounds):
        if after.number != before.number + 1:
            yield f"Round {after.number} stands after round {before.number}."
    # A deal link has separate cards.
    own = [one for one in rounds if not one.deal and one.replayed]
    for before, after in pairwise(own):
        if before.is_whole and after.is_whole and not after.follows(before):
            yield f"Round {after.number} does not go on where round {before.number} stopped."


class Exported:
    def __init__(self, game: str, data: dict[str, Any]) -> None:
        """Parse the round's record, and replay the record if it contains the deal."""
        self.game, self.data = GAMES[game], data
        self.number, self.deal = data["number"], data["deal"]
        self.record: Record = parse(data["record"])
        self.is_whole = is_complete(self.record)
        self.replayed: Replay | None = None
        info = self.game.info
        if self.is_whole or not (info.reshuffles or info.decks > 1):
            self.replayed = replay(self.record)

    def problems(self) -> Iterator[str]:
        """Yield the faults of a record."""
        data, advisor = self.data, self.game.advisor
        if (self.record.game, self.record.result) != (self.game.info.slug, data["result"]):
            yield "it is another table's, or did not end as the history says."
        if data["opened"] != self.is_whole:
            yield "it is opened and hides cards, or the other way round."
        if data["salt"] and not data["opened"]:
            yield "its salt is shown before its time."
        if advisor and data["decisions"] and self.replayed:
            moves = [action.name for action in self.record.single_actions()]
            found = review_round(advisor, self.replayed.tables, moves).current_decisions
            right = [(one.chosen, one.best, pytest.approx(one.cost, abs=1e-8)) for one in found]
            if right != [tuple(map(one.get, DECIDED)) for one in data["decisions"]]:
                yield "its decisions are not those of its record, or have cost something else."

    def follows(self, before: "Exported") -> bool:
        """Return whether the round has the previous round's piles or follows a reset."""
        taken, left = self.record, before.replayed.last if before.replayed else None
        if left is None or (not taken.round and taken.carry is None):
            return True
        return (taken.round, taken.carry) == (left.round * left.game.info.numbered, left.carry)
