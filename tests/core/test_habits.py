"""Habits: independently computed odds confirm that each habit is a mistake."""

from collections.abc import Callable
from itertools import islice
from random import Random
from typing import Final

import pytest

from cardgames.cards import FULL_DECK
from cardgames.games.twentyone.rules import TABLES, is_soft, total
from cardgames.odds import odds
from cardgames.strategies.habits import HABITS, hands_for, has_hands

HANDS: Final[dict[str, tuple[str, Callable[[int, bool], bool]]]] = {
    "hits-hard-17": ("hit", lambda total, soft: not soft and total >= 17),
    "stops-strong": ("stay", lambda total, soft: not soft and 12 <= total <= 16),
    "stops-weak": ("stay", lambda total, soft: not soft and 12 <= total <= 16),
    "hits-stiff": ("hit", lambda total, soft: not soft and 12 <= total <= 16),
    "stops-safe": ("stay", lambda total, soft: not soft and total <= 11),
    "never-hits-soft-17": ("stay", lambda total, soft: soft and total <= 17),
    "stops-soft": ("stay", lambda total, soft: soft and total >= 18),
    "hits-soft": ("hit", lambda _, soft: soft),
    "everything": ("stay", lambda total, soft: not soft and 12 <= total <= 16),
}
SOFT = {"never-hits-soft-17", "stops-soft", "hits-soft"}


@pytest.mark.parametrize("table", TABLES)
def test_habit_is_wrong_in_every_hand_chosen_for_it(table: str) -> None:
    there = {name for name in HABITS if has_hands(table, name)}
    missing = SOFT if table == "simple-21" else {"stops-weak"} if table == "blackjack" else set()
    assert there == {*HANDS} - missing
    for name in there:
        chosen, is_such = HANDS[name]
        other = "stay" if chosen == "hit" else "hit"
        dealt = [*islice(hands_for(table, name, Random(name)), 6)]
        assert len(dealt) == 6, name
        for one in dealt:
            rules = TABLES[table]
            assert is_such(total(one.player, rules), is_soft(one.player, rules)), (name, one)
            found = odds(rules, one.player, one.upcard, {*FULL_DECK} - {*one.player, one.upcard})
            assert getattr(found, other).ev > getattr(found, chosen).ev + 0.01, (name, one)
            strong = one.upcard[0] in "789TJQKA"
            assert {"stops-strong": strong, "stops-weak": not strong}.get(name, True)
