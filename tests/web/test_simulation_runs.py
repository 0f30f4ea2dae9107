"""Runs are played a part at a time: who comes first, what is left when one ends before its end."""

from collections.abc import Iterator
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient

from cardgames.simulation import Result, WarGames, run
from tests.support.lab import WAR, fetch_run, jobs_of, play_a_move, play_all, start
from tests.support.simulation import whole
from web.simulation import player
from web.simulation.player import play_part, play_parts
from web.simulation.runs import VISITORS
from web.storage.jobs import Jobs

LONG = {**WAR, "games": "5000"}
"""Five steps."""


@pytest.fixture
def jobs(app: flask.Flask, monkeypatch: pytest.MonkeyPatch) -> Jobs:
    """The jobs of a site, of which a part is a single step."""
    monkeypatch.setattr(player, "PART", 0.0)
    return jobs_of(app)


def test_a_run_in_parts_is_the_run_in_one_go(client: FlaskClient, jobs: Jobs) -> None:
    number = start(client, {**LONG, "games": "2500"})
    seen = []
    for _ in range(3):
        play_part(jobs, VISITORS)
        answer = fetch_run(client, number)
        seen.append((answer["phase"], answer["done"], answer["result"]["games"]))
    assert not play_part(jobs, VISITORS)
    assert seen == [("running", 1, 1000), ("running", 2, 2000), ("done", 3, 2500)]
    assert fetch_run(client, number)["result"]["wins"] == list(whole(WarGames(2500, 5, 2)).wins)


def test_a_short_run_does_not_wait_for_a_long_one(
    app: flask.Flask, client: FlaskClient, jobs: Jobs
) -> None:
    long = start(client, LONG)
    play_part(jobs, VISITORS)
    short = start(app.test_client())
    play_part(jobs, VISITORS)
    assert (fetch_run(client, short)["phase"], fetch_run(client, long)["done"]) == ("done", 1)
    play_all(jobs)
    assert fetch_run(client, long)["phase"] == "done"


def test_players_and_visitors_take_turns(app: flask.Flask, client: FlaskClient, jobs: Jobs) -> None:
    """However many visitors there are: half of the time is left for those who play here."""
    visitors = [start(app.test_client()) for _ in range(4)]
    play_a_move(client)
    mine = start(client, LONG)
    for turn in (1, 2, 3):
        play_parts(jobs)
        assert fetch_run(client, mine)["done"] == turn
        assert [fetch_run(client, number)["phase"] for number in visitors].count("done") == turn


def test_a_run_that_is_cancelled_while_it_is_played_keeps_what_it_has(
    client: FlaskClient, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = start(client, LONG)
    play_part(jobs, VISITORS)
    play_part(jobs, VISITORS)

    def cancelled_meanwhile(*args: Any) -> Iterator[tuple[int, Result]]:
        assert client.post(f"/lab/{number}/cancel").status_code == 303
        yield from run(*args)

    monkeypatch.setattr(player, "run", cancelled_meanwhile)
    play_part(jobs, VISITORS)
    answer = fetch_run(client, number)
    assert (answer["phase"], answer["done"], answer["result"]["games"]) == ("cancelled", 2, 2000)
    assert "cancelled after 2,000 games" in client.get(f"/lab/{number}").text
    assert not play_part(jobs, VISITORS)
    assert client.post(f"/lab/{number}/cancel").status_code == 303
    assert fetch_run(client, number)["phase"] == "cancelled"


def test_a_run_that_is_cancelled_while_it_waits_is_not_played(
    client: FlaskClient, jobs: Jobs
) -> None:
    number = start(client)
    client.post(f"/lab/{number}/cancel")
    assert not play_part(jobs, VISITORS)
    assert (fetch_run(client, number)["phase"], fetch_run(client, number)["result"]) == (
        "cancelled",
        None,
    )
    assert "This run was cancelled." in client.get(f"/lab/{number}").text


def test_a_fault_gives_the_run_up(
    client: FlaskClient, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = start(client)
    monkeypatch.setattr(player, "run", lambda *_: 1 / 0)
    play_part(jobs, VISITORS)
    page = client.get(f"/lab/{number}").text
    assert fetch_run(client, number)["phase"] == "failed"
    assert "Something went wrong" in page
    assert "division" not in page
    assert "refresh" not in page


def test_a_result_that_cannot_be_read_is_begun_anew(client: FlaskClient, jobs: Jobs) -> None:
    number = start(client, LONG)
    play_part(jobs, VISITORS)
    job = jobs.take(VISITORS)
    assert job
    jobs.put(job, b"damaged")
    assert fetch_run(client, number)["result"] is None
    play_all(jobs)
    assert fetch_run(client, number)["result"]["games"] == 5000
