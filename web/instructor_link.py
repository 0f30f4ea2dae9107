"""``make instructor-link``: ask the running server for a link that makes a browser an instructor's.

It reads nothing but the file that the server has left in ``DATA_DIR``, and makes nothing.
"""

import sys
from collections.abc import Sequence

import click
import segno

from web.running import running_server
from web.settings import BadSetting, Settings


@click.command("instructor-link")
@click.option("--class", "code", default="", help="Give the dashboard of this class instead.")
def command(code: str) -> None:
    """Print a one-time link for each address of this machine that a phone can reach."""
    try:
        folder = Settings.from_environment().data_dir
    except BadSetting as error:
        raise click.ClickException(str(error)) from None
    server = running_server(folder)
    answer = None
    if server:
        answer = server.ask("/class/instructor-link", {"token": server.token, "class": code})
    if server is None or answer is None:
        raise click.ClickException(
            f"No server answers that keeps its sessions in {folder}: start it with make run or "
            "cardgames, or set DATA_DIR (or --data) to the folder of the one that is running."
        )
    status, document = answer
    if status == 404:  # noqa: PLR2004 - not found
        raise click.ClickException(
            f"The server on port {server.port} gives no links: CLASSES is off, or it is not the "
            f"one that {folder} describes."
        )
    if "links" not in document:
        raise click.ClickException(document.get("error") or f"The server answered {status}.")
    show(document["links"], document["minutes"], is_local=document["is_local"])


def show(links: Sequence[str], minutes: int, *, is_local: bool) -> None:
    """Print one-time links; in a terminal the first is a square too, for the phone at hand.

    Args:
        links: a link for each address of the server.
        minutes: how long they are good.
        is_local: whether only this machine can open them.
    """
    for link in links:
        click.echo(link)
    if sys.stdout.isatty() and not is_local:
        segno.make(links[0], micro=False).terminal(compact=True)
    click.echo(f"Each is good once, for {minutes} minutes.", err=True)
    if is_local:
        click.echo(
            "The server listens on this machine alone: phones cannot reach it. Start it with "
            "HOST=0.0.0.0 for a class.",
            err=True,
        )


if __name__ == "__main__":
    command()
