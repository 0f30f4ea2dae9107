"""What is kept beside an answer: presence, insight, counters, log lines.

Once an answer is decided, nothing that is merely noted with it may turn it into an error: the
player would read that a move failed which is saved.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import flask

from web.storage.store import StoreUnavailable

log = logging.getLogger("cardgames.side_effects")


@contextmanager
def side_effect(what: str) -> Iterator[None]:
    """Run a block whose failure is logged and goes no further.

    Args:
        what: the name of what is noted, for the log.
    """
    try:
        yield
    except StoreUnavailable as error:
        log.error("%s: %s", what, error)  # noqa: TRY400 - a full disk needs no traceback
    except Exception:
        log.exception("%s", what)


def after_each_answer(app: flask.Flask, note: Callable[[flask.Response], None]) -> None:
    """Have an app's answers noted, each just before it is sent."""

    @app.after_request
    def observe(response: flask.Response) -> flask.Response:
        with side_effect(note.__qualname__):
            note(response)
        return response
