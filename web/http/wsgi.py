"""From granian's requests to a WSGI app's, and what the app answers."""

import sys
from collections.abc import Callable
from typing import Any
from wsgiref.types import WSGIApplication, WSGIEnvironment

from granian.rsgi import Scope

Answer = tuple[int, list[tuple[str, str]], bytes]
"""Status, headers and body."""


def environ_of(scope: Scope) -> WSGIEnvironment:
    """Return what WSGI says of a request, all but its body."""
    server, _, port = scope.server.rpartition(":")
    environ: WSGIEnvironment = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode().decode("latin-1"),  # bytes, as WSGI writes them
        "QUERY_STRING": scope.query_string,
        "SERVER_PROTOCOL": "HTTP/1.0" if scope.http_version == "1" else "HTTP/1.1",
        "SERVER_NAME": server.strip("[]"),
        "SERVER_PORT": port,
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope.headers.items():
        if "_" in name:  # it would pass for the header with a dash, which a proxy may have set
            continue
        key = name.upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        environ[key] = f"{environ[key]},{value}" if key in environ else value
    return environ


def run_wsgi(app: WSGIApplication, environ: WSGIEnvironment) -> Answer:
    """Return what a WSGI app answers, as a whole."""
    started: list[Any] = []
    chunks: list[bytes] = []

    def start_response(status: str, headers: Any, _: object = None) -> Callable[[bytes], object]:
        started[:] = status, headers
        return chunks.append

    result = app(environ, start_response)
    try:
        chunks.extend(result)
    finally:
        if close := getattr(result, "close", None):
            close()
    return int(started[0][:3]), started[1], b"".join(chunks)
