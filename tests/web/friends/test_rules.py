"""Matches of two players, as pure functions of the match's state and the time."""

from typing import Final

import pytest

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.card import Kind, salted_card
from cardgames.class_bingo.decks import calling_deck
from cardgames.games.bingo.rules import CENTRE
from cardgames.moves import IllegalMove
from web.friends import rules
from web.friends.rules import GUEST, HOST, Match, StaleMatchForm

SALT: Final = "00ff"
BEGAN: Final = 1_000.0


def new_salt() -> str:
    return SALT


def dealt_match(every: int = 0, *, speed: bool = False) -> Match:
    """Return a match whose first round has just been dealt."""
    match = Match(mode="L", speed=speed, every=every)
    return rules.join(match, BEGAN, new_salt, is_host_here=True)


def called_match(calls: int) -> Match:
    """Return a match whose host has called the given number of cards."""
    match = dealt_match()
    for number in range(1, calls + 1):
        match = rules.call(match, HOST, number, BEGAN)
    return match


def bingo_calls() -> dict[int, int]:
    """Return the calls at which the two cards dealt from a salt have BINGO!"""
    return {player: salted_card(SALT, player, Kind()).bingo_call for player in (HOST, GUEST)}


def test_match_waits_until_a_guest_comes() -> None:
    match = Match(mode="L", speed=False, every=5)
    assert match.phase == "waiting"
    with pytest.raises(IllegalMove):
        rules.deal(match, 1, BEGAN, new_salt)
    with pytest.raises(IllegalMove):
        rules.claim(match, HOST, 0, BEGAN)


def test_first_round_is_dealt_when_the_guest_comes() -> None:
    match = dealt_match(5)
    assert (match.phase, match.round, match.called(BEGAN)) == ("playing", 1, ())


def test_first_round_waits_for_an_absent_host() -> None:
    match = Match(mode="L", speed=False, every=5)
    joined = rules.join(match, BEGAN, new_salt, is_host_here=False)
    assert (joined.phase, joined.may_deal(BEGAN)) == ("ready", True)
    assert rules.deal(joined, 1, BEGAN + 60, new_salt).phase == "playing"


@pytest.mark.parametrize("every", [3, 5, 8])
def test_clock_calls_a_card_at_each_interval(every: int) -> None:
    match = dealt_match(every)
    assert match.called(BEGAN + every - 0.1) == ()
    assert match.called(BEGAN + 4 * every) == calling_deck(SALT)[:4]
    assert len(match.called(BEGAN + 1_000 * every)) == DECK_SIZE
    with pytest.raises(IllegalMove):
        rules.call(match, HOST, 1, BEGAN)


def test_host_calls_each_card_once() -> None:
    match = called_match(2)
    assert match.called(BEGAN + 500) == calling_deck(SALT)[:2]
    for number in (1, 2, 4):  # a double click, and a form from the page of a later round
        with pytest.raises(StaleMatchForm):
            rules.call(match, HOST, number, BEGAN)
    with pytest.raises(IllegalMove):
        rules.call(match, GUEST, 3, BEGAN)


def test_marks_are_of_one_player_and_change_no_step() -> None:
    match = dealt_match()
    after = rules.mark(match, GUEST, 1, 7, on=True)
    assert (after.covered(GUEST), after.covered(HOST)) == ((7, CENTRE), (CENTRE,))
    assert after.step == match.step
    assert rules.mark(after, GUEST, 1, 7, on=False) == match
    for position in (CENTRE, 25, 99):
        with pytest.raises(IllegalMove):
            rules.mark(match, GUEST, 1, position, on=True)
    with pytest.raises(StaleMatchForm):
        rules.mark(match, GUEST, 2, 7, on=True)


def test_wrong_claim_costs_nothing_and_is_no_news_for_the_other() -> None:
    match = called_match(3)
    after, claim = rules.claim(match, GUEST, 3, BEGAN)
    assert (claim.right, after.phase, after.step) == (False, "playing", match.step)
    assert rules.claim(after, GUEST, 3, BEGAN) == (after, claim)
    assert rules.call(after, HOST, 4, BEGAN).phase == "playing"


def test_claim_counts_the_calls_and_not_the_marks() -> None:
    match = called_match(bingo_calls()[GUEST])
    after, claim = rules.claim(match, GUEST, 52, BEGAN)
    assert (claim.right, claim.call) == (True, bingo_calls()[GUEST])
    assert (after.phase, after.winners, after.score) == ("bingo", (GUEST,), (0, 1, 0))
    with pytest.raises(IllegalMove):
        rules.call(after, HOST, claim.call + 1, BEGAN)


def test_right_claim_stops_the_clock() -> None:
    call = bingo_calls()[HOST]
    match, at = dealt_match(3), BEGAN + 3 * call
    after, claim = rules.claim(match, HOST, call, at)
    assert claim.right
    assert len(after.called(at + 1_000)) == call


def test_both_at_the_same_call_tie() -> None:
    match, last = called_match(40), max(bingo_calls().values())
    assert last <= 40
    for player in (HOST, GUEST):
        match, _ = rules.claim(match, player, 40, BEGAN)
    assert (match.winners, match.score) == ((HOST, GUEST), (0, 0, 1))


def test_earlier_call_wins_in_any_order_of_claims() -> None:
    match = called_match(40)
    match, late = rules.claim(match, HOST, 40, BEGAN)
    match, early = rules.claim(match, GUEST, 39, BEGAN)
    assert late.right
    assert early.right
    assert match.winners == (GUEST,)


def test_next_round_keeps_the_score_and_is_dealt_once() -> None:
    match = called_match(bingo_calls()[HOST])
    with pytest.raises(IllegalMove):
        rules.deal(match, 2, BEGAN, new_salt)
    match, _ = rules.claim(match, HOST, bingo_calls()[HOST], BEGAN)
    match = rules.mark(match, GUEST, 1, 3, on=True)
    after = rules.deal(match, 2, BEGAN, lambda: "11ee")
    assert (after.phase, after.round, after.score) == ("playing", 2, (1, 0, 0))
    assert after.covered(GUEST) == (CENTRE,)
    assert after.card(GUEST).grid != match.card(GUEST).grid
    with pytest.raises(StaleMatchForm):  # The other player has clicked the same button.
        rules.deal(after, 2, BEGAN, new_salt)


def test_unclaimed_round_can_be_left_behind() -> None:
    match = dealt_match(3)
    at = BEGAN + 3 * DECK_SIZE
    assert not match.may_deal(at - 1)
    assert rules.deal(match, 2, at, new_salt).score == (0, 0, 0)


def test_nothing_goes_on_after_someone_has_left() -> None:
    match = rules.leave(called_match(3), GUEST)
    assert (match.phase, match.left_by) == ("over", GUEST)
    assert rules.leave(match, HOST) == match
    moves = (
        lambda: rules.call(match, HOST, 4, BEGAN),
        lambda: rules.deal(match, 2, BEGAN, new_salt),
        lambda: rules.mark(match, HOST, 1, 3, on=True),
        lambda: rules.claim(match, HOST, 3, BEGAN),
    )
    for move in moves:
        with pytest.raises(IllegalMove):
            move()
