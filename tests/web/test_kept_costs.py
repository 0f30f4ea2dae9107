"""What a decision was worth is worked out once: an export asks for no odds that are known."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import flask
import msgspec
import pytest
from flask.testing import FlaskClient

from app import create_app
from cardgames import GAMES
from cardgames.records.replay import replay
from tests.support.site import TWENTY_ONE, any_store_of, cookie, look, names_of, play, sid
from web.rounds import finished
from web.rounds.costs import review
from web.settings import Settings
from web.storage.rounds import rounds_of
from web.storage.store import StoreUnavailable
from web.tables.stored_round import StoredRound

pytestmark = pytest.mark.xdist_group("redis")


@contextmanager
def no_odds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let nobody be shown any odds."""

    def odds(*_: object) -> None:
        raise AssertionError("odds were asked for")

    with monkeypatch.context() as patch:
        for slug in TWENTY_ONE:
            patch.setattr(type(GAMES[slug].advisor), "odds", odds)
        yield


def coach(client: FlaskClient, *, on: bool) -> None:
    for slug in TWENTY_ONE:
        form = {"table": slug, "mode": "before" if on else "off"}
        assert client.post("/coach", data=form).status_code == 303


def play_rounds(client: FlaskClient, slug: str, rounds: int, luck: random.Random) -> None:
    """Finish some rounds by moves at random; at Blackjack some are given up."""
    done = len(client.get(f"/{slug}/history.csv").text.splitlines()) - 1
    while rounds:
        names = [name for name in names_of(look(client, f"/{slug}")) if name != "new"] or ["new"]
        play(client, f"/{slug}", luck.choice(names))
        now = len(client.get(f"/{slug}/history.csv").text.splitlines()) - 1
        rounds -= min(rounds, now - done)
        done = now


def quick(client: FlaskClient, slug: str, rounds: int) -> None:
    """Finish some rounds by one hit where it can be, then standing; no page of the past is seen."""
    while rounds:
        table = look(client, f"/{slug}")
        names = names_of(table)
        hits = len(table["view"]["player"]["cards"]) == 2 and "hit" in names
        move = "hit" if hits else next(n for n in ("stay", "deal", "new") if n in names)
        table = play(client, f"/{slug}", move)
        rounds -= table["view"]["phase"] in ("round over", "game over") and move != "new"


def exported(client: FlaskClient, slug: str) -> list[dict[str, Any]]:
    answer = client.get(f"/{slug}/history.json")
    assert answer.status_code == 200
    rounds: list[dict[str, Any]] = answer.get_json()["rounds"]
    return rounds


def worked_out(site: flask.Flask, client: FlaskClient, slug: str) -> list[list[dict[str, Any]]]:
    """Return what each round's decisions were worth, by the odds at each."""
    game = GAMES[slug]
    assert game.advisor
    found = []
    for one in rounds_of(any_store_of(site), sid(client), slug):
        record = StoredRound.unpacked(one.data).record(game)
        decisions = review(game.advisor, record, replay(record))
        found.append(
            [
                {"chosen": each.chosen, "best": each.best, "cost": round(each.cost, 9)}
                for each in decisions
            ]
        )
    return found


@pytest.mark.parametrize("slug", TWENTY_ONE)
def test_with_the_coach_an_export_asks_for_no_odds(
    site: flask.Flask, monkeypatch: pytest.MonkeyPatch, slug: str
) -> None:
    client = site.test_client()
    client.post(f"/{slug}", data={"move": "new", "step": "0"})
    coach(client, on=True)
    quick(client, slug, 6)
    with no_odds(monkeypatch):
        decisions = [one["decisions"] for one in exported(client, slug)]
        assert client.get(f"/{slug}/history.csv").status_code == 200
        assert client.get(f"/{slug}/history").status_code == 200
    assert decisions == worked_out(site, client, slug)
    assert any(decisions)


@pytest.mark.parametrize("slug", TWENTY_ONE)
def test_without_it_odds_are_asked_for_once_and_by_one_worker(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, slug: str
) -> None:
    first, second = create_app(settings), create_app(settings)
    client = first.test_client()
    quick(client, slug, 6)
    before = exported(client, slug)
    other = second.test_client()
    other.set_cookie("cardgames", cookie(client))
    finished._read.cache_clear()
    finished._with_orders.cache_clear()
    with no_odds(monkeypatch):
        assert exported(client, slug) == exported(other, slug) == before
        assert other.get(f"/{slug}/history").status_code == 200
    assert [one["decisions"] for one in before] == worked_out(first, client, slug)


def test_rounds_at_random_with_the_coach_now_on_and_now_off(site: flask.Flask) -> None:
    """Switched in the middle of rounds, rounds given up, over with the deal: all are right."""
    luck = random.Random(3)
    client = site.test_client()
    client.post("/blackjack", data={"move": "new", "step": "0"})
    for turn in range(8):
        coach(client, on=turn % 2 == 0)
        play_rounds(client, "blackjack", luck.randint(1, 3), luck)
        play(client, "/blackjack", "deal")
    rounds = exported(client, "blackjack")
    assert [one["decisions"] for one in rounds] == worked_out(site, client, "blackjack")
    chosen = [each["chosen"] for one in rounds for each in one["decisions"]]
    assert {"hit", "stay", "deal"} <= set(chosen)


def test_a_move_asks_for_no_odds_where_there_is_no_coach(
    site: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So no player's move is dearer for what an export will want."""
    client = site.test_client()
    with no_odds(monkeypatch):
        for slug in TWENTY_ONE:
            quick(client, slug, 4)


def test_a_store_that_cannot_keep_it_is_no_reason_not_to_export(
    site: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = site.test_client()
    quick(client, "blackjack", 2)

    def full(*_: object, **_more: object) -> None:
        raise StoreUnavailable("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(any_store_of(site), "write", full)
        before = exported(client, "blackjack")
    assert exported(client, "blackjack") == before


def test_where_there_is_no_coach_for_anybody_nothing_is_shown(tmp_path: Path) -> None:
    client = create_app(Settings(data_dir=tmp_path)).test_client()
    client.post("/blackjack", data={"move": "new", "step": "0"})
    coach(client, on=True)
    quick(client, "blackjack", 2)
    without = create_app(Settings(data_dir=tmp_path, coach=False)).test_client()
    without.set_cookie("cardgames", cookie(client))
    assert [one["decisions"] for one in exported(without, "blackjack")] == [[], []]
    assert without.get("/blackjack/history").status_code == 200


def test_a_decision_takes_a_few_bytes() -> None:
    """One for the best, five at most for another; and a session's worth of rounds stays small."""
    seven = StoredRound.unpacked(
        msgspec.msgpack.encode(["0", int(time.time()), [0, False, [], b""], [b"\0" * 16], "d", ""])
    )
    plain = len(seven.with_costs(()).packed())
    assert len(seven.with_costs((0, 1, 1, 0)).packed()) == plain + 4
    dearest = 2 * 10**9 * 2 + 1
    assert len(seven.with_costs((dearest,) * 4).packed()) == plain + 20
