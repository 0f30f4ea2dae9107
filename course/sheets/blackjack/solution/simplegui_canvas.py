"""A draw handler's drawings, as data, as lines of text, and as an SVG picture.

The methods are those of CodeSkulptor's canvas, with centres and sizes in pixels and the origin in
the upper left corner. No image is downloaded. An image is recognized by its URL, and cards are
drawn here.
"""

from collections.abc import Iterable, Sequence
from html import escape
from math import degrees
from typing import NamedTuple

Pair = Sequence[float]
"""A point or a size: horizontal, vertical."""

SUITS = "CSHD"
RANKS = "A23456789TJQK"
MARKS = {"C": "♣", "S": "♠", "H": "♥", "D": "♦"}
RED = "HD"
SAME_LINE = 12
"""Maximum vertical distance between the texts and cards of one line, in pixels."""
VISIBLE = 0.05
"""Minimum uncovered fraction of an image that counts as visible."""
GRID = 12
"""Number of test points per row and column, to find out whether an image is covered."""
HIDES = 0.5
"""Fraction of a card that a back must cover for the card to be face down."""


class Image(NamedTuple):
    """An image and its URL: a sprite sheet of 13 by 4 faces or of backs, or unknown."""

    address: str
    kind: str
    size: tuple[int, int]

    def get_width(self) -> int:
        """Return the width in pixels, 0 for an unknown image."""
        return self.size[0]

    def get_height(self) -> int:
        """Return the height in pixels, 0 for an unknown image."""
        return self.size[1]

    def shows(self, center: Pair, size: Pair) -> str:
        """Return the code, suit first, of the card at this centre, or an empty string."""
        if self.kind != "faces":
            return ""
        width, height = self.size[0] / len(RANKS), self.size[1] / len(SUITS)
        column, row = int(center[0] // width), int(center[1] // height)
        inside = 0 <= column < len(RANKS) and 0 <= row < len(SUITS)
        one_card = size[0] < 2 * width and size[1] < 2 * height
        return SUITS[row] + RANKS[column] if inside and one_card else ""


KNOWN_IMAGES = {
    "cards_jfitz.png": Image("cards_jfitz.png", "faces", (936, 384)),
    "cards.jfitz.png": Image("cards.jfitz.png", "faces", (949, 392)),
    "card_jfitz_back.png": Image("card_jfitz_back.png", "backs", (144, 96)),
    "card_back.png": Image("card_back.png", "backs", (142, 96)),
}
"""The course's sprite sheets, keyed by file name: new and old faces, new and old backs."""


def image_at(address: str) -> Image:
    """Return the image at a URL.

    An unknown sprite sheet is assumed to have the same size as the course's.

    >>> image_at("http://example.org/cards.jfitz.png").shows((36.5, 49 + 98), (73, 98))
    'SA'
    """
    name = address.split("?", maxsplit=1)[0].rpartition("/")[2]
    if name in KNOWN_IMAGES:
        return KNOWN_IMAGES[name]
    if "back" in name.lower():
        return Image(address, "backs", (72, 96))
    if "card" in name.lower():
        return Image(address, "faces", (936, 384))
    return Image(address, "unknown", (0, 0))


class Text(NamedTuple):
    """A text whose lower left corner is at ``point``."""

    text: str
    point: Pair
    size: float
    color: str
    face: str


class Picture(NamedTuple):
    """A part of an image, with its centre, size and rotation."""

    card: str
    image: Image
    center: Pair
    size: Pair
    rotation: float
    source: tuple[float, float]
    """The centre of the part, in the coordinates of the image."""


class Shape(NamedTuple):
    """A line or another shape, as an SVG element with a name and attributes."""

    element: str
    attributes: dict[str, object]


class Canvas:
    """The canvas of a draw handler, which records the drawings in order."""

    def __init__(self, width: int, height: int, background: str = "Black") -> None:
        """Create an empty canvas."""
        self.size = (width, height)
        self.background = background
        self.drawings: list[Text | Picture | Shape] = []

    def draw_text(
        self,
        text: object,
        point: Pair,
        font_size: float,
        font_color: str,
        font_face: str = "serif",
    ) -> None:
        """Draw a line of text."""
        self.drawings.append(Text(str(text), point, font_size, font_color, font_face))

    def draw_image(
        self,
        image: Image,
        center_source: Pair,
        width_height_source: Pair,
        center_dest: Pair,
        width_height_dest: Pair,
        rotation: float = 0,
    ) -> None:
        """Draw a part of an image, centred at ``center_dest``."""
        card = image.shows(center_source, width_height_source)
        source = (center_source[0], center_source[1])
        picture = Picture(card, image, center_dest, width_height_dest, rotation, source)
        self.drawings.append(picture)

    def draw_line(self, point1: Pair, point2: Pair, line_width: float, line_color: str) -> None:
        """Draw a line."""
        self.draw_polyline((point1, point2), line_width, line_color)

    def draw_polyline(self, point_list: Iterable[Pair], line_width: float, line_color: str) -> None:
        """Draw lines from point to point."""
        self._shape("polyline", line_width, line_color, "none", points=_points(point_list))

    def draw_polygon(
        self,
        point_list: Iterable[Pair],
        line_width: float,
        line_color: str,
        fill_color: str = "none",
    ) -> None:
        """Draw a polygon, which is filled if ``fill_color`` is given."""
        self._shape("polygon", line_width, line_color, fill_color, points=_points(point_list))

    def draw_circle(
        self,
        center_point: Pair,
        radius: float,
        line_width: float,
        line_color: str,
        fill_color: str = "none",
    ) -> None:
        """Draw a circle."""
        cx, cy = center_point
        self._shape("circle", line_width, line_color, fill_color, cx=cx, cy=cy, r=radius)

    def draw_point(self, point: Pair, color: str) -> None:
        """Draw one pixel."""
        self._shape("rect", 0, color, color, x=point[0], y=point[1], width=1, height=1)

    def _shape(
        self, element: str, line_width: float, color: str, fill: str, **attributes: object
    ) -> None:
        """Record a shape with its line and fill colours."""
        line = {"stroke": color, "stroke-width": line_width, "fill": fill}
        self.drawings.append(Shape(element, attributes | line))

    @property
    def texts(self) -> list[Text]:
        """The texts, in the order they were drawn."""
        return [drawn for drawn in self.drawings if isinstance(drawn, Text)]

    @property
    def pictures(self) -> list[Picture]:
        """The visible images, without images that later drawings cover."""
        return [picture for picture, visible in self.pictures_seen if visible >= VISIBLE]

    @property
    def pictures_seen(self) -> list[tuple[Picture, float]]:
        """Each image in the order of drawing, with the visible fraction of the image.

        A face is not visible at all if backs cover half of it.
        """
        areas = [_area(each) for each in self.drawings]
        found = []
        for place, drawing in enumerate(self.drawings):
            if isinstance(drawing, Picture):
                later = [*zip(self.drawings[place + 1 :], areas[place + 1 :], strict=True)]
                found.append((drawing, _visible(drawing, later)))
        return found


Area = tuple[float, float, float, float]
"""Left, top, right and bottom of the area that a drawing covers."""


def _area(drawing: Text | Picture | Shape) -> Area | None:
    """Return the area that a drawing covers, for an image or a filled polygon."""
    if isinstance(drawing, Picture):
        (x, y), (width, height) = drawing.center, drawing.size
        return x - width / 2, y - height / 2, x + width / 2, y + height / 2
    attributes = drawing.attributes if isinstance(drawing, Shape) else {}
    if attributes.get("fill", "none") == "none" or "points" not in attributes:
        return None
    points = [tuple(map(float, each.split(","))) for each in str(attributes["points"]).split()]
    across, down = [point[0] for point in points], [point[1] for point in points]
    return min(across), min(down), max(across), max(down)


def _visible(picture: Picture, later: list[tuple[Text | Picture | Shape, Area | None]]) -> float:
    """Return the visible fraction of an image, computed from a grid of points on the image."""
    left, top, right, bottom = _area(picture) or (0, 0, 0, 0)
    over = [
        (not isinstance(drawing, Picture) or drawing.image.kind == "backs", area)
        for drawing, area in later
        if area and area[0] < right and area[2] > left and area[1] < bottom and area[3] > top
    ]
    if not over:
        return 1.0
    free = backed = 0
    for column in range(GRID):
        x = left + (right - left) * (column + 0.5) / GRID
        for row in range(GRID):
            y = top + (bottom - top) * (row + 0.5) / GRID
            on = [back for back, (a, b, c, d) in over if a <= x <= c and b <= y <= d]
            free += not on
            backed += any(on)
    points = GRID * GRID
    hidden = picture.image.kind == "faces" and backed >= HIDES * points
    return 0.0 if hidden else free / points


def _points(points: Iterable[Pair]) -> str:
    """Return points in SVG notation."""
    return " ".join(f"{x},{y}" for x, y in points)


def as_lines(canvas: Canvas) -> str:
    """Return texts and cards as lines, from top to bottom, each from left to right.

    A card is its code in brackets, as in ``[ SA ]``, and a back is ``[ xx ]``.
    """
    marks = [(text.point[1], text.point[0], text.text) for text in canvas.texts]
    for picture in canvas.pictures:
        face = picture.card or ("xx" if picture.image.kind == "backs" else "image")
        marks.append((picture.center[1], picture.center[0], f"[ {face} ]"))
    lines: list[list[tuple[float, str]]] = []
    height = float("-inf")
    for y, x, text in sorted(marks):
        if y - height > SAME_LINE:
            height = y
            lines.append([])
        lines[-1].append((x, text))
    return "".join("  ".join(text for _, text in sorted(line)) + "\n" for line in lines)


def as_svg(canvas: Canvas) -> str:
    """Return the canvas as an SVG picture, which needs no other file."""
    width, height = canvas.size
    area: dict[str, object] = {"width": width, "height": height}
    space = {"xmlns": "http://www.w3.org/2000/svg"}
    lines = [
        f"<svg{_attributes(space | area)}>",
        _element("rect", area | {"fill": canvas.background}),
        *map(_drawn, canvas.drawings),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _drawn(drawing: Text | Picture | Shape) -> str:
    """Return a drawing as an SVG element."""
    if isinstance(drawing, Text):
        return _text(drawing.text, drawing.point, drawing.size, drawing.color, drawing.face)
    if isinstance(drawing, Shape):
        return _element(drawing.element, drawing.attributes)
    width, height = drawing.size
    left, top = drawing.center[0] - width / 2, drawing.center[1] - height / 2
    turn = f" rotate({degrees(drawing.rotation)} {width / 2} {height / 2})"
    place = f"translate({left} {top}){turn if drawing.rotation else ''}"
    paper = {"width": width, "height": height, "rx": 6, "fill": "white", "stroke": "black"}
    inside = _face(drawing.card, width, height) if drawing.card else _back(width, height)
    return _element("g", {"transform": place}, _element("rect", paper) + inside)


def _face(card: str, width: float, height: float) -> str:
    """Return a card's face in SVG: rank and suit in a corner, and the suit in the middle."""
    suit, rank = card[0], card[1]
    color = "crimson" if suit in RED else "black"
    size = height / 6
    corner = _text(rank.replace("T", "10") + MARKS[suit], (width / 12, size * 1.25), size, color)
    middle = (width / 2 - size * 0.75, height * 0.7)
    return corner + _text(MARKS[suit], middle, size * 2.5, color)


def _back(width: float, height: float) -> str:
    """Return a card's back in SVG: a frame with a diamond in it."""
    x, y, edge = width / 2, height / 2, width / 5
    inner = {"x": 5, "y": 5, "width": width - 10, "height": height - 10, "fill": "navy"}
    diamond = f"M{x} {edge}L{width - edge} {y}L{x} {height - edge}L{edge} {y}z"
    return _element("rect", inner) + _element("path", {"d": diamond, "fill": "lightsteelblue"})


def _text(text: str, point: Pair, size: float, color: str, face: str = "sans-serif") -> str:
    """Return a line of text as an SVG element."""
    place = {"x": point[0], "y": point[1], "font-size": size, "font-family": face, "fill": color}
    return _element("text", place, escape(text))


def _element(name: str, attributes: dict[str, object], content: str = "") -> str:
    """Return an SVG element."""
    return f"<{name}{_attributes(attributes)}>{content}</{name}>"


def _attributes(attributes: dict[str, object]) -> str:
    """Return SVG attributes, each after a space."""
    return "".join(f' {name}="{escape(str(value))}"' for name, value in attributes.items())
