"""One fault, one point: which requirements failed only because another one did."""

from collections.abc import Mapping
from typing import Final

from course.grading.trial import Outcome

BUILT_ON: Final = {
    "S1-31": "S1-5 S1-33 S1-35 S1-37",
    "S1-27": "S1-3 S1-4 S1-5 S1-20 S1-25 S1-30",
    "S1-30": "S1-3 S1-5 S1-20",
    "S1-34": "S1-4 S1-5 S1-20 S1-33",
    "S1-14": "S1-15 S1-16 S1-17",
    "S1-39": "S1-40",
    "S1-4": "S1-5 S1-20 S1-21 S1-35 S1-36 S1-40",
    "S1-40": "S1-5 S1-6 S1-7 S1-8 S1-20 S1-22 S1-23 S1-35 S1-36",
    "S1-20": "S1-40",
    "S2-16": "S2-14 S2-21",
    "S2-26": "S2-9 S2-10 S2-31",
    "S0-73": "S0-64 S0-71",
    "S4-62": "S4-54 S4-55 S4-61",
}
"""What can only be seen where another requirement is met: the score where there is a score."""


def causes(outcomes: Mapping[str, Outcome]) -> dict[str, str]:
    """Return each requirement that failed because of another one, and that one.

    Either it is built on it, or the same line of the student's raised the same error before. Where
    more than half of the requirements fail there is no such excuse: that is not one fault. The
    outcomes are in the order of the document.
    """
    failed = {name: each for name, each in outcomes.items() if not (each.passed or each.unclear)}
    found: dict[str, str] = {}
    if 2 * len(failed) > len(outcomes):
        return found
    for base, built in BUILT_ON.items():
        if base in failed and base not in found:
            found |= {name: base for name in built.split() if name in failed and name not in found}
    first: dict[str, str] = {}
    for name, outcome in failed.items():
        if outcome.cause and name not in found:
            before = first.setdefault(outcome.cause, name)
            found |= {name: before} if before != name else {}
    return found
