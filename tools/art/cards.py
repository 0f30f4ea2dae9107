"""Draws the deck as small SVG files: 52 card faces, one back and the site's icon.

The suits, rank letters and figures are original drawings. The figures only loosely follow an old
French deck. A card is 250 by 350 units. The lower right half is the upper left half rotated by 180
degrees, so indices and court figures are drawn only once. Court figures are composed of shared
pieces (head, hair, headgear, dress, attribute); the differences between suits are in ``STYLES``.

The output depends only on this file. Run it from the root of the project to rewrite
``static/cards/*.svg`` and ``static/favicon.svg``::

    python -m tools.art.cards
"""

from dataclasses import dataclass
from pathlib import Path

RANKS = "A23456789TJQK"
SUITS = "CDHS"

RED = "#c8102e"
BLACK = "#16161d"
INK = "#20202b"
PAPER = "#fffefb"
EDGE = "#a8a39a"
GOLD = "#e2ac3b"
LIP = "#b5423f"
NAVY = "#24407c"
PALE = "#c9d4ee"

SUIT_INK = "currentColor"
"""The colour of a suit's marks, letters and frames. It is set once, on the complete picture."""

FOUR = {"C": "#0b6b3a", "D": "#1a4fb4"}
"""Colours of the suits that differ in a four-colour deck, as in ``QD.svg#four``."""

TURN = 'transform="rotate(180 125 175)"'

# Suit marks, about 46 units high, centred on the origin.
PIPS = {
    "C": (
        "M-10.9-12.6a10.9 10.9 0 1 1 21.8 0a10.9 10.9 0 1 1-21.8 0z"
        "M-23.2 6a10.9 10.9 0 1 1 21.8 0a10.9 10.9 0 1 1-21.8 0z"
        "M1.4 6a10.9 10.9 0 1 1 21.8 0a10.9 10.9 0 1 1-21.8 0z"
        "M-5-6H5V2H2.2C2.5 13 4.5 19 9 23.5H-9C-4.5 19-2.5 13-2.2 2H-5z"
    ),
    "D": "M0-26Q7.5-11.5 19.5 0Q7.5 11.5 0 26Q-7.5 11.5-19.5 0Q-7.5-11.5 0-26z",
    "H": (
        "M0 24C-5 13-23 5-23-9.5C-23-17-17.5-22-11.5-22C-6-22-2-18.5 0-13"
        "C2-18.5 6-22 11.5-22C17.5-22 23-17 23-9.5C23 5 5 13 0 24z"
    ),
    "S": (
        "M0-25C5-14 22-5 22 8C22 15 17 19 12 19C8 19 4 17 2 13C2.5 18 4.5 22 8 25H-8"
        "C-4.5 22-2.5 18-2 13C-4 17-8 19-12 19C-17 19-22 15-22 8C-22-5-5-14 0-25z"
    ),
}

# Rank letters in a box of 46 by 64: solid shapes, and lines 11 units wide.
SOLID = {
    "A": "M0 64L16.5 0H29.5L46 64H34L30.9 51H15.1L12 64zM23 19.5L17.6 41H28.4z",
    "4": "M24 0H38.5V39.5H46V49.5H38.5V64H27V49.5H0V40zM27 16.5L12 39.5H27z",
    "7": "M1 0H45V10.5L24 64H11.5L32 11.2H1z",
    "K": "M0 0H11.8V27L31 0H45.2L24.6 28L46.5 64H32.8L17 37.5L11.8 44.5V64H0z",
    "T": "M9 0H18V64H7V15.5L-2 20V8.6z",
}
LINES = {
    "2": "M5.7 21.5C5.7 11 13 5.5 22.6 5.5C32.5 5.5 39.8 11.5 39.8 21C39.8 36 12 42 8 58.5H44.5",
    "3": (
        "M6.3 17C8.5 9.5 15 5.5 22.5 5.5C32 5.5 38.2 10.5 38.2 17.8C38.2 25.5 32 30 23 30H16"
        "M23 30C33.5 30 40.5 35.5 40.5 44C40.5 53 33 58.5 23 58.5C14 58.5 7.5 54.5 5 46.5"
    ),
    "5": (
        "M41 5.5H11.5L9.4 31C12.5 27 17.5 24.6 23 24.6C33 24.6 40.5 31 40.5 41.2"
        "C40.5 51.5 33 58.5 22.5 58.5C14 58.5 8 54.8 5.2 47.5"
    ),
    "6": (
        "M39 15.5C36.5 9 31 5.5 25 5.5C12.5 5.5 5.5 18 5.5 40.5"
        "a17.5 18 0 1 0 35 0a17.5 18 0 1 0-35 0"
    ),
    "8": "M8.5 18.6a14.5 13.1 0 1 1 29 0a14.5 13.1 0 1 1-29 0M5.5 45a17.5 13.5 0 1 1 35 0"
    "a17.5 13.5 0 1 1-35 0",
    "9": (
        "M7 48.5C9.5 55 15 58.5 21 58.5C33.5 58.5 40.5 46 40.5 23.5"
        "a17.5 18 0 1 0-35 0a17.5 18 0 1 0 35 0"
    ),
    "T": "M27.5 21C27.5 11 31.5 5.5 37.7 5.5S48 11 48 21V43C48 53 44 58.5 37.8 58.5"
    "S27.5 53 27.5 43z",
    "J": "M17 5.5H34.5V41C34.5 52.5 29 58.5 20.3 58.5C11.5 58.5 5.5 53 5.5 42.5",
    "Q": "M5.5 32a17.5 26.5 0 1 1 35 0a17.5 26.5 0 1 1-35 0M23 41L44 62.5",
}

# The spade's blade without its stem, for the lining of its ace.
BLADE = (
    "M0-25C5-14 22-5 22 8C22 15 17 19 12 19C7 19 3 16 0 10"
    "C-3 16-7 19-12 19C-17 19-22 15-22 8C-22-5-5-14 0-25z"
)

# the middle of a card
CENTRE = 175

# positions of the pips of the number cards, and their size
SIZES = {"2": 1.3, "3": 1.3, "9": 0.8, "T": 0.8}
COLUMNS = (92, 158)
TOP, HIGH, LOW, END = 52, 134, 216, 298
PAIRS = {
    "4": (TOP, END),
    "5": (TOP, END),
    "6": (TOP, 175, END),
    "7": (TOP, 175, END),
    "8": (TOP, 175, END),
    "9": (TOP, HIGH, LOW, END),
    "T": (TOP, HIGH, LOW, END),
}
MIDDLE = {
    "2": (TOP, END),
    "3": (TOP, 175, END),
    "5": (175,),
    "7": (113,),
    "8": (113, 237),
    "9": (175,),
    "T": (93, 257),
}


@dataclass(frozen=True)
class Style:
    """The properties of a suit's court cards that differ between suits."""

    ink: str
    robe: str
    second: str
    tint: str
    ray: str
    hair: str
    skin: str
    shade: str
    weave: str
    ends: str

    @property
    def pointed(self) -> bool:
        """Whether the figures' clothes and attributes are pointed instead of rounded."""
        return self.ends == "pointed"


# one row per suit, in the order of the fields
_STYLES = """
  ink     robe    second  tint    ray     hair    skin    shade   weave    ends
C #16161d #1f6a50 #15493a #eef4ea #dde9d9 #54331f #e3b48c #cf9a70 stripes  rounded
D #c8102e #c2502a #8f3119 #fdf1e0 #f8e3c4 #2a2430 #b97d53 #a0673f lattice  pointed
H #c8102e #c8102e #8e0d25 #fdeeec #f8dcd9 #a8562b #f5d3b5 #e6b894 chevrons rounded
S #16161d #2d4a86 #1c2f5c #edf0f8 #dbe2f0 #d6b463 #efc8a6 #dcaa83 bands    pointed
"""
STYLES = {suit: Style(*values) for suit, *values in map(str.split, _STYLES.splitlines()[2:])}


def _path(d: str, fill: str, stroke: str = "") -> str:
    """Return a path, and set its stroke colour if a colour is given."""
    line = f' stroke="{stroke}"' if stroke else ""
    return f'<path d="{d}" fill="{fill}"{line}/>'


def _line(d: str, colour: str, width: float) -> str:
    """Return a path that has a stroke but no fill."""
    return f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="{width:g}"/>'


def _mirror(left: str) -> str:
    """Return a piece and its mirror image to the right of the middle."""
    return f'{left}<g transform="scale(-1 1)">{left}</g>'


def _dots(points: list[tuple[float, float]], radius: float, fill: str) -> str:
    """Return a row of small discs."""
    return "".join(
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"/>' for x, y in points
    )


def _mark(x: float, y: float, size: float = 1) -> str:
    """Return the card's suit mark at a position.

    A negative size turns the mark upside down.
    """
    return f'<use href="#p" transform="translate({x:g} {y:g}) scale({size:g})"/>'


def _svg(body: str, suit: str = "") -> str:
    """Return a complete card: the white face with its border, and the drawing.

    The URL of the picture may end in ``#four``. If this fragment changes the suit's colour, the
    picture contains an element with this ID and a CSS rule for it.
    """
    colour = f' color="{STYLES[suit].ink}"' if suit else ""
    name, rule = "", ""
    if suit in FOUR:
        name, rule = ' id="four"', f"<style>:target{{color:{FOUR[suit]}}}</style>"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 250 350"{name}{colour}>{rule}'
        f'<rect x="1" y="1" width="248" height="348" rx="17" fill="{PAPER}" '
        f'stroke="{EDGE}" stroke-width="2"/>{body}</svg>\n'
    )


def _indices(rank: str, suit: str) -> str:
    """Return both corner indices, and define the suit mark for later use."""
    solid = f'<path d="{SOLID[rank]}" fill-rule="evenodd"/>' if rank in SOLID else ""
    lines = _line(LINES[rank], SUIT_INK, 11) if rank in LINES else ""
    place = "translate(11 13) scale(1 1.1)" if rank == "T" else "translate(9 13) scale(1.1)"
    return (
        f'<defs><path id="p" d="{PIPS[suit]}"/></defs><g id="i" fill="{SUIT_INK}">'
        f'<g transform="{place}">{solid}{lines}</g>{_mark(34, 110, 0.9)}</g>'
        f'<use href="#i" {TURN}/>'
    )


def _ace(suit: str) -> str:
    """Return the single large mark of an ace.

    The spade's mark is larger and has a lining.
    """
    if suit != "S":
        return f'<g fill="{SUIT_INK}">{_mark(125, 175, 2.6)}</g>'
    lining = f'<path d="{BLADE}" transform="translate(0 -3) scale(2.2)"/>'
    seed = _mark(0, -3, 0.7)
    return (
        f'<g transform="translate(125 175)"><g fill="{SUIT_INK}">{_mark(0, 0, 2.9)}</g>'
        f'<g fill="none" stroke="{PAPER}">{lining}</g><g fill="{PAPER}">{seed}</g></g>'
    )


def _number(rank: str) -> str:
    """Return the pips of a number card, with the lower half upside down."""
    size = SIZES.get(rank, 0.86)
    places = [(x, y) for y in PAIRS.get(rank, ()) for x in COLUMNS]
    places += [(125, y) for y in MIDDLE.get(rank, ())]
    pips = "".join(_mark(x, y, -size if y > CENTRE else size) for x, y in places)
    return f'<g fill="{SUIT_INK}">{pips}</g>'


# positions of the back's small lozenges within one tile of the pattern
TILE = ((12.5, -4.5), (12.5, 20.5), (0, 8), (25, 8))

# The court figure is drawn around its own origin, the middle of the face.
FACE = "M-26-28H26V8C26 26 12 38 0 38S-26 26-26 8z"
ROBE = "M-124 126V76C-96 58-60 50-22 42H22C56 48 78 56 94 66V126z"
FRAME = "M68 16H234V213H182V334H16V137H68z"
HALF = "M68 16H234V150L16 200V137H68z"


def _rays(style: Style) -> str:
    spokes = "M0 0L-30-90H-8zM0 0L8-90H30zM0 0L52-90L78-74zM0 0L-52-90L-78-74z"
    sides = "M0 0L100-46V-22zM0 0L-100-46V-22zM0 0L100 2V24zM0 0L-100 2V24z"
    return _path(spokes + sides, style.ray)


def _weave(style: Style) -> str:
    """Return the pattern of the robe, which is clipped to the robe's shape."""
    steps = range(-132, 110, 22)
    runs = {
        "stripes": "".join(f"M{x} 30V130" for x in steps),
        "lattice": "".join(f"M{x} 30l96 96m0-96l-96 96" for x in range(-220, 110, 26)),
        "chevrons": "".join(f"M-132 {y + 66}L0 {y}L132 {y + 66}" for y in range(-10, 130, 20)),
        "bands": "".join(f"M-132 {y}H110" for y in range(50, 130, 15)),
    }
    return _line(runs[style.weave], style.second, 5)


def _robe(style: Style) -> str:
    return (
        f'{_path(ROBE, style.robe)}<g clip-path="url(#r)">{_weave(style)}</g>'
        f"{_path(ROBE, 'none', INK)}"
    )


def _face(style: Style) -> str:
    """Return the neck and the face, with eyes, a nose and one shaded side."""
    neck = _path("M-11 26V48Q0 56 11 48V26z", style.shade, INK)
    skin = _path(FACE, style.skin)
    shade = _path("M0-28H26V8C26 26 12 38 0 38V14H-5L0-4z", style.shade)
    lids = _mirror(_line("M-19-1Q-12-8-5-1M-20-10Q-12-15-5-10", INK, 2.2))
    eyes = _dots([(-12, -1.5), (12, -1.5)], 3, INK)
    nose = _line("M0-4L-5 14H1", INK, 1.8)
    return neck + skin + shade + lids + eyes + nose + _path(FACE, "none", INK)


def _mouth(colour: str) -> str:
    return _path("M-8 23Q-3 20.5 0 22Q3 20.5 8 23Q0 29.5-8 23z", colour)


def _crown(style: Style) -> str:
    """Return the king's crown: with points or with rounded leaves."""
    points = "M-30-24L-38-56L-19-41L0-63L19-41L38-56L30-24z"
    leaves = "M-30-24L-38-54Q-26-56-19-40Q-14-58 0-63Q14-58 19-40Q26-56 38-54L30-24z"
    tips = [(-38.0, -56.0), (0.0, -63.0), (38.0, -56.0)]
    band = _path("M-31-34H31L30-22H-30z", style.robe, INK)
    gems = _dots([(-18, -28), (0, -28), (18, -28)], 3, PAPER)
    body = _path(points if style.pointed else leaves, GOLD, INK)
    return body + _dots(tips, 4.2, GOLD) + band + gems


def _diadem() -> str:
    body = "M-25-27L-30-46Q-20-38-14-44Q-5-48 0-60Q5-48 14-44Q20-38 30-46L25-27Q0-37-25-27z"
    jewel = f'<g fill="{SUIT_INK}">{_mark(0, -42, 0.2)}</g>'
    pearls = _dots([(-30, -47), (0, -60), (30, -47)], 4, GOLD)
    return _path(body, GOLD, INK) + jewel + pearls


def _cap(style: Style) -> str:
    """Return the jack's cap with its feather."""
    feather = "M8-42C-14-66-46-68-68-44C-58-44-56-40-58-34C-36-46-16-46 2-32z"
    cap = "M-34-26C-42-44-20-56 4-54C30-54 44-42 35-26z"
    brim = "M-35-30Q0-38 35-30L33-20Q0-28-33-20z"
    spine = _line("M-58-46C-38-56-16-52 2-38", INK, 1.6)
    return (
        _path(cap, style.robe, INK)
        + _path(feather, PAPER, INK)
        + spine
        + _path(brim, style.second, INK)
        + _dots([(4, -36)], 5, GOLD)
    )


def _king(style: Style) -> str:
    """Return the king's bust: curls, beard, ermine and crown."""
    curls = "M-24-28C-40-20-36 4-40 18C-50 24-44 42-32 38C-26 36-24 30-24 24z"
    cape = "M0 90C-28 68-58 72-92 90L-104 66C-74 52-46 48-18 40L0 56z"
    tail = "M-30 54l3 8h-6zM-52 58l3 8h-6zM-76 66l3 8h-6zM-14 62l3 8h-6zM-40 64l2 6h-5z"
    round_ = "M-27-6C-25 8-20 14-14 17Q-6 11 0 16Q6 11 14 17C20 14 25 8 27-6V22"
    beard = round_ + (
        "C27 40 10 48 0 66C-10 48-27 40-27 22z" if style.pointed
        else "C29 48 14 58 0 52C-14 58-29 48-27 22z"
    )  # fmt: skip
    locks = _mirror(_line("M-18 28Q-16 40-7 46M-9 33Q-8 40-3 44", INK, 1.2))
    return (
        _mirror(_path(curls, style.hair, INK))
        + _robe(style)
        + _mirror(_path(cape, PAPER, INK) + _path(tail, INK))
        + _face(style)
        + _path(beard, style.hair, INK)
        + locks
        + _mouth(LIP)
        + _crown(style)
    )


def _queen(style: Style) -> str:
    """Return the queen's bust: long hair, open neckline, necklace and diadem."""
    fall = "M0-36C-40-38-42 0-40 20C-38 42-54 50-46 70C-36 78-24 72-20 60V-20z"
    neck = "M-13 40C-30 46-36 52-36 56Q-20 80 0 80Q20 80 36 56C36 52 30 46 13 40Q0 54-13 40z"
    front = "M0-34C-12-32-22-14-25 12C-36-12-28-38 0-38z"
    return (
        _robe(style)
        + _mirror(_path(fall, style.hair, INK))
        + _path(neck, style.skin, INK)
        + _line("M-36 56Q-20 80 0 80Q20 80 36 56", GOLD, 5)
        + _face(style)
        + _mouth(LIP)
        + _dots([(-18, 50), (-11, 57), (0, 60), (11, 57), (18, 50)], 3, PAPER)
        + _mirror(_path(front, style.hair, INK))
        + _diadem()
    )


def _jack(style: Style) -> str:
    """Return the jack's bust: bobbed hair, wide collar, buttons and cap."""
    bob = "M-22-26C-38-20-36 8-38 22C-46 28-42 38-32 36C-26 34-23 30-22 22z"
    collar = "M0 54L-14 42L-50 52L-34 82z"
    fringe = "M-27-26H27V-8Q20-16 13-14Q7-12 0-18Q-7-12-13-14Q-20-16-27-8z"
    return (
        _mirror(_path(bob, style.hair, INK))
        + _robe(style)
        + _dots([(0, 66), (0, 78)], 3, GOLD)
        + _face(style)
        + _mirror(_path(collar, PAPER, INK))
        + _mouth(LIP)
        + _path(fringe, style.hair, INK)
        + _cap(style)
    )


def _sword() -> str:
    blade = "M66 32V-50L72-64L78-50V32z"
    return (
        _path(blade, "#d3d9e4", INK)
        + _line("M72-52V32", EDGE, 2)
        + _path("M54 30H90V38H54z", GOLD, INK)
    )


def _sceptre(style: Style) -> str:
    return (
        _path("M69 40V-36H75V40z", GOLD, INK)
        + f'<circle cx="72" cy="-44" r="12" fill="{style.robe}" stroke="{INK}"/>'
        + _line("M60-44H84", GOLD, 4)
        + _path("M72-70L78-62L72-54L66-62z", GOLD, INK)
    )


def _flower() -> str:
    """Return the queen's flower, with the mark of her suit."""
    leaf = "M72 24C58 22 56 10 56 2C68 4 72 14 72 24C72 10 78 0 88-2C88 10 84 20 72 24z"
    return (
        _line("M72 44V-30", "#3d7a48", 4)
        + _path(leaf, "#4c9159", INK)
        + f'<g fill="{SUIT_INK}">{_mark(72, -38, 0.8)}</g>'
    )


def _halberd() -> str:
    axe = "M69-40C60-41 55-46 53-51C48-38 48-20 53-7C55-13 60-18 69-19z"
    return (
        _path("M69 44V-40L72-64L75-40V44z", "#8a5a33", INK)
        + _path(axe, "#c9d0dc", INK)
        + _path("M75-36L88-30L75-24z", "#c9d0dc", INK)
    )


def _pike(style: Style) -> str:
    """Return a jack's staff with a pennon."""
    return (
        _path("M69-44H47L54-33L47-22H69z", style.robe, INK)
        + _path("M69 44V-46H75V44z", "#8a5a33", INK)
        + _path("M72-66L79-52L72-44L65-52z", GOLD, INK)
    )


def _fist(style: Style) -> str:
    """Return the hand that holds the attribute, with its cuff."""
    return (
        _path("M60 55H86L94 84H52z", style.second, INK)
        + _path("M56 52H88V61H56z", PAPER, INK)
        + f'<rect x="60" y="38" width="25" height="16" rx="6" fill="{style.skin}" stroke="{INK}"/>'
        + _line("M62 43.5H76M62 48.5H76", INK, 1.4)
    )


def _held(rank: str, style: Style) -> str:
    if rank == "Q":
        return _flower()
    if rank == "K":
        return _sword() if style.pointed else _sceptre(style)
    return _halberd() if style.pointed else _pike(style)


def _sash(style: Style) -> str:
    """Return the slanting band between the two halves of a court card."""
    places = [(x, round(203.7 - x * 0.2294)) for x in range(22, 229, 24)]
    studs = "".join(f"M{x} {y}l7-6.6 7 3.4-7 6.6z" for x, y in places)
    return (
        _path("M16 190L234 140V160L16 210z", style.second, INK)
        + _line("M16 194L234 144M16 206L234 156", GOLD, 2)
        + _path(studs, GOLD)
    )


def _court(rank: str, suit: str) -> str:
    """Return a framed figure that looks the same upside down."""
    style = STYLES[suit]
    bust = {"J": _jack, "Q": _queen, "K": _king}[rank](style)
    figure = f"{_rays(style)}{_held(rank, style)}{bust}{_fist(style)}"
    return (
        f'<clipPath id="h"><path d="{HALF}"/></clipPath>'
        f'<clipPath id="r"><path d="{ROBE}"/></clipPath>'
        f'{_path(FRAME, style.tint)}<g stroke-width="2" stroke-linejoin="round">'
        f'<g id="f" clip-path="url(#h)"><g transform="translate(142 88)">{figure}</g></g>'
        f'<use href="#f" {TURN}/>{_sash(style)}</g>{_line(FRAME, SUIT_INK, 2.5)}'
    )


def _card(rank: str, suit: str) -> str:
    if rank == "A":
        middle = _ace(suit)
    elif rank in "JQK":
        middle = _court(rank, suit)
    else:
        middle = _number(rank)
    return _svg(_indices(rank, suit) + middle, suit)


def _star() -> str:
    """Return the compass star of the back: four long rays over four short ones."""
    short = '<path d="M-26-26L8-8L26 26L-8 8zM26-26L8 8L-26 26L-8-8z" fill="#8fa8de"/>'
    rays = _path("M0-43L9-9L43 0L9 9L0 43L-9 9L-43 0L-9-9z", "#f6e3b4")
    return short + rays + _path("M0-43L9-9L0 0zM43 0L9 9L0 0zM0 43L-9 9L0 0zM-43 0L-9-9L0 0z", GOLD)


def _back() -> str:
    """Return the back: a lattice of lozenges around a star in a ring."""
    grid = _line("M-3-3L28 28M28-3L-3 28", "#7f99d2", 1.8)
    spots = "".join(f"M{x} {y}l4.5 4.5-4.5 4.5-4.5-4.5z" for x, y in TILE)
    return _svg(
        '<pattern id="t" width="25" height="25" patternUnits="userSpaceOnUse">'
        f"{grid}{_path(spots, '#a9bce8')}</pattern>"
        f'<rect x="13" y="13" width="224" height="324" rx="9" fill="{NAVY}"/>'
        f'<path d="M25 25H225V325H25z" fill="url(#t)" stroke="{PALE}" stroke-width="3"/>'
        f'<g transform="translate(125 175)"><circle r="56" fill="{NAVY}" stroke="{PALE}" '
        f'stroke-width="3"/><circle r="48" fill="none" stroke="{GOLD}" stroke-width="2"/>'
        f"{_star()}</g>"
    )


def favicon() -> str:
    """Return the site's icon: a card with a spade and a second card, on green."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">'
        '<rect width="64" height="64" rx="13" fill="#14613f"/>'
        f'<rect x="11" y="13" width="26" height="38" rx="4" fill="{RED}" '
        'transform="rotate(-14 30 54)"/>'
        f'<g transform="rotate(7 40 54)"><rect x="23" y="9" width="31" height="44" rx="4" '
        f'fill="{PAPER}"/><path d="{PIPS["S"]}" fill="{BLACK}" '
        'transform="translate(38.5 31) scale(.6)"/></g></svg>\n'
    )


def drawings() -> dict[str, str]:
    """Return every card picture, keyed by the stem of its file name."""
    faces = {rank + suit: _card(rank, suit) for suit in SUITS for rank in RANKS}
    return faces | {"back": _back()}


def main() -> None:
    """Write the pictures into the project's ``static`` folder."""
    static = Path(__file__).resolve().parents[2] / "static"
    cards = static / "cards"
    cards.mkdir(parents=True, exist_ok=True)
    for stem, text in drawings().items():
        (cards / f"{stem}.svg").write_text(text, encoding="utf-8", newline="\n")
    (static / "favicon.svg").write_text(favicon(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
