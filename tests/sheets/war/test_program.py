"""War: the program."""

import re
import sys
from pathlib import Path

from tests.sheets.war.support import FOLDER, NAMES
from tests.support.sheets import (
    INTERRUPT,
    ROOT,
    command,
    in_terminal,
    mostly_by_file,
    piped,
    undocumented,
)


def test_everything_has_a_docstring() -> None:
    """S3-6, S3-21: modules, classes and functions say what they do."""
    assert undocumented("war") == []


@mostly_by_file
def test_the_program(how: str) -> None:
    """S3-26, S3-27, S3-30: one game printed, then the notebook's tables, and those of three."""
    printed = piped(*command("war", "war", how), "")
    game, *tables = printed.split("\n\n")
    lines = game.splitlines()
    for name, line in zip(("Amy", "Brad"), lines, strict=False):
        assert re.fullmatch(rf"at start <'{name}' has \[('\w+[♠♡♣♢]'(, )?){{26}}\]>", line)
    card = r"'\w+[♠♡♣♢]'"
    for line in lines[2:-1]:
        assert re.fullmatch(rf"war: \[{card}(, {card})+\] (TIE!|=> (Amy|Brad))", line)
    assert re.fullmatch(r"(Amy|Brad) wins!", lines[-1])
    expected = [(3, 2), (30, 2), (100, 2), (3, 3), (30, 3), (100, 3)]
    for table, (games, players) in zip(tables, expected, strict=True):
        heading, *rows = table.splitlines()
        assert heading == f"Played {games} hands"
        assert [row.partition(" wins: ")[0] for row in rows] == [
            f"   {name}" for name in NAMES[:players]
        ]
        assert sum(int(row.partition(" wins: ")[2]) for row in rows) == games


def test_the_program_under_the_sheets_name() -> None:
    """S3-21: it can be imported from its own folder, and then plays nothing."""
    program = "from war import Card, Hand, Deck, Player, Game; print(repr(Card(2, 'H')))"
    assert piped([sys.executable, "-W", "error", "-c", program], FOLDER, "") == "Card(2,'H')\n"
    whole = "import course.sheets.war.war as whole; print(whole.Card(14, 'D'))"
    assert piped([sys.executable, "-W", "error", "-c", whole], ROOT, "") == "A♢\n"


@mostly_by_file
def test_the_program_in_a_terminal(how: str) -> None:
    """S3-26, S3-27: Ctrl-C ends it without a traceback, and before the last table."""
    screen = in_terminal(*command("war", "war", how), [("Played 30 hands", INTERRUPT)])
    assert screen.startswith("at start <'Amy' has ['")
    assert "\nPlayed 3 hands\n" in screen
    assert "Traceback" not in screen
    assert screen.count("Played") < 6
    assert screen.endswith("\n")


def test_the_file_is_the_sheets() -> None:
    """S3-21: ``war.py`` and nothing else."""
    files = {Path(file).name for file in FOLDER.glob("*.py")}
    assert files == {"war.py", "__init__.py"}
