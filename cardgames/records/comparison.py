"""Compares the transcript of a student's own program with the site's, line by line.

What a sheet leaves open makes no difference: blanks, empty lines, articles, and whether the typed
answers are in it (a terminal shows them, a pipe does not). Beyond the first lines that differ only
a window is compared: one mistake changes all that follows, and is to be mended first.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import islice, zip_longest
from typing import Final, NamedTuple

from cardgames.records.transcript import PROMPTS

MAX_BEFORE: Final = 3
"""Maximum number of lines shown before the first difference."""

MAX_COMPARED: Final = 80
"""Maximum number of lines of each side compared from the first difference on."""

_ARTICLE: Final = re.compile(r"\b(?:an?|the) ", re.IGNORECASE)
MAX_LINE: Final = 500
"""Maximum number of characters of a line that are read."""

MAX_ANSWER: Final = 10
"""Maximum number of characters of an answer behind a prompt that is not one word."""


class Kind(StrEnum):
    """What there is to say of a line."""

    SAME = "same"
    OTHER = "other"
    MISSING = "missing"
    EXTRA = "extra"


class Row(NamedTuple):
    """A line of the site's transcript beside the student's; a side that has none is empty."""

    kind: Kind
    site: str
    yours: str


class Comparison(NamedTuple):
    """Two transcripts beside each other, from just before their first difference on."""

    same: bool
    number: int
    """How many lines are the same before the first difference."""

    rows: tuple[Row, ...]
    goes_on: bool
    """Whether there are lines behind these that were not compared."""


class _Line(NamedTuple):
    text: str
    key: str
    """What is compared of it."""


def compare(slug: str, site: str, yours: str) -> Comparison:
    r"""Compare two transcripts of a game.

    Args:
        slug: the game, one of ``TRANSCRIPTS``.
        site: the site's transcript.
        yours: what the student's program has shown, on a terminal or through a pipe.

    >>> terminal = "Play another round (Y/N)? n\nThank you for playing. Goodbye."
    >>> compare("bingo", terminal, "Play another round (Y/N)? Thank you for playing. Goodbye.").same
    True
    >>> compare("bingo", "Take the card.\nBye", "Take  card.\n\nBy").rows[-1]
    Row(kind=<Kind.OTHER: 'other'>, site='Bye', yours='By')
    """
    unread = [_lines(text, PROMPTS[slug]) for text in (site, yours)]
    left: list[_Line] = []
    right: list[_Line] = []
    number = 0
    for one, other in zip_longest(*unread):  # nothing is read behind what is shown
        left += filter(None, (one,))
        right += filter(None, (other,))
        if one is None or other is None or one.key != other.key:
            break
        number += 1
    left += islice(unread[0], MAX_COMPARED - 1)
    right += islice(unread[1], MAX_COMPARED - 1)
    start = max(0, number - MAX_BEFORE)
    return Comparison(
        same=number == len(left) == len(right),
        number=number,
        rows=tuple(_aligned(left[start:], right[start:])),
        goes_on=any(next(more, None) for more in unread),
    )


def _lines(text: str, prompts: Sequence[str]) -> Iterator[_Line]:
    """Yield the lines that are compared: each prompt ends one, and its answer does not count."""
    asks = re.compile("|".join(re.escape(prompt.rstrip()) for prompt in prompts))
    for whole in text.splitlines():
        line = whole[:MAX_LINE].expandtabs(4)
        if not line.isprintable():
            line = "".join(sign if sign.isprintable() else "?" for sign in line)
        while asked := asks.search(line):
            rest = line[asked.end() :]
            prompt = line[: asked.end()]
            if not asks.search(rest) and _is_answer(rest):
                yield _Line(line, _key(prompt))
                line = ""
            else:
                yield _Line(prompt, _key(prompt))
                line = rest
        if line.strip():
            yield _Line(line, _key(line))


def _is_answer(text: str) -> bool:
    return len(text.split()) <= 1 or len(text.strip()) <= MAX_ANSWER


def _key(line: str) -> str:
    return _ARTICLE.sub("", " ".join(line.split()))


def _aligned(left: Sequence[_Line], right: Sequence[_Line]) -> Iterator[Row]:
    one, other = ([line.key for line in side] for side in (left, right))
    for tag, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        for place in range(max(b - a, d - c)):
            site = left[a + place].text if a + place < b else ""
            yours = right[c + place].text if c + place < d else ""
            kind = Kind.OTHER if site and yours else Kind.MISSING if site else Kind.EXTRA
            yield Row(Kind.SAME if tag == "equal" else kind, site, yours)
