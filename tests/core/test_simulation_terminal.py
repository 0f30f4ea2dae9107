"""Simulations in a terminal: ``python -m cardgames.lab``."""

from tests.support.commands import Done, python


def terminal(*arguments: str) -> Done:
    return python("-m", "cardgames.lab", *arguments)


def test_the_same_seed_prints_the_same_tables() -> None:
    first = terminal("war", "--games", "300", "--seed", "1", "--players", "3")
    assert first.returncode == 0
    assert first.stdout.startswith("War, 3 players: 300 games, from seed 1\n")
    for part in ("Who won", "Player 3", "Turns a game", "median", "How long games last"):
        assert part in first.stdout
    assert first.stdout.splitlines()[-1].startswith("Games take ")
    assert "a second" in first.stderr
    again = terminal("war", "--games", "300", "--seed", "1", "--players", "3")
    assert again.stdout == first.stdout


def test_what_cannot_be_played_is_refused_in_a_sentence() -> None:
    refused = terminal("war", "--games", "0")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.strip() == (
        "The number of games must be a whole number from 1 to 1,000,000."
    )
