"""The Blackjack mini-project agrees with the web table."""

import random
from types import ModuleType
from typing import Any

import pytest

from cardgames.games.twentyone.rules import Winner
from cardgames.table import Phase
from tests.sheets.blackjack.support import codes, drawn
from tests.support.amounts import few_or_all
from tests.support.sheets import Luck, WebTable


@few_or_all("sessions", 50, 500)
def test_the_mini_project_and_the_web_table_agree(
    game: ModuleType, monkeypatch: pytest.MonkeyPatch, sessions: int
) -> None:
    """S1-2, S1-6, S1-7, S1-8, S1-9, S1-32, S1-33, S1-35, S1-36, S1-37: over many sessions.

    S1-38 too: how often the dealer ends with what follows from card for card.
    """
    forfeits = 0

    def web_codes(hand: tuple[Any, ...]) -> str:
        return " ".join(card.suit + card.rank for card in hand)

    for seed in range(sessions):
        player = random.Random(seed)
        luck = Luck(seed, code=lambda card: card.get_rank() + card.get_suit(), top=-1)
        monkeypatch.setattr(random, "shuffle", luck.shuffle)
        table = WebTable("blackjack", Luck(seed))
        monkeypatch.setattr(game, "score", 0)
        monkeypatch.setattr(game, "in_play", False)
        move = "deal"
        for _ in range(30):
            forfeits += move == "deal" and table.phase is Phase.PLAYING
            table.play(move)
            state = table.state
            {"deal": game.deal, "hit": game.hit, "stay": game.stand}[move]()
            assert codes(game.player) == web_codes(state.player)
            assert codes(game.dealer) == web_codes(state.dealer)
            assert game.in_play is (table.phase is Phase.PLAYING)
            assert game.score == table.counts()["player"] - table.counts()["dealer"]
            assert game.player.get_value() == table.view.player.total
            cells = [i.shows(source, size) for i, source, size, _, _ in drawn(game).images]
            assert cells.count("") == table.view.dealer.cards.count(None)
            if state.winner is Winner.PLAYER:
                assert "You win!" in game.outcome
            move = player.choices(["hit", "stay", "deal"], [5, 5, 1])[0] if game.in_play else "deal"
        assert table.luck.count == luck.count
    assert forfeits > 0.6 * sessions
