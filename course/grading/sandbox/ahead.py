"""Compiles a student's files once for all checks, although each check runs in its own process."""

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.machinery import FileFinder, SourceFileLoader
from pathlib import Path
from typing import Any, ClassVar, Final

MAX_AHEAD: Final = 1_000_000
"""Maximum total size of a student's files that are compiled in advance, in bytes."""


class CompiledLoader(SourceFileLoader):
    """Loads a file from its compiled code, unless the file has changed."""

    codes: ClassVar[dict[tuple[str, bytes], Any]] = {}

    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> Any:  # type: ignore[override]
        """Return the compiled code for the content of a file."""
        return self.codes.get((path, bytes(data))) or super().source_to_code(data, path)


def compile_ahead(
    folder: Path, limit: Callable[[], None], other_way: Callable[[str, str], object] | None = None
) -> None:
    """Compile a student's files once for all checks.

    This saves a fifth of the time for Bingo.

    A child process compiles the files, because a file may crash the compiler. ``limit`` sets a
    check's limits in this process. If the sheet has its own compile step, that step also runs.
    """
    files = {path: path.read_bytes() for path in folder.glob("*.py")}
    if sum(map(len, files.values())) > MAX_AHEAD:
        return
    if not (child := os.fork()):
        try:
            limit()
            compile_files(files, other_way)
            os._exit(0)
        finally:
            os._exit(1)
    if os.waitpid(child, 0)[1] == 0:
        compile_files(files, other_way)
        finder = FileFinder(str(folder), (CompiledLoader, [".py"]))
        sys.path_importer_cache[str(folder)] = finder


def compile_files(
    files: Mapping[Path, bytes], other_way: Callable[[str, str], object] | None
) -> None:
    """Store the code of each file.

    A file that is not valid Python raises an exception when it is imported.
    """
    for path, data in files.items():
        if other_way:
            with suppress(SyntaxError, ValueError, RecursionError):
                other_way(data.decode("utf-8", "replace"), str(path))
            continue
        with suppress(SyntaxError, ValueError, RecursionError):
            code = compile(data, str(path), "exec", dont_inherit=True)
            CompiledLoader.codes[str(path), data] = code
