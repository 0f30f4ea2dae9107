"""A player's session: the tables on the server, and a cookie that holds a signed id, nothing else.

Flask's session interface over our own store. A session is written by one call,
:meth:`Sessions.save_if_unchanged`, in views marked :func:`retry_on_conflict`; the end of the
request only sets the cookie. So a GET never writes, and a view that fails has saved nothing.
"""

import logging
import secrets
from collections.abc import Callable
from datetime import timedelta
from functools import lru_cache, wraps
from typing import Any, Final, ParamSpec, TypeVar, cast

import flask
from flask.sessions import SessionInterface, SessionMixin
from werkzeug.datastructures import CallbackDict
from werkzeug.exceptions import ServiceUnavailable
from werkzeug.http import dump_cookie

from cardgames.text import Text
from web.settings import Settings
from web.signing import HexSigner
from web.storage.rounds import UNREADABLE, NewRound, rows_with, session_place
from web.storage.session_rows import (
    ESTABLISHED,
    TABLES,
    Kept,
    end_of,
    find_session,
    packed,
)
from web.storage.side_effects import side_effect
from web.storage.signing_keys import SigningKeys
from web.storage.store import (
    DAY,
    LIFETIME,
    NEVER,
    Store,
    StoreUnavailable,
    TooManyConflicts,
    decide,
)

_RENEWALS_KEPT: Final = 10_000
"""Maximum number of sessions of which a worker remembers that it has renewed them."""

_COOKIES_KEPT: Final = 2_048
"""Maximum number of sessions of which a worker remembers the cookie: an HMAC and a header less for
each move, and the same bytes always."""

LOGIN: Final = "cardgames.login"
"""Where the environment of a request holds the login with which a trusted proxy says it came."""

_MAX_COOKIE: Final = 128  # maximum length of a cookie of ours

_SID_BYTES: Final = 16  # number of random bytes of a session's id, which nobody guesses

log = logging.getLogger("cardgames.sessions")
P = ParamSpec("P")
Answer = TypeVar("Answer")


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


class Session(CallbackDict[str, Any], SessionMixin):
    """What is kept of one player: rows by their names, each as its owner has packed it."""

    def __init__(self, sid: str, kept: Kept) -> None:
        """Take what the store has."""
        super().__init__(on_update=Session._note_change)
        self.sid = sid
        self.saved = False
        """Whether this request has written the session, or let it live on."""

        self.load(kept)

    def load(self, kept: Kept) -> None:
        """Replace all that is known of the player by what the store has."""
        dict.clear(self)
        dict.update(self, kept.rows)  # not as a change, which is to be written
        self.modified = False
        self.kept = kept
        self.side_writes: list[NewRound] = []
        """The finished rounds that are to be written together with the session."""

        self.before_save: list[Callable[[], float]] = []
        """Hints: what is written elsewhere before the session is, so that a later reader can do
        what follows. Each returns until when it is believed: the session is written before then, by
        the store's time, or not at all."""

        self.after_save: list[Callable[[], object]] = []
        """What is to be done once it is written: writes elsewhere, which may fail without harm."""

    def _note_change(self) -> None:
        self.modified = True

    @property
    def version(self) -> int:
        """The revision that was read from the store; 0 for a session that is not there yet."""
        return self.kept.revision

    @property
    def unreadable(self) -> bool:
        """Whether the store had something that could not be read: the tables are lost."""
        return isinstance(self.kept.fault, UNREADABLE)

    @property
    def unavailable(self) -> bool:
        """Whether the store did not answer."""
        return isinstance(self.kept.fault, StoreUnavailable)

    @property
    def established(self) -> bool:
        """Whether the player has made a few moves already."""
        return self.kept.saves >= ESTABLISHED

    def establish(self) -> None:
        """Let it live as long as that of a player who has made a few moves."""
        self.kept = self.kept._replace(saves=max(self.kept.saves, ESTABLISHED))


def session_as_read() -> Session:
    """Return the session of the request being answered, also where the store has not answered."""
    stand_in: Any = flask.session
    return cast("Session", stand_in._get_current_object())  # noqa: SLF001 - documented


def current_login() -> str:
    """Return the login with which the request being answered came; empty for none."""
    login: str = flask.request.environ.get(LOGIN, "")
    return login


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
            session.saved = True


def sessions_of(app: flask.Flask) -> "Sessions":
    """Return the sessions of an app."""
    return cast("Sessions", app.session_interface)


def store() -> Store:
    """Return the store of the app that is answering."""
    return sessions_of(flask.current_app).store


class Sessions(SessionInterface):
    """Opens sessions from the signed cookie, and commits them by compare-and-set.

    Where requests come with a login, the cookie is signed for that: with another login, or
    without, it opens nothing, so the next login in the same browser begins anew.
    """

    def __init__(self, app: flask.Flask, store: Store) -> None:
        """Keep the sessions of an app in a store."""
        self.app, self.store = app, store
        self.renewed: dict[str, int] = {}
        """The sessions that this worker has let live on, and on which day."""

        self._signer = HexSigner(app, "cardgames-session")
        # On the object and not on the class: each app has keys of its own.
        self._cookie = lru_cache(maxsize=_COOKIES_KEPT)(self._new_cookie)
        self._sid = lru_cache(maxsize=_COOKIES_KEPT)(self._signed_sid)
        config = app.config
        self.keys = SigningKeys(store, config["SECRET_KEY"], config["SECRET_KEY_FALLBACKS"])

    def save_if_unchanged(self, session: Session) -> bool:
        """Write a session that the view has changed, and what it has put beside it.

        What else is to be done follows (``after_save``). Where that fails the session is saved all
        the same: a later reader finds out what is missing. A deal's result lies in a round beside
        the session, and is added again when the deal is shown.

        Returns False, and writes nothing, when somebody else has saved meanwhile.

        Raises:
            StoreUnavailable: the store does not answer; nothing is written.
            StoreFull: there is no room for a newcomer.
        """
        if not (session.modified or session.side_writes):
            return True
        before = min((hook() for hook in session.before_save), default=NEVER)
        session.saved = self._save(session, before)
        if session.saved:
            for hook in (self.keys.note, *session.after_save):
                with side_effect("what follows a move"):
                    hook()
        return session.saved

    def _save(self, session: Session, before: float) -> bool:
        """Write a session's row where it is still as it was read, and its new rounds with it."""
        place, kept = session_place(session.sid), session.kept
        rounds = rows_with(self.store, session.sid, kept.newest, session.side_writes)
        saves = kept.saves + 1
        row = packed(Kept(session, saves=saves, newest=rounds.newest))
        put, seen = {**rounds.put, TABLES: row}, {**rounds.seen, TABLES: session.version}
        # A new session was not read, so the store's time is not known yet.
        now = kept.now or self.store.read(place).now
        return self.store.write(place, put, seen, expires=end_of(now, saves), before=before)

    def sid_of(self, cookie: str, login: str = "") -> str | None:
        """Return the id that a cookie holds, if this site has signed it for a login."""
        return self._sid(cookie, login) if 0 < len(cookie) <= _MAX_COOKIE else None

    def _signed_sid(self, cookie: str, login: str) -> str | None:
        sid, _, signature = cookie.rpartition(".")
        is_ours = sid.isalnum() and self._signer.verify_signature(_signed(sid, login), signature)
        return sid if is_ours else None

    def open_session(self, app: flask.Flask, request: flask.Request) -> Session:
        """Return the session that a request's cookie names, or a new one."""
        cookie = request.cookies.get(app.config["SESSION_COOKIE_NAME"], "")
        sid = self.sid_of(cookie, request.environ.get(LOGIN, ""))
        kept = self._find(sid) if sid else None
        if sid is None or kept is None:
            return Session(secrets.token_hex(_SID_BYTES), Kept())
        return Session(sid, kept)

    def reread(self, session: Session) -> None:
        """Bring a session up to what the store has now."""
        session.load(self._find(session.sid) or Kept())

    def _find(self, sid: str) -> Kept | None:
        """Return a session; one that cannot be read now, or at all, has a fault."""
        try:
            kept = find_session(self.store, sid)
        except StoreUnavailable as error:
            log.error("session store: %s", error)  # noqa: TRY400 - a full disk needs no traceback
            return Kept(fault=error)
        if kept and kept.fault:
            kind = type(kept.fault).__name__
            log.warning("a session could not be read and is begun anew: %s", kind)
        return kept

    def save_session(
        self,
        app: flask.Flask,  # noqa: ARG002 - Flask passes it
        session: SessionMixin,
        response: flask.Response,
    ) -> None:
        """Set the cookie after a move; what is kept was committed before the answer was made."""
        if isinstance(session, Session) and session.saved:
            # Kept off plain connections wherever the page itself came over TLS.
            cookie = self._cookie(session.sid, current_login(), secure=flask.request.is_secure)
            response.headers.add("Set-Cookie", cookie)

    def _new_cookie(self, sid: str, login: str, *, secure: bool) -> str:
        """Return the header that sets a session's cookie: the same after each of its moves.

        It ends after a time, not at one: a browser does not care what the server's clock says.
        """
        return dump_cookie(
            self.app.config["SESSION_COOKIE_NAME"],
            f"{sid}.{self._signer.get_signature(_signed(sid, login)).decode()}",
            max_age=LIFETIME,
            sync_expires=False,
            path=self.app.config["SESSION_COOKIE_PATH"],
            httponly=True,
            # A link in a chat has the cookie with it; a form of another site has not.
            samesite="Lax",
            secure=secure,
        )


def _signed(sid: str, login: str) -> str:
    """Return what is signed of a session; neither has a blank."""
    return f"{sid} {login}" if login else sid


def retry_on_conflict(view: Callable[P, Answer]) -> Callable[P, Answer]:
    """Mark a view that changes the session: run it, commit, and run it again on a conflict.

    The second run sees what the other request has saved, and decides again: a double click finds
    its step taken, a move at another table stands beside the first.
    """

    @wraps(view)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Answer:
        sessions, is_stale = sessions_of(flask.current_app), False

        def attempt() -> Answer | None:
            nonlocal is_stale
            if is_stale:
                sessions.reread(session_as_read())
            answer = view(*args, **kwargs)
            is_stale = not sessions.save_if_unchanged(current_session())
            return None if is_stale else answer

        try:
            return decide(attempt)
        except TooManyConflicts:
            raise Overtaken from None

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
    )
    app.session_interface = Sessions(app, store)
