"""Blackjack: a student's program at a table where the cards are known and the canvas can be read.

Nothing is asked of the program but what the sheet's template names: the classes ``Card``, ``Hand``
and ``Deck``, three buttons, and a draw handler. Its hands, deck and score are found by looking.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from course.grading.checks.tools import plain, winners
from course.grading.trial import KIT, Failed, Trial

BACK = "xx"
SAME_ROW = 40
"""Cards whose centres differ by no more in height belong to one hand."""

Score = dict[tuple[float, float, int], int]
"""The numbers on the canvas by where they stand; the last number is the place in a text."""


class Text(NamedTuple):
    """A text on the canvas, and where it stands."""

    text: str
    x: float
    y: float


class Screen(NamedTuple):
    """What the canvas shows: texts, and rows of cards, from left to right."""

    texts: list[Text]
    rows: dict[float, list[str]]
    pictures: list[tuple[str, float, float, float, float]]
    """What each shows, its centre and its size."""

    @property
    def said(self) -> str:
        """All texts together."""
        return plain(" . ".join(text.text for text in self.texts))

    @property
    def winner(self) -> set[str]:
        """Who has won, as the texts say; texts with numbers may be the score and do not count."""
        words = [text.text for text in self.texts if not re.search(r"\d", text.text)]
        return winners(" . ".join(words))

    @property
    def in_play(self) -> bool:
        """Whether a card lies face down."""
        return any(BACK in row for row in self.rows.values())

    @property
    def numbers(self) -> Score:
        """The numbers in the texts."""
        return {
            (text.x, text.y, place): int(number)
            for text in self.texts
            for place, number in enumerate(re.findall(r"-?\d+", text.text))
        }


def read(canvas: dict[str, Any]) -> Screen:
    """Return what a canvas shows."""
    rows: dict[float, list[tuple[float, str]]] = {}
    for card, x, y, _, _ in canvas["pictures"]:
        row = next((height for height in rows if abs(height - y) <= SAME_ROW), y)
        rows.setdefault(row, []).append((x, card or BACK))
    texts = [Text(*text) for text in canvas["texts"]]
    pictures = [tuple(each) for each in canvas["pictures"]]
    return Screen(
        texts, {y: [code for _, code in sorted(row)] for y, row in rows.items()}, pictures
    )


class Table:
    """A student's program that is being played."""

    def __init__(self, trial: Trial) -> None:
        """Start the program; a hand may be dealt by that."""
        self.trial = trial
        self._seats: tuple[list[int], list[int]] | None = None
        trial.start(program_of(trial).name)
        trial.expect(trial.look(f"len({KIT}.FRAMES)"), "the program starts a frame", "it does not")

    @property
    def labels(self) -> list[str]:
        """The texts of the buttons."""
        found: list[str] = self.trial.probe("labels")
        return found

    @property
    def script(self) -> list[str]:
        """The cards that the deck deals next, if it deals any."""
        left: list[str] = self.trial.look(f"{KIT}.SCRIPT")
        return left

    @script.setter
    def script(self, codes: list[str]) -> None:
        self.trial.look(f"{KIT}.SCRIPT.__setitem__(slice(None), {codes!r})")

    @property
    def screen(self) -> Screen:
        """What the canvas shows now."""
        return read(self.trial.probe("screen"))

    def press(self, label: str) -> Screen:
        """Press a button, and return what is shown then."""
        labels = self.labels
        for number, text in enumerate(labels):
            if label in text.lower().split():
                self.trial.called.append(f"press {label.title()}")
                self.trial.probe("press", f"{number}")
                return self.screen
        raise Failed(f"a button {label.title()!r}", ", ".join(labels) or "there are no buttons")

    def deal(self, player: str, dealer: str, then: str = "") -> Screen:
        """Deal these cards, the dealer's hole card first, and then others; suits come first."""
        self._take_over()
        mine, theirs = self._order()
        order = [""] * 4
        for places, codes in ((mine, player.split()), (theirs, dealer.split())):
            for place, code in zip(places, codes, strict=True):
                order[place] = code
        self.script = [*order, *then.split()]
        self.trial.called.append(
            f"# deal_card() gives the player {player}, the dealer {dealer}; then {then}"
        )
        return self._dealt()

    def _dealt(self) -> Screen:
        """Press Deal; again if that only ended a round."""
        before = self.script
        screen = self.press("deal")
        return self.press("deal") if self.script == before else screen

    def _order(self) -> tuple[list[int], list[int]]:
        """Find out which of four cards the player gets, and which the dealer."""
        if not self._seats:
            probe = ["C2", "S3", "H4", "D5"]
            self.script = [*probe, *["CT", "ST", "HT", "DT"]]
            screen = self._dealt()
            player, dealer = self.hands(screen)
            trial = self.trial
            two_each = len(player) == len(dealer) == 2
            trial.expect(two_each, "two cards each on the canvas", f"{player} and {dealer}")
            known = {*player} <= {*probe} and {*dealer} <= {*probe, BACK}
            trial.expect(known, "the cards that deal_card() gave", f"{player} and {dealer}")
            mine = [probe.index(code) for code in player]
            up = [probe.index(code) for code in dealer if code != BACK]
            hole = [place for place in range(4) if place not in (*mine, *up)]
            self._seats = mine, [*hole, *up]
        return self._seats

    def hands(self, screen: Screen) -> tuple[list[str], list[str]]:
        """Return the player's row and the dealer's, which has a back or stands near that word."""
        rows = screen.rows
        self.trial.expect(len(rows) == 2, "two rows of cards", f"{len(rows)}: {[*rows.values()]}")
        backs = [y for y, row in rows.items() if BACK in row]
        if backs:
            self._dealers = backs[0]
        elif not hasattr(self, "_dealers"):
            words = [t.y for t in screen.texts if "dealer" in t.text.lower()]
            self._dealers = min(rows, key=lambda y: min([abs(y - w) for w in words] or [0]))
        theirs = min(rows, key=lambda y: abs(y - self._dealers))
        (mine,) = rows.keys() - {theirs}
        return rows[mine], rows[theirs]

    def _take_over(self) -> None:
        """Let the deck deal the cards of the script, while there are any."""
        for name in ("Deck", "Card"):
            there = self.trial.probe("public_names", f"globals().get({name!r})") is not None
            self.trial.expect(there, f"a class {name}", "there is none")
        deals = self.trial.look("callable(getattr(Deck, 'deal_card', None))")
        self.trial.expect(deals, "Deck has deal_card", "it has not")
        self.trial.probe("follow_script", "Deck", "Card")

    # The score, by what changes on the canvas while the same cards are dealt

    def standard(self, then: str = "") -> Score:
        """Deal 19 against a hidden ten and a six; return the numbers shown."""
        return self.deal("CT H9", "ST D6", then).numbers

    def counted(self, play: Callable[[], object], then: str) -> Score:
        """Return how the numbers change when a standard round is played, with these cards next."""
        before = self.standard(then)
        play()
        after = self.standard()
        self.script = ["C5"]
        self.press("stand")
        changes = {place: after.get(place, 0) - before.get(place, 0) for place in {*after, *before}}
        return {place: change for place, change in changes.items() if change}

    def won(self) -> Score:
        """Return how a win counts: the dealer draws a ten, and busts."""
        return self.counted(lambda: self.press("stand"), "CK")

    def lost(self) -> Score:
        """Return how a loss counts: the dealer draws a five."""
        return self.counted(lambda: self.press("stand"), "C5")


def program_of(trial: Trial) -> Path:
    """Return the one program of a folder: the file that makes a frame, if there are several."""
    files = sorted(trial.folder.glob("*.py"))
    trial.expect(files, "a file of Python", "there is none")
    framing = [file for file in files if "create_frame" in file.read_text(errors="replace")]
    ours = [file for file in framing if file.name == "blackjack.py"]
    return (ours or framing or files)[0]
