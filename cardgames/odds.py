"""Exact odds at the twenty-one tables: what staying and hitting are worth, from what is known.

Nothing here is simulated or rounded: every chance is that of a well-shuffled deck, given the cards
that the player has seen, and it is worked out anew after each card. Four ideas make it quick.

**Ten values, not 52 cards.** Only what a card counts matters, so a set of cards is ten counts.

**The hole card need not be guessed.** The hole card, the deck, and hole cards that were buried
unseen are one set of cards in an order of which nothing is known. So the dealer may as well draw
his hole card when he turns it over, like any other.

**Hands, not orders.** The dealer's rule is fixed, so the hands that he must draw to are listed once
for each upcard. A hand is a set too, and the orders in which he can have drawn it come together in
one place. With c[v] cards of value v among n unseen ones, and m[v] of them among the k that he has
drawn, the next is one of these with probability (c[v] - m[v]) / (n - k): so his chances go from
each hand to the hands a card later, and end at 17 or more.

**Few decisions are open.** What the player has drawn is a set as well, and is looked at once. A hit
is not looked at when staying is worth 1 - 2 P(bust) or more, for a hit wins at most whenever it
does not bust; nor staying below 17 when no card can bust, for then a card costs nothing: the
dealer's cards are as likely as before, and 16 or less wins only when he is bust.

When the deck runs out at One-deck the round is a tie. At Simple 21 the discards and the buried
cards become the deck, while the hole card stays where it is: it is one of the cards unseen *before*
that. From then on there are *suspects*, any of which may be the hole card, and *others*, which are
in the deck; and the hole card is taken to be each suspect in turn.

    >>> from cardgames.cards import FULL_DECK
    >>> from cardgames.games.twentyone import BLACKJACK
    >>> player, upcard = (Card("TS"), Card("6D")), Card("QC")
    >>> unseen = set(FULL_DECK) - {*player, upcard}
    >>> answer = odds(BLACKJACK, player, upcard, unseen)
    >>> answer.best, round(answer.stay.ev, 8), round(answer.hit.ev, 8)
    ('stay', -0.58026191, -0.60515194)
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from operator import add
from typing import Final, NamedTuple

from cardgames.advice import Chances, Odds
from cardgames.cards import Card
from cardgames.games.twentyone.rules import (
    ACE_BONUS,
    DEALER_STANDS,
    POINTS,
    TARGET,
    Rules,
    Shoe,
)
from cardgames.moves import IllegalMove


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
        The odds, a function of these sets alone.

    Raises:
        IllegalMove: the player is over 21, so that no decision is open.
        ValueError: a card lies in two places, or what is hidden does not add up.

    """
    comes_back = rules.shoe is Shoe.REFILLED
    hand, face_down, gone = (tuple(map(Card, cards)) for cards in (player, unseen, discards))
    upcard = Card(upcard)
    everywhere = (*hand, upcard, *face_down, *gone)
    if len(set(everywhere)) < len(everywhere):
        raise ValueError("A card can lie in one place only.")
    back = set(face_down).intersection(returned)
    if not 0 <= buried < len(face_down) or len(back) == len(face_down):
        raise ValueError("One of the unseen cards is the hole card.")
    if buried and not comes_back:
        raise ValueError("Cards are buried only at a table that shuffles its discards back in.")
    start = _hand(map(_value, hand))
    if start.hard > TARGET:
        raise IllegalMove("There are no odds to give over 21: no decision is open.")
    hidden = _Hidden(
        suspects=_counts(set(face_down) - back),
        others=_counts(back),
        deck=len(face_down) - 1 - buried,
        discards=_counts(gone) if comes_back else _NONE,
    )
    solver = _Solver(rules, _value(upcard))
    stay, hit = solver.stay(start, hidden), solver.hit(start, hidden)
    return Odds(
        stay=stay,
        hit=hit,
        bust=solver.bust(start, hidden),
        dealer=dict(zip(_ENDS, solver.dealer(hidden), strict=True)),
        best="hit" if _is_better(hit, stay) else "stay",
        after=solver.after(start, hidden),
    )


# Cards as counts of values.

_Counts = tuple[int, ...]
"""How many cards there are of each value, aces first, tens last."""

_VALUES: Final = range(1, 11)
_NONE: Final[_Counts] = (0,) * len(_VALUES)
_IN_A_DECK: Final[_Counts] = (*(4,) * 9, 16)
_ACE: Final = 1


def _value(card: Card) -> int:
    return POINTS[card.rank]


def _counts(cards: Iterable[Card]) -> _Counts:
    found = Counter(map(_value, cards))
    return tuple(found[value] for value in _VALUES)


def _more(counts: _Counts, value: int, change: int = 1) -> _Counts:
    """Return the counts with one card more of a value, or one less."""
    return (*counts[: value - 1], counts[value - 1] + change, *counts[value:])


class _Hand(NamedTuple):
    """A hand as far as its total goes."""

    hard: int
    """The total with every ace as 1."""

    ace: bool
    """Whether there is an ace."""

    def plus(self, value: int) -> "_Hand":
        return _Hand(self.hard + value, self.ace or value == _ACE)

    def total(self, *, ace_may_be_eleven: bool) -> int:
        soft = ace_may_be_eleven and self.ace and self.hard + ACE_BONUS <= TARGET
        return self.hard + ACE_BONUS * soft


def _hand(values: Iterable[int]) -> _Hand:
    hand = _Hand(0, ace=False)
    for value in values:
        hand = hand.plus(value)
    return hand


class _Hidden(NamedTuple):
    """What a player knows of the cards that he cannot see.

    Any of the ``suspects`` may be the hole card, each as likely; the rest of them and the
    ``others`` are the deck and the buried cards, in an order of which nothing is known.
    """

    suspects: _Counts
    others: _Counts
    deck: int
    """How many cards are in the deck now."""

    discards: _Counts
    """Cards seen that come back when the deck runs out."""

    def ready(self) -> "_Hidden":
        """Return what is known when a card is about to come.

        Where the deck is empty, the discards and the buried cards are shuffled first. The hole card
        stays on the table: it is one of the suspects still, and none of the discards. Where nothing
        comes back the deck stays empty.
        """
        if self.deck:
            return self
        others = tuple(map(add, self.others, self.discards))
        return _Hidden(self.suspects, others, sum(self.suspects) - 1 + sum(others), _NONE)

    def chance_above(self, room: int) -> float:
        """Return the probability that the card that comes next has a value above this."""
        s = sum(self.suspects)
        n = s - 1 + sum(self.others)
        return sum(self.suspects[room:]) * (s - 1) / (s * n) + sum(self.others[room:]) / n

    def draws(self) -> Iterator[tuple[float, int, "_Hidden"]]:
        """Yield each card that may come from the deck: its chance, its value, and what is left.

        One suspect among s is the hole card and does not come, so with n cards besides the hole
        card a given suspect comes next with probability (s - 1) / s / n, one of the others with
        1 / n. Which of the two a card was, the player can see.
        """
        suspects, others, deck, discards = self
        s = sum(suspects)
        n = s - 1 + sum(others)
        for value, count in enumerate(suspects, start=1):
            if count and s > 1:
                left = _Hidden(_more(suspects, value, -1), others, deck - 1, discards)
                yield count * (s - 1) / (s * n), value, left
        for value, count in enumerate(others, start=1):
            if count:
                left = _Hidden(suspects, _more(others, value, -1), deck - 1, discards)
                yield count / n, value, left


# The dealer.

_TOTALS: Final = range(DEALER_STANDS, TARGET + 1)
_ENDS: Final = (*map(str, _TOTALS), "bust", "out")
"""How the dealer may end. Everywhere below, an end is its place in this tuple."""

_BUST: Final = _ENDS.index("bust")
_OUT: Final = _ENDS.index("out")

_Ends = list[float]
"""The probability of each of the dealer's ends."""


class _Pool(NamedTuple):
    """What the dealer draws from: cards in an order of which nothing is known."""

    counts: _Counts
    first: int
    """How many of them he can draw before the deck runs out."""

    refill: _Counts
    """What then becomes the deck, together with the rest of them."""


class _Step(NamedTuple):
    """A draw: how many cards came before it, its value, and how many of those had this value."""

    before: int
    value: int
    alike: int


class _Plays(NamedTuple):
    """All that the dealer can do with the cards he starts with."""

    steps: tuple[_Step, ...]
    """The draws that do not take him over 21."""

    hands: tuple[tuple[int, tuple[tuple[int, int], ...]], ...]
    """The hands he must draw to, by how many cards he has drawn: this number, and for each card
    that may come and does not bust, the place of its step and where it leads: to an end, or to a
    hand, counted on from the ends."""

    longest: int
    """The most cards that he draws."""


@cache
def _plays(start: tuple[int, ...], *, ace_may_be_eleven: bool) -> _Plays:
    """List what the dealer can do with one deck, starting below 17 with cards of these values."""
    at_start = tuple(map(start.count, _VALUES))
    steps: dict[_Step, int] = {}
    hands = []
    to_draw = [(_NONE, _hand(start))]
    leads_to: dict[_Counts, int] = {}
    for drawn, hand in to_draw:
        draws = []
        for value, had in enumerate(map(add, at_start, drawn), start=1):
            if had == _IN_A_DECK[value - 1]:
                continue
            after = _more(drawn, value)
            if after not in leads_to:
                larger = hand.plus(value)
                end = _end(larger.total(ace_may_be_eleven=ace_may_be_eleven))
                leads_to[after] = len(_ENDS) + len(to_draw) if end is None else end
                if end is None:
                    to_draw.append((after, larger))
            if leads_to[after] != _BUST:
                step = _Step(sum(drawn), value, drawn[value - 1])
                draws.append((steps.setdefault(step, len(steps)), leads_to[after]))
        hands.append((sum(drawn), tuple(draws)))
    return _Plays(tuple(steps), tuple(hands), longest=1 + hands[-1][0])


def _end(total: int) -> int | None:
    """Return how the dealer ends with a total, or nothing while he must draw."""
    if total < DEALER_STANDS:
        return None
    return min(total - DEALER_STANDS, _BUST)


def _dealer(plays: _Plays, pool: _Pool) -> _Ends:
    """Return how the dealer ends: his chances go from each hand to those a card later."""
    chances = _chances(plays, pool)
    in_all = sum(pool.counts) + sum(pool.refill)
    weights = [0.0] * (len(_ENDS) + len(plays.hands))
    weights[len(_ENDS)] = 1.0
    for place, (size, draws) in enumerate(plays.hands, start=len(_ENDS)):
        weight = weights[place]
        if size == in_all:
            weights[_OUT] += weight
        elif weight:
            for step, leads_to in draws:
                weights[leads_to] += weight * chances[step]
    ends = weights[: len(_ENDS)]
    ends[_BUST] = max(0.0, 1.0 - sum(ends))
    return ends


def _chances(plays: _Plays, pool: _Pool) -> list[float]:
    """Return the probability of each of the dealer's steps.

    A refilled deck is what was not drawn of the pool, and the refill; which cards were drawn before
    it, and which after, makes no difference to what is left.
    """
    refilled = tuple(map(add, pool.counts, pool.refill))
    counts = [pool.counts if size < pool.first else refilled for size in range(plays.longest)]
    cards = [max(sum(count) - size, 1) for size, count in enumerate(counts)]
    return [
        (counts[before][value - 1] - alike) / cards[before] for before, value, alike in plays.steps
    ]


# The player.

_EQUAL: Final = 1e-12
"""Values of two decisions that are closer than this differ by rounding alone."""

_HIGHEST_CARD: Final = max(_VALUES)


def _ending(win: float, tie: float, lose: float) -> Chances:
    """Return the chances; sums of many products may be past 1 by a rounding."""
    win, tie, lose = min(win, 1.0), min(tie, 1.0), min(lose, 1.0)
    return Chances(win, tie, lose, win - lose)


class _Solver:
    """Answers questions about one round: what staying, hitting and the best play are worth."""

    def __init__(self, rules: Rules, upcard: int) -> None:
        self.rules = rules
        self.upcard = upcard
        self.longest = self._plays((upcard,)).longest
        self.solved: dict[_Hidden, Chances] = {}
        self.seen_hole: dict[tuple[int, _Pool], _Ends] = {}

    def total(self, hand: _Hand) -> int:
        return hand.total(ace_may_be_eleven=self.rules.ace_may_be_eleven)

    def _plays(self, start: tuple[int, ...]) -> _Plays:
        return _plays(start, ace_may_be_eleven=self.rules.ace_may_be_eleven)

    def dealer(self, hidden: _Hidden) -> _Ends:
        """Return how the dealer ends if the player stays.

        While any unseen card may be the hole card it is one more card of the deck. Otherwise the
        deck is not the same for each hole card, and these are taken one by one.
        """
        if not any(hidden.others):
            pool = _Pool(hidden.suspects, hidden.deck + 1, hidden.discards)
            return _dealer(self._plays((self.upcard,)), pool)
        ends = [0.0] * len(_ENDS)
        for hole, count in enumerate(hidden.suspects, start=1):
            if count:
                rest = tuple(map(add, _more(hidden.suspects, hole, -1), hidden.others))
                known = self._dealer_knowing(hole, _Pool(rest, hidden.deck, hidden.discards))
                share = count / sum(hidden.suspects)
                ends = [so_far + share * chance for so_far, chance in zip(ends, known, strict=True)]
        return ends

    def _dealer_knowing(self, hole: int, pool: _Pool) -> _Ends:
        """Return how the dealer ends with this hole card."""
        ends = self.seen_hole.get((hole, pool))
        if ends is None:
            end = _end(self.total(_hand((self.upcard, hole))))
            if end is None:
                ends = _dealer(self._plays((self.upcard, hole)), pool)
            else:
                ends = [float(place == end) for place in range(len(_ENDS))]
            self.seen_hole[hole, pool] = ends
        return ends

    def bust(self, hand: _Hand, hidden: _Hidden) -> float:
        """Return the probability that a hit takes the player over 21."""
        ready = hidden.ready()
        return ready.chance_above(TARGET - hand.hard) if ready.deck else 0.0

    def stay(self, hand: _Hand, hidden: _Hidden) -> Chances:
        """Return what staying is worth."""
        total = self.total(hand)
        if self.rules.stay_on_21_wins and total == TARGET:
            return _ending(1.0, 0.0, 0.0)
        ends = self.dealer(hidden)
        win, tie, lose = ends[_BUST], ends[_OUT], 0.0
        for theirs, chance in zip(_TOTALS, ends, strict=False):
            if theirs < total:
                win += chance
            elif theirs > total or self.rules.dealer_wins_ties:
                lose += chance
            else:
                tie += chance
        return _ending(win, tie, lose)

    def hit(self, hand: _Hand, hidden: _Hidden) -> Chances:
        """Return what one hit is worth, followed by the best play."""
        ready = hidden.ready()
        if not ready.deck:
            return _ending(0.0, 1.0, 0.0)
        win = tie = lose = 0.0
        for chance, value, left in ready.draws():
            larger = hand.plus(value)
            if larger.hard > TARGET:
                lose += chance
            else:
                then = self.best(larger, left)
                win += chance * then.win
                tie += chance * then.tie
                lose += chance * then.lose
        return _ending(win, tie, lose)

    def after(self, hand: _Hand, hidden: _Hidden) -> dict[int, float]:
        """Return what the best play is worth after the next card, by its value."""
        ready = hidden.ready()
        chances, worth = [0.0] * (_HIGHEST_CARD + 1), [0.0] * (_HIGHEST_CARD + 1)
        for chance, value, left in ready.draws() if ready.deck else ():
            larger = hand.plus(value)
            chances[value] += chance
            worth[value] += chance * (-1.0 if larger.hard > TARGET else self.best(larger, left).ev)
        return {value: worth[value] / chances[value] for value in _VALUES if chances[value]}

    def best(self, hand: _Hand, hidden: _Hidden) -> Chances:
        """Return what the best play is worth. In one round, what is hidden tells the hand."""
        known = self.solved.get(hidden)
        if known is None:
            known = self.solved[hidden] = self._best(hand, hidden)
        return known

    def _best(self, hand: _Hand, hidden: _Hidden) -> Chances:
        if self._hit_is_free(hand, hidden):
            return self.hit(hand, hidden)
        stay = self.stay(hand, hidden)
        if stay.ev >= 1 - 2 * self.bust(hand, hidden):
            return stay
        hit = self.hit(hand, hidden)
        return hit if _is_better(hit, stay) else stay

    def _hit_is_free(self, hand: _Hand, hidden: _Hidden) -> bool:
        """Say whether a hit surely costs nothing.

        It cannot bust; 16 or less wins only if the dealer busts; and enough cards are left for him
        to bust as often as before.
        """
        return (
            hand.hard + _HIGHEST_CARD <= TARGET
            and self.total(hand) < DEALER_STANDS
            and hidden.deck > self.longest
        )


def _is_better(hit: Chances, stay: Chances) -> bool:
    return hit.ev > stay.ev + _EQUAL
