"""Exact odds at the twenty-one tables: what staying and hitting are worth, from what is known.

Nothing here is simulated or rounded: every chance is that of a well-shuffled deck, given the cards
that the player has seen, and it is worked out anew after each card. What the dealer may end with is
told by :mod:`cardgames.dealer`; the player's side rests on three ideas.

**Ten values, not 52 cards.** Only what a card counts matters, so a set of cards is ten counts
(:mod:`cardgames.counts`). Questions that differ in suits, in court cards or in an order are one
question, and its answer is remembered.

**Sets, not orders.** What the player has drawn is a set as well, and is looked at once.

**Few decisions are open.** A hit wins at most whenever it does not bust: it is worth 1 - 2 P(bust)
or less. As its cards are looked at one by one, what they are worth takes the place of a win; and as
soon as the hit cannot be worth more than staying any longer, it is not looked at further. Nor is
staying below 17 when no card can bust, for then a card costs nothing: the dealer's cards are as
likely as before, and 16 or less wins only when they are bust.

When the deck runs out at One-deck the round is a tie (S2-14). At Simple 21 the discards and the
buried cards become the deck (S0-54, S0-56), while the hole card stays where it is: it is one of the
cards unseen *before* that. From then on there are *suspects*, any of which may be the hole card,
and *others*, which are in the deck.

    >>> from cardgames.cards import FULL_DECK
    >>> from cardgames.twentyone import BLACKJACK
    >>> player, upcard = (Card("TS"), Card("6D")), Card("QC")
    >>> unseen = set(FULL_DECK) - {*player, upcard}
    >>> answer = odds(BLACKJACK, player, upcard, unseen)
    >>> answer.best, round(answer.stay.ev, 8), round(answer.hit.ev, 8)
    ('stay', -0.58026191, -0.60515194)
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from cardgames import dealer
from cardgames.cards import FULL_DECK, Card
from cardgames.counts import HIGHEST, NO_CARDS, ONE, VALUES, Counts, Hand, Hidden, hand_of, size
from cardgames.game import IllegalMove, Phase
from cardgames.twentyone import DEALER_STANDS, PIPS, TARGET, Rules, State, Supply


@dataclass(frozen=True, slots=True)
class Chances:
    """How a round may end: three probabilities that sum to 1, and ``ev``, which is win - lose."""

    win: float
    tie: float
    lose: float
    ev: float


@dataclass(frozen=True, slots=True)
class Odds:
    """What the two decisions are worth to a player who remembers every card they have seen."""

    stay: Chances
    """Staying now."""

    hit: Chances
    """One hit now, followed by the best play: at each decision the higher ``ev``."""

    bust: float
    """The chance that the next card takes the player over 21."""

    dealer: Mapping[str, float]
    """What the dealer ends with if the player stays now: ``"17"`` to ``"21"``, ``"bust"``, or
    ``"out"`` where the cards run out first. Where staying on 21 wins at once and the dealer does
    not play, this is what they would have ended with."""

    best: Literal["hit", "stay"]
    """The decision with the higher ``ev``; ``"stay"`` where they are equal."""

    after: Mapping[int, float]
    """What the best play is worth once the next card is there, by the card's value (aces 1)."""


def odds(  # noqa: PLR0913 - what a player can know has this many parts
    rules: Rules,
    player: Iterable[Card],
    upcard: Card,
    unseen: Iterable[Card],
    discards: Iterable[Card] = (),
    *,
    buried: int = 0,
    returned: Iterable[Card] = (),
) -> Odds:
    """Work out the odds of a decision, from what the player knows; the order of cards is nothing.

    Args:
        rules: the table's rules.
        player: the player's hand.
        upcard: the dealer's card that lies face up.
        unseen: every card that may be the hole card or come from the deck: the hole card and the
            undealt deck together, and the buried cards where there are any.
        discards: the cards that the player saw go, and that come back when the deck runs out; they
            matter only at a table that shuffles them back in.
        buried: how many of the unseen cards lie among those discards, not in the deck.
        returned: those of the unseen cards that cannot be the hole card, because they came back
            with the discards after it was dealt.

    Returns:
        The odds, a function of these sets alone. Who asks the same again gets the same object.

    Raises:
        IllegalMove: the player is over 21, so that no decision is open.
        ValueError: a card lies in two places, or what is hidden does not add up.

    """
    hand, face_down, gone = (tuple(map(Card, cards)) for cards in (player, unseen, discards))
    upcard = Card(upcard)
    everywhere = (*hand, upcard, *face_down, *gone)
    if len(set(everywhere)) < len(everywhere):
        raise ValueError("A card can lie in one place only.")
    back = set(face_down).intersection(returned)
    if not 0 <= buried < len(face_down) or len(back) == len(face_down):
        raise ValueError("One of the unseen cards is the hole card.")
    if buried and rules.supply is not Supply.REFILLED:
        raise ValueError("Cards are buried only at a table that shuffles its discards back in.")
    if sum(PIPS[card.rank] for card in hand) > TARGET:
        raise IllegalMove("There are no odds to give over 21: no decision is open.")
    hidden = _hidden(rules, face_down, gone, buried, back)
    return _worked_out(rules, hand_of(_counts(hand)), PIPS[upcard.rank], hidden)


def table_odds(rules: Rules, state: State) -> Odds:
    """Work out the odds of the decision that is open at a table, from what its player knows.

    The deck, the hole card and the buried cards enter as one set, so the odds are the same however
    these are dealt among themselves.

    Raises:
        IllegalMove: no decision is open.

    """
    if state.phase is not Phase.PLAYING:
        raise IllegalMove("There are no odds to give now: no decision is open.")
    hole, upcard = state.dealer[rules.hole], state.dealer[1 - rules.hole]
    unseen = (hole, *state.deck, *state.buried)
    back = set(unseen).intersection(state.returned)
    hidden = _hidden(rules, unseen, state.discards, len(state.buried), back)
    return _worked_out(rules, hand_of(_counts(state.player)), PIPS[upcard.rank], hidden)


def _hidden(
    rules: Rules,
    unseen: Iterable[Card],
    discards: Iterable[Card],
    buried: int,
    returned: Iterable[Card],
) -> Hidden:
    """Return what the player knows of cards that add up, the returned ones among the unseen."""
    face_down, others = _counts(unseen), _counts(returned)
    return Hidden(
        suspects=face_down - others,
        others=others,
        deck=size(face_down) - 1 - buried,
        discards=_counts(discards) if rules.supply is Supply.REFILLED else NO_CARDS,
    )


_AS_COUNTS: Final = {card: ONE[PIPS[card.rank]] for card in FULL_DECK}


def _counts(cards: Iterable[Card]) -> Counts:
    return sum(map(_AS_COUNTS.__getitem__, cards))


_EQUAL: Final = 1e-12
"""Values of two decisions that are closer than this differ by rounding alone."""


class _Worth(NamedTuple):
    """What a play is worth."""

    ev: float
    tie: float

    def chances(self) -> Chances:
        """Return the three chances; the sums of many products may be past 0 by a rounding."""
        win = max(0.0, (1.0 - self.tie + self.ev) / 2)
        lose = max(0.0, (1.0 - self.tie - self.ev) / 2)
        return Chances(win, self.tie, lose, win - lose)


_WON: Final = _Worth(1.0, 0.0)
_TIED: Final = _Worth(0.0, 1.0)
_LOST: Final = _Worth(-1.0, 0.0)


@lru_cache(maxsize=1024)
def _worked_out(rules: Rules, hand: Hand, upcard: int, hidden: Hidden) -> Odds:
    """Work out the odds. These arguments are all they depend on, and what they are remembered by.

    All answers that are kept take 2 MB.
    """
    theirs = dealer.Dealer(upcard, ace_may_be_eleven=rules.ace_may_be_eleven)
    now, ready = theirs.outcomes(hidden), hidden.ready()
    solver = _Solver(rules, theirs.longest)
    total = solver.total(hand)
    stay = solver.stay(total, now.against(total))
    hit = solver.hit(hand, ready, theirs.outcomes(ready).next_card())
    return Odds(
        stay=stay.chances(),
        hit=hit.chances(),
        bust=solver.bust(hand, hidden),
        dealer=dict(zip(dealer.ENDS, now.ends(), strict=True)),
        best="hit" if hit.ev > stay.ev + _EQUAL else "stay",
        after=solver.after(ready),
    )


class _Solver:
    """Answers one question: what staying, hitting and the best play are worth from here on."""

    def __init__(self, rules: Rules, longest: int) -> None:
        """Take the rules, and how many cards the dealer may draw."""
        self.rules = rules
        self.longest = longest
        self.solved: dict[Hidden, _Worth] = {}
        """What the best play is worth. In one round, what is hidden tells the player's hand."""

    def total(self, hand: Hand) -> int:
        """Return what the player's hand is worth."""
        return hand.total(ace_may_be_eleven=self.rules.ace_may_be_eleven)

    def bust(self, hand: Hand, hidden: Hidden) -> float:
        """Return the probability that a hit takes the player over 21."""
        if hand.hard + HIGHEST <= TARGET:
            return 0.0
        ready = hidden.ready()
        return ready.chance_above(TARGET - hand.hard) if ready.deck else 0.0

    def stay(self, total: int, against: dealer.Against) -> _Worth:
        """Return what staying is worth."""
        if self.rules.stay_on_21_wins and total == TARGET:
            return _WON
        equal, above, out = against
        if self.rules.dealer_wins_ties:
            return _Worth(1.0 - out - 2.0 * (above + equal), out)
        return _Worth(1.0 - out - 2.0 * above - equal, out + equal)

    def hit(
        self, hand: Hand, hidden: Hidden, next_card: dealer.NextCard, instead: _Worth = _LOST
    ) -> _Worth:
        """Return what a hit is worth, followed by the best play; or what to do instead is worth.

        Args:
            hand: the player's hand.
            hidden: what is known now that a card is to come.
            next_card: how the dealer ends after it.
            instead: returned as soon as it is sure that a hit is not worth more.

        """
        enough = instead.ev + _EQUAL
        if not hidden.deck:
            return _TIED if _TIED.ev > enough else instead
        bust = hidden.chance_above(TARGET - hand.hard)
        ev, tie, at_most = -bust, 0.0, 1.0 - 2.0 * bust
        for chance, less, worth in self._next_cards(hand, hidden, next_card):
            at_most -= chance * less
            if at_most <= enough:
                return instead
            if worth is not None:
                ev += chance * worth.ev
                tie += chance * worth.tie
        return _Worth(ev, tie)

    def _next_cards(
        self, hand: Hand, hidden: Hidden, next_card: dealer.NextCard
    ) -> Iterator[tuple[float, float, _Worth | None]]:
        """Look at each card that may come and does not bust the hand.

        Yields:
            The card's chance; how much less the best play after it can be worth than was known; and
            what it is worth, or nothing while that is not settled. What takes longer comes last.

        """
        open_hits = []
        for chance, value, left in hidden.draws(TARGET - hand.hard):
            worth = self.solved.get(left)
            if worth is None:
                larger = hand.plus(value)
                total = self.total(larger)
                if self._hit_is_free(larger, total, left):
                    open_hits.append((chance, value, left, larger, _LOST, 1.0))
                    continue
                worth = self.stay(total, next_card.against(value, left, total))
                at_most = 1.0 - 2.0 * self.bust(larger, left)
                if worth.ev < at_most:
                    open_hits.append((chance, value, left, larger, worth, at_most))
                    yield chance, 1.0 - at_most, None
                    continue
                self.solved[left] = worth
            yield chance, 1.0 - worth.ev, worth
        for chance, value, left, larger, stay, at_most in open_hits:
            worth = self.hit(larger, left.ready(), next_card.then(value, left), stay)
            self.solved[left] = worth
            yield chance, at_most - worth.ev, worth

    def _hit_is_free(self, hand: Hand, total: int, hidden: Hidden) -> bool:
        """Say whether a hit surely costs nothing.

        It cannot bust; 16 or less wins only if the dealer busts; and enough cards are left for them
        to bust as often as before.
        """
        return (
            hand.hard + HIGHEST <= TARGET and total < DEALER_STANDS and hidden.deck > self.longest
        )

    def after(self, ready: Hidden) -> dict[int, float]:
        """Return what the best play is worth after the next card, by its value.

        A card that was not looked at busts the hand, or a hit loses whatever comes.
        """
        chances, worth = [0.0] * (1 + HIGHEST), [0.0] * (1 + HIGHEST)
        for chance, value, left in ready.draws(HIGHEST) if ready.deck else ():
            chances[value] += chance
            worth[value] += chance * self.solved.get(left, _LOST).ev
        return {value: worth[value] / chances[value] for value in VALUES if chances[value]}
