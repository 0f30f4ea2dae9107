"""``/class/instructor-link``: one-time links, for a command of this machine."""

import hmac
from typing import Final

import flask
from werkzeug.exceptions import NotFound

from web.classroom.codes import is_code, tidy_code
from web.classroom.model import HAND_ON_LINK
from web.classroom.opening import INSTRUCTOR_LINK, Link, make_link
from web.classroom.public_address import is_loopback, machine_addresses
from web.classroom.state import class_store
from web.http.requests import sent_texts
from web.http.responses import json_response
from web.running import running_server
from web.settings import Settings

SETTINGS: Final = "class-settings"
"""The app's extension: the settings that it was made with."""

_ANY = ("0.0.0.0", "::")  # noqa: S104 - to compare with

blueprint = flask.Blueprint("class-links", __name__)


@blueprint.post("/class/instructor-link")
def make_links() -> flask.Response:
    """Return one-time links to who can read the file that the server keeps for its owner."""
    settings: Settings = flask.current_app.extensions[SETTINGS]
    sent, server = sent_texts(), running_server(settings.data_dir)
    token = sent.get("token", "").encode()
    if server is None or not hmac.compare_digest(token, server.token.encode()):
        raise NotFound
    code = tidy_code(sent.get("class", ""))
    if code and (not is_code(code) or class_store().counters(code) is None):
        return json_response({}, 422, f"No class has the code {code}.")
    link = Link("dashboard", code) if code else Link("instructor", "")
    lifetime = HAND_ON_LINK if code else INSTRUCTOR_LINK
    links = [
        f"{base}{settings.url_prefix}{make_link(link, lifetime)}" for base in addresses(settings)
    ]
    is_local = is_loopback(settings.host)
    return json_response({"links": links, "minutes": lifetime // 60, "is_local": is_local})


def addresses(settings: Settings) -> tuple[str, ...]:
    """Return under which addresses the site is opened, as far as its settings tell."""
    if settings.trusted_proxies and settings.allowed_hosts:
        return tuple(f"https://{name}" for name in settings.allowed_hosts)
    port = "" if settings.port == 80 else f":{settings.port}"  # noqa: PLR2004 - of plain HTTP
    if settings.host in _ANY:
        hosts = machine_addresses() or ("127.0.0.1",)
        return tuple(f"http://{host}{port}" for host in hosts)
    return (f"http://{settings.host}{port}",)
