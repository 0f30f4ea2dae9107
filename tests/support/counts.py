"""What a class's answers come to, counted beside the site."""

from collections.abc import Mapping, Sequence

Given = Mapping[str, tuple[str, int]]
"""What one student has answered, by the ballot: the choice, and how sure they are."""


def before_and_after(
    given: Sequence[Given], right: str
) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]], int, int, int]:
    """Return the sums of both ballots, and how many have changed to what is right, and away.

    The last number is how many have answered twice.
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
