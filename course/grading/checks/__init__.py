"""The checks of every gradable requirement, a function each: ``s0_14`` checks S0-14."""

import re
from collections.abc import Callable
from types import ModuleType
from typing import Final

from course.grading.checks import (
    bingo_cards,
    bingo_grids,
    bingo_program,
    bingo_tables,
    blackjack_classes,
    blackjack_table,
    one_deck_form,
    one_deck_rounds,
    simple21_cards,
    simple21_decks,
    simple21_program,
    simple21_tables,
    war_cards,
    war_games,
)
from course.grading.trial import Trial

Check = Callable[[Trial], None]


def _of(*modules: ModuleType) -> dict[str, Check]:
    """Return the checks of modules by the number of their requirement."""
    return {
        f"S{match[1]}-{match[2]}": function
        for module in modules
        for name, function in vars(module).items()
        if (match := re.fullmatch(r"s(\d)_(\d+)", name))
    }


CHECKS: Final = {
    "simple-21": _of(simple21_cards, simple21_decks, simple21_tables, simple21_program),
    "blackjack": _of(blackjack_classes, blackjack_table),
    "one-deck": _of(one_deck_form, one_deck_rounds),
    "war": _of(war_cards, war_games),
    "bingo": _of(bingo_cards, bingo_grids, bingo_tables, bingo_program),
}
"""The checks of each sheet, by its slug."""
