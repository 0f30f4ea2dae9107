"""The sheets' programs as a shell uses them, and their modules as a REPL does."""

import subprocess
import sys

import pytest

from tests.support.sheets import DECKS, command, mostly_by_file, sheet

TYPED = {
    ("simple21", "assignment2"): f"{DECKS / 'shuffledDeck.txt'}\n" + "s\ny\n" * 3000,
    ("bingo", "bingo"): f"{DECKS / 'bingoDeck.txt'}\n{DECKS / 'callingDeck_line_Awins.txt'}\n"
    + "L\nN\ny\n" * 300,
    ("one_deck", "proj09"): "n\ny\n" * 2000,
    ("blackjack", "blackjack"): "d\n" * 3000,
    ("war", "war"): "",
}


@pytest.mark.parametrize(("folder", "module"), TYPED)
@mostly_by_file
def test_nobody_reads_to_the_end(folder: str, module: str, how: str) -> None:
    """As with ``| head -2``: no traceback, and no complaint when the program ends."""
    arguments, place = command(folder, module, how)
    with subprocess.Popen(
        arguments, cwd=place, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        run.stdout.close()
        try:
            run.stdin.write(TYPED[folder, module].encode())
            run.stdin.close()
        except BrokenPipeError:
            pass  # it has ended before it has read everything
        said = run.stderr.read()
        assert (said, run.wait(60)) == (b"", 0)


STARS = {
    ("simple21", "playingCards"): {"Card", "Deck", "EmptyDeckException"},
    ("simple21", "simple21"): {"Player", "Table"},
    ("simple21", "queues"): {"BoundedQueue", "CircularQueue"},
    ("bingo", "playingCards"): {"Card", "Deck"},
    ("bingo", "bingo"): {"Bingo", "Table"},
    ("bingo", "queues"): {"BoundedQueue", "CircularQueue"},
    ("blackjack", "simplegui"): {
        *("KEY_MAP", "create_frame", "create_timer", "load_image", "load_sound")
    },
    ("one_deck", "cards"): {"Card", "Deck"},
    ("war", "war"): {"Card", "Deck", "Game", "Hand", "Player"},
}


@pytest.mark.parametrize(("folder", "module"), STARS)
def test_what_a_star_imports(folder: str, module: str) -> None:
    """The sheet's names, and nothing that was only imported."""
    with sheet(folder) as load:
        names: dict[str, object] = {}
        loaded = load(module)
        exec(f"from {module} import *", names)
    assert {*names} - {"__builtins__"} == STARS[folder, module] == {*loaded.__all__}


def test_simple_21_believes_dealer_hit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """S0-14, S0-59: a bust dealer has lost, whatever somebody else's ``whoWon`` would say."""
    lines = [str(DECKS / "shuffledDeck.txt"), "s", "n"]
    monkeypatch.setattr("builtins.input", lambda _: lines.pop(0))
    with sheet("simple21") as load:
        table, game = load("simple21").Table, load("assignment2")
        monkeypatch.setattr(table, "dealerHit", lambda _: True)
        monkeypatch.setattr(table, "whoWon", lambda _: sys.stdout.write("Dealer wins"))
        game.main()
    shown = capsys.readouterr().out
    assert "Player wins round 1!\n" in shown
    assert "Dealer wins" not in shown


def test_a_hands_value_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """S1-19, A1-1: in VALUES, as the sheet asks."""
    with sheet("blackjack") as load:
        game = load("blackjack")
        hand = game.Hand()
        for suit, rank in ("S7", "D3"):
            hand.add_card(game.Card(suit, rank))
        assert hand.get_value() == 10
        monkeypatch.setitem(game.VALUES, "7", 5)
        assert hand.get_value() == 8
