"""A game in progress: everything that is common to all games.

A table is a frozen value, and a move returns a new table. A table has a :class:`Phase`. It counts
rounds and wins, offers to deal and to start over, repeats single moves, writes the record of the
current round, and decides which finished rounds may be shown with all their cards.

    >>> from cardgames import GAMES
    >>> table, finished = Table(GAMES["simple-21"]).play("deal", new_salt=lambda: "07")
    >>> [move.name for move in table.moves()]
    ['hit', 'stay', 'new']
    >>> table, finished = table.play("stay")
    >>> table.result.text, str(finished[0].result)
    ('You 14, dealer 17: the dealer wins', 'dealer')
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import StrEnum
from functools import partial
from string import ascii_lowercase, digits
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from cardgames.cards import Card, Cards
from cardgames.game import AfterRound, AnyGame, LastMove, Result, public_fields
from cardgames.moves import CONCEDE, Action, IllegalMove, Move, Sent
from cardgames.records.record import Record
from cardgames.shuffling import SaltedRandom, random_salt
from cardgames.text import Text, comma_join

MAX_ROUND_WINNERS: Final = 100
"""Maximum number of past rounds whose winners a table stores."""

WINNER_DIGITS: Final = digits + ascii_lowercase

NEW: Final = Move("new", Text("Start over"), key=Text("N"))

NOTHING: Final[Sent] = MappingProxyType({})

RngFactory = Callable[[str, int], SaltedRandom]
"""A function that creates a move's random number generator from the round's salt and the number of
earlier draws.
"""


_NO_RECORD: Final = Record("")

_NO_CARDS: Final = (int, bool, str, type(None))
"""Types of values that are not cards and cannot contain cards."""

_SERIES: Final = (tuple, list, set, frozenset)


class Phase(StrEnum):
    """The phase of a table."""

    READY = "ready"
    PLAYING = "playing"
    ROUND_OVER = "round over"
    GAME_OVER = "game over"


class Leak(AssertionError):
    """An error raised when a view contains a card that its game did not declare."""


class MoveResult(NamedTuple):
    """A table after a move, and the records of the rounds that the move ended."""

    table: "Table"
    finished: tuple[Record, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table of one game. By default no round has been dealt."""

    game: AnyGame
    state: Any = None
    """The state of the current round, or None."""

    result: Result | None = None
    """The result of the current round, or None while it is open."""

    round: int = 0
    """The number of the current round, or 0 before the first round."""

    tally: tuple[tuple[str, int], ...] = ()
    """The number of rounds that each player has won."""

    round_winners: str = ""
    """The winners since the tally was cleared, oldest first. The string has one digit per round:
    the index of the winner in the tally.
    """

    stacked: bool = False
    """Whether the deck still has the order in which the player supplied it."""

    times: int = 1
    """The number of steps in the last move, such as turns or calls."""

    conceded: bool = False
    """Whether the last move conceded a round."""

    notes: tuple[Text, ...] = ()
    """Notes on the deck files of the last move."""

    record: Record = _NO_RECORD
    """The record of the current round."""

    draw_count: int = 0
    """The number of draws from the round's salt so far."""

    finished: int = 0
    """The number of finished rounds, including those before starting over."""

    shuffled: Cards = ()
    """The cards of the round's last shuffle, if several rounds of this game can share a deck."""

    shown_to: int = 0
    """The number of finished rounds whose cards may all be shown."""

    carried: Any = None
    """The piles that the next round takes over if there is no current round, as in a replay."""

    fixed_deal: Action | None = None
    """The only allowed deal if many players share one deal, or None."""

    # ---- Phase and moves ---------------------------------------------------------------------

    @property
    def phase(self) -> Phase:
        """The phase, derived from the current round and its result."""
        if self.state is None:
            return Phase.ROUND_OVER if self.round else Phase.READY
        if self.result is None:
            return Phase.PLAYING
        return Phase.ROUND_OVER if self.result.then is AfterRound.NEXT_ROUND else Phase.GAME_OVER

    @property
    def carry(self) -> Any:
        """The piles that the next round will take over, or None."""
        if self.state is None:
            return self.carried
        if self.result is None or self.result.then is AfterRound.END or self.fixed_deal:
            return None
        return self.game.carry(self.state)

    def moves(self) -> tuple[Move, ...]:
        """Return the legal moves."""
        open_round = self.state is not None and self.result is None
        moves = self.game.moves(self.state) if open_round else ()
        if self.fixed_deal:
            return (replace(self.game.deals, fields={}),) if self.state is None else moves
        ended = self.result is not None and self.result.then is AfterRound.END
        may_deal = self.game.may_concede if open_round else not ended
        deal = self.game.later_deals if self.round else self.game.deals
        return (*moves, *((deal,) * may_deal), NEW)

    # ---- The player's view --------------------------------------------------------------------

    def shown(self) -> Any:
        """Return the game's own view.

        Raises:
            Leak: If the view contains a card that the game did not declare as seen.
        """
        if self.state is None:
            return self.game.empty
        view = self.game.view(self.state)
        if not cards_in(view).issubset(self.game.seen(self.state)):
            raise Leak(f"{self.game.info.slug}: the view has a card that seen() does not have")
        return view

    def view(self) -> dict[str, Any]:
        """Return everything that the player may see, keyed by the names of JSON fields.

        Raises:
            Leak: See :meth:`shown`.
        """
        values = self.shown()
        numbered = {"round": self.round} if self.game.info.numbered else {}
        return {
            "phase": self.phase,
            **numbered,
            **{name: getattr(values, name) for name in public_fields(values.__class__)},
            "winner": self.result and self.result.winner,
            "tally": self.counts(),
            "messages": self.messages(),
            "stacked": self.stacked,
        }

    def counts(self) -> Mapping[str, int]:
        """Return the number of rounds that each player has won, keyed by name."""
        return dict(self.tally) or dict.fromkeys(self.game.info.winners, 0)

    def messages(self) -> tuple[str, ...]:
        """Return the messages about the last move."""
        if self.state is None:
            return self.notes
        last = LastMove(self.round, self.times, self.conceded)
        return (*self.notes, *self.game.messages(self.state, last))

    def story(self) -> tuple[str, ...]:
        """Return the effects of the last move as plain sentences for a page."""
        if self.state is None:
            return self.notes
        last = LastMove(self.round, self.times, self.conceded)
        return (*self.notes, *self.game.story(self.state, last))

    # ---- Moves --------------------------------------------------------------------------------

    def play(
        self, name: str, sent: Sent = NOTHING, new_salt: Callable[[], str] = random_salt
    ) -> MoveResult:
        """Play the move that was requested in a form.

        Args:
            name: Name of one of ``moves()``.
            sent: Submitted form data.
            new_salt: Function that returns the salt for the next shuffle. The same salt deals the
                same cards.

        Returns:
            The table after the move, and the records of the rounds that the move ended.

        Raises:
            IllegalMove: If the move is not one of ``moves()``, or a field is invalid.
            InvalidDeck: If a deck does not consist of 52 different cards.
        """
        moves = self.moves()
        for move in moves:
            if move.name == name:
                break
        else:
            raise not_allowed(moves)
        table, finished = self.after(move.read(sent), partial(SaltedRandom, new_salt))
        notes = move.notes(sent) if move.decks else ()
        return MoveResult(replace(table, notes=notes) if notes else table, finished)

    def after(self, action: Action, new_rng: RngFactory) -> MoveResult:
        """Return the table after a legal action.

        Raises:
            IllegalMove: If the choices of the action are invalid.
        """
        match action.name:
            case NEW.name:
                return MoveResult(Table(self.game, finished=self.finished, shown_to=self.finished))
            case "deal":
                return self._dealt(self.fixed_deal or action, new_rng)
            case CONCEDE.name:
                return self._after_concede()
            case _:
                return self._moved(action, new_rng)

    def _after_concede(self) -> MoveResult:
        if self.phase is not Phase.PLAYING or not self.game.may_concede:
            raise IllegalMove(Text("You cannot give up a round now."))
        state, record = self.game.concede(self.state), self.record.with_action(CONCEDE)
        result = self.game.result(state)
        return self._next(state, result, record, times=1, conceded=False, notes=())

    def _dealt(self, action: Action, new_rng: RngFactory) -> MoveResult:
        if self.phase is Phase.PLAYING:
            over, given_up = self._after_concede()
            table, finished = over.after(action, new_rng)
            return MoveResult(replace(table, conceded=True), given_up + finished)
        game, carry, rng = self.game, self.carry, new_rng("", 0)
        state = game.deal(carry, action, rng)
        own_deck = any(action[name] for name in game.deals.decks)
        names = game.players(state)
        # In War, a change of the players or of their order starts a new tally.
        same = names == tuple(name for name, _ in self.tally)
        record = Record(
            game.info.slug,
            round=self.round if game.info.numbered else 0,
            stacked=self.stacked and carry is not None,
            carry=carry,
            salt=rng.salt,
            actions=(action,),
        )
        table = Table(
            game,
            state,
            round=self.round + 1,
            tally=self.tally if same else tuple((name, 0) for name in names),
            round_winners=self.round_winners if same else "",
            # A deck for several rounds stays stacked until cards are shuffled into it.
            stacked=own_deck or (self.stacked and not rng.draw_count),
            record=record,
            draw_count=rng.draw_count,
            finished=self.finished,
            shuffled=rng.shuffles[-1] if rng.shuffles and game.carry_type else (),
            shown_to=self.shown_to,
            fixed_deal=self.fixed_deal,
        )
        result = game.result(state)
        return MoveResult(table) if result is None else table._next(state, result, record)

    def _moved(self, action: Action, new_rng: RngFactory) -> MoveResult:
        """Repeat a single move as often as requested, or until the round ends."""
        game, state, result = self.game, self.state, self.result
        rng, once = new_rng(self.record.salt, self.draw_count), action.once
        times = 0
        while times < action.times and result is None:
            state = game.apply(state, once, rng)
            result = game.result(state)
            times += 1
        repeated = action if times == action.times else replace(action, times=times)
        record = self.record.with_action(repeated)
        if rng.salt and not record.salt:
            record = replace(record, salt=rng.salt)
        return self._next(
            state,
            result,
            record,
            stacked=self.stacked and rng.draw_count == self.draw_count,
            times=times,
            conceded=False,
            notes=(),
            draw_count=rng.draw_count,
            shuffled=rng.shuffles[-1] if rng.shuffles and game.carry_type else self.shuffled,
        )

    def _next(
        self, state: Any, result: Result | None, record: Record, **changes: Any
    ) -> MoveResult:
        """Return the table after a move.

        If the move ended the round, count the round and complete its record.
        """
        if result is None:
            return MoveResult(replace(self, state=state, record=record, **changes))
        tally = dict(self.tally)
        tally[result.winner] = tally.get(result.winner, 0) + 1
        place = list(tally).index(result.winner)
        record = replace(record, result=result.winner)
        table = replace(
            self,
            state=state,
            result=result,
            tally=tuple(tally.items()),
            round_winners=(self.round_winners + WINNER_DIGITS[place])[-MAX_ROUND_WINNERS:],
            record=record,
            finished=self.finished + 1,
            **changes,
        )
        return MoveResult(replace(table, shown_to=_shown_to(table)), (record,))


def not_allowed(moves: Sequence[Move]) -> IllegalMove:
    """Return the error for an illegal move. The message names the legal moves."""
    if not moves:
        return IllegalMove(Text("The game is over: there are no moves left."))
    labels = comma_join(move.label for move in moves)
    return IllegalMove(Text("That move is not allowed now. You can choose: {moves}.", moves=labels))


def _shown_to(table: Table) -> int:
    """Return the number of finished rounds that may be fully revealed after a round.

    A record must not disclose cards that are still to be played. Therefore all rounds are revealed
    if no card is carried over. If one deck lasts for several rounds, the rounds before this one are
    revealed as soon as every card that is still hidden has been shuffled during this round.
    """
    if table.carry is None:
        return table.finished
    if table.game.info.decks > 1:
        return table.shown_to
    hidden = set(table.game.cards(table.state)).difference(table.game.seen(table.state))
    shuffled = table.shuffled and hidden.issubset(table.shuffled)
    return table.finished - 1 if shuffled else table.shown_to


def cards_in(value: Any) -> set[Card]:
    """Return every card that a value contains, at any depth."""
    cards: set[Card] = set()
    _collect(value, cards)
    return cards


def _collect(value: Any, cards: set[Card]) -> None:
    kind = type(value)
    if kind is Card:
        cards.add(value)
    elif issubclass(kind, _SERIES):
        # This is the fast path: views consist mostly of cards, and every page scans a view.
        for item in value:
            if type(item) is Card:
                cards.add(item)
            elif type(item) not in _NO_CARDS:
                _collect(item, cards)
    elif issubclass(kind, Mapping):
        _collect((*value, *value.values()), cards)
    elif is_dataclass(kind):
        for field in fields(value):
            inner = getattr(value, field.name)
            if type(inner) not in _NO_CARDS:
                _collect(inner, cards)
