"""Finds the texts of a sheet that are translated, for ``make words``."""

import tomllib
from collections.abc import Iterator
from typing import BinaryIO


def extract(file: BinaryIO, *_: object, **__: object) -> Iterator[tuple[int, None, str, list[str]]]:
    """Yield what a ``sheet.toml`` says of the task, as Babel asks for it."""
    sheet = tomllib.load(file)
    for text in (sheet["pitch"], *sheet["build"].values()):
        yield 1, None, text, []
