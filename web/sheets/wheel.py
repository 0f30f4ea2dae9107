"""The package of the rules, the sheets and the grader that ``make wheel`` has built, if it has."""

from pathlib import Path
from typing import Final

from web.settings import ROOT

DIST: Final = ROOT / "dist"
"""Where ``make wheel`` puts it."""


def newest_wheel(folder: Path = DIST) -> Path | None:
    """Return the wheel that was built last; None where none was."""
    built = [
        (path.stat().st_mtime, path) for path in folder.glob("cardgames_course-*-none-any.whl")
    ]
    return max(built)[1] if built else None
