"""The twenty-one tables: one engine, and three :class:`Rules` that say where the tables differ.

A round goes ready, playing, round over. The player draws first and may stop at any time; then the
dealer turns the hole card and draws to 17. A deck is a tuple whose first card is the top.

    >>> import random
    >>> table = TwentyOne("simple-21", "Simple 21", SIMPLE_21)
    >>> state = table.play(table.start(), "deal", {}, random.Random(21))
    >>> [move.name for move in table.moves(state)]
    ['hit', 'stay', 'new']
"""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto
from typing import Final, Literal

from cardgames.cards import FULL_DECK, Card, Cards, Rank, shuffled
from cardgames.game import (
    PILES,
    Before,
    Choices,
    Game,
    HouseRule,
    IllegalMove,
    Move,
    Phase,
    Verdict,
    chosen_deck,
    told,
)
from cardgames.words import Text

TARGET: Final = 21
DEALER_STANDS: Final = 17
"""The dealer draws below this and stands on it or above, soft or hard (S0-13, S1-6, S2-9)."""

ACE_BONUS: Final = 10
"""What an ace counts beyond 1 when it counts 11."""

PIPS: Final = {rank: min(count, 10) for count, rank in enumerate(Rank, start=1)}
"""Points of each rank, the ace as 1 and the court cards as 10 (S0-4 to S0-6)."""


class Supply(Enum):
    """Where the cards of the next round come from."""

    REFILLED = auto()
    """One deck over all rounds; when a card is needed and none is left, the discards come back."""

    FRESH = auto()
    """A whole shuffled deck for every deal."""

    ONCE = auto()
    """One deck, never refilled: when it is empty the game is over."""


@dataclass(frozen=True, slots=True)
class Rules:
    """All that makes one twenty-one table different from another."""

    ace_may_be_eleven: bool
    """An ace counts 11 where that does not bust the hand; otherwise always 1."""

    dealer_wins_ties: bool
    """Equal totals are the dealer's; otherwise they are a tie."""

    supply: Supply
    """Where the cards come from."""

    hole: int
    """Which of the dealer's first two cards lies face down: 0 or 1."""

    hole_stays_hidden: bool
    """The hole card is shown only if the dealer plays: never after a bust."""

    stay_on_21_wins: bool
    """Staying on exactly 21 wins at once and the dealer does not play."""

    deal_forfeits: bool
    """The player may deal in the middle of a round, and loses that round by it."""

    stay: Text
    """What stopping is called: Stay or Stand."""


SIMPLE_21: Final = Rules(
    ace_may_be_eleven=False,
    dealer_wins_ties=False,
    supply=Supply.REFILLED,
    hole=1,
    hole_stays_hidden=True,
    stay_on_21_wins=True,
    deal_forfeits=False,
    stay=Text("Stay"),
)

BLACKJACK: Final = Rules(
    ace_may_be_eleven=True,
    dealer_wins_ties=True,
    supply=Supply.FRESH,
    hole=0,
    hole_stays_hidden=False,
    stay_on_21_wins=False,
    deal_forfeits=True,
    stay=Text("Stand"),
)

ONE_DECK: Final = Rules(
    ace_may_be_eleven=True,
    dealer_wins_ties=False,
    supply=Supply.ONCE,
    hole=1,
    hole_stays_hidden=False,
    stay_on_21_wins=False,
    deal_forfeits=False,
    stay=Text("Stand"),
)


def best_total(hard: int, *, ace: bool, ace_may_be_eleven: bool) -> int:
    """Return what a hand is worth: as close to 21 as it can be without going over (S2-30).

    Args:
        hard: its total with every ace as 1.
        ace: whether there is an ace in it.
        ace_may_be_eleven: the rule of the table (S1-1, S2-1; not at Simple 21, S0-6).

    >>> best_total(7, ace=True, ace_may_be_eleven=True)
    17
    """
    soft = ace_may_be_eleven and ace and hard + ACE_BONUS <= TARGET
    return hard + ACE_BONUS if soft else hard


def total(cards: Iterable[Card], rules: Rules) -> int:
    """Return what a hand is worth.

    >>> total([Card("AS"), Card("AD"), Card("9C")], ONE_DECK)
    21
    >>> total([Card("AS"), Card("AD"), Card("9C")], SIMPLE_21)
    11
    """
    return _totals(cards, rules)[1]


def is_soft(cards: Iterable[Card], rules: Rules) -> bool:
    """Say whether an ace of the hand counts 11.

    >>> is_soft([Card("AS"), Card("6D")], BLACKJACK), is_soft([Card("AS"), Card("6D")], SIMPLE_21)
    (True, False)
    """
    hard, best = _totals(cards, rules)
    return best > hard


def _totals(cards: Iterable[Card], rules: Rules) -> tuple[int, int]:
    """Return a hand's total with every ace as 1, and the best one."""
    ranks = [card.rank for card in cards]
    hard, ace = sum([PIPS[rank] for rank in ranks]), Rank.ACE in ranks
    return hard, best_total(hard, ace=ace, ace_may_be_eleven=rules.ace_may_be_eleven)


class Winner(StrEnum):
    """Who won a round."""

    PLAYER = "player"
    DEALER = "dealer"
    TIE = "tie"


Seat = Literal["player", "dealer"]


class Said(StrEnum):
    """What the dealer can say; the words are in ``WORDS``."""

    FORFEIT = "forfeit"
    DEALING = "dealing"
    REFILL = "refill"
    REVEAL = "reveal"
    PLAYER_TAKES = "player takes"
    MUST_TAKE = "must take"
    DEALER_TAKES = "dealer takes"
    STANDS = "stands"
    DEALER_BUST = "dealer bust"
    DEALER_21 = "dealer 21"
    PLAYER_BUST = "player bust"
    RAN_OUT = "ran out"
    PLAYER_21 = "player 21"
    PLAYER_WINS = "player wins"
    DEALER_WINS = "dealer wins"
    TIE = "tie"


def dealer_draws(cards: Iterable[Card], rules: Rules) -> bool:
    """Say whether the dealer must take another card: below 17, and never on 17 or more.

    >>> dealer_draws([Card("AS"), Card("6D")], ONE_DECK)
    False
    >>> dealer_draws([Card("AS"), Card("6D")], SIMPLE_21)
    True
    """
    return total(cards, rules) < DEALER_STANDS


def compared(player: Iterable[Card], dealer: Iterable[Card], rules: Rules) -> Winner:
    """Say who wins with two finished hands (S0-12 to S0-15, S1-5 to S1-9, S2-11 to S2-13).

    A bust player has lost whatever the dealer holds.

    >>> compared([Card("TS"), Card("8D")], [Card("9S"), Card("9D")], BLACKJACK)
    <Winner.DEALER: 'dealer'>
    """
    yours, theirs = total(player, rules), total(dealer, rules)
    if yours > TARGET:
        return Winner.DEALER
    if theirs > TARGET or yours > theirs:
        return Winner.PLAYER
    if theirs > yours or rules.dealer_wins_ties:
        return Winner.DEALER
    return Winner.TIE


@dataclass(frozen=True, slots=True)
class Message:
    """One thing the dealer said: what, the card it is about if any, and a number.

    Kept instead of its words, so that a saved table does not depend on a language. The number is
    the dealer's total after the card, or the number of the round.
    """

    said: Said
    card: Card | None
    number: int


@dataclass(frozen=True, slots=True)
class Tally:
    """How many rounds each side has won."""

    player: int
    dealer: int
    tie: int

    def counting(self, winner: Winner) -> "Tally":
        """Return the tally with one more round."""
        return replace(self, **{winner.value: getattr(self, winner.value) + 1})


@dataclass(frozen=True, slots=True)
class State:
    """A twenty-one table, the hidden cards included. Nothing outside the rules may show it."""

    phase: Phase
    round: int
    player: Cards
    dealer: Cards
    hole_down: bool
    """Whether the hole card lies face down."""

    deck: Cards
    discards: Cards
    """Cards of earlier rounds that the player has seen."""

    buried: Cards
    """Hole cards of earlier rounds that were discarded unseen; they come back with the discards."""

    returned: Cards
    """Discards that came back after the hole card was dealt: the hole card is none of them."""

    winner: Winner | None
    tally: Tally
    messages: tuple[Message, ...]
    stacked: bool


@dataclass(frozen=True, slots=True)
class HandView:
    """A hand as it lies on the table; ``None`` is a card face down, and hides the total too."""

    cards: tuple[Card | None, ...]
    total: int | None


@dataclass(frozen=True, slots=True)
class View:
    """What the player may see of a twenty-one table. It has no place for a deck."""

    phase: Phase
    round: int
    player: HandView
    dealer: HandView
    deck: int
    discards: int
    winner: Winner | None
    tally: Tally
    messages: tuple[str, ...]
    stacked: bool


_RESULTS: Final = {
    Winner.PLAYER: Said.PLAYER_WINS,
    Winner.DEALER: Said.DEALER_WINS,
    Winner.TIE: Said.TIE,
}

WORDS: Final = {
    Said.FORFEIT: Text("You dealt in the middle of round {number}: you lose it."),
    Said.DEALING: Text("Dealing cards to player and dealer..."),
    Said.REFILL: Text("Repopulating deck with cards..."),
    Said.REVEAL: Text("Dealer turns over the {card}, value = {number}."),
    Said.PLAYER_TAKES: Text("You take the {card}, value = {number}."),
    Said.MUST_TAKE: Text("Dealer must take a card..."),
    Said.DEALER_TAKES: Text("Dealer takes the {card}, value = {number}."),
    Said.STANDS: Text("Dealer stays with {number}."),
    Said.DEALER_BUST: Text("Dealer went bust."),
    Said.DEALER_21: Text("Dealer has a natural 21!"),
    Said.PLAYER_BUST: Text("Player went bust. Dealer wins round {number}!"),
    Said.RAN_OUT: Text("There are not enough cards to finish round {number}: it is a draw."),
    Said.PLAYER_21: Text("Player wins round {number} with a NATURAL 21!"),
    Said.PLAYER_WINS: Text("Player wins round {number}!"),
    Said.DEALER_WINS: Text("Dealer wins round {number}!"),
    Said.TIE: Text("Tie! No one wins round {number}!"),
}
"""What the dealer says, in the words of the Simple 21 sheet where it has any."""

BLACKJACK_WORDS: Final = WORDS | {
    Said.MUST_TAKE: Text("Dealer hits."),
    Said.STANDS: Text("Dealer stands on {number}."),
    Said.DEALER_BUST: Text("Dealer has busted."),
    Said.DEALER_21: Text("Dealer stands on 21."),
    Said.PLAYER_BUST: Text("You have busted. Dealer wins round {number}!"),
    Said.PLAYER_WINS: Text("You win round {number}!"),
    Said.TIE: Text("Round {number} is a draw."),
}
"""The same at the two Blackjack tables, in the words of their sheets."""

_EMPTY: Final = State(
    phase=Phase.READY,
    round=0,
    player=(),
    dealer=(),
    hole_down=False,
    deck=FULL_DECK,
    discards=(),
    buried=(),
    returned=(),
    winner=None,
    tally=Tally(0, 0, 0),
    messages=(),
    stacked=False,
)

_FEWEST: Final = 4
"""Of so many cards a round is made at least."""

_NEW: Final = Move("new", Text("Start over"))
_DEAL: Final = Move("deal", Text("Deal"))
_DEAL_FROM: Final = Move("deal", Text("Deal"), {"deck": None})
_HIT: Final = Move("hit", Text("Hit"))


class TwentyOne(Game[State, View]):
    """A twenty-one table under given rules."""

    state_type = State
    sides = tuple(Winner)

    def __init__(
        self,
        slug: str,
        title: str,
        rules: Rules,
        words: Mapping[Said, Text] = WORDS,
        pitch: str = "",
    ) -> None:
        """Make the table: its name in addresses, its title, its rules, and what it says."""
        self.slug = slug
        self.title = title
        self.rules = rules
        self.words = words
        self.pitch = pitch
        self.house_rules = house_rules(rules)

    def start(self) -> State:
        """Return an empty table with an unshuffled deck."""
        return _EMPTY

    def moves(self, state: State) -> tuple[Move, ...]:
        """Return what the player may do now."""
        fresh = self.rules.supply is Supply.FRESH
        match state.phase:
            case Phase.READY:
                return (_DEAL_FROM, _NEW)
            case Phase.PLAYING:
                draw_or_stop = (_HIT, Move("stay", self.rules.stay))
                return (*draw_or_stop, *((_DEAL_FROM,) * self.rules.deal_forfeits), _NEW)
            case Phase.ROUND_OVER:
                return (_DEAL_FROM if fresh else _DEAL, _NEW)
            case Phase.GAME_OVER:
                return (_NEW,)

    def apply(self, state: State, move: str, choices: Choices, rng: random.Random) -> State:
        """Return the table after a legal move."""
        quiet = replace(state, messages=())
        match move:
            case "deal":
                return self._deal(quiet, chosen_deck(choices), rng)
            case "hit":
                return self._hit(quiet, rng)
            case "stay":
                return self._stay(quiet, rng)
            case _:
                return self.start()

    def view(self, state: State) -> View:
        """Return the table as the player sees it."""
        hole = self.rules.hole if state.hole_down else None
        dealer = tuple(None if seat == hole else card for seat, card in enumerate(state.dealer))
        return View(
            phase=state.phase,
            round=state.round,
            player=HandView(state.player, self._shown_total(state.player)),
            dealer=HandView(dealer, self._shown_total(dealer)),
            deck=len(state.deck),
            discards=len(state.discards) + len(state.buried),
            winner=state.winner,
            tally=state.tally,
            messages=tuple(map(self._in_words, state.messages)),
            stacked=state.stacked,
        )

    def phase(self, state: State) -> Phase:
        """Return where the table stands."""
        return state.phase

    def cards(self, state: State) -> Cards:
        """Return all 52 cards."""
        return state.player + state.dealer + state.deck + state.discards + state.buried

    def hidden(self, state: State) -> Cards:
        """Return the hole card while it lies face down, the deck, and the holes never shown."""
        hole = (state.dealer[self.rules.hole],) if state.hole_down else ()
        return hole + state.deck + state.buried

    def shown(self, state: State) -> Cards:
        """Return both hands, but for the hole card while it lies face down."""
        hole = state.dealer[self.rules.hole] if state.hole_down else None
        return tuple(card for card in state.player + state.dealer if card is not hole)

    def spent(self, state: State) -> bool:
        """Say whether no card on the table is played again."""
        match self.rules.supply:
            case Supply.REFILLED:
                return False
            case Supply.FRESH:
                return state.phase is Phase.ROUND_OVER
            case Supply.ONCE:
                return state.phase is Phase.GAME_OVER

    def before(self, state: State) -> Before:
        """Return the round's number, and where the deck goes on the cards as they lie."""
        if state.phase is Phase.READY:
            return Before()
        if self.rules.supply is Supply.FRESH:
            return Before(round=state.round)
        cleared = self._cleared(state)
        piles = {"deck": cleared.deck, "seen": cleared.discards, "buried": cleared.buried}
        lying = {name: pile for name, pile in piles.items() if pile}
        return Before(state.round, state.stacked, lying)

    def resumed(self, before: Before) -> State:
        """Return the table before a round; what lay on it in the last one lies on the piles."""
        if not before.round:
            return self.start()
        deck, seen, buried = (told(before.piles.get(name, ())) for name in PILES)
        once, fresh = (self.rules.supply is supply for supply in (Supply.ONCE, Supply.FRESH))
        too_few = not fresh and len(seen + buried) < _FEWEST
        if too_few or (once and (buried or not deck)):
            raise IllegalMove(Text("No table can look like this after a round."))
        return replace(
            _EMPTY,
            phase=Phase.ROUND_OVER,
            round=before.round,
            stacked=before.stacked,
            deck=FULL_DECK if fresh else deck,
            discards=seen,
            buried=buried,
        )

    def given_up(self, state: State) -> State:
        """Return the table when the player has dealt anew instead of finishing the round."""
        if not self.rules.deal_forfeits or state.phase is not Phase.PLAYING:
            return super().given_up(state)
        return self._over(replace(state, messages=()), Winner.DEALER, Said.FORFEIT)

    def won(self, state: State) -> str | None:
        """Return who won the round on the table: ``player``, ``dealer`` or ``tie``."""
        return state.winner

    def verdict(self, state: State) -> Verdict | None:
        """Say how the round that lies on the table ended, with its arithmetic."""
        if state.winner is None:
            return None
        yours = total(state.player, self.rules)
        theirs = total(state.dealer, self.rules)
        match state.messages[-1].said:
            case Said.PLAYER_BUST:
                text, rule = Text("You {yours}: bust, the dealer wins"), "bust"
            case Said.PLAYER_21:
                text, rule = Text("You 21: you win at once"), "twenty-one"
            case Said.FORFEIT:
                text, rule = Text("You gave this round up: the dealer wins"), "forfeit"
            case Said.RAN_OUT:
                text, rule = Text("The cards ran out: a draw"), "cards"
            case _ if theirs > TARGET:
                text = Text("You {yours}, dealer {theirs}: the dealer is bust, you win")
                rule = "dealer"
            case _ if yours == theirs and self.rules.dealer_wins_ties:
                text, rule = Text("You {yours}, dealer {theirs}: the dealer wins ties"), "ties"
            case _ if yours == theirs:
                text, rule = Text("You {yours}, dealer {theirs}: a tie"), "ties"
            case _ if state.winner is Winner.PLAYER:
                text, rule = Text("You {yours}, dealer {theirs}: you win"), "winner"
            case _:
                text, rule = Text("You {yours}, dealer {theirs}: the dealer wins"), "winner"
        return Verdict(text.filled(yours=yours, theirs=theirs), rule)

    def _shown_total(self, cards: Iterable[Card | None]) -> int | None:
        """Return a hand's total where every card is up and there is one."""
        shown = tuple(cards)
        faces = [card for card in shown if card is not None]
        return total(faces, self.rules) if faces and len(faces) == len(shown) else None

    def _deal(self, state: State, deck: Cards | None, rng: random.Random) -> State:
        """Clear the table, and deal four cards: player, dealer, player, dealer (S0-7, S2-4)."""
        forfeited = state.phase is Phase.PLAYING
        if forfeited:
            state = replace(state, tally=state.tally.counting(Winner.DEALER))
            state = _say(state, Said.FORFEIT, number=state.round)
        state = self._cleared(state)
        if state.phase is Phase.READY or self.rules.supply is Supply.FRESH:
            state = replace(
                state,
                deck=deck or shuffled(FULL_DECK, rng),
                discards=(),
                buried=(),
                stacked=deck is not None,
            )
        state = replace(
            state,
            phase=Phase.PLAYING,
            round=state.round + 1,
            hole_down=True,
            returned=(),
            winner=None,
        )
        state = _say(state, Said.DEALING)
        seats: tuple[Seat, ...] = ("player", "dealer", "player", "dealer")
        for seat in seats:
            state = self._dealt(state, seat, rng)
        return state

    def _cleared(self, state: State) -> State:
        """Put the cards on the table onto the discards, a hole card unseen if it lies face down."""
        hole = (state.dealer[self.rules.hole],) if state.hole_down else ()
        if state.returned and set(state.deck) <= set(state.returned):
            hole = ()  # every other unseen card came back with the discards: the player knows it
        seen = tuple(card for card in state.player + state.dealer if card not in hole)
        return replace(
            state,
            player=(),
            dealer=(),
            hole_down=False,
            discards=state.discards + seen,
            buried=state.buried + hole,
        )

    def _dealt(self, state: State, seat: Seat, rng: random.Random) -> State:
        """Deal one card to a hand; where none is left the round is over, and a tie (S2-14)."""
        if state.phase is not Phase.PLAYING:
            return state
        if not state.deck and self.rules.supply is Supply.REFILLED:
            state = self._refilled(state, rng)
        if not state.deck:
            return self._over(state, Winner.TIE, Said.RAN_OUT)
        card, deck = state.deck[0], state.deck[1:]
        if seat == "player":
            return replace(state, deck=deck, player=(*state.player, card))
        return replace(state, deck=deck, dealer=(*state.dealer, card))

    def _refilled(self, state: State, rng: random.Random) -> State:
        """Shuffle the discards into the empty deck; the hands stay on the table (A0-20)."""
        deck = shuffled(state.discards + state.buried, rng)
        hole_is_dealt = len(state.dealer) > self.rules.hole
        state = replace(
            state,
            deck=deck,
            discards=(),
            buried=(),
            returned=state.discards if hole_is_dealt else (),
            stacked=False,
        )
        return _say(state, Said.REFILL)

    def _hit(self, state: State, rng: random.Random) -> State:
        """Give the player a card; over 21 the dealer wins whatever he holds (S0-12)."""
        state = self._dealt(state, "player", rng)
        if state.phase is not Phase.PLAYING:
            return state
        yours = total(state.player, self.rules)
        state = _say(state, Said.PLAYER_TAKES, state.player[-1], yours)
        if yours > TARGET:
            return self._over(state, Winner.DEALER, Said.PLAYER_BUST)
        return state

    def _stay(self, state: State, rng: random.Random) -> State:
        """Turn the hole card, let the dealer draw to 17, and compare (S0-13 to S0-15)."""
        if self.rules.stay_on_21_wins and total(state.player, self.rules) == TARGET:
            return self._over(state, Winner.PLAYER, Said.PLAYER_21)
        state = self._dealer_played(replace(state, hole_down=False), rng)
        if state.phase is not Phase.PLAYING:
            return state
        winner = compared(state.player, state.dealer, self.rules)
        return self._over(state, winner, _RESULTS[winner])

    def _dealer_played(self, state: State, rng: random.Random) -> State:
        """Turn the hole card and draw until 17 or more; the round may end for lack of cards."""
        hole = state.dealer[self.rules.hole]
        state = _say(state, Said.REVEAL, hole, total(state.dealer, self.rules))
        while dealer_draws(state.dealer, self.rules):
            state = self._dealt(_say(state, Said.MUST_TAKE), "dealer", rng)
            if state.phase is not Phase.PLAYING:
                return state
            card, theirs = state.dealer[-1], total(state.dealer, self.rules)
            state = _say(state, Said.DEALER_TAKES, card, theirs)
        theirs = total(state.dealer, self.rules)
        if theirs > TARGET:
            return _say(state, Said.DEALER_BUST)
        return _say(state, Said.DEALER_21 if theirs == TARGET else Said.STANDS, number=theirs)

    def _over(self, state: State, winner: Winner, said: Said) -> State:
        """End the round; with one deck that is never refilled, an empty one ends the game too."""
        last = self.rules.supply is Supply.ONCE and not state.deck
        state = _say(state, said, number=state.round)
        return replace(
            state,
            phase=Phase.GAME_OVER if last else Phase.ROUND_OVER,
            hole_down=state.hole_down and self.rules.hole_stays_hidden,
            winner=winner,
            tally=state.tally.counting(winner),
        )

    def _in_words(self, message: Message) -> Text:
        card = message.card.name_in_words if message.card else ""
        return self.words[message.said].filled(card=card, number=message.number)


def _say(state: State, said: Said, card: Card | None = None, number: int = 0) -> State:
    return replace(state, messages=(*state.messages, Message(said, card, number)))


_STAY_IN_SENTENCES: Final = {
    "Stay": {"stay": Text("stay"), "stays": Text("stays")},
    "Stand": {"stay": Text("stand"), "stays": Text("stands")},
}
"""What stopping is called inside a sentence, by what it is called on the button."""


def house_rules(rules: Rules) -> tuple[HouseRule, ...]:
    """Return the rules of a table in plain words, put together from the same data it plays by."""
    words = _STAY_IN_SENTENCES[rules.stay]
    values = (
        Text(
            "Number cards count their number; jack, queen and king count 10. An ace counts 11 "
            "where that does not take the hand over 21, and 1 where it would."
        )
        if rules.ace_may_be_eleven
        else Text(
            "Number cards count their number; jack, queen and king count 10. An ace always "
            "counts 1."
        )
    )
    deal = (
        Text(
            "One card to you, one to the dealer, a second to you, a second to the dealer. The "
            "dealer's first card lies face down."
        ),
        Text(
            "One card to you, one to the dealer, a second to you, a second to the dealer. The "
            "dealer's second card lies face down."
        ),
    )[rules.hole]
    twenty_one = (
        Text(
            "On exactly 21 you may still hit or {stay}. If you {stay} on 21 you win at once: the "
            "dealer does not play and the hidden card stays hidden."
        )
        if rules.stay_on_21_wins
        else Text("On exactly 21 you may still hit or {stay}; there is no bonus for it.")
    )
    bust = (
        Text(
            "Over 21 you are bust: the round ends, the dealer wins whatever he holds, and the "
            "dealer's hidden card stays hidden."
        )
        if rules.hole_stays_hidden
        else Text(
            "Over 21 you are bust: the round ends, the dealer wins whatever he holds, and the "
            "dealer's hidden card is shown."
        )
    )
    dealer = Text(
        "The dealer turns over the hidden card, takes cards up to 16 and {stays} on every 17 or "
        "more. If the dealer goes bust, you win."
    )
    ties = (
        Text("Equal totals go to the dealer. This is the rule of the sheet, not a mistake.")
        if rules.dealer_wins_ties
        else Text("Equal totals are a tie: nobody wins the round.")
    )
    return (
        HouseRule(
            "aim", Text("The aim"), Text("Come closer to 21 than the dealer without going over.")
        ),
        HouseRule("values", Text("What cards are worth"), values),
        HouseRule("deal", Text("The deal"), deal),
        HouseRule(
            "turn",
            Text("Your turn"),
            Text(
                "Hit takes one more card, as often as you like. {stay} ends your turn.",
                stay=rules.stay,
            ),
        ),
        HouseRule("twenty-one", Text("Exactly 21"), twenty_one.filled(**words)),
        HouseRule("bust", Text("Going bust"), bust),
        HouseRule("dealer", Text("The dealer's turn"), dealer.filled(**words)),
        HouseRule(
            "winner",
            Text("Who wins"),
            Text("If nobody is bust, the total closer to 21 wins."),
        ),
        HouseRule("ties", Text("Ties"), ties),
        HouseRule("cards", Text("The deck"), _SUPPLY[rules.supply]),
        *((_FORFEIT,) * rules.deal_forfeits),
    )


_SUPPLY: Final = {
    Supply.REFILLED: Text(
        "One deck lasts over the rounds. When a card is needed and the deck is empty, the discards "
        "are shuffled and become the deck; the hands on the table stay."
    ),
    Supply.FRESH: Text("Every deal starts with a whole deck of 52 cards, freshly shuffled."),
    Supply.ONCE: Text(
        "One deck is shuffled once and never refilled. A round that cannot be finished for lack of "
        "cards is a draw and counts as one; a bust with the last card is still a loss. When the "
        "deck is empty the game is over."
    ),
}

_FORFEIT: Final = HouseRule(
    "forfeit",
    Text("Dealing in the middle of a round"),
    Text("You may deal again before the round is over. You lose that round: one point, once."),
)
