"""A parser that finds the translatable strings of a sheet, for ``make words``."""

import tomllib
from collections.abc import Iterator
from typing import BinaryIO


def extract(file: BinaryIO, *_: object, **__: object) -> Iterator[tuple[int, None, str, list[str]]]:
    """Yield the translatable strings of a ``sheet.toml``, in Babel's format."""
    sheet = tomllib.load(file)
    for text in (sheet["pitch"], *sheet["build"].values()):
        yield 1, None, text, []
