"""War: no decisions, only luck; the highest card takes the pile and its hand is shuffled.

A turn is two pure steps on the hands: :func:`fight` says who shows what and who takes the pile
(no luck in it), and :func:`taken` gives him the pile and shuffles his hand (the only luck). A hand
is a tuple whose first card is the top.

    >>> import random
    >>> table = War()
    >>> seats = {"players": "2", "names": "Amy, Brad"}
    >>> state = table.play(table.start(), "deal", seats, random.Random(1))
    >>> state = table.play(state, "turn", {"turns": "all"}, random.Random(2))
    >>> table.phase(state).value, sorted(len(hand) for hand in state.hands)
    ('game over', [0, 52])
"""

import random
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from itertools import chain
from typing import ClassVar, Final

from cardgames.cards import FULL_DECK, Card, Cards, Rank, Suit, shuffled
from cardgames.game import (
    Choices,
    Game,
    HouseRule,
    IllegalMove,
    Move,
    Phase,
    Verdict,
    chosen_deck,
    chosen_text,
)
from cardgames.words import Text, counted, figure

PLAYERS: Final = {
    str(number): counted("{number} player", "{number} players", number) for number in range(2, 7)
}
"""How many can play; the sheet's two, and more as its last cell asks (S3-30, A3-9)."""

MOST_TURNS: Final = 20_000
"""As many turns as one click may play. The longest of 64 million games took 8,461."""

TURNS: Final = {"1": 1, "10": 10, "100": 100, "all": MOST_TURNS}
"""How many turns each choice plays at most."""

LONGEST_NAME: Final = 20
"""A player's name has at most this many characters."""

SAMPLES: Final = 119
"""As many points of the game's course as are kept; the view adds the present one."""

STRENGTH: Final[dict[Card, int]] = {
    card: strength
    for strength, rank in enumerate((*tuple(Rank)[1:], Rank.ACE), start=2)
    for card in FULL_DECK
    if card.rank is rank
}
"""How strong each card is: 2 for a two up to 14 for an ace, whatever the suit (S3-8, A3-15)."""

_SYMBOLS: Final = {Suit.SPADES: "♠", Suit.HEARTS: "♡", Suit.CLUBS: "♣", Suit.DIAMONDS: "♢"}

FACES: Final = {
    card: card.rank.value.replace("T", "10") + _SYMBOLS[card.suit] for card in FULL_DECK
}
"""How the sheet writes each card (S3-7, A3-11)."""

Hands = tuple[Cards, ...]
"""Every player's cards, in players' order; who is out of the game has none."""

Seats = tuple[int, ...]
"""Some of the players, by number from 0, in players' order."""


@dataclass(frozen=True, slots=True)
class Battle:
    """One turn as it lay on the table.

    ``cards`` are the rows shown, newest first, so that one after the other they are the pile
    (S3-24); ``seats`` says who showed each of them. ``taker`` took the pile.
    """

    cards: tuple[Cards, ...]
    seats: tuple[Seats, ...]
    taker: int


def dealt(deck: Cards, players: int) -> Hands:
    """Deal a whole deck one card at a time, the first player first (S3-1, S3-22).

    >>> [len(hand) for hand in dealt(FULL_DECK, 3)]
    [18, 17, 17]
    """
    return tuple(deck[seat::players] for seat in range(players))


def highest(cards: Cards, seats: Seats) -> Seats:
    """Return who of those that showed the cards showed the highest rank.

    >>> highest((Card("AS"), Card("KH"), Card("AD")), (0, 2, 3))
    (0, 3)
    """
    best = max(STRENGTH[card] for card in cards)
    shown = zip(cards, seats, strict=True)
    return tuple(seat for card, seat in shown if STRENGTH[card] == best)


def fight(hands: Hands) -> Battle:
    """Play one turn up to who takes the pile (S3-2 to S3-4, S3-25).

    Everyone with cards shows one. As long as the highest tie, the tied who still have cards show
    one more each; where only one of them has, he takes the pile, and where none has, the
    last-seated of them (A3-3).

    >>> fight(((Card("AH"), Card("7H")), (Card("AD"), Card("5D")))).taker
    0
    """
    seats = tuple(seat for seat, hand in enumerate(hands) if hand)
    rows: list[Cards] = []
    showed: list[Seats] = []
    while True:
        # Whoever shows the third row has shown two cards before: a row's number is its place.
        row = tuple(hands[seat][len(rows)] for seat in seats)
        rows.append(row)
        showed.append(seats)
        tied = highest(row, seats)
        able = tuple(seat for seat in tied if len(hands[seat]) > len(rows))
        if len(tied) == 1 or len(able) <= 1:
            taker = tied[-1] if len(tied) == 1 or not able else able[0]
            return Battle(tuple(reversed(rows)), tuple(reversed(showed)), taker)
        seats = able


def taken(hands: Hands, battle: Battle, rng: random.Random) -> Hands:
    """Put the pile under the taker's hand and shuffle all of it; the others' order stays (A3-5)."""
    left = [
        hand[sum(seat in row for row in battle.seats) :] if hand else hand
        for seat, hand in enumerate(hands)
    ]
    pile = chain.from_iterable(battle.cards)
    left[battle.taker] = shuffled(chain(left[battle.taker], pile), rng)
    return tuple(left)


class Said(StrEnum):
    """What can happen in a game; the words are in ``WORDS``."""

    DEALING = "dealing"
    SKIPPED = "skipped"
    TIE = "tie"
    NO_CARD = "no card"
    NO_CARDS = "no cards"
    TAKES = "takes"
    OUT = "out"
    WINS = "wins"


WORDS: Final = {
    Said.DEALING: Text("Dealing {number} cards to {players} players..."),
    Said.SKIPPED: Text("{number} turns were played. The last of them:"),
    Said.TIE: Text("war: {cards} TIE!"),
    Said.NO_CARD: Text("{name} has no card left for the tie."),
    Said.NO_CARDS: Text("None of the tied has a card left: the last of them takes the pile."),
    Said.TAKES: Text("war: {cards} => {name}"),
    Said.OUT: Text("{name} is out of cards and of the game."),
    Said.WINS: Text("{name} wins!"),
}
"""What happened, in the words of the sheet's log where it has any."""


@dataclass(frozen=True, slots=True)
class Message:
    """One thing that happened: what, to which player, with which cards, and a number.

    Kept instead of its words, so that a saved table does not depend on a language.
    """

    said: Said
    seat: int | None
    cards: Cards
    number: int


@dataclass(frozen=True, slots=True)
class State:
    """A table of War, the hidden hands included. Nothing outside the rules may show it."""

    phase: Phase
    names: tuple[str, ...]
    tally: tuple[int, ...]
    """Games won, in players' order."""

    deck: Cards
    """The cards before they are dealt; afterwards none."""

    hands: Hands
    turn: int
    battle: Battle | None
    """The last turn: what was seen of cards that are in a hand again."""

    course: tuple[tuple[int, ...], ...]
    """A turn's number and then every player's count of cards, for each ``every``-th turn."""

    every: int
    messages: tuple[Message, ...]
    stacked: bool


@dataclass(frozen=True, slots=True)
class PlayerView:
    """A player: the name, and how many cards are in the hand."""

    name: str
    cards: int


@dataclass(frozen=True, slots=True)
class View:
    """What the players may see of a table of War. It has no place for a hand."""

    phase: Phase
    players: tuple[PlayerView, ...]
    battle: tuple[Cards, ...]
    turn: int
    winner: str | None
    tally: dict[str, int]
    messages: tuple[str, ...]
    stacked: bool


@dataclass(frozen=True, slots=True)
class PageView(View):
    """What a page shows besides."""

    seats: tuple[Seats, ...]
    """The players' numbers (from 0) for each card of ``battle``, in the same rows."""

    taken_by: str | None
    """Who took the last pile."""

    rule: str | None
    """The anchor of the rule that gave it to him."""

    course: tuple[tuple[int, ...], ...]
    """A turn's number and then every player's count of cards, from the deal to now."""


_EMPTY: Final = State(
    phase=Phase.READY,
    names=(),
    tally=(),
    deck=FULL_DECK,
    hands=(),
    turn=0,
    battle=None,
    course=(),
    every=1,
    messages=(),
    stacked=False,
)

_DEAL: Final = Move("deal", Text("Deal"), {"players": PLAYERS, "names": None, "deck": None})
_TURN: Final = Move(
    "turn",
    Text("Play"),
    {
        "turns": {
            **{
                choice: counted("{number} turn", "{number} turns", TURNS[choice])
                for choice in ("1", "10", "100")
            },
            "all": Text("To the end"),
        }
    },
)
_NEW: Final = Move("new", Text("Start over"))


HOUSE_RULES: Final = (
    HouseRule(
        "aim",
        Text("The aim"),
        Text("Collect all 52 cards. There is nothing to decide: luck plays the game."),
    ),
    HouseRule(
        "deal",
        Text("The deal"),
        Text(
            "The whole deck is dealt one card at a time, the first player first. Two to six can "
            "play; where 52 cards do not divide evenly, the first players get one card more."
        ),
    ),
    HouseRule(
        "turn",
        Text("A turn"),
        Text(
            "Everyone who has cards shows the top one. The highest rank takes them all; aces are "
            "high, and suits do not count."
        ),
    ),
    HouseRule(
        "ties",
        Text("Ties"),
        Text(
            "If the highest cards tie, only the players who tied show one card more each, none "
            "face down. It is laid in front of the pile in players' order. Whoever then shows the "
            "highest takes the whole pile; if these tie too, the same again."
        ),
    ),
    HouseRule(
        "running-out",
        Text("Running out of cards in a tie"),
        Text(
            "A tied player without a card left drops out of that war. If only one of the tied has "
            "cards, he takes the pile. If none of them has, the last of them in players' order "
            "takes it: with two players, the second."
        ),
    ),
    HouseRule(
        "shuffle",
        Text("Shuffling"),
        Text(
            "The pile goes under the winner's hand, and then that whole hand is shuffled. The "
            "other hands keep their order."
        ),
    ),
    HouseRule(
        "end",
        Text("The end"),
        Text(
            "Who has no cards left is out. The game is over when one player has all 52 cards. That "
            "takes 574 turns on average with two players; half of the games take 434 or fewer."
        ),
    ),
    HouseRule(
        "to-the-end",
        Text("Playing to the end"),
        Text(
            "One click plays at most {turns} turns; a longer game can be played on.",
            turns=figure(MOST_TURNS, ","),
        ),
    ),
    HouseRule(
        "tally",
        Text("Games won"),
        Text(
            "Games are counted by player while the same players go on in the same order. Other "
            "players start at zero, and so does Start over."
        ),
    ),
)
"""The rules of the table in plain words."""


class War(Game[State, View]):
    """War for two to six players, after the sheet: no card face down, the whole hand shuffled."""

    slug = "war"
    title = "War"
    pitch = Text(
        "The highest card takes the pile, ties show one card more, and luck decides it all."
    )
    state_type = State
    house_rules = HOUSE_RULES

    def start(self) -> State:
        """Return an empty table with an unshuffled deck and nobody at it."""
        return _EMPTY

    def moves(self, state: State) -> tuple[Move, ...]:
        """Return what may be done now."""
        match state.phase:
            case Phase.PLAYING:
                return (_TURN, _NEW)
            case Phase.READY | Phase.GAME_OVER | Phase.ROUND_OVER:
                return (_DEAL, _NEW)

    def apply(self, state: State, move: str, choices: Choices, rng: random.Random) -> State:
        """Return the table after a legal move."""
        match move:
            case "deal":
                players = int(chosen_text(choices, "players"))
                names = chosen_names(chosen_text(choices, "names"), players)
                return _dealt(state, names, chosen_deck(choices), rng)
            case "turn":
                return _played(state, TURNS[chosen_text(choices, "turns")], rng)
            case _:
                return self.start()

    def view(self, state: State) -> View:
        """Return the table as everybody sees it."""
        winner, names = _winner(state), tuple(map(shown_name, state.names))
        return View(
            phase=state.phase,
            players=tuple(
                PlayerView(name, len(hand)) for name, hand in zip(names, state.hands, strict=True)
            ),
            battle=state.battle.cards if state.battle else (),
            turn=state.turn,
            winner=None if winner is None else names[winner],
            tally=dict(zip(state.names, state.tally, strict=True)),
            messages=tuple(_in_words(message, names) for message in state.messages),
            stacked=state.stacked,
        )

    def page_view(self, state: State) -> PageView:
        """Return the same, with who showed which card and the course of the game."""
        view, battle = self.view(state), state.battle
        present = _sample(state.turn, state.hands)
        course = state.course if present in state.course[-1:] else (*state.course, present)
        return PageView(
            **{field.name: getattr(view, field.name) for field in fields(view)},
            seats=battle.seats if battle else (),
            taken_by=view.players[battle.taker].name if battle else None,
            rule=rule_of(battle) if battle else None,
            course=course if state.hands else (),
        )

    def phase(self, state: State) -> Phase:
        """Return where the table stands."""
        return state.phase

    def cards(self, state: State) -> Cards:
        """Return all 52 cards: the battle's are in its taker's hand."""
        return (*state.deck, *chain.from_iterable(state.hands))

    reshuffles: ClassVar[bool] = True

    def hidden(self, state: State) -> Cards:
        """Return what is in the hands; what the last turn showed is in one of them again."""
        return self.cards(state)

    def won(self, state: State) -> str | None:
        """Return the name of who won the game that is over."""
        winner = _winner(state)
        return None if winner is None else state.names[winner]

    def singly(self, before: State, choices: Choices, after: State) -> tuple[Choices, int]:
        """Return several turns as so many times one turn, and names without blanks around them."""
        if "turns" in choices:
            return {"turns": "1"}, after.turn - before.turn
        names = ",".join(_given_names(chosen_text(choices, "names")))
        rest = {field: value for field, value in choices.items() if field != "names"}
        return (rest | {"names": names} if names else rest), 1

    def verdict(self, state: State) -> Verdict | None:
        """Say who won the game that is over, and after how many turns."""
        winner = _winner(state)
        if winner is None or state.battle is None:
            return None
        text = counted(
            "{name} wins with all {cards} cards after {number} turn",
            "{name} wins with all {cards} cards after {number} turns",
            state.turn,
            name=shown_name(state.names[winner]),
            cards=len(state.hands[winner]),
        )
        rule = rule_of(state.battle)
        return Verdict(text, rule if rule == "running-out" else "end")


def rule_of(battle: Battle) -> str:
    """Return the anchor of the house rule by which the taker got the pile."""
    if len(highest(battle.cards[0], battle.seats[0])) > 1:
        return "running-out"
    return "turn" if len(battle.cards) == 1 else "ties"


def chosen_names(text: str, players: int) -> tuple[str, ...]:
    """Read the players' names, separated by commas; who is not named is called by number.

    Raises:
        IllegalMove: the names do not fit the players, one is not a name, or two are the same.

    >>> chosen_names("Amy, Brad", 3)
    ('Amy', 'Brad', 'Player 3')

    """
    given = _given_names(text)
    if len(given) > players:
        raise IllegalMove(
            Text(
                "There are {names} names for {players} players.", names=len(given), players=players
            )
        )
    if not all(given):
        raise IllegalMove(Text("A name is empty: names are separated by single commas."))
    if any(len(name) > LONGEST_NAME for name in given):
        raise IllegalMove(Text("A name has at most {most} characters.", most=LONGEST_NAME))
    if not all(name.isprintable() for name in given):
        raise IllegalMove(Text("A name has a character that cannot be shown."))
    names = (*given, *tuple(UNNAMED)[len(given) : players])
    if len(set(names)) < players:
        raise IllegalMove(Text("Two players have the same name."))
    return names


def _given_names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")] if text.strip() else []


UNNAMED: Final = {
    str(unnamed): unnamed
    for unnamed in (
        Text("Player {number}", number=number) for number in range(1, int(max(PLAYERS)) + 1)
    )
}
"""What players are called who have no name of their own."""


def shown_name(name: str) -> str:
    """Return a player's name, translatable where it is none of his own.

    >>> type(shown_name("Amy")).__name__, type(shown_name("Player 2")).__name__
    ('str', 'Text')
    """
    return UNNAMED.get(name, name)


def _winner(state: State) -> int | None:
    """Return who won the game that is over: whoever took its last pile."""
    over = state.phase is Phase.GAME_OVER
    return state.battle.taker if over and state.battle else None


def _sample(turn: int, hands: Hands) -> tuple[int, ...]:
    return (turn, *map(len, hands))


def _dealt(state: State, names: tuple[str, ...], deck: Cards | None, rng: random.Random) -> State:
    """Deal a new game; the tally goes on while the same players do, in the same order."""
    hands = dealt(deck or shuffled(FULL_DECK, rng), len(names))
    return State(
        phase=Phase.PLAYING,
        names=names,
        tally=state.tally if names == state.names else (0,) * len(names),
        deck=(),
        hands=hands,
        turn=0,
        battle=None,
        course=(_sample(0, hands),),
        every=1,
        messages=(Message(Said.DEALING, None, (), len(FULL_DECK)),),
        stacked=deck is not None,
    )


def _played(state: State, turns: int, rng: random.Random) -> State:
    """Play as many turns, or to the end where that comes first (S3-5, S3-26)."""
    hands, turn = state.hands, state.turn
    course, every = list(state.course), state.every
    while sum(map(bool, hands)) > 1 and turn < state.turn + turns:
        battle = fight(hands)
        before, hands = hands, taken(hands, battle, rng)
        turn += 1
        if turn % every == 0 and len(course) == SAMPLES:
            del course[1::2]
            every *= 2
        if turn % every == 0:
            course.append(_sample(turn, hands))
    over = sum(map(bool, hands)) == 1
    return replace(
        state,
        phase=Phase.GAME_OVER if over else Phase.PLAYING,
        tally=tuple(won + (over and seat == battle.taker) for seat, won in enumerate(state.tally)),
        hands=hands,
        turn=turn,
        battle=battle,
        course=tuple(course),
        every=every,
        messages=_log(before, battle, hands, turn - state.turn),
        stacked=False,
    )


def _log(before: Hands, battle: Battle, after: Hands, turns: int) -> tuple[Message, ...]:
    """Return the lines of the last turn, and how many were played when there were more.

    The cards of earlier turns are back in hands, face down, and are not named any more.
    """
    several = Message(Said.SKIPPED, None, (), turns)
    return (*((several,) * (turns > 1)), *_told(before, battle, after))


def _told(before: Hands, battle: Battle, after: Hands) -> list[Message]:
    """Return what happened in one turn, line by line."""
    told: list[Message] = []
    pile: Cards = ()
    rows = list(zip(reversed(battle.cards), reversed(battle.seats), strict=True))
    for number, (row, seats) in enumerate(rows, start=1):
        pile = row + pile
        tied = highest(row, seats)
        if len(tied) > 1 and number < len(rows):
            told.append(Message(Said.TIE, None, pile, 0))
        out = [seat for seat in tied if len(before[seat]) == number] if len(tied) > 1 else []
        if len(out) == len(tied):
            told.append(Message(Said.NO_CARDS, None, (), 0))
        else:
            told += [Message(Said.NO_CARD, seat, (), 0) for seat in out]
    told.append(Message(Said.TAKES, battle.taker, pile, 0))
    if sum(map(bool, after)) == 1:
        return [*told, Message(Said.WINS, battle.taker, (), 0)]
    return told + [Message(Said.OUT, seat, (), 0) for seat in battle.seats[-1] if not after[seat]]


def _in_words(message: Message, names: tuple[str, ...]) -> Text:
    return WORDS[message.said].filled(
        name="" if message.seat is None else names[message.seat],
        cards=[FACES[card] for card in message.cards],
        number=message.number,
        players=len(names),
    )
