"""The site's class of Flask apps: requests, answers and addresses are of classes of our own."""

from collections.abc import Callable
from typing import Any

import flask
from werkzeug.routing import MapAdapter

from web.http.requests import Addresses, Found, Request
from web.http.responses import Response


class Site(flask.Flask):
    """The site. Its views are plain functions: Flask need not look for coroutines."""

    request_class = Request
    response_class = Response

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take what Flask takes."""
        super().__init__(*args, **kwargs)
        self._found: Found = {}

    def create_url_adapter(self, request: flask.Request | None) -> MapAdapter | None:
        """Return what finds the view for a request."""
        return Addresses(self.url_map, request, self._found) if request else None

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return a view as it is."""
        return func
