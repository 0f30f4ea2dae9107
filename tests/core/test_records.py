"""Records: golden ones, both ways of writing them, and what they hide.

``records`` has, for each of the five tables, records with what the table shows after some steps.
They were worked out from the sheets' decks and the rules in the sheets by a reckoning that shares
no line with this program: what they say may change only if the rules do.
"""

import dataclasses
import random
from typing import Any

import pytest

from cardgames import GAMES
from cardgames.cards import Card, split_codes
from cardgames.moves import Action
from cardgames.records.line import MAX_LENGTH, format_cards, line, parse, readable_line
from cardgames.records.record import Record
from cardgames.records.replay import (
    is_complete,
    known_cards,
    redacted,
    replay,
    sealed_orders,
    with_shuffle_orders,
)
from cardgames.shuffling import SaltedRandom
from cardgames.table import Phase, Table
from tests.support.games import HighCard
from tests.support.play import by_salt, deck_file, play, rearranged, salts, swapped
from tests.support.records import GOLDEN, GOLDEN_RECORDS, lying, refused, rounds

FIVE = ["simple-21", "blackjack", "one-deck", "war", "bingo"]
every_golden = pytest.mark.parametrize("text", GOLDEN_RECORDS, ids=lambda text: text[:24])


# ---- Golden records ------------------------------------------------------------------------


def test_every_table_has_golden_records() -> None:
    assert {text.partition(" ")[0] for text in GOLDEN_RECORDS} == set(FIVE)
    assert {file.stem for file in GOLDEN.glob("*.txt")} == set(FIVE)
    assert len(GOLDEN_RECORDS) > 30


@every_golden
def test_a_golden_record_replays_to_what_the_rules_say(text: str) -> None:
    record = parse(text)
    assert readable_line(record) == text
    tables = replay(record).tables
    assert len(tables) == record.steps + 1
    assert GOLDEN_RECORDS[text]
    for step, shown in GOLDEN_RECORDS[text].items():
        view = lying(tables[step])
        assert {name: view[name] for name in shown} == shown


@every_golden
def test_a_golden_record_is_the_same_in_parts(text: str) -> None:
    """Its beginning is a record too, and leads to the same table."""
    record = parse(text)
    tables = replay(record).tables
    for steps in {0, 1, record.steps // 2, record.steps}:
        part = record.truncated(steps)
        assert parse(readable_line(part)) == part
        assert (part.steps, part.result) == (steps, "")
        found = [table.state for table in replay(part).tables]
        assert found == [table.state for table in tables[: steps + 1]]


def test_a_record_is_followed_by_a_decision() -> None:
    record = parse("blackjack 1 shuffle=9STHQDJC+48 deal hit stay result=dealer")
    again = readable_line(record.truncated(2).with_action(Action("hit")))
    assert again == "blackjack 1 shuffle=9STHQDJC+48 deal hit*2"
    assert readable_line(record.truncated(2).with_action(Action("stay"))).endswith(" deal hit stay")
    assert readable_line(record.truncated(1).with_action(Action("forfeit"))).endswith(
        " deal forfeit"
    )
    assert [one.name for one in record.single_actions()] == ["deal", "hit", "stay"]


# ---- Both ways of writing ------------------------------------------------------------------


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
    assert sealed_orders(with_shuffle_orders(record)) == (by_salt("07", 1),)


def test_a_repeated_move_has_a_field_in_the_first_version_and_none_in_the_second() -> None:
    record = play("bingo", "deal mode=F speed=N", "call calls=5", new_salt=lambda: "07").record
    assert line(record) == "bingo 2 salt=07 deal:mode=F,speed=N call*5"
    assert readable_line(with_shuffle_orders(record)).endswith(
        " deal:mode=F,speed=N call:calls=1*5"
    )
    assert [parse(write) for write in (line(record), readable_line(record))] == [record, record]


def test_war_tells_the_order_of_its_deal_and_the_salt_of_all_others() -> None:
    record = play("war", "deal players=2", "turn turns=10", new_salt=lambda: "07").record
    whole = with_shuffle_orders(record)
    assert (whole.salt, whole.shuffles) == ("07", (by_salt("07", 1),))
    assert readable_line(whole).startswith("war 1 salt=07 shuffle=")
    assert line(record) == "war 2 salt=07 deal:players=2 turn*10"
    own = play("war", "deal players=2", "turn turns=1", new_salt=lambda: "07", deck=deck_file())
    assert readable_line(with_shuffle_orders(own.record)).startswith("war 1 salt=07 deal:deck=AC2C")


def test_luck_that_is_no_shuffle_is_told_by_its_salt_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dice, say: nothing but the salt can be recorded, and the record says version 2."""

    class Coin(HighCard):
        def deal(self, carry: None, action: Action, rng: random.Random) -> Any:
            dealt = super().deal(carry, action, rng)
            return (
                dealt if rng.random() < 0.5 else dataclasses.replace(dealt, shown=dealt.shown[::-1])
            )

    monkeypatch.setitem(GAMES, "high-card", Coin())
    for salt in ("01", "02", "03", "04"):
        table = play("high-card", "deal", new_salt=lambda salt=salt: salt)
        assert with_shuffle_orders(table.record) == table.record
        assert (
            readable_line(table.record)
            == f"high-card 2 salt={salt} deal result={table.record.result}"
        )
        assert replay(parse(line(table.record))).last.state == table.state


def test_a_game_of_ones_own_needs_nothing_for_its_records() -> None:
    table = play("high-card", "deal", new_salt=salts(3))
    deck = "".join((*table.state.shown, *table.state.deck))
    text = f"high-card 1 shuffle={deck} deal result={table.record.result}"
    assert readable_line(with_shuffle_orders(table.record)) == text
    assert replay(parse(text)).last.state == table.state


@pytest.mark.parametrize(
    "names", ["a b,c_d", "~,%", "é+ü,=", "1,2", "x:y,z*2", "\N{PLAYING CARD BACK},Amy"]
)
def test_names_and_results_of_all_kinds_are_written_and_read(names: str) -> None:
    table, _ = Table(GAMES["war"]).play("deal", {"players": "2", "names": names}, salts(3))
    record = play(table, "turn turns=all").record
    assert record.result in names.split(",")
    for one in (record, with_shuffle_orders(record)):
        text = line(one)
        assert text.isascii()
        assert not {"_", "~"} & set(text)
        assert parse(text) == one
        assert replay(one).last.result


def test_the_longest_record_of_the_rules_is_short_enough() -> None:
    """Six players with the longest names of the longest characters, on an own deck."""
    name = "\N{PLAYING CARD ACE OF SPADES}" * 19
    names = ",".join(f"{name}{number}" for number in range(6))
    table = play("war", "deal players=6", names=names, deck=deck_file())
    record = play(table, "turn turns=all", new_salt=salts(4)).record
    for text in (line(record), readable_line(with_shuffle_orders(record))):
        assert len(text) < MAX_LENGTH
        assert line(parse(text)) == line(record)


def test_cards_that_are_not_told_are_written_as_a_number_at_the_end() -> None:
    ace, ten = Card("AC"), Card("TH")
    assert format_cards(()) == ""
    assert format_cards((None,) * 52) == "+52"
    assert format_cards((None, ten, None, ace)) == "xxTHxxAC"


def test_a_replay_that_is_played_on_may_shuffle_anew() -> None:
    """What if: the cards of the record first, then any luck; without luck it is refused."""
    record = parse(next(text for text in GOLDEN_RECORDS if "round=12" in text))
    cut = dataclasses.replace(record.truncated(1), shuffles=())
    assert len(replay(cut).tables) == 2
    on = cut.with_action(Action("hit"))
    assert "how the cards were shuffled" in refused(readable_line(on))
    table = replay(on, SaltedRandom(lambda: "00ff")).last
    assert table.phase in (Phase.PLAYING, Phase.ROUND_OVER)
    assert table.state.player[2] in record.carry.seen


# ---- What the player may not see -----------------------------------------------------------


@pytest.mark.parametrize("slug", ["simple-21", "one-deck"])
@pytest.mark.parametrize("seed", range(2))
def test_a_redacted_record_tells_what_was_shown_and_nothing_else(slug: str, seed: int) -> None:
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


def rearranged_record(record: Record, others: dict[Card, Card]) -> Record:
    """Return a told record with other cards in the places of some, also in decks that were sent."""
    actions = tuple(
        dataclasses.replace(
            action,
            choices=tuple(
                (name, "".join(swapped(split_codes(value), others)) if name == "deck" else value)
                for name, value in action.choices
            ),
        )
        for action in record.actions
    )
    return dataclasses.replace(swapped(record, others), actions=actions)


@pytest.mark.parametrize("slug", ["simple-21", "one-deck", "lasting-high-card"])
def test_whatever_is_hidden_the_redacted_record_is_the_same(slug: str) -> None:
    """The cards that were not shown change places with each other, all over the record.

    Those that a buried card can be do so among themselves: the player knows that it is one of them.
    """
    game, rng, different = GAMES[slug], random.Random(5), 0
    for record in map(with_shuffle_orders, rounds(slug, 5, 200)):
        state = replay(record).last.state
        hidden = tuple(dict.fromkeys(game.hidden(state)))
        known = {*(getattr(record.carry, "seen", ()) or getattr(record.carry, "discards", ()))}
        can_be = {card for _, cards in getattr(record.carry, "ways", ()) for card in cards}
        unknown = set(hidden) - known
        others = {
            **rearranged(tuple(sorted(unknown & can_be)), rng),
            **rearranged(tuple(sorted(unknown - can_be)), rng),
        }
        other = rearranged_record(record, others)
        if can_be:  # what the player knows stays as it is
            other = dataclasses.replace(
                other, carry=dataclasses.replace(other.carry, ways=record.carry.ways)
            )
        after = replay(other).last.state
        assert game.seen(after) == game.seen(state)
        assert redacted(other, game.seen(after)) == redacted(record, game.seen(state))
        different += other != record
    assert different > 20


@pytest.mark.parametrize("slug", ["war", "bingo"])
def test_where_a_face_does_not_tell_its_place_nothing_is_left(slug: str) -> None:
    """At War and Bingo a redacted record has no card and no salt: it cannot be replayed."""
    for number, record in enumerate(rounds(slug, 6, 40)):
        whole = with_shuffle_orders(record)
        masked = redacted(whole, GAMES[slug].seen(replay(whole).last.state))
        assert (known_cards(masked), masked.salt) == (frozenset(), "")
        text = readable_line(masked)
        assert parse(text) == masked
        assert "Step" in refused(text)
        assert "xx" not in text  # all at an end: a number
        if number == 5:
            return
