"""War's odds: small decks exactly, through every order of deck and shuffle, and thousands of games.

The reference numbers are those of numbers.md, and of arithmetic done here.
"""

import random
from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations
from math import sqrt
from statistics import fmean, stdev

import pytest

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Cards, shuffled
from cardgames.games.war import State
from cardgames.games.war.rules import award_pile, battle, dealt
from cardgames.moves import Action
from tests.support.play import cards
from tests.support.war import STRONG, Luck, after_turn, playing

WAR = GAMES["war"]

# ---- Small decks, exactly ------------------------------------------------------------------

Key = tuple[int, tuple[str, ...], tuple[str, ...]]
"""A table after a turn: who took the pile, their ranks in no order, and the others' in order."""

Row = dict[Key, Fraction]


def ranks(hand: Cards) -> str:
    return "".join(card.rank for card in hand)


def key(state: State) -> Key:
    """All that the rest of the game depends on: the winner's hand is in random order."""
    assert state.battle is not None
    winner = state.battle.winner_seat
    others = tuple(ranks(hand) for seat, hand in enumerate(state.hands) if seat != winner)
    return winner, tuple(sorted(ranks(state.hands[winner]))), others


def shuffles(state: State) -> list[tuple[State, int]]:
    """Play one turn with every order that its shuffle can leave, each with how often it comes.

    Orders that differ only in suits are the same: suits do not count.
    """
    luck = Luck()
    after_turn(state, luck)
    counts: Counter[tuple[str, ...]] = Counter()
    found: dict[tuple[str, ...], State] = {}
    for order in permutations(range(len(luck.asked[0]))):
        after = after_turn(state, Luck(order))
        shown = tuple(map(ranks, after.hands))
        counts[shown] += 1
        found.setdefault(shown, after)
    return [(found[shown], count) for shown, count in counts.items()]


def exact(starts: list[State]) -> tuple[Fraction, list[Fraction]]:
    """Return the mean number of turns, and how likely each player wins, from equally likely deals.

    Every table after a turn is an unknown; the equations are solved by elimination.
    """
    players = len(starts[0].hands)
    rows: dict[Key, Row] = {}
    known: dict[Key, list[Fraction]] = {}
    before: dict[Key, State] = {}
    todo: list[Key] = []

    def averaged(tables: list[tuple[State, int]]) -> tuple[Row, list[Fraction]]:
        """Play one turn from each: what comes next, and the turns and wins that are sure."""
        row: Row = {}
        sure = [Fraction(1)] + [Fraction(0)] * players
        total = sum(weight for _, weight in tables)
        for table, weight in tables:
            after, share = after_turn(table, Luck()), Fraction(weight, total)
            if WAR.result(after):
                assert after.battle is not None
                sure[1 + after.battle.winner_seat] += share
                continue
            name = key(after)
            row[name] = row.get(name, Fraction(0)) + share
            if name not in before:
                before[name] = table
                todo.append(name)
        return row, sure

    start, answer = averaged([(state, 1) for state in starts])
    while todo:
        name = todo.pop()
        rows[name], known[name] = averaged(shuffles(before[name]))

    def put_in(name: Key, row: Row, sure: list[Fraction]) -> None:
        share = row.pop(name, None)
        if share is not None:
            for other, part in rows[name].items():
                row[other] = row.get(other, Fraction(0)) + share * part
            for place, value in enumerate(known[name]):
                sure[place] += share * value

    # Those with many cards in the others' hands come last: few tables lead to them.
    order = sorted(rows, key=lambda name: len(name[1]))
    for place, name in enumerate(order):
        stays = 1 - rows[name].pop(name, Fraction(0))
        rows[name] = {other: part / stays for other, part in rows[name].items()}
        known[name] = [value / stays for value in known[name]]
        for other in order[place + 1 :]:
            put_in(name, rows[other], known[other])
        put_in(name, start, answer)
    assert not start
    return answer[0], answer[1:]


def every_deal(codes: str, sizes: tuple[int, ...] | None = None) -> list[State]:
    """Return every deal of a small deck: alternately to two, or cut into hands of these sizes."""
    if sizes is None:
        return [playing(dealt(order, 2)) for order in permutations(cards(codes))]
    ends = list(pairwise(sum(sizes[:seat]) for seat in range(len(sizes) + 1)))
    return [playing(tuple(order[a:b] for a, b in ends)) for order in permutations(cards(codes))]


@pytest.mark.parametrize(
    ("codes", "turns", "first"),
    [
        ("2S 2H 3S 3H", Fraction(13, 6), Fraction(1, 4)),
        ("2S 2H 3S 3H 4S 4H", Fraction(7732453, 1521450), Fraction(617, 1470)),
    ],
    ids=["2x2", "3x2"],
)
def test_small_decks_exactly(codes: str, turns: Fraction, first: Fraction) -> None:
    assert exact(every_deal(codes)) == (turns, [first, 1 - first])


@pytest.mark.parametrize("sizes", [(1, 1), (2, 1), (1, 3), (2, 2), (3, 1), (4, 1), (2, 3), (3, 3)])
def test_without_ties_it_is_gamblers_ruin(sizes: tuple[int, int]) -> None:
    """With a and b cards of different ranks: a*b turns, and the first wins a of a + b times."""
    codes = " ".join(f"{rank}S" for rank in STRONG[-sum(sizes) :])
    a, b = sizes
    wins = [Fraction(a, a + b), Fraction(b, a + b)]
    assert exact(every_deal(codes, sizes)) == (Fraction(a * b), wins)


@pytest.mark.parametrize(
    ("sizes", "turns"),
    [
        # Each of k players takes a pile of k equally often; two with a and b cards go on a*b turns.
        ((1, 1, 1), Fraction(1)),
        ((2, 1, 1), 1 + Fraction(1 * 3 + 1 * 3, 3)),
        ((1, 1, 3), 1 + Fraction(3 * 2 + 3 * 2, 3)),
        ((2, 2, 1), 1 + Fraction(4 * 1 + 4 * 1 + 5, 3)),
        ((1, 2, 1, 1), 1 + Fraction(4 * 1 * 3, 4)),
    ],
)
def test_more_players_without_ties(sizes: tuple[int, ...], turns: Fraction) -> None:
    """The mean gain of a turn is nothing, so everyone wins as often as their share of the cards."""
    codes = " ".join(f"{rank}S" for rank in STRONG[: sum(sizes)])
    wins = [Fraction(size, sum(sizes)) for size in sizes]
    assert exact(every_deal(codes, sizes)) == (turns, wins)


# ---- Thousands of games --------------------------------------------------------------------


def near(found: list[float], expected: float, errors: float = 4) -> bool:
    return abs(fmean(found) - expected) < errors * stdev(found) / sqrt(len(found))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "mean", "wins"),
    [
        ("2", 574.0, [0.5, 0.5]),
        ("3", 588.5, [0.3465, 0.3266, 0.3269]),
        ("4", 587.9, [0.25, 0.25, 0.25, 0.25]),
    ],
)
def test_long_run_means(players: str, mean: float, wins: list[float]) -> None:
    luck, turn = random.Random(574), Action("turn")
    turns: list[float] = []
    winners: list[int] = []
    ran_out: list[float] = []
    for _ in range(4000):
        state = WAR.deal(None, Action("deal", (("players", players),)), luck)
        while (result := WAR.result(state)) is None:
            state = WAR.apply(state, turn, luck)
        turns.append(state.turn)
        winners.append(state.battle.winner_seat)
        ran_out.append(result.rule == "running-out")
    assert near(turns, mean)
    for seat, share in enumerate(wins):
        assert near([winner == seat for winner in winners], share)
    if players == "2":
        assert near(ran_out, 0.1147)
        assert 470 * 0.9 < stdev(turns) < 470 * 1.1
        for quantile, share in ((114, 0.05), (434, 0.5), (1509, 0.95)):
            assert near([number <= quantile for number in turns], share)


@pytest.mark.slow
def test_long_run_ties() -> None:
    """35.96 ties a game of two, and a tie in one turn of 17.02."""
    luck = random.Random(17)
    ties: list[float] = []
    tied: list[float] = []
    for _ in range(2000):
        table = dealt(shuffled(FULL_DECK, luck), 2)
        steps = 0
        while all(table):
            fought = battle(table)
            table = award_pile(table, fought, luck)
            top = {card.rank for card in fought.cards[0]}
            steps += len(fought.cards) - (len(top) > 1)
            tied.append(fought.cards[-1][0].rank is fought.cards[-1][1].rank)
        ties.append(steps)
    assert near(ties, 35.96)
    assert near(tied, 1 / 17.02)
