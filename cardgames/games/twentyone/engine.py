"""The twenty-one tables: one engine for every set of :class:`~.rules.Rules`.

The player draws first. Then the dealer turns the hole card over and draws. The first card of a deck
is its top card.
"""

import random
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

from cardgames.advice import Advisor
from cardgames.cards import FULL_DECK, Card, Cards, MaskedCards, shuffled
from cardgames.game import (
    KNOWN,
    PAGE_ONLY,
    AfterRound,
    Game,
    Info,
    LastMove,
    Result,
    impossible_carry,
)
from cardgames.games.twentyone.figures import rule_figures
from cardgames.games.twentyone.house_rules import house_rules
from cardgames.games.twentyone.rules import (
    TARGET,
    Rules,
    Shoe,
    Winner,
    dealer_draws,
    find_winner,
    total,
)
from cardgames.games.twentyone.words import (
    DEALER_MESSAGES,
    NUMBERED,
    STORY,
    DealerMessage,
    Messages,
)
from cardgames.moves import OWN_DECK, Action, DeckFile, Move
from cardgames.text import Text
from cardgames.ways import Ways, fits_pile, restrict, ways_of_other

_WINS: Final = {
    Winner.PLAYER: DealerMessage.PLAYER_WINS,
    Winner.DEALER: DealerMessage.DEALER_WINS,
    Winner.TIE: DealerMessage.TIE,
}

_MIN_DEALT: Final = 4
"""Number of cards on the table after a complete deal."""

_HIT: Final = Move("hit", Text("Hit"), key=Text("H"))

Seat = Literal["player", "dealer"]
_SEATS: Final[tuple[Seat, ...]] = ("player", "dealer", "player", "dealer")


class Event(NamedTuple):
    """An event at the table: its kind, a card or None, and a hand's total.

    The event is stored instead of its text, so that a saved table does not depend on the language.
    """

    message: DealerMessage
    card: Card | None = None
    total: int = 0


@dataclass(frozen=True, slots=True)
class Piles:
    """The piles that a round passes to the next round with the same deck."""

    deck: Cards
    seen: Cards = field(metadata=KNOWN)
    """Discards that the player has seen."""

    buried: Cards
    """Hole cards that were discarded unseen. The buried cards are shuffled in with the other
    discards.
    """

    ways: Ways = ()
    """The possible identities of the first buried card, weighted by the player's knowledge."""


@dataclass(frozen=True)
class State:
    """A round at a twenty-one table, including the hidden cards."""

    player: Cards
    dealer: Cards
    hole_down: bool
    """Whether the hole card is face down."""

    deck: Cards
    discards: Cards
    """Cards of earlier rounds that the player has seen."""

    unseen_discards: Cards
    """Hole cards of earlier rounds that were discarded unseen."""

    ways: Ways
    """The possible identities of the first unseen discard, weighted by the
    player's knowledge. If no discard is unseen, these are the identities of the hole card.
    """

    winner: Winner | None
    events: tuple[Event, ...]
    """The events of the last move."""


@dataclass(frozen=True, slots=True)
class HandView:
    """A hand on the table. ``None`` is a face-down card, which also hides the total."""

    cards: MaskedCards
    total: int | None


@dataclass(frozen=True, slots=True)
class View:
    """The visible part of a twenty-one table."""

    player: HandView
    dealer: HandView
    deck: int
    """The number of cards left in the deck."""

    discards: int
    upcard: Card | None = field(metadata=PAGE_ONLY)
    """The dealer's card that is face up after the deal."""


_NO_HAND: Final = HandView((), None)


class TwentyOne(Game[State, Piles, View]):
    """A twenty-one table with the given rules."""

    state_type = State
    empty = View(_NO_HAND, _NO_HAND, deck=len(FULL_DECK), discards=0, upcard=None)

    def __init__(  # noqa: PLR0913 - one parameter per difference between the tables
        self,
        slug: str,
        title: str,
        rules: Rules,
        messages: Messages = DEALER_MESSAGES,
        *,
        pitch: str = "",
        short: str = "",
        template: str = "twentyone",
        advisor: Advisor | None = None,
    ) -> None:
        figures = rule_figures(rules)
        self.info = Info(
            slug,
            title,
            pitch,
            house_rules(rules),
            Winner.texts(),
            figures=figures,
            short=short,
            template=template,
        )
        self.rules = rules
        self.texts = messages
        self.advisor = advisor
        self.may_concede = rules.deal_forfeits
        lasts = rules.shoe is not Shoe.FRESH
        self.carry_type = Piles if lasts else None
        own_deck = DeckFile(*OWN_DECK, first_only=lasts)
        self.deals = Move("deal", Text("Deal"), {"deck": own_deck}, key=Text("D"))
        self.round_moves = (_HIT, Move("stay", rules.stop.label, key=Text("S")))

    def deal(self, carry: Piles | None, action: Action, rng: random.Random) -> State:
        """Deal four cards: player, dealer, player, dealer (S0-7, S2-4)."""
        left = carry or Piles(action.deck() or shuffled(FULL_DECK, rng), (), ())
        if carry:
            self._check(carry)
        state = State(
            player=(),
            dealer=(),
            hole_down=True,
            deck=left.deck,
            discards=left.seen,
            unseen_discards=left.buried,
            ways=left.ways,
            winner=None,
            events=(Event(DealerMessage.DEALING),),
        )
        for seat in _SEATS:
            state = self._dealt(state, seat, rng)
        return state

    def apply(self, state: State, action: Action, rng: random.Random) -> State:
        """Return the round after the player hit or stayed."""
        quiet = replace(state, events=())
        return self._hit(quiet, rng) if action.name == "hit" else self._stay(quiet, rng)

    def concede(self, state: State) -> State:
        """Return the round that the player lost by dealing in the middle of it (A1-7)."""
        return self._over(replace(state, events=()), Winner.DEALER, DealerMessage.FORFEIT)

    def result(self, state: State) -> Result | None:
        """Return the result with both totals.

        An empty deck that is not refilled ends the game.
        """
        if state.winner is None:
            return None
        player_total = total(state.player, self.rules)
        dealer_total = total(state.dealer, self.rules)
        match state.events[-1].message:
            case DealerMessage.PLAYER_BUST:
                text, rule = Text("You {yours}: bust, the dealer wins"), "bust"
            case DealerMessage.PLAYER_21:
                text, rule = Text("You 21: you win immediately"), "twenty-one"
            case DealerMessage.FORFEIT:
                text, rule = Text("You gave up this round: the dealer wins"), "forfeit"
            case DealerMessage.RAN_OUT:
                text, rule = Text("The cards ran out: a tie"), "cards"
            case _ if dealer_total > TARGET:
                text = Text("You {yours}, dealer {theirs}: the dealer is bust, you win")
                rule = "dealer"
            case _ if player_total == dealer_total and self.rules.dealer_wins_ties:
                text, rule = Text("You {yours}, dealer {theirs}: the dealer wins ties"), "ties"
            case _ if player_total == dealer_total:
                text, rule = Text("You {yours}, dealer {theirs}: a tie"), "ties"
            case _ if state.winner is Winner.PLAYER:
                text, rule = Text("You {yours}, dealer {theirs}: you win"), "winner"
            case _:
                text, rule = Text("You {yours}, dealer {theirs}: the dealer wins"), "winner"
        last = self.rules.shoe is Shoe.ONCE and not state.deck
        then = AfterRound.END if last else AfterRound.NEXT_ROUND
        return Result(state.winner, text.fill(yours=player_total, theirs=dealer_total), rule, then)

    def view(self, state: State) -> View:
        """Return the table as the player sees it."""
        rules = self.rules
        hole = rules.hole if state.hole_down else None
        dealer = tuple(None if seat == hole else card for seat, card in enumerate(state.dealer))
        up = state.dealer[1 - rules.hole :][:1]
        return View(
            player=HandView(state.player, self._total_shown(state.player)),
            dealer=HandView(dealer, self._total_shown(dealer)),
            deck=len(state.deck),
            discards=len(state.discards) + len(state.unseen_discards),
            upcard=up[0] if up else None,
        )

    def messages(self, state: State, last: LastMove) -> tuple[str, ...]:
        """Return the dealer's messages since the last move."""
        messages = tuple(self._in_words(event, last.round) for event in state.events)
        if not last.conceded:
            return messages
        return (self._in_words(Event(DealerMessage.FORFEIT), last.round - 1), *messages)

    def story(self, state: State, last: LastMove) -> tuple[str, ...]:
        """Return sentences about the events of the last move."""
        sentences = [STORY[DealerMessage.FORFEIT].fill(number=last.round - 1)] * last.conceded
        for event in state.events:
            if event.message is DealerMessage.DEALING:
                sentences += self._dealing(state)
            elif sentence := STORY.get(event.message):
                card = event.card.full_name if event.card else ""
                number = last.round if event.message is DealerMessage.FORFEIT else event.total
                sentences.append(sentence.fill(card=card, number=number))
        return tuple(sentences)

    def cards(self, state: State) -> Cards:
        """Return all 52 cards."""
        return state.player + state.dealer + state.deck + state.discards + state.unseen_discards

    def seen(self, state: State) -> Cards:
        """Return the face-up cards of both hands, and the discards that the player saw."""
        hole = self._hole_down(state)
        hands = tuple(card for card in state.player + state.dealer if card not in hole)
        return hands + state.discards

    def carry(self, state: State) -> Piles | None:
        """Return the deck and the discards if the next round uses the same deck.

        A hole card that was never shown becomes an unseen discard. If only one card is possible,
        the player knows the hole card, so it becomes a seen discard.
        """
        if self.carry_type is None:
            return None
        hole = self._hole_down(state)
        buried = state.unseen_discards + hole
        ways = restrict(state.ways, {*state.deck, *buried}) if buried else ()
        # If there is only one possible card, the player knows that card, so it is among the seen
        # cards.
        known = ways[0][1] if len(ways) == 1 and len(ways[0][1]) == 1 else ()
        swept = tuple(card for card in state.player + state.dealer if card not in hole)
        unknown = tuple(card for card in buried if card not in known)
        return Piles(state.deck, state.discards + swept + known, unknown, () if known else ways)

    def _dealing(self, state: State) -> list[Text]:
        """Return the messages about the deal.

        If the cards ran out during the deal, the list is empty.
        """
        if len(state.player + state.dealer) < _MIN_DEALT:
            return []
        first, second = state.player[:2]
        return [
            STORY[DealerMessage.DEALING].fill(
                first=first.full_name,
                second=second.full_name,
                number=self._total_shown((first, second)),
                card=state.dealer[1 - self.rules.hole].full_name,
            )
        ]

    def _check(self, carry: Piles) -> None:
        """Reject piles that no round can have passed on."""
        swept = len(carry.seen) + len(carry.buried)
        once = self.rules.shoe is Shoe.ONCE
        known = not carry.ways or fits_pile(carry.ways, carry.buried, carry.deck)
        if swept < _MIN_DEALT or not known or (once and (carry.buried or not carry.deck)):
            raise impossible_carry()

    def _hole_down(self, state: State) -> Cards:
        return state.dealer[self.rules.hole :][:1] if state.hole_down else ()

    def _total_shown(self, cards: MaskedCards) -> int | None:
        """Return a hand's total, or None if it is empty or has a face-down card."""
        if not cards or None in cards:
            return None
        return total((card for card in cards if card), self.rules)

    def _dealt(self, state: State, seat: Seat, rng: random.Random) -> State:
        """Deal one card to a hand. If no card is left, the round ends as a tie (S2-14)."""
        if state.winner:
            return state
        if not state.deck and self.rules.shoe is Shoe.REFILLED:
            state = self._refilled(state, rng)
        if not state.deck:
            return self._over(state, Winner.TIE, DealerMessage.RAN_OUT)
        card, deck = state.deck[0], state.deck[1:]
        if seat == "player":
            return replace(state, deck=deck, player=(*state.player, card))
        return replace(state, deck=deck, dealer=(*state.dealer, card))

    def _refilled(self, state: State, rng: random.Random) -> State:
        """Shuffle the discards into the empty deck. The hands stay on the table (A0-20)."""
        hole = self._hole_down(state)
        return replace(
            state,
            deck=shuffled(state.discards + state.unseen_discards, rng),
            discards=(),
            unseen_discards=(),
            ways=ways_of_other(state.ways, hole + state.unseen_discards) if hole else (),
            events=(*state.events, Event(DealerMessage.REFILL)),
        )

    def _hit(self, state: State, rng: random.Random) -> State:
        """Deal a card to the player.

        If the player busts, the dealer wins with any hand (S0-12).
        """
        state = self._dealt(state, "player", rng)
        if state.winner:
            return state
        yours = total(state.player, self.rules)
        state = _announce(state, DealerMessage.PLAYER_TAKES, state.player[-1], yours)
        if yours > TARGET:
            return self._over(state, Winner.DEALER, DealerMessage.PLAYER_BUST)
        return state

    def _stay(self, state: State, rng: random.Random) -> State:
        """Turn the hole card over, draw for the dealer, and compare (S0-13 to S0-15)."""
        if self.rules.stay_on_21_wins and total(state.player, self.rules) == TARGET:
            return self._over(state, Winner.PLAYER, DealerMessage.PLAYER_21)
        state = self._dealer_played(replace(state, hole_down=False), rng)
        if state.winner:
            return state
        winner = find_winner(state.player, state.dealer, self.rules)
        return self._over(state, winner, _WINS[winner])

    def _dealer_played(self, state: State, rng: random.Random) -> State:
        """Turn the hole card over, and draw until the total is at least 17.

        The round ends if the cards run out.
        """
        dealer_total = total(state.dealer, self.rules)
        state = _announce(state, DealerMessage.REVEAL, state.dealer[self.rules.hole], dealer_total)
        while dealer_draws(state.dealer, self.rules):
            state = self._dealt(_announce(state, DealerMessage.MUST_TAKE), "dealer", rng)
            if state.winner:
                return state
            dealer_total = total(state.dealer, self.rules)
            state = _announce(state, DealerMessage.DEALER_TAKES, state.dealer[-1], dealer_total)
        if dealer_total > TARGET:
            return _announce(state, DealerMessage.DEALER_BUST)
        return _announce(
            state,
            DealerMessage.DEALER_21 if dealer_total == TARGET else DealerMessage.STANDS,
            None,
            dealer_total,
        )

    def _over(self, state: State, winner: Winner, message: DealerMessage) -> State:
        hole_down = state.hole_down and self.rules.hide_hole_after_bust
        events = (*state.events, Event(message))
        return replace(state, hole_down=hole_down, winner=winner, events=events)

    def _in_words(self, event: Event, number: int) -> Text:
        """Return the message about an event."""
        card = event.card.full_name if event.card else ""
        number = number if event.message in NUMBERED else event.total
        return self.texts[event.message].fill(card=card, number=number)


def _announce(
    state: State, message: DealerMessage, card: Card | None = None, total: int = 0
) -> State:
    return replace(state, events=(*state.events, Event(message, card, total)))
