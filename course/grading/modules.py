"""Imports a sheet's code: its checks, its driver and its player."""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from course.grading.sheets import Sheet, SheetError


def module_of(sheet: Sheet, name: str) -> ModuleType:
    """Import a module of a sheet's folder, which may import others there: ``from . import cards``.

    Raises:
        SheetError: it cannot be imported, in one sentence.
    """
    package = _package_of(sheet)
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, not sheet.is_ours
    try:
        return import_module(f"{package}.{name}")
    except Exception as error:
        raise SheetError(
            f"{name} of {sheet.slug} cannot be imported: {error_text(error)}."
        ) from error
    finally:
        sys.dont_write_bytecode = before


def has_module(sheet: Sheet, name: str) -> bool:
    """Return whether a sheet's folder has a module of this name."""
    return find_spec(f"{_package_of(sheet)}.{name}") is not None


def error_text(error: BaseException) -> str:
    """Return an error of a sheet's in words."""
    return f"{type(error).__name__}: {error}".rstrip(": .")


def _package_of(sheet: Sheet) -> str:
    """Return the name of the package that a sheet's folder is; one from outside becomes one."""
    if sheet.is_ours:
        return f"course.sheets.{sheet.root.name}"
    name = f"course.sheets._{sheet.slug.replace('-', '_')}"
    package = ModuleType(name, sheet.title)
    package.__path__ = [str(sheet.root)]
    loaded = sys.modules.get(name)
    if vars(loaded or package).get("sheet") is not sheet:
        for other in [each for each in sys.modules if f"{each}.".startswith(f"{name}.")]:
            del sys.modules[other]  # of another folder, or as the folder was before
        vars(package)["sheet"] = sheet
        sys.modules[name] = package
    return name
