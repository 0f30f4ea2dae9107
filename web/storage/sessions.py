"""A player's session: the tables on the server, and a cookie that holds a signed id, nothing else.

A subclass of Flask-Session's interface over our own store. A session is written
by one call, :meth:`Sessions.save_if_unchanged`, in views marked :func:`retry_on_conflict`; the end
of the request only sets the cookie. So a GET never writes, and a view that fails has saved nothing.
"""

import logging
import random
import secrets
import time
import zlib
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import lru_cache, wraps
from typing import Any, Final, ParamSpec, TypeVar, cast

import flask
import msgspec
from flask_session.base import ServerSideSession, ServerSideSessionInterface
from itsdangerous import BadSignature
from werkzeug.exceptions import ServiceUnavailable
from werkzeug.http import dump_cookie

from cardgames.text import Text
from web.settings import Settings
from web.signing import HexSigner
from web.storage.protocol import (
    ESTABLISHED,
    LIFETIME,
    NewRound,
    Store,
    StoreFull,
    StoreUnavailable,
    VersionedBlob,
)
from web.storage.side_effects import side_effect
from web.storage.signing_keys import SigningKeys

MAX_ATTEMPTS: Final = 24
"""How often a view is run when somebody else saves the session meanwhile."""

_PAUSE: Final = 0.001
_LONGEST_PAUSE: Final = 0.008
"""Before it is run again, a random time up to twice that of before, in seconds. A worker does
nothing else meanwhile, so it is short: all of them together are a tenth of a second at most."""

_LARGE: Final = 2_000
"""From how many bytes on a session is compressed: somebody who plays at every table."""

_COMPRESSED: Final = b"\x78"
"""How zlib's output begins, and no msgpack of a session."""

_DAY: Final = 86_400
_RENEWALS_KEPT: Final = 10_000
_renewed: Final[dict[str, int]] = {}
"""The sessions that this worker has let live on, and on which day."""

_UNREADABLE: Final = (msgspec.MsgspecError, UnicodeDecodeError)
"""What msgspec raises for what is no session; the latter for a text that is none."""

_COOKIES_KEPT: Final = 2_048
"""Of so many sessions a worker remembers the cookie that it reads and sets with their moves."""

_LONGEST_COOKIE: Final = 128
"""A longer one is none of ours."""

_SID_BYTES: Final = 16
"""So many random bytes has a session's id, which nobody guesses."""

_VERSION: Final = "_version"
_FAULT: Final = "_fault"

log = logging.getLogger("cardgames.sessions")
P = ParamSpec("P")
Answer = TypeVar("Answer")
Upgrade = Callable[[dict[str, msgspec.Raw]], dict[str, msgspec.Raw]]


class NoRoom(ServiceUnavailable):
    """There is no room for another player."""

    sentence = Text(
        "The site has no room for another player just now. Whoever plays already can go on; try "
        "again later."
    )


class Overtaken(ServiceUnavailable):
    """Other requests of the same player have come first, again and again."""

    sentence = Text(
        "Other requests of yours came first, again and again. Nothing was changed by this one: "
        "send it once more."
    )


def packed(data: bytes) -> bytes:
    """Return a session's msgpack as it is kept."""
    return zlib.compress(data, 1) if len(data) > _LARGE else data


def unpacked(data: bytes) -> bytes:
    """Return a session's msgpack again.

    Raises:
        msgspec.DecodeError: it cannot be read.
    """
    if data[:1] != _COMPRESSED:
        return data
    try:
        return zlib.decompress(data)
    except zlib.error as error:
        raise msgspec.DecodeError(str(error)) from None


class Session(ServerSideSession):  # type: ignore[misc]  # Flask-Session has no types
    """What is kept of one player: rows by their names, each as whoever owns it has packed it."""

    permanent = True
    """The cookie outlives the browser; it dies with the session, two weeks after the last move."""

    version: int
    """The version that was read from the store; 0 for a session that is not there yet."""

    unreadable: bool
    """The store had something under this id that could not be read: the tables are lost."""

    unavailable: bool
    """The store did not answer."""

    side_writes: list[NewRound]
    """The finished rounds that are to be written together with the session."""

    after_save: list[Callable[[], None]]
    """What is to be done once it is written: writes elsewhere, which may fail without harm."""

    saved = False
    """This request has written the session."""

    renewed = False
    """This request has let the session live on, though nothing of it has changed."""

    def __init__(self, sid: str, kept: Mapping[str, Any]) -> None:
        """Take what the store gave, and nothing for a visitor that it does not know."""
        super().__init__(sid=sid)
        self.load(kept)

    def load(self, kept: Mapping[str, Any]) -> None:
        """Replace all that is known of the player by what the store has."""
        dict.clear(self)
        dict.update(self, kept)  # not as a change, which is to be written
        self.version = dict.pop(self, _VERSION, 0)
        fault = dict.pop(self, _FAULT, None)
        self.unreadable = isinstance(fault, _UNREADABLE)
        self.unavailable = isinstance(fault, StoreUnavailable)
        self.modified = False
        self.side_writes = []
        self.after_save = []

    @property
    def established(self) -> bool:
        """Whether the player has made a few moves already."""
        return self.version >= ESTABLISHED


def _current_context() -> flask.ctx.RequestContext:
    """Return what Flask knows of the request being answered: itself, and not its stand-in."""
    context: Any = flask.globals.request_ctx
    return cast("flask.ctx.RequestContext", context._get_current_object())  # noqa: SLF001 - public


def session_as_read() -> Session:
    """Return the session of the request being answered, also where the store has not answered."""
    return cast("Session", _current_context().session)


def current_session() -> Session:
    """Return the session of the request being answered.

    Raises:
        ServiceUnavailable: the store does not answer.
    """
    session = session_as_read()
    if session.unavailable:
        raise ServiceUnavailable
    return session


def renew_session() -> None:
    """Let the session of the request live on, its cookie too, where nothing else would write it.

    Once a day and worker at most; it takes no move back, since only the time is written.
    """
    session = current_session()
    today = int(time.time()) // _DAY
    if not session.version or _renewed.get(session.sid) == today:
        return
    with side_effect("renewing a session"):
        store().renew(session.sid)
        if len(_renewed) >= _RENEWALS_KEPT:
            _renewed.clear()
        _renewed[session.sid] = today
        session.renewed = True


def sessions_of(app: flask.Flask) -> "Sessions":
    """Return the sessions of an app."""
    return cast("Sessions", app.session_interface)


def store() -> Store:
    """Return the store of the app that is answering."""
    return sessions_of(flask.current_app).store


class Sessions(ServerSideSessionInterface):  # type: ignore[misc]  # Flask-Session has no types
    """Opens sessions from the signed cookie, and commits them by compare-and-set."""

    session_class = Session

    def __init__(self, app: flask.Flask, store: Store, upgrade: Upgrade = dict) -> None:
        """Keep the sessions of an app in a store.

        Args:
            app: the app.
            store: where they are kept.
            upgrade: returns the rows of an older session under the names of today.
        """
        super().__init__(app, key_prefix="", sid_length=_SID_BYTES)
        self.store = store
        self._upgrade = upgrade
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(dict[str, msgspec.Raw])
        self._signer = HexSigner(app, "cardgames-session")
        self._cookie = lru_cache(maxsize=_COOKIES_KEPT)(self._new_cookie)
        self._sid = lru_cache(maxsize=_COOKIES_KEPT)(self._signed_sid)
        config = app.config
        self.keys = SigningKeys(store, config["SECRET_KEY"], config["SECRET_KEY_FALLBACKS"])

    def save_if_unchanged(self, session: Session) -> bool:
        """Write a session that the view has changed, and what it has put beside it.

        What else is to be done follows (``after_save``). Where that fails the session is saved all
        the same: whoever asks for more finds out by itself what is missing. A deal's result lies in
        a round beside the session, and whoever shows the deal adds it again.

        Returns False, and writes nothing, when somebody else has saved meanwhile.

        Raises:
            ServiceUnavailable: the store does not answer, or has no room; nothing is written.
        """
        if not (session.modified or session.side_writes):
            return True
        data = packed(self._encoder.encode(session))
        try:
            session.saved = self.store.save(session.sid, session.version, data, session.side_writes)
        except StoreUnavailable as error:
            log.error("session store: %s", error)  # noqa: TRY400 - a full disk needs no traceback
            raise ServiceUnavailable from None
        except StoreFull:
            log.warning("session store: full, a new player was turned away")
            raise NoRoom from None
        if session.saved:
            with side_effect("signing key"):
                self.keys.note()
            for follow in session.after_save:
                with side_effect("what follows a move"):
                    follow()
        return session.saved

    def sid_of(self, cookie: str) -> str | None:
        """Return the id that a cookie holds, if this site has signed it."""
        return self._sid(cookie) if 0 < len(cookie) <= _LONGEST_COOKIE else None

    def _signed_sid(self, cookie: str) -> str | None:
        try:
            return self._signer.unsign(cookie).decode()
        except BadSignature:
            return None

    def open_session(self, app: flask.Flask, request: flask.Request) -> Session:
        """Return the session that a request's cookie names, or a new one."""
        sid = self.sid_of(request.cookies.get(app.config["SESSION_COOKIE_NAME"], ""))
        kept = self._retrieve_session_data(sid) if sid else None
        if sid is None or kept is None:
            return Session(secrets.token_hex(_SID_BYTES), {})
        return Session(sid, kept)

    def reread(self, session: Session) -> None:
        """Bring a session up to what the store has now."""
        session.load(self._retrieve_session_data(session.sid) or {})

    def save_session(
        self,
        app: flask.Flask,  # noqa: ARG002 - the base class passes it
        session: Session,
        response: flask.Response,
    ) -> None:
        """Set the cookie after a move; what is kept was committed before the answer was made.

        It ends after a time, not at one: a browser does not care what the server's clock says.
        """
        if session.saved or session.renewed:
            # Kept off plain connections wherever the page itself came over TLS.
            secure = _current_context().request.is_secure
            cookie = self._cookie(session.sid, secure=secure)
            response.headers.add("Set-Cookie", cookie)

    def _new_cookie(self, sid: str, *, secure: bool) -> str:
        """Return the header that sets a session's cookie: the same after each of its moves."""
        return dump_cookie(
            self.app.config["SESSION_COOKIE_NAME"],
            self._signer.sign(sid).decode(),
            max_age=LIFETIME,
            sync_expires=False,
            path=self.app.config["SESSION_COOKIE_PATH"],
            httponly=True,
            samesite="Lax",
            secure=secure,
        )

    def _retrieve_session_data(self, store_id: str) -> dict[str, Any] | None:
        try:
            saved: VersionedBlob | None = self.store.load(store_id)
        except StoreUnavailable as error:
            log.error("session store: %s", error)  # noqa: TRY400
            return {_FAULT: error}
        if saved is None:
            return None
        try:
            rows: dict[str, Any] = {**self._upgrade(self._decoder.decode(unpacked(saved.data)))}
        except _UNREADABLE as error:
            log.warning("a session could not be read and is begun anew: %s", type(error).__name__)
            return {_FAULT: error, _VERSION: saved.version}
        rows[_VERSION] = saved.version
        return rows

    def _upsert_session(self, session_lifetime: timedelta, session: Session, store_id: str) -> None:
        """Write nothing: the base class asks for this method, :meth:`save_if_unchanged` does it."""

    def _delete_session(self, store_id: str) -> None:
        self.store.delete(store_id)


def retry_on_conflict(
    view: Callable[P, flask.typing.ResponseReturnValue],
) -> Callable[P, flask.typing.ResponseReturnValue]:
    """Mark a view that changes the session: run it, commit, and run it again on a conflict.

    The second run sees what the other request has saved, and decides again: a double click finds
    its step taken, a move at another table stands beside the first.
    """

    @wraps(view)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> flask.typing.ResponseReturnValue:
        sessions = sessions_of(flask.current_app)
        for attempt in range(MAX_ATTEMPTS):
            answer = view(*args, **kwargs)
            if sessions.save_if_unchanged(current_session()):
                return answer
            time.sleep(random.uniform(0, min(_PAUSE * 2**attempt, _LONGEST_PAUSE)))
            sessions.reread(current_session())
        raise Overtaken

    return wrapper


def register(app: flask.Flask, settings: Settings, store: Store, upgrade: Upgrade) -> None:
    """Keep an app's sessions in a store.

    Args:
        app: the app.
        settings: where the site begins behind a proxy.
        store: where they are kept.
        upgrade: returns the rows of an older session under the names of today.
    """
    app.config.update(
        PERMANENT_SESSION_LIFETIME=timedelta(seconds=LIFETIME),
        SESSION_COOKIE_NAME="cardgames",
        SESSION_COOKIE_PATH=settings.url_prefix or "/",
        SESSION_REFRESH_EACH_REQUEST=False,
    )
    app.session_interface = Sessions(app, store, upgrade)
