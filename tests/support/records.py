"""Records for tests: the golden records, and the records of random rounds."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cardgames import GAMES
from cardgames.records.line import InvalidRecord, parse
from cardgames.records.record import Record
from cardgames.records.replay import replay
from cardgames.table import Table
from tests.support.play import play_at_random
from tests.support.sentences import translatable

GOLDEN = Path(__file__).parent.parent / "core" / "records"


def golden() -> dict[str, dict[int, Any]]:
    """Return every golden record, and the table's views after some of its steps."""
    found: dict[str, dict[int, Any]] = {}
    for file in sorted(GOLDEN.glob("*.txt")):
        shown: dict[int, Any] = {}
        for line in file.read_text().splitlines():
            if line.startswith("@"):
                step, _, view = line[1:].partition(" ")
                shown[int(step)] = json.loads(view)
            elif line and not line.startswith("#"):
                found[line] = shown = {}
    return found


GOLDEN_RECORDS = golden()


def golden_of(slug: str) -> list[str]:
    return [text for text in GOLDEN_RECORDS if text.startswith(f"{slug} ")]


def rounds(slug: str, seed: int, moves: int = 300) -> Iterator[Record]:
    """Yield the finished rounds of a random player."""
    for played in play_at_random(GAMES[slug], seed, moves):
        yield from played.finished


def as_sent(table: Table) -> dict[str, Any]:
    """Return a view as a JSON client parses it."""
    view: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(table.view(), enc_hook=str))
    return view


def lying(table: Table) -> dict[str, Any]:
    """Return a view without the tally, because records do not contain the tally."""
    return {name: value for name, value in as_sent(table).items() if name != "tally"}


def refused(text: str) -> str:
    """Return the error message for a string that is not a valid record of a round."""
    with pytest.raises(InvalidRecord) as caught:
        replay(parse(text))
    sentence = translatable(caught.value.text)
    assert sentence.endswith((".", "!")) or sentence.startswith("Step")
    assert sentence.isprintable()
    assert not sentence.endswith("None")
    assert len(sentence) < 200
    return sentence
