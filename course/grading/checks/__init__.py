"""The checks of a sheet: functions marked with a requirement, and examples.

The checks are in the sheet's ``checks.py``, or in the modules of its folder ``checks/``.
"""

from collections.abc import Callable, Iterator
from functools import cache
from pkgutil import iter_modules
from types import FunctionType, ModuleType

from course.grading.checks.tools import Check
from course.grading.modules import sheet_module
from course.grading.recordings import Recorded
from course.grading.sheets import Sheet, SheetError


def check(*numbers: str) -> Callable[[Check], Check]:
    """Mark a function as the check of a requirement: ``@check("S3-1")``."""

    def mark(function: Check) -> Check:
        vars(function)["requirements"] = numbers
        return function

    return mark


@cache
def load_checks(sheet: Sheet) -> dict[str, Check | Recorded]:
    """Return the checks of a sheet, keyed by requirement number.

    Raises:
        SheetError: If a check cannot be imported, or if there is not exactly one check per
            requirement.
    """
    checks: dict[str, Check | Recorded] = {}
    for module in _check_modules(sheet):
        for number, function in _checks_in(module):
            if checks.setdefault(number, function) is not function:
                raise SheetError(f"{sheet.slug} has two checks of {number}.")
    wanted = {requirement.id for requirement in sheet.gradable}
    for number in sorted({*checks} - wanted):
        raise SheetError(f"{sheet.slug} has a check of {number}, which it does not ask for.")
    for number in sorted(wanted - {*checks}):
        raise SheetError(f"{number} of {sheet.slug} has no check, and does not say why not.")
    return checks


def _check_modules(sheet: Sheet) -> Iterator[ModuleType]:
    package = sheet_module(sheet, "checks")
    yield package
    for info in iter_modules(getattr(package, "__path__", ())):
        yield sheet_module(sheet, f"checks.{info.name}")


def _checks_in(module: ModuleType) -> Iterator[tuple[str, Check | Recorded]]:
    yield from getattr(module, "EXAMPLES", {}).items()
    for function in vars(module).values():
        if isinstance(function, FunctionType):
            yield from ((number, function) for number in vars(function).get("requirements", ()))
