"""The card images contain no scripts and no card names."""

import re
from pathlib import Path

import pytest

from tools.art.cards import FOUR

STATIC = Path(__file__).parents[2] / "static"


@pytest.mark.parametrize("path", [*STATIC.rglob("*.svg")], ids=lambda path: path.stem)
def test_a_picture_is_inert_and_names_no_card(path: Path) -> None:
    """An image has no script, no text and no external reference, and only one known style rule."""
    text = re.sub(r"<style>:target\{color:#[0-9a-f]{6}\}</style>", "", path.read_text())
    assert not re.search(r"<script|<style|style=|<text|<title|<!--|http://(?!www\.w3\.org/)", text)


@pytest.mark.parametrize("suit", "CDHS")
def test_four_colours_recolour_two_suits(suit: str) -> None:
    for path in (STATIC / "cards").glob(f"?{suit}.svg"):
        text = path.read_text()
        rules = re.findall(r"<style>:target\{color:(.*?)\}</style>", text)
        assert rules == ([FOUR[suit]] if suit in FOUR else []), path.stem
        assert ('id="four"' in text) == (suit in FOUR), path.stem
