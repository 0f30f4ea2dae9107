"""War: the program."""

import re
from pathlib import Path

from tests.sheets.war.support import NAMES
from tests.support.sheets import (
    INTERRUPT,
    SHEETS_ROOT,
    command,
    in_terminal,
    mostly_by_file,
    piped,
)


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
    files = {Path(file).name for file in (SHEETS_ROOT / "war").glob("*.py")}
    assert files == {"war.py", "__init__.py"}
