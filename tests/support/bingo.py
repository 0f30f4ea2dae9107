"""A round of Bingo, computed without the project's code."""

from collections.abc import Iterable, Iterator

KINDS = [mode + speed for mode in "LCF" for speed in "NY"]
"""Every kind of round: its mode, and whether it is a speed round."""


class Reference:
    """The rules of a round, and a simulation of the round."""

    ROWS = tuple(0b11111 << 5 * row for row in range(5))
    COLUMNS = tuple(0b00001_00001_00001_00001_00001 << column for column in range(5))
    DIAGONALS = (0b10000_01000_00100_00010_00001, 0b00001_00010_00100_01000_10000)
    LINES = (*ROWS, *COLUMNS, *DIAGONALS)
    CORNERS = 0b10001_00000_00000_00000_10001
    FULL = 0b11111_11111_11111_11111_11111
    CENTRE = 0b00000_00000_00100_00000_00000

    @classmethod
    def bingo(cls, down: int, mode: str) -> bool:
        if mode == "L":
            return any(down & line == line for line in cls.LINES)
        wanted = cls.CORNERS if mode == "C" else cls.FULL
        return down & wanted == wanted

    @classmethod
    def play(
        cls, bingo_deck: Iterable[str], calling_deck: Iterable[str], mode: str, speed: str
    ) -> Iterator[tuple[int, int, str | None]]:
        """After each call, yield the covered cards of A and B and the winner."""
        down = [cls.CENTRE, cls.CENTRE]
        compared = 1 if speed == "Y" else 2
        winner = None
        deck, calling = list(bingo_deck), list(calling_deck)
        while winner is None:
            called = calling.pop(0)
            for number, card in enumerate(deck[:50]):
                player, position = number % 2, number // 2
                if card[:compared] == called[:compared]:
                    down[player] |= 1 << position
            a, b = (cls.bingo(one, mode) for one in down)
            winner = {(True, True): "tie", (True, False): "A", (False, True): "B"}.get((a, b))
            yield down[0], down[1], winner


def has_bingo(
    cards: Iterable[str | None], called: Iterable[str], mode: str = "L", *, speed: bool = False
) -> bool:
    """Evaluate a grid from the player's view by the sheet's rules.

    The grid's centre is None.
    """
    seen = {card[0] if speed else card for card in called}
    codes = ((place, card and (card[0] if speed else card)) for place, card in enumerate(cards))
    down = as_mask(place for place, code in codes if code is None or code in seen)
    return Reference.bingo(down, mode)


def as_mask(positions: Iterable[int]) -> int:
    return sum(1 << position for position in positions)


def positions_of(mask: int) -> frozenset[int]:
    return frozenset(position for position in range(25) if mask >> position & 1)
