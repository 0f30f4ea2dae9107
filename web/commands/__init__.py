"""Commands for the server's administrator, beside ``cardgames`` itself, which serves it.

Each is run with the environment that the server is started with.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from web import db
from web.data_dir import reason
from web.settings import BadSetting


@contextmanager
def one_sentence() -> Iterator[None]:
    """Have a command say what goes wrong in one sentence."""
    try:
        yield
    except OSError as error:
        name = error.filename or "The file"
        raise click.ClickException(f"{name}: {reason(error, Path(name))}.") from None
    except (BadSetting, db.Unavailable, sqlite3.Error) as error:
        raise click.ClickException(str(error)) from None
