"""HTTP around the pages: what every request passes, and what every answer is made of."""

import flask

from web.http import i18n, request_log, responses, security, static_files
from web.settings import Settings


def register(app: flask.Flask, settings: Settings) -> None:
    """Give an app its log, its guards, its error pages, languages and static files."""
    # Each wraps the app or is asked before it: the last is the first that a request meets, so that
    # everything inside sees the address that the proxies report, below the prefix.
    request_log.register(app)
    security.register(app, settings)
    responses.register(app)
    i18n.register(app)
    pages = app.wsgi_app
    static_files.register(app)
    if settings.url_prefix:
        below = security.below_prefix(settings.url_prefix, app.wsgi_app, pages)
        app.wsgi_app = below  # type: ignore[method-assign, assignment]  # as Flask documents it
    security.believe_proxies(app, settings)
