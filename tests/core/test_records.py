"""Records: golden records, both notations, and hidden cards.

``records`` has records of each of the five tables, and the table's views after some steps. The
records were computed from the sheets' decks and rules by a program that shares no code with the
project, so they may change only if the rules change.
"""

import dataclasses
from collections import Counter
from itertools import islice

import pytest

from cardgames import GAMES
from cardgames.cards import Card
from cardgames.moves import Action
from cardgames.records.line import line, parse, readable_line
from cardgames.records.replay import (
    is_complete,
    known_cards,
    redacted,
    replay,
    with_shuffle_orders,
)
from cardgames.shuffling import SaltedRandom
from cardgames.table import Phase
from tests.support.play import by_salt, deck_file, play
from tests.support.records import GOLDEN, GOLDEN_RECORDS, lying, refused, rounds

FIVE = ["simple-21", "blackjack", "one-deck", "war", "bingo"]
every_golden = pytest.mark.parametrize("text", GOLDEN_RECORDS, ids=lambda text: text[:24])


# ---- Golden records ------------------------------------------------------------------------


def test_every_table_has_golden_records() -> None:
    assert {text.partition(" ")[0] for text in GOLDEN_RECORDS} == set(FIVE)
    assert {file.stem for file in GOLDEN.glob("*.txt")} == set(FIVE)
    assert len(GOLDEN_RECORDS) > 30


@every_golden
def test_golden_record_replays_by_the_rules(text: str) -> None:
    record = parse(text)
    assert readable_line(record) == text
    tables = replay(record).tables
    assert len(tables) == record.steps + 1
    assert record.salt or tables[-1].draw_count == len(record.shuffles)
    assert GOLDEN_RECORDS[text]
    for step, shown in GOLDEN_RECORDS[text].items():
        view = lying(tables[step])
        assert {name: view[name] for name in shown} == shown


# ---- Both notations ------------------------------------------------------------------------


def test_a_round_is_short_by_its_salt_and_readable_by_its_cards() -> None:
    record = play("simple-21", "deal", "stay", new_salt=lambda: "07").record
    assert line(record) == f"simple-21 2 salt=07 deal stay result={record.result}"
    deck = "".join(by_salt("07", 1))
    assert (
        readable_line(with_shuffle_orders(record))
        == f"simple-21 1 shuffle={deck} deal stay result={record.result}"
    )
    assert readable_line(record) == line(record)
    assert with_shuffle_orders(with_shuffle_orders(record)) == with_shuffle_orders(record)


def test_repeated_moves_are_spelt_the_same_in_both_versions() -> None:
    record = play("bingo", "deal mode=F speed=N", "call calls=5", new_salt=lambda: "07").record
    assert line(record) == "bingo 2 salt=07 deal:mode=F,speed=N call*5"
    assert readable_line(with_shuffle_orders(record)).endswith(" deal:mode=F,speed=N call*5")
    assert [parse(write) for write in (line(record), readable_line(record))] == [record, record]


def test_war_record_has_its_deal_and_later_salts() -> None:
    record = play("war", "deal players=2", "turn turns=10", new_salt=lambda: "07").record
    whole = with_shuffle_orders(record)
    assert (whole.salt, whole.shuffles) == ("07", (by_salt("07", 1),))
    assert readable_line(whole).startswith("war 1 salt=07 shuffle=")
    assert line(record) == "war 2 salt=07 deal:players=2 turn*10"
    own = play("war", "deal players=2", "turn turns=1", new_salt=lambda: "07", deck=deck_file())
    assert readable_line(with_shuffle_orders(own.record)).startswith("war 1 salt=07 deal:deck=AC2C")


def test_continued_replay_may_shuffle_anew() -> None:
    """A what-if round uses the cards of the record first, and then random cards.

    Without a random number generator, the replay is rejected.
    """
    record = parse(next(text for text in GOLDEN_RECORDS if "round=12" in text))
    cut = dataclasses.replace(record.truncated(1), shuffles=())
    assert len(replay(cut).tables) == 2
    on = cut.with_action(Action("hit"))
    assert "how the cards were shuffled" in refused(readable_line(on))
    table = replay(on, SaltedRandom(lambda: "00ff")).last
    assert table.phase in (Phase.PLAYING, Phase.ROUND_OVER)
    assert table.state.player[2] in record.carry.seen


# ---- Hidden cards --------------------------------------------------------------------------


@pytest.mark.parametrize("slug", ["simple-21", "one-deck"])
@pytest.mark.parametrize("seed", range(2))
def test_redacted_record_has_only_shown_cards(slug: str, seed: int) -> None:
    hidden_holes = hidden_orders = 0
    for record in rounds(slug, seed):
        whole = with_shuffle_orders(record)
        assert is_complete(whole)
        state = replay(whole).last.state
        up = {*state.player, *state.dealer} - {*(state.dealer[1:2] * state.hole_down)}
        masked = redacted(whole, GAMES[slug].seen(state))
        assert known_cards(masked) == up | {*(record.carry.seen if record.carry else ())}
        assert set(masked.carry.buried if masked.carry else ()) <= {None}
        assert masked.salt == ""
        hidden_holes += state.hole_down
        hidden_orders += not is_complete(masked) and bool(masked.shuffles)
        assert parse(readable_line(masked)) == masked
    assert hidden_orders
    assert hidden_holes or slug != "simple-21"


def test_knowledge_of_a_buried_card_names_only_shown_cards() -> None:
    """For a hidden card, a record has only the rank, and replays the round as the player saw it."""
    numbers = set()
    for record in rounds("simple-21", 2):
        if not record.carry or not record.carry.ways:
            continue
        whole = with_shuffle_orders(record)
        tables = replay(whole).tables
        seen = GAMES["simple-21"].seen(tables[-1].state)
        masked = redacted(whole, seen)
        assert parse(readable_line(masked)) == masked
        for (number, cards), (same, shown) in zip(whole.carry.ways, masked.carry.ways, strict=True):
            assert number == same
            assert Counter(one[0] for one in shown) == Counter(card[0] for card in cards)
            assert {one for one in shown if isinstance(one, Card)} == {*cards} & {*seen}
            numbers.add(number)
        again = replay(masked).tables
        assert [*map(lying, again)] == [*map(lying, tables)]
        assert all(isinstance(card, Card) for _, cards in again[0].carry.ways for card in cards)
    assert numbers


@pytest.mark.parametrize("slug", ["war", "bingo"])
def test_hidden_place_leaves_nothing_in_the_record(slug: str) -> None:
    for record in islice(rounds(slug, 6, 40), 3):
        state = replay(record).last.state
        masked = redacted(with_shuffle_orders(record), GAMES[slug].seen(state))
        assert (known_cards(masked), masked.salt) == (frozenset(), "")
