"""Imports the Python modules of a sheet, such as its checks and its driver."""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from course.grading.sheets import Sheet, SheetError


def sheet_module(sheet: Sheet, name: str) -> ModuleType:
    """Import a module from a sheet's folder, where it may import other modules.

    Raises:
        SheetError: If the module cannot be imported. The message is a single sentence.
    """
    package = _package_name(sheet)
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
    return find_spec(f"{_package_name(sheet)}.{name}") is not None


def error_text(error: BaseException) -> str:
    """Return the error message for an exception in a sheet's code."""
    return f"{type(error).__name__}: {error}".rstrip(": .")


def _package_name(sheet: Sheet) -> str:
    """Return the package name of a sheet's folder.

    A folder outside the project gets a new name.
    """
    if sheet.is_ours:
        return f"course.sheets.{sheet.root.name}"
    name = f"course.sheets._{sheet.slug.replace('-', '_')}"
    package = ModuleType(name, sheet.title)
    package.__path__ = [str(sheet.root)]
    loaded = sys.modules.get(name)
    if vars(loaded or package).get("sheet") is not sheet:
        for other in [module for module in sys.modules if f"{module}.".startswith(f"{name}.")]:
            del sys.modules[other]  # the module is outdated or comes from another folder
        vars(package)["sheet"] = sheet
        sys.modules[name] = package
    return name
