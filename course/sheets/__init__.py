"""The assignment sheets: the classes and programs that they define, one folder per sheet.

A sheet names its files, and the files import each other by these bare names: ``import cards``,
``from playingCards import Card``. Two sheets may use the same name for different files. The files
here have their sheet's names, and can be loaded in three ways:

* by file name, from their own folder: ``python assignment2.py``;
* under the sheet's names, with their folder and the project's on ``sys.path``: ``import cards``;
* by the full name, as ``python -m course.sheets.simple21.solution.assignment2`` does.

The first two ways are plain Python. If a sheet's file imports the project's rules, the file itself
adds the project to the path. For the third way, Python calls the finder in this module. While a
file runs, bare names refer to the files in its folder. A file is the same module under its bare and
its full name, so there is never a second ``Card`` class that ``isinstance`` does not match.

Modules outside this folder do not import from it. Those modules use the project's rules instead.
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

SHEETS: Final = Path(__file__).resolve().parent
"""The folder of all sheets."""


def _folder(file: str | None) -> Path | None:
    """Return the solution folder that contains a file, or None."""
    folder = Path(file or SHEETS).resolve().parent
    return folder if folder.name == "solution" and folder.parents[1] == SHEETS else None


def _package(folder: Path) -> str:
    """Return the full package name of a solution's folder."""
    return f"{__name__}.{folder.parent.name}.{folder.name}"


class _SheetLoader(SourceFileLoader):
    """Loads a sheet's file, which can import the sheet's other files by bare names."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Prepare the bare names, and return the file's code for ``python -m``."""
        self._make_room()
        return super().get_code(fullname)

    def exec_module(self, module: ModuleType) -> None:
        """Run the file, or use the module that was already loaded under its other name."""
        whole = {bare: f"{_package(self._folder)}.{bare}" for bare in self._siblings}
        bare = module.__name__.rpartition(".")[2]
        for name in (bare, whole[bare]):
            loaded = sys.modules.get(name)
            if loaded and loaded is not module and self._is_ours(loaded):
                sys.modules[module.__name__] = loaded  # the import statement returns this module
                return
        path, before = sys.path[:], {name: sys.modules.get(name) for name in whole}
        try:
            super().exec_module(module)
            for name, long in whole.items():
                if self._is_ours(sys.modules.get(name)):
                    sys.modules.setdefault(long, sys.modules[name])
                    setattr(sys.modules[long.rpartition(".")[0]], name, sys.modules[long])
        finally:
            sys.path[:] = path
            for name, old in before.items():
                if self._is_ours(sys.modules.get(name)):
                    del sys.modules[name]
                if old:
                    sys.modules[name] = old

    @property
    def _folder(self) -> Path:
        return Path(self.path).resolve().parent

    @property
    def _siblings(self) -> list[str]:
        return [file.stem for file in self._folder.glob("*.py")]

    def _is_ours(self, module: ModuleType | None) -> bool:
        return _folder(getattr(module, "__file__", None)) == self._folder

    def _make_room(self) -> None:
        """Make bare names refer to this sheet's files instead of another sheet's.

        The folder is last on the path, so that another ``cards.py`` can replace the one in this
        folder.
        """
        folders = {str(folder) for folder in SHEETS.glob("*/solution")}
        sys.path[:] = [entry for entry in sys.path if entry not in folders]
        sys.path.append(str(self._folder))
        for name in self._siblings:
            other = _folder(getattr(sys.modules.get(name), "__file__", None))
            if other and other != self._folder:
                del sys.modules[name]


class _SheetFinder(MetaPathFinder):
    """Finds files of sheets by full names, and loaded files also by bare names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the loader of a sheet's file, or None for all other modules."""
        if path is not None and not fullname.startswith(f"{__name__}."):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        folder = _folder(spec.origin) if spec else None
        if not spec or not spec.origin or not folder or spec.submodule_search_locations:
            return None
        if path is None and f"{_package(folder)}.{fullname}" not in sys.modules:
            return None
        spec.loader = _SheetLoader(fullname, spec.origin)
        return spec


sys.meta_path.insert(0, _SheetFinder())
