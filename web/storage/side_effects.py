"""Side effects of an answer: presence, insight, log lines.

Once an answer is decided, nothing that is merely noted with it may turn it into an error: the
player would read that a move has failed although it is saved.
"""

import logging
from collections.abc import Callable

import flask

from web.storage.store import StoreUnavailable

log = logging.getLogger("cardgames.side_effects")


class side_effect:  # noqa: N801 - a context manager; a generator takes 3.1 µs, this 0.45
    """Run a block whose failure is logged and goes no further.

    Args:
        what: the name of what is noted, for the log.
    """

    __slots__ = ("_what",)

    def __init__(self, what: str) -> None:
        """Prepare to run it."""
        self._what = what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> bool:
        if isinstance(error, StoreUnavailable):
            log.error("%s: %s", self._what, error)  # a full disk needs no traceback
        elif isinstance(error, Exception):
            log.error("%s", self._what, exc_info=error)
        return isinstance(error, Exception)


def after_each_answer(app: flask.Flask, note: Callable[[flask.Response], None]) -> None:
    """Have an app's answers noted, each just before it is sent."""

    @app.after_request
    def observe(response: flask.Response) -> flask.Response:
        with side_effect(note.__qualname__):
            note(response)
        return response
