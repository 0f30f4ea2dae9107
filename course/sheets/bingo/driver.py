"""Playing-card Bingo with a student's own ``Card``, ``Deck``, ``Bingo`` and ``Table``."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from cardgames.cards import Card, MaskedCards
from cardgames.game import Result
from cardgames.games.bingo import GridView, Marks, View
from cardgames.games.bingo.rules import (
    CENTRE,
    Mode,
    face_down_positions,
    find_winner,
    is_bingo,
    one_away,
    winning_positions,
)
from cardgames.text import Text
from course.browser.felt import Shown
from course.browser.program import Program
from course.browser.table import Blame, Difference, StudentTable, first_difference, listed
from course.sheets.bingo.checks.grids import cells

PLAYERS: Final = ("A", "B")
DEALS: Final = {
    "deal L": Text("Deal: a line"),
    "deal C": Text("Deal: the corners"),
    "deal F": Text("Deal: the full grid"),
    "deal LY": Text("Deal: a line, ranks only"),
}
RULES: Final = {Mode.LINE: "S4-30", Mode.CORNERS: "S4-31", Mode.FULL: "S4-32"}
WINNERS: Final = {"Player A won!": "A", "Player B won!": "B", "Tie!": "tie"}
RESULTS: Final = {
    "A": Text("Player A has a BINGO!"),
    "B": Text("Player B has a BINGO!"),
    "tie": Text("Both have a BINGO!"),
}
BOTH_CENTRES: Final = 2
"""Maximum number of visible cards that only one of two grids shows, if both grids contain the same
cards in a different order. Each grid hides its centre card.
"""

UP, DOWN = Text("face up"), Text("face down")
YES, NO = Text("yes"), Text("no")

Grids = tuple[MaskedCards, MaskedCards]


@dataclass
class Side:
    """A table of one of the two programs."""

    table: Any
    first: Grids = ((), ())
    """The grids after the deal."""
    down: tuple[frozenset[int], ...] = (frozenset(), frozenset())
    shouts: tuple[bool, ...] = (False, False)
    """Whether a BINGO! is displayed under each grid."""
    called: list[Card] = field(default_factory=list)
    is_over: bool = False
    said: str = ""
    """The result of ``whoWon()``."""


class Bingo(StudentTable[Side]):
    """A student's table of Bingo."""

    game = "bingo"
    mode = Mode.LINE
    speed = False

    def set_up(self, program: Program) -> Side:
        """Create a table, and fill its decks from files."""
        names = program.load("playingCards", "bingo", classes=("Table",))
        # The grids and the calls have different orders; 23 and 52 have no common divisor, so this
        # is a permutation.
        calling = sorted(self.codes, key=lambda code: self.codes.index(code) * 23 % 52)

        def make() -> Any:
            table = names["Table"]()
            for number, (file, codes) in enumerate(
                (("bingoDeck.txt", self.codes), ("callingDeck.txt", calling))
            ):
                with open(file, "w", encoding="utf-8") as written:  # noqa: PTH123 - as in students' programs
                    written.write("\n".join(codes) + "\n")
                table.populateDeck(number, file)
            return table

        return Side(program.run(make))

    def moves(self) -> list[tuple[str, Text]]:
        """Return the moves of the caller."""
        if self.round and not self.mine.is_over:
            times = {
                "call": Text("Call a card"),
                "call*5": Text("Call 5"),
                "call*52": Text("Until BINGO!"),
            }
            return [*times.items()]
        return [*DEALS.items()]

    def before_move(self, name: str) -> None:
        """Count the rounds."""
        if name.startswith("deal "):
            self.round += 1
            self.mode, self.speed = Mode(name[5]), name.endswith("Y")

    def move(self, program: Program, side: Side, name: str) -> None:
        """Make the same calls as the sheet's program."""
        table = side.table

        def deal() -> None:
            if self.round > 1:
                table.clearTable()
                table.resetDecks()
            table.dealBingo(self.mode.value)
            table.displayTable()

        def call() -> None:
            card = table.callCard()
            table.updateTable(card, self.speed)
            side.called.append(Card(f"{card.getRank()}{card.getSuit()}".upper()))
            table.displayTable()
            side.is_over = bool(table.isWinner())
            side.said = str(table.whoWon()) if side.is_over else ""

        if name.startswith("deal "):
            side.called, side.is_over, side.said = [], False, ""
            program.run(deal)
            side.first = _grids(program.seen.shown)
        else:
            program.run(call)
        side.down = tuple(
            frozenset(place for place, card in enumerate(grid) if card is None)
            for grid in _grids(program.seen.shown)
        )

        halves = re.split(r"player\s+b\b", program.seen.shown, maxsplit=1, flags=re.IGNORECASE)
        side.shouts = tuple("BINGO!" in half for half in (*halves, "")[:2])

    def shown(self) -> Shown:
        """Return the output of ``displayTable()``, and the winner that ``whoWon()`` names."""
        side = self.mine
        grids, marks = [], []
        for player, cards, down in zip(PLAYERS, side.first, side.down, strict=True):
            known = [card or Card("AS") for card in cards]  # the centre card is never compared
            calls = face_down_positions(tuple(known), side.called, speed=self.speed)
            covered = tuple(sorted(down))
            grids.append(GridView(player, _with_hidden_centre(cards), covered))  # type: ignore[arg-type]
            turned = tuple(calls.get(place, 0) for place in covered)
            winning, wanted = winning_positions(down, self.mode), one_away(down, self.mode)
            marks.append(Marks(turned, tuple(sorted(winning)), tuple(sorted(wanted))))
        left = 52 - len(side.called)
        view = View(self.mode, self.speed, tuple(grids), tuple(side.called), left, tuple(marks))
        winner = WINNERS.get(side.said, "tie")
        result = Result(winner, RESULTS[winner], "bingo") if side.is_over else None
        return Shown("round over" if side.is_over else "playing", self.round, view, result)

    def differences(self) -> Iterator[Difference]:
        """Yield differences from the sheet in the cards and the winner."""
        yield from self._dealt()
        yield from self._called()
        yield from self._turned()
        yield from self._won()

    def _dealt(self) -> Iterator[Difference]:
        expected, actual = self.reference.first, self.mine.first
        grids = [{*filter(None, grid)} for grid in expected]
        rows = zip(PLAYERS, expected, actual, grids, strict=True)
        for seat, (player, wanted, got, cards) in enumerate(rows):
            if got[CENTRE] is not None and not self.mine.called:
                subject = Text("the middle of {player}'s grid", player=player)
                yield Difference("S4-25", subject, DOWN, UP, Blame(("populate",)))
            place = first_difference(_with_hidden_centre(wanted), _with_hidden_centre(got))
            if place is None:
                continue
            lying = {*filter(None, got)}
            if len(lying ^ cards) <= BOTH_CENTRES:  # the same cards at different positions
                rule, blame = "S4-25", Blame(("populate",))
            elif len(lying - grids[0] - grids[1]) <= BOTH_CENTRES:
                rule, blame = "S4-43", Blame(("dealBingo",), call=("populate", seat))
            else:
                rule, blame = "S4-43", Blame(("dealBingo", "dealCard", "populateDeck"))
                if self.round > 1:
                    rule, blame = "S4-48", Blame(("resetDecks", "clearTable"))
            row = slice(place - place % 5, place - place % 5 + 5)
            subject = Text("a row of {player}'s grid", player=player)
            yield Difference(rule, subject, listed(wanted[row]), listed(got[row]), blame)

    def _called(self) -> Iterator[Difference]:
        expected, actual = self.reference.called, self.mine.called
        place = first_difference(expected, actual)
        if place is not None:
            blame = Blame(("callCard", "dealCard", "populateDeck"))
            subject = Text("the card that is called")
            yield Difference(
                "S4-45", subject, listed(expected[place:][:1]), listed(actual[place:][:1]), blame
            )

    def _turned(self) -> Iterator[Difference]:
        side = self.mine
        for player, cards, down in zip(PLAYERS, self.reference.first, side.down, strict=True):
            known = [card or Card("AS") for card in cards]
            wanted = face_down_positions(tuple(known), side.called, speed=self.speed)
            for place in sorted({*wanted} ^ down):
                if place == CENTRE:
                    continue  # the output does not show whether the centre card was called
                card = listed([cards[place]])
                subject = Text("{card} in {player}'s grid", card=card, player=player)
                got = (UP, DOWN) if place in down else (DOWN, UP)
                if place in down:
                    blame = Blame(("search", "updateTable"), call=("turnOver", 0))
                elif self._searched() < len(PLAYERS):
                    blame = Blame(("updateTable",), call=("search", len(PLAYERS) - 1))
                else:
                    blame = Blame(("search", "updateTable"))
                yield Difference("S4-28" if place in wanted else "S4-27", subject, *got, blame)

    def _searched(self) -> int:
        """Return the number of grids that were searched in the current move."""
        steps = self.theirs.recorder.steps
        objects = (
            step["names"].get("self") for step in steps if step["function"] == "Bingo.search"
        )
        return len({*objects})

    def _won(self) -> Iterator[Difference]:
        side = self.mine
        a, b = (is_bingo(down, self.mode) for down in side.down)
        if side.is_over != (a or b):
            subject, (wanted, got) = (
                Text("whether there is a BINGO!"),
                (NO, YES) if side.is_over else (YES, NO),
            )
            blame = Blame(("isBingo", "isWinner"))
            yield Difference(RULES[self.mode], subject, wanted, got, blame)
        for player, has, shows in zip(PLAYERS, (a, b), side.shouts, strict=True):
            if side.is_over and has != shows and any(side.shouts):
                subject = Text("whether {player} has a BINGO!", player=player)
                answers = (YES, NO) if has else (NO, YES)
                yield Difference(RULES[self.mode], subject, *answers, Blame(("isBingo",)))
        winner = find_winner(a_bingo=a, b_bingo=b)
        says = next((text for text, name in WINNERS.items() if winner and name == winner.value), "")
        if side.is_over and side.said != says:
            blame = Blame(("whoWon", "isBingo"), side.said)
            yield Difference("S4-50", Text("who has won"), says, side.said, blame)


def _grids(text: str) -> Grids:
    """Return the two grids that ``displayTable()`` printed.

    A face-down card is None.
    """
    codes = cells(text)
    if len(codes) != 50:  # noqa: PLR2004 - two grids of 25 cards
        raise ValueError(
            Text("displayTable() shows {number} cards instead of 50", number=len(codes))
        )
    cards = [Card(code.upper()) if code else None for code in codes]
    return tuple(cards[:25]), tuple(cards[25:])


def _with_hidden_centre(cards: MaskedCards) -> MaskedCards:
    return (*cards[:CENTRE], None, *cards[CENTRE + 1 :])
