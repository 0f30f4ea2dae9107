"""Checks of records: a record replays to the same round, and an invalid record is rejected."""

import random
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from cardgames.cards import FULL_DECK, Cards, shuffled
from cardgames.game import AnyGame
from cardgames.records.line import MAX_LENGTH, InvalidRecord, line, parse, readable_line
from cardgames.records.record import Record
from cardgames.records.replay import replay, with_shuffle_orders
from cardgames.table import Phase, Table
from tests.support.examination.walks import SEEDS, named, walk
from tests.support.play import fill


def check_records_replay(game: AnyGame) -> None:
    """Check that a round's record is short and replays every step, in both notations."""
    for seed in SEEDS:
        clicks: dict[int, Any] = {}
        for number, step in enumerate(walk(game, seed)):
            record, table = step.table.record, step.table
            clicks = {} if step.move in ("deal", "new") else clicks
            clicks[record.steps] = table.state
            if table.result or (table.state is not None and number % 20 == 0):
                _check_replay(record, table, clicks)


def _check_replay(record: Record, table: Table, clicks: Mapping[int, Any]) -> None:
    """Check that a record in both notations replays to the original tables."""
    depend = "deal() and apply() depend on nothing but their arguments."
    try:
        texts = [line(record), readable_line(with_shuffle_orders(record))]
    except InvalidRecord as error:
        raise AssertionError(f"A round cannot be played again ({error}) {depend}") from error
    assert max(map(len, texts)) <= MAX_LENGTH, (
        f"The record of a round has more than {MAX_LENGTH} characters: a game that shuffles again "
        "and again says reshuffles=True in its info."
    )
    assert parse(texts[0]) == record
    for text, write in zip(texts, (line, readable_line), strict=True):
        assert write(parse(text)) == text, f"A record has two spellings: {text}."
        replayed = replay(parse(text))
        found = {steps: replayed.tables[steps].state for steps in clicks}
        assert found == clicks, f"A record leads to other tables: {depend}"
        assert replayed.last.result == table.result, f"A record has another end: {depend}"
        one, other = replayed.last.view(), table.view()
        for name in set(one) - {"tally", "messages"}:
            assert one[name] == other[name], f"A record shows another {name}."


def check_any_carry_is_played_or_refused(game: AnyGame) -> None:
    """Check that the record of an impossible round is rejected with a message."""
    if game.carry_type is None:
        return
    rng = random.Random(7)
    for _ in range(300):
        deck = list(shuffled(FULL_DECK, rng)[: rng.choice((0, 1, 2, 5, 51, 52, 52, 52, 52))])
        piles: dict[str, Cards] = {pile.name: () for pile in fields(game.carry_type)}
        for name in piles:
            cut = rng.choice((0, 1, 2, 3, 4, 5, 8, rng.randrange(53), 52))
            piles[name], deck = tuple(deck[:cut]), deck[cut:]
        piles[rng.choice([*piles])] += tuple(deck)
        record = Record(game.info.slug, round=1, carry=game.carry_type(**piles), salt="07")
        record = record.with_action(game.later_deals.read(fill(game.later_deals, rng)))
        try:
            table = replay(record).last
            while table.phase is Phase.PLAYING and rng.random() < 0.9:
                move = rng.choice(game.moves(table.state))
                record = record.with_action(move.read(fill(move, rng)).once)
                table = replay(record).last
                table.view()
        except InvalidRecord:
            continue
        except Exception as error:
            raise AssertionError(
                f"Piles that no round has left raised {named(error)}: deal() refuses them with "
                "impossible_carry()."
            ) from error
