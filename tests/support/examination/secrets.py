"""Checks of hidden cards: the player's view never depends on the current or future hidden cards."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import chain

from cardgames.cards import Card
from cardgames.game import AnyGame
from cardgames.records.line import parse, readable_line
from cardgames.records.record import Record
from cardgames.records.replay import known_cards, redacted, replay, with_shuffle_orders
from cardgames.table import Phase, Table, cards_in
from tests.support.examination.walks import (
    SEEDS,
    all_tables,
    as_json,
    at_ends,
    public_state,
    records_of,
    tables_of,
    walk,
)
from tests.support.play import reshuffled


def check_nothing_depends_on_what_is_hidden(game: AnyGame) -> None:
    """Check that the player's view does not change if all hidden cards are exchanged."""
    rng = random.Random(4)
    different = hidden = 0
    for table in all_tables(game):
        other = replace(table, state=reshuffled(game, table.state, rng))
        other = replace(other, result=game.result(other.state))
        different += other.state != table.state
        hidden += len(set(game.hidden(table.state))) > 1
        before, after = public_state(table), public_state(other)
        for part, value in before.items():
            assert after[part] == value, (
                f"{part} changes with cards that are hidden: let it depend on nothing that seen() "
                "does not have."
            )
    assert different >= 0.7 * hidden, (
        "What is hidden cannot be dealt anew: keep it in the state as cards, and each of several "
        "decks in a field of its own."
    )


def check_seen_was_shown(game: AnyGame) -> None:
    """Check that a view has shown every card that the game declares as seen.

    Cards from before the last shuffle do not count.

    Records contain the seen cards, so they would reveal a card that is declared too early.
    """
    for seed in SEEDS:
        known, sure = Counter[Card](), set[Card]()
        for record in records_of(walk(game, seed)):
            if record.carry is None:
                known.clear()
                sure.clear()
            else:
                _check_known_piles(record, known)
            replayed = replay(record)
            for table, orders in zip(replayed.tables[1:], replayed.shuffles, strict=True):
                drawn = tuple(chain.from_iterable(orders))
                if drawn:
                    sure = {card for card in drawn if known[card]}
                known -= Counter(drawn)
                known |= _count(cards_in(game.view(table.state)), game)
                known |= _shown_by_elimination(game, known, sure, table)
                claimed = Counter(game.seen(table.state)) - known
                assert not claimed, (
                    f"seen() has {min(claimed)} after {table.record.actions[-1].name!r}, and no "
                    "view has shown it since it was shuffled: leave it out until one does."
                )


def check_closed_records_tell_what_was_seen(game: AnyGame) -> None:
    """Check that a record whose cards are still in play has only seen cards.

    The record must also be replayable.
    """
    for seed in SEEDS:
        for table in at_ends(walk(game, seed)):
            if table.carry is None:
                continue
            whole = with_shuffle_orders(table.record)
            record = parse(readable_line(redacted(whole, game.seen(table.state))))
            may_tell = {*game.seen(table.state), *_known_piles(whole)}
            assert known_cards(record) <= may_tell, "A closed record tells a card that is hidden."
            if game.info.reshuffles or game.info.decks > 1:
                continue
            for one, other in zip(replay(whole).tables, replay(record).tables, strict=True):
                assert as_json(one.view()) == as_json(other.view()), (
                    "A closed record shows another round: no rule depends on a card that the "
                    "player has not seen."
                )


def check_shown_rounds_tell_nothing_hidden(game: AnyGame) -> None:
    """Check that a finished round is revealed once none of its cards is hidden."""
    for seed in SEEDS:
        put_in: dict[Card, int] = {}
        for table in tables_of(walk(game, seed)):
            number = table.finished + (table.phase is Phase.PLAYING)
            if table.record.carry is None:
                put_in = dict.fromkeys(game.cards(table.state), number)
            else:
                shuffled = chain.from_iterable(replay(table.record).shuffles)
                put_in |= dict.fromkeys(chain.from_iterable(shuffled), number)
            played_on = table.phase is Phase.PLAYING or table.carry is not None
            for card in game.hidden(table.state) if played_on else ():
                assert put_in[card] > table.shown_to, (
                    "A round that is shown tells where hidden cards lie: declare in seen() what "
                    "was seen, and leave by carry() whatever is played on."
                )


def _count(shown: set[Card], game: AnyGame) -> Counter[Card]:
    return Counter(dict.fromkeys(shown, game.info.decks))


def _shown_by_elimination(
    game: AnyGame, known: Counter[Card], sure: set[Card], table: Table
) -> Counter[Card]:
    """Return the only card that is neither known nor certainly in the shuffled pile.

    If the pile was shuffled from cards that the player had seen, the player knows that it contains
    no other cards.
    """
    left = set(game.cards(table.state)) - set(known) - sure
    return Counter(left if len(left) == 1 and sure else ())


def _known_piles(record: Record) -> Iterator[Card]:
    """Yield the cards of the piles that are marked as known."""
    if record.carry is not None:
        for pile in fields(record.carry):
            if pile.metadata.get("known"):
                yield from getattr(record.carry, pile.name)


def _check_known_piles(record: Record, known: Counter[Card]) -> None:
    unknown = set(_known_piles(record)) - set(known)
    assert not unknown, (
        "A pile that is marked KNOWN has a card that no view has shown, and records tell it: mark "
        "only piles of cards that the player has seen."
    )
