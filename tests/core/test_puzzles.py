"""The puzzles: proven by an evaluator that shares no code with the odds, and possible in play."""

import random
from collections.abc import Iterator
from dataclasses import astuple, replace
from itertools import zip_longest

import pytest

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card, Cards, Suit
from cardgames.games.twentyone.rules import POINTS, TABLES, dealer_draws
from cardgames.puzzles import (
    MARGIN,
    Position,
    Rule,
    Theme,
    best_margin,
    find_theme,
    puzzles,
    rule_against,
    why,
)
from cardgames.table import Phase, Table
from tests.support.amounts import few_or_all
from tests.support.card_by_card import ev, worth
from tests.support.play import cards, play, salts
from tools.puzzles import is_puzzle

ALL = list(puzzles())


def said_by(rule: Rule, position: Position) -> str | None:
    """Return the move that the rule of thumb with this name advises, or None."""
    can_bust = not position.is_soft and position.total >= 12
    if rule is Rule.MIMIC:
        return "hit" if dealer_draws(position.player, position.rules) else "stay"
    if rule is Rule.NEVER_BUST:
        return "stay" if can_bust else None
    return "stay" if position.total >= 17 else None


# ---- Proven --------------------------------------------------------------------------------


@few_or_all("number", 5, 60)
def test_a_puzzle_is_proven_by_following_the_rules_card_by_card(number: int) -> None:
    """The evaluator computes every probability of both plays.

    Its values agree with the odds within 1e-12.
    """
    for position in random.Random(29).sample(ALL, number):
        found, ends = position.odds, worth(position)
        for ours, theirs in ((found.hit, ends["hit"]), (found.stay, ends["stay"])):
            expected = (theirs["win"], theirs["tie"], theirs["lose"], ev(theirs))
            assert astuple(ours) == pytest.approx(expected, abs=1e-12)
        assert found.best == max(ends, key=lambda play: ev(ends[play]))
        assert best_margin(found) == pytest.approx(puzzles()[position], abs=2e-9)
        assert best_margin(found) >= MARGIN
        rule = rule_against(position, found.best)
        assert rule
        assert said_by(rule, position) not in (None, found.best)


@few_or_all("number", 100, len(ALL))
def test_puzzles_meet_the_conditions_and_have_a_reason(number: int) -> None:
    for position in random.Random(30).sample(ALL, number):
        found = position.odds
        assert is_puzzle(position, found)
        assert position.theme is find_theme(position)
        reason = why(position, found)
        assert "{" not in reason
        assert found.bust or "0 of 100 cards" not in reason


def test_there_are_puzzles_of_every_theme_and_table() -> None:
    """Simple 21 has no soft hands, because aces count 1.

    Blackjack uses a new deck in each round.
    """
    fresh = {Theme.STIFF, Theme.WEAK}
    assert {slug: {one.theme for one in ALL if one.table == slug} for slug in TABLES} == {
        "simple-21": fresh | {Theme.TENS, Theme.REFILL},
        "blackjack": fresh | {Theme.SOFT},
        "one-deck": fresh | {Theme.SOFT, Theme.TENS, Theme.LAST},
    }


# ---- Reachable -----------------------------------------------------------------------------


def rounds_of(discards: Cards, position: Position) -> Iterator[tuple[Cards, Cards]]:
    """Yield rounds that use up these cards.

    Each round consists of the player's hand, with a total of at most 20, and the dealer's hand.

    The dealer has two cards and stands. The function tries random rounds until one is possible.
    """
    rng, rules = random.Random(1), position.rules
    for _ in range(2_000):
        left, dealers = rng.sample(discards, len(discards)), list[Cards]()
        for _ in range(rng.randint(-(-len(left) // 6), len(left) // 4)):
            pairs = ((a, b) for a in left for b in left if a < b)
            pair = next((pair for pair in pairs if not dealer_draws(pair, rules)), None)
            if pair:
                left = [card for card in left if card not in pair]
                dealers.append(pair)
        hands: list[list[Card]] = [[] for _ in dealers]
        for card in sorted(left, key=points, reverse=True):
            min(hands, key=lambda hand: sum(map(points, hand))).append(card)
        if all(len(hand) >= 2 and sum(map(points, hand)) <= 20 for hand in hands):
            yield from zip(map(tuple, hands), dealers, strict=True)
            return
    raise AssertionError(f"no rounds use up {discards}")


def points(card: Card) -> int:
    """Return the value of a card, with 1 for an ace."""
    return POINTS[card.rank]


def dealt_in_turn(hand: Cards, dealer: Cards) -> Cards:
    """Return the cards of a round in the order in which they are dealt.

    Each hand gets two cards alternately, and the hits follow.
    """
    first = [card for pair in zip_longest(hand[:2], dealer) for card in pair if card]
    return (*first, *hand[2:])


@few_or_all("number", 60, len(ALL))
def test_a_puzzle_can_be_reached_at_its_table(number: int) -> None:
    """Rounds that use up the discards are played first, from a deck file.

    The table's advisor has then seen the same cards, so it must return the same values.
    """
    for position in random.Random(31).sample(ALL, number):
        game, hole = GAMES[position.table], position.unseen[0]
        past = [*rounds_of(position.discards, position)] if position.discards else []
        upcards = (position.upcard, hole) if position.rules.hole else (hole, position.upcard)
        now = dealt_in_turn(position.player, upcards)
        played = tuple(card for one in past for card in dealt_in_turn(*one))
        rest = (card for card in FULL_DECK if card not in {*played, *now})
        table = Table(game)
        sent = {"deck": "\n".join((*played, *now, *rest))}
        for hand in (*(hand for hand, _ in past), position.player):
            table = play(table, "deal", new_salt=salts(1), **sent)
            for _ in hand[2:]:
                table = play(table, "hit")
            if hand is not position.player:
                table = play(table, "stay")
            sent = {}
        assert table.phase is Phase.PLAYING
        assert game.advisor
        assert {*game.advisor.unseen(table.state)} == {*position.unseen}
        assert game.advisor.odds(table.state) == position.odds
        posed = game.advisor.pose(position.player, position.upcard, position.discards)
        assert game.advisor.odds(posed) == position.odds


@pytest.mark.parametrize(
    ("table", "player", "upcard", "discards"),
    [
        ("war", "TS 6D", "TC", ""),
        ("blackjack", "TS", "TC", ""),
        ("blackjack", "TS 6D", "TS", ""),
        ("blackjack", "TS 6D 6H", "TC", ""),
        ("blackjack", "TS 6D", "TC", "2C"),
        ("one-deck", "TS 6D", "TC", "6D"),
        ("one-deck", "TS 6D", "TC", " ".join(set(FULL_DECK) - {"TS", "6D", "TC"})),
    ],
)
def test_impossible_tables_are_not_positions(
    table: str, player: str, upcard: str, discards: str
) -> None:
    with pytest.raises(ValueError, match=r"^(That is no hand|A card lies|No decision is open)"):
        Position(table, cards(player), Card(upcard), cards(discards))


def test_other_suits_are_the_same_decision() -> None:
    one = Position("one-deck", cards("TS 6D"), Card("TC"), cards("2C 9H"))
    other = one.in_other_suits((Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS))
    assert astuple(other)[1:4] == (cards("TC 6H"), Card("TS"), cards("9D 2S"))
    assert other.odds == one.odds


def test_reason_has_the_values_of_both_plays() -> None:
    """At Blackjack, 7S 5D against 3D has the values -.21234431 and -.26635630 (numbers.md)."""
    position = Position("blackjack", cards("7S 5D"), Card("3D"))
    position = replace(position, theme=find_theme(position))
    assert position.theme is Theme.WEAK
    assert rule_against(position, "stay") is Rule.MIMIC
    assert why(position, position.odds).endswith(": hit −26.6 points, stand −21.2 points.")


def test_reason_of_a_safe_hit_counts_no_cards() -> None:
    """A total of five cannot bust with the next card, so no bust percentage is shown."""
    position = Position("blackjack", cards("2S 3D"), Card("6D"))
    assert str(why(position, position.odds)).startswith("No card can bust you, and 5 rarely wins")
