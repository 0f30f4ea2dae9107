"""Simulations in a terminal: ``python -m cardgames.lab``."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

from tests.support.simulation import STAYS

ROOT = Path(__file__).parents[2]


def terminal(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cardgames.lab", *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


def test_the_same_seed_prints_the_same_tables() -> None:
    first = terminal("war", "--games", "300", "--seed", "1", "--players", "3")
    assert first.returncode == 0
    assert first.stdout.startswith("War, 3 players: 300 games, from seed 1\n")
    for part in ("Who won", "Player 3", "Turns a game", "median", "How long games last"):
        assert part in first.stdout
    assert first.stdout.splitlines()[-1].startswith("A game takes ")
    assert "a second" in first.stderr
    again = terminal("war", "--games", "300", "--seed", "1", "--players", "3")
    assert again.stdout == first.stdout


def test_the_other_games_are_played_too(tmp_path: Path) -> None:
    bingo = terminal("bingo", "--games", "200", "--seed", "1", "--mode", "C", "--speed")
    assert "Bingo, mode C, speed: 200 rounds" in bingo.stdout
    table = tmp_path / "strategy.txt"
    table.write_text(STAYS)
    rounds = terminal(
        "twentyone", "--games", "200", "--seed", "1", "--table", "blackjack",
        "--strategy", str(table),
    )  # fmt: skip
    assert "Blackjack, a table of decisions: 200 rounds" in rounds.stdout
    assert "exact" in rounds.stdout


def test_what_cannot_be_played_is_refused_in_a_sentence() -> None:
    refused = terminal("war", "--games", "0")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.strip() == (
        "The number of games must be a whole number from 1 to 1,000,000."
    )


def test_a_progress_bar_is_drawn_where_somebody_looks() -> None:
    keeper, end = pty.openpty()
    command = [sys.executable, "-m", "cardgames.lab", "bingo", "--games", "4000", "--seed", "1"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=end) as process:
        process.communicate(timeout=60)
    os.close(end)
    shown = os.read(keeper, 65536).decode()
    os.close(keeper)
    assert re.findall(r"\] +(\d+)%", shown) == ["25", "50", "75", "100"]
    assert "[" + "#" * 10 + "." * 30 + "]" in shown
