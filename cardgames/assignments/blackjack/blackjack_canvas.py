"""Two canvases for a program that draws with ``draw_image`` and ``draw_text``.

One writes an SVG picture, the other a few lines of text. Both read the same calls, which are those
of the course's canvas: centres and sizes in pixels, the origin in the upper left corner.
"""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple, Protocol

Pair = Sequence[float]
"""A point or a size: across, down."""


class Image(NamedTuple):
    """A picture cut into equal cells, each with the text of the card it shows, empty for a back."""

    name: str
    cells: tuple[tuple[str, ...], ...]

    def shows(self, center: Pair, size: Pair) -> str:
        """Return what the cell around a centre shows."""
        return self.cells[int(center[1] // size[1])][int(center[0] // size[0])]


class Canvas(Protocol):
    """What can be drawn on."""

    def draw_image(
        self,
        image: Image,
        center_source: Pair,
        size_source: Pair,
        center_dest: Pair,
        size_dest: Pair,
    ) -> None:
        """Draw a part of an image, its centre at ``center_dest``."""

    def draw_text(self, text: str, point: Pair, size: float, color: str) -> None:
        """Write a line whose lower left corner is ``point``."""


class SvgCanvas:
    """A canvas that becomes an SVG picture. It needs no other file: it draws the cards itself."""

    def __init__(self, width: int, height: int, background: str) -> None:
        """Make an empty canvas."""
        self.__size = (width, height)
        self.__background = background
        self.__shapes: list[str] = []

    def draw_image(
        self,
        image: Image,
        center_source: Pair,
        size_source: Pair,
        center_dest: Pair,
        size_dest: Pair,
    ) -> None:
        """Draw a card, or its back."""
        left, top = (center_dest[axis] - size_dest[axis] / 2 for axis in (0, 1))
        width, height = size_dest
        card = image.shows(center_source, size_source)
        paper = f'<rect width="{width}" height="{height}" rx="6" fill="white" stroke="black"/>'
        inside = _face(card, width, height) if card else _back(width, height)
        self.__shapes.append(f'<g transform="translate({left} {top})">{paper}{inside}</g>')

    def draw_text(self, text: str, point: Pair, size: float, color: str) -> None:
        """Write a line of text."""
        self.__shapes.append(_text(text, point, size, f'fill="{escape(color)}"'))

    def __str__(self) -> str:
        """Return the picture as SVG."""
        width, height = self.__size
        area = f'width="{width}" height="{height}"'
        lines = (
            f'<svg xmlns="http://www.w3.org/2000/svg" {area} font-family="sans-serif">',
            f'<rect {area} fill="{escape(self.__background)}"/>',
            *self.__shapes,
            "</svg>",
        )
        return "\n".join(lines) + "\n"


def _face(card: str, width: float, height: float) -> str:
    """Draw a card's face: rank and suit in a corner, and the suit in the middle."""
    suit, rank = card[0], card[1]
    mark = {"C": "♣", "S": "♠", "H": "♥", "D": "♦"}[suit]
    color = "crimson" if suit in "HD" else "black"
    corner = _text(rank.replace("T", "10") + mark, (6, 20), 16, f'fill="{color}"')
    middle = (width / 2, height * 0.7)
    return corner + _text(mark, middle, 40, f'fill="{color}" text-anchor="middle"')


def _back(width: float, height: float) -> str:
    """Draw a card's back: a frame with a diamond in it."""
    x, y = width / 2, height / 2
    return (
        f'<rect x="5" y="5" width="{width - 10}" height="{height - 10}" rx="4" fill="navy"/>'
        f'<path d="M{x} 15L{width - 15} {y}L{x} {height - 15}L15 {y}z" fill="lightsteelblue"/>'
    )


def _text(text: str, point: Pair, size: float, attributes: str) -> str:
    """Write a line of text from a point on."""
    x, y = point
    return f'<text x="{x}" y="{y}" font-size="{size}" {attributes}>{escape(text)}</text>'


class TextCanvas:
    """A canvas that becomes lines of text: what is drawn at one height stands in one line."""

    def __init__(self) -> None:
        """Make an empty canvas."""
        self.__marks: list[tuple[float, float, str]] = []

    def draw_image(
        self,
        image: Image,
        center_source: Pair,
        size_source: Pair,
        center_dest: Pair,
        size_dest: Pair,  # noqa: ARG002 - the interface of a canvas has it
    ) -> None:
        """Write a card's code, or xx for its back, in brackets."""
        card = image.shows(center_source, size_source) or "xx"
        self.__marks.append((center_dest[1], center_dest[0], f"[ {card} ]"))

    def draw_text(self, text: str, point: Pair, size: float, color: str) -> None:  # noqa: ARG002
        """Write a text."""
        self.__marks.append((point[1], point[0], text))

    def __str__(self) -> str:
        """Return the lines from top to bottom, each from left to right."""
        heights = sorted({y for y, _, _ in self.__marks})
        return "".join(f"{self.__line(height)}\n" for height in heights)

    def __line(self, height: float) -> str:
        """Return what stands at one height, from left to right."""
        return "  ".join(text for y, _, text in sorted(self.__marks) if y == height)
