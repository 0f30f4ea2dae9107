"""Bingo: the class Table."""

from course.grading.answers import RemoteObject
from course.grading.checks import check
from course.grading.checks.tools import (
    CODES_ON_TABLE,
    arranged,
    check_private,
    examples,
    interface,
    loading,
    own_tests,
    refuse,
)
from course.grading.checks.words import plain
from course.grading.trial import KIT, Trial
from course.sheets.bingo.checks.grids import FILE, Cells, as_text, cells, hidden

ORDER = arranged(*["KS", "JH", "AH", "QS", "6C", "6D", "5H", "TS", "KC", "TH", "TD", "KD"])
CALLS = arranged(*["KC", "TH", "KS", "2C", "AH", "3D", "6C"])
CALL_ALL = "[card.getRank() + card.getSuit() for card in [table.callCard() for _ in range(52)]]"
MODULES = loading("playingCards", "bingo")
EXAMPLES = examples(
    MODULES,
    {
        "S4-36": interface(FILE, "Table"),
        # the arguments are checked before the file is opened
        "S4-41": refuse(
            f"Table().populateDeck({number}, {name})"
            for number, name in (
                *((number, "'missing.txt'") for number in ("2", "-1", "'0'", "None")),
                *(("0", "None"), ("1", "13")),
            )
        ),
        "S4-42": refuse(
            (f"Table().populateDeck({number}, 'missing.txt')" for number in (0, 1)), OSError
        ),
    },
)
EXAMPLES["S4-51"] = own_tests("bingoTests.py", "Table", anywhere=True)


def a_table(trial: Trial, mode: str = "") -> None:
    """Create a table called ``table`` with both decks, and deal if a mode is given."""
    MODULES(trial)
    trial.file("bingo.txt", ORDER)
    trial.file("calling.txt", CALLS)
    trial.do("table = Table()")
    trial.do("table.populateDeck(0, 'bingo.txt')")
    trial.do("table.populateDeck(1, 'calling.txt')")
    if mode:
        trial.do(f"table.dealBingo({mode!r})")


def grids(trial: Trial) -> tuple[Cells, Cells]:
    """Return the grids of A and B as the table displays them."""
    codes = cells(trial.do("table.displayTable()"))
    trial.expect(len(codes) == 50, "two grids of 25 cards", f"{len(codes)} cards")
    return codes[:25], codes[25:]


def update(trial: Trial, *codes: str, rank_only: bool = False) -> None:
    """Turn over cards on the table."""
    for code in codes:
        trial.do(f"table.updateTable(Card('{code[0]}', '{code[1]}', True), {rank_only})")


def places_of_cards(trial: Trial) -> dict[str, set[str]]:
    """Return the cards in each attribute of the table."""
    codes: dict[str, list[str]] = trial.look(
        "{name: [card.getRank() + card.getSuit() for card in "
        f"{KIT}.cards_within(value, Card)] for name, value in {KIT}.attributes(table).items()}}"
    )
    return {name: {*each} for name, each in codes.items()}


@check("S4-37")
def s4_37(trial: Trial) -> None:
    """A table has two decks, two piles and two grids, all private and empty."""
    MODULES(trial)
    trial.do("table = Table()")
    values = check_private(trial, "table", 6)
    kinds = [value.kind for value in values.values() if isinstance(value, RemoteObject)]
    trial.expect(kinds.count("Bingo") == 2, "two grids", f"{kinds.count('Bingo')}")
    trial.expect(kinds.count("Deck") >= 2, "two decks", f"{kinds.count('Deck')}")
    cards = trial.probe("cards_within", "table", "Card")
    trial.expect(not cards, "nothing on the table", f"{len(cards)} cards")


@check("S4-38")
def s4_38(trial: Trial) -> None:
    """Each deck is filled from its file, with the first line on top."""
    MODULES(trial)
    trial.file("bingo.txt", ORDER)
    trial.file("calling.txt", [code.lower() for code in CALLS])
    trial.do("table = Table()")
    trial.equal("table.populateDeck(1, 'calling.txt')", None)
    trial.equal("table.populateDeck(0, 'bingo.txt')", None)
    trial.do("called = [table.callCard() for _ in range(3)]")
    codes = trial.look("[card.getRank() + card.getSuit() for card in called]")
    trial.expect(codes == CALLS[:3], f"the calling deck begins {CALLS[:3]}", codes)
    trial.do("table.dealBingo('L')")
    grid, _ = grids(trial)
    trial.expect(grid[0] == ORDER[0], f"A's first card is {ORDER[0]}", grid[0])


@check("S4-39")
def s4_39(trial: Trial) -> None:
    """Lines that are not cards are reported and skipped."""
    MODULES(trial)
    trial.file("noisy.txt", [*ORDER[:9], "ZZ", *ORDER[9:], "1S"])
    trial.called.append("# noisy.txt has 52 cards, 'ZZ' and '1S'")
    trial.do("table = Table()")
    text = trial.do("table.populateDeck(1, 'noisy.txt')")
    trial.expect(text.strip(), "a message about the line ZZ", "nothing")
    if "ZZ" not in text:
        trial.accept("the message about a line does not show it (A4-22)")
    codes = trial.value(CALL_ALL)
    trial.expect(codes == ORDER, "the 52 cards of the other lines", codes)


@check("S4-40")
def s4_40(trial: Trial) -> None:
    """An incomplete deck raises an exception."""
    MODULES(trial)
    message = "Deck created from short.txt is not valid"
    for lines, fault in ((ORDER[:-1], "51 cards"), ([*ORDER[:-1], ORDER[0]], "a card twice"),
                        (["ZZ", *ORDER[1:]], "'ZZ' in line 1")):  # fmt: skip
        trial.file("short.txt", lines)
        trial.called.append(f"# short.txt has {fault}")
        for number in (0, 1):
            trial.raises(f"Table().populateDeck({number}, 'short.txt')", Exception, message)


@check("S4-43")
def s4_43(trial: Trial) -> None:
    """A and B get cards alternately, and two cards remain."""
    a_table(trial)
    trial.equal("table.dealBingo('L')", None)
    grid_a, grid_b = grids(trial)
    trial.expect(grid_a == hidden(ORDER[0:50:2]), "A has every other card", as_text(grid_a))
    trial.expect(grid_b == hidden(ORDER[1:50:2]), "B has the cards between", as_text(grid_b))
    piles = [name for name, codes in places_of_cards(trial).items() if codes == {*ORDER[50:]}]
    trial.expect(piles, "the last two cards in the discard pile", "they are not there")
    for mode in ("X", None):
        trial.do("other = Table(); other.populateDeck(0, 'bingo.txt')")
        trial.raises(f"other.dealBingo({mode!r})", AssertionError)


@check("S4-44")
def s4_44(trial: Trial) -> None:
    """The table displays the grid of A, followed by the grid of B."""
    a_table(trial, "L")
    trial.equal("table.displayTable()", None)
    text = trial.seen.shown
    trial.expect(len(cells(text)) == 50, "two grids of 25 cards", text)
    first, _, second = plain(text).partition("player b")
    named = "player a" in first and len(cells(first.upper())) == 25 == len(cells(second.upper()))
    trial.expect(named, "Player A and a grid, Player B and a grid", text)


@check("S4-45")
def s4_45(trial: Trial) -> None:
    """Each call takes the top card."""
    a_table(trial)
    for code in CALLS[:4]:
        trial.do("card = table.callCard()")
        trial.equal("card.getRank() + card.getSuit()", code)
        trial.equal("str(card).strip()", f"[ {code} ]")


@check("S4-46")
def s4_46(trial: Trial) -> None:
    """A call turns over cards in both grids, and checks the types of its arguments."""
    a_table(trial, "L")
    for arguments in ("'KS', False", "None, True", "Card('K', 'S', True), 1"):
        trial.raises(f"table.updateTable({arguments})", AssertionError)
    trial.equal("table.updateTable(Card('K', 'S', True), False)", None)
    update(trial, ORDER[1])
    grid_a, grid_b = grids(trial)
    trial.expect(grid_a[0] is None, f"A's {ORDER[0]} is turned", as_text(grid_a))
    trial.expect(grid_b[0] is None, f"B's {ORDER[1]} is turned", as_text(grid_b))


@check("S4-47")
def s4_47(trial: Trial) -> None:
    """Clearing leaves no cards in the grids, and loses no cards."""
    a_table(trial, "L")
    trial.do("called = table.callCard()")
    trial.equal("table.clearTable()", None)
    left = trial.look(IN_GRIDS)
    trial.expect(not left, "two empty grids", f"{len(left)} cards in them")
    codes = sorted(trial.look(CODES_ON_TABLE))
    got = f"{len(codes)} of 104 cards are there"
    trial.expect(codes == sorted(ORDER * 2), "no card is lost", got)


@check("S4-48")
def s4_48(trial: Trial) -> None:
    """Resetting completes and shuffles both decks, so two tables differ."""
    called, dealt = _reset(trial)
    again, others = _reset(trial)
    trial.expect(called != again, "the cards to call are shuffled", "twice the same order")
    trial.expect(dealt != others, "the cards of the grids are shuffled", "twice the same grids")


def _reset(trial: Trial) -> tuple[list[str], tuple[Cells, Cells]]:
    """Reset the decks after a deal, and return the next cards of both decks."""
    a_table(trial, "L")
    trial.do("table.clearTable()")
    trial.equal("table.resetDecks()", None)
    called = trial.value(CALL_ALL)
    trial.expect(sorted(called) == sorted(CALLS), "all 52 cards to call", called)
    trial.do("table.dealBingo('L')")
    return called, grids(trial)


def playing_for_a_line(trial: Trial) -> None:
    """Create a table in the mode that requires a line."""
    a_table(trial, "L")
    trial.called = ["# dealBingo('L')"]


ROW_OF_A = ORDER[0:10:2]
ROW_OF_B = ORDER[1:10:2]


@check("S4-49")
def s4_49(trial: Trial) -> None:
    """A round ends with at least one BINGO."""
    for row in (ROW_OF_A, ROW_OF_B):
        playing_for_a_line(trial)
        update(trial, *row[:4])
        trial.equal("table.isWinner()", expected=False)
        update(trial, row[4])
        trial.equal("table.isWinner()", expected=True)


@check("S4-50")
def s4_50(trial: Trial) -> None:
    """There are three texts for the winner.

    If there is no winner, an exception is raised.
    """
    playing_for_a_line(trial)
    trial.raises("table.whoWon()", Exception, "Neither player has won")
    update(trial, *ROW_OF_A)
    trial.equal("table.whoWon()", "Player A won!")
    update(trial, *ROW_OF_B)
    trial.equal("table.whoWon()", "Tie!")
    playing_for_a_line(trial)
    update(trial, *ROW_OF_B)
    trial.equal("table.whoWon()", "Player B won!")


IN_GRIDS = (
    f"[card for value in {KIT}.attributes(table).values() if isinstance(value, Bingo) "
    f"for card in {KIT}.cards_within(value, Card)]"
)


@check("S4-64")
def s4_64(trial: Trial) -> None:
    """No card is lost or duplicated in a round."""
    a_table(trial)
    for number in range(6):
        trial.do(f"table.dealBingo({'LCF'[number % 3]!r})")
        trial.do("for _ in range(9): table.updateTable(table.callCard(), True)")
        trial.do("table.clearTable(); table.resetDecks()")
        codes = sorted(trial.look(CODES_ON_TABLE))
        trial.called = [*trial.called[:5], f"# {number + 1} rounds"]
        got = f"{len(codes)} cards: {' '.join(codes)}"
        trial.expect(codes == sorted(ORDER * 2), "52 different cards, twice", got)


@check("S4-65")
def s4_65(trial: Trial) -> None:
    """The grids have no card in common, so there is no tie when suits count."""
    a_table(trial)
    for number in range(6):
        trial.do(f"table.dealBingo({'LC'[number % 2]!r})")
        grid_a, grid_b = grids(trial)
        common = {*filter(None, grid_a)} & {*filter(None, grid_b)}
        trial.expect(not common, "grids without a common card", as_text(sorted(common)))
        trial.do("while not table.isWinner(): table.updateTable(table.callCard(), False)")
        trial.equal("table.whoWon() == 'Tie!'", expected=False)
        trial.do("table.clearTable(); table.resetDecks()")
        trial.called = [*trial.called[:5], f"# {number + 1} rounds"]


@check("S4-68")
def s4_68(trial: Trial) -> None:
    """Called cards and remaining cards are in different piles."""
    a_table(trial, "L")
    trial.do("card = table.callCard()")
    code = trial.value("card.getRank() + card.getSuit()")
    called = trial.look(PLACES_OF_CARD)
    left = [name for name, codes in places_of_cards(trial).items() if codes == {*ORDER[50:]}]
    trial.expect(called, f"{code} in the second discard pile", "it is nowhere")
    trial.expect(left and called != left, "another pile than that of the bingo deck", "the same")


PLACES_OF_CARD = (
    f"[name for name, value in {KIT}.attributes(table).items() "
    f"if any(each is card for each in {KIT}.cards_within(value, Card))]"
)
