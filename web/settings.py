"""What an instructor can set: read from the environment once, checked, and never changed."""

import logging
import os
import re
import secrets
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Final, Self

REDIS: Final = (
    *("redis://", "rediss://", "unix://", "redis+cluster://", "rediss+cluster://"),
    *("redis+sentinel://", "rediss+sentinel://"),
)
"""How the address of a Redis begins: plain, over TLS, through a socket file, or of several."""


_SWITCHES: Final = {
    **dict.fromkeys(("1", "on", "yes", "true"), True),
    **dict.fromkeys(("0", "off", "no", "false"), False),
}
"""What a switch can be set to, in any case."""

_ALIKE: Final = 0.85
"""From how much of a name on (1: all of it) it looks like that of a setting."""

_OTHERS: Final = 0o077
"""The rights of everybody but the owner of a file."""

ROOT: Final = next(
    folder
    for folder in (Path(__file__).parent / "files", Path(__file__).parents[1])
    if (folder / "templates").is_dir()
)
"""Where templates, static files, translations and docs lie: an installed package has them in
itself, and a checkout in its folder."""

log = logging.getLogger("cardgames.settings")

Network = IPv4Network | IPv6Network


CLASSES: Final = ("off", "link", "open")
"""Who may open classes."""


_is_header: Final = re.compile("[A-Za-z][A-Za-z0-9-]{0,63}").fullmatch

_ANYBODYS_HEADER: Final = (
    "TRUSTED_USER_HEADER needs TRUSTED_PROXIES to be the addresses of the proxies that set it "
    "(TRUSTED_PROXIES=127.0.0.1, not a number): anybody else could send it."
)
_NO_HEADER: Final = "INSTRUCTORS is a list of logins: it needs TRUSTED_USER_HEADER."


class BadSetting(ValueError):
    """Settings that the server cannot start with, in a sentence each."""

    def __init__(self, *sentences: str) -> None:
        """Name what is wrong."""
        super().__init__("\n".join(sentences))
        self.sentences = sentences


@dataclass(frozen=True)
class Settings:
    """The server's settings. Every one has a default that serves this machine alone."""

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 2
    data_dir: Path = Path("instance")
    session_store: str = ""
    """Empty for the embedded SQLite file in ``data_dir``."""

    max_store_mb: int = 1_000
    """How many megabytes the store may take before new players are turned away; 0 for any."""

    secret_key: str = ""
    """Empty for a key that is made once and kept in ``data_dir``."""

    secret_key_fallbacks: tuple[str, ...] = ()
    """Older keys, whose cookies are still good."""

    url_prefix: str = ""
    """Where the site begins behind a class server's proxy, ``/cards`` for example."""

    trusted_proxies: int = 0
    """How many proxies in front may be believed about the browser's address and host."""

    proxy_networks: tuple[Network, ...] = ()
    """Where the proxy must come from that is believed; empty for anywhere."""

    trusted_user_header: str = ""
    """The header in which such a proxy says who has signed on; empty for none."""

    instructors: tuple[str, ...] = ()
    """The logins that may open classes."""

    allowed_hosts: tuple[str, ...] = ()
    """The names the site is called by; empty for any."""

    rate_limit: int = 12_000
    """How many requests a minute a session may send a worker while a class plays; 0 for any."""

    metrics: bool = False
    """Whether ``/metrics`` shows its counters."""

    coach: bool = True
    """Whether players may ask the coach for the odds."""

    classes: str = "link"
    """Who opens classes: nobody (``off``), who has a link (``link``), or anybody (``open``)."""

    instructor_password: str = ""
    """What makes a browser an instructor's besides a link; empty for nothing."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Read the settings.

        Raises:
            BadSetting: values that make no sense, all of them named.
        """
        reader = _Reader(environment)
        settings = cls._read(reader)
        if reader.errors:
            raise BadSetting(*reader.errors)
        return settings

    @classmethod
    def names(cls) -> frozenset[str]:
        """Return the variables that are read."""
        reader = _Reader({})
        cls._read(reader)
        return frozenset(reader.names)

    @classmethod
    def misspelt(cls, environment: Mapping[str, str] = os.environ) -> list[str]:
        """Return a sentence for each variable that is no setting, but looks like one.

        >>> Settings.misspelt({"ALOWED_HOSTS": "cards.example.edu", "HOME": "/root"})
        ['ALOWED_HOSTS is no setting, and is not read. Is ALLOWED_HOSTS meant?']
        """
        known = cls.names()
        unknown = sorted(environment.keys() - known)
        meant = {name: get_close_matches(name.upper(), known, 1, _ALIKE) for name in unknown}
        return [
            f"{name} is no setting, and is not read. Is {close[0]} meant?"
            for name, close in meant.items()
            if close
        ]

    @classmethod
    def _read(cls, read: "_Reader") -> Self:
        proxies, networks = read.proxies("TRUSTED_PROXIES")
        settings = cls(
            host=read.text("HOST") or cls.host,
            port=read.number("PORT", cls.port, lowest=1, highest=65_535),
            workers=read.number("WORKERS", cls.workers, lowest=1, highest=64),
            data_dir=Path(read.text("DATA_DIR") or cls.data_dir),
            session_store=read.parsed("SESSION_STORE", _store),
            max_store_mb=read.number("MAX_STORE_MB", cls.max_store_mb, lowest=0, highest=10**6),
            secret_key=read.text("SECRET_KEY"),
            secret_key_fallbacks=_listed(read.text("SECRET_KEY_FALLBACKS")),
            url_prefix=read.parsed("URL_PREFIX", _prefix),
            trusted_proxies=proxies,
            proxy_networks=networks,
            trusted_user_header=read.parsed("TRUSTED_USER_HEADER", _header),
            instructors=_listed(read.text("INSTRUCTORS")),
            allowed_hosts=_listed(read.text("ALLOWED_HOSTS").lower()),
            rate_limit=read.number("RATE_LIMIT", cls.rate_limit, lowest=0, highest=10_000_000),
            metrics=read.switch("METRICS", default=cls.metrics),
            coach=read.switch("COACH", default=cls.coach),
            classes=read.parsed("CLASSES", _classes),
            instructor_password=read.text("INSTRUCTOR_PASSWORD"),
        )
        if settings.trusted_user_header and not networks:
            read.errors.append(_ANYBODYS_HEADER)
        if settings.instructors and not settings.trusted_user_header:
            read.errors.append(_NO_HEADER)
        return settings

    @property
    def store_limit(self) -> int:
        """How many bytes the store may take before it counts as full; 0 for any number."""
        return self.max_store_mb * 1_000_000

    def ensure_data_dir(self) -> Path:
        """Return the data directory, made for the owner alone if it is not there yet.

        Raises:
            BadSetting: it cannot be made.
        """
        try:
            self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise BadSetting(f"DATA_DIR {self.data_dir}: {error.strerror}.") from None
        return self.data_dir

    def signing_key(self) -> str:
        """Return the signing key: the one that was set, or one made once and kept."""
        return self.secret_key or _kept_key(self.ensure_data_dir() / "secret_key")


class _Reader:
    """Reads settings, and remembers which there are and which of them make no sense."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.names: set[str] = set()
        self.errors: list[str] = []

    def text(self, name: str) -> str:
        """Return a setting as it stands; nothing where it is not there."""
        self.names.add(name)
        return self._environment.get(name, "")

    def number(self, name: str, default: int, lowest: int, highest: int) -> int:
        """Return a whole number."""
        text = self.text(name)
        if not text:
            return default
        if text.isascii() and text.isdigit() and lowest <= int(text[:9]) <= highest:
            return int(text)
        self.errors.append(f"{name} must be a number from {lowest} to {highest}, not {text!r}.")
        return default

    def switch(self, name: str, *, default: bool) -> bool:
        """Return whether something is on."""
        text = self.text(name)
        found = _SWITCHES.get(text.lower(), default if not text else None)
        if found is None:
            self.errors.append(f"{name} must be on or off, not {text!r}.")
            return default
        return found

    def proxies(self, name: str) -> tuple[int, tuple[Network, ...]]:
        """Return how many proxies are believed, and the networks that they must come from."""
        text = self.text(name)
        if not text or (text.isascii() and text.isdigit()):
            return self.number(name, Settings.trusted_proxies, lowest=0, highest=9), ()
        try:
            networks = tuple(map(ip_network, _listed(text)))
        except ValueError:
            networks = ()
        if networks and all(network.prefixlen for network in networks):
            return 1, networks
        self.errors.append(
            f"{name} must be a number from 0 to 9, or addresses such as 127.0.0.1 and networks "
            f"such as 10.0.0.0/8 with commas between, not {text!r}."
        )
        return 0, ()

    def parsed(self, name: str, parse: Callable[[str], str]) -> str:
        """Return what a function makes of a setting that it may refuse."""
        text = self.text(name)
        try:
            return parse(text)
        except BadSetting as error:
            self.errors += error.sentences
            return text


def _listed(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _store(text: str) -> str:
    if text and not text.startswith(REDIS):
        raise BadSetting(f"SESSION_STORE must be empty or begin with redis://, not {text[:9]!r}….")
    return text


def _classes(text: str) -> str:
    choice = text.lower() or Settings.classes
    if choice not in CLASSES:
        raise BadSetting(f"CLASSES must be one of {', '.join(CLASSES)}, not {text!r}.")
    return choice


def _header(text: str) -> str:
    """Return the name of a header; with an underscore it could be another's by its looks."""
    if text and not _is_header(text):
        raise BadSetting(
            "TRUSTED_USER_HEADER must be the name of a header, such as X-Auth-Request-User: "
            f"letters, digits and hyphens, not {text!r}."
        )
    return text


def _prefix(text: str) -> str:
    prefix = text.rstrip("/")
    if prefix and not prefix.startswith("/"):
        raise BadSetting(f"URL_PREFIX must begin with a slash, not {text!r}.")
    return prefix


def _kept_key(path: Path) -> str:
    """Read the key, or make it, for the owner alone."""
    try:
        if not path.exists():
            _make_key(path)
        make_private(path)
        key = path.read_text().strip()
    except OSError as error:
        raise BadSetting(f"The key in {path} cannot be kept: {error.strerror}.") from None
    if not key:
        raise BadSetting(f"The key in {path} is empty. Delete the file, and a new one is made.")
    return key


def _make_key(path: Path) -> None:
    """Write a new key and link it into place whole, so that two workers agree on one."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    draft.touch(mode=0o600)
    try:
        draft.write_text(secrets.token_urlsafe(48))
        path.hardlink_to(draft)
    except FileExistsError:
        pass  # another worker was first: its key is the key
    finally:
        draft.unlink()


def make_private(path: Path) -> None:
    """Take everybody else's rights off a file of ours; a restored copy may have come with them."""
    with suppress(OSError):  # somebody else's file is reported by `make check`
        mode = path.stat().st_mode
        if mode & _OTHERS:
            path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
            log.warning("%s could be read by others on this machine, and is private now", path)
