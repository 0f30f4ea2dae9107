"""One-deck Blackjack: the program agrees with the web table, and with published numbers."""

import builtins
import random
import re
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

    S2-15, S2-16, S2-29, S2-32, S2-35 too: the deck shrinks, and none has more than 13 rounds.
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


PUBLISHED = {
    17: 0.14583, 18: 0.138063, 19: 0.13482, 20: 0.175806, 21: 0.0736296 + 0.0482655, 22: 0.283585,
}  # fmt: skip
"""One deck, the dealer stands on soft 17 (Wizard of Odds, appendix 2B); 22 stands for bust."""


def test_how_the_dealer_ends(
    load: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """S2-9, S2-10, S2-31, S2-33: as published, over 4,000 first rounds where the user stands."""
    proj09, cards = load("proj09"), load("cards")
    monkeypatch.setattr(random, "shuffle", random.Random(33).shuffle)
    monkeypatch.setattr(builtins, "input", lambda _: "n")
    rounds = 4000
    ends = dict.fromkeys(PUBLISHED, 0)
    for _ in range(rounds):
        deck = cards.Deck()
        deck.shuffle()
        proj09.play_round(deck)
        last = capsys.readouterr().out.rpartition("Dealer's cards: ")[2]
        total = int(re.search(r", total (\d+)\n", last)[1])
        ends[min(total, 22)] += 1
    for end, probability in PUBLISHED.items():
        deviation = (probability * (1 - probability) / rounds) ** 0.5
        assert abs(ends[end] / rounds - probability) < 4 * deviation, end
