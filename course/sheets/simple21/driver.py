"""Simple 21 with a student's own ``Card``, ``Deck``, ``Player`` and ``Table``."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from cardgames.cards import FULL_DECK, Card, MaskedCards, face_up
from cardgames.game import Result
from cardgames.games.twentyone import SIMPLE_21
from cardgames.games.twentyone.advisor import TwentyOneAdvisor
from cardgames.games.twentyone.engine import HandView, View
from cardgames.games.twentyone.rules import TARGET, total
from cardgames.text import Text
from course.browser.felt import Shown
from course.browser.program import Program
from course.browser.table import Blame, Difference, StudentTable, first_difference, listed, logged
from course.grading.checks.words import winners

HANDS = re.compile(r"((?:\[ *\w\w *\]\s*)+)(?:\W*value\W*=?\s*(-?\d+))?", re.IGNORECASE)
CARD = re.compile(r"\[ *(\w\w) *\]")

DECK_FILE = "deck.txt"
SEATS = ("player", "dealer")
RESULTS = {
    "player": Text("You win"),
    "dealer": Text("The dealer wins"),
    "tie": Text("A tie"),
    "": Text("It goes on"),
}
WORDS = {"nobody": "tie", "player": "player", "dealer": "dealer"}


UP, DOWN = Text("face up"), Text("face down")
YES, NO = Text("yes"), Text("no")
NO_HAND = HandView((), None)


@dataclass
class Side:
    """A table of one of the two programs."""

    table: Any
    make_card: Callable[..., Any]
    log: list[Any]
    """The cards that the deck dealt in this move."""
    dealt: list[Card] = field(default_factory=list)
    down: list[Card] = field(default_factory=list)
    """The cards that were face down when the deck dealt the cards."""
    player: HandView = NO_HAND
    dealer: HandView = NO_HAND
    winner: str = ""
    said: str = ""
    """The name of the table's method that determined the winner."""

    @property
    def lying(self) -> MaskedCards:
        """The cards on the table."""
        return (*self.player.cards, *self.dealer.cards)


class Simple21(StudentTable[Side]):
    """A student's table of Simple 21."""

    game = "simple-21"
    left = 52
    """Number of cards left in our deck. The number in the student's deck is not public."""

    def set_up(self, program: Program) -> Side:
        """Create a table whose deck is read from a file."""
        names = program.load("playingCards", "simple21", classes=("Card", "Deck", "Table"))
        log: list[Any] = []

        def make() -> Any:
            with open(DECK_FILE, "w", encoding="utf-8") as file:  # noqa: PTH123 - as in students' programs
                file.write("\n".join(self.codes) + "\n")
            names["Deck"].deal = logged(names["Deck"].deal, log, _seen)
            return names["Table"]()

        return Side(program.run(make, DECK_FILE), names["Card"], log)

    def moves(self) -> list[tuple[str, Text]]:
        """Return the moves that the sheet's program would offer."""
        if self.round and not self.mine.winner:
            return [("hit", Text("Hit")), ("stay", Text("Stay"))]
        return [("deal", Text("Deal"))]

    def before_move(self, name: str) -> None:
        """Count the rounds."""
        self.last = name
        self.round += name == "deal"

    def move(self, program: Program, side: Side, name: str) -> None:
        """Make the same calls as ``assignment2.py`` after this answer, and read the table."""
        table = side.table
        side.log.clear()

        def deal() -> str:
            if self.round > 1:
                table.clearTable()
            table.dealHands()
            return ""

        def hit() -> str:
            side.said = "playerHit"
            return "dealer" if table.playerHit() else ""

        def stay() -> str:
            side.said = "playerNatural"
            if table.playerNatural():
                return "player"
            side.said = "dealerHit"
            if table.dealerHit():
                return "player"
            side.said = "whoWon"
            table.whoWon()
            return "?"

        side.winner = program.run({"deal": deal, "hit": hit, "stay": stay}[name])
        if side.winner == "?":
            named = winners(program.seen.shown.rpartition("\n")[2] or program.seen.shown)
            side.winner = WORDS[next(iter(named))] if len(named) == 1 else "tie"
        printed = program.seen
        dealt = program.run(lambda: [(_code(card), up) for card, up in side.log], quiet=True)
        side.dealt, side.down = [card for card, _ in dealt], [card for card, up in dealt if not up]
        text = str(program.run(lambda: str(table), quiet=True))
        program.seen = printed
        hands = HANDS.findall(text)
        if len(hands) != len(SEATS):
            raise ValueError(Text("str(table) shows no two hands: {text}", text=repr(text[:200])))
        side.player, side.dealer = (
            HandView(_cards(cards), int(value) if value else None) for cards, value in hands
        )
        if program is self.ours:
            dealt = len(side.dealt)
            self.left = 52 - len(side.lying) if program.luck.shuffles else self.left - dealt

    def shown(self) -> Shown:
        """Return the cards in ``str(table)``, and the winner found by the table's methods."""
        side = self.mine
        up = next((card for card in side.dealer.cards if card), None)
        phase = "ready" if not self.round else "round over" if side.winner else "playing"
        result = Result(side.winner, RESULTS[side.winner], "winner") if side.winner else None
        dealt = 52 - len(side.lying) - self.left
        view = View(side.player, side.dealer, deck=self.left, discards=max(dealt, 0), upcard=up)
        return Shown(phase, self.round, view, result)

    def decision(self) -> Any:
        """Return the open decision in the first round.

        In later rounds, the discarded cards are not public.
        """
        side = self.mine
        hand, up = face_up(side.player.cards), face_up(side.dealer.cards)
        is_open = self.round == 1 and not side.winner and hand == side.player.cards
        return TwentyOneAdvisor(SIMPLE_21).pose(hand, up[0]) if is_open and hand and up else None

    def differences(self) -> Iterator[Difference]:
        """Yield the differences from the sheet in values, cards and the round's end."""
        yield from self._values()
        yield from self._sums()
        yield from self._natural()
        yield from self._cards()
        yield from self._end()

    def _values(self) -> Iterator[Difference]:
        make, program = self.mine.make_card, self.theirs
        for card in dict.fromkeys(filter(None, self.mine.lying)):
            wanted = total([card], SIMPLE_21)
            got, steps = program.traced(lambda: make(str(card), True).getValue())  # noqa: B023, FBT003 - called immediately
            if got != wanted:
                rule = {"A": "S0-6"}.get(card.rank, "S0-5" if card.rank in "JQK" else "S0-4")
                subject = Text("the value of {card}", card=listed([card]))
                blame = Blame(("getValue", "__init__"), got)
                yield Difference(rule, subject, str(wanted), str(got), blame, steps)

    def _sums(self) -> Iterator[Difference]:
        """Compare each hand's value with the sum of its cards."""
        for hand in (self.mine.player, self.mine.dealer):
            cards = [card for card in hand.cards if card]
            wanted = total(cards, SIMPLE_21) if None not in hand.cards else None
            if hand.total != wanted:
                functions = ("addToHand", "getHandValue", "__str__")
                if wanted is None or hand.total is None:
                    functions = ("__str__", "addToHand", "getHandValue")
                rule = "S0-48" if wanted is None or hand.total is None else "S0-8"
                subject = Text("the value of the hand {cards}", cards=listed(hand.cards))
                yield Difference(
                    rule, subject, _shown(wanted), _shown(hand.total), Blame(functions)
                )

    def _natural(self) -> Iterator[Difference]:
        """Compare whether 21 ended the round, because the dealer's cards depend on that."""
        messages = (self.reference.said, self.mine.said)
        wanted, got = (YES if message == "playerNatural" else NO for message in messages)
        if self.last == "stay" and wanted != got:
            yield Difference(
                "S0-60", Text("whether you have 21"), wanted, got, Blame(("playerNatural",))
            )

    def _cards(self) -> Iterator[Difference]:
        """Compare the cards: first their order in the deal, then their positions."""
        side, reference = self.mine, self.reference
        place = first_difference(reference.dealt, side.dealt)
        if place is not None and place < min(len(reference.dealt), len(side.dealt)):
            shuffled = self.ours.luck.shuffles
            rule, more = ("S0-38", "clearTable") if shuffled else ("S0-36", "__init__")
            subject = Text("the next card of the deck")
            wanted, got = listed(reference.dealt[place:][:1]), listed(side.dealt[place:][:1])
            functions = ("repopulate", more) if shuffled else ("deal", more)
            yield Difference(rule, subject, wanted, got, Blame(functions))
        for card in side.down:
            is_refill = self.ours.luck.shuffles > 0
            rule, function = ("S0-39", "repopulate") if is_refill else ("S0-36", "deal")
            subject = Text("how the deck deals {card}", card=listed([card]))
            yield Difference(rule, subject, UP, DOWN, Blame((function,)))
        rule, method = {
            "deal": ("S0-52", "dealHands"), "hit": ("S0-54", "playerHit"),
            "stay": ("S0-56", "dealerHit"),
        }[self.last]  # fmt: skip
        hands = (
            (Text("your cards"), reference.player, side.player),
            (Text("the dealer's cards"), reference.dealer, side.dealer),
        )
        for seat, (subject, expected, actual) in enumerate(hands):
            place = first_difference(expected.cards, actual.cards)
            if place is not None:
                call = ("deal", 2 * place + seat) if self.last == "deal" else None
                if self.last == "stay" and self._is_hidden(place):
                    rule, call = "S0-55", ("__str__", 0)  # the first call shows the table
                blame = Blame((method,), call=call)
                yield Difference(rule, subject, listed(expected.cards), listed(actual.cards), blame)

    def _is_hidden(self, place: int) -> bool:
        """Return whether the dealer's card at this index is still face down."""
        expected, actual = self.reference.dealer.cards, self.mine.dealer.cards
        return place < min(len(expected), len(actual)) and actual[place] is None

    def _end(self) -> Iterator[Difference]:
        """Compare the end of the round with the end in our program.

        At this point, the hands are known to be equal.
        """
        side, reference = self.mine, self.reference
        if side.winner == reference.winner:
            return
        method = side.said
        if "playerNatural" in (side.said, reference.said) or side.player.total == TARGET:
            method = "playerNatural" if self.last == "stay" else side.said
        elif "dealerHit" in (side.said, reference.said):
            method = "dealerHit"
        rule = {"playerHit": "S0-54", "playerNatural": "S0-60", "dealerHit": "S0-59"}
        wanted, got = RESULTS[reference.winner], RESULTS[side.winner]
        subject = Text("the result of the round")
        yield Difference(rule.get(method, "S0-15"), subject, wanted, got, Blame((method,)))


def _seen(card: Any) -> tuple[Any, bool]:
    return card, getattr(card, "isFaceUp", lambda: True)()


def _code(card: Any) -> Card:
    return Card(f"{card.getRank()}{card.getSuit()}".upper())


def _cards(text: str) -> MaskedCards:
    return tuple(
        Card(code.upper()) if code.upper() in FULL_DECK else None for code in CARD.findall(text)
    )


def _shown(value: int | None) -> str | Text:
    return Text("no value is shown") if value is None else str(value)
