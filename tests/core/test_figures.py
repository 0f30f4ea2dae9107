"""The examples beside the rules: one for each rule, and true by the table's own rules."""

import pytest

from cardgames import GAMES
from cardgames.games.bingo import rules as bingo

OF_THE_SHEETS = ("simple-21", "blackjack", "one-deck", "war", "bingo")

WORTH = {
    "simple-21": ("7", "10", "1", "6"),
    "blackjack": ("7", "10", "11", "16"),
    "one-deck": ("7", "10", "11", "16"),
}
"""A seven, a king, an ace, and an ace with a five: aces are 1 at Simple 21 only (S1, S2)."""


@pytest.mark.parametrize("slug", OF_THE_SHEETS)
def test_every_rule_has_an_example(slug: str) -> None:
    info = GAMES[slug].info
    for rule in info.rules:
        figures = info.figures[rule.anchor]
        assert any(figure.cards or figure.marked for figure in figures)
        for figure in figures:
            faces = [card for card in figure.cards if card]
            assert len(set(faces)) == len(faces)  # of one deck


@pytest.mark.parametrize("slug", WORTH)
def test_what_cards_are_worth_is_by_the_rules_of_the_table(slug: str) -> None:
    captions = tuple(str(figure.caption) for figure in GAMES[slug].info.figures["values"])
    assert captions == WORTH[slug]


@pytest.mark.parametrize("slug", WORTH)
def test_the_hole_card_lies_where_the_table_deals_it(slug: str) -> None:
    """The dealer's first card at Blackjack, the second at the others (the contract)."""
    _, dealer = GAMES[slug].info.figures["deal"]
    assert dealer.cards.index(None) == (0 if slug == "blackjack" else 1)


def test_the_patterns_of_bingo_are_patterns() -> None:
    figures = GAMES["bingo"].info.figures
    for mode, anchor in (("L", "line"), ("C", "corners"), ("F", "full")):
        for figure in figures[anchor]:
            assert bingo.is_bingo(frozenset(figure.marked), bingo.Mode(mode)), figure.caption
