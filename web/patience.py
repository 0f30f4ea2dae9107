"""How long a worker waits for the rest of a form: who fell silent must not keep others out.

The server reads a form in one of a worker's few threads, and without an end: eight laptops that
lose their network halfway through would hold every thread for ever. So while a thread has waited
too long, connections on which nothing has come for a while are hung up. Most of them are idle and
nobody misses them: a browser opens a new one when it has something to say.

A proxy that takes whole forms before it passes them on (nginx does) makes this needless.
"""

import itertools
import os
import socket
import struct
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Final
from wsgiref.types import StartResponse, WSGIEnvironment

import flask

LONGEST: Final = 10.0
"""How many seconds a thread waits for a form before the silent are hung up."""

SILENT: Final = 5_000
"""From how many milliseconds without a byte on a connection counts as silent."""

_ESTABLISHED: Final = 1
_LAST_RECEIVED: Final = 52
"""Where the kernel's ``tcp_info`` says how long ago something came."""


def watch(app: flask.Flask, port: int) -> None:
    """Watch over the forms that this worker reads from connections to a port."""
    waiting: dict[int, float] = {}
    inner, numbers = app.wsgi_app, itertools.count()

    def call(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] == "POST":
            environ["wsgi.input"] = _Awaited(environ["wsgi.input"], waiting, next(numbers))
            # The server ends a form that was cut off as if it were whole. It has a length: so
            # werkzeug may count, and refuse half a form instead of playing it.
            if "CONTENT_LENGTH" in environ:
                environ.pop("wsgi.input_terminated", None)
        return inner(environ, start_response)

    app.wsgi_app = call  # type: ignore[method-assign]
    threading.Thread(target=_hang_up, args=(waiting, port), daemon=True).start()


class _Awaited:
    """A form's bytes; a read is noted for as long as it lasts."""

    def __init__(self, stream: IO[bytes], waiting: dict[int, float], number: int) -> None:
        self._stream, self._waiting, self._number = stream, waiting, number

    def read(self, size: int = -1) -> bytes:
        self._waiting[self._number] = monotonic()
        try:
            return self._stream.read(size)
        finally:
            del self._waiting[self._number]


def _hang_up(waiting: dict[int, float], port: int) -> None:
    """Look once a second; hang up when a read has lasted too long."""
    while True:
        sleep(1)
        oldest = min(list(waiting.values()), default=None)
        if oldest is not None and monotonic() - oldest > LONGEST:
            hang_up_the_silent(port)


def hang_up_the_silent(port: int) -> None:
    """Hang up every connection to a port of this process on which nothing came for a while."""
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # closed since it was listed
            if not path.readlink().name.startswith("socket:"):
                continue
            with socket.socket(fileno=os.dup(int(path.name))) as connection:
                if _is_silent(connection, port):
                    connection.shutdown(socket.SHUT_RDWR)


def _is_silent(connection: socket.socket, port: int) -> bool:
    if connection.family == socket.AF_UNIX or connection.getsockname()[1] != port:
        return False
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    quiet: int = struct.unpack_from("I", info, _LAST_RECEIVED)[0]
    return info[0] == _ESTABLISHED and quiet > SILENT
