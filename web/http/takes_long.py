"""Views whose work cannot be bounded: they are made in one thread beside the event loop."""

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

import flask

IN_LOOP: Final = "cardgames.in_loop"
"""Is in the environment of a request whose app is called in a server's event loop."""

P = ParamSpec("P")
R = TypeVar("R")


class TakesLong(BaseException):  # no error: like GeneratorExit, it asks to leave
    """The call has to be made again, in a thread beside the event loop."""


def takes_long(view: Callable[P, R]) -> Callable[P, R]:
    """Declare that a view may take more than 50 ms: everybody would wait for it in the loop.

    The server calls the app again in its extra thread (:mod:`web.http.rsgi`); a request is then
    guarded and its session read twice. Any other server just calls the view.
    """

    @wraps(view)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if IN_LOOP in flask.request.environ:
            raise TakesLong
        return view(*args, **kwargs)

    return call
