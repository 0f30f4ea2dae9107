"""Playing-card Bingo: two grids dealt from one deck, and cards called from another.

>>> from cardgames.table import Table
>>> table = Table(Bingo()).play("deal", {"mode": "L", "speed": "N"}, lambda: "04").table
>>> table = table.play("call", {"calls": "5"}).table
>>> len(table.view()["called"]), table.view()["winner"]
(5, None)
"""

import random
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from cardgames.cards import DECK_SIZE, FULL_DECK, Cards, MaskedCards, shuffled
from cardgames.game import PAGE_ONLY, Game, Info, LastMove, Result
from cardgames.games.bingo import words
from cardgames.games.bingo.figures import FIGURES
from cardgames.games.bingo.rules import (
    CENTRE,
    Mode,
    Winner,
    dealt,
    face_down_positions,
    find_winner,
    is_bingo,
    nearest_missing,
    one_away,
    winning_positions,
)
from cardgames.moves import Action, Choice, DeckFile, Move, Repeat
from cardgames.text import Text


@dataclass(frozen=True)
class State:
    """A round of Bingo, including the hidden cards.

    The hidden cards are both centre cards, the two undealt cards of the bingo deck (its 25th, 26th,
    51st and 52nd card), and the order of the uncalled cards in the calling deck.
    """

    mode: Mode
    speed: bool
    """Whether only ranks are compared."""

    bingo_deck: Cards
    """The deck from which the grids were dealt, before the deal."""

    calling_deck: Cards
    """The deck from which cards are called, before the first call."""

    calls: int
    """The number of called cards."""

    @property
    def called(self) -> Cards:
        """The called cards, oldest first."""
        return self.calling_deck[: self.calls]

    @property
    def grids(self) -> tuple[Cards, Cards]:
        """The grids of A and B, row by row."""
        a, b, _ = dealt(self.bingo_deck)
        return a, b

    def winner(self) -> Winner | None:
        """Return the winner, or None."""
        a, b = (
            is_bingo(face_down_positions(grid, self.called, speed=self.speed).keys(), self.mode)
            for grid in self.grids
        )
        return find_winner(a_bingo=a, b_bingo=b)


Player = Literal["A", "B"]


@dataclass(frozen=True, slots=True)
class GridView:
    """A player's grid.

    A face-down card that was called is still shown, because everyone has seen it. Only the centre
    is ``None``, and nothing shows whether its card was called.
    """

    player: Player
    cards: MaskedCards
    covered: tuple[int, ...]
    """The face-down positions, in ascending order."""


@dataclass(frozen=True, slots=True)
class Marks:
    """A grid with additional values for a page."""

    turned_by: tuple[int, ...]
    """For each face-down position, the call that covered it, or 0 for the centre."""

    winning: tuple[int, ...]
    """The positions of the BINGO! in ascending order, or an empty tuple."""

    wanted: tuple[int, ...]
    """The positions that would each complete a BINGO!, in ascending order."""


@dataclass(frozen=True, slots=True)
class View:
    """The visible part of a Bingo table."""

    mode: Mode = Mode.LINE
    speed: bool = False
    grids: tuple[GridView, ...] = ()
    called: Cards = ()
    """The called cards, oldest first."""

    left: int = DECK_SIZE
    """The number of cards left to call."""

    marks: tuple[Marks, ...] = field(default=(), metadata=PAGE_ONLY)
    """A sentence about each grid."""


_CALL: Final = Move(
    "call",
    Text("Call"),
    repeat=Repeat(
        "calls",
        {
            "1": (1, Text("Call")),
            "5": (5, words.cards_text(5)),
            "all": (DECK_SIZE, Text("Until BINGO!")),
        },
    ),
    key=Text("C"),
    done=words.calls_text,
)


@dataclass(frozen=True, slots=True)
class OwnCard:
    """The card of a player who covers its positions by hand."""

    cards: MaskedCards
    """The cards, with None in the free centre."""

    called: tuple[int, ...]
    """The positions that the calls cover, including the centre, in ascending order."""

    lacks: tuple[int, ...]
    """The missing positions of the nearest winning pattern."""


class Bingo(Game[State, None, View]):
    """The Bingo table: the player calls cards for two grids."""

    info = Info(
        "bingo",
        "Playing-card Bingo",
        Text("Two cards, one caller, first line wins."),
        words.HOUSE_RULES,
        Winner.texts(),
        figures=FIGURES,
        decks=2,
        short="Bingo",
    )
    deals = Move(
        "deal",
        Text("Deal"),
        {
            "mode": Choice(Text("Mode"), Mode.texts()),
            "speed": Choice(
                Text("Cards covered by a call"),
                {"N": Text("That card"), "Y": Text("Every card of its rank")},
            ),
            "bingo_deck": DeckFile(*words.OWN_BINGO_DECK, first_only=True, lenient=True),
            "calling_deck": DeckFile(*words.OWN_CALLING_DECK, first_only=True, lenient=True),
        },
        key=Text("D"),
    )
    round_moves = (_CALL,)
    state_type = State
    empty = View()

    def deal(self, carry: None, action: Action, rng: random.Random) -> State:
        """Start a round. The first round may use the player's own decks (S4-54 to S4-56)."""
        return State(
            mode=Mode(action["mode"]),
            speed=action["speed"] == "Y",
            bingo_deck=action.deck("bingo_deck") or shuffled(FULL_DECK, rng),
            calling_deck=action.deck("calling_deck") or shuffled(FULL_DECK, rng),
            calls=0,
        )

    def apply(self, state: State, action: Action, rng: random.Random) -> State:
        """Call one card (S4-57)."""
        return replace(state, calls=state.calls + 1)

    def result(self, state: State) -> Result | None:
        """Return the winner, the pattern and the call of the BINGO!"""
        winner = state.winner()
        if winner is None:
            return None
        return Result(winner, *words.verdict(winner, state.mode, state.calls))

    def view(self, state: State) -> View:
        """Return the table as the player sees it."""
        grids, marks = [], []
        players: tuple[Player, Player] = ("A", "B")
        for player, grid in zip(players, state.grids, strict=True):
            down = face_down_positions(grid, state.called, speed=state.speed)
            cards = (*grid[:CENTRE], None, *grid[CENTRE + 1 :])
            grids.append(GridView(player, cards, tuple(down)))
            winning = sorted(winning_positions(down.keys(), state.mode))
            wanted = sorted(one_away(down.keys(), state.mode))
            marks.append(Marks(tuple(down.values()), tuple(winning), tuple(wanted)))
        return View(
            mode=state.mode,
            speed=state.speed,
            grids=tuple(grids),
            called=state.called,
            left=DECK_SIZE - state.calls,
            marks=tuple(marks),
        )

    def own_card(self, state: State) -> OwnCard:
        """Return A's grid, which the player covers. The centre is free."""
        grid = self.view(state).grids[0]
        return OwnCard(
            grid.cards, grid.covered, nearest_missing(frozenset(grid.covered), state.mode)
        )

    def messages(self, state: State, last: LastMove) -> tuple[str, ...]:
        """Return the messages about the deal, or about the last calls and the winner."""
        if not state.calls:
            return (words.BEGINNING.fill(round=last.round),)
        called = tuple(words.CALLING.fill(card=card) for card in state.called[-last.times :])
        winner = state.winner()
        return (*called, words.WHO_WON[winner].fill(round=last.round)) if winner else called

    def story(self, state: State, last: LastMove) -> tuple[str, ...]:
        """Return sentences about the last calls and the players nearest to BINGO!"""
        if not state.calls:
            return (words.BEGUN,)
        sentences = [words.CALLED.fill(cards=words.list_names(state.called[-last.times :]))]
        view = self.view(state)
        for grid, marks in zip(view.grids, view.marks, strict=True):
            down = zip(grid.covered, marks.turned_by, strict=True)
            turned = [place for place, call in down if call > state.calls - last.times]
            for text, places in ((words.TURNED, turned), (words.NEAR, marks.wanted)):
                if cards := [card for card in (grid.cards[place] for place in places) if card]:
                    sentences.append(text[grid.player].fill(cards=words.list_names(cards)))
        return tuple(sentences)

    def cards(self, state: State) -> Cards:
        """Return all 104 cards."""
        return state.bingo_deck + state.calling_deck

    def seen(self, state: State) -> Cards:
        """Return the grids without their centres, and the called cards."""
        a, b = state.grids
        faces = (*a[:CENTRE], *a[CENTRE + 1 :], *b[:CENTRE], *b[CENTRE + 1 :])
        return faces + state.called
