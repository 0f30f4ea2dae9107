"""Four signs that students can press, shown as numbers on the big screen and the dashboard.

A class keeps one row of four numbers, and not whose they are. A browser's session notes when it
last pressed one, so that a student presses no more than once in some seconds.
"""

from contextlib import suppress
from typing import Final, NamedTuple

from cardgames.text import Text
from web.classes.rows import HEAD, ClassCounters, ClassRows, place_of
from web.storage.store import Put, Read, TooManyConflicts, pack

SIGNS: Final = {
    "clear": ("✓", Text("Clear")),
    "puzzled": ("?", Text("Puzzled")),
    "wow": ("!", Text("Wow")),
    "bravo": ("★", Text("Bravo")),
}
"""The signs, by their names: what is drawn, and what it says."""

MAX_SHOWN: Final = 999
"""Maximum number of presses of a sign that are counted."""

SHOWN_FOR: Final = 60
"""Number of seconds after the last press in which the numbers are shown; then they begin at 0."""

_NOTED_EVERY: Final = 20
"""Number of seconds that phones and big screen may wait for the row that notes it."""

_KEY: Final = "reactions"


class Reactions(NamedTuple):
    """How often each sign was pressed."""

    last: float
    """When one was pressed last."""

    counts: tuple[int, int, int, int]


NONE: Final = Reactions(0.0, (0, 0, 0, 0))


class ReactionRows(ClassRows):
    """The reactions of classes, one row each."""

    def add(self, code: str, sign: str) -> None:
        """Count a sign; where too many press at once, some are left out."""
        place = [*SIGNS].index(sign)

        def rows(head: ClassCounters, read: Read) -> Put:
            found = _shown(read)
            counts = list(found.counts)
            counts[place] = min(MAX_SHOWN, counts[place] + 1)
            put = {_KEY: pack((read.now, counts))}
            if read.now - head.reacted < _NOTED_EVERY:
                return put
            return {**put, HEAD: head.packed(reacted=int(read.now))}

        with suppress(TooManyConflicts):
            self._update(code, (_KEY,), rows)

    def counts(self, code: str) -> dict[str, int]:
        """Return how often each sign was pressed, until nobody has for a minute."""
        found = _shown(self._store.read(place_of(code), _KEY))
        return dict(zip(SIGNS, found.counts, strict=True))


def _shown(read: Read) -> Reactions:
    found = read.value(_KEY, Reactions) or NONE
    return found if read.now - found.last < SHOWN_FOR else NONE
