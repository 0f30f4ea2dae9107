"""Seals at a table: made with each shuffle, and opened when nothing they tell is still hidden.

That no seal is opened too early is in the examination of every game; here are when it is opened at
last, and the hands in which a card lies under an older shuffle than all others.
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card
from cardgames.game import AnyGame
from cardgames.shuffling import Seal, Seals
from cardgames.table import Phase, Table
from tests.support.games import LastingHighCard
from tests.support.play import Played, cards, deck_file, play, play_at_random, salts

games = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))


def at_random(game: AnyGame, seed: int) -> Iterator[Played]:
    return play_at_random(game, seed, 50 if game.info.reshuffles else 200)


@games
def test_where_decks_are_whole_in_every_round_seals_are_open_between_them(game: AnyGame) -> None:
    rounds = 0
    for played in at_random(game, 5) if game.carry_type is None else ():
        table = played.table
        if table.phase is Phase.PLAYING:
            assert {seal.salt for seal in table.seals.closed} == {table.record.salt} - {""}
            assert table.seals.opened_to == table.finished
        else:
            assert table.seals.closed == ()
            rounds += 1
    assert rounds > 3 or game.carry_type


@pytest.mark.parametrize(("decks", "closed"), [(1, 1), (2, 2)])
def test_of_several_decks_no_seal_is_opened_while_one_is_played_on(decks: int, closed: int) -> None:
    """A card of an older shuffle may lie hidden although the newest one had its like."""

    class Lasting(LastingHighCard):
        info = replace(LastingHighCard.info, decks=decks)

    table = play(Table(Lasting()), "deal", deck=deck_file())
    seals = Seals((Seal("aa", FULL_DECK, 1), Seal("bb", FULL_DECK, 1)))
    assert len(play(replace(table, seals=seals), "keep").seals.closed) == closed


# ---- A hole card under an older shuffle ----------------------------------------------------


def refilled(hits: int) -> Table:
    """Return a table of Simple 21 whose deck was refilled in the player's turn, over a hole card.

    Its deck came from a shuffle, and lies so that the second round takes its last four cards.
    """
    table = play("simple-21", "deal", "stay", new_salt=salts(6))
    lie = cards("2C 9D 3C 8C")
    others = tuple(card for card in FULL_DECK if card not in lie)
    state = replace(table.state, player=(), dealer=(), deck=lie, discards=others, hole_down=False)
    return play(replace(table, state=state), "deal", *["hit"] * hits, new_salt=salts(7))


def test_the_older_seal_is_opened_with_the_round_in_which_the_hole_card_under_it_is_seen() -> None:
    table = refilled(hits=1)
    older, newest = table.seals.closed
    assert table.seals.opened_to == 0
    table = play(table, "stay", new_salt=salts(8))
    assert table.state.hole_down is False
    seals = table.seals
    assert (seals.closed, seals.opened, seals.opened_to) == ((newest,), (older,), 1)


def test_the_older_seal_stays_while_the_hole_card_under_it_is_buried() -> None:
    """8C was dealt from the older deck and buried by a bust: it comes back with the next refill."""
    table, new_salt = refilled(hits=1), salts(9)
    older, newest = table.seals.closed
    while table.phase is Phase.PLAYING:
        table = play(table, "hit", new_salt=new_salt)
    assert Card("8C") in (*table.state.dealer, *table.state.unseen_discards)
    assert Card("8C") not in newest.order
    assert table.seals.closed == (older, newest)
    while len(table.seals.closed) == 2:
        assert table.seals.closed == (older, newest)
        assert table.seals.opened_to == 0
        playing = table.phase is Phase.PLAYING
        table = play(table, "stay" if playing else "deal", new_salt=new_salt)
    if len(table.seals.closed) == 3:  # the third has 8C again, or it is on the table
        assert Card("8C") in table.seals.closed[-1].order
        table = play(table, "stay", new_salt=new_salt)
    assert older in table.seals.opened
