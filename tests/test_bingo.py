"""Bingo against the sheet, its sample decks, and a simulator that shares no code with it.

What is expected comes from the sheet and its samples, from arithmetic done here, or from
``Reference``: rounds played with plain strings and bit masks.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise
from math import comb, sqrt
from pathlib import Path

import msgspec
import pytest
from cardgames.bingo import (
    LINES,
    PATTERNS,
    Bingo,
    GridView,
    Mode,
    State,
    View,
    covered,
    dealt,
    is_bingo,
    matches,
    outcome,
    winning_positions,
)

from cardgames.cards import FULL_DECK, Card, File, InvalidDeck, parse_deck
from cardgames.game import IllegalMove, Phase

DECKS = Path(__file__).parent / "decks"
BINGO_DECK = (DECKS / "bingoDeck.txt").read_text()
LINE_A_WINS = (DECKS / "callingDeck_line_Awins.txt").read_text()
CORNERS_B_WINS = (DECKS / "callingDeck_corners_Bwins.txt").read_text()
FULL_SPEED_TIE = (DECKS / "callingDeck_full_rankonly_tie.txt").read_text()

# What the sample bingo deck deals. Grid A is also the grid that the sheet prints as its example.
GRID_A = [
    "KS AH 6C 5H KC",
    "TD 7H 9C 8S 4C",
    "2D AC .. 4S 4D",
    "5D 3D TC 8C JC",
    "9H 5C 7C 5S JS",
]
GRID_B = [
    "JH QS 6D TS TH",
    "KD 3C 2C 9S AD",
    "QH 2H .. QD 3S",
    "6S QC JD 6H AS",
    "7S 7D 9D 3H 8D",
]
EVERYWHERE = tuple(range(25))

TABLE = Bingo()
KINDS = [(mode, speed) for mode in "LCF" for speed in "NY"]


def deal(mode: str, speed: str, bingo: str = "", calling: str = "", seed: int = 1) -> State:
    choices = {"mode": mode, "speed": speed, "bingo_deck": bingo, "calling_deck": calling}
    return TABLE.play(TABLE.start(), "deal", choices, random.Random(seed))


def call(state: State, calls: str = "1") -> State:
    return TABLE.play(state, "call", {"calls": calls}, random.Random(0))


def play_out(state: State) -> Iterator[View]:
    """Yield the view after every single call of a round."""
    for _ in range(52):
        state = call(state)
        yield TABLE.page_view(state)
        if TABLE.phase(state) is Phase.ROUND_OVER:
            return
    pytest.fail("52 calls and no winner")


def rows(grid: GridView) -> list[str]:
    codes = [".." if card is None else card.value for card in grid.cards]
    return [" ".join(codes[start : start + 5]) for start in range(0, 25, 5)]


def cards(codes: str) -> tuple[Card, ...]:
    return tuple(map(Card, codes.split()))


def deck_with(order: Mapping[int, str]) -> str:
    """Return a deck file with given cards at given places; the others follow as they come."""
    others = (card.value for card in FULL_DECK if card.value not in order.values())
    return "\n".join(order[place] if place in order else next(others) for place in range(52))


def deck_on_top(*top: str) -> str:
    return deck_with(dict(enumerate(top)))


class Reference:
    """A round without any of our code: strings for cards, one bit a position that lies down."""

    ROWS = tuple(0b11111 << 5 * row for row in range(5))
    COLUMNS = tuple(0b00001_00001_00001_00001_00001 << column for column in range(5))
    DIAGONALS = (
        0b10000_01000_00100_00010_00001,
        0b00001_00010_00100_01000_10000,
    )
    LINES = (*ROWS, *COLUMNS, *DIAGONALS)
    CORNERS = 0b10001_00000_00000_00000_10001
    FULL = 0b11111_11111_11111_11111_11111
    CENTRE = 0b00000_00000_00100_00000_00000

    @classmethod
    def bingo(cls, down: int, mode: str) -> bool:
        if mode == "L":
            return any(down & line == line for line in cls.LINES)
        wanted = cls.CORNERS if mode == "C" else cls.FULL
        return down & wanted == wanted

    @classmethod
    def play(
        cls, bingo_deck: list[str], calling_deck: list[str], mode: str, speed: str
    ) -> Iterator[tuple[int, int, str | None]]:
        """Yield after each call what lies down in A and in B, and the winner; stop at a winner."""
        down = [cls.CENTRE, cls.CENTRE]
        compared = 1 if speed == "Y" else 2
        winner = None
        calling = list(calling_deck)
        while winner is None:
            called = calling.pop(0)
            for number, card in enumerate(bingo_deck[:50]):
                player, position = number % 2, number // 2
                if card[:compared] == called[:compared]:
                    down[player] |= 1 << position
            a, b = (cls.bingo(one, mode) for one in down)
            winner = {(True, True): "tie", (True, False): "A", (False, True): "B"}.get((a, b))
            yield down[0], down[1], winner


def as_mask(positions: tuple[int, ...] | frozenset[int]) -> int:
    return sum(1 << position for position in positions)


def positions_of(mask: int) -> frozenset[int]:
    return frozenset(position for position in range(25) if mask >> position & 1)


# The three rounds of the sheet's sample output


def test_the_deal_lays_odd_cards_to_a_and_even_ones_to_b_row_by_row():
    lines = BINGO_DECK.split()
    a, b, rest = dealt(parse_deck(BINGO_DECK))
    assert list(a) == lines[0:49:2]
    assert list(b) == lines[1:50:2]
    assert rest == (Card("2S"), Card("KH"))
    assert (a[12], b[12]) == (Card("4H"), Card("8H"))

    grid_a, grid_b = TABLE.page_view(deal("L", "N", BINGO_DECK, LINE_A_WINS)).grids
    assert (grid_a.player, grid_b.player) == ("A", "B")
    assert (rows(grid_a), rows(grid_b)) == (GRID_A, GRID_B)
    assert grid_a.covered == grid_b.covered == (12,)
    assert grid_a.turned == grid_a.winning == ()


def test_the_line_sample_is_won_by_a_with_the_top_row_at_the_sixth_call():
    """KS KC AH JH 6C 5H: all of A's top row, with one call, the fourth, that only B has."""
    state = deal("L", "N", BINGO_DECK, LINE_A_WINS)
    views = list(play_out(state))
    assert [view.grids[0].covered for view in views] == [
        (0, 12),
        (0, 4, 12),
        (0, 1, 4, 12),
        (0, 1, 4, 12),
        (0, 1, 2, 4, 12),
        (0, 1, 2, 3, 4, 12),
    ]
    assert [view.winner for view in views] == [None] * 5 + ["A"]
    assert views[3].messages == ("Now calling [ JH ]",)
    assert views[3].grids[1].covered == (*views[3].grids[1].turned, 12) == (0, 12)
    last = views[-1]
    assert last.called == cards("KS KC AH JH 6C 5H")
    assert last.left == 46
    assert last.messages == ("Now calling [ 5H ]", "Round 1: Player A won!")
    assert last.grids[0].winning == (0, 1, 2, 3, 4)
    assert last.grids[1].winning == ()
    assert (last.tally.A, last.tally.B, last.tally.tie) == (1, 0, 0)


def test_the_corners_sample_is_won_by_b_at_the_fourth_call():
    """JH TH 7S 8D are B's corners; A has none of them."""
    view = TABLE.page_view(call(deal("C", "N", BINGO_DECK, CORNERS_B_WINS), "all"))
    assert view.called == cards("JH TH 7S 8D")
    assert view.grids[0].covered == (12,)
    assert view.grids[1].covered == (0, 4, 12, 20, 24)
    assert view.grids[1].winning == view.grids[1].turned == (0, 4, 20, 24)
    assert (view.winner, view.messages[-1]) == ("B", "Round 1: Player B won!")
    assert (view.tally.A, view.tally.B, view.tally.tie) == (0, 1, 0)


def test_the_full_speed_sample_ties_at_the_thirteenth_call():
    """Thirteen calls, one of each rank; only the last of them, 8S, completes either grid."""
    state = deal("F", "Y", BINGO_DECK, FULL_SPEED_TIE)
    views = list(play_out(state))
    assert len(views) == 13
    assert {view.winner for view in views[:-1]} == {None}
    last = views[-1]
    assert last.called[-1] == Card("8S")
    assert {card.rank for card in last.called} == {card.rank for card in FULL_DECK}
    assert last.grids[0].covered == last.grids[1].covered == EVERYWHERE
    assert last.grids[0].winning == last.grids[1].winning == EVERYWHERE
    assert (last.winner, last.messages[-1]) == ("tie", "Round 1: Tie!")
    assert (last.tally.A, last.tally.B, last.tally.tie) == (0, 0, 1)


@pytest.mark.parametrize("calling", [LINE_A_WINS, CORNERS_B_WINS, FULL_SPEED_TIE])
@pytest.mark.parametrize(("mode", "speed"), KINDS)
def test_every_kind_of_round_with_the_sample_decks_is_played_as_the_reference_plays_it(
    calling: str, mode: str, speed: str
):
    expected = list(Reference.play(BINGO_DECK.split(), calling.split(), mode, speed))
    seen = list(play_out(deal(mode, speed, BINGO_DECK, calling)))
    assert [summary(view) for view in seen] == expected


def summary(view: View) -> tuple[int, int, str | None]:
    a, b = view.grids
    return as_mask(a.covered), as_mask(b.covered), view.winner


@pytest.mark.parametrize(("mode", "speed"), KINDS)
def test_random_rounds_are_played_as_the_reference_plays_them(mode: str, speed: str):
    for seed in range(40):
        state = deal(mode, speed, seed=seed)
        bingo_deck = [card.value for card in state.bingo_deck]
        calling_deck = [card.value for card in state.calling_deck]
        expected = list(Reference.play(bingo_deck, calling_deck, mode, speed))
        views = list(play_out(state))
        assert [summary(view) for view in views] == expected
        assert TABLE.page_view(call(state, "all")).called == tuple(calling_deck[: len(expected)])
        for before, after in pairwise(views):
            for old, new in zip(before.grids, after.grids, strict=True):
                assert set(new.turned) == set(new.covered) - set(old.covered)
                assert set(old.covered) <= set(new.covered)


# Nothing is turned up, and the centre is not shown


def test_the_centre_stays_down_when_its_own_card_is_called():
    """The instructor's sample toggles 7C in B's centre up; the sheet says it lies face down."""
    state = deal("L", "N", deck_with({25: "7C", 24: "7D"}), deck_on_top("7C", "7D"))
    for number in (1, 2):
        state = call(state)
        view = TABLE.page_view(state)
        assert len(view.called) == number
        assert [grid.covered for grid in view.grids] == [(12,), (12,)]
        assert [grid.turned for grid in view.grids] == [(), ()]
        assert [grid.cards[12] for grid in view.grids] == [None, None]


def test_a_covered_card_whose_rank_is_called_again_stays_covered():
    state = deal("F", "Y", deck_with({0: "9C", 2: "9D"}), deck_on_top("9H", "9S", "9C", "9D"))
    views = list(play_out(state))[:4]
    assert views[0].grids[0].turned[:2] == (0, 1)
    for view in views[1:]:
        assert view.grids[0].covered == views[0].grids[0].covered
        assert view.grids[1].covered == views[0].grids[1].covered
        assert view.grids[0].turned == view.grids[1].turned == ()


@pytest.mark.parametrize(("mode", "speed"), KINDS)
def test_a_call_that_matches_a_hidden_centre_looks_like_no_match(mode: str, speed: str):
    """The called card lies in A's centre, in B's, or undealt: all that is shown is the same."""
    hidden, cards = (24, 25, 50, 51), ("7C", "KH", "2S", "JD")
    seen = []
    for turn in range(4):
        places = hidden[turn:] + hidden[:turn]
        bingo_deck = deck_with(dict(zip(places, cards, strict=True)))
        state = call(deal(mode, speed, bingo_deck, deck_on_top("7C")))
        seen.append((TABLE.page_view(state), TABLE.moves(state), TABLE.verdict(state)))
    assert seen[1:] == seen[:1] * 3


@pytest.mark.parametrize(("mode", "speed"), KINDS)
def test_nothing_shown_depends_on_what_is_hidden(mode: str, speed: str):
    rng = random.Random(104)
    for seed in range(20):
        state = deal(mode, speed, seed=seed)
        for _ in range(52):
            if TABLE.phase(state) is Phase.ROUND_OVER:
                break
            state = call(state, rng.choice(("1", "5")))
            other = reshuffled_out_of_sight(state, rng)
            assert TABLE.page_view(other) == TABLE.page_view(state)
            assert TABLE.moves(other) == TABLE.moves(state)
            assert TABLE.verdict(other) == TABLE.verdict(state)


def reshuffled_out_of_sight(state: State, rng: random.Random) -> State:
    """Permute both centres and the two undealt cards, and the cards that are not called yet."""
    hidden = [24, 25, 50, 51]
    bingo_deck = list(state.bingo_deck)
    for place, source in zip(hidden, rng.sample(hidden, 4), strict=True):
        bingo_deck[place] = state.bingo_deck[source]
    uncalled = list(state.calling_deck[state.calls :])
    rng.shuffle(uncalled)
    calling_deck = (*state.calling_deck[: state.calls], *uncalled)
    return replace(state, bingo_deck=tuple(bingo_deck), calling_deck=calling_deck)


def test_a_fresh_table_names_the_forty_eight_cards_in_sight_and_no_other():
    state = deal("L", "N")
    page = msgspec.json.encode((TABLE.page_view(state), TABLE.moves(state)), enc_hook=str).decode()
    named = {card for card in FULL_DECK if f'"{card.value}"' in page}
    assert named == set(FULL_DECK) - {state.bingo_deck[place] for place in (24, 25, 50, 51)}


# Patterns


def test_the_twelve_lines_are_the_rows_the_columns_and_the_diagonals():
    assert len(LINES) == len(set(LINES)) == 12
    assert set(map(as_mask, LINES)) == set(Reference.LINES)
    assert [as_mask(pattern) for pattern in PATTERNS[Mode.CORNERS]] == [Reference.CORNERS]
    assert [as_mask(pattern) for pattern in PATTERNS[Mode.FULL]] == [Reference.FULL]


@pytest.mark.parametrize("mode", "LCF")
def test_every_set_of_at_most_five_cards_down_and_of_at_most_five_up(mode: str):
    """No line is larger than five cards, and five cards face up can break all: 2 x 68,406 sets."""
    for size in range(6):
        for some in combinations(range(25), size):
            mask = as_mask(some)
            for down in (mask, Reference.FULL & ~mask):
                assert is_bingo(positions_of(down), Mode(mode)) is Reference.bingo(down, mode)


def test_a_line_short_of_any_one_card_is_no_line():
    for line in map(positions_of, Reference.LINES):
        assert is_bingo(line, Mode.LINE)
        assert winning_positions(line, Mode.LINE) == line
        for missing in line:
            assert not is_bingo(line - {missing}, Mode.LINE)
            assert winning_positions(line - {missing}, Mode.LINE) == frozenset()


def test_two_lines_at_once_win_together():
    row, column = positions_of(Reference.ROWS[1]), positions_of(Reference.COLUMNS[3])
    assert winning_positions(row | column | {0, 24}, Mode.LINE) == row | column


@pytest.mark.slow
@pytest.mark.parametrize("mode", "LCF")
def test_every_set_of_cards_down_with_the_centre(mode: str):
    """All 2^24 of them, in the order in which one card turns at a time."""
    places = [place for place in range(25) if place != 12]
    down, mask, bingos = {12}, Reference.CENTRE, 0
    for number in range(2**24):
        if number:
            place = places[(number & -number).bit_length() - 1]
            down ^= {place}
            mask ^= 1 << place
        found = is_bingo(down, Mode(mode))
        assert found is Reference.bingo(mask, mode)
        bingos += found
    assert bingos == {"L": sets_with_a_line(), "C": 2**20, "F": 1}[mode]


def sets_with_a_line() -> int:
    """Count the sets with the centre that hold a line, by inclusion and exclusion."""
    total = 0
    for size in range(1, 13):
        for lines in combinations(Reference.LINES, size):
            union = Reference.CENTRE
            for line in lines:
                union |= line
            total += (-1) ** (size + 1) * 2 ** (25 - union.bit_count())
    return total


@pytest.mark.parametrize("speed", [False, True])
def test_a_match_is_the_same_card_or_in_a_speed_round_the_same_rank(speed: bool):  # noqa: FBT001
    alike = sum(matches(one, other, speed=speed) for one in FULL_DECK for other in FULL_DECK)
    assert alike == (13 * 4 * 4 if speed else 52)
    for one in FULL_DECK:
        for other in FULL_DECK:
            same = one.value[0] == other.value[0] if speed else one.value == other.value
            assert matches(one, other, speed=speed) is same
            assert (0 in covered((one,), (other,), speed=speed)) is same


def test_who_wins():
    assert outcome(a_bingo=False, b_bingo=False) is None
    assert outcome(a_bingo=True, b_bingo=False) == "A"
    assert outcome(a_bingo=False, b_bingo=True) == "B"
    assert outcome(a_bingo=True, b_bingo=True) == "tie"


# What chance gives


def mean_calls_until_either(needed: int) -> Fraction:
    """Return the mean number of calls until one of two disjoint sets of cards is all called.

    It is the sum over n of P(not over after n calls); a given set of k is called with
    C(n, k)/C(52, k).
    """
    return sum(
        1
        - 2 * Fraction(comb(n, needed), comb(52, needed))
        + Fraction(comb(n, 2 * needed), comb(52, 2 * needed))
        for n in range(52)
    )


NUMBERS = {
    ("L", "N"): (24.61609375, 1 / 2, 0),
    ("L", "Y"): (8.12881428, 0.44317512, 0.11364976),
    ("C", "N"): (1696 / 45, 1 / 2, 0),
    ("C", "Y"): (15.56329219, 0.42952900, 0.14094201),
    ("F", "N"): (61056 / 1225, 1 / 2, 0),
    ("F", "Y"): (27.01850969, 0.07562676, 0.84874648),
}
"""Mean calls, P(A) and P(tie): the reference numbers of the project, from two other programs."""


def test_the_reference_means_are_what_counting_gives():
    assert mean_calls_until_either(4) == Fraction(1696, 45)
    assert mean_calls_until_either(24) == Fraction(61056, 1225)


@pytest.mark.parametrize("mode", "LCF")
def test_a_round_that_is_no_speed_round_never_ties(mode: str):
    rng = random.Random(52)
    for _ in range(300):
        state = TABLE.play(TABLE.start(), "deal", {"mode": mode, "speed": "N"}, rng)
        assert TABLE.page_view(call(state, "all")).winner in {"A", "B"}


@pytest.mark.parametrize(
    "rounds", [pytest.param(300, id="few"), pytest.param(20_000, id="many", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(("mode", "speed"), KINDS)
def test_simulated_rounds_agree_with_the_reference_numbers(mode: str, speed: str, rounds: int):
    """Within four standard errors; the deal and every shuffle are the game's own."""
    rng = random.Random(rounds)
    state, lengths = TABLE.start(), []
    for _ in range(rounds):
        state = TABLE.play(state, "deal", {"mode": mode, "speed": speed}, rng)
        state = call(state, "all")
        lengths.append(state.calls)
    tally = TABLE.page_view(state).tally
    assert tally.A + tally.B + tally.tie == rounds

    mean_calls, p_a, p_tie = NUMBERS[mode, speed]
    mean = sum(lengths) / rounds
    variance = sum((length - mean) ** 2 for length in lengths) / (rounds - 1)
    assert abs(mean - mean_calls) <= 4 * sqrt(variance / rounds)
    for wins, p in ((tally.A, p_a), (tally.B, p_a), (tally.tie, p_tie)):
        assert abs(wins / rounds - p) <= 4 * sqrt(p * (1 - p) / rounds)


# Moves, fields and refusals


def test_an_empty_table():
    view = TABLE.page_view(TABLE.start())
    assert (view.phase, view.round, view.mode, view.speed) == ("ready", 0, "L", False)
    assert (view.grids, view.called, view.left, view.winner) == ((), (), 52, None)
    assert (view.tally.A, view.tally.B, view.tally.tie) == (0, 0, 0)
    assert (view.messages, view.stacked) == ((), False)
    assert TABLE.verdict(TABLE.start()) is None


def test_the_moves_of_each_phase_and_their_fields():
    kind = {"mode": {"L": "Line", "C": "Corners", "F": "Full"}, "speed": {"Y": "Yes", "N": "No"}}
    ready = TABLE.start()
    playing = deal("L", "N")
    over = call(playing, "all")
    listed = [
        {move.name: dict(move.fields) for move in TABLE.moves(state)}
        for state in (ready, playing, over)
    ]
    assert [list(moves) for moves in listed] == [["deal", "new"], ["call", "new"], ["deal", "new"]]
    assert listed[0]["deal"] == kind | {"bingo_deck": None, "calling_deck": None}
    assert list(listed[1]["call"]["calls"]) == ["1", "5", "all"]
    assert listed[2]["deal"] == kind
    assert [TABLE.phase(state) for state in (ready, playing, over)] == [
        "ready",
        "playing",
        "round over",
    ]


KIND = {"mode": "L", "speed": "N"}


@pytest.mark.parametrize(
    ("phase", "move", "choices"),
    [
        ("ready", "call", {"calls": "1"}),
        ("ready", "deal", {}),
        ("ready", "deal", {"mode": "L"}),
        ("ready", "deal", {"speed": "N"}),
        ("ready", "deal", {"mode": "l", "speed": "N"}),
        ("ready", "deal", {"mode": "", "speed": "N"}),
        ("ready", "deal", {"mode": "L", "speed": "yes"}),
        ("ready", "deal", {"mode": File("mode.txt", b"L"), "speed": "N"}),
        ("ready", "deal", {**KIND, "deck": ""}),
        ("ready", "new", {"mode": "L"}),
        ("playing", "deal", KIND),
        ("playing", "call", {}),
        ("playing", "call", {"calls": "2"}),
        ("playing", "call", {"calls": "ALL"}),
        ("playing", "call", {"calls": "1", "bingo_deck": ""}),
        ("round over", "call", {"calls": "1"}),
        ("round over", "deal", {**KIND, "bingo_deck": ""}),
        ("round over", "deal", {**KIND, "calling_deck": CORNERS_B_WINS}),
    ],
)
def test_what_the_rules_do_not_allow_is_refused(phase: str, move: str, choices: dict):
    playing = deal("L", "N")
    table = {"ready": TABLE.start(), "playing": playing, "round over": call(playing, "all")}
    with pytest.raises(IllegalMove):
        TABLE.play(table[phase], move, choices, random.Random(0))


@pytest.mark.parametrize("field", ["bingo_deck", "calling_deck"])
def test_either_deck_is_refused_when_it_is_not_52_cards(field: str):
    sent = File("invalid1.txt", (DECKS / "invalid1.txt").read_bytes())
    good = {"bingo_deck": BINGO_DECK, "calling_deck": LINE_A_WINS}
    with pytest.raises(InvalidDeck) as refused:
        TABLE.play(TABLE.start(), "deal", KIND | good | {field: sent}, random.Random(0))
    assert str(refused.value) == "Cannot populate deck: invalid data in invalid1.txt"
    assert refused.value.faults == ("line 52 is missing: a deck has 52 cards, a line each",)
    with pytest.raises(InvalidDeck, match="invalid data in the text"):
        TABLE.play(TABLE.start(), "deal", KIND | good | {field: "KS\nKS"}, random.Random(0))


def test_with_two_bad_decks_the_bingo_deck_is_named_first():
    bad = {"bingo_deck": File("one", b"XX"), "calling_deck": File("two", b"XX")}
    with pytest.raises(InvalidDeck, match="invalid data in one"):
        TABLE.play(TABLE.start(), "deal", KIND | bad, random.Random(0))


@pytest.mark.parametrize("with_bingo", [True, False])
@pytest.mark.parametrize("with_calling", [True, False])
def test_one_deck_from_a_file_leaves_the_other_to_luck_and_the_round_stacked(
    with_bingo: bool,  # noqa: FBT001
    with_calling: bool,  # noqa: FBT001
):
    bingo = BINGO_DECK if with_bingo else ""
    calling = LINE_A_WINS if with_calling else ""
    some, others = (deal("L", "N", bingo, calling, seed=seed) for seed in (1, 2))
    assert (some.bingo_deck == others.bingo_deck) is with_bingo
    assert (some.calling_deck == others.calling_deck) is with_calling
    for state in (some, others):
        assert sorted(TABLE.cards(state)) == sorted(FULL_DECK * 2)
        over = call(state, "all")
        assert (
            TABLE.page_view(state).stacked
            is TABLE.page_view(over).stacked
            is (with_bingo or with_calling)
        )
        again = TABLE.play(over, "deal", KIND, random.Random(3))
        assert TABLE.page_view(again).stacked is False
        assert TABLE.page_view(TABLE.play(state, "new", {}, random.Random(3))).stacked is False


def test_the_next_round_has_two_whole_decks_freshly_shuffled():
    over = call(deal("L", "N", BINGO_DECK, LINE_A_WINS), "all")
    again, other = (
        TABLE.play(over, "deal", {"mode": "C", "speed": "Y"}, random.Random(seed))
        for seed in (1, 2)
    )
    view = TABLE.page_view(again)
    assert (view.round, view.mode, view.speed, view.phase) == (2, "C", True, "playing")
    assert (view.called, view.left, view.winner) == ((), 52, None)
    assert view.tally == TABLE.page_view(over).tally
    assert view.messages == ("Round 2 beginning...",)
    decks = [again.bingo_deck, again.calling_deck, over.bingo_deck, over.calling_deck]
    decks += [other.bingo_deck, other.calling_deck]
    assert len(set(decks)) == 6
    assert all(sorted(deck) == sorted(FULL_DECK) for deck in decks)
    assert TABLE.play(again, "new", {}, random.Random(0)) == TABLE.start()


def test_calls_stop_at_the_winner_and_are_told_one_by_one():
    state = deal("L", "N", BINGO_DECK, LINE_A_WINS)
    assert TABLE.page_view(state).messages == ("Round 1 beginning...",)
    five = call(state, "5")
    assert TABLE.page_view(five).messages == tuple(
        f"Now calling [ {code} ]" for code in cards("KS KC AH JH 6C")
    )
    assert TABLE.page_view(five).grids[0].turned == (0, 1, 2, 4)
    for calls in ("5", "all"):
        over = TABLE.page_view(call(five, calls))
        assert len(over.called) == 6
        assert over.messages == ("Now calling [ 5H ]", "Round 1: Player A won!")
        assert over.grids[0].turned == (3,)
    assert TABLE.page_view(call(state, "all")).grids == tuple(
        replace(grid, turned=tuple(place for place in grid.covered if place != 12))
        for grid in over.grids
    )


@pytest.mark.parametrize(
    ("mode", "speed", "calling", "text", "rule"),
    [
        ("L", "N", LINE_A_WINS, "BINGO! Player A has a line after 6 calls", "line"),
        ("C", "N", CORNERS_B_WINS, "BINGO! Player B has all four corners after 4 calls", "corners"),
        (
            "F",
            "Y",
            FULL_SPEED_TIE,
            "BINGO! Both players have a full grid after 13 calls: a tie",
            "tie",
        ),
    ],
)
def test_the_verdict_says_who_with_what_and_when(
    mode: str, speed: str, calling: str, text: str, rule: str
):
    state = deal(mode, speed, BINGO_DECK, calling)
    assert TABLE.verdict(state) is None
    verdict = TABLE.verdict(call(state, "all"))
    assert verdict is not None
    assert (verdict.text, verdict.rule) == (text, rule)


def test_one_call_may_turn_four_corners_in_a_speed_round():
    aces = dict(zip((0, 8, 40, 48), ("AC", "AD", "AH", "AS"), strict=True))
    verdict = TABLE.verdict(call(deal("C", "Y", deck_with(aces), deck_on_top("AH"))))
    assert verdict is not None
    assert verdict.text == "BINGO! Player A has all four corners after 1 call"


def test_every_verdict_points_to_a_house_rule():
    anchors = [rule.anchor for rule in TABLE.house_rules]
    assert len(anchors) == len(set(anchors))
    decided = set()
    for mode, speed in KINDS:
        for seed in range(30):
            verdict = TABLE.verdict(call(deal(mode, speed, seed=seed), "all"))
            assert verdict is not None
            decided.add(verdict.rule)
    assert decided == {"line", "corners", "full", "tie"}
    assert decided <= set(anchors)


# States


def test_random_play_keeps_all_104_cards_and_survives_being_saved():
    rng = random.Random(13)
    state, seen = TABLE.start(), set()
    for _ in range(600):
        move = rng.choice(TABLE.moves(state))
        if move.name == "new" and rng.random() < 0.9:
            continue
        choices = {
            name: rng.choice(list(options)) for name, options in move.fields.items() if options
        }
        before = msgspec.msgpack.encode(state)
        after = TABLE.play(state, move.name, choices, rng)
        assert msgspec.msgpack.encode(state) == before
        state = after

        assert sorted(TABLE.cards(state)) == sorted(FULL_DECK * TABLE.decks)
        view = TABLE.page_view(state)
        assert len(view.called) == len(set(view.called)) == 52 - view.left
        shown = [card for grid in view.grids for card in grid.cards if card is not None]
        assert len(shown) == len(set(shown)) == 48 * (view.phase != "ready")
        assert len(view.messages) <= 53
        assert sum((view.tally.A, view.tally.B, view.tally.tie)) == (
            view.round - (view.phase == "playing")
        )
        saved = msgspec.msgpack.encode(state)
        assert msgspec.msgpack.decode(saved, type=TABLE.state_type) == state
        seen.add(view.phase)
    assert seen == {"ready", "playing", "round over"}


@pytest.mark.parametrize("deck", ["bingo_deck", "calling_deck"])
def test_a_card_lost_from_either_deck_would_be_missed(deck: str):
    state = deal("L", "N")
    lacking = replace(state, **{deck: getattr(state, deck)[1:]})
    assert len(TABLE.cards(lacking)) == 103


def test_a_saved_state_that_lacks_a_field_is_not_a_state():
    saved = msgspec.to_builtins(deal("L", "N"))
    assert msgspec.convert(saved, type=State, strict=True) == deal("L", "N")
    for name in saved:
        lacking = {key: value for key, value in saved.items() if key != name}
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(lacking, type=State)


def test_the_same_luck_deals_the_same_round():
    assert deal("L", "N", seed=7) == deal("L", "N", seed=7)
    assert deal("L", "N", seed=7) != deal("L", "N", seed=8)
