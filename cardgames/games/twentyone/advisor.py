"""The advisor of a twenty-one table: the exact odds of its decisions."""

from collections.abc import Mapping
from typing import Final

from cardgames.advice import Decision, Odds, Out, Situation
from cardgames.cards import FULL_DECK, Card, Cards, Rank
from cardgames.games.twentyone.engine import State
from cardgames.games.twentyone.rules import POINTS, Rules, Winner, is_soft, total
from cardgames.games.twentyone.words import AGAINST, COST, OTHER_DECISIONS, RANK_COUNTS, WAS_BEST
from cardgames.moves import IllegalMove
from cardgames.odds import odds
from cardgames.text import Text, format_points
from cardgames.ways import restrict

_POINTS: Final[Mapping[str, int]] = {Winner.PLAYER: 1, Winner.TIE: 0, Winner.DEALER: -1}


class TwentyOneAdvisor:
    """The values of hitting and staying under given rules."""

    points: Mapping[str, int] = _POINTS

    def __init__(self, rules: Rules) -> None:
        """Create the advisor of the table that has these rules."""
        self._rules = rules

    def pose(self, hand: Cards, upcard: Card, discards: Cards = ()) -> State:
        """Return a round with the given hand, upcard and discards.

        The unseen cards have an arbitrary order, because the round is not continued.
        """
        hole, *deck = (card for card in FULL_DECK if card not in {*hand, upcard, *discards})
        return State(
            player=hand,
            dealer=(upcard, hole) if self._rules.hole else (hole, upcard),
            hole_down=True,
            deck=tuple(deck),
            discards=discards,
            unseen_discards=(),
            ways=(),
            winner=None,
            events=(),
        )

    def odds(self, state: State) -> Odds:
        """Return the odds of the open decision, given the player's knowledge.

        The deck, the hole card and the unseen discards are treated as one set, so the odds do not
        depend on their order.

        Raises:
            IllegalMove: If no decision is open.
        """
        if state.winner is not None:
            raise IllegalMove("No odds right now: there is no decision to make.")
        unseen = self.unseen(state)
        return odds(
            self._rules,
            state.player,
            self.situation(state).upcard,
            unseen,
            state.discards,
            buried=len(state.unseen_discards),
            ways=restrict(state.ways, unseen) if state.ways else (),
            of_buried=bool(state.unseen_discards),
        )

    def situation(self, state: State) -> Situation:
        """Return the open decision."""
        hand, rules = state.player, self._rules
        upcard = state.dealer[1 - rules.hole]
        return Situation(hand, upcard, total(hand, rules), is_soft(hand, rules))

    def unseen(self, state: State) -> Cards:
        """Return the deck, the unseen discards and, if it is face down, the hole card."""
        hole = state.dealer[self._rules.hole :][:1] if state.hole_down else ()
        return (*hole, *state.deck, *state.unseen_discards)

    def outs(self, state: State, odds: Odds) -> tuple[Out, ...]:
        """Return the ranks that would leave the player better off than stopping now."""
        unseen = [card.rank for card in self.unseen(state)]
        helping = (
            rank
            for rank in Rank
            if rank in unseen and odds.after.get(POINTS[rank], odds.stay.ev) > odds.stay.ev
        )
        return tuple(Out(rank, unseen.count(rank)) for rank in helping)

    def best_text(self, odds: Odds) -> Text:
        """Return the message with the best decision."""
        return Text("The best play is to hit.") if odds.best == "hit" else self._rules.stop.best

    def stop_label(self) -> Text:
        """Return the label of the button for stopping."""
        return self._rules.stop.label

    def stop_text(self) -> Text:
        """Return the verb for stopping inside a sentence."""
        return self._rules.stop.verb

    def decided_text(self, chosen: str) -> Text:
        """Return the message about the player's decision."""
        if chosen == "stay":
            return self._rules.stop.done
        return Text("You hit.") if chosen == "hit" else Text("You gave up the round.")

    def regret_text(self, other: str) -> Text:
        """Return the question about the other decision."""
        return self._rules.stop.regret if other == "stay" else Text("What if I had hit?")

    def situation_text(self, situation: Situation) -> Text:
        """Return the description of the open decision."""
        soft, hard = Text("Soft {total} {against}"), Text("{total} {against}")
        against = AGAINST[situation.upcard.rank]
        return (soft if situation.soft else hard).fill(total=situation.total, against=against)

    def out_text(self, out: Out) -> Text:
        """Return the description of the cards that would help."""
        return RANK_COUNTS[out.rank].fill(number=out.count)

    def assessment(self, decision: Decision) -> Text:
        """Return the message that compares a decision with the best decision."""
        hand, rules = decision.hand, self._rules
        soft = is_soft(hand, rules)
        text = self.decision_text(
            decision.chosen, total(hand, rules), decision.upcard.rank, soft=soft
        )
        if not decision.cost:
            return WAS_BEST.fill(decision=text)
        return COST.fill(decision=text, points=format_points(max(100 * decision.cost, 0.1)))

    def upcard_rank(self, upcard: Card) -> Rank:
        """Return the rank that represents all upcards of equal value."""
        return tuple(Rank)[POINTS[upcard.rank] - 1]

    def decision_text(self, chosen: str, total: int, upcard: Rank, *, soft: bool) -> Text:
        """Return the name of a decision."""
        stop = self._rules.stop.soft if soft else self._rules.stop.hard
        decision = stop if chosen == "stay" else OTHER_DECISIONS[chosen, soft]
        return decision.fill(total=total, against=AGAINST[upcard])
