"""Long lists of a class, a page at a time: with the next one, and those whose names hold a text."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import flask

from web.http.addresses import asked_number

PAGE_ROWS: Final = 50
"""Number of rows of a page."""

MAX_SEARCH: Final = 40
"""Maximum number of characters that are searched for."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RowPage(Generic[T]):
    """A page of a long list."""

    rows: tuple[T, ...]
    found: int
    """How many rows there are on all pages."""

    number: int
    """Which page it is, from 1."""

    search: str
    """What is searched for; empty for nothing."""

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return max(1, math.ceil(self.found / PAGE_ROWS))


def page_of(rows: Sequence[T], name_of: Callable[[T], str], number: str = "page") -> RowPage[T]:
    """Return the page of a list that the address of this request asks for.

    Args:
        rows: all of the list.
        name_of: returns the name by which a row is searched for.
        number: what the number of the page is called in the address.
    """
    search = flask.request.args.get("search", "")[:MAX_SEARCH].strip()
    if search:
        part = search.casefold()
        rows = [row for row in rows if part in name_of(row).casefold()]
    last = max(1, math.ceil(len(rows) / PAGE_ROWS))
    at = min(max(1, asked_number(number, 1)), last)
    shown = tuple(rows[(at - 1) * PAGE_ROWS : at * PAGE_ROWS])
    return RowPage(shown, len(rows), at, search)
