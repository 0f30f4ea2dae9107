"""Long lists of a class: a page of one, and a table for a spreadsheet."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import flask

from web.http.addresses import asked_number
from web.http.downloads import Cell, csv_download

PAGE_ROWS: Final = 50
"""Number of rows of a page of a long list."""

MAX_SEARCH: Final = 40
"""Maximum number of characters that are searched for."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RowPage(Generic[T]):
    """A page of a long list."""

    rows: Sequence[T]
    found: int
    """How many rows there are on all pages."""

    number: int
    """Which page it is, from 1."""

    pages: int
    search: str
    """What is searched for; empty for nothing."""


def page_of(rows: Sequence[T], name_of: Callable[[T], str]) -> RowPage[T]:
    """Return the page of a list that the address of this request asks for."""
    search = flask.request.args.get("search", "")[:MAX_SEARCH].strip()
    if search:
        part = search.casefold()
        rows = [row for row in rows if part in name_of(row).casefold()]
    last = max(1, math.ceil(len(rows) / PAGE_ROWS))
    at = min(max(1, asked_number("page", 1)), last)
    return RowPage(rows[(at - 1) * PAGE_ROWS : at * PAGE_ROWS], len(rows), at, last, search)


def csv_response(name: str, head: Sequence[str], lines: Iterable[Sequence[Cell]]) -> flask.Response:
    """Return a table as every spreadsheet opens it: in UTF-8, marked as such at its beginning."""
    return csv_download(name, (head, *lines), mark="\ufeff")
