"""Held requests: long polling with the header ``Prefer: wait=25`` (RFC 7240).

The event loop holds the request until the page has changed, and only then calls the app. A held
request uses a connection, but no thread, no session and no position in a queue. One thread per
process reads the versions of all pages with held requests: 0.2 s after it has released the requests
for the pages that had changed.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, Final, NamedTuple
from wsgiref.types import WSGIEnvironment

import flask
from werkzeug.http import parse_etags

MAX_HELD: Final = 1_000
"""Maximum number of held requests per process.

The site responds to further requests immediately.
"""

HOLD_SECONDS: Final = 20.0
"""Maximum time, in seconds, for which a request is held. The response then arrives within the 25
seconds that pages prefer, and before students are considered absent.
"""

LOOK_SECONDS: Final = 0.2
"""Time, in seconds, between the release of requests and the next read of the versions."""

CHANGED: Final = "cardgames.changed"
"""The key in the WSGI environment that marks a held request whose page has changed."""

SOURCE: Final = "news"
"""The key of the :class:`Source` in the app's extensions."""

Read = Callable[[Collection[str]], Awaitable[Mapping[str, Collection[str]]]]
"""Function that returns the current ETags of all pages of the given topics."""

log = logging.getLogger("cardgames.news")
_wait: Final = re.compile(r"(?:^|[,;\s])wait=(\d{1,4})\b", re.IGNORECASE).search


class Source(NamedTuple):
    """The pages for which requests are held."""

    find_topic: Callable[[str], str]
    """Function that returns the topic of the page at a path, or an empty string."""

    etags: Callable[[str], Collection[str]]
    """Function that returns the current ETags of all pages of a topic, in the app's context."""


class ClientLeft(Exception):
    """Raised if the client of a held request has closed its connection."""


class News:
    """The requests that a process holds open."""

    def __init__(
        self,
        find_topic: Callable[[str], str],
        read: Read,
        pause: Callable[[], Awaitable[None]],
    ) -> None:
        """Create an object that holds no requests yet.

        Args:
            find_topic: Function that returns the topic of the page at a path, or an empty string.
            read: Function that returns the current ETags of all pages of the given topics.
            pause: Function that waits until the app can answer another request.
        """
        self._find_topic, self._read, self._pause = find_topic, read, pause
        self._held: dict[asyncio.Future[None], tuple[str, set[str]]] = {}
        self._looking: asyncio.Future[None] | None = None
        self._is_ending = False

    async def hold(self, environ: WSGIEnvironment, receive: Callable[[], Awaitable[Any]]) -> bool:
        """Hold a request until its page changes, if the request prefers to wait.

        Return whether the request was held. A request whose page has changed is marked as
        :data:`CHANGED`, so that the page need not compare its ETag again.

        Raises:
            ClientLeft: If the client has closed the connection.
        """
        topic, seconds = self._find_topic(environ["PATH_INFO"]), _preferred_wait(environ)
        if not (topic and seconds) or self._is_ending or len(self._held) >= MAX_HELD:
            return False
        news = asyncio.get_running_loop().create_future()
        known = parse_etags(environ["HTTP_IF_NONE_MATCH"]).as_set(include_weak=True)
        self._held[news] = topic, known
        self._looking = self._looking or asyncio.ensure_future(self._look())
        left = asyncio.ensure_future(_disconnect(receive))
        try:
            first = asyncio.FIRST_COMPLETED
            await asyncio.wait({news, left}, timeout=seconds, return_when=first)
            if left.done():
                raise ClientLeft
            if news.done() and not self._is_ending:
                environ[CHANGED] = True
        finally:
            del self._held[news]
            left.cancel()
        return not self._is_ending

    async def _look(self) -> None:
        """Release the requests whose pages have changed, as long as any requests are held."""
        try:
            while self._held:
                # The requests are listed before the ETags are read. A request that arrives later
                # may have a newer ETag, which would not match.
                held = [*self._held.items()]
                etags = await self._current_etags({topic for _, (topic, _) in held})
                for news, (topic, known) in held:
                    is_waiting = news in self._held and not news.done()
                    if is_waiting and known.isdisjoint(etags.get(topic, ())):
                        news.set_result(None)
                        # The pause lets the app answer moves between the pages of a class.
                        await self._pause()
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            self._looking = None

    async def _current_etags(self, topics: Collection[str]) -> Mapping[str, Collection[str]]:
        """Return the current ETags of topics.

        If the versions cannot be read, return no ETags, so that the app still handles the requests.
        """
        try:
            return await self._read(topics)
        except Exception as error:  # noqa: BLE001 - the requests must be released after any error
            log.error("held requests were released: %s", type(error).__name__)  # noqa: TRY400
            return {}

    def end(self) -> None:
        """Release all requests and hold no more, because the process is ending."""
        self._is_ending = True
        for news in self._held:
            if not news.done():
                news.set_result(None)


def app_news(app: flask.Flask, pause: Callable[[], Awaitable[None]], prefix: str = "") -> News:
    """Return the object that holds the requests of an app with a URL prefix.

    ``pause`` waits until the app can answer another request.
    """
    source: Source = app.extensions.get(SOURCE, Source(lambda _: "", lambda _: ()))

    def read(topics: Collection[str]) -> dict[str, Collection[str]]:
        with app.app_context():
            return {topic: source.etags(topic) for topic in topics}

    return News(
        lambda path: source.find_topic(path.removeprefix(prefix)),
        lambda topics: asyncio.to_thread(read, topics),
        pause,
    )


def _preferred_wait(environ: WSGIEnvironment) -> float:
    """Return the seconds that a request prefers to wait, or 0 without a preference.

    Requests without an ETag, or with ``*`` instead, are not held.

    >>> _preferred_wait({"REQUEST_METHOD": "GET", "HTTP_IF_NONE_MATCH": '"7"',
    ...     "HTTP_PREFER": "return=representation, wait=5"})
    5.0
    """
    wait = _wait(environ.get("HTTP_PREFER", ""))
    names_etag = environ.get("HTTP_IF_NONE_MATCH", "").strip() not in ("", "*")
    if not wait or environ["REQUEST_METHOD"] != "GET" or not names_etag:
        return 0.0
    return min(float(wait[1]), HOLD_SECONDS)


async def _disconnect(receive: Callable[[], Awaitable[Any]]) -> None:
    """Wait until the client has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
