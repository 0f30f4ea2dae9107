"""Games as a student may write them in a hurry: each is refused, or found, or does no harm.

Every one is High Card or Lasting High Card with a single slip. What cannot be seen in the class is
found by the examination that registering a game brings with it.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass, replace
from typing import Any

import pytest

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Cards, shuffled
from cardgames.game import KNOWN, AnyGame, LastMove, Result
from cardgames.moves import Action, FreeText, Move
from cardgames.registry import BadGame, registered
from tests.support.examination import CHECKS
from tests.support.games import (
    Held,
    HeldView,
    HighCard,
    LastingHighCard,
    Piles,
    Shown,
    ShownView,
)


def found_wrong(game: AnyGame, monkeypatch: pytest.MonkeyPatch) -> str:
    """Register a game and examine it; return the first sentence that says what to do."""
    try:
        registered(game)
    except BadGame as error:
        return str(error)
    monkeypatch.setitem(GAMES, game.info.slug, game)
    for check in CHECKS:
        try:
            check(game)
        except AssertionError as error:
            return str(error)
    return ""


# ---- What the registry finds ---------------------------------------------------------------


class TakesLab(HighCard):
    info = replace(HighCard.info, slug="lab")


class NoPitch(HighCard):
    info = replace(HighCard.info, pitch=" ")


class BeginsWithDraw(HighCard):
    deals = Move("draw", "Draw")


class SaysNoCarryType(LastingHighCard):
    carry_type = None


class ForgetsCarry(HighCard):
    carry_type = Piles


ForgetfulState = make_dataclass(
    "ForgetfulState", [("deck", Cards), ("shown", Cards, ())], frozen=True, slots=True
)


class HasDefault(HighCard):
    state_type = ForgetfulState


# ---- What only shows in play ---------------------------------------------------------------


class KeepsTheDeck(HighCard):
    """The way to a deck that lasts over rounds, for who has not read about carry()."""

    deck: Cards = ()

    def deal(self, carry: None, action: Action, rng: random.Random) -> Shown:
        if len(self.deck) < 2:
            self.deck = shuffled(FULL_DECK, rng)
        shown, self.deck = self.deck[:2], self.deck[2:]
        return Shown(tuple(card for card in FULL_DECK if card not in shown), shown)


class CountsItsRounds(HighCard):
    rounds = 0

    def messages(self, state: Shown, last: LastMove) -> tuple[str, ...]:
        self.rounds += 1
        return (f"Round {self.rounds}",)


class NamesAnother(HighCard):
    def result(self, state: Shown) -> Result:
        return replace(super().result(state), winner="nobody")


class NamesNoRule(HighCard):
    def result(self, state: Shown) -> Result:
        return replace(super().result(state), rule="why")


class LosesACard(LastingHighCard):
    def apply(self, state: Held, action: Action, rng: random.Random) -> Held:
        after = super().apply(state, action, rng)
        return replace(after, discards=state.discards)


class ShowsTheDeck(HighCard):
    def view(self, state: Shown) -> ShownView:
        return ShownView((*state.shown, state.deck[0]), len(state.deck))


class SeesTheDeck(HighCard):
    """Declares the whole deck as seen, so that the view may show it one day."""

    def seen(self, state: Shown) -> Cards:
        return self.cards(state)


class SeesTheirsAtOnce(LastingHighCard):
    def seen(self, state: Held) -> Cards:
        return (*state.discards, state.yours, state.theirs)


class HintsInANumber(LastingHighCard):
    def view(self, state: Held) -> HeldView:
        return replace(super().view(state), left=100 * (state.theirs.rank == "A"))


class HintsInAMessage(LastingHighCard):
    def messages(self, state: Held, last: LastMove) -> tuple[str, ...]:
        return (f"The house looks at the {state.theirs.full_name}.",)


class HintsInTheMoves(LastingHighCard):
    def moves(self, state: Held) -> tuple[Move, ...]:
        return self.round_moves[: 1 + (state.deck[0].rank > state.yours.rank)]


@dataclass(frozen=True, slots=True)
class KnownPiles:
    deck: Cards = field(metadata=KNOWN)
    discards: Cards = field(metadata=KNOWN)


class KnowsTheDeck(LastingHighCard):
    carry_type = KnownPiles

    def carry(self, state: Held) -> KnownPiles:
        left = super().carry(state)
        return KnownPiles(left.deck, left.discards)


Listed = make_dataclass("Listed", [("deck", list[Any]), ("shown", Cards)], frozen=True, slots=True)


class KeepsAList(HighCard):
    state_type = Listed

    def deal(self, carry: None, action: Action, rng: random.Random) -> Any:
        dealt = super().deal(carry, action, rng)
        return Listed(list(dealt.deck), dealt.shown)

    def cards(self, state: Any) -> Cards:
        return (*state.deck, *state.shown)


class ShufflesEveryMove(LastingHighCard):
    """Mixes the deck before each card, and a round has many."""

    info = replace(LastingHighCard.info, slug="mixed")

    def apply(self, state: Held, action: Action, rng: random.Random) -> Held:
        cards = shuffled((*state.deck, state.yours), rng)
        over = action.name == "keep" and cards[0].rank == "A"
        return Held(cards[1:], state.discards, cards[0], state.theirs, over=over)

    def seen(self, state: Held) -> Cards:
        return (*state.discards, state.yours, *((state.theirs,) * state.over))


class TossesACoin(HighCard):
    def deal(self, carry: None, action: Action, rng: random.Random) -> Shown:
        dealt = super().deal(carry, action, rng)
        return dealt if rng.random() < 0.5 else replace(dealt, shown=dealt.shown[::-1])


class ShufflesOnceMore(LastingHighCard):
    def apply(self, state: Held, action: Action, rng: random.Random) -> Held:
        return super().apply(replace(state, deck=shuffled(state.deck, rng)), action, rng)


class RaisesLate(LastingHighCard):
    def apply(self, state: Held, action: Action, rng: random.Random) -> Held:
        return super().apply(state, action, rng) if state.yours.rank != "2" else state.deck[99]


class TakesAnyName(HighCard):
    deals = Move("deal", "Deal", {"name": FreeText("Name")})


class CountsALetter(TakesAnyName):
    def deal(self, carry: None, action: Action, rng: random.Random) -> Shown:
        int(action["name"] or "0")
        return super().deal(carry, action, rng)


class TrustsItsCarry(LastingHighCard):
    def deal(self, carry: Piles | None, action: Action, rng: random.Random) -> Held:
        if carry and len(carry.deck) < 2 and not carry.discards:
            return self.deal(Piles(carry.deck[1:] + carry.deck[:-1], ()), action, rng)
        return super().deal(carry, action, rng)


class CannotBeGivenUp(LastingHighCard):
    may_concede = True

    def concede(self, state: Held) -> Held:
        return state


SLIPS: list[tuple[Callable[[], AnyGame], str]] = [
    (TakesLab, r"TakesLab: the site itself serves /lab: choose another slug\."),
    (NoPitch, r"NoPitch: info\.pitch is empty, and the lobby shows it: write one\."),
    (BeginsWithDraw, r"BeginsWithDraw: the move that deals is called deal, and is not repeated\."),
    (SaysNoCarryType, r"it has carry\(\), so say in carry_type what that returns\."),
    (ForgetsCarry, r"it has a carry_type, so write carry\(\), which says what a round leaves"),
    (HasDefault, r"state_type is a frozen dataclass without defaults"),
    (KeepsTheDeck, r"a game keeps nothing in itself, so a deck that lasts is left by carry\(\)"),
    (CountsItsRounds, r"shown in another way: a game keeps nothing in itself\."),
    (NamesAnother, r"result\(\) says that 'nobody' has won: name one of info\.winners or players"),
    (NamesNoRule, r"result\(\) names the rule 'why': name an anchor of info\.rules\."),
    (LosesACard, r"cards\(\) lacks 1 cards and has 0 too often: every card of info\.decks lies at"),
    (ShowsTheDeck, r"The view has a card that seen\(\) has not: take it out of the view while it"),
    (SeesTheDeck, r"seen\(\) has .. after 'deal', and no view has shown it .*: leave it out until"),
    (SeesTheirsAtOnce, r"seen\(\) has .. after 'deal', and no view has shown it .*: leave it out"),
    (HintsInANumber, r"view\(\) changes with cards that are hidden: let it depend on nothing that"),
    (HintsInAMessage, r"messages\(\) changes with cards that are hidden: let it depend on nothing"),
    (HintsInTheMoves, r"moves\(\) changes with cards that are hidden: let it depend on nothing"),
    (KnowsTheDeck, r"marked KNOWN has a card that no view has shown, .*: mark only piles of cards"),
    (KeepsAList, r"A state has a list in it, which can be changed: use a tuple or a frozen"),
    (ShufflesEveryMove, r"more than 4000 characters: .* says reshuffles=True in its info\."),
    (TossesACoin, r"never shown: .* other luck than shuffles, says reshuffles=True in its info\."),
    (ShufflesOnceMore, r"never shown: a game whose moves shuffle again, .* says reshuffles=True"),
    (RaisesLate, r"A legal move raised IndexError .*: deal\(\) and apply\(\) take whatever moves"),
    (TakesAnyName, r"A long text in 'name' makes a record that is too long: refuse it with"),
    (CountsALetter, r"The text 'x' in 'name' raised ValueError .*: refuse it with IllegalMove"),
    (TrustsItsCarry, r"left raised RecursionError .*: deal\(\) refuses them with impossible_carry"),
    (CannotBeGivenUp, r"A legal move raised RecursionError .*, and concede\(\) ends the round\."),
]


class Mended(TossesACoin):
    """The same with what the sentence asks for."""

    info = replace(HighCard.info, reshuffles=True)


class LeavesNothing(LastingHighCard):
    """Its carry() leaves nothing now and then: the next round has a whole deck again."""

    def carry(self, state: Held) -> Piles | None:
        return super().carry(state) if len(state.deck) > 20 else None


class CountsNoRounds(LastingHighCard):
    info = replace(LastingHighCard.info, numbered=False)


@pytest.mark.parametrize(
    "harmless", [HighCard, LastingHighCard, Mended, LeavesNothing, CountsNoRounds]
)
def test_what_is_no_slip_is_not_found_wrong(
    harmless: Callable[[], AnyGame], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found_wrong(harmless(), monkeypatch) == ""


@pytest.mark.parametrize(("slip", "sentence"), SLIPS, ids=[slip.__name__ for slip, _ in SLIPS])
def test_a_slip_is_found_with_a_sentence_that_says_what_to_do(
    slip: Callable[[], AnyGame], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert re.search(sentence, found_wrong(slip(), monkeypatch))
