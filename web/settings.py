"""Settings, read from the environment once and validated."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, Self, get_type_hints
from urllib.parse import urlsplit

ROOT: Final = next(
    folder
    for folder in (Path(__file__).parent / "files", Path(__file__).parents[1])
    if (folder / "templates").is_dir()
)
"""The folder of the templates, static files, translations and docs: an installed package or a
checkout.
"""

_IS_INSTALLED: Final = ROOT.parent == Path(__file__).parent

POSTGRESQL: Final = "postgresql+psycopg://"
"""The beginning of a PostgreSQL URL."""

HTTP_PORT: Final = 80
IPV6: Final = 6

CLASSES: Final = ("off", "link", "open")
"""The possible values of the setting for the people who may open classes."""

Network = IPv4Network | IPv6Network

_REMOVED: Final = {
    "COACH": "each player turns the coach on or off",
    "INSTRUCTOR_PASSWORD": "the command instructor-link makes instructors",
    "RATE_LIMIT": "one session has one request at a time",
    "SECRET_KEY_FALLBACKS": "a new SECRET_KEY ends all sessions",
}
"""The settings of development versions, and the settings that replaced them.

To be deleted after 1.0.
"""

_is_name: Final = re.compile(
    r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*|\[[0-9a-f:.]+\]"
).fullmatch
"""Matches a host name in the form that browsers send, without a port."""

_is_header: Final = re.compile("[A-Za-z][A-Za-z0-9-]{0,63}").fullmatch


def command_line(name: str) -> str:
    """Return the shell command for one of the site's commands.

    The shell command depends on the installation.
    """
    return f"cardgames {name}" if _IS_INSTALLED else f".venv/bin/python app.py {name}"


def _without_brackets(host: str) -> str:
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host


def is_ipv6(host: str) -> bool:
    """Return whether a host is an IPv6 address, with or without brackets.

    >>> is_ipv6("::1"), is_ipv6("[fe80::1]"), is_ipv6("127.0.0.1"), is_ipv6("cards")
    (True, True, False, False)
    """
    try:
        return ip_address(_without_brackets(host)).version == IPV6
    except ValueError:
        return False


def host_and_port(host: str, port: int) -> str:
    """Return a host and a port in the notation of a URL.

    >>> host_and_port("127.0.0.1", 8000), host_and_port("::1", 8000), host_and_port("cards", 80)
    ('127.0.0.1:8000', '[::1]:8000', 'cards')
    """
    name = f"[{host}]" if is_ipv6(host) else host
    return name if port == HTTP_PORT else f"{name}:{port}"


class BadSetting(ValueError):
    """Raised if settings are invalid. The error has one message per setting."""

    def __init__(self, *sentences: str) -> None:
        super().__init__("\n".join(sentences))
        self.sentences = sentences


# Each parser returns the value of a field. If the value is invalid, it raises a ValueError whose
# message completes a sentence that begins with "NAME must be".


class Number(NamedTuple):
    """A parser for integers within a range."""

    lowest: int
    highest: int

    def __call__(self, text: str) -> int:
        """Return the number in a string."""
        # No setting needs more than nine digits, and int() is slow or fails for thousands of
        # digits.
        if text.isascii() and text.isdigit() and self.lowest <= int(text[:9]) <= self.highest:
            return int(text)
        raise ValueError(f"a number from {self.lowest} to {self.highest}")


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _path(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise ValueError("a folder (there is no such user)") from None


def _host(text: str) -> str:
    return _without_brackets(text) if is_ipv6(text) else text


def _names(text: str) -> tuple[str, ...]:
    """Return host names in the form that browsers send."""
    try:
        names = [_name(word) for word in _words(text.lower())]
    except UnicodeError:
        names = []
    if not names or not all(map(_is_name, names)):
        raise ValueError(
            "the names that browsers show, such as cards.example.edu, with commas between: no "
            "https://, no port, no slash and no *"
        )
    return tuple(names)


def _name(text: str) -> str:
    if is_ipv6(text):
        return f"[{ip_address(_without_brackets(text))}]"
    return text if text.isascii() else text.encode("idna").decode()


def _public_url(text: str) -> str:
    url = urlsplit(text)
    try:
        is_origin = url.scheme in ("http", "https") and bool(_names(url.hostname or "."))
        is_origin = is_origin and url.port != 0
    except ValueError:
        is_origin = False
    if not is_origin or url.query or url.fragment or "@" in url.netloc:
        raise ValueError("the address that phones use, such as https://cards.example.edu")
    return text.rstrip("/")


def _database(text: str) -> str:
    if not text.startswith(("sqlite:///", POSTGRESQL)):
        raise ValueError(f"empty or begin with {POSTGRESQL}")
    if text.startswith(POSTGRESQL) and not find_spec("psycopg"):
        raise BadSetting("DATABASE_URL needs the package psycopg: pip install 'psycopg[binary]'")
    return text


def _classes(text: str) -> str:
    if text.lower() not in CLASSES:
        raise ValueError(f"one of {', '.join(CLASSES)}")
    return text.lower()


def _proxies(text: str) -> int | tuple[Network, ...]:
    try:
        networks = () if text.isdigit() else tuple(map(ip_network, _words(text)))
        if networks and all(network.prefixlen for network in networks):
            return networks
        return Number(0, 9)(text)
    except ValueError:
        raise ValueError(
            "a number from 0 to 9, or addresses such as 127.0.0.1 and networks such as 10.0.0.0/8 "
            "with commas between"
        ) from None


def _header(text: str) -> str:
    # A header with an underscore could be confused with a header with a dash.
    if not _is_header(text):
        raise ValueError(
            "the name of a header, such as X-Auth-Request-User: letters, digits and hyphens"
        )
    return text


def _prefix(text: str) -> str:
    prefix = text.rstrip("/")
    if prefix and not prefix.startswith("/"):
        raise ValueError("empty or begin with a slash")
    return prefix


@dataclass(frozen=True)
class Settings:
    """The server's settings.

    Each setting's environment variable is its name in capital letters. The defaults are suitable
    for this machine only. An empty variable is treated like a missing variable.
    """

    host: Annotated[str, _host] = "127.0.0.1"
    port: Annotated[int, Number(1, 65_535)] = 8_000
    workers: Annotated[int, Number(1, 64)] = 2

    data_dir: Annotated[Path, _path] = Path("instance")
    sheets: Annotated[Path | None, _path] = None
    """The folder with an instructor's own sheets, or None."""

    database_url: Annotated[str, _database] = ""
    """The URL of the database, or an empty string for the SQLite file in ``data_dir``."""

    max_store_mb: Annotated[int, Number(0, 10**6)] = 1_000
    """Maximum size of the database in megabytes, above which new players are rejected, or 0 for no
    limit.
    """

    secret_key: str = ""
    """The signing key, or an empty string for a key that is created once and saved in ``data_dir``.
    """

    public_url: Annotated[str, _public_url] = ""
    """The URL of the site in links and QR codes for phones. If this setting is empty, the server
    determines the URL.
    """

    url_prefix: Annotated[str, _prefix] = ""
    """The path of the site behind a proxy that serves several sites, for example ``/cards``."""

    trusted_proxies: Annotated[int | tuple[Network, ...], _proxies] = 0
    """The number of proxies in front of the site that are trusted to report the client's address
    and host, or the networks of the trusted proxy.
    """

    trusted_user_header: Annotated[str, _header] = ""
    """The header in which a trusted proxy sends the login, or an empty string if there is no such
    header.
    """

    instructors: Annotated[tuple[str, ...], _words] = ()
    """The logins of the users who may open classes."""

    allowed_hosts: Annotated[tuple[str, ...], _names] = ()
    """The host names of the site. If the list is empty, any name is accepted."""

    classes: Annotated[str, _classes] = "link"
    """The people who may open classes: no one (``off``), browsers that have used a link (``link``),
    or everyone (``open``).
    """

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Read the settings.

        Raises:
            BadSetting: If any values are invalid. The error has one message per invalid value.
        """
        values: dict[str, Any] = {}
        errors: list[str] = []
        for field, hint in get_type_hints(cls, include_extras=True).items():
            name = field.upper()
            if text := environment.get(name):
                (read,) = getattr(hint, "__metadata__", (str,))
                try:
                    values[field] = read(text)
                except BadSetting as error:
                    errors += error.sentences
                except ValueError as error:
                    errors.append(f"{name} must be {error}, not {_shown(name, text)}.")
        settings = cls(**values)
        errors += settings._contradictions()
        if errors:
            raise BadSetting(*errors)
        return settings

    def _contradictions(self) -> list[str]:
        """Return one message for each setting that contradicts another setting."""
        messages = []
        if self.trusted_user_header and not self.proxy_networks:
            messages.append(
                "TRUSTED_USER_HEADER needs TRUSTED_PROXIES to be the addresses of the proxies that "
                "set it (TRUSTED_PROXIES=127.0.0.1, not a number): anybody else could send it."
            )
        if self.instructors and not self.trusted_user_header:
            messages.append("INSTRUCTORS is a list of logins: it needs TRUSTED_USER_HEADER.")
        url = urlsplit(self.public_url)
        if url.path not in ("", self.url_prefix):
            messages.append(
                f"PUBLIC_URL ends in {url.path}, and URL_PREFIX is {self.url_prefix!r}."
            )
        if self.allowed_hosts and self.public_name and self.public_name not in self.allowed_hosts:
            messages.append(f"PUBLIC_URL has the name {self.public_name}: add it to ALLOWED_HOSTS.")
        return messages

    @property
    def public_name(self) -> str:
        """The host name in ``PUBLIC_URL``, or an empty string."""
        name = urlsplit(self.public_url).hostname or ""
        return _names(name)[0] if name else ""

    @property
    def public_origin(self) -> str:
        """``PUBLIC_URL`` without the prefix, or an empty string."""
        url = urlsplit(self.public_url)
        return f"{url.scheme}://{url.netloc}" if self.public_url else ""

    @classmethod
    def names(cls) -> frozenset[str]:
        """Return the names of the environment variables."""
        return frozenset(field.upper() for field in get_type_hints(cls))

    @classmethod
    def removed(cls, environment: Mapping[str, str] = os.environ) -> str:
        """Return a message about variables of removed settings, or an empty string.

        >>> Settings.removed({"COACH": "off", "HOME": "/root"})
        'Not read any more: COACH (each player turns the coach on or off).'
        """
        names = [f"{name} ({reason})" for name, reason in _REMOVED.items() if environment.get(name)]
        return f"Not read any more: {', '.join(names)}." if names else ""

    @property
    def proxy_count(self) -> int:
        """The number of trusted proxies, or 1 if the proxy must be in certain networks."""
        return self.trusted_proxies if isinstance(self.trusted_proxies, int) else 1

    @property
    def proxy_networks(self) -> tuple[Network, ...]:
        """The networks of the trusted proxy, or an empty tuple for any network."""
        return () if isinstance(self.trusted_proxies, int) else self.trusted_proxies

    @property
    def store_limit(self) -> int:
        """Maximum size of the database in bytes, or 0 for no limit."""
        return self.max_store_mb * 1_000_000


def _shown(name: str, text: str) -> str:
    """Return a value for a message.

    A database URL is truncated before its password.
    """
    return f"{text[:9]!r}…" if name == "DATABASE_URL" else repr(text)
