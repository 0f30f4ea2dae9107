"""The totals of a class's answers, computed without the site's code."""

from collections.abc import Mapping, Sequence

Given = Mapping[str, tuple[str, int]]
"""A student's answers in both ballots, each with the choice and the confidence."""


def before_and_after(
    given: Sequence[Given], right: str
) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]], int, int, int]:
    """Return the totals of both ballots, and how many students changed to or from the right answer.

    The last number is that of the students who answered twice.
    """
    sums = []
    for ballot in ("1", "2"):
        cells = [one[ballot] for one in given if ballot in one]
        sums.append(
            {
                choice: tuple(cells.count((choice, sure)) for sure in (1, 2, 3))
                for choice in ("hit", "stay")
            }
        )
    pairs = [(one["1"][0], one["2"][0]) for one in given if len(one) == 2]
    better = sum(first != right == second for first, second in pairs)
    worse = sum(first == right != second for first, second in pairs)
    return sums[0], sums[1], better, worse, len(pairs)
