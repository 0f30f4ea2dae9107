"""A player's session: Flask-Session with the site's database, in the transaction of the request.

The cookie contains only a signed ID. The session is a row of ``sessions``, which is read before the
view is called. A POST locks the row, and :class:`web.http.responses.App` saves the row in the
request's only commit. Flask-Session's own SQLAlchemy backend is not used, because it commits
separately and does not lock the row, so one of two tabs could lose a move.
"""

import logging
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final, TypeVar, cast
from wsgiref.types import WSGIEnvironment

import flask
import msgspec
from flask.sessions import SessionMixin
from flask_session.base import ServerSideSession, ServerSideSessionInterface
from sqlalchemy import bindparam, delete, insert, select, update
from werkzeug.exceptions import ServiceUnavailable
from werkzeug.http import dump_cookie
from werkzeug.sansio.http import parse_cookie

from cardgames.text import Text
from web import db
from web.db.models import SavedSession
from web.settings import Settings
from web.signing import HexSigner, fingerprint

DAY: Final = 86_400
"""Number of seconds in a day."""

BRIEF, USUAL, TERM = 1, 14, 130
"""The lifetimes of a saved session in days: for a new player, for an established player, and for a
student or instructor.

The last lifetime is longer than the lifetime of a class
(:data:`web.classroom.desk.opening.LIFETIMES`).
"""

ESTABLISHED: Final = 10
"""Number of saves after which a player is no longer considered new."""

OLD_COOKIE: Final = "cardgames"
"""The cookie's name in development versions. The name now includes a fingerprint of the key,
because browsers send a site's cookies to all ports of its host (RFC 6265, 8.5).
"""

LOGIN: Final = "cardgames.login"
"""The key in the WSGI environment for the login that a trusted proxy sent."""

_MAX_COOKIE: Final = 128  # maximum length of the session cookie
_SID_BYTES: Final = 16  # number of random bytes in a session ID, too many to guess
_DROPPED_FOR_ONE: Final = 2  # maximum number of sessions that are evicted for a new session
_SERVER_ERROR: Final = 500

# Statements are built once: building a statement takes 0.2 ms, and a hit and its page take 3 ms.
_table: Any = SavedSession.__table__
_is_this: Final = _table.c.id == bindparam("sid")
_FIND: Final = select(_table.c.data, _table.c.moves, _table.c.days, _table.c.expires).where(
    _is_this
)
_LOCK: Final = _FIND.with_for_update()
_SAVE: Final = update(_table).where(_is_this)
_INSERT: Final = insert(_table)
_RENEW: Final = _SAVE.values(expires=bindparam("until"))
_GIVES_WAY: Final = delete(_table).where(
    _table.c.id.in_(
        select(_table.c.id)
        .where(_table.c.expires <= bindparam("until"))
        .order_by(_table.c.expires)
        .limit(_DROPPED_FOR_ONE)
    )
)

# Flask-Session's own serializer is not used, because it may read pickle.
_decode: Final = msgspec.msgpack.Decoder(dict[str, bytes]).decode

log = logging.getLogger("cardgames.sessions")
T = TypeVar("T")


class StoreFull(ServiceUnavailable):
    """Raised if the database has no room for another player, deal or class."""

    sentence = Text(
        "There is no room for another player right now. Players already here can continue; try "
        "again later."
    )


class PlayerSession(ServerSideSession):
    """The stored values of a player, keyed by name.

    Each value is serialized separately.
    """

    moves = 0
    days = BRIEF
    expires = 0
    is_kept = False
    """Whether the database contains the session."""

    is_saved = False
    """Whether this request saved or renewed the session, so that the response sets its cookie."""

    unreadable = False
    """Whether the row could not be read. In this case, the session's tables are lost."""

    def value(self, key: str, kind: type[T]) -> T:
        """Return the value under a key, or an empty value if it is missing or unreadable."""
        try:
            return msgspec.msgpack.decode(self[key], type=kind) if key in self else kind()
        except (msgspec.MsgspecError, UnicodeDecodeError, TypeError):
            return kind()

    def keep(self, key: str, value: Any) -> None:
        """Store a value under a key."""
        self[key] = msgspec.msgpack.encode(value)

    def live(self, days: int) -> None:
        """After a save, extend the session's lifetime to at least a number of days."""
        self.days = max(self.days, days)


class SessionInterface(ServerSideSessionInterface):
    """Opens and saves sessions in the transaction of each request.

    If requests have a login, the cookie is signed for that login and opens no session for another
    login.
    """

    session_class = PlayerSession
    ttl = False

    def __init__(self, app: flask.Flask, store_limit: int = 0, user_header: str = "") -> None:
        """Store the app's sessions in its database.

        Args:
            app: The app whose sessions are stored.
            store_limit: Size of the database, in bytes, above which new players are rejected, or 0
                for no limit.
            user_header: Name of the header with the login from a trusted proxy, or an empty string.
        """
        super().__init__(app, key_prefix="", permanent=False)
        self._limit = store_limit
        self._login_key = f"HTTP_{user_header.upper().replace('-', '_')}"
        self._signer = HexSigner(app, "cardgames-session")

    # ---- The cookie --------------------------------------------------------------------------

    def find_sid(self, cookie: str, login: str = "") -> str:
        """Return the ID in a cookie that is signed for a login, or an empty string."""
        if len(cookie) > _MAX_COOKIE:
            return ""
        sid, _, signature = cookie.rpartition(".")
        is_ours = sid.isalnum() and self._signer.verify_signature(_signed(sid, login), signature)
        return sid if is_ours else ""

    def read_player_key(self, environ: WSGIEnvironment) -> str:
        """Return the signed ID in a request's session cookie, or an empty string.

        The cookie is parsed in the same way as by Flask, which accepts any bytes.
        """
        cookies = parse_cookie(environ.get("HTTP_COOKIE"))
        return self._sid_in(self.app, cookies, environ.get(self._login_key, ""))

    def _sid_in(self, app: flask.Flask, cookies: Mapping[str, str], login: str) -> str:
        cookie = cookies.get(self.get_cookie_name(app)) or cookies.get(OLD_COOKIE, "")
        return self.find_sid(cookie, login)

    # ---- The row -----------------------------------------------------------------------------

    def open_session(self, app: flask.Flask, request: flask.Request) -> PlayerSession | None:
        """Return the session of a request's cookie, or a new session.

        A POST locks the row. Returns None if the database is unavailable, so that pages without a
        session still work.
        """
        login = request.environ.get(LOGIN, "")
        session = PlayerSession(sid=self._sid_in(app, request.cookies, login))
        try:
            if session.sid:
                self.load(session)
        except db.DATABASE_ERRORS as error:
            flask.g.session_fault = error
            return None
        if not session.is_kept:  # The session is new, or its row was deleted.
            session.sid = secrets.token_hex(_SID_BYTES)
        return session

    def load(self, session: PlayerSession) -> None:
        """Read the values of a session, and lock its row if the request may write.

        If the row cannot be read, the session is empty.
        """
        data = self._retrieve_session_data(session.sid)
        if data is None:
            return
        session.moves, session.days, session.expires, session.unreadable = data.pop("")
        dict.clear(session)
        dict.update(session, data)  # Loading does not mark the session as modified.
        session.is_kept = True

    def _retrieve_session_data(self, store_id: str) -> dict[str, Any] | None:
        query = _LOCK if db.transaction().writes else _FIND
        row = db.execute(query, sid=store_id).one_or_none()
        if row is None or row.expires <= db.now():
            return None
        try:
            values, unreadable = _decode(row.data), False
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            log.warning("a session could not be read and is begun anew: %s", type(error).__name__)
            values, unreadable = {}, True
        return {**values, "": (row.moves, row.days, row.expires, unreadable)}

    def save(self, session: PlayerSession) -> None:
        """Save a session in the transaction of its request, if the session was modified.

        Raises:
            StoreFull: If the session is new and the database is full.
        """
        if session.modified:
            session.moves += 1
            if session.moves >= ESTABLISHED:
                session.live(USUAL)
            self._upsert_session(timedelta(days=session.days), session, session.sid)
            session.modified = False

    def _upsert_session(
        self, session_lifetime: timedelta, session: ServerSideSession, store_id: str
    ) -> None:
        assert isinstance(session, PlayerSession)  # noqa: S101 - session_class
        # The session must not expire early because a clock was wrong for a while.
        expires = compute_expiry(db.now(), session_lifetime.days)
        session.expires = max(session.expires, expires)
        values = {
            "data": msgspec.msgpack.encode(dict(session)),
            "moves": session.moves,
            "days": session.days,
            "expires": session.expires,
        }
        if session.is_kept:
            db.execute(_SAVE, sid=store_id, **values)
        else:
            self._make_room()
            db.execute(_INSERT, id=store_id, **values)
        session.is_kept = session.is_saved = True

    def _make_room(self) -> None:
        """If the database is full, evict sessions that expire within a day to make room.

        Raises:
            StoreFull: If no session can be evicted.
        """
        if not db.database().is_full(self._limit):
            return
        until = compute_expiry(db.now(), BRIEF)
        if not db.execute(_GIVES_WAY, {"until": until}).rowcount:
            raise StoreFull

    def _delete_session(self, store_id: str) -> None:
        db.execute(delete(_table).where(_is_this), {"sid": store_id})

    def _delete_expired_sessions(self) -> None:
        with db.write_transaction():
            db.execute(delete(_table).where(_table.c.expires <= db.now()))

    def save_session(
        self, app: flask.Flask, session: SessionMixin, response: flask.Response
    ) -> None:
        """Set the cookie of a session that was saved or renewed.

        The header is the same after each move. The cookie has Max-Age instead of Expires, because
        the browser's clock may differ from the server's.
        """
        assert isinstance(session, PlayerSession)  # noqa: S101 - session_class
        if not session.is_saved or response.status_code >= _SERVER_ERROR:
            return
        signature = self._signer.get_signature(_signed(session.sid, current_login()))
        cookie = dump_cookie(
            self.get_cookie_name(app),
            f"{session.sid}.{signature.decode()}",
            max_age=timedelta(days=session.days),
            sync_expires=False,
            path=self.get_cookie_path(app),
            httponly=True,
            # With Lax, the browser sends the cookie with a request from a link in a chat, but not
            # with a form from another site.
            samesite="Lax",
            # A cookie that was set over TLS is never sent over a plain connection.
            secure=flask.request.is_secure,
        )
        response.headers.add("Set-Cookie", cookie)


def _signed(sid: str, login: str) -> str:
    """Return the string to sign for a session.

    Neither the ID nor the login contains a space.
    """
    return f"{sid} {login}" if login else sid


def compute_expiry(now: float, days: int) -> int:
    """Return a session's expiry after a save, rounded up to a day or an hour."""
    unit = DAY if days > BRIEF else 3_600
    return int(now + DAY * days) // unit * unit + unit


def sessions() -> SessionInterface:
    """Return the session interface of the current app."""
    return cast("SessionInterface", flask.current_app.session_interface)


def current_session() -> PlayerSession:
    """Return the session of the current request.

    Raises:
        Unavailable: If the session could not be opened.
    """
    proxy: Any = flask.session
    session = proxy._get_current_object()  # noqa: SLF001 - documented
    if not isinstance(session, PlayerSession):
        raise flask.g.session_fault
    return session


def current_login() -> str:
    """Return the login of the current request, or an empty string."""
    login: str = flask.request.environ.get(LOGIN, "")
    return login


def renew_session() -> None:
    """Extend the session and its cookie in a read-only request, at most once per day."""
    session = current_session()
    until = compute_expiry(db.now(), session.days)
    if session.is_kept and session.expires < until:
        with db.write_transaction():
            db.execute(_RENEW, sid=session.sid, until=until)
        session.expires, session.is_saved = until, True


@contextmanager
def changing_session() -> Iterator[PlayerSession]:
    """Yield a session that can be changed in a read-only request.

    The session is committed on exit.
    """
    session = current_session()
    with db.write_transaction():
        if session.is_kept:
            sessions().load(session)
        yield session
        sessions().save(session)


def register(app: flask.Flask, settings: Settings) -> None:
    """Register the app's sessions."""
    app.config.update(
        SESSION_COOKIE_NAME=f"{OLD_COOKIE}-{fingerprint(app.config['SECRET_KEY'])}",
        SESSION_COOKIE_PATH=settings.url_prefix or "/",
        SESSION_REFRESH_EACH_REQUEST=False,
    )
    app.session_interface = SessionInterface(
        app, settings.store_limit, settings.trusted_user_header
    )
