"""Class Bingo: the sheet's rules decide who wins, and every card number wins equally often."""

import random
from math import sqrt

import pytest

from cardgames.cards import DECK_SIZE, Card
from cardgames.class_bingo.card import BingoCard, Kind, late_card, salted_card
from cardgames.class_bingo.clock import INTERVALS, Clock
from cardgames.class_bingo.decks import bingo_deck, calling_deck, grid
from cardgames.class_bingo.results import (
    Claim,
    claimed_places,
    judge,
    one_away,
    places,
    stop_call,
)
from cardgames.games.bingo.rules import CENTRE, PATTERNS, Pattern, face_down_positions
from tests.support.amounts import few_or_all
from tests.support.class_bingo import KINDS, random_cards
from tests.support.play import by_salt

# ---- The sheet's round ---------------------------------------------------------------------


def test_every_card_comes_from_a_deck_of_its_own() -> None:
    salt = "0123456789abcdef"
    assert calling_deck(salt) == by_salt(salt)
    for number in (1, 2, 3, 30, 31, 500):
        assert bingo_deck(salt, number) == by_salt(salt, number + 1)
        assert grid(salt, number) == by_salt(salt, number + 1)[0:50:2]  # the sheet deals these to A


# ---- Near and nearest ----------------------------------------------------------------------


@few_or_all("rounds", 2, 20)
@pytest.mark.parametrize("kind", KINDS)
def test_one_away_agrees_with_trying_every_card_left(kind: Kind, rounds: int) -> None:
    """The result agrees with trying every remaining card by the sheet's rules."""
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
                _is_nearest(
                    card, frozenset(face_down_positions(card.grid, called, speed=kind.speed)), calls
                )


def _is_nearest(card: BingoCard, down: Pattern, calls: int) -> None:
    """Check the patterns of a card with some face-down positions."""
    patterns = PATTERNS[card.kind.mode]

    def left(pattern: Pattern) -> int:
        """Return the number of calls that a pattern still needs.

        In a speed round, one call covers a complete rank.
        """
        cards = [card.grid[place] for place in pattern - down]
        return len({one.rank for one in cards} if card.kind.speed else cards)

    pattern, lacking = card.nearest(calls)
    assert lacking == tuple(sorted(pattern - down))
    assert left(pattern) == min(map(left, patterns))
    complete = {place for one in patterns if one <= down for place in one}
    assert card.winning(calls) == tuple(sorted(complete))


def test_a_card_never_tells_its_centre_and_wins_with_it() -> None:
    card = salted_card("77", 3, Kind())
    assert card.covered(0) == (CENTRE,)
    assert card.covered_by[CENTRE] == 0
    assert card.grid[CENTRE] not in {one for calls in range(53) for one in card.needed(calls)}


# ---- The clock -----------------------------------------------------------------------------


@pytest.mark.parametrize("every", INTERVALS)
def test_clock_has_made_the_right_calls_after_any_time(every: int) -> None:
    clock = Clock(3, 1000.0, every, stop=17)
    asked = [clock.called(1000.0 + seconds / 7) for seconds in range(7 * 600)]
    assert asked == sorted(asked)
    assert asked[-1] == 17
    assert [clock.called(1000.0 + n * every) for n in range(5)] == [3, 4, 5, 6, 7]
    assert clock.called(10.0) == 3  # a slow clock does not undo calls
    assert (
        Clock(5, 1000.0, every, stop=3).called(9e9) == 5
    )  # an end in the past does not undo calls either


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
            assert (
                clock.settled(now - 1.5) == clock
            )  # the clock of another machine, which is slightly behind


def test_call_restarts_the_interval_and_pause_keeps_calls() -> None:
    clock = Clock(0, 100.0, 8)
    one = clock.called_one(115.0)
    assert [one.called(now) for now in (115.0, 122.9, 123.0)] == [2, 2, 3]
    paused = one.set_to(0, 124.0)
    assert (paused.called(124.0), paused.called(9e9)) == (3, 3)
    again = paused.set_to(3, 500.0)
    assert [again.called(now) for now in (500.0, 502.9, 503.0)] == [3, 3, 4]
    assert clock.stopping_at(1, 125.0).called(9e9) == 3  # the end is never before the last call


# ---- Claims and ranks ----------------------------------------------------------------------


def test_claim_is_judged_at_the_call_it_names() -> None:
    card = salted_card("ab", 4, Kind())
    call = card.bingo_call
    assert judge(card, call - 1, 52, 0) == Claim(4, call - 1, 0, 0)
    assert judge(card, call, call, 0) == Claim(4, call, 0, call)
    assert judge(card, call + 3, call + 3, 2) == Claim(4, call + 3, 2, call)
    assert judge(card, 99, call - 1, 0) == Claim(4, call - 1, 0, 0)
    assert judge(card, -5, call, 0) == Claim(4, 0, 0, 0)


def test_places_count_the_better_students() -> None:
    claims = [
        *(Claim(9, 14, 0, 14), Claim(2, 14, 0, 11), Claim(8, 15, 0, 15), Claim(1, 15, 0, 0)),
        *(Claim(9, 15, 0, 14), Claim(1, 20, 1, 20), Claim(3, 19, 1, 18)),
        Claim(8, 14, 1, 14),  # sent from an outdated page, after the round was resumed
    ]
    found = [(place.place, place.call, place.cards) for place in claimed_places(claims)]
    assert found == [(1, 14, (2, 9)), (3, 15, (8,)), (4, 19, (3,)), (5, 20, (1,))]
    assert claimed_places(claims[::-1]) == claimed_places(claims)


def test_continuing_stops_at_the_next_bingo() -> None:
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


def test_a_card_with_bingo_is_set_aside_for_a_newcomer() -> None:
    salt, calls = "ef01", 38
    expected_number = 1
    while salted_card(salt, expected_number, Kind()).bingo_call <= calls:
        expected_number += 1
    number = late_card(salt, range(1, 51), Kind(), calls)
    assert number == expected_number > 1
    card = salted_card(salt, number, Kind())
    other = late_card(salt, range(number, 51), Kind(), card.bingo_call)  # another player
    assert other == 0 or other > number
    assert late_card(salt, range(1, 51), Kind(), DECK_SIZE) == 0


def test_cards_are_given_in_the_order_of_their_offers() -> None:
    calls = 3  # no card has BINGO! at such an early call
    assert [late_card("ef01", numbers, Kind(), calls) for numbers in ((7, 2), (), (2,))] == [
        7,
        0,
        2,
    ]


PLAYERS = 3
TRIES = 12


@few_or_all("rounds", 1_500, 40_000)
def test_fresh_windows_win_no_more_than_a_fair_share(rounds: int) -> None:
    """One of three players joins late, and leaves immediately if the card is unlikely to win.

    The next browser that joins gets the card of the player who left, even with another cookie. The
    tolerance is four standard errors. In a tie, each winner gets an equal share of the win. A
    student who could choose among twelve cards would win 0.41 of the rounds.
    """
    rng, won, played = random.Random(40), [0.0] * PLAYERS, 0
    while played < rounds:
        salt, kind, calls = f"{rng.getrandbits(128):032x}", rng.choice(KINDS), rng.randrange(4, 24)
        cards = [salted_card(salt, number, kind) for number in range(1, PLAYERS)]
        if min(card.bingo_call for card in cards) <= calls:
            continue  # the round ended before a player joined late
        dealt, free = PLAYERS - 1, list[int]()
        for _ in range(TRIES):
            number = late_card(salt, (*free, *range(dealt + 1, dealt + 51)), kind, calls)
            late, dealt = salted_card(salt, number, kind), max(dealt, number)
            if len(late.nearest(calls)[1]) <= 1:
                break
            free = [number]
        cards.append(late)
        first = min(card.bingo_call for card in cards)
        winners = [card.bingo_call == first for card in cards]
        won = [one + has / sum(winners) for one, has in zip(won, winners, strict=True)]
        played += 1
    fair = 1 / PLAYERS
    error = sqrt(fair * (1 - fair) / rounds)
    assert all(abs(one / rounds - fair) < 4 * error for one in won), won
