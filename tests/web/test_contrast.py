"""The contrast of the style sheet's colours, computed as in WCAG 2.2.

axe also checks the colours of every page (tests/browser/test_looks.py), but axe cannot evaluate
text on a gradient, and ignores lines, borders and the focus ring.
"""

from itertools import product
from pathlib import Path

import pytest
import tinycss2
import tinycss2.color4

from tools.art.cards import FOUR, PAPER, STYLES

SHEET = Path(__file__).parents[2] / "static" / "site.css"

TEXT, LARGE = 4.5, 3.0
"""The minimum contrast in WCAG for text (1.4.3) and for other content (1.4.11)."""


def tokens() -> dict[str, tuple[str, str]]:
    """Return the style sheet's colours for light and for dark pages, keyed by name."""
    rules = tinycss2.parse_stylesheet(SHEET.read_text(), skip_whitespace=True, skip_comments=True)
    root = next(rule for rule in rules if tinycss2.serialize(rule.prelude).strip() == ":root")
    found = {}
    for line in tinycss2.parse_blocks_contents(root.content, skip_whitespace=True):
        if line.type != "declaration" or not line.name.startswith("--"):
            continue
        value = [part for part in line.value if part.type not in ("whitespace", "comment")]
        if len(value) == 1 and value[0].type == "function" and value[0].name == "light-dark":
            pair = [part for part in value[0].arguments if part.type == "hash"]
            found[line.name[2:]] = (pair[0].serialize(), pair[1].serialize())
        elif len(value) == 1 and value[0].type == "hash":
            found[line.name[2:]] = (value[0].serialize(),) * 2
    return found


TOKENS = tokens()


def luminance(colour: str) -> float:
    """Return a colour's relative luminance, from 0 for black to 1 for white.

    >>> luminance("#000"), round(luminance("#ffffff"), 9)
    (0.0, 1.0)
    """
    parsed = tinycss2.color4.parse_color(colour)
    assert parsed
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parsed.coordinates
    ]
    red, green, blue = linear
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21.

    >>> round(contrast("#000", "#fff"), 2), round(contrast("#767676", "#fff"), 2)
    (21.0, 4.54)
    """
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_every_colour_is_read() -> None:
    """This test checks that the tests below can fail."""
    pairs = [name for name, (light, dark) in TOKENS.items() if light != dark]
    assert len(pairs) == SHEET.read_text().count("light-dark(")
    assert luminance(TOKENS["paper"][0]) > 0.8
    assert luminance(TOKENS["paper"][1]) < 0.05


FELTS = "felt felt-deep felt-blue felt-blue-deep felt-wine felt-wine-deep"
"""The background colours of the card tables, at the middle and the edge of each table."""

PAIRS = {
    "ink": (TEXT, "paper raised"),
    "soft": (TEXT, "paper raised"),
    "accent": (TEXT, "paper raised"),  # also for buttons and the focus ring
    "on-accent": (TEXT, "accent"),
    "bad": (TEXT, "bad-paper raised"),
    "on-felt": (TEXT, FELTS),
    "on-badge": (TEXT, "badge"),
    "on-lost": (TEXT, "lost"),
    "on-drawn": (TEXT, "drawn"),
    "edge": (LARGE, "paper raised"),  # fields, chips, and the base line of a chart
    "badge": (LARGE, FELTS),  # the outline of a winning line, and the banners of results
    "lost": (LARGE, FELTS),
    "drawn": (LARGE, FELTS),
}


@pytest.mark.parametrize("name", PAIRS)
def test_text_and_lines_stand_out_from_their_grounds(name: str) -> None:
    least, grounds = PAIRS[name]
    for ground, side in product(grounds.split(), (0, 1)):
        ratio = contrast(TOKENS[name][side], TOKENS[ground][side])
        assert ratio >= least, f"{name} on {ground}: {ratio:.2f}"


def test_suits_stand_out_from_the_card() -> None:
    """The contrast of each suit's symbol on the card, with two and with four colours."""
    inks = {style.ink for style in STYLES.values()} | set(FOUR.values())
    for ink in inks:
        assert contrast(ink, PAPER) >= TEXT, ink
