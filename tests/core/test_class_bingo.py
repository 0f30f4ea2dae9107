"""Class Bingo: cards are covered and win by the sheet's rules, and every number wins as often."""

import random
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from itertools import combinations
from math import comb, sqrt
from pathlib import Path
from typing import Any, Self

import pytest

from cardgames.cards import DECK_SIZE, FULL_DECK, Card, Cards, shuffled
from cardgames.class_bingo.card import BingoCard, Kind, next_card, salted_card
from cardgames.class_bingo.clock import INTERVALS, Clock
from cardgames.class_bingo.decks import bingo_deck, calling_deck, grid, seal
from cardgames.class_bingo.expectations import KINDS, expected, first_bingos, random_cards, simulate
from cardgames.class_bingo.results import (
    Claim,
    Place,
    claimed_places,
    judge,
    one_away,
    places,
    stop_call,
)
from cardgames.games.bingo import State
from cardgames.games.bingo.rules import CENTRE, PATTERNS, Mode, Winner, dealt, face_down_positions
from tests.support.amounts import few_or_all

DECKS = Path(__file__).parents[1] / "decks"
SHEETS = (
    ("callingDeck_line_Awins.txt", Kind(Mode.LINE), Winner.A),
    ("callingDeck_corners_Bwins.txt", Kind(Mode.CORNERS), Winner.B),
    ("callingDeck_full_rankonly_tie.txt", Kind(Mode.FULL, speed=True), Winner.TIE),
)


def deck_file(name: str) -> Cards:
    return tuple(Card(line.strip()) for line in (DECKS / name).read_text().split())


def pair(bingo: Cards, calling: Cards, kind: Kind) -> tuple[BingoCard, BingoCard]:
    a, b, _ = dealt(bingo)
    return BingoCard.of(1, a, calling, kind), BingoCard.of(2, b, calling, kind)


def assert_the_sheets_round(bingo: Cards, calling: Cards, kind: Kind) -> Winner:
    """Play a round as the sheet does, call by call, and look at the class's cards beside it."""
    cards = pair(bingo, calling, kind)
    for calls in range(DECK_SIZE + 1):
        sheet = State(kind.mode, kind.speed, bingo, calling, calls)
        for card, theirs in zip(cards, sheet.grids, strict=True):
            down = face_down_positions(theirs, sheet.called, speed=kind.speed)
            assert (card.grid, card.covered(calls)) == (theirs, tuple(down))
        winner = sheet.winner()
        won = [card.number for card in cards if card.bingo_call <= calls]
        if winner is None:
            assert (won, places(cards, calls)) == ([], ())
            continue
        assert calls == stop_call(cards)
        assert won == {Winner.A: [1], Winner.B: [2], Winner.TIE: [1, 2]}[winner]
        assert places(cards, calls) == (Place(1, calls, tuple(won)),)
        return winner
    raise AssertionError("nobody has won")


# ---- The sheet's round ---------------------------------------------------------------------


@pytest.mark.parametrize(("name", "kind", "winner"), SHEETS)
def test_two_players_with_the_sheets_files_play_the_sheets_round(
    name: str, kind: Kind, winner: Winner
) -> None:
    bingo, calling = deck_file("bingoDeck.txt"), deck_file(name)
    assert assert_the_sheets_round(bingo, calling, kind) is winner
    for other in KINDS:
        assert_the_sheets_round(bingo, calling, other)


def test_a_thousand_random_rounds_of_two_are_the_sheets() -> None:
    rng = random.Random(4)
    for number in range(1_000):
        decks = shuffled(FULL_DECK, rng), shuffled(FULL_DECK, rng)
        assert_the_sheets_round(*decks, KINDS[number % len(KINDS)])


def test_every_card_comes_from_a_deck_of_its_own() -> None:
    salt = "0123456789abcdef"

    def order(number: int) -> Cards:
        return tuple(
            sorted(FULL_DECK, key=lambda c: sha256(f"{salt} {number} {c}".encode()).digest())
        )

    assert calling_deck(salt) == order(1)
    for number in (1, 2, 3, 30, 31, 500):
        assert bingo_deck(salt, number) == order(number + 1)
        assert grid(salt, number) == order(number + 1)[0:50:2]  # as the sheet deals to A
    assert seal(salt) == sha256(salt.encode()).hexdigest()


# ---- Near and nearest ----------------------------------------------------------------------


@few_or_all("rounds", 5, 20)
@pytest.mark.parametrize("kind", KINDS)
def test_one_away_is_what_trying_every_card_left_finds(kind: Kind, rounds: int) -> None:
    """Every card that is left is called for once, by the sheet's rules alone."""
    rng = random.Random(5)
    for _ in range(rounds):
        calling, grids = random_cards(rng, 6)
        cards = [BingoCard.of(n, one, calling, kind) for n, one in enumerate(grids, 1)]
        for calls in (0, 3, 7, 12, 20, 40):
            called, left = calling[:calls], calling[calls:]
            near: dict[int, set[Card]] = {}
            for card, last in ((card, last) for card in cards for last in left):
                before = set(face_down_positions(card.grid, called, speed=kind.speed))
                after = set(face_down_positions(card.grid, (*called, last), speed=kind.speed))
                has, would = (
                    any(pattern <= down for pattern in PATTERNS[kind.mode])
                    for down in (before, after)
                )
                if would and not has:
                    near.setdefault(card.number, set()).add(last)
            found = one_away(cards, calls)
            assert found.cards_in_play == len(near)
            assert set(found.ending) == {one for ending in near.values() for one in ending}
            assert found.chance == len(found.ending) / (DECK_SIZE - calls)
            for card in cards:
                assert set(card.needed(calls)) == near.get(card.number, set())


def test_nothing_left_to_call_has_no_chance() -> None:
    assert one_away([salted_card("00", 1, Kind())], DECK_SIZE).chance == 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_pattern_lacks_the_fewest_calls(kind: Kind) -> None:
    for number in range(1, 30):
        card = salted_card("5a17", number, kind)
        for calls in (0, 5, 10, 20):
            pattern, lacks = card.nearest(calls)
            assert pattern in PATTERNS[kind.mode]
            assert set(lacks) == set(pattern) - set(card.covered(calls))

            def waits(places: Any, card: BingoCard = card, calls: int = calls) -> int:
                cards = [card.grid[place] for place in set(places) - set(card.covered(calls))]
                return len({one.rank if kind.speed else one for one in cards})

            assert waits(pattern) == min(map(waits, PATTERNS[kind.mode]))


def test_a_card_never_tells_its_centre_and_wins_with_it() -> None:
    card = salted_card("77", 3, Kind())
    assert card.covered(0) == (CENTRE,)
    assert card.covered_by[CENTRE] == 0
    assert card.grid[CENTRE] not in {one for calls in range(53) for one in card.needed(calls)}


# ---- The clock -----------------------------------------------------------------------------


@pytest.mark.parametrize("every", INTERVALS)
def test_the_clock_stands_where_it_should_after_any_time(every: int) -> None:
    clock = Clock(3, 1000.0, every, stop=17)
    asked = [clock.called(1000.0 + seconds / 7) for seconds in range(7 * 600)]
    assert asked == sorted(asked)
    assert asked[-1] == 17
    assert [clock.called(1000.0 + n * every) for n in range(5)] == [3, 4, 5, 6, 7]
    assert clock.called(10.0) == 3  # a clock that is behind takes nothing back


def test_a_write_in_between_moves_no_call() -> None:
    rng = random.Random(6)
    for _ in range(300):
        clock = Clock(0, 0.0, rng.choice(INTERVALS), stop=rng.randint(1, 52))
        now, plain = 0.0, clock
        for _ in range(20):
            now += rng.uniform(0, 30)
            clock = clock.settled(now)
            assert clock.called(now) == plain.called(now)
            assert clock.called(now + 4) == plain.called(now + 4)
            assert clock.settled(now - 1.5) == clock  # another machine's clock, a little behind


def test_a_call_starts_the_interval_afresh_and_a_pause_keeps_what_was_called() -> None:
    clock = Clock(0, 100.0, 8)
    one = clock.called_one(115.0)
    assert [one.called(now) for now in (115.0, 122.9, 123.0)] == [2, 2, 3]
    paused = one.set_to(0, 124.0)
    assert (paused.called(124.0), paused.called(9e9)) == (3, 3)
    again = paused.set_to(3, 500.0)
    assert [again.called(now) for now in (500.0, 502.9, 503.0)] == [3, 3, 4]
    assert clock.stopping_at(1, 125.0).called(9e9) == 3  # never before what has been called


# ---- Claims and places ---------------------------------------------------------------------


def test_a_claim_is_judged_at_the_call_that_it_names_and_at_no_later_one() -> None:
    card = salted_card("ab", 4, Kind())
    call = card.bingo_call
    assert judge(card, call - 1, 52, 0) == Claim(4, call - 1, 0, 0)
    assert judge(card, call, call, 0) == Claim(4, call, 0, call)
    assert judge(card, call + 3, call + 3, 2) == Claim(4, call + 3, 2, call)
    assert judge(card, 99, call - 1, 0) == Claim(4, call - 1, 0, 0)
    assert judge(card, -5, call, 0) == Claim(4, 0, 0, 0)


def test_places_count_who_stands_before() -> None:
    claims = [
        *(Claim(9, 14, 0, 14), Claim(2, 14, 0, 11), Claim(8, 15, 0, 15), Claim(1, 15, 0, 0)),
        *(Claim(9, 15, 0, 14), Claim(1, 20, 1, 20), Claim(3, 19, 1, 18)),
    ]
    found = [(one.place, one.call, one.cards) for one in claimed_places(claims)]
    assert found == [(1, 14, (2, 9)), (3, 15, (8,)), (4, 19, (3,)), (5, 20, (1,))]
    assert claimed_places(claims[::-1]) == claimed_places(claims)


def test_going_on_stops_at_the_next_card_that_gets_it() -> None:
    cards = [salted_card("cd", number, Kind(speed=True)) for number in range(1, 41)]
    stops, calls = [], 0
    while (calls := stop_call(cards, calls)) not in stops:
        stops.append(calls)
    assert stops[:-1] == sorted({card.bingo_call for card in cards})[: len(stops) - 1]
    whole = places(cards, DECK_SIZE)
    assert sum(len(one.cards) for one in whole) == len(cards)
    assert [one.place for one in whole] == [
        1 + sum(card.bingo_call < one.call for card in cards) for one in whole
    ]


# ---- Fairness ------------------------------------------------------------------------------


LATE = 6
"""Number of cards dealt where one more player comes late."""

COMES_AT = 8
"""Number of calls after which that player comes."""


def line_call(grid: Cards, called_at: dict[Card, int]) -> int:
    """Return the call at which a grid has its first line, without the project's rules."""
    at = [called_at[card] for card in grid]
    at[12] = 0
    rows = (at[start : start + 5] for start in range(0, 25, 5))
    columns = (at[column::5] for column in range(5))
    return min(max(line) for line in (*rows, *columns, at[0::6], at[4:21:4]))


@dataclass
class Shares:
    """How rounds were won: a tie among k players gives each of them a k-th."""

    players: int
    rounds: int = 0
    won: list[float] = field(init=False)
    squares: float = 0.0

    def __post_init__(self) -> None:
        self.won = [0.0] * self.players

    def count(self, calls: list[int]) -> None:
        first = min(calls)
        winners = [place for place, call in enumerate(calls) if call == first]
        for place in winners:
            self.won[place] += 1 / len(winners)
        self.rounds += 1
        self.squares += 1 / len(winners)

    def assert_even(self) -> Self:
        """Every share is within four standard errors of an equal one."""
        assert sum(self.won) == pytest.approx(self.rounds)
        equal = 1 / self.players
        error = sqrt((self.squares / self.players / self.rounds - equal**2) / self.rounds)
        deviations = [(won / self.rounds - equal) / error for won in self.won]
        assert max(map(abs, deviations)) < 4, (self.players, deviations)
        return self


@cache
def season(sizes: tuple[int, ...], rounds: int) -> tuple[dict[int, Shares], Shares]:
    """Play rounds of several sizes, and until as many were joined late.

    The first cards of a larger round are a smaller one. The salts say nothing.
    """
    found = {size: Shares(size) for size in sizes}
    joined = Shares(LATE + 1)
    number = 0
    while number < rounds or joined.rounds < rounds:
        number += 1
        salt = f"{number:032x}"
        called_at = {card: call for call, card in enumerate(calling_deck(salt), 1)}
        wanted = max(sizes) if number <= rounds else LATE
        calls = [line_call(grid(salt, card), called_at) for card in range(1, wanted + 1)]
        if number <= rounds:
            for size, shares in found.items():
                shares.count(calls[:size])
        if joined.rounds < rounds and min(calls[:LATE]) > COMES_AT:
            late = next_card(salt, LATE + 1, Kind(), COMES_AT)
            assert late
            joined.count([*calls[:LATE], line_call(late.grid, called_at)])
    return found, joined


def test_every_card_wins_as_often_as_any_other_in_a_few_rounds() -> None:
    found, joined = season((LATE,), 1_000)
    found[LATE].assert_even()
    joined.assert_even()


def test_the_third_of_three_cards_wins_as_often_as_the_others() -> None:
    """Two cards from one deck beside one from another differ by this much in 9,000 rounds."""
    shares = Shares(3)
    for number in range(9_000):
        salt = f"three {number}"
        called_at = {card: call for call, card in enumerate(calling_deck(salt), 1)}
        shares.count([line_call(grid(salt, card), called_at) for card in (1, 2, 3)])
    shares.assert_even()


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 5, 7, 31])
def test_every_card_wins_as_often_as_any_other(players: int) -> None:
    shares = season((3, 5, 7, 31), 300_000)[0][players].assert_even()
    assert shares.rounds >= 300_000


@pytest.mark.slow
def test_who_comes_late_wins_as_often_as_everybody_else() -> None:
    shares = season((3, 5, 7, 31), 300_000)[1].assert_even()
    assert (shares.players, shares.rounds) == (7, 300_000)


@pytest.mark.parametrize("kind", KINDS)
def test_the_newcomers_card_is_a_card_without_bingo_that_nobody_has(kind: Kind) -> None:
    for number in range(40):
        late = next_card(f"late {number}", 7, kind, 3)
        if late:
            assert late.number > 6
            assert late.bingo_call > 3
            assert late.grid == grid(f"late {number}", late.number)


def test_a_card_with_bingo_is_put_aside_for_a_newcomer() -> None:
    salt, calls = "ef01", 38
    number, expected_number = 1, 1
    while salted_card(salt, expected_number, Kind()).bingo_call <= calls:
        expected_number += 1
    card = next_card(salt, number, Kind(), calls)
    assert card
    assert card.number == expected_number > 1
    assert next_card(salt, 1, Kind(), DECK_SIZE) is None


# ---- What to expect ------------------------------------------------------------------------


def exact_cover_chances(mode: Mode) -> list[float]:
    """Return the chance that a card has BINGO! after each number of calls, by counting alone.

    Whatever is called first, the 24 cards of a grid are as likely any others. So the chance that
    n calls cover a set of u cards is C(52 - u, n - u) / C(52, n); patterns that overlap are counted
    by inclusion and exclusion.
    """
    patterns = [pattern - {CENTRE} for pattern in PATTERNS[mode]]
    signs = [0] * 25
    for chosen in range(1, 2 ** len(patterns)):
        parts = [one for place, one in enumerate(patterns) if chosen >> place & 1]
        signs[len(frozenset().union(*parts))] += 1 if len(parts) % 2 else -1
    return [
        sum(
            sign * comb(DECK_SIZE - size, calls - size) / comb(DECK_SIZE, calls)
            for size, sign in enumerate(signs)
            if sign and calls >= size
        )
        for calls in range(DECK_SIZE + 1)
    ]


def exact_rank_times() -> list[float]:
    """Return the mean number of calls until 0, 1, ... 13 different ranks have been called."""
    shares = [
        [
            comb(13, ranks)
            * sum((-1) ** i * comb(ranks, i) * comb(4 * (ranks - i), calls) for i in range(ranks))
            / comb(DECK_SIZE, calls)
            for ranks in range(14)
        ]
        for calls in range(1, DECK_SIZE)
    ]
    return [0.0] + [1 + sum(sum(share[:ranks]) for share in shares) for ranks in range(1, 14)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cards", [1, 2, 3, 10, 30, 60, 200])
def test_the_figures_are_the_exact_ones(kind: Kind, cards: int) -> None:
    """Cards of decks of their own get BINGO! independently of each other.

    In a speed round a rank covers four cards at once, and the k-th new rank is called when it is.
    """
    has = exact_cover_chances(kind.mode)
    times: list[float] = [float(call) for call in range(DECK_SIZE + 1)]
    if kind.speed:
        has, times = has[::4], exact_rank_times()
    steps = range(1, len(has))
    calls = sum((times[n] - times[n - 1]) * (1 - has[n - 1]) ** cards for n in steps)
    alone = sum(cards * (has[n] - has[n - 1]) * (1 - has[n]) ** (cards - 1) for n in steps)
    found = expected(kind, cards)
    assert found.calls == pytest.approx(calls, abs=0.3)
    assert found.tied == pytest.approx(1 - alone, abs=0.025)


def test_the_figures_between_sizes_lie_between() -> None:
    for kind, (few, some, many) in ((k, s) for k in KINDS for s in ((10, 12, 14), (60, 80, 100))):
        a, b, c = (expected(kind, cards).calls for cards in (few, some, many))
        assert a >= b >= c
    assert expected(Kind(), 0) == expected(Kind(), 1)
    assert expected(Kind(), 10_000) == expected(Kind(), 500)


def test_the_command_plays_what_the_rules_say() -> None:
    rng = random.Random(9)
    calling, grids = random_cards(rng, 30)
    assert any(set(a) & set(b) for a, b in zip(grids[::2], grids[1::2], strict=True))
    calls = [BingoCard.of(0, one, calling, Kind()).bingo_call for one in grids]
    for size, (first, tied) in zip((1, 2, 30), first_bingos(calls, (1, 2, 30)), strict=True):
        assert first == min(calls[:size])
        assert tied == any(a == b == first for a, b in combinations(calls[:size], 2))
    found = {(kind, size): one for kind, size, one in simulate(random.Random(1), 15)}
    assert found[Kind(), 60].calls == pytest.approx(expected(Kind(), 60).calls, abs=3)
