"""War for two to six players. No card is face down, and a winner shuffles the complete hand.

>>> from cardgames.table import Table
>>> table = Table(War()).play("deal", {"players": "2", "names": "Amy, Brad"}).table
>>> table = table.play("turn", {"turns": "all"}).table
>>> table.phase.value, sorted(player.cards for player in table.shown().players)
('game over', [0, 52])
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, NamedTuple

from cardgames.cards import FULL_DECK, Cards, shuffled
from cardgames.game import PAGE_ONLY, AfterRound, Game, Info, LastMove, Result
from cardgames.games.war import words
from cardgames.games.war.figures import FIGURES
from cardgames.games.war.rules import (
    DEFAULT_NAMES,
    MAX_PLAYERS,
    MAX_TURNS,
    PEOPLE,
    SYMBOLS,
    Battle,
    Hands,
    Seats,
    award_pile,
    battle,
    dealt,
    deciding_rule,
    highest,
    name_text,
    parse_names,
    person_text,
    split_names,
)
from cardgames.games.war.words import WarMessage
from cardgames.moves import (
    OWN_DECK,
    Action,
    Choice,
    DeckFile,
    FreeText,
    Move,
    Repeat,
    attribute_errors_to,
)
from cardgames.text import Text, comma_join

MAX_LATEST: Final = 6
"""Maximum number of turns whose winners a table lists."""

Taken = tuple[int, int]
"""A player's number, and the number of cards that the player won."""


@dataclass(frozen=True, slots=True)
class State:
    """A game of War, including the hidden hands."""

    names: tuple[str, ...]
    hands: Hands
    """The hands, each with its top card first."""

    turn: int
    """The number of played turns."""

    battle: Battle | None
    """The last turn. The turn's cards stay visible although they have already returned to a hand.
    """

    latest: tuple[Taken, ...]
    """The winners of the last turns and the numbers of cards that they won, newest first."""


@dataclass(frozen=True, slots=True)
class PlayerView:
    """A player's name, and the number of cards in their hand."""

    name: str
    cards: int


@dataclass(frozen=True, slots=True)
class View:
    """The visible part of a game of War."""

    players: tuple[PlayerView, ...] = ()
    battle: tuple[Cards, ...] = ()
    """The cards of the last turn in rows, the newest row first."""

    turn: int = 0
    seats: tuple[Seats, ...] = field(default=(), metadata=PAGE_ONLY)
    """The seats, from 0, of the players who showed the cards in ``battle``, in the same order."""

    people: tuple[str, ...] = field(default=(), metadata=PAGE_ONLY)
    """The names of the players on a page."""

    latest: tuple[Taken, ...] = field(default=(), metadata=PAGE_ONLY)
    """The winners of the last turns and the numbers of cards that they won, newest first."""

    taken_by: str | None = field(default=None, metadata=PAGE_ONLY)
    """The player who took the last pile."""

    taker: int | None = field(default=None, metadata=PAGE_ONLY)
    """The player's number."""

    pile: int = field(default=0, metadata=PAGE_ONLY)
    """The number of cards in the pile."""

    rule: str | None = field(default=None, metadata=PAGE_ONLY)
    """The anchor of the rule by which the player got the pile."""

    @property
    def ranking(self) -> list[int]:
        """The seats of the players, sorted by number of cards in descending order."""
        return sorted(range(len(self.players)), key=lambda seat: -self.players[seat].cards)


class Event(NamedTuple):
    """An event of a turn: its kind, the player and the cards."""

    message: WarMessage
    seat: int = 0
    cards: Cards = ()


_TURN: Final = Move(
    "turn",
    Text("Play"),
    repeat=Repeat(
        "turns",
        {
            **{str(number): (number, words.turns_text(number)) for number in (1, 10, 100)},
            "all": (MAX_TURNS, Text("To the end")),
        },
    ),
    key=Text("T"),
    done=words.turns_text,
)


_IN_STORY: Final = (WarMessage.NO_CARD, WarMessage.NO_CARDS, WarMessage.OUT)
"""A page's sentences about a turn, in the words of the log."""


def _tidy_names(text: str) -> str:
    return ",".join(split_names(text))


class War(Game[State, None, View]):
    """War, in which a round is a complete game."""

    info = Info(
        "war",
        "War",
        Text("Pure luck, two to six players."),
        words.HOUSE_RULES,
        figures=FIGURES,
        numbered=False,
        reshuffles=True,
    )
    deals = Move(
        "deal",
        Text("Deal"),
        {
            "players": Choice(
                Text("Players"),
                {str(number): words.players_text(number) for number in range(2, MAX_PLAYERS + 1)},
            ),
            "names": FreeText(Text("Names, separated by commas"), _tidy_names),
            "deck": DeckFile(*OWN_DECK),
        },
        key=Text("D"),
    )
    round_moves = (_TURN,)
    state_type = State
    people = tuple(PEOPLE.values())
    """The names that pages use for unnamed players, by seat."""

    empty = View()

    def deal(self, carry: None, action: Action, rng: random.Random) -> State:
        """Deal the complete deck, one card at a time."""
        with attribute_errors_to("names"):
            names = parse_names(action["names"], int(action["players"]))
        hands = dealt(action.deck() or shuffled(FULL_DECK, rng), len(names))
        return State(names, hands, turn=0, battle=None, latest=())

    def apply(self, state: State, action: Action, rng: random.Random) -> State:
        """Play one turn."""
        fought = battle(state.hands)
        hands = award_pile(state.hands, fought, rng)
        cards_won = (fought.winner_seat, sum(map(len, fought.cards)))
        latest = (cards_won, *state.latest[: MAX_LATEST - 1])
        return State(state.names, hands, state.turn + 1, fought, latest)

    def result(self, state: State) -> Result | None:
        """Return the player who has all cards, and the number of turns."""
        if state.battle is None or sum(map(bool, state.hands)) > 1:
            return None
        winner = state.names[state.battle.winner_seat]
        rule = deciding_rule(state.battle)
        text = words.verdict(_name_if_other(winner), len(FULL_DECK), state.turn)
        return Result(winner, text, rule if rule == "running-out" else "end", AfterRound.NEW_GAME)

    def view(self, state: State) -> View:
        """Return the table as every player sees it."""
        names, people = tuple(map(name_text, state.names)), tuple(map(person_text, state.names))
        fought = state.battle
        return View(
            players=tuple(map(PlayerView, names, map(len, state.hands))),
            battle=fought.cards if fought else (),
            turn=state.turn,
            seats=fought.seats if fought else (),
            people=people,
            latest=state.latest,
            taken_by=people[fought.winner_seat] if fought else None,
            taker=fought.winner_seat if fought else None,
            pile=sum(map(len, fought.cards)) if fought else 0,
            rule=deciding_rule(fought) if fought else None,
        )

    def messages(self, state: State, last: LastMove) -> tuple[str, ...]:
        """Return the log of the last turn, and the number of turns in the last move.

        Cards of earlier turns are not named, because they are face down in the hands again.
        """
        names = tuple(map(name_text, state.names))
        if state.battle is None:
            dealing = WarMessage.DEALING.text
            return (dealing.fill(number=len(FULL_DECK), players=len(names)),)
        log = tuple(_in_words(event, names) for event in _events(state, state.battle))
        if last.times == 1:
            return log
        return (WarMessage.SKIPPED.text.fill(number=last.times), *log)

    def story(self, state: State, last: LastMove) -> tuple[str, ...]:
        """Return sentences about the cards of the last turn and about the winner."""
        if state.battle is None:
            return ()
        called = tuple(map(person_text, state.names))
        rows = list(zip(reversed(state.battle.cards), reversed(state.battle.seats), strict=True))
        lines = [
            (words.TIE if number else words.BATTLE).fill(
                cards=comma_join(
                    words.SHOWS.fill(name=called[seat], card=card.full_name)
                    for card, seat in zip(row, seats, strict=True)
                )
            )
            for number, (row, seats) in enumerate(rows)
        ]
        events = [event for event in _events(state, state.battle) if event.message in _IN_STORY]
        skipped = [WarMessage.SKIPPED.text.fill(number=last.times)] * (last.times > 1)
        pile = sum(map(len, state.battle.cards))
        takes = words.takes_text(_name_if_other(state.names[state.battle.winner_seat]), pile)
        return (*skipped, *lines, takes, *(_in_words(event, called) for event in events))

    def cards(self, state: State) -> Cards:
        """Return all 52 cards.

        The cards of the last turn are already in the winner's hand.
        """
        return tuple(chain.from_iterable(state.hands))

    def seen(self, state: State) -> Cards:
        """Return the cards of the last turn.

        Everyone knows the hand that contains them.
        """
        return tuple(chain.from_iterable(state.battle.cards)) if state.battle else ()

    def players(self, state: State) -> tuple[str, ...]:
        """Return the players' names."""
        return state.names

    def progress(self, state: State) -> tuple[int, ...]:
        """Return the number of cards of each player."""
        return tuple(map(len, state.hands))

    def had_tie(self, state: State) -> bool:
        """Return whether the last turn had a tie."""
        return state.battle is not None and len(state.battle.cards) > 1

    def winner_text(self, winner: str) -> str:
        """Return a sentence about the winner. The first player is called "you" if unnamed."""
        return person_text(winner)

    def ending_text(self, winner: str, moves: int) -> str:
        """Return the summary with the winner and the number of turns."""
        return words.ending(_name_if_other(winner), moves)


def _name_if_other(player: str) -> str:
    """Return a player's name, or "you" if the first player is unnamed."""
    return "" if player == next(iter(DEFAULT_NAMES)) else person_text(player)


def _events(state: State, fought: Battle) -> Iterator[Event]:
    pile: Cards = ()
    had = _sizes_before(state, fought)
    rows = list(zip(reversed(fought.cards), reversed(fought.seats), strict=True))
    for number, (row, seats) in enumerate(rows, start=1):
        pile = row + pile
        tied = highest(row, seats)
        if len(tied) > 1 and number < len(rows):
            yield Event(WarMessage.TIE, cards=pile)
        out = [seat for seat in tied if had[seat] == number] if len(tied) > 1 else []
        if len(out) == len(tied):
            yield Event(WarMessage.NO_CARDS)
        else:
            yield from (Event(WarMessage.NO_CARD, seat) for seat in out)
    yield Event(WarMessage.TAKES, fought.winner_seat, pile)
    if sum(map(bool, state.hands)) == 1:
        yield Event(WarMessage.WINS, fought.winner_seat)
    else:
        yield from (
            Event(WarMessage.OUT, seat) for seat in fought.seats[-1] if not state.hands[seat]
        )


def _sizes_before(state: State, fought: Battle) -> list[int]:
    had = [
        len(hand) + sum(seat in row for row in fought.seats)
        for seat, hand in enumerate(state.hands)
    ]
    had[fought.winner_seat] -= sum(map(len, fought.cards))
    return had


def _in_words(event: Event, names: tuple[str, ...]) -> Text:
    symbols = [SYMBOLS[card] for card in event.cards]
    return event.message.text.fill(name=names[event.seat], cards=symbols)
