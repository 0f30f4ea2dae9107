"""The twenty-one tables against their sheets: values, the deal, the dealer, the ends, the deck.

What is expected is written down from the sheets' rules, or worked out here by other means. Decks
are stacked: the cards that matter come first, and the others follow as they come.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from types import SimpleNamespace
from typing import Any, cast

import pytest
from cardgames.twentyone import (
    BLACKJACK,
    ONE_DECK,
    SIMPLE_21,
    Rules,
    State,
    TwentyOne,
    View,
    compared,
    dealer_draws,
    is_soft,
    total,
)
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card, Cards, File, InvalidDeck, Rank
from cardgames.game import IllegalMove, Phase
from tests.test_contract import walk

RULES = {"simple-21": SIMPLE_21, "blackjack": BLACKJACK, "one-deck": ONE_DECK}
SLUGS = list(RULES)
tables = pytest.mark.parametrize("slug", SLUGS)

NO_LUCK = cast("random.Random", SimpleNamespace())
"""A generator that can do nothing: a move that uses it fails."""


class Luck:
    """A generator that can only shuffle, and puts the cards in alphabetical order."""

    def __init__(self) -> None:
        self.shuffles: list[list[Card]] = []

    def shuffle(self, cards: list[Card]) -> None:
        self.shuffles.append(list(cards))
        cards.sort()


def cards(codes: str) -> Cards:
    return tuple(map(Card, codes.split()))


def game(slug: str) -> TwentyOne:
    table = GAMES[slug]
    assert isinstance(table, TwentyOne)
    return table


def stacked(top: str) -> str:
    """Return a deck file with these cards on top; the others follow clubs first."""
    first = top.split()
    return "\n".join([*first, *(code for code in map(str, FULL_DECK) if code not in first)])


def play(slug: str, state: State, *moves: str, rng: Any = NO_LUCK) -> State:
    for move in moves:
        state = game(slug).play(state, move, {}, rng)
    return state


def deal(slug: str, top: str, *moves: str) -> State:
    """Deal from a stacked deck, which takes no luck, and play on."""
    state = game(slug).play(game(slug).start(), "deal", {"deck": stacked(top)}, NO_LUCK)
    return play(slug, state, *moves)


def view(slug: str, state: State) -> View:
    return game(slug).view(state)


def names(slug: str, state: State) -> list[str]:
    return [move.name for move in game(slug).moves(state)]


def with_deck(slug: str, state: State, deck: str) -> State:
    """Return the table with just these cards left in the deck; the others have been played."""
    left = cards(deck)
    on_table = {*state.player, *state.dealer, *left}
    gone = tuple(card for card in FULL_DECK if card not in on_table)
    state = replace(state, deck=left, discards=gone, buried=())
    assert sorted(game(slug).cards(state)) == sorted(FULL_DECK)
    return state


# ---- What cards are worth ------------------------------------------------------------------

# S2-30, the examples of a total closest to 21 without exceeding it; A1-13 and the templates'
# values of the Blackjack sheet. For Simple 21 the same hands with every ace as 1 (S0-6).
HANDS = [
    ("AS", 11, 1),
    ("AS AD", 12, 2),
    ("AS AD 9C", 21, 11),
    ("AS KD", 21, 11),
    ("AS 6D TC", 17, 17),
    ("AS AD AH AC", 14, 4),
    ("AS 5D 5H", 21, 11),
    ("AS 9D AH", 21, 11),
    ("KS QD 2H", 22, 22),
    ("AS AD KH QC", 22, 22),
    ("2C 7C TD KS", 29, 29),
    ("AS AD KS", 12, 12),
    ("AS AD KS 7C", 19, 19),
    ("AS 6D", 17, 7),
    ("AS 5D", 16, 6),
    ("AS 8D 2H", 21, 11),
    ("AS 8D 3H", 12, 12),
    ("3H KS", 13, 13),
    ("9S AD", 20, 10),
    ("JS QD", 20, 20),
]


@pytest.mark.parametrize(("hand", "with_eleven", "always_one"), HANDS)
def test_a_hand_is_worth_what_the_sheets_say(hand: str, with_eleven: int, always_one: int) -> None:
    assert total(cards(hand), BLACKJACK) == with_eleven
    assert total(cards(hand), ONE_DECK) == with_eleven
    assert total(cards(hand), SIMPLE_21) == always_one
    assert is_soft(cards(hand), ONE_DECK) == (with_eleven != always_one)
    assert not is_soft(cards(hand), SIMPLE_21)


@pytest.mark.parametrize("code", [*map(str, FULL_DECK)])
def test_each_card_counts_by_its_rank_alone(code: str) -> None:
    """S0-4 to S0-6, S2-1."""
    worth = {"T": 10, "J": 10, "Q": 10, "K": 10, "A": 1}.get(code[0]) or int(code[0])
    assert total([Card(code)], SIMPLE_21) == worth
    assert (
        total([Card(code)], BLACKJACK) == total([Card(code)], ONE_DECK) == {1: 11}.get(worth, worth)
    )


def test_an_empty_hand_is_worth_nothing() -> None:
    assert [total((), rules) for rules in RULES.values()] == [0, 0, 0]


def best_total(codes: Iterable[str], *, ace_may_be_eleven: bool) -> int:
    """Work a total out from the rule itself: every way to count the aces, the best of them."""
    ways = [(1, 11) if code[0] == "A" and ace_may_be_eleven else (PIPS[code[0]],) for code in codes]
    sums = [sum(way) for way in product(*ways)]
    return max((found for found in sums if found <= 21), default=min(sums))


PIPS = dict(zip("A23456789TJQK", (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10), strict=True))


@given(st.lists(st.sampled_from(FULL_DECK), unique=True, max_size=12))
@settings(deadline=None)
def test_the_aces_count_as_is_best(hand: list[Card]) -> None:
    """A2-15."""
    for rules in RULES.values():
        expected = best_total(hand, ace_may_be_eleven=rules is not SIMPLE_21)
        assert total(hand, rules) == expected


def test_at_simple_21_nobody_has_21_after_four_cards() -> None:
    """S0-9, A0-37: of all 1,326 pairs none."""
    pairs = list(combinations(FULL_DECK, 2))
    assert len(pairs) == 1326
    assert max(total(pair, SIMPLE_21) for pair in pairs) == 20
    assert max(total(pair, ONE_DECK) for pair in pairs) == 21


@given(st.permutations(FULL_DECK))
@settings(deadline=None)
def test_no_deal_at_simple_21_shows_21(deck: list[Card]) -> None:
    state = deal("simple-21", " ".join(deck))
    assert view("simple-21", state).player.total != 21
    assert total(state.player, SIMPLE_21) == best_total(state.player, ace_may_be_eleven=False) <= 20
    assert total(state.dealer, SIMPLE_21) <= 20


# ---- The deal ------------------------------------------------------------------------------


@tables
def test_the_cards_are_dealt_in_turn_and_one_lies_face_down(slug: str) -> None:
    """S0-7, S2-4: player, dealer, player, dealer. A1-10: Blackjack's hole card is the first."""
    state = deal(slug, "2S 3S 4S 5S 6S")
    shown = view(slug, state)
    assert shown.player.cards == cards("2S 4S")
    assert shown.player.total == 6
    hidden_first = slug == "blackjack"
    assert shown.dealer.cards == ((None, Card("5S")) if hidden_first else (Card("3S"), None))
    assert shown.dealer.total is None
    assert (shown.deck, shown.discards, shown.round) == (48, 0, 1)
    assert shown.winner is None
    assert shown.stacked
    assert game(slug).phase(state) is Phase.PLAYING
    assert state.deck[0] == Card("6S")


@tables
def test_an_empty_table_shows_nothing(slug: str) -> None:
    shown = view(slug, game(slug).start())
    assert shown.phase is Phase.READY
    assert shown.player.cards == shown.dealer.cards == ()
    assert shown.player.total is shown.dealer.total is None
    assert (shown.round, shown.deck, shown.discards) == (0, 52, 0)
    assert shown.messages == ()
    assert not shown.stacked


@tables
def test_a_deal_without_a_deck_is_shuffled_once(slug: str) -> None:
    luck = Luck()
    state = play(slug, game(slug).start(), "deal", rng=luck)
    assert [sorted(shuffle) for shuffle in luck.shuffles] == [sorted(FULL_DECK)]
    order = sorted(FULL_DECK)
    assert state.player == (order[0], order[2])
    assert state.dealer == (order[1], order[3])
    assert state.deck == tuple(order[4:])
    assert not state.stacked


@tables
def test_each_hit_takes_the_top_card(slug: str) -> None:
    """S0-10, S0-11: one card a time, up to the player, and the total is always shown."""
    state = deal(slug, "2S 3S 4S 5S 2H 3H 4H", "hit")
    assert view(slug, state).player.cards == cards("2S 4S 2H")
    assert view(slug, state).player.total == 8
    state = play(slug, state, "hit", "hit")
    assert view(slug, state).player.cards == cards("2S 4S 2H 3H 4H")
    assert view(slug, state).player.total == 15
    assert view(slug, state).deck == 45
    assert len(state.dealer) == 2


@tables
def test_the_moves_of_each_phase_are_those_of_the_contract(slug: str) -> None:
    ready = game(slug).start()
    playing = deal(slug, "TS 7S 9S TD")
    over = play(slug, playing, "stay")
    expected = {
        "simple-21": (["deal", "new"], ["hit", "stay", "new"], ["deal", "new"]),
        "blackjack": (["deal", "new"], ["hit", "stay", "deal", "new"], ["deal", "new"]),
        "one-deck": (["deal", "new"], ["hit", "stay", "new"], ["deal", "new"]),
    }
    assert tuple(names(slug, state) for state in (ready, playing, over)) == expected[slug]
    labels = {move.name: move.label for move in game(slug).moves(playing)}
    assert labels["stay"] == ("Stay" if slug == "simple-21" else "Stand")
    assert (labels["hit"], labels["new"]) == ("Hit", "Start over")


@tables
def test_where_a_deck_may_be_sent(slug: str) -> None:
    """At round 0; at Blackjack in every round, the middle of one included."""

    def takes_a_deck(state: State) -> bool:
        return any("deck" in m.fields for m in game(slug).moves(state) if m.name == "deal")

    playing = deal(slug, "TS 7S 9S TD")
    over = play(slug, playing, "stay")
    always = slug == "blackjack"
    states = (game(slug).start(), playing, over)
    assert [takes_a_deck(state) for state in states] == [True, always, always]
    if not always:
        for text in ("", stacked("")):
            with pytest.raises(IllegalMove):
                game(slug).play(over, "deal", {"deck": text}, NO_LUCK)


# ---- Seven differences ---------------------------------------------------------------------


def ace_and_six(slug: str) -> int | None:
    """Return what an ace and a six are worth in the player's hand."""
    return view(slug, deal(slug, "AS 2C 6D 3C")).player.total


def twenty_against_twenty(slug: str) -> tuple[str | None, tuple[int, int, int]]:
    """Return who wins a tie, and the tally."""
    shown = view(slug, deal(slug, "TS JH TD QH", "stay"))
    assert shown.player.total == shown.dealer.total == 20
    return shown.winner, (shown.tally.player, shown.tally.dealer, shown.tally.tie)


# Thirteen rounds of four cards each: the dealer has seventeen or more with two cards.
_DEALERS = [f"T{s} 7{s}" for s in "CDHS"] + [f"J{s} 8{s}" for s in "CDHS"]
_DEALERS += [f"Q{s} 9{s}" for s in "CDHS"] + ["KC KD"]
_PLAYERS = [f"2{s} 3{s}" for s in "CDHS"] + [f"4{s} 5{s}" for s in "CDHS"]
_PLAYERS += [f"6{s} A{s}" for s in "CDHS"] + ["KH KS"]
THIRTEEN_ROUNDS = " ".join(
    f"{player.split()[0]} {dealer.split()[0]} {player.split()[1]} {dealer.split()[1]}"
    for player, dealer in zip(_PLAYERS, _DEALERS, strict=True)
)


def whence_the_cards_come(slug: str) -> list[int | str]:
    """Deal, stay, deal … from 52 cards, and return how many are left after each deal."""
    luck = Luck()
    state = deal(slug, THIRTEEN_ROUNDS)
    left: list[int | str] = [len(state.deck)]
    for _ in range(13):
        state = play(slug, state, "stay", rng=NO_LUCK)
        if "deal" not in names(slug, state):
            left.append(game(slug).phase(state).value)
            break
        state = play(slug, state, "deal", rng=luck)
        left.append(len(state.deck))
    return left


def hole_card(slug: str) -> int:
    """Return which of the dealer's first two cards lies face down."""
    return view(slug, deal(slug, "2S 3S 4S 5S")).dealer.cards.index(None)


def staying_on_21(slug: str) -> tuple[str | None, list[str | None], int | None]:
    """Return what staying on T 9 2 does against a dealer of J 6 who would draw a 5: 21 as well."""
    top = "TS 6H 9S JH 2S 5H" if slug == "blackjack" else "TS JH 9S 6H 2S 5H"
    state = deal(slug, top, "hit")
    assert view(slug, state).player.total == 21
    assert {"hit", "stay"} <= set(names(slug, state))  # A0-13, A1-24, A2-8
    shown = view(slug, play(slug, state, "stay"))
    return shown.winner, [card and card.value for card in shown.dealer.cards], shown.dealer.total


def hole_after_a_bust(slug: str) -> tuple[str | None, list[str | None], int | None]:
    """Return the dealer's hand after the player's T 9 and then 3."""
    shown = view(slug, deal(slug, "TS JH 9S 6H 3S", "hit"))
    assert (shown.phase, shown.player.total) == (Phase.ROUND_OVER, 22)
    return shown.winner, [card and card.value for card in shown.dealer.cards], shown.dealer.total


def dealing_in_mid_round(slug: str) -> tuple[int, int, int, int] | None:
    """Return round and tally after a deal in the middle of a round, where it is legal."""
    state = deal(slug, "TS JH 9S 6H")
    if "deal" not in names(slug, state):
        with pytest.raises(IllegalMove):
            play(slug, state, "deal")
        return None
    tally = view(slug, state := play(slug, state, "deal", rng=Luck())).tally
    assert game(slug).phase(state) is Phase.PLAYING
    return state.round, tally.player, tally.dealer, tally.tie


SEVEN_DIFFERENCES: list[tuple[Callable[[str], Any], Any, Any, Any]] = [
    # what                   Simple 21                  Blackjack                  One-deck
    (ace_and_six, 7, 17, 17),
    (twenty_against_twenty, ("tie", (0, 0, 1)), ("dealer", (0, 1, 0)), ("tie", (0, 0, 1))),
    (
        whence_the_cards_come,
        [*range(48, -1, -4), 48],  # S0-72, A0-20: the discards come back
        [48] * 14,  # S1-32: a new deck each time
        [*range(48, -1, -4), "game over"],  # S2-15, A2-1
    ),
    (hole_card, 1, 0, 1),
    (
        staying_on_21,
        ("player", ["JH", None], None),  # A0-13, S0-80
        ("dealer", ["6H", "JH", "5H"], 21),  # A1-12, A1-15
        ("tie", ["JH", "6H", "5H"], 21),  # A2-16
    ),
    (
        hole_after_a_bust,
        ("dealer", ["JH", None], None),  # S0-12
        ("dealer", ["JH", "6H"], 16),  # A1-19
        ("dealer", ["JH", "6H"], 16),
    ),
    (dealing_in_mid_round, None, (2, 0, 1, 0), None),  # A1-7
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


# ---- The dealer ----------------------------------------------------------------------------

# The dealer's cards and what follows; how many he takes and where he ends, worked out by hand:
# at Simple 21, and at both Blackjacks.
DEALER = [
    ("TH 7H", (0, 17), (0, 17)),
    ("TH TD", (0, 20), (0, 20)),
    ("9H 8H", (0, 17), (0, 17)),
    ("TH 6H 5H", (1, 21), (1, 21)),
    ("TH 6H 6D", (1, 22), (1, 22)),
    ("TH 6H AH", (1, 17), (1, 17)),
    ("6H TH AH", (1, 17), (1, 17)),  # S2-10: with a ten the ace is hard
    ("TH 2H 4H TD", (2, 26), (2, 26)),
    ("AH 6H TD", (1, 17), (0, 17)),  # A1-14, A2-14: stands on a soft 17
    ("AH 7H 9D", (1, 17), (0, 18)),
    ("AH TH 9D", (1, 20), (0, 21)),
    ("AH 5H TD KD", (2, 26), (2, 26)),  # a soft 16 takes, and is a hard 16
    ("AH 5H AD TD", (2, 17), (1, 17)),  # a soft 16 and an ace is a soft 17
    ("AH AD 9H TD", (2, 21), (1, 21)),
    ("AH AD 5H TD", (2, 17), (1, 17)),
    ("AH AD AC AS 3H TD", (4, 17), (3, 17)),
    ("8H 2H AH 6D", (2, 17), (1, 21)),
    ("5H 6H AH 9D", (2, 21), (2, 21)),  # 11 and an ace is 12, not 22
    ("2H 3H 4H 5H 2D AD", (4, 17), (4, 17)),
]


@tables
@pytest.mark.parametrize(("drawn", "simple", "blackjack"), DEALER)
def test_the_dealer_takes_cards_up_to_16_and_stands_on_every_17(
    slug: str, drawn: str, simple: tuple[int, int], blackjack: tuple[int, int]
) -> None:
    """S0-13, S1-6, S2-9, S2-10."""
    first, second, *more = drawn.split()
    state = deal(slug, f"KS {first} 8S {second} {' '.join(more)}", "stay")
    taken, theirs = simple if slug == "simple-21" else blackjack
    shown = view(slug, state)
    assert len(shown.dealer.cards) == 2 + taken
    assert shown.dealer.cards == cards(drawn)[: 2 + taken]
    assert shown.dealer.total == theirs
    assert shown.deck == 48 - taken
    beaten = theirs > 21 or theirs < 18
    won = "player" if beaten else "dealer" if theirs > 18 or slug == "blackjack" else "tie"
    assert shown.winner == won


# Every order of cards, by value alone, that a dealer can draw from one full deck until he stops.


def orders(*, ace_may_be_eleven: bool) -> Iterator[tuple[list[int], Fraction]]:
    """Yield the values of each order, an ace as 1, and the chance that it comes."""
    left = dict.fromkeys(range(1, 10), 4) | {10: 16}

    def further(drawn: list[int], ways: int, of: int) -> Iterator[tuple[list[int], Fraction]]:
        hard = sum(drawn)
        soft = ace_may_be_eleven and 1 in drawn and hard + 10 <= 21
        if hard + 10 * soft >= 17:
            yield drawn, Fraction(ways, of)
            return
        unseen = 52 - len(drawn)
        for value, number in left.items():
            if number:
                left[value] -= 1
                yield from further([*drawn, value], ways * number, of * unseen)
                left[value] += 1

    return further([], 1, 1)


def written(values: list[int]) -> Cards:
    """Write values as different cards of one deck; tens take the court cards too."""
    supply = {value: [f"{value}{suit}" for suit in "CDHS"] for value in range(2, 10)}
    supply[1] = [f"A{suit}" for suit in "CDHS"]
    supply[10] = [rank + suit for suit in "CDHS" for rank in "TJQK"]
    return tuple(Card(supply[value].pop()) for value in values)


ALL_ORDERS = {"simple-21": 308_586, "blackjack": 48_532, "one-deck": 48_532}
EVERY = 97
"""The default run plays one order in so many; ``make test-slow`` plays all of them."""


def follow_every_order(slug: str, every: int) -> int:
    """Run orders through the engine's dealer; return how many there are of them in all."""
    rules, table = RULES[slug], game(slug)
    ace_may_be_eleven = slug != "simple-21"
    standing = deal(slug, "2C 3C 4C 5C")
    number = 0
    for number, (values, _) in enumerate(orders(ace_may_be_eleven=ace_may_be_eleven), start=1):
        if number % every:
            continue
        drawn = written(values)
        # His rule, card by card …
        assert all(dealer_draws(drawn[:some], rules) for some in range(len(drawn)))
        assert not dealer_draws(drawn, rules)
        # … and the whole move, from a table where exactly these cards come.
        others = [card for card in FULL_DECK if card not in drawn]
        player, rest = (others[0], others[-1]), others[1:-1]
        state = replace(
            standing, player=player, dealer=drawn[:2], deck=(*drawn[2:], *rest), discards=()
        )
        after = table.play(state, "stay", {}, NO_LUCK)
        theirs = best_total(drawn, ace_may_be_eleven=ace_may_be_eleven)
        yours = best_total(player, ace_may_be_eleven=ace_may_be_eleven)
        assert after.dealer == drawn
        assert after.deck == tuple(rest)
        shown = table.view(after).dealer
        assert (shown.cards, shown.total) == (drawn, theirs)
        if theirs > 21 or yours > theirs:
            assert after.winner == "player"
        elif theirs > yours or slug == "blackjack":
            assert after.winner == "dealer"
        else:
            assert after.winner == "tie"
    return number


@tables
def test_the_dealer_in_one_order_of_97(slug: str) -> None:
    assert follow_every_order(slug, EVERY) == ALL_ORDERS[slug]


@pytest.mark.slow
@tables
def test_the_dealer_in_every_order_of_one_deck(slug: str) -> None:
    assert follow_every_order(slug, 1) == ALL_ORDERS[slug]


@pytest.mark.parametrize(
    ("ace_may_be_eleven", "published"),
    [
        # numbers.md; the exact fractions are those of the Simple 21 specification.
        (False, [".14843630", ".13923020", ".13431106", ".17353454", ".08935661", ".31513128"]),
        (True, [".14582966", ".13806318", ".13482021", ".17580648", ".12189507", ".28358540"]),
    ],
)
def test_the_orders_themselves_come_as_often_as_is_published(
    ace_may_be_eleven: bool,  # noqa: FBT001
    published: list[str],
) -> None:
    """The enumeration that the tests above lean on, against published chances."""
    chances = dict.fromkeys(range(17, 23), Fraction(0))
    for values, chance in orders(ace_may_be_eleven=ace_may_be_eleven):
        hard = sum(values)
        soft = ace_may_be_eleven and 1 in values and hard + 10 <= 21
        chances[min(hard + 10 * soft, 22)] += chance
    assert sum(chances.values()) == 1
    assert [f"{float(chance):.8f}"[1:] for chance in chances.values()] == published
    if not ace_may_be_eleven:
        assert chances[17] == Fraction(72279047, 486936450)
        assert chances[19] == Fraction(2433866735, 18121118652)
        assert chances[22] == Fraction(785198055451, 2491653814650)


# ---- Who wins, and what is said about it ---------------------------------------------------


@pytest.mark.parametrize("yours", range(4, 32))
@pytest.mark.parametrize("theirs", range(17, 27))
def test_who_wins_is_compared_by_the_rules(yours: int, theirs: int) -> None:
    """S0-12 to S0-15, S1-5 to S1-9, S2-11 to S2-13; A0-15: a bust player wins nothing, ever."""
    hands = {sum(hand): hand for hand in combinations([2, 3, 4, 5, 6, 7, 8, 9, 10], 4)}
    hands |= {sum(hand): hand for hand in combinations([2, 3, 4, 5, 6, 7, 8, 9, 10], 2)}
    hands[4] = (2, 2)
    hands |= {20: (10, 10), 21: (10, 9, 2), 31: (10, 10, 9, 2)}

    def hand(of: int, suits: str) -> Cards:
        ranks = ["T" if value == 10 else str(value) for value in hands[of]]
        return tuple(Card(rank + suits[ranks[:n].count(rank)]) for n, rank in enumerate(ranks))

    for rules in RULES.values():
        winner = compared(hand(yours, "SH"), hand(theirs, "CD"), rules)
        if yours > 21:
            assert winner == "dealer"
        elif theirs > 21 or yours > theirs:
            assert winner == "player"
        elif theirs > yours or rules is BLACKJACK:
            assert winner == "dealer"
        else:
            assert winner == "tie"


# A deck, the moves, and for each table: the winner, what the verdict's sentence must contain, the
# rule that decided, and the messages in the sheet's words (matched in order, case aside).
DEALS_CARDS = "dealing cards to player and dealer..."
ENDS = [
    (
        "you are closer",
        ("TS 9H 8S 8H", "stay"),
        dict.fromkeys(SLUGS, ("player", "You 18, dealer 17: you win", "winner")),
        {
            "simple-21": [r"player wins round 1!"],
            "blackjack": [r"dealer stands", r"you win"],
            "one-deck": [r"dealer stands", r"you win"],
        },
    ),
    (
        "the dealer is closer",
        ("TS TH 7S 8H", "stay"),
        dict.fromkeys(SLUGS, ("dealer", "You 17, dealer 18: ", "winner")),
        {
            "simple-21": [r"dealer wins round 1!"],
            "blackjack": [r"dealer stands", r"dealer wins"],
            "one-deck": [r"dealer stands", r"dealer wins"],
        },
    ),
    (
        "equal",
        ("TS TH 8S 8H", "stay"),
        {
            "simple-21": ("tie", "You 18, dealer 18: ", "ties"),
            "blackjack": ("dealer", "You 18, dealer 18: the dealer wins ties", "ties"),
            "one-deck": ("tie", "You 18, dealer 18: ", "ties"),
        },
        {
            "simple-21": [r"tie! no one wins round 1!"],
            "blackjack": [r"dealer wins"],
            "one-deck": [r"draw"],
        },
    ),
    (
        "the dealer takes a card and is bust",
        ("TS TH 2S 6H KH", "stay"),
        dict.fromkeys(SLUGS, ("player", "You 12, dealer 26: ", "dealer")),
        {
            # A0-1, A0-16; A2-11, A2-13: he hits, is bust, and does not stand.
            "simple-21": [
                r"dealer must take( a)? card(\.\.\.|…)",
                r"dealer went bust\.",
                r"player wins round 1!",
            ],
            "blackjack": [r"dealer hits", r"busted", r"you win"],
            "one-deck": [r"dealer hits", r"busted", r"you win"],
        },
    ),
    (
        "the dealer takes a card to 21",
        ("TS TH 2S 6H 5H", "stay"),
        dict.fromkeys(SLUGS, ("dealer", "You 12, dealer 21: ", "winner")),
        {
            "simple-21": [
                r"dealer must take( a)? card(\.\.\.|…)",
                r"dealer has a natural 21!",
                r"dealer wins round 1!",
            ],
            "blackjack": [r"dealer hits", r"dealer stands", r"dealer wins"],
            "one-deck": [r"dealer hits", r"dealer stands", r"dealer wins"],
        },
    ),
    (
        "you are bust",
        ("TS TH 2S 6H KH", "hit"),
        dict.fromkeys(SLUGS, ("dealer", "22", "bust")),
        {
            "simple-21": [r"player went bust\. dealer wins round 1!"],
            "blackjack": [r"you have busted.*dealer wins"],
            "one-deck": [r"busted.*dealer wins"],
        },
    ),
]


@tables
@pytest.mark.parametrize(("deck_and_moves", "verdicts", "said"), [end[1:] for end in ENDS])
def test_how_a_round_ends_and_what_is_said(
    slug: str,
    deck_and_moves: tuple[str, ...],
    verdicts: dict[str, tuple[str, str, str]],
    said: dict[str, list[str]],
) -> None:
    state = deal(slug, *deck_and_moves)
    winner, sentence, rule = verdicts[slug]
    shown, verdict = view(slug, state), game(slug).verdict(state)
    assert (shown.phase, shown.winner) == (Phase.ROUND_OVER, winner)
    expected_tally = {"player": 0, "dealer": 0, "tie": 0} | {winner: 1}
    tally = shown.tally
    assert {"player": tally.player, "dealer": tally.dealer, "tie": tally.tie} == expected_tally
    assert verdict
    assert sentence in verdict.text
    assert verdict.rule == rule
    spoken = [message.lower() for message in shown.messages]
    for pattern in said[slug]:
        while spoken and not re.search(pattern, spoken[0]):
            spoken.pop(0)
        assert spoken, f"{pattern!r} was not said in {shown.messages}"


def test_the_dealers_bust_is_not_followed_by_standing() -> None:
    """A2-13."""
    for slug in ("blackjack", "one-deck"):
        messages = view(slug, deal(slug, "TS TH 2S 6H KH", "stay")).messages
        assert not any("stand" in message.lower() for message in messages)


def test_the_words_of_the_simple_21_sheet() -> None:
    """B1, and A0-2: the natural 21 of the player, at once and without the dealer."""
    assert view("simple-21", deal("simple-21", "TS TH 9S 6H 2H")).messages == (
        "Dealing cards to player and dealer...",
    )
    state = deal("simple-21", "TS TH 9S 6H 2H", "hit")
    assert not any("wins" in message for message in view("simple-21", state).messages)
    shown = view("simple-21", play("simple-21", state, "stay"))
    assert shown.messages == ("Player wins round 1 with a NATURAL 21!",)
    verdict = game("simple-21").verdict(play("simple-21", state, "stay"))
    assert verdict
    assert ("21" in verdict.text, verdict.rule) == (True, "twenty-one")


def test_the_dealers_turn_is_told_card_by_card() -> None:
    """JH AH is 11, takes QH: 21. What he turns over and takes is named once it lies face up."""
    messages = view("simple-21", deal("simple-21", "KS JH QS AH QH", "stay")).messages
    assert "ace of hearts" in messages[0]
    assert "11" in messages[0]
    assert messages[1] == "Dealer must take a card..."
    assert "queen of hearts" in messages[2]
    assert "21" in messages[2]
    assert messages[3:] == ("Dealer has a natural 21!", "Dealer wins round 1!")


@tables
def test_messages_are_of_the_last_move_alone(slug: str) -> None:
    state = deal(slug, "2S 3S 4S 5S 2H 3H")
    assert len(view(slug, state).messages) == 1
    state = play(slug, state, "hit", "hit")
    (message,) = view(slug, state).messages
    assert "three of hearts" in message


def test_on_21_a_hit_is_legal_and_can_bust() -> None:
    """A0-13, A1-24, A2-8."""
    for slug in SLUGS:
        state = deal(slug, "TS TH 9S 7H 2H 3H", "hit")
        assert view(slug, state).player.total == 21
        assert game(slug).phase(state) is Phase.PLAYING
        assert view(slug, play(slug, state, "hit")).winner == "dealer"


@tables
def test_a_round_is_counted_once_and_tallies_add_up(slug: str) -> None:
    """S1-35, S2-32: over random play the tally changes with the end of a round and only then."""
    before = None
    for state in walk(game(slug), seed=50, moves=400):
        shown = view(slug, state)
        tally = (shown.tally.player, shown.tally.dealer, shown.tally.tie)
        open_rounds = game(slug).phase(state) is Phase.PLAYING
        assert sum(tally) == state.round - open_rounds
        if before and state.round == before.round > 0 and before.phase is not Phase.PLAYING:
            assert state.tally == before.tally
        before = state


@tables
@pytest.mark.parametrize("seed", range(3))
def test_the_cards_in_the_view_are_always_52(slug: str, seed: int) -> None:
    """A null counts as one; and no card lies in two places."""
    for state in walk(game(slug), seed=60 + seed):
        shown = view(slug, state)
        on_table = (*shown.player.cards, *shown.dealer.cards)
        assert len(on_table) + shown.deck + shown.discards == 52
        face_up = [card for card in on_table if card]
        assert len(face_up) == len(set(face_up))
        assert on_table.count(None) <= 1
        if shown.player.cards:
            eleven = slug != "simple-21"
            assert shown.player.total == best_total(shown.player.cards, ace_may_be_eleven=eleven)
        if None in shown.dealer.cards:
            assert shown.dealer.total is None


# ---- Simple 21: one deck over the rounds, refilled lazily ----------------------------------

REFILL = "Repopulating deck with cards..."


@pytest.mark.parametrize("left", range(5))
def test_the_deck_is_refilled_at_the_very_card_that_is_missing(left: int) -> None:
    """S0-53, A0-20: at each of the four places of a deal; with four left not at all."""
    over = deal("simple-21", "KS JH QS 8H", "stay")
    remaining = ["9C", "9D", "9H", "9S"][:left]
    over = with_deck("simple-21", over, " ".join(remaining))
    luck = Luck()
    state = play("simple-21", over, "deal", rng=luck)

    # What comes back is all that was neither on the new table nor in the deck: KS JH QS 8H too.
    back = sorted(card for card in FULL_DECK if card.value not in remaining)
    refilled = left < 4
    assert [sorted(shuffle) for shuffle in luck.shuffles] == [back] * refilled
    order = [*cards(" ".join(remaining)), *(back if refilled else [])]
    assert state.player == (order[0], order[2])
    assert state.dealer == (order[1], order[3])
    shown = view("simple-21", state)
    assert (shown.deck, shown.discards) == ((48, 0) if refilled else (0, 48))
    assert (REFILL in shown.messages) == refilled
    assert shown.messages[0] == "Dealing cards to player and dealer..."
    assert shown.stacked == (not refilled)
    assert (shown.round, shown.winner) == (2, None)
    assert (shown.tally.player, shown.tally.dealer, shown.tally.tie) == (1, 0, 0)


def test_a_hit_on_an_empty_deck_refills_it_and_the_hands_stay() -> None:
    """A0-20, S0-54: the four cards on the table are not shuffled in."""
    state = with_deck("simple-21", deal("simple-21", "2S JH 3S 8H"), "")
    assert view("simple-21", state).deck == 0
    assert view("simple-21", state).stacked
    luck = Luck()
    after = play("simple-21", state, "hit", rng=luck)
    back = sorted(card for card in FULL_DECK if card not in cards("2S JH 3S 8H"))
    assert [sorted(shuffle) for shuffle in luck.shuffles] == [back]
    assert after.player == (*cards("2S 3S"), back[0])
    assert after.dealer == cards("JH 8H")
    assert after.deck == tuple(back[1:])
    shown = view("simple-21", after)
    assert shown.dealer.cards == (Card("JH"), None)
    assert (shown.deck, shown.discards, shown.stacked) == (47, 0, False)
    assert shown.messages[0] == REFILL
    assert shown.phase is Phase.PLAYING
    again = play("simple-21", after, "hit", rng=NO_LUCK)
    assert again.player[-1] == back[1]


def test_taking_the_last_card_refills_nothing() -> None:
    """A0-20: lazily, when a card is needed and not when the last one is gone."""
    state = with_deck("simple-21", deal("simple-21", "2S JH 3S 8H"), "4H")
    after = play("simple-21", state, "hit", rng=NO_LUCK)
    shown = view("simple-21", after)
    assert (shown.deck, shown.discards, shown.stacked) == (0, 47, True)
    assert REFILL not in shown.messages
    over = play("simple-21", after, "stay", rng=NO_LUCK)  # the dealer has 18
    assert view("simple-21", over).deck == 0


@pytest.mark.parametrize("left", ["", "2D"])
def test_the_dealer_refills_the_deck_in_his_turn(left: str) -> None:
    """S0-56: J 2 is 12. Sorted, the discards begin 2C 2D 2H 2S 3C: each too little for 17."""
    state = with_deck("simple-21", deal("simple-21", "KS JH QS 2H"), left)
    luck = Luck()
    after = play("simple-21", state, "stay", rng=luck)
    assert len(luck.shuffles) == 1
    on_table = {*cards("KS JH QS 2H"), *cards(left)}
    back = sorted(card for card in FULL_DECK if card not in on_table)
    assert sorted(luck.shuffles[0]) == back
    new = (*cards(left), *back)
    # 12 and 2C is 14, and 2D 16, and 2S 18; with 2D first: 14, and 2C 16, and 2S 18.
    taken = 3
    assert after.dealer == (*cards("JH 2H"), *new[:taken])
    assert total(after.dealer, SIMPLE_21) == 18
    assert after.player == cards("KS QS")
    shown = view("simple-21", after)
    assert (shown.discards, shown.stacked, shown.winner) == (0, False, "player")
    assert shown.deck == 52 - 4 - taken
    place = shown.messages.index(REFILL)
    assert shown.messages[place - 1] == "Dealer must take a card..."


def test_a_hole_card_that_was_never_shown_is_buried_and_comes_back() -> None:
    """S0-12: after a bust nobody has seen it. It is a discard all the same, and is shuffled in."""
    bust = deal("simple-21", "KS JH QS 8H 5C", "hit")
    assert view("simple-21", bust).dealer.cards == (Card("JH"), None)
    luck = Luck()
    state = play("simple-21", bust, "deal", rng=luck)
    assert luck.shuffles == []
    assert view("simple-21", state).discards == 5
    assert Card("8H") not in state.discards
    assert state.buried == cards("8H")
    # Empty the deck by hand: everything else has been played.
    on_table = {*state.player, *state.dealer}
    gone = tuple(c for c in FULL_DECK if c not in on_table and c != Card("8H"))
    state = replace(state, deck=(), discards=gone)
    assert view("simple-21", state).discards == 48
    after = play("simple-21", state, "hit", rng=luck)
    assert Card("8H") in luck.shuffles[0]
    assert Card("8H") in {*after.deck, *after.player}
    assert after.buried == ()


def test_a_hole_card_of_a_natural_21_is_buried_too() -> None:
    state = deal("simple-21", "TS TH 9S 6H 2H", "hit", "stay", "deal")
    assert state.buried == cards("6H")
    assert view("simple-21", state).discards == 5


def test_a_hole_card_that_was_shown_is_a_plain_discard() -> None:
    state = deal("simple-21", "KS JH QS 8H", "stay", "deal")
    assert state.buried == ()
    assert sorted(state.discards) == sorted(cards("KS JH QS 8H"))


def test_the_cards_lie_on_the_table_until_the_next_deal() -> None:
    over = deal("simple-21", "KS JH QS 8H", "stay")
    assert view("simple-21", over).discards == 0
    assert view("simple-21", over).player.cards == cards("KS QS")
    assert view("simple-21", over).dealer.cards == cards("JH 8H")


@tables
def test_how_long_a_deck_counts_as_the_players_own(slug: str) -> None:
    """True from the deal with a file until the cards are next shuffled."""
    first = deal(slug, "KS JH QS 8H")
    over = play(slug, first, "stay")
    second = play(slug, over, "deal", rng=Luck())
    flags = [view(slug, state).stacked for state in (first, over, second)]
    assert flags == [True, True, slug != "blackjack"]
    assert not view(slug, play(slug, second, "new")).stacked
    unstacked = play(slug, play(slug, second, "new"), "deal", rng=Luck())
    assert not view(slug, unstacked).stacked


# ---- One-deck: what happens when the cards run out -----------------------------------------


@pytest.mark.parametrize("left", ["9C", "9C 9D", "9C 9D 9H"])
def test_a_deal_that_cannot_be_finished_is_a_draw(left: str) -> None:
    """A2-2, A2-7, S2-14: the round starts, runs out, counts as a draw, and the game is over."""
    over = with_deck("one-deck", deal("one-deck", "KS JH QS 8H", "stay"), left)
    state = play("one-deck", over, "deal")
    shown, verdict = view("one-deck", state), game("one-deck").verdict(state)
    assert (shown.phase, shown.winner) == (Phase.GAME_OVER, "tie")
    assert (shown.tally.player, shown.tally.dealer, shown.tally.tie) == (1, 0, 1)
    assert (shown.round, shown.deck) == (2, 0)
    dealt = cards(left)
    assert shown.player.cards == dealt[::2]
    assert len(shown.dealer.cards) == len(dealt[1::2])
    assert shown.discards == 52 - len(dealt)
    assert names("one-deck", state) == ["new"]
    assert verdict
    assert verdict.rule == "cards"
    assert "draw" in shown.messages[-1].lower()


def test_with_four_cards_left_the_round_is_played() -> None:
    over = with_deck("one-deck", deal("one-deck", "KS JH QS 8H", "stay"), "TC TD 9C 8D")
    state = play("one-deck", over, "deal")
    assert game("one-deck").phase(state) is Phase.PLAYING
    assert view("one-deck", state).deck == 0
    shown = view("one-deck", play("one-deck", state, "stay"))  # A2-6: 19 against 18
    assert (shown.phase, shown.winner) == (Phase.GAME_OVER, "player")
    assert (shown.tally.player, shown.tally.dealer, shown.tally.tie) == (2, 0, 0)


@pytest.mark.parametrize("hand", ["TS 2S", "TS JS", "AS KS", "2S 3S"])
def test_a_hit_on_an_empty_deck_is_a_draw_whatever_the_totals(hand: str) -> None:
    """A2-3: not a forced stand."""
    first, second = hand.split()
    state = with_deck("one-deck", deal("one-deck", f"{first} TH {second} 7H"), "")
    assert {"hit", "stay"} <= set(names("one-deck", state))
    after = play("one-deck", state, "hit")
    shown, verdict = view("one-deck", after), game("one-deck").verdict(after)
    assert (shown.phase, shown.winner) == (Phase.GAME_OVER, "tie")
    assert shown.tally.tie == 1
    assert shown.player.cards == cards(hand)
    assert names("one-deck", after) == ["new"]
    assert verdict
    assert verdict.rule == "cards"


@pytest.mark.parametrize(("dealer", "left"), [("TH 6H", ""), ("2H 3H", "4H"), ("AH 2H", "2D AC")])
def test_a_dealer_who_needs_a_card_that_is_not_there_makes_a_draw(dealer: str, left: str) -> None:
    """A2-4: whatever the player has."""
    first, second = dealer.split()
    state = with_deck("one-deck", deal("one-deck", f"TS {first} JS {second}"), left)
    after = play("one-deck", state, "stay")
    shown = view("one-deck", after)
    assert (shown.phase, shown.winner) == (Phase.GAME_OVER, "tie")
    assert (shown.tally.player, shown.tally.dealer, shown.tally.tie) == (0, 0, 1)
    assert shown.dealer.cards == (*cards(dealer), *cards(left))
    assert (shown.deck, names("one-deck", after)) == (0, ["new"])


def test_a_bust_with_the_last_card_is_a_loss() -> None:
    """A2-5: nothing more is needed to finish the round."""
    state = with_deck("one-deck", deal("one-deck", "TS TH JS 6H"), "2D")
    after = play("one-deck", state, "hit")
    shown, verdict = view("one-deck", after), game("one-deck").verdict(after)
    assert (shown.phase, shown.winner) == (Phase.GAME_OVER, "dealer")
    assert (shown.tally.player, shown.tally.dealer, shown.tally.tie) == (0, 1, 0)
    assert names("one-deck", after) == ["new"]
    assert verdict
    assert verdict.rule == "bust"


@pytest.mark.parametrize(
    ("left", "theirs", "winner"),
    [("", 18, "player"), ("5C", 21, "dealer"), ("4C", 20, "tie"), ("KC", 26, "player")],
)
def test_a_round_that_the_last_card_finishes_counts_as_any_other(
    left: str, theirs: int, winner: str
) -> None:
    """A2-6, and A2-1: the deck is empty, so the game is over with this round's winner."""
    dealer = "TH 6H" if left else "TH 8H"
    first, second = dealer.split()
    state = with_deck("one-deck", deal("one-deck", f"TS {first} JS {second}"), left)
    shown = view("one-deck", play("one-deck", state, "stay"))
    assert (shown.phase, shown.winner, shown.dealer.total) == (Phase.GAME_OVER, winner, theirs)


def test_a_round_that_leaves_a_card_is_not_the_end() -> None:
    state = with_deck("one-deck", deal("one-deck", "TS TH JS 6H"), "2D 3D")
    after = play("one-deck", state, "hit")
    assert game("one-deck").phase(after) is Phase.ROUND_OVER
    assert names("one-deck", after) == ["deal", "new"]


def test_what_was_played_does_not_come_back() -> None:
    """A2-21, A2-22, S2-32: one shuffle a game, and no card twice."""
    luck, rng = Luck(), random.Random(70)
    for _ in range(20):
        luck.shuffles.clear()
        state = play("one-deck", game("one-deck").start(), "deal", rng=luck)
        seen: list[Card] = []
        while True:
            if state.phase is Phase.PLAYING:
                state = play("one-deck", state, rng.choice(["hit", "stay"]))
                continue
            seen += [*state.player, *state.dealer]
            if state.phase is Phase.GAME_OVER:
                break
            state = play("one-deck", state, "deal")
        assert len(luck.shuffles) == 1
        assert sorted(seen) == sorted(FULL_DECK)
        assert state.round <= 13  # S2-35
        assert sum((state.tally.player, state.tally.dealer, state.tally.tie)) == state.round


# ---- Blackjack: dealing in the middle of a round -------------------------------------------


def test_dealing_in_the_middle_of_a_round_loses_it_once() -> None:
    """A1-7, S1-33: reported, counted, and a new round is dealt."""
    state = deal("blackjack", "TS JH 9S 6H")
    after = play("blackjack", state, "deal", rng=Luck())
    shown = view("blackjack", after)
    assert (shown.tally.player, shown.tally.dealer, shown.tally.tie) == (0, 1, 0)
    assert (shown.phase, shown.round, shown.deck, shown.discards) == (Phase.PLAYING, 2, 48, 0)
    assert any("lose" in m.lower() or "lost" in m.lower() for m in shown.messages)
    assert shown.winner is None
    assert game("blackjack").verdict(after) is None
    assert view("blackjack", play("blackjack", after, "hit")).tally.dealer == 1


def test_the_first_deal_and_a_deal_between_rounds_cost_nothing() -> None:
    """A1-8, S1-35."""
    state = deal("blackjack", "TS JH 9S 6H 3C")
    assert view("blackjack", state).tally.dealer == 0
    over = play("blackjack", state, "hit")  # bust: lost, once
    assert view("blackjack", over).tally.dealer == 1
    assert not any("lose" in m.lower() for m in view("blackjack", over).messages)
    again = play("blackjack", over, "deal", rng=Luck())
    assert view("blackjack", again).tally.dealer == 1


def test_a_deck_may_be_sent_in_every_round_also_in_the_middle_of_one() -> None:
    table, state = game("blackjack"), game("blackjack").start()
    for number, top in enumerate(["2S 3S 4S 5S", "6S 7S 8S 9S", "TS JS QS KS"], start=1):
        state = table.play(state, "deal", {"deck": stacked(top)}, NO_LUCK)
        shown = table.view(state)
        assert shown.player.cards == cards(top)[::2]
        assert (shown.round, shown.stacked, shown.tally.dealer) == (number, True, number - 1)
    over = play("blackjack", state, "stay")
    state = table.play(over, "deal", {"deck": File("d", stacked("AS 2S").encode())}, NO_LUCK)
    assert state.player[0] == Card("AS")


def test_a_bad_deck_in_the_middle_of_a_round_does_not_forfeit_it() -> None:
    state = deal("blackjack", "TS JH 9S 6H")
    for bad in ("KS", File("bad.txt", b"\xff")):
        with pytest.raises(InvalidDeck):
            game("blackjack").play(state, "deal", {"deck": bad}, NO_LUCK)
    assert view("blackjack", state).tally.dealer == 0


def test_a_double_click_on_deal_costs_one_point(client: FlaskClient) -> None:
    """Both clicks carry the same step, so the second is out of date."""
    json = {"Accept": "application/json"}
    client.post("/blackjack", data={"move": "deal", "step": "0"}, headers=json)
    answers = [
        client.post("/blackjack", data={"move": "deal", "step": "1"}, headers=json)
        for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [200, 409]
    for answer in answers:
        shown = answer.get_json()["view"]
        assert (shown["tally"]["dealer"], shown["round"]) == (1, 2)


def test_blackjack_never_runs_out() -> None:
    """S1-32: 52 fresh cards each deal."""
    state = deal("blackjack", "TS JH 9S 6H")
    for seed in range(100):
        state = play("blackjack", state, "deal", rng=random.Random(seed))
        assert len(state.deck) == 48
        assert not state.stacked


# ---- A newcomer's slips --------------------------------------------------------------------


@tables
@pytest.mark.parametrize("move", ["hit", "stay"])
def test_nothing_can_be_drawn_or_stopped_outside_a_round(slug: str, move: str) -> None:
    """A1-4, A1-6: no effect when no round is open."""
    over = deal(slug, "KS JH QS 8H", "stay")
    for state in (game(slug).start(), over):
        with pytest.raises(IllegalMove):
            play(slug, state, move)


@tables
def test_start_over_clears_everything(slug: str) -> None:
    state = play(slug, deal(slug, "KS JH QS 8H", "stay"), "new")
    shown = view(slug, state)
    assert (shown.phase, shown.round, shown.winner) == (Phase.READY, 0, None)
    assert (shown.tally.player, shown.tally.dealer, shown.tally.tie) == (0, 0, 0)


def test_the_tables_are_what_their_rules_say() -> None:
    """The differences are data; and the registry has the three tables with these rules."""
    found: dict[str, Rules] = {slug: game(slug).rules for slug in SLUGS}
    assert found == RULES
    assert [game(slug).title for slug in SLUGS] == ["Simple 21", "Blackjack", "One-deck Blackjack"]
    assert len(Rank) == len(PIPS)
