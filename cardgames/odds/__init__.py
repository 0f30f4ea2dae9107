"""Exact odds at the twenty-one tables: the values of decisions, given the known cards.

No value is simulated or rounded. Every probability assumes a well-shuffled deck and the cards that
the player has seen, and is recomputed after each card. The module :mod:`.dealer` computes the
probabilities of the dealer's final totals. The computation of the player's values (:mod:`.player`)
is based on three ideas.

**Ten values instead of 52 cards.** Only the value of a card matters, so a set of cards is
represented by ten counts (:mod:`.card_sets`). Situations that differ only in suits, court cards or
the order of cards are equal, and share one cached result.

**Sets instead of orders.** The player's drawn cards are also a set, and each set is evaluated once.

**Few decisions are close.** At best, a hit wins whenever it does not bust, so its value is at most
1 - 2 P(bust). The possible next cards are evaluated one by one, and their exact values gradually
replace that upper bound. The evaluation of a hit stops as soon as its value can no longer exceed
that of staying. Staying below 17 is not evaluated if no card can bust, because then a card costs
nothing: the dealer's cards are as likely as before, and a total of 16 or less wins only if the
dealer busts.

At One-deck Blackjack, the round is a tie when the deck runs out (S2-14). At Simple 21, the discards
and the buried cards become the deck (S0-54, S0-56), while the hole card stays on the table. The
hole card is one of the cards that were unseen *before* the refill, so from then on the player knows
more about the hole card than about other cards, even after it is buried. This card is called the
*special* card (:mod:`cardgames.ways`). There is at most one special card, because the next refill
returns all buried cards to the deck.

    >>> from cardgames.cards import FULL_DECK
    >>> from cardgames.games.twentyone import BLACKJACK
    >>> player, upcard = (Card("TS"), Card("6D")), Card("QC")
    >>> unseen = set(FULL_DECK) - {*player, upcard}
    >>> answer = odds(BLACKJACK, player, upcard, unseen)
    >>> answer.best, round(answer.stay.ev, 8), round(answer.hit.ev, 8)
    ('stay', -0.58026191, -0.60515194)
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from cardgames.advice import Odds
from cardgames.cards import FULL_DECK, Card, Cards
from cardgames.games.twentyone.rules import POINTS, TARGET, Rules, Shoe
from cardgames.moves import IllegalMove
from cardgames.odds.card_sets import NO_CARDS, ONE, CardSet, Hand, Hidden, Special, count_hand
from cardgames.odds.dealer import Dealer
from cardgames.odds.player import ROUNDING, Solver
from cardgames.ways import Ways, restrict


def odds(  # noqa: PLR0913 - a player's knowledge has this many parts
    rules: Rules,
    player: Iterable[Card],
    upcard: Card,
    unseen: Iterable[Card],
    discards: Iterable[Card] = (),
    *,
    buried: int = 0,
    ways: Ways = (),
    of_buried: bool = False,
) -> Odds:
    """Compute the odds of a decision from the player's knowledge.

    The order of the cards does not matter.

    Args:
        rules: The table's rules.
        player: The player's hand.
        upcard: The dealer's face-up card.
        unseen: All cards that the player has not seen: the hole card, the deck, and the buried
            cards.
        discards: The discards that the player has seen. If the table shuffles the discards, they
            return to the deck when the deck runs out.
        buried: The number of unseen cards that are among the discards instead of in the deck.
        ways: The possible identities of a card that was face down when other cards were shuffled,
            with the number of ways for each identity.
        of_buried: Whether ``ways`` is about a buried card instead of the hole card.

    Returns:
        The odds, which depend only on these sets. Calls with equal arguments return the same
        object.

    Raises:
        IllegalMove: If the player is over 21, so that no decision is open.
        ValueError: If a card is in two of the given sets, or the numbers of hidden cards do not add
            up.
    """
    hand, face_down, removed = (tuple(map(Card, cards)) for cards in (player, unseen, discards))
    upcard = Card(upcard)
    everywhere = (*hand, upcard, *face_down, *removed)
    if len(set(everywhere)) < len(everywhere):
        raise ValueError("A card can lie in one place only.")
    if not 0 <= buried < len(face_down):
        raise ValueError("One of the unseen cards is the hole card.")
    special = _special(ways, face_down, of_buried=of_buried)
    if special and special.buried and not buried:
        raise ValueError("No card is buried, so nothing is known of one.")
    if buried and rules.shoe is not Shoe.REFILLED:
        raise ValueError("Cards are buried only at a table that shuffles its discards back in.")
    if sum(POINTS[card.rank] for card in hand) > TARGET:
        raise IllegalMove("There are no odds to give over 21: no decision is open.")
    hidden = Hidden(
        unseen=_card_set(face_down),
        deck=len(face_down) - 1 - buried,
        discards=_card_set(removed) if rules.shoe is Shoe.REFILLED else NO_CARDS,
        special=special,
    )
    return _solve(rules, count_hand(_card_set(hand)), POINTS[upcard.rank], hidden)


_AS_SET: Final = {card: ONE[POINTS[card.rank]] for card in FULL_DECK}


def _card_set(cards: Iterable[Card]) -> CardSet:
    return sum(map(_AS_SET.__getitem__, cards))


def _special(ways: Ways, unseen: Cards, *, of_buried: bool) -> Special | None:
    """Return the special card, or None if all unseen cards are equally likely."""
    can_be = [card for _, cards in ways for card in cards]
    if len(set(can_be)) < len(can_be) or not set(can_be) <= set(unseen):
        raise ValueError("A card that was never shown is one of the unseen cards.")
    if any(number < 1 for number, _ in ways):
        raise ValueError("A card is in no way what is said to be possible.")
    groups = tuple((number, _card_set(cards)) for number, cards in restrict(ways, unseen))
    return Special(groups, of_buried) if groups else None


@lru_cache(maxsize=1024)
def _solve(rules: Rules, hand: Hand, upcard: int, hidden: Hidden) -> Odds:
    """Compute the odds from the arguments only, because they are the cache key.

    All cached results together take 2 MB.
    """
    dealer = Dealer(upcard, rules)
    now, ready = dealer.outcomes(hidden), hidden.ready()
    solver = Solver(rules, dealer.longest)
    total = solver.total(hand)
    stay = solver.stay(total, now.against(total))
    hit = solver.hit(hand, ready, dealer.outcomes(ready).next_card())
    return Odds(
        stay=stay.chances(),
        hit=hit.chances(),
        bust=solver.bust(hand, hidden),
        dealer=dict(zip(dealer.end_names, now.ends(), strict=True)),
        best="hit" if hit.ev > stay.ev + ROUNDING else "stay",
        after=solver.after(ready),
    )
