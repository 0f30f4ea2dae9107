"""One fault, one point: which requirements failed only because another one did."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from course.grading.trial import PLACE, Outcome

MISSING: Final = re.compile(r"AttributeError\(.+?\)")
"""The beginning of an error that says what a class or a module has not."""


def failed_in(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """Return what is not met, and not for a person to judge."""
    return {name: each for name, each in outcomes.items() if not (each.passed or each.unclear)}


def not_seen(outcomes: Mapping[str, Outcome]) -> dict[str, str]:
    """Return each requirement that could not be seen, and the one that is lost instead.

    A program that does not start, or a file that cannot be imported, is one fault: the first
    requirement that shows it is lost, or the one that the check names.
    """
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    failed = failed_in(outcomes)
    for name, outcome in failed.items():
        if outcome.stuck:
            base = first.setdefault(
                outcome.stuck, outcome.stuck if outcome.stuck in failed else name
            )
            found |= {name: base} if base != name else {}
    return found


def groups(outcomes: Mapping[str, Outcome]) -> list[list[str]]:
    """Return the requirements that failed by the same error: at the same line of the student's.

    A name that is not there is the same fault wherever it is missed.
    """
    found: dict[str, list[str]] = {}
    stuck = Counter(outcome.stuck for outcome in outcomes.values())
    for name, outcome in failed_in(outcomes).items():
        if outcome.cause and (not outcome.stuck or stuck[outcome.stuck] == 1):
            place = PLACE.search(outcome.cause)
            key = place[0] if place else ""
            if missing := MISSING.match(outcome.cause):
                key = missing[0]
            found.setdefault(key or outcome.cause, []).append(name)
    return [*found.values()]


def causes(
    outcomes: Mapping[str, Outcome],
    follows: Mapping[str, Iterable[str]],
    known: Mapping[str, str],
    unseen: Collection[str] = (),
) -> dict[str, str]:
    """Return each requirement that failed because of another one, and that one.

    Either that was seen by trying the program without the fault, or the sheet says that it follows,
    or the same line of the student's raised an error before. Where more than half of the
    requirements fail, nothing but having seen it counts: that is not one fault.

    Args:
        outcomes: in the order of the document.
        follows: by a requirement the others that can only be seen where it is met.
        known: what was seen already.
        unseen: what could not be seen, which does not follow.
    """
    left = {name: each for name, each in failed_in(outcomes).items() if name not in known}
    found = dict(known)

    def root(name: str) -> str:
        return root(found[name]) if name in found else name

    if 2 * len(left) > len(outcomes):
        return found
    left = {name: each for name, each in left.items() if name not in unseen}
    for names in groups(left):
        found |= {name: names[0] for name in names[1:] if name not in found}
    for base, built in follows.items():
        if base in left or base in known:
            following = [name for name in built if name in left and name != root(base)]
            found |= {name: root(base) for name in following if name not in found}
    return found
