"""One-deck Blackjack with a student's program, whose prompts are answered by buttons.

In a browser, Python cannot wait for a keyboard. Therefore the program is run again from its start
for each answer, with the same cards and all answers so far. The recording starts at the last
answer.
"""

import runpy
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from cardgames import GAMES
from cardgames.cards import Card
from cardgames.games.twentyone import ONE_DECK
from cardgames.games.twentyone.rules import TARGET, total
from cardgames.table import Table
from cardgames.text import Text
from course.browser.felt import Shown
from course.browser.program import Program
from course.browser.recorder import Place, Recorder
from course.browser.table import Blame, Difference, StudentTable, listed, logged
from course.grading.checks.words import winners
from course.grading.sandbox.child import stop
from course.grading.sandbox.terminal import Terminal
from course.sheets.one_deck.checks.game import CODE, numbers

PROGRAM: Final = "proj09.py"
ANSWERS: Final = {"hit": "h", "stay": "s", "deal": "y", "stop": "n"}
WINNERS: Final = {
    "player": Text("You win"),
    "dealer": Text("The dealer wins"),
    "nobody": Text("nobody"),
}


class Asking(BaseException):
    """An exception raised when the program reads a line that has not been typed yet."""


class Prompts(Terminal):
    """A terminal that types the answers so far, and records which lines of code print."""

    def __init__(self, typed: list[str], recorder: Recorder) -> None:
        """Create a terminal that types these answers and records from the last one on."""
        super().__init__(typed, stop)
        self._recorder = recorder
        self.prints: list[tuple[str, Place | None]] = []
        """The output since the last answer, and the line of code that printed each part."""
        if not typed:
            recorder.begin_here()

    def show(self, text: str) -> None:
        """Record output, and the line of code that printed it."""
        super().show(text)
        self.prints.append((text, self._recorder.place_of_caller()))

    def read(self) -> str:
        """Return the next answer, or raise :class:`Asking` if there is none."""
        if not self.left:
            raise Asking
        if len(self.left) == 1:  # each earlier answer was recorded while it was the latest one
            self._recorder.begin_here()
            self.prints.clear()
        return super().read()


@dataclass
class Side:
    """A table of one of the two programs."""

    log: list[Any] = field(default_factory=list)
    dealt: list[Card] = field(default_factory=list)
    text: str = ""
    """The output since the last answer."""
    before: str = ""
    """The output before the last answer."""
    prints: list[tuple[str, Place | None]] = field(default_factory=list)
    asks: bool = False


class OneDeck(StudentTable[Side]):
    """A student's game of One-deck Blackjack, next to the site's own table."""

    game = "one-deck"
    table: Table
    answers: tuple[str, ...] = ()
    start = 0
    """Number of cards dealt before this round."""

    def set_up(self, program: Program) -> Side:
        """Record the cards that the course's deck deals, without running the program."""
        side = Side()

        def note() -> None:
            deck = sys.modules["cards"].Deck
            deck.deal = logged(deck.deal, side.log)

        program.run(note, quiet=True)
        return side

    def moves(self) -> list[tuple[str, Text]]:
        """Return the possible answers to our program's prompt."""
        if not self.round:
            return [("deal", Text("Deal"))]
        if not (self.mine.asks and self.reference.asks):
            return []
        if str(self.table.phase) == "playing":
            return [("hit", Text("Another card")), ("stay", Text("Stand"))]
        return [("deal", Text("Another round")), ("stop", Text("Stop playing"))]

    def before_move(self, name: str) -> None:
        """Add the answer, and make the same move at the site's table."""
        if not self.round:
            self.table = Table(GAMES[self.game])
        else:
            self.answers = (*self.answers, ANSWERS[name])
        self.last = name
        if name == "stop":
            return
        sent = {} if self.round else {"deck": "\n".join(self._order())}
        self.table = self.table.play(name, sent).table
        self.round += name == "deal"

    def _order(self) -> list[str]:
        """Return the deck for both programs, with the top card first."""

        def shuffled() -> list[str]:
            deck = sys.modules["cards"].Deck()
            deck.shuffle()
            return [str(deck.deal()).upper() for _ in range(52)]

        self.ours.luck.begin_move(1)
        codes: list[str] = self.ours.run(shuffled, quiet=True)
        return codes

    def move(self, program: Program, side: Side, name: str) -> None:  # noqa: ARG002 - all lines are typed again
        """Run the program from its start with all answers so far."""
        program.luck.begin_move(1)
        side.log.clear()
        terminal = Prompts([*self.answers], program.recorder)

        def play() -> bool:
            try:
                runpy.run_path(str(program.folder / PROGRAM), run_name="__main__")
            except Asking:
                return True
            except SystemExit:
                pass
            return False

        side.asks = program.run_at(terminal, play)
        parts = program.seen.parts
        side.before, side.text, side.prints = "".join(parts[:-1]), parts[-1], terminal.prints
        side.dealt = [Card(str(card).upper()) for card in side.log if card is not None]

    def shown(self) -> Shown:
        """Return our hands, with only the cards that the student's program has also dealt."""
        table = self.table
        return Shown(
            str(table.phase), table.round, table.shown(), table.result, dict(table.counts())
        )

    def decision(self) -> Any:
        """Return the decision of the site's table, given the visible cards."""
        is_open = self.round and str(self.table.phase) == "playing" and self.mine.asks
        return self.table.state if is_open else None

    def differences(self) -> Iterator[Difference]:
        """Yield the differences from the sheet in totals, cards and the winner."""
        if self.last == "stop":
            return
        view, playing = self.table.shown(), str(self.table.phase) == "playing"
        codes = [Card(code.upper()) for code in CODE.findall(self.mine.text)]
        yield from self._totals()
        yield from self._hole(playing=playing)
        yield from self._count()
        if playing:
            missing = [card for card in view.player.cards if card not in codes]
            if missing:
                rule = "S2-22" if self.last == "deal" else "S2-24"
                subject = Text("your cards")
                wanted = listed(view.player.cards)
                yield Difference(rule, subject, wanted, listed(codes), self._printed())
        else:
            yield from self._winner()

    def _totals(self) -> Iterator[Difference]:
        """Compare the displayed totals with the totals of the dealt cards."""
        view, printed = self.table.shown(), numbers(self.mine.text)
        if self.last == "deal":
            self.start = len(self.reference.dealt) - len(view.player.cards + view.dealer.cards)
            return
        dealt, count = self.mine.dealt[self.start :], len(view.player.cards) + 2
        hands = {
            "player": (*dealt[0:4:2], *dealt[4:count]),
            "dealer": (*dealt[1:4:2], *dealt[count:]),
        }
        player_total = total(hands["player"], ONE_DECK)
        for name, hand in hands.items():
            wanted = total(hand, ONE_DECK)
            if wanted in printed or (name == "dealer" and self.last == "hit"):
                continue
            if (name == "dealer" and player_total > TARGET) or not self._is_shown(hand):
                continue
            wrong = [number for number in printed if self._returned(number)]
            if name == "dealer":
                wrong = [number for number in wrong if number != player_total]
            subject = Text("the total of {cards}", cards=listed(hand))
            if not wrong:
                nothing = Text("no value is shown")
                yield Difference("S2-30", subject, str(wanted), nothing, self._printed())
                continue
            got = wrong[0] if name == "player" else wrong[-1]
            blame = Blame((self._returned(got),), got)
            yield Difference("S2-30", subject, str(wanted), str(got), blame)

    def _is_shown(self, hand: tuple[Card, ...]) -> bool:
        """Return whether the program prints these cards next to each other, in any order."""
        codes = [Card(code.upper()) for code in CODE.findall(self.mine.text)]
        size = len(hand)
        return any({*codes[at : at + size]} == {*hand} for at in range(len(codes) - size + 1))

    def _returned(self, number: int) -> str:
        """Return the last function that returned a number."""
        for step in reversed(self.theirs.recorder.steps):
            if step.get("returns") == repr(number):
                return str(step["function"]).rpartition(".")[2]
        return ""

    def _hole(self, *, playing: bool) -> Iterator[Difference]:
        if playing and len(self.mine.dealt) >= len(self.table.shown().player.cards):
            hole = self.table.state.dealer[ONE_DECK.hole]
            if hole in [Card(code.upper()) for code in CODE.findall(self.mine.text)]:
                blame = self._printed(f"{hole[0]}{hole[1].lower()}")
                subject = Text("the dealer's second card")
                yield Difference("S2-5", subject, Text("face down"), listed([hole]), blame)

    def _count(self) -> Iterator[Difference]:
        """Compare the numbers of dealt cards of both programs.

        The two decks have the same order.
        """
        wanted, got = self.reference.dealt, self.mine.dealt
        if len(wanted) != len(got):
            rule = {"deal": "S2-4", "hit": "S2-6", "stay": "S2-9"}[self.last]
            subject, more = Text("the cards that were dealt"), min(len(wanted), len(got)) - 1
            blame = Blame((), decision=self.last != "deal")
            yield Difference(rule, subject, listed(wanted[more:]), listed(got[more:]), blame)

    def _winner(self) -> Iterator[Difference]:
        expected, actual = (winners(CODE.sub(" ", s.text)) for s in (self.reference, self.mine))
        if actual and expected != actual:  # messages with unknown wording do not name a winner
            view = self.table.shown()
            bust = (view.player.total or 0) > TARGET, (view.dealer.total or 0) > TARGET
            rule = "S2-11" if bust[0] else "S2-12" if bust[1] else "S2-13"
            wanted, got = (
                Text("nobody") if len(side) != 1 else WINNERS[next(iter(side))]
                for side in (expected, actual)
            )
            place = next(
                (p for text, p in self.mine.prints if winners(CODE.sub(" ", text)) == actual), None
            )
            yield Difference(rule, Text("who has won"), wanted, got, Blame((), at=place))

    def _printed(self, part: str = "") -> Blame:
        places = [place for text, place in self.mine.prints if part in text and text.strip()]
        return Blame((), at=places[-1] if places else None)
