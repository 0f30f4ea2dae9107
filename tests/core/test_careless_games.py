"""Games with a student's typical mistakes: each is rejected, reported, or harmless.

Each game is High Card or Lasting High Card with a single mistake. A mistake that cannot be detected
in the class is found by the checks that every registered game must pass.
"""

import random
import re
from collections.abc import Callable
from dataclasses import make_dataclass, replace
from typing import Any

import pytest

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Cards, shuffled
from cardgames.game import AnyGame
from cardgames.moves import Action, Move
from cardgames.registry import BadGame, registered
from tests.support.examination import CHECKS
from tests.support.games import Held, HighCard, LastingHighCard, Piles, Shown, ShownView


def found_wrong(game: AnyGame, monkeypatch: pytest.MonkeyPatch) -> str:
    """Register and check a game, and return the first error message that suggests a fix."""
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


# ---- Faults that only show up during play --------------------------------------------------


class KeepsTheDeck(HighCard):
    """A game whose author does not know carry().

    The error messages direct the author to a deck that lasts for several rounds.
    """

    deck: Cards = ()

    def deal(self, carry: None, action: Action, rng: random.Random) -> Shown:
        if len(self.deck) < 2:
            self.deck = shuffled(FULL_DECK, rng)
        shown, self.deck = self.deck[:2], self.deck[2:]
        return Shown(tuple(card for card in FULL_DECK if card not in shown), shown)


class ShowsTheDeck(HighCard):
    def view(self, state: Shown) -> ShownView:
        return ShownView((*state.shown, state.deck[0]), len(state.deck))


class SeesTheDeck(HighCard):
    """Declares the complete deck as seen, so that the view may show it later."""

    def seen(self, state: Shown) -> Cards:
        return self.cards(state)


class HintsInTheMoves(LastingHighCard):
    def moves(self, state: Held) -> tuple[Move, ...]:
        return self.round_moves[: 1 + (state.deck[0].rank > state.yours.rank)]


Listed = make_dataclass("Listed", [("deck", list[Any]), ("shown", Cards)], frozen=True, slots=True)


class KeepsAList(HighCard):
    state_type = Listed

    def deal(self, carry: None, action: Action, rng: random.Random) -> Any:
        dealt = super().deal(carry, action, rng)
        return Listed(list(dealt.deck), dealt.shown)

    def cards(self, state: Any) -> Cards:
        return (*state.deck, *state.shown)


class TrustsItsCarry(LastingHighCard):
    def deal(self, carry: Piles | None, action: Action, rng: random.Random) -> Held:
        if carry and len(carry.deck) < 2 and not carry.discards:
            return self.deal(Piles(carry.deck[1:] + carry.deck[:-1], ()), action, rng)
        return super().deal(carry, action, rng)


SLIPS: list[tuple[Callable[[], AnyGame], str]] = [
    (KeepsTheDeck, r"a game keeps nothing in itself, so a deck that lasts is left by carry\(\)"),
    (ShowsTheDeck, r"The view has a card that seen\(\) has not: take it out of the view while it"),
    (SeesTheDeck, r"seen\(\) has .. after 'deal', and no view has shown it .*: leave it out until"),
    (HintsInTheMoves, r"moves\(\) changes with cards that are hidden: let it depend on nothing"),
    (KeepsAList, r"A state has a list in it, which can be changed: use a tuple or a frozen"),
    (TrustsItsCarry, r"left raised RecursionError .*: deal\(\) refuses them with impossible_carry"),
]


class LeavesNothing(LastingHighCard):
    """A game whose carry() sometimes returns None.

    The next round then has a complete deck.
    """

    def carry(self, state: Held) -> Piles | None:
        return super().carry(state) if len(state.deck) > 20 else None


class CountsNoRounds(LastingHighCard):
    info = replace(LastingHighCard.info, numbered=False)


@pytest.mark.parametrize("harmless", [LeavesNothing, CountsNoRounds])
def test_correct_game_passes(
    harmless: Callable[[], AnyGame], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found_wrong(harmless(), monkeypatch) == ""


@pytest.mark.parametrize(("slip", "sentence"), SLIPS, ids=[slip.__name__ for slip, _ in SLIPS])
def test_slip_is_found_with_a_remedy(
    slip: Callable[[], AnyGame], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert re.search(sentence, found_wrong(slip(), monkeypatch))
