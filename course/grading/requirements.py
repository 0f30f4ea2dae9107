"""The requirements of the project's own sheets, keyed by the slugs of their games."""

from course.grading.sheets import SHEETS, Requirement


def read_requirements(slug: str) -> tuple[Requirement, ...]:
    """Return the requirements and decisions of a sheet, in the order of its document."""
    return SHEETS[slug].requirements


def gradable(slug: str) -> tuple[Requirement, ...]:
    """Return the requirements of a sheet that can be graded."""
    return SHEETS[slug].gradable
