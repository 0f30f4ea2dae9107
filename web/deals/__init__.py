"""Deal links: the same cards for everyone who opens an address; and the deal of the day."""

import flask

from web.deals import daily, views
from web.deals.deal import LIMIT
from web.deals.storage import DEALS_SHARE
from web.settings import Settings


def register(app: flask.Flask, settings: Settings) -> None:
    """Give an app its deal links.

    Args:
        app: the app.
        settings: how much of the store's room they share.
    """
    app.config[LIMIT] = settings.store_limit // DEALS_SHARE
    app.register_blueprint(daily.blueprint)
    app.register_blueprint(views.blueprint)
