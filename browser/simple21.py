"""Simple 21 with a student's own ``Card``, ``Deck``, ``Player`` and ``Table``."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from browser.felt import Shown
from browser.program import Program
from browser.table import Blame, Difference, OwnTable, first_unlike, listed
from cardgames.cards import FULL_DECK, Card, MaskedCards
from cardgames.game import Result
from cardgames.games.twentyone import SIMPLE_21
from cardgames.games.twentyone.engine import HandView, View
from cardgames.games.twentyone.rules import TARGET, total
from cardgames.odds import Odds, odds
from cardgames.text import Text
from course.grading.checks.tools import winners

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


@dataclass
class Side:
    """What one of the two programs shows."""

    table: Any = None
    card: Callable[..., Any] | None = None
    player: HandView = HandView((), None)
    dealer: HandView = HandView((), None)
    winner: str = ""
    said: str = ""
    """The method that has said so."""


class Simple21(OwnTable):
    """A student's table of Simple 21."""

    slug = "simple-21"
    left = 52
    """How many cards are left in our deck: how many in the student's is nowhere public."""

    def set_up(self, program: Program) -> None:
        """Make a table, from a file of the deck."""
        names = program.load("playingCards", "simple21")

        def make() -> Any:
            with open(DECK_FILE, "w", encoding="utf-8") as file:  # noqa: PTH123 - not recorded
                file.write("\n".join(self.codes) + "\n")
            return names["Table"]()

        side = Side(program.run(lambda: make(), DECK_FILE), names["Card"])
        self.sides = {**getattr(self, "sides", {}), program: side}

    @property
    def mine(self) -> Side:
        """The student's side."""
        return self.sides[self.theirs]

    def moves(self) -> list[tuple[str, Text]]:
        """Return what the sheet's program would ask."""
        if self.round and not self.mine.winner:
            return [("hit", Text("Hit")), ("stay", Text("Stay"))]
        return [("deal", Text("Deal"))]

    def before_move(self, name: str) -> None:
        """Count the rounds."""
        self.last = name
        self.round += name == "deal"

    def move(self, program: Program, name: str) -> None:
        """Do what ``assignment2.py`` does with the table at this answer, and read the table."""
        side = self.sides[program]
        table = side.table

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
            told = winners(program.seen.shown.rpartition("\n")[2] or program.seen.shown)
            side.winner = WORDS[next(iter(told))] if len(told) == 1 else "tie"
        printed = program.seen
        text = str(program.run(lambda: str(table), quiet=True))
        program.seen = printed
        hands = HANDS.findall(text)
        if len(hands) != len(SEATS):
            raise ValueError(f"str(table) shows no two hands: {text[:200]!r}")
        lay = 0 if name == "deal" else len(side.player.cards + side.dealer.cards)
        side.player, side.dealer = (
            HandView(_cards(cards), int(value) if value else None) for cards, value in hands
        )
        if program is self.ours:
            lying = len(side.player.cards + side.dealer.cards)
            self.left = self.left - (lying - lay) if not program.luck.shuffles else 52 - lying

    def shown(self) -> Shown:
        """Return what ``str(table)`` shows, and who has won by its methods."""
        side = self.mine
        up = next((card for card in side.dealer.cards if card), None)
        phase = "ready" if not self.round else "round over" if side.winner else "playing"
        result = Result(side.winner, RESULTS[side.winner], "winner") if side.winner else None
        lying = sum(len(hand.cards) for hand in (side.player, side.dealer))
        gone = 52 - lying - self.left
        view = View(side.player, side.dealer, deck=self.left, discards=max(gone, 0), upcard=up)
        return Shown(phase, self.round, view, result)

    @property
    def is_coached(self) -> bool:
        """Whether a decision of the first round is open: later discards are nowhere public."""
        side = self.mine
        return self.round == 1 and not side.winner and bool(side.player.cards)

    def odds(self) -> Odds | None:
        """Return the odds of the first round; what is discarded later is nowhere public."""
        side = self.mine
        up = next((card for card in side.dealer.cards if card), None)
        if not self.is_coached or up is None or None in side.player.cards:
            return None
        hand = [card for card in side.player.cards if card]
        unseen = [card for card in FULL_DECK if card not in (*hand, up)]
        return odds(SIMPLE_21, hand, up, unseen)

    def differences(self) -> Iterator[Difference]:
        """Yield what is not as the sheet asks: values, sums, cards, then the end of the round."""
        yield from self._values()
        yield from self._sums()
        yield from self._cards()
        yield from self._end()

    def _values(self) -> Iterator[Difference]:
        """Compare what each card on the table is worth by itself."""
        make, program = self.mine.card, self.theirs
        cards = (*self.mine.player.cards, *self.mine.dealer.cards)
        for card in dict.fromkeys(filter(None, cards)):
            wanted = total([card], SIMPLE_21)
            steps = program.recorder.steps
            program.recorder = program.recorder.another()
            got = program.run(lambda code=card: make(str(code), True).getValue())  # noqa: FBT003
            value_steps, program.recorder.steps = program.recorder.steps, steps
            if got != wanted:
                rule = {"A": "S0-6"}.get(card.rank, "S0-5" if card.rank in "JQK" else "S0-4")
                what = Text("the value of {card}", card=listed([card]))
                blame = Blame(("getValue", "__init__"), got)
                yield Difference(rule, what, str(wanted), str(got), blame, value_steps)

    def _sums(self) -> Iterator[Difference]:
        """Compare each hand's value with the sum of the cards that lie in it."""
        for name, hand in zip(SEATS, (self.mine.player, self.mine.dealer), strict=True):
            cards = [card for card in hand.cards if card]
            wanted = total(cards, SIMPLE_21) if None not in hand.cards else None
            if hand.total != wanted:
                rule = "S0-48" if wanted is None or hand.total is None else "S0-8"
                what = Text("the value of the hand {cards}", cards=listed(hand.cards))
                blame = Blame(("addToHand", "getHandValue", "__str__"))
                if wanted is None and name == "dealer":
                    blame = Blame(("__str__", "dealHands"))
                yield Difference(rule, what, _shown(wanted), _shown(hand.total), blame)

    def _cards(self) -> Iterator[Difference]:
        """Compare the cards: those that were dealt first, then where they lie."""
        side, ours = self.mine, self.sides[self.ours]
        deal = {"deal": "S0-52", "hit": "S0-54", "stay": "S0-56"}[self.last]
        method = {"deal": "dealHands", "hit": "playerHit", "stay": "dealerHit"}[self.last]
        pairs = ((Text("your cards"), ours.player, side.player), (Text("the dealer's cards"), ours.dealer, side.dealer))
        dealt = {card for _, hand, _ in pairs for card in hand.cards if card}
        lying = {card for _, _, hand in pairs for card in hand.cards if card}
        strange = lying - dealt and not any(None in hand.cards for _, hand, _ in pairs[1:])
        for seat, (what, wanted, got) in enumerate(pairs):
            place = first_unlike(wanted.cards, got.cards)
            if place is None:
                continue
            call = 2 * place + seat if self.last == "deal" else 0
            blame = Blame((method, "__nextCard", "deal"), call=("deal", call))
            rule = deal
            if strange or (lying - dealt and place < 2 and self.last == "deal" and lying - dealt - self._next()):
                rule, blame = "S0-32", Blame(("deal", "repopulate"))
            if self.ours.luck.shuffles and self.theirs.luck.shuffles and lying != dealt:
                rule, blame = "S0-38", Blame(("repopulate", "clearTable"))
            if self.last == "stay" and got.cards[: len(wanted.cards)] == wanted.cards:
                rule, blame = "S0-56", Blame(("dealerHit",))
            yield Difference(rule, what, listed(wanted.cards), listed(got.cards), blame)

    def _next(self) -> set[Card]:
        """Return the four cards that the deck deals first."""
        return {Card(code) for code in self.codes[:4]} if self.round == 1 else set()

    def _end(self) -> Iterator[Difference]:
        """Compare how the round ends; the hands are those of ours by now."""
        side, ours = self.mine, self.sides[self.ours]
        if side.winner != ours.winner:
            hand = side.player.total or 0
            rule = {"playerHit": "S0-54", "playerNatural": "S0-60", "dealerHit": "S0-59"}.get(side.said, "S0-15")
            if rule == "S0-60" or (hand == TARGET and self.last == "stay"):
                rule, functions = "S0-60", ("playerNatural",)
            elif rule == "S0-59" or ours.said == "dealerHit":
                rule, functions = "S0-59", ("dealerHit",)
            else:
                functions = (side.said,)
            wanted, got = RESULTS[ours.winner], RESULTS[side.winner]
            yield Difference(rule, Text("how the round ends"), wanted, got, Blame(functions))


def _cards(text: str) -> MaskedCards:
    return tuple(
        Card(code.upper()) if code.upper() in FULL_DECK else None for code in CARD.findall(text)
    )


def _shown(value: int | None) -> str | Text:
    return Text("no value is shown") if value is None else str(value)
