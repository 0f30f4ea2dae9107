"""One-deck Blackjack: the program agrees with the web table."""

import builtins
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from cardgames.games.twentyone.rules import Winner
from cardgames.table import Phase
from tests.sheets.one_deck.support import totals
from tests.support.amounts import few_or_all
from tests.support.sheets import Luck, WebTable


@few_or_all("games", 60, 500)
def test_the_program_and_the_web_table_agree(
    load: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    games: int,
) -> None:
    """S2-3, S2-4, S2-7, S2-8, S2-9, S2-11, S2-12, S2-13, S2-14: in many whole games.

    S2-15, S2-16, S2-29, S2-32, S2-33, S2-35 too: the deck shrinks, and no game has over 13 rounds.
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
