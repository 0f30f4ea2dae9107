"""``make instructor-link``: a one-time link that makes a browser an instructor's."""

import click
from flask.cli import with_appcontext

from web.classroom.codes import is_code, tidy_code
from web.classroom.model import HAND_ON_LINK
from web.classroom.opening import INSTRUCTOR_LINK, Link, make_link
from web.classroom.reach import is_loopback, machine_addresses
from web.classroom.state import class_store
from web.settings import Settings
from web.storage.store import StoreUnavailable

_ANY = ("0.0.0.0", "::")  # noqa: S104 - to compare with


@click.command("instructor-link")
@click.option("--class", "code", default="", help="Give the dashboard of this class instead.")
@with_appcontext
def command(code: str) -> None:
    """Print a one-time link for each address of this machine that a phone can reach."""
    settings = Settings.from_environment()
    code = tidy_code(code)
    link, lifetime = Link("instructor", ""), INSTRUCTOR_LINK
    try:
        if code:
            if not is_code(code) or class_store().counters(code) is None:
                raise click.ClickException(f"No class has the code {code}.")
            link, lifetime = Link("dashboard", code), HAND_ON_LINK
        for base in addresses(settings):
            click.echo(f"{base}{settings.url_prefix}{make_link(link, lifetime)}")
    except StoreUnavailable as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"Each is good once, for {lifetime // 60} minutes.", err=True)
    if is_loopback(settings.host):
        click.echo(
            f"HOST is {settings.host}: phones cannot reach this server. Start it with "
            "HOST=0.0.0.0 for a class.",
            err=True,
        )


def addresses(settings: Settings) -> tuple[str, ...]:
    """Return under which addresses the site is opened, as far as its settings tell."""
    if settings.trusted_proxies and settings.allowed_hosts:
        return tuple(f"https://{name}" for name in settings.allowed_hosts)
    port = "" if settings.port == 80 else f":{settings.port}"  # noqa: PLR2004 - of plain HTTP
    if settings.host in _ANY:
        hosts = machine_addresses() or ("127.0.0.1",)
        return tuple(f"http://{host}{port}" for host in hosts)
    return (f"http://{settings.host}{port}",)
