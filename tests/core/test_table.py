"""Tables: phases, rounds, tallies, resets, and everything else that is common to all games."""

from collections import Counter
from dataclasses import dataclass, replace

import pytest

from cardgames import GAMES
from cardgames.cards import Card, Cards
from cardgames.game import AfterRound, AnyGame, Result
from cardgames.moves import CONCEDE, Action, IllegalMove
from cardgames.shuffling import SaltedRandom
from cardgames.table import MAX_ROUND_WINNERS, Leak, MoveResult, Phase, Table, cards_in
from tests.support.games import HighCard, ShownView
from tests.support.play import deck_file, no_salt, play, play_at_random, play_rounds, salts, tables

games = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))


def moves_of(table: Table) -> list[str]:
    return [move.name for move in table.moves()]


# ---- All games -----------------------------------------------------------------------------


@games
def test_an_empty_table_is_ready(game: AnyGame) -> None:
    table = Table(game)
    assert (table.phase, table.result, table.carry) == (Phase.READY, None, None)
    assert moves_of(table) == ["deal", "new"]
    assert table.shown() == game.empty
    assert (table.messages(), table.stacked, table.round) == ((), False, 0)
    assert table.counts() == dict.fromkeys(game.info.winners, 0)


@games
def test_starting_over_clears_all_except_the_round_count(game: AnyGame) -> None:
    for table in tables(game, seed=6, moves=10 if game.info.reshuffles else 60):
        after, finished = table.play("new", {}, no_salt)
        assert finished == ()
        assert replace(after, finished=0, shown_to=0) == Table(game)
        assert after.finished == table.finished
        assert after.shown_to == table.finished


@games
def test_rounds_are_counted_and_won_once(game: AnyGame) -> None:
    """In random play, ``tally`` and ``round_winners`` change exactly at the ends of rounds."""
    for played in play_at_random(game, 50, 20 if game.info.reshuffles else 100):
        before, table = played.before, played.table
        assert table.finished == before.finished + len(played.finished)
        assert (table.phase is Phase.PLAYING) == (table.state is not None and not table.result)
        if played.move == "new":
            continue
        assert table.round == before.round + (played.move == "deal")
        assert min(sum(table.counts().values()), MAX_ROUND_WINNERS) == len(table.round_winners)
        if list(before.counts()) == list(table.counts()):
            won = Counter(table.counts()) - Counter(before.counts())
            assert won == Counter(record.result for record in played.finished)


# ---- Phases and moves ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("then", "phase", "moves"),
    [
        (AfterRound.NEXT_ROUND, Phase.ROUND_OVER, ["deal", "new"]),
        (AfterRound.NEW_GAME, Phase.GAME_OVER, ["deal", "new"]),
        (AfterRound.END, Phase.GAME_OVER, ["new"]),
    ],
)
def test_possible_moves_after_a_round(then: AfterRound, phase: Phase, moves: list[str]) -> None:
    class Ends(HighCard):
        def result(self, state: object) -> Result:
            return Result("you", "You win", "higher", then)

    table = play(Table(Ends()), "deal", new_salt=salts(1))
    assert (table.phase, moves_of(table)) == (phase, moves)


def test_unlisted_move_is_rejected_with_the_possible_ones() -> None:
    table = play("blackjack", "deal", deck=deck_file())
    with pytest.raises(IllegalMove) as refused:
        table.play("turn")
    assert str(refused.value) == (
        "That move is not allowed now. You can choose: Hit, Stand, Deal, Start over."
    )
    over = Table(GAMES["blackjack"], fixed_deal=Action("deal"))
    over = over.play("deal", {}, salts(1)).table.play("stay").table
    with pytest.raises(IllegalMove, match=r"^The game is over: there are no moves left\.$"):
        over.play("deal")


def test_dealing_in_the_middle_of_a_round_ends_it_first() -> None:
    """S1-33, S1-35: the record of an abandoned round is shown, because its deck is gone."""
    table = play("blackjack", "deal", "hit", new_salt=salts(6))
    after, (lost,) = play_rounds(table, "deal", new_salt=salts(7))
    assert lost.actions == (Action("deal"), Action("hit"), Action("forfeit"))
    assert (lost.result, after.counts()["dealer"], after.finished) == ("dealer", 1, 1)
    assert (after.round, after.conceded, after.phase) == (2, True, Phase.PLAYING)
    assert after.messages()[0] == "You dealt in the middle of round 1: you lose it."
    assert after.shown_to == 1
    assert lost.salt != after.record.salt
    assert play(after, "hit").conceded is False


def test_repeated_move_stops_with_the_round_and_is_counted() -> None:
    table = play("bingo", "deal mode=L speed=N", "call calls=5", new_salt=salts(1))
    assert (table.times, table.record.steps) == (5, 6)
    over = play(table, "call calls=all")
    made = over.state.calls
    assert over.times == made - 5
    assert over.record.actions[1:] == (Action("call", times=made),)
    assert len(over.messages()) == over.times + 1


def test_a_tally_goes_on_while_the_same_players_do() -> None:
    table, deal = Table(GAMES["war"]), "deal players=2 names=Amy,Brad"
    won: Counter[str] = Counter()
    for number in range(1, 6):
        table = play(table, deal, "turn turns=all", new_salt=salts(number))
        won[table.record.result] += 1
        assert table.counts() == {"Amy": won["Amy"], "Brad": won["Brad"]}
        assert len(table.round_winners) == number
    assert len(won) == 2
    for other in ("players=2 names=Amy,Carl", "players=2 names=Brad,Amy", "players=3 names=Amy"):
        again = play(table, f"deal {other}", new_salt=salts(1))
        assert set(again.counts().values()) == {0}
        assert again.round_winners == ""
    assert list(again.counts()) == ["Amy", "Player 2", "Player 3"]
    again = play(table, "new", deal, new_salt=salts(1))
    assert again.counts() == {"Amy": 0, "Brad": 0}


# ---- Own decks -----------------------------------------------------------------------------


def test_own_deck_keeps_its_order_until_shuffled() -> None:
    table = play("lasting-high-card", "deal", "keep", deck=deck_file("2C 3C"))
    rounds = 1
    while True:
        over = table
        table = play(over, "deal", "swap", new_salt=salts(1))
        shuffled = table.record.salt != ""
        assert table.record.stacked is over.stacked is True
        assert table.stacked is not shuffled
        if shuffled:
            break
        rounds += 1
    # Each round takes two cards, and the last round takes three. A deck of fewer than six cards is
    # reshuffled.
    assert rounds == 1 + (52 - 2 - 4) // 3
    again = play(table, "deal", "keep", new_salt=salts(2))
    assert (again.stacked, again.record.stacked) == (False, False)


# ---- The view ------------------------------------------------------------------------------


def test_view_with_an_undeclared_card_is_an_error() -> None:
    class Leaks(HighCard):
        def view(self, state: object) -> ShownView:
            return ShownView((Card("AC"),), 0)

        def seen(self, state: object) -> Cards:
            return ()

    table = play(Table(Leaks()), "deal", new_salt=salts(1))
    for look in (table.shown, table.view):
        with pytest.raises(Leak, match=r"^high-card: the view has a card that seen"):
            look()


@dataclass(frozen=True)
class Box:
    inside: object


@pytest.mark.parametrize(
    "value",
    [
        Card("AC"),
        (1, "AC", Card("AC")),
        [None, {"x": (Card("AC"),)}],
        {Card("AC"): 1},
        {"x": Card("AC")},
        frozenset((Card("AC"),)),
        Box(Box((Card("AC"), True))),
        MoveResult(Box(Card("AC"))),
    ],
)
def test_a_card_is_found_wherever_it_stands(value: object) -> None:
    assert cards_in(value) == {Card("AC")}


def test_page_texts_are_not_in_the_json() -> None:
    assert not {"upcard", "marks", "taker"} & {
        name for slug in GAMES for name in Table(GAMES[slug]).view()
    }


@pytest.mark.parametrize("slug", ["blackjack", "simple-21"])
def test_round_can_be_given_up_only_while_open_and_by_rule(slug: str) -> None:
    table = Table(GAMES[slug])
    if slug == "simple-21":
        table = table.play("deal", new_salt=lambda: "07").table
    with pytest.raises(IllegalMove, match=r"^You cannot give up a round now\.$"):
        table.after(CONCEDE, lambda salt, draws: SaltedRandom(lambda: "07", salt, draws))
