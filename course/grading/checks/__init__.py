"""The checks of every gradable requirement: a function, ``s0_14`` for S0-14, or an example."""

import re
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from course.grading.checks.tools import Check
from course.grading.sheets import SHEETS


@cache
def checks_of(slug: str) -> dict[str, Check]:
    """Return the checks of a sheet by the number of their requirement."""
    package = f"course.sheets.{SHEETS[slug].folder}.checks"
    found: dict[str, Check] = {}
    for info in iter_modules(import_module(package).__path__, f"{package}."):
        module = import_module(info.name)
        found |= getattr(module, "EXAMPLES", {})
        for name, function in vars(module).items():
            if match := re.fullmatch(r"s(\d)_(\d+)", name):
                found[f"S{match[1]}-{match[2]}"] = function
    return found
