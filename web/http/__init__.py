"""HTTP: requests, responses, sessions, guards, the log, languages and static files."""

import flask

from web.http import i18n, request_log, responses, security, static_files
from web.settings import Settings


def register(app: flask.Flask, settings: Settings) -> None:
    """Register the app's log, guards, error pages, languages and static files."""
    # Each function wraps the app or runs before it. A request passes first through the function
    # that was registered last, so that all other functions see the URL as reported by the proxies,
    # below the prefix.
    request_log.register(app)
    security.register(app, settings)
    responses.register(app)
    i18n.register(app)
    pages = app.wsgi_app
    static_files.register(app, settings.url_prefix)
    if settings.url_prefix:
        below = security.below_prefix(settings.url_prefix, app.wsgi_app, pages)
        app.wsgi_app = below  # type: ignore[method-assign, assignment]  # as Flask documents it
    security.trust_proxies(app, settings)
