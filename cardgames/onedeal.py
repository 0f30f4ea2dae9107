"""One deal for many players: a round of another game, with the same cards for everyone.

:class:`OneDeal` is a game like any other. What its deal asks for was settled by whoever set it up,
and its luck comes from one salt (:mod:`cardgames.luck`), so all who play it are dealt the same
cards. It is played once: no other deal, no giving up, no starting over.

At the twenty-one tables all that can differ is how long somebody hits, so the players of a deal
part at a row of decisions (:func:`partings`): the first hand, the hand after one hit, and so on.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, NamedTuple

from cardgames.cards import Cards
from cardgames.coach import asked
from cardgames.game import (
    Before,
    Choices,
    Game,
    Move,
    Phase,
    State,
    Verdict,
    View,
    chosen_deck,
)
from cardgames.luck import Luck
from cardgames.twentyone import Rules
from cardgames.twentyone import State as Table

_ALIKE: Final = (
    *("slug", "title", "pitch", "decks", "state_type", "house_rules", "sides", "reshuffles"),
)


class OneDeal(Game[State, View]):
    """One round of a game, dealt as somebody has settled it."""

    def __init__(self, game: Game[State, View], choices: Choices) -> None:
        """Set a round up.

        Args:
            game: what is played.
            choices: the fields of its deal.
        """
        for name in _ALIKE:
            setattr(self, name, getattr(game, name))
        self.game = game
        self.choices = choices

    def moves(self, state: State) -> tuple[Move, ...]:
        """Return the deal, then what the round asks for, and nothing when it is over."""
        legal = self.game.moves(state)
        match self.phase(state):
            case Phase.READY:
                return tuple(Move(move.name, move.label) for move in legal if move.name == "deal")
            case Phase.PLAYING:
                return tuple(move for move in legal if move.name not in ("deal", "new"))
            case _:
                return ()

    def apply(self, state: State, move: str, choices: Choices, rng: random.Random) -> State:
        """Return the table after a legal move; the deal's fields are those that were settled."""
        settled = self.choices if move == "deal" else choices
        return self.game.apply(state, move, settled, rng)

    def singly(self, before: State, choices: Choices, after: State) -> tuple[Choices, int]:
        """Return a move as a record has it: the deal with the fields that were settled."""
        if self.phase(before) is Phase.READY:
            return self.choices, 1
        return self.game.singly(before, choices, after)

    def spent(self, state: State) -> bool:
        """Say whether the round is over: nothing is dealt after it."""
        return self.phase(state) in (Phase.ROUND_OVER, Phase.GAME_OVER)

    def dealt(self, salt: str) -> tuple[State, Mapping[str, Cards]]:
        """Return the table after the deal, and the decks that it was dealt from.

        Args:
            salt: what the shuffles follow from.

        Returns:
            The table; and the decks by the deal's fields that may fill them, the top card first.
        """
        luck = Luck(lambda: salt)
        (deal,) = (move for move in self.game.moves(self.start()) if move.name == "deal")
        table = self.play(self.start(), "deal", {}, luck)
        orders = iter(luck.orders)
        fields = [field for field in deal.fields if field.endswith("deck")]
        return table, {field: chosen_deck(self.choices, field) or next(orders) for field in fields}

    def start(self) -> State:
        """Return an empty table."""
        return self.game.start()

    def view(self, state: State) -> View:
        """Return what the player may see."""
        return self.game.view(state)

    def page_view(self, state: State) -> View:
        """Return the view with what only a page shows."""
        return self.game.page_view(state)

    def phase(self, state: State) -> Phase:
        """Return where the table stands."""
        return self.game.phase(state)

    def verdict(self, state: State) -> Verdict | None:
        """Say how the round ended."""
        return self.game.verdict(state)

    def cards(self, state: State) -> Cards:
        """Return every card of the game."""
        return self.game.cards(state)

    def hidden(self, state: State) -> Cards:
        """Return the cards that the player cannot know."""
        return self.game.hidden(state)

    def shown(self, state: State) -> Cards:
        """Return the cards that lie face up."""
        return self.game.shown(state)

    def before(self, state: State) -> Before:
        """Return what the round takes over: nothing."""
        return self.game.before(state)

    def resumed(self, before: Before) -> State:
        """Return the table before the round."""
        return self.game.resumed(before)

    def won(self, state: State) -> str | None:
        """Return who won the round."""
        return self.game.won(state)


class Path(NamedTuple):
    """What one player of a deal at a twenty-one table has done, and who won."""

    hits: int
    stayed: bool
    winner: str


@dataclass(frozen=True, slots=True)
class Ends:
    """How the round ended for some of its players."""

    players: int
    won: int
    tied: int
    lost: int

    @classmethod
    def of(cls, winners: Iterable[str]) -> "Ends":
        """Count rounds by who won them."""
        counts = Counter(winners)
        return cls(counts.total(), counts["player"], counts["tie"], counts["dealer"])


@dataclass(frozen=True, slots=True)
class Parting:
    """A decision of a deal, and how the round ended for those who took it one way or the other."""

    table: Table
    hit: Ends
    stay: Ends


def partings(game: OneDeal[Table, Any], salt: str, paths: Iterable[Path]) -> tuple[Parting, ...]:
    """Return the decisions that players of a deal had to take, in order.

    Args:
        game: the deal, at a twenty-one table.
        salt: what its cards follow from.
        paths: what the players have done.
    """
    taken = tuple(paths)
    most = max((path.hits for path in taken), default=-1)
    tables = enumerate(islice(_decisions(game, salt), most + 1))
    return tuple(
        Parting(
            table=table,
            hit=Ends.of(path.winner for path in taken if path.hits > hits),
            stay=Ends.of(path.winner for path in taken if path.hits == hits and path.stayed),
        )
        for hits, table in tables
    )


def _decisions(game: OneDeal[Table, Any], salt: str) -> Iterator[Table]:
    """Yield the table at the first decision, and after one hit more each time."""
    table, _ = game.dealt(salt)
    while table.phase is Phase.PLAYING:
        yield table
        table = game.play(table, "hit", {}, Luck(lambda: salt))


def best_played(game: OneDeal[Table, Any], rules: Rules, salt: str) -> Path:
    """Return what becomes of a deal when every decision is the best one by the odds.

    Args:
        game: the deal, at a twenty-one table.
        rules: that table's rules.
        salt: what its cards follow from.
    """
    table, _ = game.dealt(salt)
    hits, stayed = 0, False
    while table.phase is Phase.PLAYING:
        best = asked(rules, table).best
        hits, stayed = hits + (best == "hit"), best == "stay"
        table = game.play(table, best, {}, Luck(lambda: salt))
    return Path(hits, stayed, game.won(table) or "")
