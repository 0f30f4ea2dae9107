"""One deal for many players: the same cards for all, and the decisions in which players differ."""

import random

import pytest

from cardgames import GAMES
from cardgames.moves import IllegalMove
from cardgames.records.line import line, parse
from cardgames.records.replay import is_complete, replay
from cardgames.shared_deal import (
    PlayedLine,
    ResultCounts,
    SharedDeal,
    decision_splits,
    play_optimally,
)
from cardgames.table import Phase, Table
from tests.support.amounts import few_or_all
from tests.support.play import by_salt, deck_file, fill

SALT = "00112233445566778899aabbccddeeff"
FIELDS: dict[str, dict[str, str]] = {
    "war": {"players": "3", "names": "Amy,Brad"},
    "bingo": {"mode": "C", "speed": "Y"},
}
slugs = pytest.mark.parametrize("slug", GAMES)


def shared(slug: str, **fields: str) -> SharedDeal:
    game = GAMES[slug]
    return SharedDeal(game, game.deals.read(FIELDS.get(slug, {}) | fields), SALT)


def played(deal: SharedDeal, seed: int) -> list[Table]:
    """Play a deal with random decisions, and return the tables after each decision."""
    rng, tables = random.Random(seed), [deal.table]
    while moves := tables[-1].moves():
        move = rng.choice(moves)
        sent = fill(move, rng, own_decks=False)
        tables.append(tables[-1].play(move.name, sent, lambda: SALT).table)
    return tables


@few_or_all("rounds", 4, 20)
@slugs
def test_a_deal_is_dealt_once_and_never_given_up(slug: str, rounds: int) -> None:
    for seed in range(rounds):
        empty, *playing, over = played(shared(slug), seed)
        assert [move.name for move in empty.moves()] == ["deal"]
        assert empty.moves()[0].form == {}
        for table in playing:
            assert not {"deal", "new"} & {move.name for move in table.moves()}
            assert table.record.salt == SALT
            with pytest.raises(IllegalMove):
                table.play("new")
        assert over.phase in (Phase.ROUND_OVER, Phase.GAME_OVER)
        assert over.carry is None
        assert over.shown_to == 1
        for move in ("deal", "new", "hit", "stay", "turn", "call", "forfeit", "keep"):
            with pytest.raises(IllegalMove):
                over.play(move)


@few_or_all("rounds", 2, 5)
@slugs
def test_a_deal_is_recorded_as_a_round_of_the_games_own_table(slug: str, rounds: int) -> None:
    for seed in range(rounds):
        table = played(shared(slug), seed)[-1]
        record = parse(line(table.record))
        assert is_complete(record)
        last = replay(record).last
        assert (last.state, last.result) == (table.state, table.result)
        assert (last.record.result, table.record.salt) == (record.result, SALT)


def test_salt_determines_the_cards() -> None:
    """The order is as the page describes it: by the SHA-256 hash of "salt number card"."""
    first, second = by_salt(SALT, 1), by_salt(SALT, 2)
    deal = shared("simple-21")
    assert deal.decks() == {"deck": first}
    state = deal.dealt().state
    assert (state.player, state.dealer) == (first[0:4:2], first[1:4:2])
    deal = shared("bingo")
    assert deal.decks() == {"bingo_deck": first, "calling_deck": second}
    assert deal.dealt().state.calling_deck == second


# ---- Decisions in which players differ -----------------------------------------------------

# At Simple 21, the player has TC 6C, and the dealer has TD and 9H (face down). The next cards are
# 2S 3S KH. Results computed by hand: staying on 16 loses against 19, staying on 18 loses against
# 19, staying on 21 wins immediately (S0), and a third hit makes 31, which is a bust.
BY_HAND = deck_file("TC TD 6C 9H 2S 3S KH")
LINES = [
    *[PlayedLine(0, stayed=True, winner="dealer")] * 8,
    *[PlayedLine(1, stayed=True, winner="dealer")] * 5,
    *[PlayedLine(2, stayed=True, winner="player")] * 4,
    *[PlayedLine(3, stayed=False, winner="dealer")] * 3,
]


def test_the_decisions_and_how_each_ended() -> None:
    found = decision_splits(shared("simple-21", deck=BY_HAND), LINES)
    assert [split.table.shown().player.total for split in found] == [16, 18, 21]
    assert [(split.hit, split.stay) for split in found] == [
        (ResultCounts(12, won=4, tied=0, lost=8), ResultCounts(8, won=0, tied=0, lost=8)),
        (ResultCounts(7, won=4, tied=0, lost=3), ResultCounts(5, won=0, tied=0, lost=5)),
        (ResultCounts(3, won=0, tied=0, lost=3), ResultCounts(4, won=4, tied=0, lost=0)),
    ]
    assert decision_splits(shared("simple-21", deck=BY_HAND), ()) == ()
    assert ResultCounts.of(["player", "tie", "tie"]) == ResultCounts(3, won=1, tied=2, lost=0)


@pytest.mark.parametrize("one", dict.fromkeys(LINES), ids=lambda one: str(one.hits))
def test_rounds_equal_played_ones(one: PlayedLine) -> None:
    deal = shared("simple-21", deck=BY_HAND)
    table = deal.dealt()
    for move in ("hit",) * one.hits + ("stay",) * one.stayed:
        table = deal.play(table, move)
    assert table.result
    assert (table.result.winner, table.moves()) == (one.winner, ())


def test_the_best_play_of_a_deal() -> None:
    """If aces count 1, the best play against a ten is to hit 16 and to stay on 18.

    The figures are from numbers.md.
    """
    assert play_optimally(shared("simple-21", deck=BY_HAND)) == LINES[8]
    # At Blackjack, the best play on TS 6D against QC is to stay. The hole card is 2C, and the
    # dealer then draws KS.
    deal = shared("blackjack", deck=deck_file("TS 2C 6D QC KS"))
    assert play_optimally(deal) == PlayedLine(0, stayed=True, winner="player")
