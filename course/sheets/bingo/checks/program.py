"""Bingo: the program's output for typed input, and the form of the files."""

import ast
import re

from course.grading.checks import check
from course.grading.checks.tools import expect_goodbye, imported_by, parsed_file, play_all
from course.grading.checks.words import plain, round_numbers
from course.grading.sandbox.terminal import Transcript
from course.grading.trial import Failed, Trial, Unclear
from course.sheets.bingo.checks.grids import CELL, cells, hidden
from course.sheets.bingo.checks.tables import CALLS, ORDER

FILES = ("bingo.txt", "calling.txt")
WON = re.compile(
    r"\b([ab])\b[^.!?]{0,20}?\bw[io]n|\bw[io]n\w*\b[^.!?]{0,40}?\b([ab])\b(?! (?:new|round))"
)
FIRST_ROW = ORDER[0:10:2]
"""A's first row. Calling these five cards completes a line."""
LINE_CALLS = [*FIRST_ROW, *(code for code in CALLS if code not in FIRST_ROW)]
MODULES = ("random", "queues", "playingCards", "bingo")
"""The modules that the sheet allows."""
GRID_LINES = 10
"""Number of lines with five cards in one printed table."""


def game(
    trial: Trial, *typed: str, calls: list[str] = LINE_CALLS, exact: bool = False
) -> Transcript:
    """Play a round. In mode L without speed, A has a complete line after five calls.

    With ``exact``, the program must read exactly these lines.
    """
    trial.file("bingo.txt", ORDER)
    trial.file("calling.txt", calls)
    trial.called.append(f"# calling.txt begins with {' '.join(calls[:5])}")
    transcript = play_all(trial, trial.main_file(), *typed)
    return trial.asked_no_more(transcript) if exact else transcript


def displays(text: str) -> int:
    """Return the number of tables in a text."""
    rows = [line for line in text.split("\n") if len(CELL.findall(line)) == 5]
    return len(rows) // GRID_LINES


@check("S4-52")
def s4_52(trial: Trial) -> None:
    """The program asks for the bingo deck's file, and then for the calling deck's."""
    part = game(trial, *FILES, "L", "N", "n").parts[4]
    trial.expect(cells(part)[:25] == hidden(ORDER[0:50:2]), "grids from the first file", part[:400])
    called = part.find(f"[ {LINE_CALLS[0]} ]", part.find(f"[ {ORDER[49]} ]"))
    trial.expect(called > 0, f"{LINE_CALLS[0]} is called first, from the second file", part[:900])


@check("S4-53")
def s4_53(trial: Trial) -> None:
    """After an invalid file, the program asks for another file of the same deck."""
    typed = ["missing.txt", "missing.txt", "bingo.txt", "missing.txt", "calling.txt"]
    part = game(trial, *typed, "L", "N", "n").parts[7]
    trial.expect(cells(part)[:25] == hidden(ORDER[0:50:2]), "grids from bingo.txt", part[:400])


@check("S4-54")
def s4_54(trial: Trial) -> None:
    """The program repeats its question until the first character is L, C or F."""
    game(trial, *FILES, "x", "", "1", "line", "N", "n", exact=True)
    for answer in ("l", "L", "c", "Corners", "f", "F"):
        game(trial, *FILES, answer, "N", "n", exact=True)


@check("S4-55")
def s4_55(trial: Trial) -> None:
    """The program asks until the first character is Y or N.

    A speed round compares only ranks.
    """
    game(trial, *FILES, "L", "maybe", "", "no", "n", exact=True)
    other = {rank: next(c for c in CALLS if c[0] == rank and c not in FIRST_ROW) for rank in "KA65"}
    calls = list(dict.fromkeys([other[code[0]] for code in FIRST_ROW]))
    calls += [code for code in CALLS if code not in calls]
    for answer in ("y", "Yes"):
        part = game(trial, *FILES, "L", answer, "n", calls=calls).parts[4]
        short = displays(part) < displays(game(trial, *FILES, "L", "n", "n", calls=calls).parts[4])
        trial.expect(short, "a speed round turns cards of the same rank", part[-400:])


@check("S4-56")
def s4_56(trial: Trial) -> None:
    """The program shows the number of the round, and the table before the first call."""
    part = game(trial, *FILES, "L", "N", "n").parts[4]
    trial.expect(round_numbers(part), "the number of the round", part[:300])
    start = hidden(ORDER[0:50:2]) + hidden(ORDER[1:50:2])
    trial.expect(cells(part)[:50] == start, "both grids as dealt, before a call", part[:900])


@check("S4-57")
def s4_57(trial: Trial) -> None:
    """The program shows one table per call, up to the BINGO."""
    part = game(trial, *FILES, "L", "N", "n").parts[4]
    number = displays(part)
    trial.expect(number == 6, "the table at the start and after each of five calls", f"{number}")
    last = cells(part)
    turned = hidden(ORDER[0:50:2], *range(5))
    is_shown = any(last[at : at + 25] == turned for at in range(len(last)))
    trial.expect(is_shown, "A's first row face down in the end", part[-900:])


@check("S4-58")
def s4_58(trial: Trial) -> None:
    """The program names the winner."""
    b_first = [*ORDER[1:10:2], *(code for code in CALLS if code not in ORDER[1:10:2])]
    for calls, winner in ((LINE_CALLS, "a"), (b_first, "b")):
        end = _end(game(trial, *FILES, "L", "N", "n", calls=calls).parts[4])
        named = {name for groups in WON.findall(end) for name in groups if name}
        if len(named) != 1 and f"player {winner}" not in end:
            raise Unclear(f"whether this says that player {winner.upper()} won: {end}")
        trial.expect(winner in named, f"Player {winner.upper()} won!", end)


def _end(text: str) -> str:
    """Return the text after the last printed grid."""
    return plain(text[max(match.end() for match in CELL.finditer(text)) :])


def broken_off(trial: Trial, *typed: str) -> Transcript:
    """Play a round whose third call raises an exception."""
    trial.load("playingCards")
    left = len(typed) - 2
    trial.probe("break_deal", "Deck", f"{left}", "3", "'Cannot deal card from empty deck'")
    trial.called.append("# the third call raises Exception('Cannot deal card from empty deck')")
    return game(trial, *FILES, *typed)


@check("S4-59")
def s4_59(trial: Trial) -> None:
    """The program prints the argument of an exception, and a message about the round."""
    part = broken_off(trial, "F", "N", "n").parts[4]
    for sentence in ("Cannot deal card from empty deck", "Cannot continue with this round"):
        trial.expect(plain(sentence) in plain(part), sentence, _end(part))


@check("S4-60")
def s4_60(trial: Trial) -> None:
    """The next round starts with complete decks, even after an exception."""
    for transcript in (
        game(trial, *FILES, "L", "N", "y", "F", "Y", "n"),
        broken_off(trial, "F", "N", "y", "L", "N", "n"),
    ):
        part = transcript.parts[7]
        start = cells(part)[:50]
        whole = len(start) == 50 and start.count(None) == 2 and len({*start}) == 49
        trial.expect(whole, "both grids full, of different cards", part[:900])
        over = "cannot continue" not in plain(part)
        trial.expect(over, "the second round goes to its end", _end(part))


@check("S4-61")
def s4_61(trial: Trial) -> None:
    """The program asks until the first character is Y or N."""
    game(trial, *FILES, "L", "N", "maybe", "", "1", "n", exact=True)
    for answer in ("n", "N", "No"):
        game(trial, *FILES, "L", "N", answer, exact=True)
    for answer in ("y", "Y", "Yes"):
        game(trial, *FILES, "L", "N", answer, "L", "Y", "n", exact=True)


@check("S4-62")
def s4_62(trial: Trial) -> None:
    """The program starts another round or says goodbye, as the player chooses."""
    parts = trial.ended(game(trial, *FILES, "L", "N", "y", "L", "Y", "n")).parts
    before, after = round_numbers(parts[4]), round_numbers(parts[7])
    counted = before and after and after[0] == before[0] + 1
    trial.expect(counted, "a number that is one more", f"{before}, then {after}")
    expect_goodbye(trial, parts[8])


@check("S4-63")
def s4_63(trial: Trial) -> None:
    """There are no jumps, and no imports of other modules."""
    for file in trial.sheet.files:
        trial.called.append(f"the statements of {file}")
        for node in ast.walk(parsed_file(trial, file)):
            if isinstance(node, ast.Break | ast.Continue):
                word = type(node).__name__.lower()
                raise Failed(f"no {word}", f"{word} in {file}, line {node.lineno}")
            for name in imported_by(node):
                trial.expect(name in MODULES, "only the sheet's modules", f"{file} imports {name}")


@check("S4-69")
def s4_69(trial: Trial) -> None:
    """Methods and functions have docstrings, and the file starts with a comment."""
    for file in trial.sheet.files:
        trial.called.append(f"the comments of {file}")
        tree = parsed_file(trial, file)
        head = trial.source(file).lstrip("\ufeff\n ")
        commented = head.startswith("#") or ast.get_docstring(tree)
        trial.expect(commented, f"a comment at the head of {file}", head[:60])
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and not ast.get_docstring(node):
                raise Failed("a docstring each", f"{node.name} in {file} has none")
