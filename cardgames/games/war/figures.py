"""An example for each house rule of War."""

from typing import Final

from cardgames.game import Figure
from cardgames.text import Text, plural


def _cards(number: int) -> Text:
    return plural("{number} card", "{number} cards", number)


_TIE: Final = (
    Figure.of(Text("They tie"), "KS KH"),
    Figure.of(Text("One more card each: the nine takes all four"), "4C 9D"),
)

FIGURES: Final = {
    "aim": (Figure.of(_cards(52), "? ? ? ? ? ?"),),
    "deal": (Figure.of(_cards(26), "? ? ?"), Figure.of(_cards(26), "? ? ?")),
    "turn": (Figure.of(Text("The king takes both"), "KS 9H"),),
    "ties": _TIE,
    "running-out": (
        Figure.of(Text("They tie"), "KS KH"),
        Figure.of(Text("Only one player has a card left, and takes the pile"), "4C"),
    ),
    "shuffle": (
        Figure.of(Text("The pile"), "KS 9H"),
        Figure.of(Text("The hand, shuffled"), "? ? ? ?"),
    ),
    "end": (Figure.of(_cards(52), "? ? ? ? ? ?"), Figure(_cards(0))),
    "to-the-end": (Figure.of(Text("Turn after turn"), "7C 3D"), Figure.of("", "JH 2S")),
    "tally": (Figure.of(Text("Two games won"), "AS"), Figure.of(Text("One game won"), "KH")),
}
