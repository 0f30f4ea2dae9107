"""Bingo: the class Bingo, which is a grid."""

import re
from collections.abc import Iterable

from course.grading.checks import check
from course.grading.checks.tools import (
    check_private,
    examples,
    interface,
    loading,
    own_tests,
    refuse,
)
from course.grading.trial import Trial, shown

FILE = "bingo.py"
CELL = re.compile(r"\[\s*(\w\w)?\s*\]")
GRID = [
    *("KS", "AH", "6C", "5H", "KC"),
    *("TD", "7H", "9C", "8S", "4C"),
    *("2D", "AC", "4H", "4S", "4D"),
    *("5D", "3D", "TC", "8C", "JC"),
    *("9H", "5C", "7C", "5S", "JS"),
]
"""The cards of a grid, row by row. The middle card is 4H."""
MIDDLE = 12
LINES = [
    *([5 * row + column for column in range(5)] for row in range(5)),
    *([5 * row + column for row in range(5)] for column in range(5)),
    [0, 6, 12, 18, 24],
    [4, 8, 12, 16, 20],
]
CORNERS = [0, 4, 20, 24]
MODULES = loading("playingCards", "bingo")
KING = "Card('K', 'S', True)"
Cells = list[str | None]


def cells(text: str) -> Cells:
    """Return the cards that a string shows in order.

    A face-down card is None.
    """
    return [code or None for code in CELL.findall(text)]


def hidden(codes: list[str], *places: int) -> Cells:
    """Return the codes of a grid, with None at the given positions and in the middle."""
    return [None if place in (*places, MIDDLE) else code for place, code in enumerate(codes)]


def a_grid(trial: Trial, mode: str = "L", face: str = "True") -> None:
    """Create a grid, called ``grid``."""
    MODULES(trial)
    trial.do("grid = Bingo()")
    trial.do(f"cards = [Card(code[0], code[1], {face}) for code in {GRID}]")
    trial.do(f"grid.populate(cards, {mode!r})")


def search(trial: Trial, *codes: str, rank_only: bool = False) -> None:
    """Search the grid for cards."""
    for code in codes:
        trial.do(f"grid.search(Card('{code[0]}', '{code[1]}', True), {rank_only})")


def expect_grid(trial: Trial, wanted: Cells) -> None:
    """Fail unless the grid shows these cards."""
    got = cells(trial.value("str(grid)"))
    trial.expect(got == wanted, as_text(wanted), as_text(got))


def as_text(codes: Iterable[str | None]) -> str:
    """Return cards in the format for reports."""
    return " ".join(code or "[]" for code in codes)


EXAMPLES = examples(MODULES, {"S4-23": interface(FILE, "Bingo")})
EXAMPLES |= examples(
    a_grid,
    {
        # the arguments must be a list of enough cards and a valid mode
        "S4-26": [
            refuse(
                f"Bingo().populate({cards}, 'L')"
                for cards in ("cards[:24]", "[]", "None", "tuple(cards)", "cards[:24] + ['JS']")
            ),
            refuse(f"Bingo().populate(cards, {mode!r})" for mode in ("X", "l", "", "LC", None)),
        ],
        "S4-29": refuse(
            f"grid.search({arguments})"
            for arguments in ("'KS', False", "None, False", f"{KING}, 0", f"{KING}, None")
        ),
        # clearing returns all cards in a list and leaves no card
        "S4-33": [
            "removed = grid.clear()",
            {
                "type(removed)": list,
                "sorted(card.getRank() + card.getSuit() for card in removed)": sorted(GRID),
                "list(grid.clear())": [],
            },
        ],
    },
)
EXAMPLES["S4-35"] = own_tests("bingoTests.py", "Bingo", anywhere=True)


@check("S4-24")
def s4_24(trial: Trial) -> None:
    """A new grid has private attributes, no cards, and mode L."""
    MODULES(trial)
    trial.do("grid = Bingo()")
    values = check_private(trial, "grid")
    trial.expect("L" in values.values(), "a play mode 'L'", shown(list(values.values())))
    trial.expect(len(values) > 1, "a grid", "nothing but the mode")
    cards = trial.probe("cards_within", "grid", "Card")
    trial.expect(not cards, "an empty grid", f"{len(cards)} cards")


@check("S4-25")
def s4_25(trial: Trial) -> None:
    """The cards are placed row by row, all face up except the middle card."""
    for face in ("True", "False"):
        a_grid(trial, face=face)
        expect_grid(trial, hidden(GRID))
    trial.do("grid = Bingo()")
    trial.equal("grid.populate(cards + [Card('2', 'S', True)], 'C')", None)
    expect_grid(trial, hidden(GRID))


@check("S4-27")
def s4_27(trial: Trial) -> None:
    """A search turns over one card by rank and suit, or all cards of a rank."""
    a_grid(trial)
    search(trial, "5H")
    expect_grid(trial, hidden(GRID, 3))
    a_grid(trial)
    search(trial, "5D", rank_only=True)
    expect_grid(trial, hidden(GRID, 3, 15, 21, 23))


@check("S4-28")
def s4_28(trial: Trial) -> None:
    """A successful search turns cards over and returns True.

    Any other search only returns False.
    """
    a_grid(trial)
    trial.equal("grid.search(Card('2', 'D', True), False)", expected=True)
    trial.equal("grid.search(Card('2', 'S', True), False)", expected=False)
    trial.equal("grid.search(Card('Q', 'S', True), True)", expected=False)
    trial.equal("grid.search(Card('T', 'S', True), True)", expected=True)
    expect_grid(trial, hidden(GRID, 10, 5, 17))


def pattern(trial: Trial, mode: str, places: list[int]) -> None:
    """Fail unless these positions are a BINGO only after the last one is turned over."""
    a_grid(trial, mode)
    codes = [GRID[place] for place in places if place != MIDDLE]
    search(trial, *codes[:-1])
    trial.equal("bool(grid.isBingo())", expected=False)
    search(trial, codes[-1])
    trial.equal("grid.isBingo() == True", expected=True)
    trial.called = [f"# mode {mode}, face down: {as_text([GRID[place] for place in places])}"]


@check("S4-30")
def s4_30(trial: Trial) -> None:
    """Each of the twelve lines is a BINGO."""
    for places in LINES:
        pattern(trial, "L", places)
    a_grid(trial, "L")
    search(trial, *(GRID[place] for place in CORNERS))
    trial.equal("bool(grid.isBingo())", expected=False)


@check("S4-31")
def s4_31(trial: Trial) -> None:
    """The four corners are a BINGO."""
    pattern(trial, "C", CORNERS)
    a_grid(trial, "C")
    search(trial, *GRID[5:10])
    trial.equal("bool(grid.isBingo())", expected=False)


@check("S4-32")
def s4_32(trial: Trial) -> None:
    """The full grid is a BINGO."""
    pattern(trial, "F", list(range(25)))


@check("S4-34")
def s4_34(trial: Trial) -> None:
    """A grid's string has five rows of five cards, and shows BINGO! only for a BINGO."""
    a_grid(trial)
    search(trial, "KS", "7H", "8C")
    text = trial.value("str(grid)")
    trial.expect("BINGO" not in text, "no BINGO! yet", text)
    search(trial, "JS")
    text = trial.value("str(grid)")
    places = hidden(GRID, 0, 6, 18, 24)
    rows = [line for line in text.split("\n") if CELL.search(line)]
    trial.expect([cells(row) for row in rows] == [places[at : at + 5] for at in range(0, 25, 5)],
                 "five rows of five cards", text)  # fmt: skip
    below = text.rpartition(rows[-1])[2]
    trial.expect("BINGO!" in below, "BINGO! under the grid", text)
    line = next(line for line in below.split("\n") if "BINGO!" in line)
    width = max(len(row) for row in rows)
    centred = abs(line.index("BINGO!") + 3 - width / 2) <= 3
    trial.expect(centred, "BINGO! centred under the grid", text)
    wanted = ["".join((f"[ {code} ]" if code else "[ ]").center(6) for code in places[at : at + 5])
              for at in range(0, 25, 5)]  # fmt: skip
    if rows != wanted:
        trial.accept("blanks between the cards of a grid (A4-2)")


@check("S4-67")
def s4_67(trial: Trial) -> None:
    """A card is turned over at its position, and never turned back."""
    a_grid(trial)
    for _ in range(2):
        search(trial, "8S", "4H")
        expect_grid(trial, hidden(GRID, 8))
