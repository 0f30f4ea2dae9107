"""The colours of the style sheet against each other, worked out as WCAG 2.2 has it.

axe reads the colours of every page too (test_browser.py), but it cannot see what lies on a
gradient, and it takes no notice of lines, borders and the focus.
"""

from itertools import product
from pathlib import Path

import pytest
import tinycss2
import tinycss2.color4

from tools.art.cards import FOUR, PAPER, STYLES

SHEET = Path(__file__).parents[2] / "static" / "site.css"

TEXT, LARGE = 4.5, 3.0
"""What WCAG asks of text (1.4.3), and of what is no text (1.4.11)."""

BOTH = ("light", "dark")


def tokens() -> dict[str, tuple[str, str]]:
    """Return the sheet's colours by name, each for light and for dark pages."""
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
    """Were they not, the tests below would prove nothing."""
    pairs = [name for name, (light, dark) in TOKENS.items() if light != dark]
    assert len(pairs) == SHEET.read_text().count("light-dark(")
    assert luminance(TOKENS["paper"][0]) > 0.8
    assert luminance(TOKENS["paper"][1]) < 0.05


@pytest.mark.parametrize(
    ("text", "grounds"),
    [
        ("ink", ("paper", "raised")),
        ("soft", ("paper", "raised")),
        ("accent", ("paper", "raised")),
        ("on-accent", ("accent",)),
        ("bad", ("bad-paper", "raised")),
        ("on-felt", ("felt", "felt-deep")),
        ("on-badge", ("badge",)),
        ("on-lost", ("lost",)),
        ("on-drawn", ("drawn",)),
    ],
)
@pytest.mark.parametrize("theme", BOTH)
def test_text_is_readable(text: str, grounds: tuple[str, ...], theme: str) -> None:
    side = BOTH.index(theme)
    for ground in grounds:
        ratio = contrast(TOKENS[text][side], TOKENS[ground][side])
        assert ratio >= TEXT, f"{text} on {ground}: {ratio:.2f}"


@pytest.mark.parametrize(
    ("line", "grounds"),
    [
        ("edge", ("paper", "raised")),  # fields, chips, the level line of a chart
        ("accent", ("paper", "raised")),  # buttons, focus, the first line of a chart
        ("bad", ("paper", "raised", "bad-paper")),  # the second line, the frame of a refusal
        ("on-felt", ("felt", "felt-deep")),  # focus on the felt
        ("badge", ("felt", "felt-deep")),  # the outline of a winning line
        ("on-badge", ("badge",)),  # the mark on a covered card
    ],
)
@pytest.mark.parametrize("theme", BOTH)
def test_lines_and_focus_can_be_seen(line: str, grounds: tuple[str, ...], theme: str) -> None:
    side = BOTH.index(theme)
    for ground in grounds:
        ratio = contrast(TOKENS[line][side], TOKENS[ground][side])
        assert ratio >= LARGE, f"{line} on {ground}: {ratio:.2f}"


def test_suits_stand_out_from_the_card() -> None:
    """Two colours or four: each suit's mark against the card's paper."""
    inks = {style.ink for style in STYLES.values()} | set(FOUR.values())
    for ink in inks:
        assert contrast(ink, PAPER) >= TEXT, ink


def test_the_three_results_do_not_differ_by_colour_alone() -> None:
    """Win, loss and tie are words first. Their banners stand out from the felt whatever it is."""
    for banner, felt in product(("badge", "lost", "drawn"), ("felt", "felt-deep")):
        for side in (0, 1):
            assert contrast(TOKENS[banner][side], TOKENS[felt][side]) >= LARGE
