"""Where phones and other machines reach the site that is answering."""

import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import flask

from web.settings import Settings

_ADDRESS_OF: Final = 0x8915
"""SIOCGIFADDR: asks Linux for the IPv4 address of an interface."""

_ANY: Final = ("0.0.0.0", "::")  # noqa: S104 - to compare with


@dataclass(frozen=True, slots=True)
class PublicAddress:
    """Where a phone finds the site."""

    scheme: str
    host: str
    """With the port, where that is not the usual one."""

    home: str
    """The path of the site's first page: longer than a slash behind a proxy with a prefix."""

    is_local: bool
    """Whether only this machine reaches it."""

    @property
    def typed(self) -> str:
        """What a student types: the shortest address that asks for a code."""
        return f"{self.host}{self.home}j"

    def join_url(self, code: str) -> str:
        """Return what the QR code of a class holds.

        In capitals it takes smaller squares; they mean the same, but not behind a prefix.
        """
        url = f"{self.scheme}://{self.typed}/{code}"
        return url.upper() if self.home == "/" else url


def machine_addresses() -> tuple[str, ...]:
    """Return the IPv4 addresses of this machine that others can reach, the first first."""
    found = _interface_addresses() or _own_addresses()
    return tuple(address for address in found if not is_loopback(address))


def _own_addresses() -> list[str]:
    """Return what this machine's name stands for: on systems that are not Linux."""
    with suppress(OSError):
        return socket.gethostbyname_ex(socket.gethostname())[2]
    return []


def _interface_addresses() -> list[str]:
    """Return the address of each network interface, as Linux tells it; elsewhere none."""
    try:
        import fcntl  # noqa: PLC0415 - not on every system
    except ImportError:
        return []
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            asked = struct.pack("256s", name.encode()[:15])
            with suppress(OSError):  # an interface that is down, or has no address
                answer = fcntl.ioctl(probe.fileno(), _ADDRESS_OF, asked)
                found.append(socket.inet_ntoa(answer[20:24]))
    return found


def is_loopback(host: str) -> bool:
    """Say whether a host is this machine alone.

    >>> is_loopback("127.0.0.1:8000"), is_loopback("localhost"), is_loopback("192.168.0.7:8000")
    (True, True, False)
    """
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    return name in ("localhost", "[::1]", "::1") or name.startswith("127.")


def public_address() -> PublicAddress:
    """Return where phones find the site that is answering.

    That is what the instructor has opened. At the server itself they have opened ``localhost``,
    which is another machine on a phone.
    """
    request, config = flask.request, flask.current_app.config
    host = request.host
    if is_loopback(host) and config["CLASS_HOST"] in _ANY:
        port = host.rpartition(":")[2]
        for address in machine_addresses()[:1]:
            host = f"{address}:{port}" if port.isdigit() else address
    home = flask.url_for("site.show")
    return PublicAddress(request.scheme, host, home, is_loopback(host))


def server_addresses(settings: Settings) -> tuple[str, ...]:
    """Return under which addresses the site is opened, as far as its settings tell."""
    if settings.trusted_proxies and settings.allowed_hosts:
        return tuple(f"https://{name}" for name in settings.allowed_hosts)
    port = "" if settings.port == 80 else f":{settings.port}"  # noqa: PLR2004 - of plain HTTP
    hosts: tuple[str, ...] = (settings.host,)
    if settings.host in _ANY:
        hosts = machine_addresses() or ("127.0.0.1",)
    return tuple(f"http://{host}{port}" for host in hosts)
