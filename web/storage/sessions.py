"""A player's session: the tables on the server, and a cookie that holds a signed id, nothing else.

A subclass of Flask-Session's interface over our own store. A session is written
by one call, :meth:`Sessions.save_if_unchanged`, in views marked :func:`retry_on_conflict`; the end
of the request only sets the cookie. So a GET never writes, and a view that fails has saved nothing.
"""

import logging
import random
import secrets
import time
from collections.abc import Callable
from datetime import timedelta
from functools import lru_cache, wraps
from typing import Any, Final, ParamSpec, cast

import flask
from flask_session.base import ServerSideSession, ServerSideSessionInterface
from itsdangerous import BadSignature
from werkzeug.exceptions import ServiceUnavailable
from werkzeug.http import dump_cookie

from cardgames.text import Text
from web.settings import Settings
from web.signing import HexSigner
from web.storage.rounds import NewRound, rows_with, session_place
from web.storage.session_rows import (
    ESTABLISHED,
    TABLES,
    UNREADABLE,
    Kept,
    end_of,
    find_session,
    packed,
)
from web.storage.side_effects import side_effect
from web.storage.signing_keys import SigningKeys
from web.storage.store import DAY, LIFETIME, NEVER, Store, StoreFull, StoreUnavailable

MAX_ATTEMPTS: Final = 24
"""How often a view is run when somebody else saves the session meanwhile."""

_PAUSE: Final = 0.001
_LONGEST_PAUSE: Final = 0.008
"""Before it is run again, a random time up to twice that of before, in seconds. A worker does
nothing else meanwhile, so it is short: all of them together are a tenth of a second at most."""

_RENEWALS_KEPT: Final = 10_000
"""Maximum number of sessions of which a worker remembers that it has let them live on."""

_COOKIES_KEPT: Final = 2_048
"""Of so many sessions a worker remembers the cookie that it reads and sets with their moves."""

_LONGEST_COOKIE: Final = 128
"""A longer one is none of ours."""

_SID_BYTES: Final = 16
"""So many random bytes has a session's id, which nobody guesses."""

log = logging.getLogger("cardgames.sessions")
P = ParamSpec("P")


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


class Session(ServerSideSession):  # type: ignore[misc]  # Flask-Session has no types
    """What is kept of one player: rows by their names, each as whoever owns it has packed it."""

    permanent = True
    """The cookie outlives the browser; it dies with the session, two weeks after the last move."""

    version: int
    """The revision that was read from the store; 0 for a session that is not there yet."""

    unreadable: bool
    """The store had something under this id that could not be read: the tables are lost."""

    unavailable: bool
    """The store did not answer."""

    side_writes: list[NewRound]
    """The finished rounds that are to be written together with the session."""

    before_save: list[Callable[[], float]]
    """Hints: what is written elsewhere before the session is, so that a later reader can do what
    follows. Each returns until when it is believed: the session is written before then, by the
    store's time, or not at all."""

    after_save: list[Callable[[], object]]
    """What is to be done once it is written: writes elsewhere, which may fail without harm."""

    saved = False
    """This request has written the session."""

    renewed = False
    """This request has let the session live on, though nothing of it has changed."""

    def __init__(self, sid: str, kept: Kept) -> None:
        """Take what the store gave."""
        super().__init__(sid=sid)
        self.load(kept)

    def load(self, kept: Kept) -> None:
        """Replace all that is known of the player by what the store has."""
        dict.clear(self)
        dict.update(self, kept.rows)  # not as a change, which is to be written
        self.kept = kept
        self.version = kept.revision
        self.unreadable = isinstance(kept.fault, UNREADABLE)
        self.unavailable = isinstance(kept.fault, StoreUnavailable)
        self.modified = False
        self.side_writes = []
        self.before_save = []
        self.after_save = []

    @property
    def established(self) -> bool:
        """Whether the player has made a few moves already."""
        return self.kept.saves >= ESTABLISHED

    def establish(self) -> None:
        """Let it live as long as that of a player who has made a few moves."""
        self.kept = self.kept._replace(saves=max(self.kept.saves, ESTABLISHED))


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
    session, renewed = current_session(), sessions_of(flask.current_app).renewed
    today = int(session.kept.now) // DAY
    if not session.version or renewed.get(session.sid) == today:
        return
    with side_effect("renewing a session"):
        if len(renewed) >= _RENEWALS_KEPT:
            renewed.clear()
        seen, expires = {TABLES: session.version}, end_of(session.kept.now, ESTABLISHED)
        if store().write(session_place(session.sid), {}, seen, expires=expires):
            renewed[session.sid] = today
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

    def __init__(self, app: flask.Flask, store: Store) -> None:
        """Keep the sessions of an app in a store."""
        super().__init__(app, key_prefix="", sid_length=_SID_BYTES)
        self.store = store
        self.renewed: dict[str, int] = {}
        """The sessions that this worker has let live on, and on which day."""

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
        try:
            before = min((hint() for hint in session.before_save), default=NEVER)
            session.saved = self._save(session, before)
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

    def _save(self, session: Session, before: float) -> bool:
        """Write a session's row where it is still as it was read, and its new rounds with it."""
        place, kept = session_place(session.sid), session.kept
        rounds = rows_with(self.store, session.sid, kept.newest, session.side_writes)
        saves = kept.saves + 1
        row = packed(Kept(session, saves=saves, newest=rounds.newest))
        put, seen = {**rounds.put, TABLES: row}, {**rounds.seen, TABLES: session.version}
        now = kept.now or self.store.read(place).now
        return self.store.write(place, put, seen, expires=end_of(now, saves), before=before)

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
        kept = self._find(sid) if sid else None
        if sid is None or kept is None:
            return Session(secrets.token_hex(_SID_BYTES), Kept())
        return Session(sid, kept)

    def reread(self, session: Session) -> None:
        """Bring a session up to what the store has now."""
        session.load(self._find(session.sid) or Kept())

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

    def _find(self, sid: str) -> Kept | None:
        """Return a session; one that cannot be read now, or at all, has a fault."""
        try:
            kept = find_session(self.store, sid)
        except StoreUnavailable as error:
            log.error("session store: %s", error)  # noqa: TRY400
            return Kept(fault=error)
        if kept and kept.fault:
            kind = type(kept.fault).__name__
            log.warning("a session could not be read and is begun anew: %s", kind)
        return kept

    def _retrieve_session_data(self, store_id: str) -> dict[str, Any] | None:
        kept = self._find(store_id)
        return dict(kept.rows) if kept else None

    def _upsert_session(self, session_lifetime: timedelta, session: Session, store_id: str) -> None:
        """Write nothing: the base class asks for this method, :meth:`save_if_unchanged` does it."""

    def _delete_session(self, store_id: str) -> None:
        self.store.forget(session_place(store_id))


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


def register(app: flask.Flask, settings: Settings, store: Store) -> None:
    """Keep an app's sessions in a store.

    Args:
        app: the app.
        settings: where the site begins behind a proxy.
        store: where they are kept.
    """
    app.config.update(
        PERMANENT_SESSION_LIFETIME=timedelta(seconds=LIFETIME),
        SESSION_COOKIE_NAME="cardgames",
        SESSION_COOKIE_PATH=settings.url_prefix or "/",
        SESSION_REFRESH_EACH_REQUEST=False,
    )
    app.session_interface = Sessions(app, store)
