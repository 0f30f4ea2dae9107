"""Draws the lobby's pictures of the tables, from the same parts as the cards.

The pictures show no card faces, because the lobby does not name any cards. Run it from the
root of the project to rewrite ``static/tables/*.svg``::

    python -m tools.art.scenes
"""

from pathlib import Path

from tools.art.cards import (
    BLACK,
    EDGE,
    GOLD,
    INK,
    LINES,
    NAVY,
    PALE,
    PAPER,
    PIPS,
    RED,
    SOLID,
    SUIT_INK,
)

STAR = "M0-43L9-9L43 0L9 9L0 43L-9 9L-43 0L-9-9z"
SWORD = "M-6 70V-52L0-70L6-52V70z"
HILT = "M-24 60H24V70H-24zM-5 70H5V92H-5z"


def _placed(body: str, x: float, y: float, turn: float = 0, size: float = 0.4) -> str:
    """Return a piece at a position in the picture, rotated and scaled."""
    return f'<g transform="translate({x:g} {y:g}) rotate({turn:g}) scale({size:g})">{body}</g>'


def _sheet(fill: str) -> str:
    """Return a card's outline, centred on the origin."""
    return (
        f'<rect x="-125" y="-175" width="250" height="350" rx="18" fill="{fill}" '
        f'stroke="{EDGE}" stroke-width="3"/>'
    )


def _face(path: str, colour: str, size: float) -> str:
    """Return a card with one large mark."""
    return f'{_sheet(PAPER)}<path d="{path}" fill="{colour}" transform="scale({size:g})"/>'


def _digit(body: str, colour: str) -> str:
    """Return a card with one large digit."""
    place = "translate(-76 -106) scale(3.3)"
    return f'{_sheet(PAPER)}<g fill="{colour}" color="{colour}" transform="{place}">{body}</g>'


def _back(colour: str) -> str:
    return (
        f"{_sheet(PAPER)}"
        f'<path d="M-106-156H106V156H-106z" fill="{colour}" stroke="{PALE}" stroke-width="6"/>'
        f'<circle r="62" fill="none" stroke="{GOLD}" stroke-width="5"/>'
        f'<path d="{STAR}" fill="{GOLD}"/>'
    )


def _sword() -> str:
    return (
        f'<path d="{SWORD}" fill="#d3d9e4" stroke="{INK}" stroke-width="3"/>'
        f'<path d="{HILT}" fill="{GOLD}" stroke="{INK}" stroke-width="3"/>'
    )


def simple_21() -> str:
    """Return the two digits of 21 on two cards."""
    two = f'<path d="{LINES["2"]}" fill="none" stroke="{SUIT_INK}" stroke-width="11"/>'
    one = f'<path d="{SOLID["T"]}" transform="translate(11 0)"/>'  # the digit 1 from the rank 10
    return _placed(_digit(two, RED), 122, 82, -9) + _placed(_digit(one, BLACK), 200, 82, 8)


def blackjack() -> str:
    """Return a spade over a face-down card."""
    return _placed(_back(NAVY), 126, 82, -12) + _placed(_face(PIPS["S"], BLACK, 3.6), 194, 80, 7)


def one_deck() -> str:
    """Return a complete deck, seen slightly from the side."""
    edges = "".join(_placed(_sheet(PAPER), 166 - 2.2 * n, 90 - 1.8 * n) for n in range(7))
    return edges + _placed(_back(NAVY), 150, 77.5)


def war() -> str:
    """Return two card backs, and two crossed swords over them."""
    cards = _placed(_back(NAVY), 104, 82, -6) + _placed(_back("#8e0d25"), 216, 82, 6)
    return cards + _placed(_sword(), 160, 76, 38, 0.85) + _placed(_sword(), 160, 76, -38, 0.85)


def bingo() -> str:
    """Return a grid with a line of marks across it."""
    places = [(n % 5, n // 5) for n in range(25)]
    squares = "".join(f"M{104 + 23 * x} {26 + 23 * y}h20v20h-20z" for x, y in places)
    marks = "".join(
        f'<circle cx="{114 + 23 * x}" cy="{36 + 23 * y}" r="7.5"/>'
        for x, y in places
        if x == y or (x, y) in ((3, 0), (0, 3), (4, 1))
    )
    return (
        f'<path d="{squares}" fill="{PAPER}"/>'
        f'<g fill="{GOLD}" stroke="{INK}" stroke-width="1.5">{marks}</g>'
    )


def lab() -> str:
    """Return bars in the shape of a bell, like the results of thousands of games."""
    heights = (10, 22, 44, 76, 104, 112, 92, 60, 34, 16)
    bars = "".join(f"M{102 + 12 * n} {138 - high}h9v{high}h-9z" for n, high in enumerate(heights))
    return f'<path d="{bars}" fill="{GOLD}"/><path d="M94 138H228v3H94z" fill="{PAPER}"/>'


SCENES = {
    "simple-21": simple_21,
    "blackjack": blackjack,
    "one-deck": one_deck,
    "war": war,
    "bingo": bingo,
    "lab": lab,
}


def scenes() -> dict[str, str]:
    """Return every picture of a table, keyed by the table's slug."""
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 164">'
    return {slug: f"{head}{draw()}</svg>\n" for slug, draw in SCENES.items()}


def main() -> None:
    """Write the pictures into the project's ``static`` folder."""
    tables = Path(__file__).resolve().parents[2] / "static" / "tables"
    tables.mkdir(parents=True, exist_ok=True)
    for slug, text in scenes().items():
        (tables / f"{slug}.svg").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
