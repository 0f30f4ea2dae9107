"""Blackjack with a student's program for CodeSkulptor, next to its canvas.

The hands are the program's objects. The canvas shows which of the cards are visible, and who has
won. The student's own deck deals the cards, and the rules determine the expected results for these
cards.
"""

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from cardgames.cards import FULL_DECK, Card, MaskedCards
from cardgames.game import Result
from cardgames.games.twentyone import BLACKJACK
from cardgames.games.twentyone.advisor import TwentyOneAdvisor
from cardgames.games.twentyone.engine import HandView, View
from cardgames.games.twentyone.rules import TARGET, dealer_draws, find_winner, total
from cardgames.text import Text
from course.browser.felt import Shown
from course.browser.program import Program
from course.browser.recorder import Place, change_line
from course.browser.table import Blame, Difference, StudentTable, listed
from course.grading.checks.words import busted
from course.grading.programs import program_in, uses_given
from course.sheets.blackjack import probes
from course.sheets.blackjack.checks.canvas import BACK, Screen, read

LABELS: Final = {"deal": Text("Deal"), "hit": Text("Hit"), "stand": Text("Stand")}
WINNERS: Final = {"player": Text("You win"), "dealer": Text("The dealer wins")}
NOBODY: Final = Text("nobody")
NO_SCREEN: Final = Screen([], [])
DEALERS: Final = re.compile("deal|house|comp|bank", re.IGNORECASE)
"""Matches part of the name of a dealer's hand."""
BET: Final = re.compile(r"\b(bet|wager|stake)", re.IGNORECASE)
SCORE: Final = re.compile(r"^\W*score[^\d-]*(-?\d+)\W*$", re.IGNORECASE)
DECIDES: Final = re.compile(r"w[io]n|beat|better|higher", re.IGNORECASE)
"""Matches parts of the names of functions that determine the winner."""


@dataclass
class Side:
    """The student's canvas."""

    names: dict[str, Any] = field(default_factory=dict)
    screen: Screen = NO_SCREEN
    picture: str = ""
    places: dict[str, Place] = field(default_factory=dict)
    """The lines of the draw handler that drew each card."""
    player: MaskedCards = ()
    dealer: MaskedCards = ()
    seats: tuple[str, str] = ("", "")
    """The program's names for the player's hand and for the dealer's hand."""

    @property
    def in_play(self) -> bool:
        """Whether a card of the dealer is face down."""
        return None in self.dealer

    @property
    def is_dealt(self) -> bool:
        """Whether there are cards in the hands."""
        return bool(self.player or self.dealer)

    @property
    def score(self) -> int | None:
        """The score, if exactly one number is labelled as a score."""
        matches = [match[1] for text in self.screen.texts if (match := SCORE.match(text.text))]
        return int(matches[0]) if len(matches) == 1 else None


class Blackjack(StudentTable[Side]):
    """A student's table of Blackjack."""

    game = "blackjack"
    has_reference = False
    before = Side()
    """The observed canvas before the move."""
    winner = ""

    def set_up(self, program: Program) -> Side:  # noqa: ARG002 - it runs at the first move
        """Do nothing, because the program itself runs when the first move is made."""
        return Side()

    def moves(self) -> list[tuple[str, Text]]:
        """Return the three buttons, which can always be clicked."""
        is_started = bool(self.mine.names)
        return [*LABELS.items()] if is_started else [("start", Text("Start the program"))]

    def before_move(self, name: str) -> None:
        """Store the previous canvas, and count the rounds."""
        self.last = name
        self.before = Side(**vars(self.mine))
        self.round += name in ("start", "deal")

    def move(self, program: Program, side: Side, name: str) -> None:
        """Run the program or click a button, and then read the canvas."""
        if name == "start":
            side.names = program.run(lambda: probes.started(_program_in(program)))
            if not probes.FRAMES:
                raise ValueError(Text("the program starts no frame"))
        program.run(lambda: self._press(name, side.names))
        program.run(lambda: _look(side, program.recorder.place_of_caller), quiet=True)
        if not side.is_dealt:  # some programs deal only when the button is clicked
            self.round = 0
        if side.in_play or not side.is_dealt:
            self.winner = ""
        elif name == "start" or self.before.in_play:
            won = find_winner(*self._hands(), BLACKJACK).value
            self.winner = "dealer" if name == "deal" else won

    def _press(self, name: str, names: dict[str, Any]) -> None:
        """Click a button and run the program's timers.

        If the program requires a bet, place one.
        """
        if name != "start":
            probes.press(_button_index(name), names)
        bets = [place for place, text in enumerate(probes.labels()) if BET.search(text)]
        if name in ("start", "deal") and bets:
            probes.press(bets[0], names)

    def _hands(self) -> tuple[list[Card], list[Card]]:
        side = self.mine
        return [*filter(None, side.player)], [*filter(None, side.dealer)]

    def shown(self) -> Shown:
        """Return the two rows of cards, and the expected winner."""
        side = self.mine
        player, dealer = (
            HandView(cards, None if None in cards else total(filter(None, cards), BLACKJACK))
            for cards in (side.player, side.dealer)
        )
        up = next((card for card in side.dealer[1:] if card), None)
        left = len(FULL_DECK) - len(side.player) - len(side.dealer)
        result = None
        if self.winner:
            result = Result(self.winner, WINNERS[self.winner], "winner")
        phase = "playing" if side.in_play else "round over"
        view = View(player, dealer, deck=left, discards=0, upcard=up)
        return Shown(phase, self.round, view, result, {"player": 0, "dealer": 0, "tie": 0})

    def picture(self) -> str:
        """Return the canvas."""
        return self.mine.picture

    def decision(self) -> Any:
        """Return the open decision for the cards on the canvas.

        Every deal uses a new deck.
        """
        hand, up = self._hands()
        is_open = self.mine.in_play and None not in self.mine.player and len(up) == 1
        return TwentyOneAdvisor(BLACKJACK).pose(tuple(hand), up[0]) if is_open else None

    def differences(self) -> Iterator[Difference]:
        """Yield the differences from the sheet in values, cards, the end and the score."""
        if not self.mine.is_dealt:
            return
        yield from self._values()
        yield from self._twice()
        yield from self._hidden()
        ended = self.before.in_play and not self.mine.in_play
        refused = self.mine.player == self.before.player and not self.mine.in_play
        first = self.last == "start" or not self.before.is_dealt
        if first or (self.last == "deal" and not ended and not refused):
            yield from self._dealt()
        elif not self.before.in_play:
            yield from self._idle()
        elif self.last == "hit":
            yield from self._hit()
        elif self.last == "stand":
            yield from self._stood()
        yield from self._ended()
        yield from self._score()

    def _blame(self, **more: Any) -> Blame:
        """Blame the function of the button."""
        start = self.last == "start"
        handler = None if start else probes.FRAMES[-1].presses[_button_index(self.last)].handler
        name = "deal" if start else getattr(handler, "__name__", "")
        return Blame((name, "<module>"), **more)

    def _values(self) -> Iterator[Difference]:
        names = self.mine.names
        for cards in self._hands():
            wanted = total(cards, BLACKJACK)

            def value(cards: list[Card] = cards) -> Any:
                hand = probes.new_hand(names["Hand"])
                for card in cards:
                    hand.add_card(names["Card"](card.suit, card.rank))
                return hand.get_value()

            got, steps = self.theirs.traced(value)
            if got != wanted:
                subject = Text("the value of the hand {cards}", cards=listed(cards))
                blame = Blame(("get_value", "add_card"), got)
                yield Difference("S1-19", subject, str(wanted), str(got), blame, steps)

    def _twice(self) -> Iterator[Difference]:
        """Search for a card that is on the table twice."""
        cards = [card for hand in self._hands() for card in hand]
        twice = [card for card in cards if cards.count(card) > 1]
        if twice:
            subject, got = Text("the cards on the table"), listed(twice)
            blame = Blame(("deal_card", "shuffle", *self._blame().functions))
            yield Difference("S1-39", subject, Text("all different"), got, blame)

    def _hidden(self) -> Iterator[Difference]:
        """Search for a card of the player that is not drawn."""
        hand = self.mine.player
        seen = tuple(card for card in hand if card and _code(card) in self.mine.screen.faces)
        if seen != hand:
            blame, subject = Blame(("draw",)), Text("your cards on the canvas")
            _, steps = self.theirs.traced(probes.FRAMES[-1].canvas)
            yield Difference("S1-27", subject, listed(hand), listed(seen), blame, steps)

    def _dealt(self) -> Iterator[Difference]:
        side = self.mine
        if not side.in_play:
            cards = self._hands()[1]
            place = side.places.get(_code(cards[0])) if cards else None
            subject, down = Text("the dealer's first card"), Text("face down")
            yield Difference("S1-30", subject, down, listed(side.dealer[:1]), Blame((), at=place))
        for subject, _, hand in self._both_hands():
            if len(hand) != 2:  # noqa: PLR2004 - two cards each
                two, blame = Text("two cards"), self._blame(call=("deal_card", 3))
                yield Difference("S1-3", subject, two, listed(hand), blame)

    def _idle(self) -> Iterator[Difference]:
        """Check that the other buttons change nothing outside a round."""
        for subject, wanted, got in self._both_hands():
            if wanted != got:
                blame = self._blame(call=("deal_card", 0))
                yield Difference("S1-36", subject, listed(wanted), listed(got), blame)

    def _both_hands(self) -> tuple[tuple[Text, MaskedCards, MaskedCards], ...]:
        before, side = self.before, self.mine
        return (
            (Text("your cards"), before.player, side.player),
            (Text("the dealer's cards"), before.dealer, side.dealer),
        )

    def _hit(self) -> Iterator[Difference]:
        side, before = self.mine, self.before
        (subject, wanted_hand, hand), (dealers, *_) = self._both_hands()
        more = Text("another card")
        if len(hand) != len(wanted_hand) + 1 or not _holds(hand, wanted_hand):
            blame = self._blame(call=("deal_card", 1))
            yield Difference("S1-20", subject, more, listed(hand), blame)
        value = total(self._hands()[0], BLACKJACK)
        if value > TARGET and side.in_play:
            subject = Text("the round with a value of {number}", number=value)
            yield Difference("S1-5", subject, Text("over"), Text("it goes on"), self._decided())
        if value <= TARGET and not side.in_play:
            subject = Text("the round with a value of {number}", number=value)
            yield Difference("S1-20", subject, Text("it goes on"), Text("over"), self._decided())
        if side.in_play and side.dealer != before.dealer:
            wanted, got = listed(before.dealer), listed(side.dealer)
            yield Difference("S1-20", dealers, wanted, got, self._blame())

    def _decided(self) -> Blame:
        return self._blame(decision=True)

    def _stood(self) -> Iterator[Difference]:
        side, before = self.mine, self.before
        (subject, wanted_hand, got_hand), (dealers, *_) = self._both_hands()
        if wanted_hand != got_hand:
            yield Difference("S1-6", subject, listed(wanted_hand), listed(got_hand), self._blame())
        if side.in_play or not _holds(side.dealer, before.dealer):
            turned = zip(before.dealer, side.dealer, strict=False)
            wanted = listed(tuple(card or now for card, now in turned))
            place = side.places.get(BACK)
            blame = Blame((), at=place) if side.in_play and place else self._blame()
            yield Difference("S1-30", dealers, wanted, listed(side.dealer[:2]), blame)
        hand = self._hands()[1]
        drawn = range(2, len(hand)) if _begins_with(hand, before.dealer) else ()
        early = next((n for n in drawn if not dealer_draws(hand[:n], BLACKJACK)), 0)
        if early:
            wanted, got = listed(hand[:early]), listed(hand)
            yield Difference("S1-22", dealers, wanted, got, self._decided())
        if dealer_draws(hand, BLACKJACK):
            subject = Text("the value with which the dealer stops")
            got = str(total(hand, BLACKJACK))
            yield Difference("S1-22", subject, Text("17 or more"), got, self._decided())

    def _ended(self) -> Iterator[Difference]:
        """Compare the winner that the texts name with the expected winner."""
        if not self.winner or not self.before.in_play or self.last == "deal":
            return
        named = self.mine.screen.winner
        over = busted("\n".join(text.text for text in self.mine.screen.texts))
        if not named and len(over) == 1:
            named = WINNERS.keys() - over
        player, dealer = (total(hand, BLACKJACK) > TARGET for hand in self._hands())
        if named and named != {self.winner}:  # messages with unknown wording do not name a winner
            rule = "S1-5" if player else "S1-8" if dealer else "S1-24"
            got = WINNERS.get(next(iter(named), ""), NOBODY) if len(named) == 1 else NOBODY
            blame = self._blame(at=self._says())
            yield Difference(rule, Text("who has won"), WINNERS[self.winner], got, blame)

    def _says(self) -> Place | None:
        """Return the line that determines the winner, or that builds the visible text."""
        steps = self.theirs.recorder.steps
        for step in reversed(steps):
            name = step["function"].rpartition(".")[2]
            if step.get("returns") in ("True", "False") and DECIDES.search(name):
                return str(step["file"]), int(step["line"])
        old = {text.text for text in self.before.screen.texts}
        new = [text.text for text in self.mine.screen.texts if text.text not in old]
        return next(filter(None, (change_line(steps, repr(text)) for text in new)), None)

    def _score(self) -> Iterator[Difference]:
        """Compare the score, which changes only at the end of a round."""
        before, now = self.before.score, self.mine.score
        if before is None or now is None:
            return
        ends = self.before.in_play and (bool(self.winner) or self.last == "deal")
        won = ends and self.winner == "player"
        change = now - before
        if (change > 0, change < 0) == (won, ends and not won):
            return
        subject = Text("the score")
        wanted: Text | str = str(before)
        if ends:
            more, less = Text("more than {number}"), Text("less than {number}")
            wanted = (more if won else less).fill(number=before)
        blame = self._blame(at=change_line(self.theirs.recorder.steps, repr(now)))
        rule = "S1-33" if self.last == "deal" and ends else "S1-31" if ends else "S1-35"
        yield Difference(rule, subject, wanted, str(now), blame)


def _holds(cards: MaskedCards, known: MaskedCards) -> bool:
    """Return whether the known cards are among the given cards, in any order."""
    return all(card in cards for card in known if card)


def _begins_with(cards: list[Card], known: MaskedCards) -> bool:
    """Return whether the known cards kept their positions.

    The dealing order is then known.
    """
    return all(card in (None, now) for card, now in zip(known, cards, strict=False))


def _program_in(program: Program) -> str:
    program_file = program_in(program.sheet, program.folder)
    if not program_file or not uses_given(program.sheet, program_file):
        raise ValueError(Text("no file creates a frame"))
    return program_file.name


def _button_index(name: str) -> int:
    for place, text in enumerate(probes.labels()):
        if name in re.findall(r"\w+", text.lower()):
            return place
    raise ValueError(Text("there is no button {name}", name=name.title()))


def _look(side: Side, here: Callable[..., Place | None]) -> None:
    """Draw the frame, and record the drawings and their lines in the program."""
    canvases: Any = sys.modules["simplegui_canvas"]
    frame = probes.FRAMES[-1]
    canvas = canvases.Canvas(*frame.size, frame.background)
    draw, side.places = canvas.draw_image, {}

    def draw_image(*arguments: Any, **named: Any) -> None:
        draw(*arguments, **named)
        place = here(outermost=True)
        if place:
            side.places.setdefault(canvas.pictures[-1].card or BACK, place)

    canvas.draw_image = draw_image
    frame.draw(canvas)
    side.screen = read(probes.screen(canvas))
    width, height = frame.size
    whole = f'<svg viewBox="0 0 {width} {height}"'  # makes the picture scalable
    side.picture = canvases.as_svg(canvas).replace("<svg", whole, 1)
    hands = probes.holders(side.names)
    side.player = side.dealer = ()
    if not any(hands.values()):
        return
    if not {*side.seats} <= hands.keys():
        side.seats = _seats(hands, side.screen.faces)
    player, dealer = (hands[name] for name in side.seats)
    side.player = tuple(map(_card, player))
    seen = side.screen.faces
    for row in side.screen.rows.values():  # cards at other positions may be decorations
        if BACK in row and {*dealer} & {*row}:
            seen = {*row}
    side.dealer = tuple(_card(code) if code in seen else None for code in dealer)


def _seats(hands: dict[str, list[str]], faces: set[str]) -> tuple[str, str]:
    """Return the names of the player's hand and of the dealer's hand.

    The dealer's hand has the hidden card.
    """
    whole = [name for name, codes in hands.items() if len(codes) > 1]
    dealers = [name for name in whole if DEALERS.search(name)]
    dealers = dealers or [name for name in whole if not {*hands[name]} <= faces] or whole[1:]
    players = [name for name in whole if dealers and not {*hands[name]} & {*hands[dealers[0]]}]
    players = players or [name for name in whole if name not in dealers]
    if not players:
        raise ValueError(Text("the program does not store two hands of two cards"))
    return players[0], dealers[0]


def _card(code: str) -> Card:
    return Card(code[1] + code[0])


def _code(card: Card) -> str:
    return f"{card.suit}{card.rank}"
