"""The structure is still: a sixth game is one module, one template, one registry line.

Its line in the hidden-information test is the fourth thing. Nothing in ``web``, ``app.py`` or the
rest of ``cardgames`` is touched for it.
"""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import flask
import pytest
from jinja2 import ChoiceLoader, FileSystemLoader

from cardgames import GAMES
from cardgames.cards import FULL_DECK, shuffled
from tests.high_card import HighCard

JSON = {"Accept": "application/json"}


@pytest.fixture
def high_card(app: flask.Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[flask.Flask]:
    monkeypatch.setitem(GAMES, "high-card", HighCard())
    own = FileSystemLoader(Path(__file__).parent / "templates")
    loader = app.jinja_loader
    assert loader
    monkeypatch.setattr(app.jinja_env, "loader", ChoiceLoader([own, loader]))
    return app


def test_it_is_played_in_both_representations(high_card: flask.Flask) -> None:
    client = high_card.test_client()
    assert "High Card" in client.get("/").text
    assert client.post("/high-card", data={"move": "deal", "step": "0"}).status_code == 303
    page = client.get("/high-card").text
    assert page.count('class="card"') == 2
    answer = client.get("/high-card", headers=JSON).get_json()
    assert (answer["step"], answer["view"]["left"]) == (1, 50)
    assert [move["name"] for move in answer["moves"]] == ["deal", "new"]
    refused = client.post("/high-card", data={"move": "bet", "step": "1"}, headers=JSON)
    assert refused.status_code == 422
    assert client.get("/high-card/rules").status_code == 200


def test_it_passes_what_every_game_passes() -> None:
    game, rng = HighCard(), random.Random(1)
    state = game.start()
    for _ in range(100):
        move = rng.choice(game.moves(state)).name
        state = game.play(state, move, {}, rng)
        assert Counter(game.cards(state)) == Counter(FULL_DECK)
        # Its line in the hidden-information test: the deck.
        hidden = type(state)(state.phase, shuffled(state.deck, rng), state.shown)
        assert game.view(hidden) == game.view(state)
        assert game.moves(hidden) == game.moves(state)
        assert game.verdict(hidden) == game.verdict(state)
