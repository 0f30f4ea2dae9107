"""Whoever listens hears of each round that is kept, once, and of no other."""

from typing import Any

import flask
import pytest

from cardgames.moves import CONCEDE
from tests.support.play import deck_file
from tests.support.site import look, play
from web.storage.sessions import sessions_of
from web.storage.store import StoreUnavailable
from web.tables.listeners import RoundsOver, on_rounds_over


def test_a_round_is_shown_with_the_move_that_ends_it(app: flask.Flask) -> None:
    heard: list[RoundsOver] = []
    on_rounds_over(app, heard.append)
    client = app.test_client()
    play(client, "/blackjack", "deal", deck=deck_file("KS 7H KD 8C"))
    assert not heard
    play(client, "/blackjack", "stay")
    (over,) = heard
    assert over.location.path == "/blackjack"
    assert over.slot.table.finished == 1
    assert [[action.name for action in one.actions] for one in over.records] == [["deal", "stay"]]
    play(client, "/blackjack", "deal", deck=deck_file("KS 7H KD 8C"))
    play(client, "/blackjack", "deal")  # given up, and dealt anew
    assert heard[1].records[0].actions[-1].name == CONCEDE.name


def test_nobody_is_shown_of_what_was_not_kept(
    app: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[RoundsOver] = []
    on_rounds_over(app, heard.append)
    client = app.test_client()
    play(client, "/blackjack", "deal", deck=deck_file("KS 7H KD 8C"))
    store = sessions_of(app).store
    write, refused = store.write, [True]

    def overtaken(*args: Any, **more: Any) -> bool:
        return False if refused and refused.pop() else write(*args, **more)

    monkeypatch.setattr(store, "write", overtaken)
    play(client, "/blackjack", "stay")
    assert len(heard) == 1


def test_a_listener_that_cannot_write_takes_no_move_back(app: flask.Flask) -> None:
    def fails(_: RoundsOver) -> None:
        raise StoreUnavailable

    on_rounds_over(app, fails)
    client = app.test_client()
    play(client, "/blackjack", "deal", deck=deck_file("KS 7H KD 8C"))
    play(client, "/blackjack", "stay")
    assert look(client, "/blackjack")["view"]["phase"] == "round over"
