"""Commands for operators, which run with the server's environment variables."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from web import db
from web.data_dir import reason
from web.settings import BadSetting


@contextmanager
def as_click_error() -> Iterator[None]:
    """Convert expected errors of a command into a single message without a traceback."""
    try:
        yield
    except OSError as error:
        name = error.filename or "The file"
        raise click.ClickException(f"{name}: {reason(error, Path(name))}.") from None
    except (BadSetting, db.Unavailable, sqlite3.Error) as error:
        raise click.ClickException(str(error)) from None
