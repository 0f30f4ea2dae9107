"""War with a student's own ``Card``, ``Hand``, ``Deck``, ``Player`` and ``Game``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from cardgames.cards import Card, Cards
from cardgames.game import AfterRound, Result
from cardgames.games.war import PlayerView, View
from cardgames.text import Text
from course.browser.felt import Shown
from course.browser.program import Program
from course.browser.recorder import ANY
from course.browser.table import Blame, Difference, StudentTable, first_difference, listed

NAMES: Final = ("Amy", "Brad")
RANKS: Final = dict(zip(range(2, 15), "23456789TJQKA", strict=True))


@dataclass
class Side:
    """A table of one of the two programs."""

    names: dict[str, Any]
    game: Any = None
    before: tuple[Cards, ...] = ((), ())
    """The hands before the turn, top card first."""
    hands: tuple[Cards, ...] = ((), ())
    winner: str = ""
    """The player who took the last pile."""
    turn: int = 0


class War(StudentTable[Side]):
    """A student's game of War for two."""

    game = "war"

    def set_up(self, program: Program) -> Side:
        """Import the module. The game is created when the user deals."""
        return Side(program.load("war", classes=("Card", "Game", "Player")))

    def moves(self) -> list[tuple[str, Text]]:
        """Return the moves."""
        if not self.round or not all(self.mine.hands):
            return [("deal", Text("Deal"))]
        return [
            ("turn", Text("Play a turn")),
            ("turn*10", Text("Play 10")),
            ("turn*50", Text("Play 50")),
            ("turn*5000", Text("To the end")),
        ]

    def before_move(self, name: str) -> None:
        """Count the games."""
        self.round += name == "deal"

    def move(self, program: Program, side: Side, name: str) -> None:
        """Deal a game or play a turn, and then read the hands."""

        def deal() -> None:
            names = side.names
            side.game = names["Game"]([names["Player"](name) for name in NAMES])
            side.game.deal()

        if name == "deal":
            program.run(deal)
            side.before, side.winner, side.turn = ((), ()), "", 0
        else:
            side.before = side.hands
            winner = program.run(side.game.turn)
            side.winner = str(program.run(lambda: getattr(winner, "name", winner), quiet=True))
            side.turn += 1
        side.hands = program.run(
            lambda: tuple(tuple(map(_card, player)) for player in side.game.players), quiet=True
        )

    def shown(self) -> Shown:
        """Return the sizes of the hands, the cards of the last turn, and its winner."""
        side = self.mine
        rows = _battle(side.before)
        players = tuple(
            PlayerView(name, len(hand)) for name, hand in zip(NAMES, side.hands, strict=True)
        )
        taker = NAMES.index(side.winner) if side.winner in NAMES else None
        seats = tuple((0, 1)[: len(row)] for row in rows)
        pile = sum(map(len, rows))
        view = View(
            players,
            rows,
            side.turn,
            seats,
            people=NAMES,
            taken_by=side.winner or None,
            taker=taker,
            pile=pile,
            rule="highest",
        )
        over = bool(side.turn) and not all(side.hands)
        text = Text("{name} has all the cards", name=side.winner)
        result = Result(side.winner, text, "end", AfterRound.NEW_GAME) if over else None
        phase = "game over" if over else "playing"
        return Shown(phase, self.round, view, result, dict.fromkeys(NAMES, 0))

    def differences(self) -> Iterator[Difference]:
        """Yield the differences from the sheet: ranks, the deal, and the winners of turns."""
        yield from self._order()
        if not self.mine.turn:
            yield from self._dealt()
        else:
            yield from self._taken()

    def _order(self) -> Iterator[Difference]:
        """Compare the results of both programs' comparisons of the top cards."""
        for row in _battle(self.mine.before)[::-1]:
            if len(row) < len(NAMES):
                continue
            left, other = (f"Card({_rank(card)}, {card.suit!r})" for card in row)
            first, second = map(_rank, row)
            wanted = (first > second, first < second, first == second)
            got, steps = self.theirs.traced(lambda: self._compared(row))  # noqa: B023 - called immediately
            for sign, method, right, answer in zip(
                (">", "<", "=="), ("__gt__", "__lt__", "__eq__"), wanted, got, strict=True
            ):
                if answer != right:
                    blame = Blame((method, *({"__gt__", "__lt__"} - {method})))
                    subject = Text("the value of {card}", card=f"{left} {sign} {other}")
                    yield Difference("S3-8", subject, str(right), str(answer), blame, steps)

    def _compared(self, row: Cards) -> tuple[bool, bool, bool]:
        make = self.mine.names["Card"]
        left, right = (make(_rank(card), card.suit) for card in row)
        return bool(left > right), bool(left < right), bool(left == right)

    def _dealt(self) -> Iterator[Difference]:
        for name, expected, actual in zip(
            NAMES, self.reference.hands, self.mine.hands, strict=True
        ):
            place = first_difference(expected, actual)
            if place is not None:
                rule, blame = "S3-22", Blame(("deal",), call=("receive_card", 0))
                if self.mine.hands[0][:1] == self.reference.hands[-1][-1:]:  # dealt from the bottom
                    rule, blame = "S3-13", Blame(("give_card",))
                subject = Text("the hand of {name}", name=name)
                if {*expected} - {*actual} and {*self.mine.hands[0], *self.mine.hands[1]} - {
                    *self.codes
                }:
                    rule, blame = "S3-18", Blame(("build_deck", "__init__"))
                yield Difference(rule, subject, listed(expected[:6]), listed(actual[:6]), blame)

    def _taken(self) -> Iterator[Difference]:
        side, reference = self.mine, self.reference
        blame = Blame(("turn",), ANY)
        if side.winner != reference.winner:
            rows = _battle(side.before)
            rule = "S3-2" if len(rows) == 1 else "S3-25" if len(rows[0]) < len(NAMES) else "S3-3"
            yield Difference(
                rule, Text("the winner of the pile"), reference.winner, side.winner, blame
            )
        for name, wanted, got in zip(NAMES, reference.hands, side.hands, strict=True):
            if len(wanted) != len(got):
                subject = Text("the number of cards of {name}", name=name)
                blame = Blame(("turn",), call=("receive_cards", 0))
                yield Difference("S3-28", subject, str(len(wanted)), str(len(got)), blame)
            elif {*wanted} != {*got}:
                subject = Text("the hand of {name}", name=name)
                yield Difference("S3-28", subject, listed(wanted[:6]), listed(got[:6]), blame)
            elif wanted != got and name != reference.winner:
                subject = Text("the hand of {name}", name=name)
                blame = Blame(("give_card", "turn"))
                yield Difference("S3-13", subject, listed(wanted[:6]), listed(got[:6]), blame)


def _battle(hands: tuple[Cards, ...]) -> tuple[Cards, ...]:
    """Return the cards of a turn by the sheet's rules, newest card first."""
    rows: list[Cards] = []
    for place in range(max(map(len, hands), default=0)):
        row = tuple(hand[place] for hand in hands if place < len(hand))
        rows.insert(0, row)
        if len(row) < len(hands) or len({card.rank for card in row}) > 1:
            break
    # A tied player without a card has lost, and the other player shows no further card (S3-25).
    return tuple(row for row in rows if len(row) == len(hands))


def _rank(card: Card) -> int:
    return next(number for number, rank in RANKS.items() if rank == card.rank)


def _card(card: Any) -> Card:
    return Card(f"{RANKS[card.rank]}{card.suit}")
