"""Playing-card Bingo: two grids dealt from one deck, and cards called from another.

A round is two decks and how many cards have been called. Everything else follows from these: the
grids, which of their cards lie face down, who has BINGO!, and what is said about it. So it is
worked out when somebody asks, and a state cannot contradict itself.

    >>> import random
    >>> table = Bingo()
    >>> rng = random.Random(4)
    >>> state = table.play(table.start(), "deal", {"mode": "L", "speed": "N"}, rng)
    >>> state = table.play(state, "call", {"calls": "5"}, rng)
    >>> len(table.view(state).called), table.view(state).winner
    (5, None)
"""

import random
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from typing import ClassVar, Final, Literal

from cardgames.cards import DECK_SIZE, FULL_DECK, Card, Cards, shuffled
from cardgames.game import (
    Before,
    Choices,
    Game,
    HouseRule,
    Move,
    Options,
    Phase,
    Verdict,
    chosen_deck,
    chosen_text,
)
from cardgames.words import Text, counted

SIDE: Final = 5
GRID_SIZE: Final = SIDE * SIDE
CENTRE: Final = GRID_SIZE // 2
"""The free card in the middle: dealt face down and never shown (S4-25)."""


class Mode(StrEnum):
    """What makes a BINGO!, by the character that stands for each."""

    LINE = "L"
    CORNERS = "C"
    FULL = "F"


Pattern = frozenset[int]
"""Positions of a grid, 0 to 24 row by row."""

_ROWS: Final = tuple(range(start, start + SIDE) for start in range(0, GRID_SIZE, SIDE))

LINES: Final[tuple[Pattern, ...]] = (
    *map(frozenset, _ROWS),
    *map(frozenset, zip(*_ROWS, strict=True)),
    frozenset(row[place] for place, row in enumerate(_ROWS)),
    frozenset(row[-1 - place] for place, row in enumerate(_ROWS)),
)
"""The twelve lines: five rows, five columns, two diagonals (S4-30)."""

PATTERNS: Final[dict[Mode, tuple[Pattern, ...]]] = {
    Mode.LINE: LINES,
    Mode.CORNERS: (frozenset((_ROWS[0][0], _ROWS[0][-1], _ROWS[-1][0], _ROWS[-1][-1])),),
    Mode.FULL: (frozenset(range(GRID_SIZE)),),
}
"""The patterns of each mode, of which one must lie face down (S4-30 to S4-32)."""


def is_bingo(face_down: AbstractSet[int], mode: Mode) -> bool:
    """Say whether the positions that lie face down make a BINGO!

    >>> is_bingo({10, 11, 12, 13, 14}, Mode.LINE), is_bingo({10, 11, 12, 13, 14}, Mode.CORNERS)
    (True, False)
    """
    return any(pattern <= face_down for pattern in PATTERNS[mode])


def winning_positions(face_down: AbstractSet[int], mode: Mode) -> Pattern:
    """Return the positions of every complete pattern together; none without a BINGO!

    >>> sorted(winning_positions({0, 4, 7, 12, 20, 24}, Mode.CORNERS))
    [0, 4, 20, 24]
    """
    return frozenset().union(*(pattern for pattern in PATTERNS[mode] if pattern <= face_down))


def compared_as(card: Card, *, speed: bool) -> str:
    """Return what of a card is compared: rank and suit, in a speed round the rank (S4-27)."""
    return card.rank if speed else card


def matches(card: Card, called: Card, *, speed: bool) -> bool:
    """Say whether a called card turns a card of a grid face down.

    >>> matches(Card("4H"), Card("4C"), speed=True), matches(Card("4H"), Card("4C"), speed=False)
    (True, False)
    """
    return compared_as(card, speed=speed) == compared_as(called, speed=speed)


def covered(grid: Cards, called: Iterable[Card], *, speed: bool) -> Pattern:
    """Return the positions that lie face down: the centre, and every match (S4-25, S4-28).

    A match is turned down and nothing is ever turned up, so neither the order of the calls nor a
    second match makes a difference (A4-3).

    >>> sorted(covered(FULL_DECK[:25], [Card("2C"), Card("KC")], speed=True))
    [1, 12, 14]
    """
    named = {compared_as(card, speed=speed) for card in called}
    matched = (place for place, card in enumerate(grid) if compared_as(card, speed=speed) in named)
    return frozenset((CENTRE, *matched))


def dealt(deck: Cards) -> tuple[Cards, Cards, Cards]:
    """Deal a bingo deck alternately to A and B, row by row; return both grids and the rest (S4-43).

    >>> a, b, rest = dealt(FULL_DECK)
    >>> [str(card) for card in (*a[:2], *b[:2], *rest)]
    ['AC', '3C', '2C', '4C', 'QS', 'KS']
    """
    both = 2 * GRID_SIZE
    return deck[0:both:2], deck[1:both:2], deck[both:]


class Winner(StrEnum):
    """Who won a round."""

    A = "A"
    B = "B"
    TIE = "tie"


def outcome(*, a_bingo: bool, b_bingo: bool) -> Winner | None:
    """Say who has won, where anybody has; both at the same call is a tie (S4-49, S4-50).

    >>> outcome(a_bingo=False, b_bingo=True)
    <Winner.B: 'B'>
    """
    if a_bingo and b_bingo:
        return Winner.TIE
    if a_bingo or b_bingo:
        return Winner.A if a_bingo else Winner.B
    return None


@dataclass(frozen=True, slots=True)
class Tally:
    """How many rounds each player has won."""

    A: int
    B: int
    tie: int

    def counting(self, winner: Winner) -> "Tally":
        """Return the tally with one more round."""
        return replace(self, **{winner.value: getattr(self, winner.value) + 1})


@dataclass(frozen=True, slots=True)
class State:
    """A Bingo table, the hidden cards included. Nothing outside the rules may show it.

    Hidden are both centre cards and the two undealt cards of the bingo deck (its 25th, 26th, 51st
    and 52nd card), and the order of the calling deck below what has been called.
    """

    round: int
    """0 until the first deal."""

    mode: Mode
    speed: bool
    """Whether ranks alone are compared."""

    bingo_deck: Cards
    """The deck that the grids are dealt from, as it was before the deal."""

    calling_deck: Cards
    """The deck that cards are called from, as it was before the first call."""

    calls: int
    """How many cards have been called in this round."""

    calls_before: int
    """How many had been called before the last move: the messages tell what came since."""

    tally: Tally
    stacked: bool

    @property
    def called(self) -> Cards:
        """The cards called in this round, oldest first."""
        return self.calling_deck[: self.calls]


Player = Literal["A", "B"]


@dataclass(frozen=True, slots=True)
class GridView:
    """A grid as it lies on the table.

    A card that was called and lies face down is still named: everybody saw it. Only the centre is
    ``None``, and whether its card was called shows nowhere.
    """

    player: Player
    cards: tuple[Card | None, ...]
    covered: tuple[int, ...]
    """The positions that lie face down, ascending."""


@dataclass(frozen=True, slots=True)
class PageGrid(GridView):
    """What a page shows of a grid besides."""

    turned: tuple[int, ...]
    """The covered positions that the last move turned, ascending."""

    winning: tuple[int, ...]
    """Those that make the BINGO!, ascending; empty without one."""


@dataclass(frozen=True, slots=True)
class View:
    """What the player may see of a Bingo table. It has no place for a deck.

    Before the first round there are no grids, the mode is a line and it is no speed round.
    """

    phase: Phase
    round: int
    mode: Mode
    speed: bool
    grids: tuple[GridView, ...]
    called: Cards
    left: int
    winner: Winner | None
    tally: Tally
    messages: tuple[str, ...]
    stacked: bool


BEGINNING: Final = Text("Round {round} beginning...")
CALLING: Final = Text("Now calling [ {card} ]")
RESULTS: Final = {
    Winner.A: Text("Round {round}: Player A won!"),
    Winner.B: Text("Round {round}: Player B won!"),
    Winner.TIE: Text("Round {round}: Tie!"),
}
"""What is said at the table, in the words of the sheet's sample output."""

_REACHED: Final = {
    Mode.LINE: (Text("a line"), "line"),
    Mode.CORNERS: (Text("all four corners"), "corners"),
    Mode.FULL: (Text("a full grid"), "full"),
}
"""What a winner has, and the house rule that says so."""

_EMPTY: Final = State(
    round=0,
    mode=Mode.LINE,
    speed=False,
    bingo_deck=FULL_DECK,
    calling_deck=FULL_DECK,
    calls=0,
    calls_before=0,
    tally=Tally(0, 0, 0),
    stacked=False,
)

_KIND: Final[Mapping[str, Options | None]] = {
    "mode": {"L": Text("Line"), "C": Text("Corners"), "F": Text("Full")},
    "speed": {"N": Text("No"), "Y": Text("Yes")},
}
_CALLS: Final = {"1": 1, "5": 5, "all": DECK_SIZE}

_NEW: Final = Move("new", Text("Start over"))
_DEAL: Final = Move("deal", Text("Deal"), _KIND)
_DEAL_FROM: Final = Move("deal", Text("Deal"), {**_KIND, "bingo_deck": None, "calling_deck": None})
_CALL: Final = Move(
    "call",
    Text("Call"),
    {
        "calls": {
            "1": counted("{number} card", "{number} cards", 1),
            "5": counted("{number} card", "{number} cards", 5),
            "all": Text("until BINGO!"),
        }
    },
)


def winner(state: State) -> Winner | None:
    """Say who has won the round that lies on the table, where anybody has."""
    a, b, _ = dealt(state.bingo_deck)
    a_covered = covered(a, state.called, speed=state.speed)
    b_covered = covered(b, state.called, speed=state.speed)
    return outcome(a_bingo=is_bingo(a_covered, state.mode), b_bingo=is_bingo(b_covered, state.mode))


class Bingo(Game[State, View]):
    """The Bingo table: the player calls, and watches two grids."""

    slug = "bingo"
    title = "Playing-card Bingo"
    pitch = Text("Two grids, one calling deck: a line, the corners or the full grid wins.")
    decks: ClassVar[int] = 2
    state_type = State
    sides: ClassVar[tuple[str, ...]] = tuple(Winner)

    house_rules = (
        HouseRule(
            "aim",
            Text("The aim"),
            Text(
                "Two players, A and B, have a grid of cards each. Cards are called one by one; "
                "whose face-down cards first make the pattern of the round has BINGO! and wins the "
                "round."
            ),
        ),
        HouseRule(
            "deal",
            Text("The grids"),
            Text(
                "One deck is dealt card by card to A and B in turn, row by row, until both grids "
                "have five rows of five. The two cards left over stay hidden. The centre card of "
                "each grid is free: it lies face down from the start and is never shown."
            ),
        ),
        HouseRule(
            "calls",
            Text("The calls"),
            Text(
                "The top card of a second deck is called, and the same card in a grid is turned "
                "face down. A card that lies face down stays so for the rest of the round. The "
                "page goes on naming it, and marks it as covered."
            ),
        ),
        HouseRule(
            "speed",
            Text("Speed rounds"),
            Text(
                "In a speed round only the rank is compared: one call turns every card of that "
                "rank face down, up to four in a grid."
            ),
        ),
        HouseRule(
            "line",
            Text("Mode Line"),
            Text(
                "Five face-down cards in a row, in a column or on one of the two diagonals. The "
                "free centre counts."
            ),
        ),
        HouseRule(
            "corners", Text("Mode Corners"), Text("The cards in all four corners lie face down.")
        ),
        HouseRule("full", Text("Mode Full"), Text("All 25 cards of a grid lie face down.")),
        HouseRule(
            "tie",
            Text("Ties"),
            Text(
                "Both players look at their grids after every call. If the same call gives both a "
                "BINGO!, the round is a tie. That happens in speed rounds only: the grids share no "
                "card, so in any other round a call changes one grid at most."
            ),
        ),
        HouseRule(
            "rounds",
            Text("The next round"),
            Text(
                "Mode and speed are chosen for every round. After a round both decks are whole "
                "again, 52 cards each, and freshly shuffled."
            ),
        ),
    )

    def start(self) -> State:
        """Return an empty table with two unshuffled decks."""
        return _EMPTY

    def phase(self, state: State) -> Phase:
        """Return where the table stands."""
        if state.round == 0:
            return Phase.READY
        return Phase.ROUND_OVER if winner(state) else Phase.PLAYING

    def moves(self, state: State) -> tuple[Move, ...]:
        """Return what the player may do now."""
        match self.phase(state):
            case Phase.READY:
                return (_DEAL_FROM, _NEW)
            case Phase.PLAYING:
                return (_CALL, _NEW)
            case Phase.ROUND_OVER | Phase.GAME_OVER:
                return (_DEAL, _NEW)

    def apply(self, state: State, move: str, choices: Choices, rng: random.Random) -> State:
        """Return the table after a legal move."""
        match move:
            case "deal":
                return _deal(state, choices, rng)
            case "call":
                return _call(state, _CALLS[chosen_text(choices, "calls")])
            case _:
                return self.start()

    def view(self, state: State) -> View:
        """Return the table as the player sees it."""
        a, b, _ = dealt(state.bingo_deck)
        return View(
            phase=self.phase(state),
            round=state.round,
            mode=state.mode,
            speed=state.speed,
            grids=(_grid("A", a, state), _grid("B", b, state)) if state.round else (),
            called=state.called,
            left=DECK_SIZE - state.calls,
            winner=winner(state),
            tally=state.tally,
            messages=_messages(state),
            stacked=state.stacked,
        )

    def page_view(self, state: State) -> View:
        """Return the same, with what the last move turned and what makes the BINGO!"""
        view = self.view(state)
        grids = zip(view.grids, dealt(state.bingo_deck), strict=False)
        return replace(view, grids=tuple(_page_grid(seen, grid, state) for seen, grid in grids))

    def cards(self, state: State) -> Cards:
        """Return all 104 cards."""
        return state.bingo_deck + state.calling_deck

    def hidden(self, state: State) -> Cards:
        """Return the centres, the undealt cards, and the calls to come."""
        a, b, rest = dealt(state.bingo_deck)
        return (a[CENTRE], b[CENTRE], *rest, *state.calling_deck[state.calls :])

    def shown(self, state: State) -> Cards:
        """Return the grids but for their centres, and what was called; before a deal nothing."""
        a, b, _ = dealt(state.bingo_deck) if state.round else ((), (), ())
        faces = (grid[:CENTRE] + grid[CENTRE + 1 :] for grid in (a, b))
        return (*chain.from_iterable(faces), *state.called)

    def before(self, state: State) -> Before:
        """Return how many rounds were played: decks are whole in every round."""
        return Before(round=state.round)

    def resumed(self, before: Before) -> State:
        """Return the table before a round."""
        # What lies there is the last round, which nobody has seen: a full grid has been called.
        return replace(
            _EMPTY, round=before.round, calls=DECK_SIZE if before.round else 0, calls_before=0
        )

    def won(self, state: State) -> str | None:
        """Return who has won the round on the table."""
        return winner(state) if state.round else None

    def singly(self, before: State, choices: Choices, after: State) -> tuple[Choices, int]:
        """Return several calls as so many times one call."""
        if "calls" not in choices:
            return choices, 1
        return {"calls": "1"}, after.calls - before.calls

    def verdict(self, state: State) -> Verdict | None:
        """Say who had BINGO! in the round that lies on the table, with what, and when."""
        won = winner(state)
        if won is None:
            return None
        pattern, rule = _REACHED[state.mode]
        if won is Winner.TIE:
            text = counted(
                "BINGO! Both players have {pattern} after {number} call: a tie",
                "BINGO! Both players have {pattern} after {number} calls: a tie",
                state.calls,
                pattern=pattern,
            )
            return Verdict(text, "tie")
        text = counted(
            "BINGO! Player {winner} has {pattern} after {number} call",
            "BINGO! Player {winner} has {pattern} after {number} calls",
            state.calls,
            winner=won,
            pattern=pattern,
        )
        return Verdict(text, rule)


def _deal(state: State, choices: Choices, rng: random.Random) -> State:
    """Begin a round with whole decks; those of the first may be the player's (S4-54 to S4-56)."""
    bingo_deck = chosen_deck(choices, "bingo_deck")
    calling_deck = chosen_deck(choices, "calling_deck")
    return State(
        round=state.round + 1,
        mode=Mode(chosen_text(choices, "mode")),
        speed=chosen_text(choices, "speed") == "Y",
        bingo_deck=bingo_deck or shuffled(FULL_DECK, rng),
        calling_deck=calling_deck or shuffled(FULL_DECK, rng),
        calls=0,
        calls_before=0,
        tally=state.tally,
        stacked=bingo_deck is not None or calling_deck is not None,
    )


def _call(state: State, most: int) -> State:
    """Call card after card, up to ``most``, and stop at a BINGO! (S4-57)."""
    for calls in range(state.calls + 1, state.calls + most + 1):
        called = replace(state, calls=calls, calls_before=state.calls)
        won = winner(called)
        if won:
            return replace(called, tally=state.tally.counting(won))
    return called


def _grid(player: Player, grid: Cards, state: State) -> GridView:
    """Return a grid as it lies on the table; it depends on what was called, and no other card."""
    return GridView(
        player=player,
        cards=tuple(None if place == CENTRE else card for place, card in enumerate(grid)),
        covered=tuple(sorted(covered(grid, state.called, speed=state.speed))),
    )


def _page_grid(seen: GridView, grid: Cards, state: State) -> PageGrid:
    down_before = covered(grid, state.called[: state.calls_before], speed=state.speed)
    return PageGrid(
        player=seen.player,
        cards=seen.cards,
        covered=seen.covered,
        turned=tuple(sorted(set(seen.covered) - down_before)),
        winning=tuple(sorted(winning_positions(set(seen.covered), state.mode))),
    )


def _messages(state: State) -> tuple[str, ...]:
    """Put into words what happened since the last move."""
    if state.round == 0:
        return ()
    if state.calls == 0:
        return (BEGINNING.filled(round=state.round),)
    said = [CALLING.filled(card=card) for card in state.called[state.calls_before :]]
    won = winner(state)
    return (*said, RESULTS[won].filled(round=state.round)) if won else tuple(said)
