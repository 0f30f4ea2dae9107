"""The place of a class in the store, and the small row of it that everybody asks for.

A class is one place, so it ends and is forgotten at once. Its rows:

====================  ===========================================================================
``head``              the numbers that everybody asks for (:class:`ClassCounters`)
``class``             what only instructors change (:class:`~web.classroom.model.Classroom`)
``student/0017``      a student (:class:`~web.classroom.model.Student`)
``browser/HASH``      the number of a browser's student
``name/KEY``          the number of the student with a nickname
``real/0017``         a real name; ``roster``, the instructor's list of who should come
``claims``            the claims of the newest round, in their order
``round/0002``        a round that is over
``seen``              when and where each student was last seen
``desks``             when dashboards that were handed on were last seen open
``entry/03/0017``     what a student has played of a tournament; ``cost/tournament/03``
``played/03``         nothing: its revision changes with each round that is over there
``deals-played``      how many deals the browsers of forgotten students have seen
``play/0017``         how a student has played at the tables
``judged``            nothing: its revision changes with each of those rows
``answer/0003/0017``  what a student has answered in a vote
``shown/0017``        which requirements a student's own classes pass, as they have shown it
====================  ===========================================================================

Whatever adds or removes a student, or changes a nickname or a student's browsers, writes ``head``
as well. So a write that has seen ``head`` need not name ``browser/`` and ``name/`` rows.
"""

from collections.abc import Callable, Collection
from typing import ClassVar, Final, TypeVar

import msgspec
from werkzeug.exceptions import ServiceUnavailable

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.clock import Clock
from cardgames.text import Text
from web.storage.hints import Hints
from web.storage.store import NEVER, Put, Read, Store, decide, pack

FORMAT: Final = 2
"""The form of all rows of a class."""

HEAD: Final = "head"
CLAIMS: Final = "claims"
ROSTER: Final = "roster"

T = TypeVar("T")


class UnknownFormat(ServiceUnavailable):
    """Another version of the site has written a class, which is left as it is."""

    sentence = Text("This class was kept by another version of the site, and is left as it is.")


class ClassCounters(msgspec.Struct, frozen=True, array_like=True):
    """The numbers of a class, which everybody asks for again and again: its row ``head``."""

    format: int
    expires: int
    """When the class ends, as its place does."""

    version: int = 1
    """Raised by every move of an instructor."""

    students: int = 0
    """Raised whenever somebody joins or leaves, is changed, or has finished a tournament."""

    claims: int = 0
    """The number of claims in the newest round."""

    right: int = 0
    """How many of them were right since the round last went on: while there are any, it waits."""

    round: int = 0
    """The number of the newest round; 0 before the first."""

    is_open: bool = False
    """Whether that round is still on."""

    called: int = 0
    """With the next three the clock of the newest round."""

    since: float = 0.0
    every: int = 0
    stop: int = DECK_SIZE
    joined: int = 0
    """The number of the student who joined last."""

    members: int = 0
    """The number of students that there are."""

    next_card: int = 1
    """The next number of a card that nobody has had in this round."""

    votes: int = 0
    """The number of the newest vote."""

    has_vote: bool = False
    """Whether a vote is on: it is open, or talked over."""

    now: float = 0
    """The store's time when it was asked, in seconds; not kept."""

    @property
    def clock(self) -> Clock:
        """When cards are called."""
        return Clock(self.called, self.since, self.every, self.stop)

    @property
    def calls(self) -> int:
        """How many cards have been called by now."""
        return self.clock.called(self.now)

    def packed(self, **changes: float) -> bytes:
        """Return them with some changes as they are kept."""
        return pack(msgspec.structs.replace(self, **changes, now=0))


def clock_numbers(clock: Clock) -> dict[str, float]:
    """Return the numbers of a class that a clock is kept as."""
    return {"called": clock.calls, "since": clock.since, "every": clock.every, "stop": clock.stop}


_decode: Final = msgspec.msgpack.Decoder(ClassCounters).decode


def place_of(code: str) -> str:
    """Return the place of a class."""
    return f"class/{code}"


def round_key(number: int) -> str:
    """Return the key of a round that is over."""
    return f"round/{number:04}"


def student_key(number: int) -> str:
    """Return the key of a student's row."""
    return f"student/{number:04}"


def number_in_key(key: str) -> int:
    """Return the number at the end of a key.

    >>> number_in_key("answer/0003/0017")
    17
    """
    return int(key.rpartition("/")[2])


def head_in(read: Read) -> ClassCounters | None:
    """Return the numbers of a class among rows that were read; None for a class that has ended."""
    row = read[HEAD]
    if not row.revision:
        return None
    try:
        head = _decode(row.data)
    except msgspec.MsgspecError:
        raise UnknownFormat from None
    if head.format != FORMAT:
        raise UnknownFormat
    return msgspec.structs.replace(head, now=read.now)


class ClassRows:
    """Reads and writes the rows of classes, and for some of them hints of what is to be done."""

    hints_at: ClassVar[str] = ""

    def __init__(self, store: Store) -> None:
        """Keep them in a store."""
        self._store, self.hints = store, Hints(store, self.hints_at)

    def _read(self, code: str, *keys: str) -> tuple[ClassCounters | None, Read]:
        """Return the numbers of a class, None where there is none, and further rows."""
        read = self._store.read(place_of(code), HEAD, *keys)
        return head_in(read), read

    def _update(
        self,
        code: str,
        keys: Collection[str],
        change: Callable[[ClassCounters, Read], Put | None],
        *,
        ends: int = 0,
        before: float = NEVER,
    ) -> bool:
        """Write what follows from some rows of a class, again when somebody else was faster.

        The rows stay as they were read until it is written, and the head too if it is among what
        ``change`` returns; that is None where nothing is written. The place then ends as before,
        or at ``ends``. When the store's time is later than ``before``, nothing is written.

        Returns:
            whether it was written: never where there is no class.
        """

        def decision(head: ClassCounters | None, read: Read) -> tuple[bool, Put]:
            put = change(head, read) if head else None
            return put is not None, put or {}

        return self._decide(code, keys, decision, ends=ends, before=before)

    def _decide(
        self,
        code: str,
        keys: Collection[str],
        decision: Callable[[ClassCounters | None, Read], tuple[T, Put]],
        *,
        ends: int = 0,
        before: float = NEVER,
    ) -> T:
        """Return what is decided, as :meth:`_update` writes what goes with that, if anything."""

        def attempt() -> tuple[T] | None:
            head, read = self._read(code, *keys)
            outcome, put = decision(head, read)
            seen, place = read.seen((*keys, *({HEAD} & put.keys()))), place_of(code)
            if put and not self._store.write(place, put, seen, ends=ends, before=before):
                return None
            return (outcome,)

        return decide(attempt)[0]

    def _value(self, code: str, key: str, kind: type[T]) -> T | None:
        """Return what a row of a class holds; None for nothing, and for what cannot be read."""
        return self._store.read(place_of(code), key).value(key, kind)

    def _revisions(self, code: str, *keys: str) -> tuple[int, ...]:
        """Return what changes whenever one of some rows of a class is written."""
        read = self._store.read(place_of(code), *keys)
        return tuple(read[key].revision for key in keys)

    def _scan(self, code: str, prefix: str) -> dict[str, bytes]:
        """Return the rows of a class whose keys begin with a prefix, in their order."""
        rows = self._store.scan(place_of(code), prefix).rows
        return {key: row.data for key, row in rows.items()}
