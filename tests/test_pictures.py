"""The card pictures are what the program draws, small, and inert."""

import gzip
import re
from pathlib import Path

import pytest

from art.cards import drawings, favicon
from cardgames.cards import FULL_DECK

STATIC = Path(__file__).parent.parent / "static"
FILES = sorted((STATIC / "cards").glob("*.svg"))


def test_every_card_and_a_back_are_drawn() -> None:
    assert {path.stem for path in FILES} == {*FULL_DECK, "back"}


def test_the_files_are_what_the_program_draws() -> None:
    assert {path.stem: path.read_text() for path in FILES} == drawings()
    assert (STATIC / "favicon.svg").read_text() == favicon()


def test_all_together_are_at_most_60_kb_compressed() -> None:
    assert sum(len(gzip.compress(path.read_bytes(), 9)) for path in FILES) <= 60_000


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_picture_is_inert_and_names_no_card(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"<script|<style|style=|<text|<title|<!--|http://(?!www\.w3\.org/)", text)
