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
"""Matches a character that may begin a formula, at the start of a cell or after a separator. Some
spreadsheets use a different list separator, which depends on the reader's system.
"""


def as_file(answer: flask.Response, name: str) -> flask.Response:
    """Return a response that a browser saves as a file with this name."""
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def download(name: str, data: str | bytes, mimetype: str) -> flask.Response:
    """Return a file as a response."""
    return as_file(flask.Response(data, mimetype=mimetype), name)


def csv_download(name: str, rows: Iterable[Sequence[Cell]], mark: str = "") -> flask.Response:
    """Return a table for a spreadsheet in the user's language.

    If the language has a decimal comma, the cells are separated by semicolons.

    Args:
        name: Name of the file.
        rows: The rows, headings first.
        mark: Text before the rows, such as a byte-order mark.
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
    # The quote prevents a spreadsheet from interpreting a string as a formula.
    return _FORMULA.sub(r"'\g<0>", cell) if isinstance(cell, str) else cell
