"""What an instructor can set: read from the environment once, checked, and never changed."""

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

REDIS: Final = ("redis://", "rediss://", "unix://")
"""How the address of a Redis begins: plain, over TLS, through a socket file."""


CLASSES: Final = ("off", "link", "open")
"""Who may open classes."""


class BadSetting(ValueError):
    """A setting that the server cannot start with, in one sentence."""


@dataclass(frozen=True)
class Settings:
    """The server's settings. Every one has a default that serves this machine alone."""

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 2
    data_dir: Path = Path("instance")
    session_store: str = ""
    """Empty for the embedded SQLite file in ``data_dir``."""

    secret_key: str = ""
    """Empty for a key that is made once and kept in ``data_dir``."""

    secret_key_fallbacks: tuple[str, ...] = ()
    """Older keys, whose cookies are still good."""

    url_prefix: str = ""
    """Where the site begins behind a class server's proxy, ``/cards`` for example."""

    trusted_proxies: int = 0
    """How many proxies in front may be believed about the browser's address and host."""

    allowed_hosts: tuple[str, ...] = ()
    """The names the site is called by; empty for any."""

    rate_limit: int = 12_000
    """How many requests a minute a session may send a worker while a class plays; 0 for any."""

    metrics: bool = False
    """Whether ``/metrics`` tells its counters."""

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
            BadSetting: a value that makes no sense, named.
        """
        read = environment.get
        return cls(
            host=read("HOST") or cls.host,
            port=_number(environment, "PORT", cls.port, lowest=1, highest=65_535),
            workers=_number(environment, "WORKERS", cls.workers, lowest=1, highest=64),
            data_dir=Path(read("DATA_DIR") or cls.data_dir),
            session_store=_store(read("SESSION_STORE", "")),
            secret_key=read("SECRET_KEY", ""),
            secret_key_fallbacks=_listed(read("SECRET_KEY_FALLBACKS", "")),
            url_prefix=_prefix(read("URL_PREFIX", "")),
            trusted_proxies=_number(
                environment, "TRUSTED_PROXIES", cls.trusted_proxies, lowest=0, highest=9
            ),
            allowed_hosts=_listed(read("ALLOWED_HOSTS", "").lower()),
            rate_limit=_number(
                environment, "RATE_LIMIT", cls.rate_limit, lowest=0, highest=10_000_000
            ),
            metrics=bool(_number(environment, "METRICS", cls.metrics, lowest=0, highest=1)),
            coach=read("COACH", "on").lower() not in ("off", "no", "0"),
            classes=_classes(read("CLASSES", "").lower() or cls.classes),
            instructor_password=read("INSTRUCTOR_PASSWORD", ""),
        )

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


def _number(
    environment: Mapping[str, str], name: str, default: int, lowest: int, highest: int
) -> int:
    text = environment.get(name, "")
    if not text:
        return default
    if text.isascii() and text.isdigit() and lowest <= int(text[:9]) <= highest:
        return int(text)
    raise BadSetting(f"{name} must be a number from {lowest} to {highest}, not {text!r}.")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _store(text: str) -> str:
    if text and not text.startswith(REDIS):
        raise BadSetting(f"SESSION_STORE must be empty or begin with redis://, not {text[:9]!r}….")
    return text


def _classes(text: str) -> str:
    if text not in CLASSES:
        raise BadSetting(f"CLASSES must be one of {', '.join(CLASSES)}, not {text!r}.")
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
