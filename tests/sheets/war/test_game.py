"""War: the class Game."""

import random
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.sheets.war.support import NAMES, faces


def table_of(game: Any) -> list[str]:
    """Each player's hand, as it is written."""
    return [" ".join(faces(player)) for player in game.players]


@pytest.mark.parametrize("number", [0, 1])
def test_nobody_plays_alone(war: ModuleType, number: int) -> None:
    """S3-30, A3-9: fewer than two players are refused, instead of dealing for ever."""
    with pytest.raises(AssertionError, match=r"^War needs at least two players$"):
        war.Game([war.Player("Amy")][:number])


@pytest.mark.parametrize("number", range(2, 8))
def test_the_deal(war: ModuleType, number: int) -> None:
    """S3-1, S3-22, S3-30, A3-9: card by card, the first player first, until there is none."""
    game = war.Game([war.Player(str(seat)) for seat in range(number)])
    order = list(game.deck)
    assert game.deal() is None
    for seat, player in enumerate(game.players):
        assert faces(player) == faces(order[seat::number])
    assert game.deck.num_cards == 0
    counts = [player.num_cards for player in game.players]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] - counts[-1] == (1 if 52 % number else 0)
    game.deal()
    assert [player.num_cards for player in game.players] == counts


def test_no_turn_without_cards(war: ModuleType, game_of: Callable[..., Any]) -> None:
    """S3-23, S3-29: before the deal, and after the end of the game."""
    for game in (
        war.Game([war.Player("Amy"), war.Player("Brad")]),
        game_of("2♠ 3♠", ""),
        game_of("", "2♠"),
        game_of("", "2♠ 3♠", ""),
    ):
        before = table_of(game)
        with pytest.raises(AssertionError):
            game.turn()
        assert table_of(game) == before


TURNS = {
    "first": (["A♡ 3♠", "2♢ 4♠"], 0, ["3♠ A♡ 2♢", "4♠"], "war: ['A♡', '2♢'] => Amy\n"),
    "second": (["9♡ 3♠", "10♢ 4♠"], 1, ["3♠", "4♠ 9♡ 10♢"], "war: ['9♡', '10♢'] => Brad\n"),
    "tie": (
        ["A♡ 7♡ 2♠", "A♢ 5♢ J♠"],
        0,
        ["2♠ 7♡ 5♢ A♡ A♢", "J♠"],
        "war: ['A♡', 'A♢'] TIE!\nwar: ['7♡', '5♢', 'A♡', 'A♢'] => Amy\n",
    ),
    "two ties": (
        ["6♣ K♢ 10♣", "6♠ K♡ 8♣ 4♠"],
        0,
        ["10♣ 8♣ K♢ K♡ 6♣ 6♠", "4♠"],
        """\
war: ['6♣', '6♠'] TIE!
war: ['K♢', 'K♡', '6♣', '6♠'] TIE!
war: ['10♣', '8♣', 'K♢', 'K♡', '6♣', '6♠'] => Amy
""",
    ),
    "first out in a tie": (
        ["6♣", "6♠ 2♡"],
        1,
        ["", "2♡ 6♣ 6♠"],
        "war: ['6♣', '6♠'] => Brad\n",
    ),
    "second out in a tie": (
        ["6♣ 2♡", "6♠"],
        0,
        ["2♡ 6♣ 6♠", ""],
        "war: ['6♣', '6♠'] => Amy\n",
    ),
    "first out in a second tie": (
        ["6♣ K♢", "6♠ K♡ 2♡"],
        1,
        ["", "2♡ K♢ K♡ 6♣ 6♠"],
        "war: ['6♣', '6♠'] TIE!\nwar: ['K♢', 'K♡', '6♣', '6♠'] => Brad\n",
    ),
    "both out in a tie": (["6♣", "6♠"], 1, ["", "6♣ 6♠"], "war: ['6♣', '6♠'] => Brad\n"),
    "both out in a second tie": (
        ["6♣ 9♣", "6♠ 9♠"],
        1,
        ["", "9♣ 9♠ 6♣ 6♠"],
        "war: ['6♣', '6♠'] TIE!\nwar: ['9♣', '9♠', '6♣', '6♠'] => Brad\n",
    ),
    "the highest takes all": (
        ["2♠ 3♠", "9♠ 4♠", "5♠ 6♠"],
        1,
        ["3♠", "4♠ 2♠ 9♠ 5♠", "6♠"],
        "war: ['2♠', '9♠', '5♠'] => Brad\n",
    ),
    "a tie that is not the highest": (
        ["2♠ 3♠", "2♡ 4♠", "5♠ 6♠"],
        2,
        ["3♠", "4♠", "6♠ 2♠ 2♡ 5♠"],
        "war: ['2♠', '2♡', '5♠'] => Carl\n",
    ),
    "only the tied go on": (
        ["9♠ 3♠ 8♡", "2♡ A♠", "9♡ 6♠ 7♡"],
        2,
        ["8♡", "A♠", "7♡ 3♠ 6♠ 9♠ 2♡ 9♡"],
        "war: ['9♠', '2♡', '9♡'] TIE!\nwar: ['3♠', '6♠', '9♠', '2♡', '9♡'] => Carl\n",
    ),
    "one of the tied has no card": (
        ["9♠", "9♣ 3♣ 2♣", "9♡ 6♠ 7♡"],
        2,
        ["", "2♣", "7♡ 3♣ 6♠ 9♠ 9♣ 9♡"],
        "war: ['9♠', '9♣', '9♡'] TIE!\nwar: ['3♣', '6♠', '9♠', '9♣', '9♡'] => Carl\n",
    ),
    "one of the tied has a card": (
        ["9♠", "9♣ 3♣", "9♡"],
        1,
        ["", "3♣ 9♠ 9♣ 9♡", ""],
        "war: ['9♠', '9♣', '9♡'] => Brad\n",
    ),
    "none of the tied has a card: the last-seated": (
        ["9♠", "9♣", "2♡ 4♡"],
        1,
        ["", "9♠ 9♣ 2♡", "4♡"],
        "war: ['9♠', '9♣', '2♡'] => Brad\n",
    ),
    "who is out shows nothing": (
        ["", "9♣ 5♡", "2♡ 4♡"],
        1,
        ["", "5♡ 9♣ 2♡", "4♡"],
        "war: ['9♣', '2♡'] => Brad\n",
    ),
}
"""The hands, the winner's place, the hands after the turn, and the log."""


@pytest.mark.parametrize("case", TURNS.values(), ids=TURNS)
def test_a_turn(
    game_of: Callable[..., Any],
    unshuffled: list[list[str]],
    capsys: pytest.CaptureFixture[str],
    case: tuple[list[str], int, list[str], str],
) -> None:
    """S3-2, S3-3, S3-4, S3-23, S3-24, S3-25, S3-30, A3-3, A3-5, A3-6, A3-9.

    Who takes what, and what is logged.

    The pile goes under the winner's hand, which is shuffled as a whole; the other keeps its order.
    """
    hands, winner, after, log = case
    game = game_of(*hands)
    unshuffled.clear()
    assert game.turn(do_print=True) is game.players[winner]
    assert table_of(game) == after
    assert capsys.readouterr().out == log
    assert unshuffled == [after[winner].split()]
    quiet = game_of(*hands)
    assert quiet.turn() is quiet.players[winner]
    assert capsys.readouterr().out == ""


def test_a_quiet_game(war: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """S3-5, S3-26, S3-29: nothing is printed; who is returned has all cards, the other none."""
    for number in range(2, 7):
        game = war.Game([war.Player(name) for name in NAMES[:number]])
        winner = game.play()
        assert capsys.readouterr().out == ""
        assert winner in [*game.players]
        counts = {player.name: player.num_cards for player in game.players}
        assert counts == {**dict.fromkeys(NAMES[:number], 0), winner.name: 52}


@pytest.mark.parametrize("number", range(2, 6))
def test_cards_are_conserved(war: ModuleType, number: int) -> None:
    """S3-12, S3-28: 52 different ones after every turn, and only the winner's hand is shuffled."""
    game = war.Game([war.Player(name) for name in NAMES[:number]])
    game.deal()
    whole = sorted(map(repr, war.Deck.build_deck()))
    for _ in range(150):
        if sum(player.num_cards > 0 for player in game.players) < 2:
            break
        before = {player.name: faces(player) for player in game.players}
        winner = game.turn()
        assert sorted(repr(card) for player in game.players for card in player) == whole
        for player in game.players:
            if player is not winner:
                mine = faces(player)
                assert mine == before[player.name][len(before[player.name]) - len(mine) :]


def test_a_second_game_with_the_same_players(
    war: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A3-13: the cards are collected, shuffled and dealt again."""
    asked: list[int] = []
    real = random.Random(13).shuffle
    monkeypatch.setattr(random, "shuffle", lambda cards: (asked.append(len(cards)), real(cards)))
    for number in (2, 3):
        game = war.Game([war.Player(name) for name in NAMES[:number]])
        assert game.play().num_cards == 52
        asked.clear()
        assert game.play().num_cards == 52
        assert asked[0] == 52
        assert asked[1] < 52


def test_an_open_game_goes_on(
    game_of: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """A3-13, S3-30: also with a player who is out already."""
    game = game_of("A♠", "", "2♠")
    assert game.play(do_print=True).name == "Amy"
    assert capsys.readouterr().out == (
        "at start <'Amy' has ['A♠']>\nat start <'Brad' has []>\nat start <'Carl' has ['2♠']>\n"
        "war: ['A♠', '2♠'] => Amy\nAmy wins!\n"
    )


@pytest.mark.parametrize("number", [2, 3, 4])
def test_after_many_games_the_cards_are_dealt(
    war: ModuleType, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    """S3-27, S3-28, S3-30: the wins sum to n, the deck is empty, and one can play on."""
    game = war.Game([war.Player(name) for name in NAMES[:number]])
    for games in (3, 8):
        game.play_n_times(games)
        table = capsys.readouterr().out
        assert re.fullmatch(rf"\nPlayed {games} hands\n(   \w+ wins: \d+\n){{{number}}}", table)
        assert sum(map(int, re.findall(r"wins: (\d+)", table))) == games
        assert sum(player.wins for player in game.players) == games
        assert game.deck.num_cards == 0
        expected = [52 // number + (seat < 52 % number) for seat in range(number)]
        assert [player.num_cards for player in game.players] == expected
        assert len({str(card) for player in game.players for card in player}) == 52
    assert game.play().num_cards == 52
