"""Commands for the server's administrator, beside ``cardgames`` itself, which serves it.

Each is run with the environment that the server is started with.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import click

from web import db
from web.settings import BadSetting


@contextmanager
def one_sentence() -> Iterator[None]:
    """Have a command say what goes wrong in one sentence."""
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"{error.filename or 'The file'}: {error.strerror}.") from None
    except (BadSetting, db.Unavailable, sqlite3.Error) as error:
        raise click.ClickException(str(error)) from None
