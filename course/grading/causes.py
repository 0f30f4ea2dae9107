"""Finds failures that only follow from another failure, so that a fault costs one point."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from course.grading.trial import PLACE, Outcome

MISSING: Final = re.compile(r"AttributeError\(.+?\)")
"""Matches an error that names a missing attribute of a class or a module."""


def failed_in(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """Return the unmet requirements, except those that could not be observed."""
    return {
        name: outcome
        for name, outcome in outcomes.items()
        if not (outcome.passed or outcome.unseen)
    }


def hidden_by_start(outcomes: Mapping[str, Outcome]) -> dict[str, str]:
    """Map requirements hidden by a failed start to the one that loses the point.

    A program that does not start, or a file that cannot be imported, is a single fault. The first
    requirement that fails because of this fault loses the point.
    """
    first: dict[str, str] = {}
    hidden: dict[str, str] = {}
    for name, outcome in failed_in(outcomes).items():
        if outcome.stuck:
            base = first.setdefault(outcome.stuck, name)
            hidden |= {name: base} if base != name else {}
    return hidden


def group_by_error(outcomes: Mapping[str, Outcome]) -> list[list[str]]:
    """Return groups of requirements that failed with the same error at the same line.

    A missing name is the same fault at every line that uses it.
    """
    groups: dict[str, list[str]] = {}
    stuck = Counter(outcome.stuck for outcome in outcomes.values())
    for name, outcome in failed_in(outcomes).items():
        if outcome.cause and (not outcome.stuck or stuck[outcome.stuck] == 1):
            place = PLACE.search(outcome.cause)
            key = place[0] if place else ""
            if missing := MISSING.match(outcome.cause):
                key = missing[0]
            groups.setdefault(key or outcome.cause, []).append(name)
    return [*groups.values()]


def causes(outcomes: Mapping[str, Outcome]) -> dict[str, str]:
    """Map each hidden requirement to the requirement that hides it."""
    hidden = hidden_by_start(outcomes)
    for base, *others in group_by_error(outcomes):
        hidden |= {name: base for name in others if name not in hidden}
    hidden |= {name: outcome.because for name, outcome in outcomes.items() if outcome.because}
    return hidden
