"""Bingo compared with the sheet, its sample decks, and an independent simulator.

Expected values are from the sheet and its samples, or from ``Reference`` (``tests.support.bingo``).
``Reference`` plays rounds with plain strings and bit masks.
"""

from itertools import pairwise
from pathlib import Path

import pytest

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card
from cardgames.deck_file import parse_deck
from cardgames.games.bingo import GridView, OwnCard, State
from cardgames.games.bingo.rules import dealt
from cardgames.moves import IllegalMove
from cardgames.table import Phase, Table
from tests.support.amounts import few_or_all
from tests.support.bingo import KINDS, Reference, as_mask
from tests.support.play import cards, play, salts

DECKS = Path(__file__).parent.parent / "decks"
BINGO_DECK = (DECKS / "bingoDeck.txt").read_text()
LINE_A_WINS = (DECKS / "callingDeck_line_Awins.txt").read_text()
CORNERS_B_WINS = (DECKS / "callingDeck_corners_Bwins.txt").read_text()
FULL_SPEED_TIE = (DECKS / "callingDeck_full_rankonly_tie.txt").read_text()

# The deal of the sample Bingo deck. Grid A is also the grid that the sheet prints as its example.
GRID_A = ["KS AH 6C 5H KC", "TD 7H 9C 8S 4C", "2D AC .. 4S 4D", "5D 3D TC 8C JC", "9H 5C 7C 5S JS"]
GRID_B = ["JH QS 6D TS TH", "KD 3C 2C 9S AD", "QH 2H .. QD 3S", "6S QC JD 6H AS", "7S 7D 9D 3H 8D"]

BINGO = GAMES["bingo"]
kinds = pytest.mark.parametrize("kind", KINDS)


def deal(kind: str, bingo: str = "", calling: str = "", seed: int = 1) -> Table:
    """Deal a round of the given kind, such as "LN" for a line without speed."""
    fields = {"mode": kind[0], "speed": kind[1], "bingo_deck": bingo, "calling_deck": calling}
    return play("bingo", "deal", new_salt=salts(seed), **fields)


def call(table: Table, calls: str = "1") -> Table:
    return play(table, f"call calls={calls}")


def play_out(table: Table) -> list[Table]:
    """Return the tables of a round, one after each call."""
    tables = []
    while table.phase is Phase.PLAYING:
        table = call(table)
        tables.append(table)
    return tables


def rows(grid: GridView) -> list[str]:
    codes = [".." if card is None else card.value for card in grid.cards]
    return [" ".join(codes[start : start + 5]) for start in range(0, 25, 5)]


def covered(table: Table) -> list[tuple[int, ...]]:
    return [grid.covered for grid in table.shown().grids]


def summary(table: Table) -> tuple[int, int, str | None]:
    """Return the covered positions of each grid as a bit mask, and the winner."""
    a, b = covered(table)
    return as_mask(a), as_mask(b), table.view()["winner"]


# ---- The three rounds of the sheet's sample output -----------------------------------------


def test_deal_alternates_between_the_grids_row_by_row() -> None:
    """Covers S4-43."""
    lines = BINGO_DECK.split()
    a, b, rest = dealt(parse_deck(BINGO_DECK))
    assert (list(a), list(b), rest) == (lines[0:49:2], lines[1:50:2], ("2S", "KH"))
    assert (a[12], b[12]) == ("4H", "8H")
    grid_a, grid_b = deal("LN", BINGO_DECK, LINE_A_WINS).shown().grids
    assert (grid_a.player, grid_b.player) == ("A", "B")
    assert (rows(grid_a), rows(grid_b)) == (GRID_A, GRID_B)
    assert grid_a.covered == grid_b.covered == (12,)


@few_or_all("rounds", 10, 40)
@kinds
def test_random_rounds_are_played_as_the_reference_plays_them(kind: str, rounds: int) -> None:
    for seed in range(rounds):
        table = deal(kind, seed=seed)
        state: State = table.state
        expected = list(Reference.play(state.bingo_deck, state.calling_deck, *kind))
        tables = play_out(table)
        assert [*map(summary, tables)] == expected
        assert call(table, "all").shown().called == state.calling_deck[: len(expected)]
        for before, after in pairwise(tables):
            for old, new in zip(covered(before), covered(after), strict=True):
                assert set(old) <= set(new)


# ---- Moves, fields and rejections ----------------------------------------------------------


def test_the_moves_of_each_phase_and_their_fields() -> None:
    kind = {
        "mode": {"L": "Line", "C": "Corners", "F": "Full"},
        "speed": {"Y": "Every card of its rank", "N": "That card"},
    }
    playing = deal("LN")
    over = call(playing, "all")
    listed = [
        {move.name: dict(move.form) for move in table.moves()}
        for table in (Table(BINGO), playing, over)
    ]
    assert [list(moves) for moves in listed] == [["deal", "new"], ["call", "new"], ["deal", "new"]]
    assert listed[0]["deal"] == kind | {"bingo_deck": None, "calling_deck": None}
    assert list(listed[1]["call"]["calls"] or ()) == ["1", "5", "all"]
    assert listed[2]["deal"] == kind
    assert (playing.phase, over.phase) == ("playing", "round over")
    with pytest.raises(IllegalMove):
        play(over, "deal mode=L speed=N", bingo_deck="")


@pytest.mark.parametrize("bingo", [BINGO_DECK, ""], ids=["own bingo deck", "shuffled"])
@pytest.mark.parametrize("calling", [LINE_A_WINS, ""], ids=["own calling deck", "shuffled"])
def test_one_deck_from_a_file_makes_the_round_stacked(bingo: str, calling: str) -> None:
    some = deal(
        "LN", f"no card\n{bingo}" if bingo else "", f"no card\n{calling}" if calling else ""
    )
    others = deal("LN", bingo, calling, seed=2)
    assert (some.state.bingo_deck == others.state.bingo_deck) is bool(bingo)
    assert (some.state.calling_deck == others.state.calling_deck) is bool(calling)
    over = call(some, "all")
    assert some.stacked is over.stacked is bool(bingo or calling)
    assert not play(over, "deal mode=L speed=N", new_salt=salts(3)).stacked


def test_the_next_round_has_two_whole_decks_freshly_shuffled() -> None:
    over = call(deal("LN", BINGO_DECK, LINE_A_WINS), "all")
    again, other = (play(over, "deal mode=C speed=Y", new_salt=salts(n)) for n in (1, 2))
    view = again.view()
    assert (view["round"], view["mode"], view["speed"], view["phase"]) == (2, "C", True, "playing")
    assert (view["called"], view["left"], view["winner"]) == ((), 52, None)
    assert view["tally"] == over.counts()
    assert view["messages"] == ("Round 2 beginning...",)
    states = (again.state, over.state, other.state)
    decks = [deck for state in states for deck in (state.bingo_deck, state.calling_deck)]
    assert len(set(decks)) == 6
    assert all(sorted(deck) == sorted(FULL_DECK) for deck in decks)


def test_calls_stop_at_the_winner_and_are_reported_one_by_one() -> None:
    table = deal("LN", BINGO_DECK, LINE_A_WINS)
    assert table.messages() == ("Round 1 beginning...",)
    five = call(table, "5")
    assert five.messages() == tuple(f"Now calling [ {code} ]" for code in cards("KS KC AH JH 6C"))
    assert five.story() == (
        "Called: king of spades, king of clubs, ace of hearts, jack of hearts, six of clubs.",
        "You have king of spades, ace of hearts, six of clubs, king of clubs.",
        "You are one card away: five of hearts.",
        "Rosa has jack of hearts.",
    )
    own = BINGO.own_card(five.state)
    mine, free_centre = five.shown().grids[0].cards, 12
    covered = [mine.index(card) for card in map(Card, ("KS", "KC", "AH", "6C"))]
    assert own == OwnCard(mine, tuple(sorted([*covered, free_centre])), lacks=(3,))
    for calls in ("5", "all"):
        over = call(five, calls)
        assert len(over.shown().called) == 6
        assert over.messages() == ("Now calling [ 5H ]", "Round 1: Player A won!")
        assert "You have five of hearts." in over.story()
        assert over.shown() == call(table, "all").shown()


@pytest.mark.parametrize(
    ("kind", "calling", "text", "rule"),
    [
        ("LN", LINE_A_WINS, "BINGO! You have a line after 6 calls", "line"),
        (
            "CN",
            CORNERS_B_WINS,
            "BINGO! Rosa has all four corners after 4 calls",
            "corners",
        ),
        ("FY", FULL_SPEED_TIE, "BINGO! Both cards have a full grid after 13 calls: a tie", "tie"),
    ],
)
def test_result_names_winner_pattern_and_call(
    kind: str, calling: str, text: str, rule: str
) -> None:
    table = deal(kind, BINGO_DECK, calling)
    assert table.result is None
    result = call(table, "all").result
    assert result
    assert (result.text, result.rule) == (text, rule)
