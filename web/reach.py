"""The addresses at which phones and other machines can reach the site."""

import os
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import flask

from cardgames.text import Text
from web.settings import Settings, host_and_port, is_ipv6

_ADDRESS_OF: Final = 0x8915
"""SIOCGIFADDR, the Linux request for the IPv4 address of an interface."""

_CONTAINER_FILES: Final = (Path("/.dockerenv"), Path("/run/.containerenv"))
"""Files that Docker and Podman create in containers."""

_ANY: Final = ("0.0.0.0", "::")  # noqa: S104 - used only for comparison


@dataclass(frozen=True, slots=True)
class PublicAddress:
    """The address at which phones can reach the site."""

    scheme: str
    host: str
    """The host, with the port if it is not the default port."""

    home: str
    """The path of the lobby: a slash, or the prefix and a slash."""

    is_local: bool
    """Whether the address works only on this machine."""

    is_guess: bool = False
    """Whether the address belongs to a container, so that phones cannot reach it."""

    @property
    def warning(self) -> Text | None:
        """The problem with the address, as a message to an instructor."""
        if self.is_local:
            return Text("Phones cannot reach this address: start the server with HOST=0.0.0.0.")
        if self.is_guess:
            return Text(
                "The server runs in a container and does not know the URL that phones use. Open "
                "this page at that URL, or start the server with PUBLIC_URL."
            )
        return None

    @property
    def typed(self) -> str:
        """The shortest URL that students can type."""
        return f"{self.host}{self.home}j"

    def join_url(self, code: str) -> str:
        """Return the URL for the QR code of a class.

        A URL in capital letters needs a smaller QR code. Capital letters are equivalent to small
        letters, except in a prefix.
        """
        url = f"{self.scheme}://{self.typed}/{code}"
        return url.upper() if self.home == "/" else url


def machine_addresses() -> tuple[str, ...]:
    """Return the IPv4 addresses at which other machines can reach this machine."""
    addresses = _interface_addresses() or _own_addresses()
    return tuple(address for address in addresses if not is_loopback(address))


def _own_addresses() -> list[str]:
    """Return the addresses of this machine's host name, for systems other than Linux."""
    with suppress(OSError):
        return socket.gethostbyname_ex(socket.gethostname())[2]
    return []


def _interface_addresses() -> list[str]:
    """Return the address of each network interface.

    On systems other than Linux, no addresses are returned.
    """
    try:
        import fcntl  # noqa: PLC0415 - the module is missing on some systems
    except ImportError:
        return []
    addresses = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            request = struct.pack("256s", name.encode()[:15])
            with suppress(OSError):  # The interface is down, or has no address.
                answer = fcntl.ioctl(probe.fileno(), _ADDRESS_OF, request)
                addresses.append(socket.inet_ntoa(answer[20:24]))
    return addresses


def is_loopback(host: str) -> bool:
    """Return whether a host can be reached only from this machine.

    >>> is_loopback("127.0.0.1:8000"), is_loopback("localhost"), is_loopback("192.168.0.7:8000")
    (True, True, False)
    >>> is_loopback("::1"), is_loopback("[::1]:8000"), is_loopback("[fe80::1]:8000")
    (True, True, False)
    """
    name = host if is_ipv6(host) else urlsplit(f"//{host}").hostname or ""
    return name in ("localhost", "::1", "[::1]") or name.startswith("127.")


def is_container() -> bool:
    """Return whether this process runs in a container.

    Phones cannot reach a container's addresses.
    """
    return "container" in os.environ or any(path.exists() for path in _CONTAINER_FILES)


def register(app: flask.Flask, settings: Settings) -> None:
    """Prepare an app to determine its public address."""
    app.config.update(HOST=settings.host, PUBLIC_ORIGIN=settings.public_origin)


def public_address() -> PublicAddress:
    """Return the address at which phones can reach the site.

    By default this is the address at which the instructor opened the site. If the instructor opened
    ``localhost`` on the server itself, the name is useless, because on a phone ``localhost`` means
    the phone.
    """
    request, config = flask.request, flask.current_app.config
    home = flask.url_for("site.show")
    if origin := config["PUBLIC_ORIGIN"]:
        scheme, _, host = origin.partition("://")
        return PublicAddress(scheme, host, home, is_loopback(host))
    host, is_guess = request.host, False
    if is_loopback(host) and config["HOST"] in _ANY:
        is_guess = is_container()
        port = host.rpartition(":")[2]
        for address in machine_addresses()[:1]:
            host = f"{address}:{port}" if port.isdigit() else address
    return PublicAddress(request.scheme, host, home, is_loopback(host), is_guess)


def public_url(path: str) -> str:
    """Return the URL with which phones open a path of this site."""
    address = public_address()
    return f"{address.scheme}://{address.host}{path}"


def server_addresses(settings: Settings) -> tuple[str, ...]:
    """Return the URLs at which users open the site, without the prefix."""
    if settings.public_origin:
        return (settings.public_origin,)
    if settings.trusted_proxies and settings.allowed_hosts:
        return tuple(f"https://{name}" for name in settings.allowed_hosts)
    hosts: tuple[str, ...] = (settings.host,)
    if settings.host in _ANY:
        hosts = machine_addresses() or ("127.0.0.1",)
    return tuple(f"http://{host_and_port(host, settings.port)}" for host in hosts)


def unknown_address(settings: Settings) -> str:
    """Return a message if the server cannot determine its address for phones.

    Otherwise, return an empty string. A container does not know the addresses of the machine that
    publishes its port.
    """
    is_known = settings.public_url or settings.allowed_hosts or settings.host not in _ANY
    if is_known or not is_container():
        return ""
    return (
        "This is a container: phones use the address of its machine, which the site does not know. "
        "Set PUBLIC_URL to it for links and QR codes."
    )
