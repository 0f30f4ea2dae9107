"""HTTP around the pages: what every request passes, and what every answer is made of."""

import flask

from web.http import (
    i18n,
    metrics,
    request_log,
    responses,
    security,
    static_files,
)
from web.settings import Settings


def register(app: flask.Flask, settings: Settings) -> None:
    """Give an app its log, its guards, its error pages, languages and static files."""
    request_log.register(app)
    metrics.register(app, settings)
    security.register(app, settings)
    responses.register(app)
    i18n.register(app)
    static_files.register(app)
