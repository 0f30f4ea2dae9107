"""Blackjack: a student's program at a table where the cards are known and the canvas can be read.

Nothing is asked of the program but what the sheet's template names: the classes ``Card``, ``Hand``
and ``Deck``, three buttons, and a draw handler. Whose hand is whose is seen by what Hit adds to;
what a hand shows is which of its cards can be seen, wherever they are drawn and whatever else is.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from course.grading.checks.words import DEALER, PLAYER, busted, plain, winners
from course.grading.programs import program_in
from course.grading.trial import KIT, Failed, Trial, Unclear

BACK = "xx"
SAME_ROW = 40
"""Cards whose centres differ by no more in height lie in one row."""

PROBE = ["C2", "S3", "H4", "D5", "C3", "S2", "H3", "D4", "C5", "S4", "H2", "D3"]
"""Low cards that tell whose hand is whose; more than four, as Deal in mid-round may deal twice."""

Score = dict[tuple[str, int, int], int]
"""The numbers on the canvas by the words around them, so that they may move."""

Changes = dict[tuple[str, int], int]
"""By how much numbers have changed, by the word in front, and which number behind such a word."""


class HandsUnknown(Unclear):
    """Cards are dealt, and it cannot be seen whose they are."""

    def __init__(self, dealt: list[str], hands: Collection[list[str]]) -> None:
        """Say what ``deal_card`` gave, and what the hands have that were found."""
        found = " and ".join(" ".join(codes) for codes in hands if codes) or "none"
        said = " ".join(dealt) or "nothing"
        super().__init__(f"whose cards are dealt: deal_card() gave {said}, in hands are {found}")
        self.dealt = dealt
        self.hands = hands

    @property
    def sizes(self) -> list[int]:
        """How many cards two hands have, if all that was dealt is in one of them."""
        every = {frozenset(codes) for codes in self.hands if codes}
        whole = [codes for codes in every if not any(codes < other for other in every)]
        is_all = sorted(code for codes in whole for code in codes) == sorted(self.dealt)
        return [len(codes) for codes in whole] if is_all and len(whole) == 2 else []


class Text(NamedTuple):
    """A text on the canvas, and where it stands."""

    text: str
    x: float
    y: float


class Screen(NamedTuple):
    """What the canvas shows."""

    texts: list[Text]
    pictures: list[tuple[str, float, float, float, float]]
    """What each shows, its centre and its size."""

    @property
    def said(self) -> str:
        """All texts together."""
        return plain(" . ".join(text.text for text in self.texts))

    @property
    def sentences(self) -> list[str]:
        """The texts, without their numbers."""
        return [re.sub(r"-?\d+", "#", plain(text.text)) for text in self.texts]

    @property
    def winner(self) -> set[str]:
        """Who has won, as the texts say."""
        return winners("\n".join(text.text for text in self.texts))

    @property
    def rows(self) -> dict[float, list[str]]:
        """The cards in rows, by height, each from left to right, as they lie."""
        rows: dict[float, list[tuple[float, str]]] = {}
        for card, x, y, _, _ in self.pictures:
            row = next((height for height in rows if abs(height - y) <= SAME_ROW), y)
            rows.setdefault(row, []).append((x, card or BACK))
        return {y: [code for _, code in sorted(row)] for y, row in rows.items()}

    @property
    def faces(self) -> set[str]:
        """The cards that can be seen."""
        return {picture[0] for picture in self.pictures if picture[0]}

    @property
    def numbers(self) -> Score:
        """The numbers in the texts."""
        found: Score = {}
        for text in self.texts:
            words = re.sub(r"\d+", "#", text.text.replace("-", ""))
            again = len({key for key in found if key[0] == words and key[2] == 0})
            numbers = enumerate(re.findall(r"-?\d+", text.text))
            found |= {(words, again, place): int(number) for place, number in numbers}
        return found


def read(canvas: dict[str, Any]) -> Screen:
    """Return what a canvas shows; letters that are drawn one by one are a text again."""
    texts: list[Text] = []
    single = False
    for text, x, y in canvas["texts"]:
        letter = len(text) == 1 and not text.isdigit()
        if letter and single:
            texts[-1] = texts[-1]._replace(text=texts[-1].text + text)
        else:
            texts.append(Text(text, x, y))
        single = letter
    return Screen(texts, [tuple(each) for each in canvas["pictures"]])


class Table:
    """A student's program that is being played."""

    def __init__(self, trial: Trial) -> None:
        """Start the program; a hand may be dealt by that."""
        self.trial = trial
        self._seats: tuple[list[int], list[int]] = ([], [])
        self._names = ("", "")
        self._before = {True: 0, False: 0}
        self.printed = ""
        """What the program has printed since Deal was last pressed."""
        self.heard = ""
        """What the canvas has said since Deal was last pressed."""
        self.restart()

    def restart(self) -> None:
        """Start the program anew; nothing is left of what was played."""
        program = program_in(self.trial.sheet, self.trial.folder)
        if not program:
            raise Failed("a program in Python", "no program was found")
        self.trial.start(program.name)
        framed = self.trial.look(f"len({KIT}.FRAMES)")
        self.trial.expect(framed, "the program starts a frame", "it does not")

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
    def dealt_cards(self) -> int:
        """How many cards the deck has dealt."""
        return int(self.trial.look(f"len({KIT}.DEALT)"))

    @property
    def moved(self) -> tuple[int, int]:
        """How often the deck was asked for a card, and a hand was given one."""
        return self.dealt_cards, int(self.trial.look(f"len({KIT}.ADDED)"))

    @property
    def screen(self) -> Screen:
        """What the canvas shows now."""
        return read(self.trial.probe("screen"))

    def press(self, label: str) -> Screen:
        """Press a button, and return what is shown then."""
        labels = self.labels
        for number, text in enumerate(labels):
            if label in re.findall(r"\w+", text.lower()):
                self.trial.called.append(f"press {label.title()}")
                self.trial.probe("press", f"{number}", "globals()")
                self.printed += self.trial.seen.shown
                screen = self.screen
                self.heard += f" . {screen.said}"
                return screen
        raise Failed(f"a button {label.title()!r}", ", ".join(labels) or "there are no buttons")

    def deal(self, player: str, dealer: str, then: str = "") -> Screen:
        """Deal these cards, the dealer's hole card first, and then others; suits come first."""
        self.take_over()
        if not self._names[0]:
            self._find_seats()
        order = [""] * 4
        for places, codes in zip(self._seats, (player.split(), dealer.split()), strict=True):
            for place, code in zip(places, codes, strict=True):
                order[place] = code
        self.trial.called.append(
            f"# deal_card() gives the player {player}, the dealer {dealer}; then {then}"
        )
        screen = self._dealt_as(order, then.split())
        if [*self.held()] != [player.split(), dealer.split()]:  # it may have dealt twice
            screen = self._dealt_as(order, then.split())
        return screen

    def _dealt_as(self, order: list[str], then: list[str]) -> Screen:
        """Deal these four cards, after as many others as the program deals before its hands."""
        mid_round = self.in_play(self.screen)
        others = [code for code in PROBE if code not in (*order, *then)]
        script = [*others[: self._before[mid_round]], *order, *then]
        self.script = script
        before = self.dealt_cards
        screen = self.dealt()
        dealt = self.dealt_cards - before
        if dealt >= len(order) and [*map(sorted, self.held())] != self._split(order):
            self._before[mid_round] = min(dealt - len(order), len(others))
        return screen

    def _split(self, order: list[str]) -> list[list[str]]:
        """Return the player's of four cards that are dealt, and the dealer's, each sorted."""
        return [sorted(order[place] for place in places) for places in self._seats]

    def dealt(self) -> Screen:
        """Press Deal; again if that only ended a round, and after a bet if one must be placed."""
        before, self.heard, self.printed = self.script, "", ""
        screen = self.press("deal")
        for _ in range(2):
            if before and self.script == before:
                self._bet()
                screen = self.press("deal")
        return self._bet() or screen

    def _bet(self) -> Screen | None:
        """Place a bet where the program has a button or a field for one."""
        for text in self.labels:
            if word := re.search(r"\b(bet|wager|stake)", text.lower()):
                whole = next(w for w in re.findall(r"\w+", text.lower()) if word[1] in w)
                return self.press(whole)
        return None

    def _find_seats(self) -> None:
        """Find out which of four cards the player gets, and which the dealer, by one hit.

        Raises:
            Failed: nothing is dealt at all.
            HandsUnknown: something is.
        """
        self.script = [*PROBE, "CT", "ST", "HT", "DT"]
        screen = self.dealt()
        before = self.holders()
        dealt = PROBE[: len(PROBE) + 4 - len(self.script)]
        if not dealt and not screen.pictures:
            said = "deal_card() is not called, and no card is drawn"
            raise Failed("Deal deals cards", said, stuck="S1-18")
        last = {*dealt[-4:]}  # before them Deal may have dealt another round
        whole = [name for name, codes in before.items() if len(codes) == 2 and {*codes} <= last]
        self.press("hit")
        after = self.holders()
        grown = [name for name in whole if len(after.get(name, [])) > 2]
        dealers = [name for name in whole if re.search("deal|house|comp|bank", name.lower())]
        mine = (grown or [name for name in whole if name not in dealers] or whole or [""])[0]
        others = [name for name in whole if not {*before[name]} & {*before[mine]}]
        if not others:
            raise HandsUnknown(dealt, before.values())
        self._names = mine, others[0]
        theirs = sorted(before[others[0]], key=lambda code: code in screen.faces)
        self._seats = (
            [dealt[-4:].index(code) for code in before[mine]],
            [dealt[-4:].index(code) for code in theirs],
        )

    def holders(self) -> dict[str, list[str]]:
        """Return the cards of each hand, by the name that the program has for it."""
        found: dict[str, list[str]] = self.trial.probe("holders", "globals()")
        return found

    def held(self) -> tuple[list[str], list[str]]:
        """Return the cards in the player's hand and in the dealer's, whether shown or not."""
        held = self.holders()
        mine, theirs = (held.get(name, []) for name in self._names)
        return mine, theirs

    def hands(self, screen: Screen) -> tuple[list[str], list[str]]:
        """Return what the player's hand shows, and the dealer's; a hidden card is a back."""
        mine, theirs = self.held()
        shown = [code for code in mine if code in screen.faces]
        return shown, [code if code in screen.faces else BACK for code in theirs]

    def in_play(self, screen: Screen) -> bool:
        """Whether a card of the dealer's lies face down."""
        return BACK in self.hands(screen)[1]

    def take_over(self) -> None:
        """Let the deck deal the cards of the script, while there are any."""
        for name in ("Deck", "Card"):
            there = self.trial.probe("public_names", f"globals().get({name!r})") is not None
            self.trial.expect(there, f"a class {name}", "there is none")
        deals = self.trial.look("callable(getattr(Deck, 'deal_card', None))")
        self.trial.expect(deals, "Deck has deal_card", "it has not")
        if self.trial.probe("follow_script", "Deck", "Card"):
            self.trial.probe("count_added", "globals().get('Hand')")

    # The score, by what changes on the canvas while the same cards are dealt

    def standard(self, then: str = "") -> Score:
        """Deal 19 against a hidden ten and a six; return the numbers shown."""
        return self.deal("CT H9", "ST D6", then).numbers

    def counted(
        self,
        play: Callable[[], object],
        then: str = "",
        player: str = "CT H9",
        dealer: str = "ST D8",
    ) -> Changes:
        """Return how the numbers change when a round is played, with these cards next.

        The same cards are dealt after it. The program is started anew for it, so that a player who
        bets is never ruined.
        """
        self.restart()
        before = self.deal(player, dealer, then).numbers
        play()
        return changes(before, self.deal(player, dealer).numbers)

    def after(self, player: str, dealer: str, then: str = "") -> Score:
        """Return the numbers after one round in which the player stands, and a standard deal.

        Where there are any, only those that are there from the start: no message that was left.
        """
        self.restart()
        start = self.screen.numbers
        self.deal(player, dealer, then)
        self.press("stand")
        numbers = self.standard()
        return {place: numbers[place] for place in numbers if place in start} or numbers

    def won(self) -> Changes:
        """Return how a win counts, for which the dealer draws nothing: 19 against 18."""
        return self.counted(lambda: self.press("stand"))

    def lost(self) -> Changes:
        """Return how a loss counts: 18 against 19."""
        return self.counted(lambda: self.press("stand"), "", "CT H8", "ST D9")

    def expect_winner(self, player: str, dealer: str, then: str, winner: str) -> None:
        """Fail unless a round in which the player stands says, or else counts, who has won."""
        before = {text.text for text in self.deal(player, dealer, then).texts}
        screen = self.press("stand")
        new = "\n".join(text.text for text in screen.texts if text.text not in before)
        everything = "\n".join(text.text for text in screen.texts)
        named = next((each for each in map(winners, (new, everything)) if len(each) == 1), set())
        over = busted(new)
        if not named and len(over) == 1:
            named = {PLAYER, DEALER} - over
        named = named or self._counted_for(player, dealer, then)
        if not named:
            raise Unclear(f"whether this says that the {winner} wins: {screen.said}")
        self.trial.expect(named == {winner}, f"a message that the {winner} wins", screen.said)

    def _counted_for(self, player: str, dealer: str, then: str) -> set[str]:
        """Return for whom the score counts a round in which the player stands."""
        rounds = ((player, dealer, then), ("CT H9", "ST D8", ""), ("CT H8", "ST D9", ""))
        mine, won, lost = (self.after(*cards) for cards in rounds)
        if won == lost:
            return set()
        return {PLAYER} if mine == won else {DEALER} if mine == lost else set()


def changes(before: Score, after: Score) -> Changes:
    """Return how numbers have changed that are there before and after.

    They are known by the words of their text, or else by the one in front of them: a score may
    stand in one text with a message.
    """
    new = [place for place in after if place not in before]
    found: Changes = {}
    labels: Counter[str] = Counter()
    for place, number in before.items():
        label = label_of(place)
        labels[label] += 1
        others = [each for each in new if label_of(each) == label != ""]
        now = place if place in after else others[0] if others else None
        if now in others:
            new.remove(now)
        if now and after[now] != number:
            found[label, labels[label]] = after[now] - number
    return found


def label_of(place: tuple[str, int, int]) -> str:
    """Return the last word in front of a number, in lower case.

    >>> label_of(("Hit? Wins: #, losses: #", 0, 1)), label_of(("# to #", 0, 0))
    ('losses', '')
    """
    text, _, number = place
    before = " ".join(text.lower().split("#")[: number + 1])
    found: list[str] = re.findall(r"[^\W\d_]+", before)
    return found[-1] if found else ""
