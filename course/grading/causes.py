"""One fault, one point: which requirements failed only because another one did."""

from collections.abc import Iterable, Mapping

from course.grading.trial import Outcome


def causes(outcomes: Mapping[str, Outcome], follows: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return each requirement that failed because of another one, and that one.

    Either it ``follows``, as the sheet says, or the same line of the student's raised the same
    error before. Where more than half of the requirements fail there is no such excuse: that is
    not one fault. The outcomes are in the order of the document.
    """
    failed = {name: each for name, each in outcomes.items() if not (each.passed or each.unclear)}
    found: dict[str, str] = {}
    if 2 * len(failed) > len(outcomes):
        return found
    for base, built in follows.items():
        if base in failed and base not in found:
            found |= {name: base for name in built if name in failed and name not in found}
    first: dict[str, str] = {}
    for name, outcome in failed.items():
        if outcome.cause and name not in found:
            before = first.setdefault(outcome.cause, name)
            found |= {name: before} if before != name else {}
    return found
