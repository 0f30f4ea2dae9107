"""Finished rounds that may be shown with all cards, because no hidden card is disclosed.

The checks of every game detect rounds that are shown too early. These tests cover the time at which
a round is shown, and hands with a card from an older shuffle.
"""

from dataclasses import replace

import pytest

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card
from cardgames.game import AnyGame
from cardgames.table import Phase, Table
from tests.support.games import LastingHighCard
from tests.support.play import cards, deck_file, play, play_at_random, salts


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_rounds_with_whole_decks_are_shown_once_finished(game: AnyGame) -> None:
    moves = 20 if game.info.reshuffles else 100
    for played in play_at_random(game, 5, moves) if game.carry_type is None else ():
        assert played.table.shown_to == played.table.finished
        assert played.table.shuffled == ()


@pytest.mark.parametrize(("decks", "shown_to"), [(1, 8), (2, 3)])
def test_rounds_stay_hidden_while_one_of_their_decks_is_in_use(decks: int, shown_to: int) -> None:
    """A card of an older shuffle may be hidden even if the newest shuffle also contained it."""

    class Lasting(LastingHighCard):
        info = replace(LastingHighCard.info, decks=decks)

    table = play(Table(Lasting(), finished=8, shown_to=3), "deal", deck=deck_file())
    assert play(replace(table, shuffled=FULL_DECK), "keep").shown_to == shown_to


def refilled(hits: int) -> Table:
    """Return a Simple 21 table whose deck was refilled in the player's turn.

    The deck is shuffled, and then arranged so that the second round uses its last four cards.
    """
    table = play("simple-21", "deal", "stay", new_salt=salts(6))
    lie = cards("2C 9D 3C 8C")
    others = tuple(card for card in FULL_DECK if card not in lie)
    state = replace(table.state, player=(), dealer=(), deck=lie, discards=others, hole_down=False)
    return play(replace(table, state=state), "deal", *["hit"] * hits, new_salt=salts(7))


def test_older_rounds_are_shown_once_the_hole_card_is_seen() -> None:
    table = refilled(hits=1)
    assert (table.shown_to, len(table.shuffled)) == (0, 48)
    table = play(table, "stay", new_salt=salts(8))
    assert table.state.hole_down is False
    assert (table.shown_to, table.finished) == (1, 2)


def test_older_rounds_stay_hidden_while_the_hole_card_is_buried() -> None:
    """8C comes from the older deck, was buried by a bust, and returns with the next refill."""
    table, new_salt = refilled(hits=1), salts(9)
    while table.phase is Phase.PLAYING:
        table = play(table, "hit", new_salt=new_salt)
    assert Card("8C") in (*table.state.dealer, *table.state.unseen_discards)
    assert Card("8C") not in table.shuffled
    assert (table.shown_to, table.finished) == (0, 2)
    refills, shuffled = set(), table.shuffled
    while not table.shown_to:
        table = play(table, "stay" if table.phase is Phase.PLAYING else "deal", new_salt=new_salt)
        if table.shuffled not in ((), shuffled):
            refills.add(table.finished + (table.phase is Phase.PLAYING))
    assert max(refills) > 2
    assert table.shown_to == max(refills) - 1 == table.finished - 1
