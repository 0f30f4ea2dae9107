"""The place of a class in the store, and the small row of it that everybody asks for.

A class is one place, so it ends and is forgotten at once. Its rows:

====================  ===========================================================================
``head``              the numbers that everybody asks for (:class:`Head`)
``class``             what only instructors change (:class:`~web.classroom.model.Classroom`)
``student/0017``      a student (:class:`~web.classroom.model.Student`)
``browser/HASH``      the number of a browser's student
``name/KEY``          the number of the student with a nickname
``real/0017``         a real name; ``roster``, the list that the instructor has pasted
``claims``            the claims of the newest round, in their order
``round/0002``        a round that is over
``seen``              when and where each student was last seen
``entry/03/0017``     what a student has played of a tournament; ``cost/tournament/03``
``deals-played``      how many deals the browsers of forgotten students have seen
``chart/0017/0003``   a chart that a student has handed in; ``cost/chart/0003``
``play/0017``         how a student has played at the tables
====================  ===========================================================================

Whatever adds or removes a student, or changes a nickname or a student's browsers, writes ``head``
as well. So a write that has seen ``head`` need not name ``browser/`` and ``name/`` rows.
"""

from typing import Final, NamedTuple

import msgspec
from werkzeug.exceptions import ServiceUnavailable

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.clock import Clock
from cardgames.text import Text
from web.storage.store import Read, Store

FORMAT: Final = 1
"""The form of all rows of a class."""

HEAD: Final = "head"


class UnknownFormat(ServiceUnavailable):
    """Another version of the site has written a class, which is left as it is."""

    sentence = Text("This class was kept by another version of the site, and is left as it is.")


class ClassCounters(NamedTuple):
    """The numbers of a class, which everybody asks for again and again."""

    version: int
    """Raised by every move of an instructor."""

    students: int
    """Raised whenever somebody joins or leaves, is changed, or has finished a tournament."""

    claims: int
    """The number of claims in the newest round."""

    right: int
    """How many of them were right since the round last went on: while there are any, it waits."""

    round: int
    """The number of the newest round; 0 before the first."""

    is_open: bool
    """Whether that round is still on."""

    clock: Clock
    now: float
    """The store's time when it was asked, in seconds."""

    @property
    def calls(self) -> int:
        """How many cards have been called by now."""
        return self.clock.called(self.now)


class Head(msgspec.Struct, frozen=True, array_like=True):
    """The row of a class that is asked for and written most."""

    format: int
    expires: int
    """When the class ends. Its place may end later, where an instructor has shortened its life."""

    version: int = 1
    students: int = 0
    claims: int = 0
    right: int = 0
    round: int = 0
    is_open: bool = False
    calls: int = 0
    since: float = 0.0
    every: int = 0
    stop: int = DECK_SIZE
    joined: int = 0
    """The number of the student who joined last."""

    members: int = 0
    """The number of students that there are."""

    next_card: int = 1
    """The next number of a card that nobody has had in this round."""

    charts: int = 0
    """The number of the newest strategy chart."""

    def counters(self, now: float) -> ClassCounters:
        """Return what everybody asks for, as of a time."""
        return ClassCounters(
            *(self.version, self.students, self.claims, self.right, self.round, self.is_open),
            Clock(self.calls, self.since, self.every, self.stop),
            now,
        )

    def with_clock(self, clock: Clock) -> "Head":
        """Return it with another clock."""
        return msgspec.structs.replace(
            self, calls=clock.calls, since=clock.since, every=clock.every, stop=clock.stop
        )

    def packed(self) -> bytes:
        """Return it as it is kept."""
        return _encode(self)


_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Head).decode


def place_of(code: str) -> str:
    """Return the place of a class."""
    return f"class/{code}"


def student_key(number: int) -> str:
    """Return the key of a student's row."""
    return f"student/{number:04}"


def number_in_key(key: str) -> int:
    """Return the number at the end of a key.

    >>> number_in_key("chart/0017/0003")
    3
    """
    return int(key.rpartition("/")[2])


def head_in(read: Read) -> Head | None:
    """Return the head of a class among rows that were read; None for a class that has ended.

    Raises:
        UnknownFormat: another version of the site has written it.
    """
    row = read[HEAD]
    if not row.revision:
        return None
    try:
        head = _decode(row.data)
    except msgspec.MsgspecError:
        raise UnknownFormat from None
    if head.format != FORMAT:
        raise UnknownFormat
    return head if head.expires > read.now else None


class ClassRows:
    """Reads and writes the rows of classes."""

    def __init__(self, store: Store) -> None:
        """Keep them in a store."""
        self._store = store

    def _read(self, code: str, *keys: str) -> tuple[Head | None, Read]:
        """Return the head of a class, None where there is none, and further rows."""
        read = self._store.read(place_of(code), HEAD, *keys)
        return head_in(read), read

    def _scan(self, code: str, prefix: str) -> dict[str, bytes]:
        """Return the rows of a class whose keys begin with a prefix, in their order."""
        rows = self._store.scan(place_of(code), prefix).rows
        return {key: row.data for key, row in rows.items()}
