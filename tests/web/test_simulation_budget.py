"""Who may start which run, and how an instructor sees and cancels them."""

import flask
import pytest
from flask.testing import FlaskClient

from tests.support.lab import JSON, WAR, fetch_run, jobs_of, play_a_move, play_all, start
from web.simulation import runs
from web.simulation.runs import VISITORS
from web.storage.jobs import JobState

LARGE = {**WAR, "games": "1000000", "players": "6"}


def player(app: flask.Flask) -> FlaskClient:
    """Return a client who has played a move."""
    client = app.test_client()
    play_a_move(client)
    return client


def test_forty_strangers_cannot_close_the_lab(app: flask.Flask) -> None:
    """Without a cookie each of them is another visitor, and asks for as much as there can be."""
    for _ in range(40):
        refused = app.test_client().post("/lab", data=LARGE)
        assert refused.status_code == 429
        assert "play a move at one of the tables" in refused.text
        assert 'name="games" value="1000000"' in refused.text
        assert "Set-Cookie" not in refused.headers
    assert jobs_of(app).latest(1) == ()
    start(app.test_client(), WAR)
    start(player(app), LARGE)


def test_a_flood_of_small_runs_fills_ten_minutes_at_most_and_only_for_visitors(
    app: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "MAX_AHEAD", 600)
    answers = [app.test_client().post("/lab", data=WAR, headers=JSON) for _ in range(20)]
    statuses = [answer.status_code for answer in answers]
    waiting = sum(job.work for job in jobs_of(app).open_jobs())
    assert statuses == sorted(statuses)  # some got in, then no more
    assert set(statuses) == {200, 429}
    assert 600 < waiting <= 600 + 2 * 68  # the work of one: 400 games of two
    assert "Runs of about 1 minute are" in answers[-1].get_json()["error"]
    start(player(app), LARGE)
    shorter = app.test_client().post("/lab", data={**WAR, "games": "1"})
    assert shorter.status_code == 303  # it comes before all of those


def test_a_player_has_at_most_two_open_runs(app: flask.Flask) -> None:
    client = player(app)
    first, second = start(client), start(client)
    refused = client.post("/lab", data=WAR)
    assert refused.status_code == 429
    assert "You have 2 runs that are not finished" in refused.text
    assert 'name="seed" value="5"' in refused.text
    assert client.post(f"/lab/{first}/cancel").status_code == 303
    start(client)
    assert fetch_run(client, second)["phase"] == "waiting"
    play_all(jobs_of(app))
    start(client)


def test_so_many_runs_are_open_at_most(app: flask.Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "MAX_OPEN", 3)
    tiny = {**WAR, "games": "1"}
    for _ in range(3):
        start(app.test_client(), tiny)
    assert app.test_client().post("/lab", data=tiny).status_code == 429
    start(player(app), tiny)


# ---- The instructor's command --------------------------------------------------------------


def run_command(app: flask.Flask, *words: str) -> str:
    result = app.test_cli_runner().invoke(args=["simulation", *words])
    assert result.exit_code == 0, result.output
    return result.output


def test_the_instructor_sees_the_open_runs(app: flask.Flask) -> None:
    assert run_command(app, "list") == ""
    start(app.test_client())
    start(player(app), LARGE)
    jobs_of(app).add(VISITORS, 99_000, b"unreadable")
    assert run_command(app, "list").splitlines() == [
        "     2    0%    500.0 s  player   War, 6 players: 1,000,000 games",
        "     1    0%      0.1 s  visitor  War, 2 players: 400 games",
        "     3  cannot be read",
    ]


def test_the_instructor_cancels_runs(app: flask.Flask) -> None:
    first, second = start(app.test_client()), start(app.test_client())
    players = [start(player(app)) for _ in range(3)]
    assert run_command(app, "cancel", str(second)) == "Cancelled: 1.\n"
    assert run_command(app, "cancel", "--visitors") == "Cancelled: 1.\n"
    jobs = jobs_of(app)
    found = [jobs.find(number) for number in (first, second)]
    assert [job.state for job in found if job] == [JobState.CANCELLED] * 2
    assert [job.number for job in jobs.open_jobs()] == players
    assert run_command(app, "cancel", "--all") == "Cancelled: 3.\n"
    assert jobs.open_jobs() == ()
    missing = app.test_cli_runner().invoke(args=["simulation", "cancel", "7", str(first)])
    assert missing.exit_code == 1
    assert f"Not open: {first}, 7." in missing.output
