"""Responses that a browser saves as files, including tables for spreadsheets."""

import csv
import re
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Final

import flask

from cardgames.text import format_number
from web.http.i18n import catalogue, request_language

Cell = str | int | float | None

_FORMULA: Final = re.compile(r"^[=+\-@\t\r]|(?<=[;,|\t\r\n])\s*[=+\-@]")
"""The beginning of a formula: of a cell, or after a character that some spreadsheets take for a
separator, because their list separator is that of the reader's system."""


def as_file(answer: flask.Response, name: str) -> flask.Response:
    """Return a response that a browser saves as a file with this name."""
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def download(name: str, data: str | bytes, mimetype: str) -> flask.Response:
    """Return a file.

    Args:
        name: what it is called.
        data: what is in it.
        mimetype: what kind of file it is.
    """
    return as_file(flask.Response(data, mimetype=mimetype), name)


def csv_download(name: str, rows: Iterable[Sequence[Cell]], mark: str = "") -> flask.Response:
    """Return a table for a spreadsheet in the user's language.

    Where that writes a decimal comma, semicolons stand between the cells.

    Args:
        name: what the file is called.
        rows: its lines, the heads of the columns first.
        mark: what stands before them, if anything.
    """
    out = StringIO()
    out.write(mark)
    point = format_number(0.5, ".1f").translated(catalogue(request_language()))[1]
    writer = csv.writer(out, delimiter=";" if point == "," else ",")
    for row in rows:
        writer.writerow([_written(cell, point) for cell in row])
    return download(name, out.getvalue(), "text/csv")


def _written(cell: Cell, point: str) -> Cell:
    if isinstance(cell, float):
        return str(cell).replace(".", point)
    # With the quote no spreadsheet takes a text for a formula.
    return _FORMULA.sub(r"'\g<0>", cell) if isinstance(cell, str) else cell
