"""The source of the cards at the twenty-one tables, and the end of a deck."""

from dataclasses import replace

import pytest

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card
from cardgames.games.twentyone.engine import Piles
from cardgames.moves import Action
from cardgames.table import Phase, Table
from tests.support.play import cards, play, salts
from tests.support.twentyone import Sorting, deal, names, tally, with_deck

# ---- Simple 21: one deck over the rounds, refilled when needed -----------------------------


@pytest.mark.parametrize("left", range(5))
def test_deck_is_refilled_exactly_at_the_missing_card(left: int) -> None:
    """S0-53, A0-20: any of the four cards of a deal may need a refill.

    If four cards are left, there is no refill.
    """
    remaining = cards("9C 9D 9H 9S")[:left]
    others = tuple(card for card in FULL_DECK if card not in remaining)
    luck, game = Sorting(), GAMES["simple-21"]
    state = game.deal(Piles(remaining, others, ()), Action("deal"), luck)

    # All cards return to the deck, except those on the new table and those still in the deck.
    back = tuple(sorted(others))
    refilled = left < 4
    assert luck.shuffles == [list(back)] * refilled
    order = remaining + back
    assert (state.player, state.dealer) == (order[0:4:2], order[1:4:2])
    assert state.deck == (order[4:] if refilled else ())
    assert sorted(state.discards) == ([] if refilled else sorted(others))
    said = [event.message.value for event in state.events]
    assert said == ["dealing", *["refill"] * refilled]


@pytest.mark.parametrize("left", ["", "2D"])
def test_the_deck_is_refilled_in_the_dealers_turn(left: str) -> None:
    """S0-56: J 2 is 12, and none of the first discards is high enough to reach 17.

    In sorted order, the discards start with 2C 2D 2H 2S 3C.
    """
    state = with_deck(deal("simple-21", "KS JH QS 2H"), left).state
    luck, game = Sorting(), GAMES["simple-21"]
    after = game.apply(state, Action("stay"), luck)
    on_table = {*cards("KS JH QS 2H"), *cards(left)}
    back = sorted(card for card in FULL_DECK if card not in on_table)
    assert luck.shuffles == [back]
    # 12 and 2C is 14, 2D makes 16, and 2S makes 18. With 2D first, the total is 14, 2C makes 16,
    # and 2S makes 18.
    assert after.dealer == (*cards("JH 2H"), *(*cards(left), *back)[:3])
    assert after.player == cards("KS QS")
    assert (after.discards, len(after.deck), after.winner) == ((), 52 - 4 - 3, "player")
    said = [event.message.value for event in after.events]
    assert said[said.index("refill") - 1] == "must take"


def test_unshown_hole_card_returns_with_the_discards() -> None:
    """S0-12: after a bust the hole card is unseen, but it is a discard and is shuffled in."""
    bust = deal("simple-21", "KS JH QS 8H 5C", "hit")
    assert bust.shown().dealer.cards == ("JH", None)
    state = play(bust, "deal").state
    assert play(bust, "deal").shown().discards == 5
    assert state.unseen_discards == cards("8H")
    assert Card("8H") not in state.discards
    gone = tuple(c for c in FULL_DECK if c not in {*state.player, *state.dealer, Card("8H")})
    luck, game = Sorting(), GAMES["simple-21"]
    after = game.apply(replace(state, deck=(), discards=gone), Action("hit"), luck)
    assert luck.shuffles == [sorted([*gone, Card("8H")])]
    assert after.unseen_discards == ()
    assert after.ways == ((1, tuple(sorted({Card("8H"), after.dealer[1]}))),)


def test_hole_card_known_by_elimination_is_public() -> None:
    """A refill in the player's turn returns all other cards, so the missing card is the hole card.

    If a bust buries the card, the player knows that it is a discard and not in the deck.
    """
    table = with_deck(deal("simple-21", "TS 9C 6D KH"), "")
    while table.phase is Phase.PLAYING:
        table = play(table, "hit", new_salt=salts(5))
    assert table.state.hole_down
    assert Card("KH") not in table.state.deck
    after = play(table, "deal").state
    assert after.unseen_discards == ()
    assert Card("KH") in after.discards


# ---- One-deck: the end of the deck ---------------------------------------------------------


def drawn_game(table: Table, *, won_before: tuple[int, ...] = (0, 0, 0)) -> bool:
    """Return whether the game ended in a tie because the cards ran out."""
    assert table.result
    return (
        (table.phase, table.result.winner, table.result.rule) == (Phase.GAME_OVER, "tie", "cards")
        and table.result.text == "The cards ran out: a tie"
        and tally(table) == (*won_before[:2], won_before[2] + 1)
        and names(table) == ["new"]
        and "draw" in table.messages()[-1].lower()
    )


@pytest.mark.parametrize("left", ["9C", "9C 9D", "9C 9D 9H"])
def test_unfinished_deal_is_a_draw(left: str) -> None:
    """A2-2, A2-7, S2-14: a round that runs out of cards is a tie, and ends the game."""
    table = play(with_deck(deal("one-deck", "KS JH QS 8H", "stay"), left), "deal")
    assert drawn_game(table, won_before=(1, 0, 0))
    view, dealt = table.view(), cards(left)
    assert (view["round"], view["deck"], view["discards"]) == (2, 0, 52 - len(dealt))
    assert view["player"].cards == dealt[::2]
    assert len(view["dealer"].cards) == len(dealt[1::2])


@pytest.mark.parametrize("hand", ["TS 2S", "TS JS", "AS KS", "2S 3S"])
def test_hit_on_an_empty_deck_is_a_draw_at_any_totals(hand: str) -> None:
    """A2-3: the player is not forced to stand."""
    first, second = hand.split()
    table = with_deck(deal("one-deck", f"{first} TH {second} 7H"), "")
    assert {"hit", "stay"} <= set(names(table))
    after = play(table, "hit")
    assert drawn_game(after)
    assert after.shown().player.cards == cards(hand)


@pytest.mark.parametrize(("dealer", "left"), [("TH 6H", ""), ("2H 3H", "4H"), ("AH 2H", "2D AC")])
def test_round_is_a_draw_if_the_dealer_runs_out_of_cards(dealer: str, left: str) -> None:
    """A2-4: the rule applies to every hand of the player."""
    first, second = dealer.split()
    after = play(with_deck(deal("one-deck", f"TS {first} JS {second}"), left), "stay")
    assert drawn_game(after)
    assert after.shown().dealer.cards == (*cards(dealer), *cards(left))
    assert after.shown().deck == 0


@pytest.mark.parametrize(
    ("dealer", "left", "move", "winner", "rule"),
    [
        (
            "TH 6H",
            "2D",
            "hit",
            "dealer",
            "bust",
        ),  # A2-5: finishing the round requires no other card
        ("TH 8H", "", "stay", "player", "winner"),  # A2-6
        ("TH 6H", "5C", "stay", "dealer", "winner"),
        ("TH 6H", "4C", "stay", "tie", "ties"),
        ("TH 6H", "KC", "stay", "player", "dealer"),
    ],
)
def test_round_finished_by_the_last_card_counts(
    dealer: str, left: str, move: str, winner: str, rule: str
) -> None:
    """The deck is empty after the round, so the game ends with this round's winner (A2-1)."""
    first, second = dealer.split()
    table = play(with_deck(deal("one-deck", f"TS {first} JS {second}"), left), move)
    assert table.result
    assert (table.phase, table.result.winner, table.result.rule) == ("game over", winner, rule)
    assert (table.counts()[winner], names(table)) == (1, ["new"])
