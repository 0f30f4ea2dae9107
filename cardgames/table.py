"""A table: a game at play. All that is the same for every game, around the rules of one round.

A table is a frozen value; a move returns a new one. It knows its :class:`Phase`, counts rounds and
won ones, offers the deal and starting over, repeats single moves, writes the record of the round on
it, and says which finished rounds may be shown with all their cards.

    >>> from cardgames import GAMES
    >>> table, finished = Table(GAMES["simple-21"]).play("deal", new_salt=lambda: "07")
    >>> [move.name for move in table.moves()]
    ['hit', 'stay', 'new']
    >>> table, finished = table.play("stay")
    >>> table.result.text, str(finished[0].result)
    ('You 14, dealer 17: the dealer wins', 'dealer')
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from string import ascii_lowercase, digits
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from cardgames.cards import Cards
from cardgames.game import AfterRound, AnyGame, LastMove, Result
from cardgames.moves import CONCEDE, Action, IllegalMove, Move, Sent
from cardgames.records.record import Record
from cardgames.shuffling import SaltedRandom, random_salt
from cardgames.text import Text, comma_join
from cardgames.view import cards_in, public_fields

MAX_ROUND_WINNERS: Final = 100
"""Maximum number of past rounds whose winners a table keeps."""

WINNER_DIGITS: Final = digits + ascii_lowercase

NEW: Final = Move("new", Text("Start over"), key=Text("N"))

NOTHING: Final[Sent] = MappingProxyType({})

RngFactory = Callable[[str, int], SaltedRandom]
"""Makes the random numbers of a move, from the round's salt and the number of earlier draws."""


_NO_RECORD: Final = Record("")


class Phase(StrEnum):
    """Where a table stands."""

    READY = "ready"
    PLAYING = "playing"
    ROUND_OVER = "round over"
    GAME_OVER = "game over"


class Leak(AssertionError):
    """A view with a card that its game has not declared as seen: it must not be shown."""


class Played(NamedTuple):
    """A table after a move, and the records of the rounds that the move has ended."""

    table: "Table"
    finished: tuple[Record, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table of one game; without anything else, one at which nothing was played."""

    game: AnyGame
    state: Any = None
    """The round that lies on it, if any."""

    result: Result | None = None
    """How that round ended, if it has."""

    round: int = 0
    """The number of that round; 0 before the first."""

    tally: tuple[tuple[str, int], ...] = ()
    """How many rounds each has won."""

    round_winners: str = ""
    """Who won each round since the tally was cleared, the oldest first: a digit for the place in
    the tally."""

    stacked: bool = False
    """Whether the cards lie as the player's own deck had them: until the next shuffle."""

    times: int = 1
    """How many single moves the last one made."""

    conceded: bool = False
    """Whether the last move gave a round up."""

    notes: tuple[Text, ...] = ()
    """What there was to tell of the last move's deck files."""

    record: Record = _NO_RECORD
    """The record of the round that lies on it."""

    draw_count: int = 0
    """How often the round's salt was drawn from."""

    finished: int = 0
    """How many rounds were finished, ever: starting over does not change it."""

    shuffled: Cards = ()
    """The cards of the round's last shuffle, at a table whose rounds may share a deck."""

    shown_to: int = 0
    """Up to which of its finished rounds every card may be shown."""

    carried: Any = None
    """What the next round takes over where none lies on the table: a replay begins so."""

    fixed_deal: Action | None = None
    """The only deal that may be made here, where many players share one deal."""

    # ---- Where it stands ---------------------------------------------------------------------

    @property
    def phase(self) -> Phase:
        """Where the table stands."""
        if self.state is None:
            return Phase.ROUND_OVER if self.round else Phase.READY
        if self.result is None:
            return Phase.PLAYING
        return Phase.ROUND_OVER if self.result.then is AfterRound.NEXT_ROUND else Phase.GAME_OVER

    @property
    def carry(self) -> Any:
        """What a round that is dealt now takes over."""
        if self.state is None:
            return self.carried
        return self._left(self.state, self.result)

    def _left(self, state: Any, result: Result | None) -> Any:
        """Return what a round leaves to the next; None where it is open, or none may follow."""
        if result is None or result.then is AfterRound.END or self.fixed_deal:
            return None
        return self.game.carry(state)

    def moves(self) -> tuple[Move, ...]:
        """Return what the player may do now."""
        open_round = self.state is not None and self.result is None
        own = self.game.moves(self.state) if open_round else ()
        if self.fixed_deal:
            return (replace(self.game.deals, fields={}),) if self.state is None else own
        ended = self.result is not None and self.result.then is AfterRound.END
        may_deal = self.game.may_concede if open_round else not ended
        deal = self.game.later_deals if self.round else self.game.deals
        return (*own, *((deal,) * may_deal), NEW)

    # ---- What the player sees ----------------------------------------------------------------

    def shown(self) -> Any:
        """Return the game's own view.

        Raises:
            Leak: it has a card that the game has not declared as seen.
        """
        if self.state is None:
            return self.game.empty
        view = self.game.view(self.state)
        if not cards_in(view).issubset(self.game.seen(self.state)):
            raise Leak(f"{self.game.info.slug}: the view has a card that seen() does not have")
        return view

    def view(self) -> dict[str, Any]:
        """Return all that the player may see, by the names of the JSON.

        Raises:
            Leak: as :meth:`shown`.
        """
        own = self.shown()
        numbered = {"round": self.round} if self.game.info.numbered else {}
        return {
            "phase": self.phase,
            **numbered,
            **{name: getattr(own, name) for name in public_fields(own.__class__)},
            "winner": self.result and self.result.winner,
            "tally": self.counts(),
            "messages": self.messages(),
            "stacked": self.stacked,
        }

    def counts(self) -> Mapping[str, int]:
        """Return how many rounds each has won, also before the first."""
        return dict(self.tally) or dict.fromkeys(self.game.info.winners, 0)

    def messages(self) -> tuple[str, ...]:
        """Return what is said about the last move."""
        said = () if self.state is None else self.game.messages(self.state, self._last_move)
        return (*self.notes, *said)

    def story(self) -> tuple[str, ...]:
        """Return what the last move has brought about, in plain sentences for a page."""
        said = () if self.state is None else self.game.story(self.state, self._last_move)
        return (*self.notes, *said)

    @property
    def _last_move(self) -> LastMove:
        return LastMove(self.round, self.times, self.conceded)

    # ---- What is done ------------------------------------------------------------------------

    def play(
        self, name: str, sent: Sent = NOTHING, new_salt: Callable[[], str] = random_salt
    ) -> Played:
        """Play the move that a form asks for.

        Args:
            name: the name of one of ``moves()``.
            sent: the form's fields.
            new_salt: gives what the next shuffle follows from; the same salt deals the same cards.

        Returns:
            The table after the move, and the records of the rounds that it has ended: mostly none.

        Raises:
            IllegalMove: the move is not one of ``moves()``, or a field does not fit it.
            InvalidDeck: a deck that was sent is not 52 different cards.
        """
        move = self.legal_move(name)
        table, finished = self.after(move.read(sent), partial(SaltedRandom, new_salt))
        notes = move.notes(sent)
        return Played(replace(table, notes=notes) if notes else table, finished)

    def legal_move(self, name: str) -> Move:
        """Return a move by its name.

        Raises:
            IllegalMove: it is not one of ``moves()``.
        """
        moves = self.moves()
        for move in moves:
            if move.name == name:
                return move
        if not moves:
            raise IllegalMove(Text("It is over: there are no moves left."))
        labels = comma_join(move.label for move in moves)
        refused = Text("That move is not allowed now. You can choose: {moves}.", moves=labels)
        raise IllegalMove(refused)

    def after(self, action: Action, new_rng: RngFactory) -> Played:
        """Return the table after an action that is legal.

        Raises:
            IllegalMove: what was chosen does not fit.
        """
        match action.name:
            case NEW.name:
                return Played(Table(self.game, finished=self.finished, shown_to=self.finished))
            case "deal":
                return self._dealt(self.fixed_deal or action, new_rng)
            case CONCEDE.name:
                return self._given_up()
            case _:
                return self._moved(action, new_rng)

    def _given_up(self) -> Played:
        if self.phase is not Phase.PLAYING or not self.game.may_concede:
            raise IllegalMove(Text("A round cannot be given up now."))
        state, record = self.game.concede(self.state), self.record.with_action(CONCEDE)
        result = self.game.result(state)
        return self._next(state, result, record, times=1, conceded=False, notes=())

    def _dealt(self, action: Action, new_rng: RngFactory) -> Played:
        if self.phase is Phase.PLAYING:
            over, given_up = self._given_up()
            table, finished = over.after(action, new_rng)
            return Played(replace(table, conceded=True), given_up + finished)
        game, carry, rng = self.game, self.carry, new_rng("", 0)
        state = game.deal(carry, action, rng)
        own_deck = any(action[name] for name in game.deals.decks)
        names = game.players(state)
        # At War other players, or the same in other seats, begin a tally of their own.
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
            # A deck that lasts stays the player's own until something is shuffled into it.
            stacked=own_deck or (self.stacked and not rng.draw_count),
            record=record,
            draw_count=rng.draw_count,
            finished=self.finished,
            shuffled=self._shuffled_by(rng),
            shown_to=self.shown_to,
            fixed_deal=self.fixed_deal,
        )
        result = game.result(state)
        return Played(table) if result is None else table._next(state, result, record)

    def _moved(self, action: Action, new_rng: RngFactory) -> Played:
        """Make a single move as often as was asked, or until the round is over."""
        game, state, result = self.game, self.state, self.result
        rng, once = new_rng(self.record.salt, self.draw_count), action.once
        times = 0
        while times < action.times and result is None:
            state = game.apply(state, once, rng)
            result = game.result(state)
            times += 1
        made = action if times == action.times else replace(action, times=times)
        record = self.record.with_action(made)
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
            shuffled=self._shuffled_by(rng) or self.shuffled,
        )

    def _next(self, state: Any, result: Result | None, record: Record, **changes: Any) -> Played:
        """Return the table after a move; a round that is over by it is counted and closed."""
        if result is None:
            return Played(replace(self, state=state, record=record, **changes))
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
        return Played(replace(table, shown_to=_shown_to(table)), (record,))

    def _shuffled_by(self, rng: SaltedRandom) -> Cards:
        """Return the cards of the last shuffle, where a round may be dealt from what is left."""
        return rng.shuffles[-1] if rng.shuffles and self.game.carry_type else ()


def _shown_to(table: Table) -> int:
    """Return up to which finished round every card may be shown, when a round is over.

    A record must tell nothing of cards still to be played. So all are shown once no card is carried
    on; and with one deck, those before this round once everything hidden was shuffled in it.
    """
    if table.carry is None:
        return table.finished
    if table.game.info.decks > 1:
        return table.shown_to
    hidden = set(table.game.cards(table.state)).difference(table.game.seen(table.state))
    shuffled = table.shuffled and hidden.issubset(table.shuffled)
    return table.finished - 1 if shuffled else table.shown_to
