"""War: the program, and complete games by the sheet, the project's rules and the web table."""

import random
import re
from collections.abc import Iterator
from types import ModuleType

import pytest

from tests.support.amounts import few_or_all
from tests.support.sheets import (
    INTERRUPT,
    WebTable,
    command,
    in_terminal,
    mostly_by_file,
    piped,
    sheet,
)

NAMES = ("Amy", "Brad", "Carl", "Dora", "Emil", "Fay")


@pytest.fixture
def war() -> Iterator[ModuleType]:
    with sheet("war") as load:
        yield load("war")


@few_or_all("games", 1, 3)
@pytest.mark.parametrize("number", range(2, 7))
def test_the_sheet_and_the_web_table_agree(
    war: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: int,
    games: int,
) -> None:
    """S3-1, S3-22, S3-24, S3-26, S3-29, S3-30, A3-8: the outputs of complete games are equal."""
    for seed in range(games):
        monkeypatch.setattr(random, "shuffle", random.Random(seed).shuffle)
        game = war.Game([war.Player(name) for name in NAMES[:number]])
        table = WebTable("war", random.Random(seed))
        seats = {"players": str(number), "names": ", ".join(NAMES[:number])}
        table.play("deal", **seats)
        winner = game.play(do_print=True)
        said = []
        while table.result is None:
            table.play("turn", turns="1")
            said += table.messages()
        printed = capsys.readouterr().out.splitlines()
        assert printed[number:] == [line for line in said if re.match(r"war: |.* wins!", line)]
        assert table.result.winner == winner.name
        assert [player.cards for player in table.view.players] == [
            player.num_cards for player in game.players
        ]


@mostly_by_file
def test_the_program(how: str) -> None:
    """S3-26, S3-27, S3-30: one printed game, the notebook's tables, and those of three players.

    The suits are written even if the system's code page lacks them, as on Windows.
    """
    code_page = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    printed = piped(*command("war", "war", how), "", **code_page)
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
    """S3-26, S3-27: Ctrl-C ends the program without a traceback, even before the last table."""
    screen = in_terminal(*command("war", "war", how), [("Played 30 hands", INTERRUPT)])
    assert screen.startswith("at start <'Amy' has ['")
    assert "\nPlayed 3 hands\n" in screen
    assert "Traceback" not in screen
    assert screen.count("Played") < 6
    assert screen.endswith("\n")
