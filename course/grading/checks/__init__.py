"""The checks of every gradable requirement: a function, ``s0_14`` for S0-14, or an example."""

import re
from types import ModuleType
from typing import Final

from course.grading.checks import (
    bingo_cards,
    bingo_grids,
    bingo_program,
    bingo_tables,
    blackjack_classes,
    blackjack_table,
    one_deck_rounds,
    simple21_cards,
    simple21_program,
    simple21_tables,
    war_cards,
    war_games,
)
from course.grading.checks.tools import Check


def _of(*modules: ModuleType) -> dict[str, Check]:
    """Return the checks of modules by the number of their requirement."""
    found: dict[str, Check] = {}
    for module in modules:
        found |= getattr(module, "EXAMPLES", {})
        for name, function in vars(module).items():
            if match := re.fullmatch(r"s(\d)_(\d+)", name):
                found[f"S{match[1]}-{match[2]}"] = function
    return found


CHECKS: Final = {
    "simple-21": _of(simple21_cards, simple21_tables, simple21_program),
    "blackjack": _of(blackjack_classes, blackjack_table),
    "one-deck": _of(one_deck_rounds),
    "war": _of(war_cards, war_games),
    "bingo": _of(bingo_cards, bingo_grids, bingo_tables, bingo_program),
}
"""The checks of each sheet, by its slug."""
