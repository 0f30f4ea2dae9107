"""What the site wrote before this core: records, seals and transcripts mean what they meant.

``fixtures`` was made once, by running the site as of commit 66b51c4 at random: finished rounds of
all five tables, each with its record as the player knows it, its seals, and what its replay shows
at the end; and transcripts of whole tables.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from cardgames import GAMES
from cardgames.cards import split_codes
from cardgames.records.line import line, parse, told_line
from cardgames.records.replay import is_complete, redacted, replay, sealed_orders, told
from cardgames.records.transcript import TRANSCRIPTS
from cardgames.shuffling import SaltedRandom, commitment
from tests.support.records import lying
from tests.support.sheets import untyped

FIXTURES = Path(__file__).parent / "fixtures"


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(text) for text in (FIXTURES / f"{name}.jsonl").read_text().splitlines()]


ROUNDS = [
    pytest.param(one, id=f"{slug}-{number}")
    for slug in ("simple-21", "blackjack", "one-deck", "war", "bingo")
    for number, one in enumerate(read(slug))
]
rounds = pytest.mark.parametrize("one", ROUNDS)


@rounds
def test_a_record_is_replayed_as_it_was(one: dict[str, Any]) -> None:
    record = parse(one["record"])
    assert told_line(record) == one["record"]
    assert line(parse(line(record))) == line(record)
    view = lying(replay(record).last)
    if record.game == "war":  # a click of many turns tells of them all
        view["messages"] = view["messages"][-1:]
    assert view == one["view"]


@rounds
def test_a_record_hides_what_it_hid(one: dict[str, Any]) -> None:
    record = parse(one["record"])
    state = replay(record).last.state
    masked = redacted(record, GAMES[record.game].seen(state))
    assert told_line(masked) == one["masked"]
    assert parse(one["masked"]) == masked
    if record.game not in ("war", "bingo"):
        view = lying(replay(masked).last)
        assert view == one["view"]
        assert is_complete(masked) == (one["masked"] == one["record"])


@rounds
def test_a_seal_is_of_the_round_that_it_was_made_for(one: dict[str, Any]) -> None:
    record = parse(one["record"])
    seals = [(seal["salt"], split_codes(seal["order"])) for seal in one["seals"]]
    assert [commitment(*seal) for seal in seals] == [seal["seal"] for seal in one["seals"]]
    assert list(sealed_orders(record)) == [order for _, order in seals]
    if not seals:
        return
    luck = SaltedRandom(lambda: seals[0][0])
    for _, order in seals:
        given = sorted(order)
        luck.shuffle(given)
        assert tuple(given) == order


@rounds
def test_a_round_is_the_same_in_the_short_way_of_writing(one: dict[str, Any]) -> None:
    """By the salt of its seals, where it has any: version 2 of the record that is told in 1."""
    record = parse(one["record"])
    salts = {seal["salt"] for seal in one["seals"]}
    if not salts:
        return
    words = [word for word in one["record"].split() if not word.startswith(("shuffle=", "salt="))]
    at = next(place for place, word in enumerate(words) if word.startswith("deal"))
    actions = " ".join(words[at:]).replace(":turns=1", "").replace(":calls=1", "")
    text = " ".join([words[0], "2", *words[2:at], f"salt={salts.pop()}", actions])
    short = parse(text)
    assert line(short) == text
    assert told_line(told(short)) == one["record"]
    assert replay(short).last.state == replay(record).last.state
    assert len(text) < len(one["record"]) or "deal:deck" in text


@pytest.mark.parametrize("one", read("transcripts"), ids=lambda one: one["game"])
def test_a_transcript_says_what_it_said(one: dict[str, Any]) -> None:
    records = [parse(text) for text in one["records"]]
    assert untyped(one["game"], TRANSCRIPTS[one["game"]](records)) == one["text"]


def test_all_that_there_is_to_show_is_among_the_rounds() -> None:
    """A refill, an own deck, a round given up, cards that ran out, six players, a speed round."""
    texts = [parameter.values[0]["record"] for parameter in ROUNDS]
    for part in (" buried=", " forfeit ", "deal:deck=", "players=6", "speed=Y", "stacked=yes"):
        assert any(part in text for text in texts), part
    assert any("deck=" in text and "shuffle=" in text for text in texts)
    assert any("result=tie" in text for text in texts if text.startswith("one-deck"))
