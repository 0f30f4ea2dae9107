"""What an instructor can set: read from the environment once, checked, and never changed."""

import logging
import os
import re
import secrets
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any, Final, Self

POSTGRESQL: Final = "postgresql+psycopg://"
"""How the address of a server of PostgreSQL begins."""

_SWITCHES: Final = {
    **dict.fromkeys(("1", "on", "yes", "true"), True),
    **dict.fromkeys(("0", "off", "no", "false"), False),
}
"""What a switch can be set to, in any case."""

_ALIKE: Final = 0.85  # from how much of a name on (1: all of it) it looks like that of a setting

_OTHERS: Final = 0o077  # the rights of everybody but the owner of a file

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


def _parsed(default: object, read: Callable[[str, str], object], name: str = "") -> Any:
    """Return the field of what a function makes of a variable's name and text, or refuses.

    Args:
        default: the field's.
        read: makes its value.
        name: the variable's, where that is another.
    """
    return field(default=default, metadata={"read": read, "name": name})


def _number(default: int, lowest: int, highest: int) -> Any:
    """Return the field of a whole number."""
    return _parsed(default, lambda name, text: _whole(name, text, lowest, highest))


def _whole(name: str, text: str, lowest: int, highest: int) -> int:
    # Nine digits are more than any setting has; int() of thousands would take long, or refuse.
    if text.isascii() and text.isdigit() and lowest <= int(text[:9]) <= highest:
        return int(text)
    raise BadSetting(f"{name} must be a number from {lowest} to {highest}, not {text!r}.")


def _switch(name: str, text: str) -> bool:
    if text.lower() not in _SWITCHES:
        raise BadSetting(f"{name} must be on or off, not {text!r}.")
    return _SWITCHES[text.lower()]


def _listed(_: str, text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _database(name: str, text: str) -> str:
    if not text.startswith(("sqlite:///", POSTGRESQL)):
        raise BadSetting(f"{name} must be empty or begin with {POSTGRESQL}, not {text[:9]!r}….")
    if text.startswith(POSTGRESQL) and not find_spec("psycopg"):
        raise BadSetting(f"{name} needs psycopg: install cardgames[postgresql].")
    return text


def _classes(name: str, text: str) -> str:
    if text.lower() not in CLASSES:
        raise BadSetting(f"{name} must be one of {', '.join(CLASSES)}, not {text!r}.")
    return text.lower()


def _proxies(name: str, text: str) -> int:
    """Return how many proxies are believed: one, where they must come from some networks."""
    if text.isascii() and text.isdigit():
        return _whole(name, text, 0, 9)
    if _networks(name, text):
        return 1
    raise BadSetting(
        f"{name} must be a number from 0 to 9, or addresses such as 127.0.0.1 and networks "
        f"such as 10.0.0.0/8 with commas between, not {text!r}."
    )


def _networks(name: str, text: str) -> tuple[Network, ...]:
    """Return the networks that a proxy must come from; none where a number is set."""
    try:
        networks = tuple(map(ip_network, _listed(name, text)))
    except ValueError:
        return ()
    return networks if all(network.prefixlen for network in networks) else ()


def _header(name: str, text: str) -> str:
    """Return the name of a header; with an underscore it could be another's by its looks."""
    if not _is_header(text):
        raise BadSetting(
            f"{name} must be the name of a header, such as X-Auth-Request-User: "
            f"letters, digits and hyphens, not {text!r}."
        )
    return text


def _prefix(name: str, text: str) -> str:
    prefix = text.rstrip("/")
    if prefix and not prefix.startswith("/"):
        raise BadSetting(f"{name} must begin with a slash, not {text!r}.")
    return prefix


@dataclass(frozen=True)
class Settings:
    """The server's settings: each is a variable of its name in capitals.

    Every one has a default that serves this machine alone; an empty variable is as good as none.
    """

    host: str = "127.0.0.1"
    port: int = _number(8000, 1, 65_535)
    workers: int = _number(2, 1, 64)
    data_dir: Path = _parsed(  # noqa: RUF009 - a field
        Path("instance"), lambda _, text: Path(text)
    )
    sheets: Path | None = _parsed(  # noqa: RUF009 - a field
        None, lambda _, text: Path(text)
    )
    """A folder of an instructor's own sheets, each a folder; none for ours alone."""

    database_url: str = _parsed("", _database)
    """Empty for SQLite's file in ``data_dir``."""

    max_store_mb: int = _number(1_000, 0, 10**6)
    """How many megabytes the store may take before new players are turned away; 0 for any."""

    secret_key: str = ""
    """Empty for a key that is made once and kept in ``data_dir``."""

    secret_key_fallbacks: tuple[str, ...] = _parsed((), _listed)
    """Older keys, whose cookies are still good."""

    url_prefix: str = _parsed("", _prefix)
    """Where the site begins behind a class server's proxy, ``/cards`` for example."""

    trusted_proxies: int = _parsed(0, _proxies)
    """How many proxies in front may be believed about the browser's address and host."""

    proxy_networks: tuple[Network, ...] = _parsed((), _networks, "TRUSTED_PROXIES")
    """Where the proxy must come from that is believed; empty for anywhere."""

    trusted_user_header: str = _parsed("", _header)
    """The header in which such a proxy says who has signed on; empty for none."""

    instructors: tuple[str, ...] = _parsed((), _listed)
    """The logins that may open classes."""

    allowed_hosts: tuple[str, ...] = _parsed((), lambda name, text: _listed(name, text.lower()))
    """The names the site is called by; empty for any."""

    rate_limit: int = _number(12_000, 0, 10_000_000)
    """How many requests a minute a session may send a worker while a class plays; 0 for any."""

    coach: bool = _parsed(default=True, read=_switch)
    """Whether players may ask the coach for the odds."""

    classes: str = _parsed("link", _classes)
    """Who opens classes: nobody (``off``), who has a link (``link``), or anybody (``open``)."""

    instructor_password: str = ""
    """What makes a browser an instructor's besides a link; empty for nothing."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Read the settings.

        Raises:
            BadSetting: values that make no sense, all of them named.
        """
        found: dict[str, Any] = {}
        errors: list[str] = []
        for one in fields(cls):
            name = _variable(one)
            if text := environment.get(name):
                try:
                    found[one.name] = one.metadata["read"](name, text) if one.metadata else text
                except BadSetting as error:
                    errors += error.sentences
        settings = cls(**found)
        if settings.trusted_user_header and not settings.proxy_networks:
            errors.append(_ANYBODYS_HEADER)
        if settings.instructors and not settings.trusted_user_header:
            errors.append(_NO_HEADER)
        if errors:
            raise BadSetting(*errors)
        return settings

    @classmethod
    def names(cls) -> frozenset[str]:
        """Return the variables that are read."""
        return frozenset(map(_variable, fields(cls)))

    @classmethod
    def misspelt(cls, environment: Mapping[str, str] = os.environ) -> list[str]:
        """Return a sentence for each variable that is no setting, but looks like one.

        >>> Settings.misspelt({"ALOWED_HOSTS": "cards.example.edu", "HOME": "/root"})
        ['ALOWED_HOSTS is no setting, and is not read. Is ALLOWED_HOSTS meant?']
        """
        known = cls.names()
        unknown = sorted(environment.keys() - known)
        meant = {name: get_close_matches(name.upper(), known, 1, _ALIKE) for name in unknown}
        if "SESSION_STORE" in unknown:  # of earlier versions
            meant["SESSION_STORE"] = ["DATABASE_URL"]
        return [
            f"{name} is no setting, and is not read. Is {close[0]} meant?"
            for name, close in meant.items()
            if close
        ]

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


def _variable(one: Field[Any]) -> str:
    """Return the name of the variable that a field is read from."""
    return one.metadata.get("name") or one.name.upper()


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


def write_private(path: Path, data: bytes) -> None:
    """Write a file for the owner alone, whole or not at all."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_bytes(data)
    draft.replace(path)


def make_private(path: Path) -> None:
    """Take everybody else's rights off a file of ours; a restored copy may have come with them."""
    with suppress(OSError):  # somebody else's file is reported by `make check`
        mode = path.stat().st_mode
        if mode & _OTHERS:
            path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
            log.warning("%s could be read by others on this machine, and is private now", path)
