"""What every registered game must keep: the examination, and whether it can find anything."""

import random
from collections.abc import Callable

import pytest

from cardgames import GAMES
from cardgames.game import AnyGame
from tests.support.amounts import few_or_all
from tests.support.examination import CHECKS, walks
from tests.support.play import play, reshuffled, salts

games = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))


@games
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@few_or_all("moves", walks.MOVES, 240)
def test_every_game_keeps(
    check: Callable[[AnyGame], None], game: AnyGame, moves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walks, "MOVES", moves)
    check(game)


@pytest.mark.parametrize(
    ("slug", "hole"),
    [("simple-21", 1), ("blackjack", 0), ("one-deck", 1)],
    ids=str,
)
def test_any_hidden_card_comes_to_be_the_hole_card(slug: str, hole: int) -> None:
    """The dealing anew itself: were it partial, the examination would prove little."""
    state, rng = play(slug, "deal", new_salt=salts(3)).state, random.Random(3)
    holes = {reshuffled(GAMES[slug], state, rng).dealer[hole] for _ in range(1000)}
    assert holes == {*state.deck, state.dealer[hole]}
    assert len(holes) == 49


def test_at_bingo_any_hidden_card_comes_to_any_place_in_its_own_deck() -> None:
    table = play("bingo", "deal mode=F speed=N", "call calls=5", new_salt=salts(3))
    state, rng = table.state, random.Random(3)
    others = [reshuffled(GAMES["bingo"], state, rng) for _ in range(450)]
    hidden = (24, 25, 50, 51)
    for place in hidden:
        assert {one.bingo_deck[place] for one in others} == {state.bingo_deck[n] for n in hidden}
    assert {one.calling_deck[5] for one in others} == {*state.calling_deck[5:]}
    assert {one.grids[0][:12] for one in others} == {state.grids[0][:12]}
    assert {one.called for one in others} == {state.called}
