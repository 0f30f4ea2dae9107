"""One-deck Blackjack: the program agrees with the web table, and accepts any ``cards``."""

import builtins
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from cardgames.games.twentyone.rules import Winner
from cardgames.table import Phase
from tests.support.amounts import few_or_all
from tests.support.sheets import ROOT, SHEETS_ROOT, Luck, WebTable, command, loader, piped

load = loader("one_deck")
ASKS_HIT = "Another card (Y/y/H/h or Enter)? "


def totals(user: int, dealer: int, draws: int) -> str:
    """Return the output at the end of a game."""
    return (
        f"\nGame over.\nRounds won by you: {user}\nRounds won by the dealer: {dealer}\n"
        f"Rounds which were draws: {draws}\n"
    )


@few_or_all("games", 60, 500)
def test_the_program_and_the_web_table_agree(
    load: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    games: int,
) -> None:
    """S2-3, S2-4, S2-7, S2-8, S2-9, S2-11, S2-12, S2-13 and S2-14 hold in many complete games.

    S2-15, S2-16, S2-29, S2-32, S2-33, S2-35 are also covered: the deck shrinks, and no game has
    more than 13 rounds.
    """
    proj09 = load("proj09")
    words = {
        Winner.PLAYER: "You win the round.",
        Winner.DEALER: "The dealer wins the round.",
        Winner.TIE: "The round is a draw.",
    }

    def listed(hand: tuple[Any, ...]) -> str:
        return " ".join(card.rank + card.suit.lower() for card in hand)

    ran_out = 0
    for seed in range(games):
        player = random.Random(seed)
        table = WebTable("one-deck", Luck(seed))
        expected: list[str] = []
        answers: list[str] = []
        while table.phase is not Phase.GAME_OVER:
            table.play("deal")
            state = table.state
            if table.phase is Phase.PLAYING:
                first = [listed(state.player), listed(state.dealer[:1])]
                expected += [f"Your cards: {first[0]}", f"Dealer's cards: {first[1]} X"]
            while table.phase is Phase.PLAYING:
                move = "hit" if player.random() < 0.4 else "stay"
                table.play(move)
                state = table.state
                answers.append("h" if move == "hit" else "s")
                total = table.view.player.total
                expected.append(f"Your cards: {listed(state.player)}, total {total}")
            if answers and answers[-1] == "s" and len(state.dealer) > 1:
                total = table.view.dealer.total
                expected.append(f"Dealer's cards: {listed(state.dealer)}, total {total}")
            expected.append(words[state.winner])
            answers.append("y")
        answers.pop()
        luck = Luck(seed, code=lambda card: str(card).upper(), top=-1)
        monkeypatch.setattr(random, "shuffle", luck.shuffle)
        monkeypatch.setattr(builtins, "input", lambda _, answers=answers: answers.pop(0))
        proj09.main()
        shown = capsys.readouterr().out
        assert answers == []
        assert luck.count == table.luck.count == 1
        tally = table.counts()
        assert shown.endswith(totals(tally["player"], tally["dealer"], tally["tie"]))
        assert sum(tally.values()) == table.round <= 13
        lines = iter(shown.splitlines())
        for line in expected:
            assert line in lines, (seed, line)
        ran_out += "not enough cards" in shown
    assert ran_out > 0.6 * games


STUB = """
class Card:
    def __init__(self, text):
        self.text = text
    def get_rank(self):
        return "?A23456789TJQK".index(self.text[0])
    def get_suit(self):
        return "?cdhs".index(self.text[1])
    def get_value(self):
        return 99
    def __str__(self):
        return "<" + self.text + ">"

class Deck:
    def __init__(self):
        self.cards = "Ks 9h Qd 7c As 2c".split()
    def shuffle(self):
        pass
    def deal(self):
        return Card(self.cards.pop(0)) if self.cards else None
    def is_empty(self):
        return not self.cards
    def cards_count(self):
        return len(self.cards)
"""
WITH_STUB = (
    "Blackjack with one deck\n\nYour cards: <Ks> <Qd>\nDealer's cards: <9h> X\n"
    f"{ASKS_HIT}Your cards: <Ks> <Qd> <As>, total 21\n"
    f"{ASKS_HIT}Your cards: <Ks> <Qd> <As>, total 21\n"
    "The dealer turns over <7c>.\nThe dealer hits.\n"
    "Dealer's cards: <9h> <7c> <2c>, total 18\nThe dealer stands.\n"
    "Dealer's cards: <9h> <7c> <2c>, total 18\nYou win the round.\nThe deck is empty.\n"
    f"{totals(1, 0, 0)}"
)


def test_another_cards_module_on_the_path(tmp_path: Any) -> None:
    """S2-17: ``cards`` may be a file on the path, or next to a copy of the program."""
    (tmp_path / "cards.py").write_text(STUB)
    arguments, _ = command("one_deck", "proj09", "module")
    paths = f"{tmp_path}:{ROOT}"
    assert piped(arguments, ROOT, "h\nn\n", PYTHONPATH=paths) == WITH_STUB
    copy = tmp_path / "proj09.py"
    copy.write_bytes((SHEETS_ROOT / "one_deck" / "solution" / "proj09.py").read_bytes())
    arguments = [*arguments[:-2], str(copy)]
    assert piped(arguments, tmp_path, "h\nn\n", PYTHONPATH=str(ROOT)) == WITH_STUB
