"""The numbered requirements of the sheets, each read from its folder's ``requirements.md``.

A requirement is an item of a list there::

    - **S0-14** A dealer over 21 is bust: the round is over and the player wins.

and one that cannot be graded says why at its end, as in ``*(Not graded: it asks for nothing.)*``.
"""

import re
from functools import cache
from typing import Final, NamedTuple

from course.grading.sheets import SHEETS, SOLUTIONS

ITEM: Final = re.compile(r"- \*\*([SA]\d-\d+)\*\* (.+)", re.DOTALL)
NOT_GRADED: Final = re.compile(r"\s*\*\((Not graded[^:]*: .+)\)\*$", re.DOTALL)


class Requirement(NamedTuple):
    """One numbered sentence of a sheet."""

    id: str
    text: str
    section: str
    ungraded: str
    """Why it is not graded; empty for one that is."""


@cache
def read_requirements(slug: str) -> tuple[Requirement, ...]:
    """Return the requirements and decisions of a sheet, in the order of its document."""
    document = SOLUTIONS / SHEETS[slug].folder / "requirements.md"
    return tuple(_parsed(document.read_text(encoding="utf-8")))


def gradable(slug: str) -> tuple[Requirement, ...]:
    """Return the requirements of a sheet that can be graded."""
    every = read_requirements(slug)
    return tuple(each for each in every if each.id.startswith("S") and not each.ungraded)


def _parsed(text: str) -> list[Requirement]:
    r"""Return the items of a document.

    >>> _parsed("## The game\n\n- **S0-1** One\n  player. *(Not graded: why.)*\n")
    [Requirement(id='S0-1', text='One player.', section='The game', ungraded='Not graded: why.')]
    """
    found, section = [], ""
    for block in re.split(r"\n(?=- |## |\n)", text):
        if block.startswith("## "):
            section = block.removeprefix("## ").strip()
        elif item := ITEM.match(block.strip()):
            sentence = " ".join(item[2].split())
            reason = NOT_GRADED.search(sentence)
            why = reason[1] if reason else ""
            found.append(Requirement(item[1], NOT_GRADED.sub("", sentence), section, why))
    return found
