"""An example for each house rule of Bingo: five-by-five grids with face-down cards."""

from typing import Final

from cardgames.game import Figure
from cardgames.text import Text

_CENTRE: Final = 12
_ROW: Final = tuple(range(5, 10))
_DIAGONAL: Final = tuple(range(0, 25, 6))
_CORNERS: Final = (0, 4, 20, 24)
_SEVENS: Final = (3, 10, _CENTRE, 16, 24)

FIGURES: Final = {
    "aim": (
        Figure(Text("You: a line"), marked=(*_ROW, _CENTRE)),
        Figure(Text("Rosa"), marked=(_CENTRE, 3)),
    ),
    "deal": (Figure(Text("The centre is free"), marked=(_CENTRE,)),),
    "calls": (
        Figure.of(Text("Called"), "7H"),
        Figure(Text("It is covered"), marked=(_CENTRE, 3)),
    ),
    "speed": (
        Figure.of(Text("Called"), "7H"),
        Figure(Text("All sevens of the grid are covered"), marked=_SEVENS),
    ),
    "line": (
        Figure(Text("A row"), marked=(*_ROW, _CENTRE)),
        Figure(Text("A column"), marked=tuple(range(2, 25, 5))),
        Figure(Text("A diagonal"), marked=_DIAGONAL),
    ),
    "corners": (Figure(Text("All four corners"), marked=(*_CORNERS, _CENTRE)),),
    "full": (Figure(Text("All 25"), marked=tuple(range(25))),),
    "tie": (
        Figure(Text("You: a line"), marked=(*_ROW, _CENTRE)),
        Figure(Text("Rosa: a line too"), marked=_DIAGONAL),
    ),
    "rounds": (
        Figure.of(Text("A deck for the grids"), "? ? ?"),
        Figure.of(Text("A deck for the calls"), "? ? ?"),
    ),
}
