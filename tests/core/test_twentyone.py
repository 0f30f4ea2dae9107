"""The twenty-one tables compared with their sheets: deals, seven differences, ends and decks.

Decks are stacked: the relevant cards come first, followed by the other cards in the order of a new
deck.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest

from cardgames import GAMES
from cardgames.table import Phase, Table
from tests.support.play import cards, deck_file, play, salts
from tests.support.twentyone import SLUGS, deal, names, tally

slugs = pytest.mark.parametrize("slug", SLUGS)


# ---- The deal ------------------------------------------------------------------------------


@slugs
def test_the_cards_are_dealt_in_turn_and_one_lies_face_down(slug: str) -> None:
    """S0-7, S2-4: the order is player, dealer, player, dealer.

    A1-10: at Blackjack the dealer's first card is the hole card.
    """
    table = deal(slug, "2S 3S 4S 5S 6S")
    view = table.view()
    assert (view["player"].cards, view["player"].total) == (cards("2S 4S"), 6)
    hidden_first = slug == "blackjack"
    assert view["dealer"].cards == ((None, "5S") if hidden_first else ("3S", None))
    assert view["dealer"].total is None
    assert table.shown().upcard == ("5S" if hidden_first else "3S")
    assert (view["deck"], view["discards"], view["round"]) == (48, 0, 1)
    assert (view["winner"], view["stacked"], view["phase"]) == (None, True, "playing")
    assert table.state.deck[0] == "6S"


@slugs
def test_the_moves_of_each_phase_are_those_of_the_contract(slug: str) -> None:
    playing = deal(slug, "TS 7S 9S TD")
    stages = (Table(GAMES[slug]), playing, play(playing, "stay"))
    forfeits = ["deal"] * (slug == "blackjack")
    expected = [["deal", "new"], ["hit", "stay", *forfeits, "new"], ["deal", "new"]]
    assert [names(table) for table in stages] == expected
    labels = {move.name: move.label for move in playing.moves()}
    assert labels["stay"] == ("Stay" if slug == "simple-21" else "Stand")
    assert (labels["hit"], labels["new"]) == ("Hit", "Start over")


# ---- Seven differences ---------------------------------------------------------------------


def ace_and_six(slug: str) -> int | None:
    """Return the total of a player's hand that consists of an ace and a six."""
    return deal(slug, "AS 2C 6D 3C").shown().player.total


def twenty_against_twenty(slug: str) -> Any:
    """Return the winner of a round with equal totals, and the tally."""
    table = deal(slug, "TS JH TD QH", "stay")
    assert table.shown().player.total == table.shown().dealer.total == 20
    return table.view()["winner"], tally(table)


# Thirteen rounds of four cards each, because the dealer has 17 or more with two cards.
_DEALERS = [f"T{s} 7{s}" for s in "CDHS"] + [f"J{s} 8{s}" for s in "CDHS"]
_DEALERS += [f"Q{s} 9{s}" for s in "CDHS"] + ["KC KD"]
_PLAYERS = [f"2{s} 3{s}" for s in "CDHS"] + [f"4{s} 5{s}" for s in "CDHS"]
_PLAYERS += [f"6{s} A{s}" for s in "CDHS"] + ["KH KS"]
THIRTEEN_ROUNDS = " ".join(
    " ".join((*dealt[::2], *dealt[1::2]))
    for dealt in (
        f"{player} {dealer}".split() for player, dealer in zip(_PLAYERS, _DEALERS, strict=True)
    )
)


def whence_the_cards_come(slug: str) -> list[int | str]:
    """Deal and stay repeatedly, and return the size of the deck after each deal."""
    table = deal(slug, THIRTEEN_ROUNDS)
    left: list[int | str] = [len(table.state.deck)]
    for number in range(13):
        table = play(table, "stay")
        if "deal" not in names(table):
            return [*left, table.phase.value]
        table = play(table, "deal", new_salt=salts(number))
        left.append(len(table.state.deck))
    return left


def hole_card(slug: str) -> int:
    """Return the index of the dealer's face-down card."""
    place: int = deal(slug, "2S 3S 4S 5S").shown().dealer.cards.index(None)
    return place


def staying_on_21(slug: str) -> Any:
    """Return the result of staying on T 9 2 against J 6 if the next card is a 5."""
    top = "TS 6H 9S JH 2S 5H" if slug == "blackjack" else "TS JH 9S 6H 2S 5H"
    table = deal(slug, top, "hit")
    assert table.shown().player.total == 21
    assert {"hit", "stay"} <= set(names(table))  # A0-13, A1-24, A2-8
    table = play(table, "stay")
    return table.view()["winner"], table.shown().dealer.cards, table.shown().dealer.total


def hole_after_a_bust(slug: str) -> Any:
    """Return the dealer's hand after the player busts with T 9 and a 3."""
    table = deal(slug, "TS JH 9S 6H 3S", "hit")
    assert (table.phase, table.shown().player.total) == (Phase.ROUND_OVER, 22)
    return table.view()["winner"], table.shown().dealer.cards, table.shown().dealer.total


def dealing_in_mid_round(slug: str) -> Any:
    """Deal during a round; return the round and the tally, or None if this is illegal."""
    table = deal(slug, "TS JH 9S 6H")
    if "deal" not in names(table):
        return None
    table = play(table, "deal", new_salt=salts(1))
    assert table.phase is Phase.PLAYING
    return table.round, tally(table)


SEVEN_DIFFERENCES: list[tuple[Callable[[str], Any], Any, Any, Any]] = [
    # the case Simple 21 Blackjack One-deck
    (ace_and_six, 7, 17, 17),
    (twenty_against_twenty, ("tie", (0, 0, 1)), ("dealer", (0, 1, 0)), ("tie", (0, 0, 1))),
    (
        whence_the_cards_come,
        [*range(48, -1, -4), 48],  # S0-72, A0-20: the discards return to the deck
        [48] * 14,  # S1-32: a new deck each time
        [*range(48, -1, -4), "game over"],  # S2-15, A2-1
    ),
    (hole_card, 1, 0, 1),
    (
        staying_on_21,
        ("player", ("JH", None), None),  # A0-13, S0-80
        ("dealer", ("6H", "JH", "5H"), 21),  # A1-12, A1-15
        ("tie", ("JH", "6H", "5H"), 21),  # A2-16
    ),
    (
        hole_after_a_bust,
        ("dealer", ("JH", None), None),  # S0-12
        ("dealer", ("JH", "6H"), 16),  # A1-19
        ("dealer", ("JH", "6H"), 16),
    ),
    (dealing_in_mid_round, None, (2, (0, 1, 0)), None),  # A1-7
]


@pytest.mark.parametrize(
    ("what", "slug", "expected"),
    [
        pytest.param(what, slug, expected, id=f"{what.__name__}-{slug}")
        for what, *row in SEVEN_DIFFERENCES
        for slug, expected in zip(SLUGS, row, strict=True)
    ],
)
def test_the_seven_differences(what: Callable[[str], Any], slug: str, expected: Any) -> None:
    assert what(slug) == expected


# ---- The end of a round, and its messages --------------------------------------------------

STANDS = [r"dealer stands", r"dealer wins|you win|draw"]
HITS = {  # A0-1, A0-16; A2-11, A2-13
    "bust": [r"dealer hits", r"busted", r"you win"],
    "21": [r"dealer hits", r"dealer stands", r"dealer wins"],
}
TAKES = r"dealer must take( a)? card(\.\.\.|…)"

# The deck and the moves; the winner, the message and the rule, separately for Blackjack if
# different; and the messages in the sheets' words (matched in order, ignoring case), at Simple 21
# and at the other two tables.
ENDS: list[tuple[str, str, list[tuple[str, str, str]], list[str], list[str]]] = [
    (
        *("TS 9H 8S 8H", "stay", [("player", "You 18, dealer 17: you win", "winner")]),
        [r"player wins round 1!"],
        STANDS,
    ),
    (
        *("TS TH 7S 8H", "stay", [("dealer", "You 17, dealer 18: ", "winner")]),
        [r"dealer wins round 1!"],
        STANDS,
    ),
    (
        *("TS TH 8S 8H", "stay"),
        [
            ("tie", "You 18, dealer 18: a tie", "ties"),
            ("dealer", "You 18, dealer 18: the dealer wins ties", "ties"),
        ],
        [r"tie! no one wins round 1!"],
        STANDS,
    ),
    (
        *("TS TH 2S 6H KH", "stay", [("player", "You 12, dealer 26: ", "dealer")]),
        [TAKES, r"dealer went bust\.", r"player wins round 1!"],
        HITS["bust"],
    ),
    (
        *("TS TH 2S 6H 5H", "stay", [("dealer", "You 12, dealer 21: ", "winner")]),
        [TAKES, r"dealer has a natural 21!", r"dealer wins round 1!"],
        HITS["21"],
    ),
    (
        *("TS TH 2S 6H KH", "hit", [("dealer", "22", "bust")]),
        [r"player went bust\. dealer wins round 1!"],
        [r"you have busted.*dealer wins"],
    ),
]


@slugs
@pytest.mark.parametrize(("top", "move", "results", "simple", "other"), ENDS)
def test_results_and_sentences_of_rounds(
    slug: str,
    top: str,
    move: str,
    results: list[tuple[str, str, str]],
    simple: list[str],
    other: list[str],
) -> None:
    table = deal(slug, top, move)
    winner, sentence, rule = results[-1 if slug == "blackjack" else 0]
    assert (table.phase, table.view()["winner"]) == (Phase.ROUND_OVER, winner)
    assert table.counts() == {"player": 0, "dealer": 0, "tie": 0} | {winner: 1}
    assert table.result
    assert sentence in table.result.text
    assert table.result.rule == rule
    spoken = [message.lower() for message in table.messages()]
    for pattern in simple if slug == "simple-21" else other:
        while spoken and not re.search(pattern, spoken[0]):
            spoken.pop(0)
        assert spoken, f"{pattern!r} was not said in {table.messages()}"
    if "went bust" in simple[0] and slug != "simple-21":
        assert not any("stand" in message for message in spoken)  # A2-13


def test_each_card_is_named_with_the_total_of_its_hand() -> None:
    """Aces count 1, so T 2 3 is 15, and J 2 4 5 is 21."""
    dealt = deal("simple-21", "TS JH 2S 2H 3S 4D 5C")
    hands = "You have the ten of spades and the two of spades: 12."
    assert dealt.story() == (f"{hands} The dealer shows the jack of hearts.",)
    hit = play(dealt, "hit")
    assert hit.messages() == ("You take the three of spades, value = 15.",)
    assert hit.story() == ("You take the three of spades: 15.",)
    over = play(hit, "stay")
    drawn = (("two of hearts", 12), ("four of diamonds", 16), ("five of clubs", 21))
    verbs = ("turns over", "takes", "takes")
    told = [(f"{verb} the {card}", total) for verb, (card, total) in zip(verbs, drawn, strict=True)]
    assert over.story() == tuple(f"The dealer {what}: {total}." for what, total in told)
    named = [said for said in over.messages() if "value" in said]
    assert named == [f"Dealer {what}, value = {total}." for what, total in told]


def test_given_up_round_is_reported_before_the_next_deal() -> None:
    gave_up, dealt = play(deal("blackjack", "TS 7S 9S TD"), "deal", deck=deck_file("2S")).story()
    assert gave_up == "You gave up round 1."
    assert dealt.startswith("You have the two of spades and")


@slugs
def test_how_long_a_deck_counts_as_the_players_own(slug: str) -> None:
    """``stacked`` is true from a deal with a deck file until the next shuffle."""
    first = deal(slug, "KS JH QS 8H")
    over = play(first, "stay")
    second = play(over, "deal", new_salt=salts(1))
    flags = [table.stacked for table in (first, over, second)]
    assert flags == [True, True, slug != "blackjack"]
    assert not play(second, "new", "deal", new_salt=salts(2)).stacked
