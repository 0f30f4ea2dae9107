"""The points and the visibility of each requirement, read from a file.

By default, each requirement has one point and is visible to everyone.

::

    default_points = 1
    default_visibility = "visible"      # or hidden, after_due_date, after_published

    [points]
    "S0-57" = 3
    "S0-9" = 0                          # visible, but without points

    [visibility]
    "S0-53" = "hidden"
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from course.grading.sheets import Sheet
from course.grading.usage import UsageError

VISIBILITIES: Final = ("visible", "hidden", "after_due_date", "after_published")
"""The visibility of a result, in Gradescope's words."""

KEYS: Final = ("default_points", "default_visibility", "points", "visibility")


class Rubric(NamedTuple):
    """The points and the visibility of requirements.

    Requirements that are not named have defaults.
    """

    points: dict[str, float]
    visibility: dict[str, str]
    default_points: float = 1
    default_visibility: str = "visible"

    def worth(self, requirement: str) -> float:
        """Return the points for meeting a requirement."""
        return self.points.get(requirement, self.default_points)

    def seen(self, requirement: str) -> str:
        """Return the visibility of a requirement's result."""
        return self.visibility.get(requirement, self.default_visibility)


MAX_POINTS: Final = 1_000_000

ONE_POINT_EACH: Final = Rubric({}, {})


def load_rubric(sheet: Sheet, path: Path | None = None) -> Rubric:
    """Return the rubric in a file, or by default the sheet's own.

    Raises:
        UsageError: If the file is missing, is not TOML, or has an invalid entry.
    """
    if not path:
        return _rubric(sheet.rubric, sheet)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"Cannot read the rubric {path}: {error}") from None
    return _rubric(data, sheet)


def _rubric(data: Mapping[str, Any], sheet: Sheet) -> Rubric:
    known = {requirement.id for requirement in sheet.gradable}
    for key in data:
        if key not in KEYS:
            raise UsageError(f"The rubric has {key!r}; it may have {', '.join(KEYS)}")
    points, visibility = _table(data, "points"), _table(data, "visibility")
    for name in (*points, *visibility):
        if name not in known:
            raise UsageError(
                f"The rubric names {name}, which is no graded requirement of {sheet.slug}"
            )
    default = data.get("default_points", 1)
    for worth in (default, *points.values()):
        if (
            isinstance(worth, bool)
            or not isinstance(worth, int | float)
            or not 0 <= worth <= MAX_POINTS
        ):
            raise UsageError(f"The rubric gives {worth!r} points: points are numbers from 0 on")
    seen = data.get("default_visibility", "visible")
    for audience in (seen, *visibility.values()):
        if audience not in VISIBILITIES:
            raise UsageError(
                f"The rubric has the visibility {audience!r}, "
                f"which must be one of {', '.join(VISIBILITIES)}"
            )
    return Rubric(points, visibility, default, seen)


def _table(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    table = data.get(key, {})
    if not isinstance(table, dict):
        raise UsageError(f"The rubric's {key} is a table: a line [{key}], and names below it")
    return table
