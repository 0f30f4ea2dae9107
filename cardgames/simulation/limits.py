"""How much may be asked of a simulation, and how it refuses the rest."""

from typing import Final

from cardgames.cards import CardGameError
from cardgames.text import Text, format_number

MAX_GAMES: Final = 1_000_000
"""The most games of one experiment."""

MAX_SEED: Final = 2**53 - 1
"""The largest seed: every program that reads JSON can hold it."""


class SimulationError(CardGameError):
    """An experiment that cannot be done, in one sentence."""

    def __init__(self, text: Text, part: str = "") -> None:
        """Say what is wrong.

        Args:
            text: the sentence.
            part: which part of the experiment it is about, by the name that it has in the code.
        """
        super().__init__(text)
        self.part = part


def check_range(part: str, what: Text, number: int, lowest: int, highest: int) -> None:
    """Return if a number lies in a range, the ends included.

    Args:
        part: the name of the number in the code.
        what: the same in words.
        number: the number.
        lowest: the least it can be.
        highest: the most.

    Raises:
        SimulationError: it does not.
    """
    if not lowest <= number <= highest:
        refusal = Text("{what} must be a whole number from {lowest} to {highest}.")
        ends = {"lowest": format_number(lowest, ","), "highest": format_number(highest, ",")}
        raise SimulationError(refusal.fill(what=what, **ends), part)


def check_size(games: int, seed: int) -> None:
    """Return if so many games from such a seed can be played.

    Raises:
        SimulationError: they cannot.
    """
    check_range("games", Text("The number of games"), games, 1, MAX_GAMES)
    check_range("seed", Text("The seed"), seed, 0, MAX_SEED)
