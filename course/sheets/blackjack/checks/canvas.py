"""Blackjack: the texts and pictures on a canvas, and the changes of numbers in the texts."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from course.grading.checks.words import plain, winners

BACK: Final = "xx"

SAME_ROW: Final = 40
"""Maximum vertical distance between the centres of two cards in the same row, in pixels."""

VISIBLE: Final = 0.05
"""Fraction of a card that must be uncovered for the card to count as visible."""

CARD: Final = re.compile(r"\b(?:[CSHD](?:[A2-9TJQK]|10)|(?:[A2-9TJQK]|10)[CSHD])\b")

Score = dict[tuple[str, int, int], int]
"""The numbers on the canvas, identified by the words around them, because texts may move."""

Changes = dict[tuple[str, int], int]
"""Changes of numbers, identified by the word before a number and the number's index after that
word.
"""


class Text(NamedTuple):
    """A text on the canvas, with its position."""

    text: str
    x: float
    y: float


class Screen(NamedTuple):
    """The canvas."""

    texts: list[Text]
    pictures: list[tuple[str, float, float, float, float]]
    """The code, centre and size of each visible card. The code of a card's back is an empty string.
    """
    has_unknown: bool = False
    """Whether the canvas shows unknown pictures."""

    @property
    def winner(self) -> set[str]:
        """The winners that the texts name."""
        return winners("\n".join(text.text for text in self.texts))

    @property
    def rows(self) -> dict[float, list[str]]:
        """The rows of cards from top to bottom, each from left to right."""
        rows: dict[float, list[tuple[float, str]]] = {}
        for card, x, y, _, _ in self.pictures:
            row = next((height for height in rows if abs(height - y) <= SAME_ROW), y)
            rows.setdefault(row, []).append((x, card or BACK))
        return {y: [code for _, code in sorted(row)] for y, row in rows.items()}

    @property
    def faces(self) -> set[str]:
        """The visible cards."""
        return {picture[0] for picture in self.pictures if picture[0]}


def read(canvas: Mapping[str, Any]) -> Screen:
    """Return the content of a canvas, joining texts that were drawn letter by letter."""
    texts: list[Text] = []
    single = False
    for text, x, y in canvas["texts"]:
        letter = len(text) == 1 and not text.isdigit()
        if letter and single:
            texts[-1] = texts[-1]._replace(text=texts[-1].text + text)
        else:
            texts.append(Text(text, x, y))
        single = letter
    seen = [tuple(picture[:5]) for picture in canvas["pictures"] if picture[5] >= VISIBLE]
    return Screen(texts, seen, bool(canvas["unknown"]))


def normal(text: str) -> str:
    """Return a text without the numbers and cards that differ from hand to hand.

    >>> normal("Dealer  has 17: ST D7")
    'dealer has #: @ @'
    """
    return re.sub(r"-?\d+", "#", plain(CARD.sub("@", text)))


def numbers_in(texts: Iterable[str]) -> Score:
    """Return the numbers in the texts of a canvas."""
    score: Score = {}
    for text in texts:
        words = re.sub(r"\d+", "#", text.replace("-", ""))
        again = len({key for key in score if key[0] == words and key[2] == 0})
        numbers = enumerate(re.findall(r"-?\d+", text))
        score |= {(words, again, place): int(number) for place, number in numbers}
    return score


def changes(before: Score, after: Score) -> Changes:
    """Return the changes of numbers that were on the canvas before the event.

    A number is identified by the words of its text, or otherwise by the preceding word, because a
    score and a message may be in the same text.
    """
    new = [place for place in after if place not in before]
    by_label: Changes = {}
    labels: Counter[str] = Counter()
    for place, number in before.items():
        label = find_label(place)
        labels[label] += 1
        others = [change for change in new if find_label(change) == label != ""]
        now = place if place in after else others[0] if others else None
        if now in others:
            new.remove(now)
        if now and after[now] != number:
            by_label[label, labels[label]] = after[now] - number
    return by_label


def find_label(place: tuple[str, int, int]) -> str:
    """Return the last word before a number, in lower case.

    >>> find_label(("Hit? Wins: #, losses: #", 0, 1)), find_label(("# to #", 0, 0))
    ('losses', '')
    """
    text, _, number = place
    before = " ".join(text.lower().split("#")[: number + 1])
    names: list[str] = re.findall(r"[^\W\d_]+", before)
    return names[-1] if names else ""
