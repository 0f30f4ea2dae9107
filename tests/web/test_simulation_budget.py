"""Who may start which run, and how an instructor sees and cancels them."""

import flask
import pytest
from flask.testing import FlaskClient

from cardgames.simulation import WarGames
from tests.support.lab import JSON, WAR, fetch_run, jobs_of, play_a_move, play_all, start
from tests.support.simulation import whole
from web.simulation import player, runs
from web.simulation.player import play_part, play_parts
from web.simulation.runs import VISITORS
from web.storage.jobs import Jobs, JobState

LARGE = {**WAR, "games": "1000000", "players": "6"}


def one_who_plays(app: flask.Flask) -> FlaskClient:
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
    start(one_who_plays(app), LARGE)


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
    start(one_who_plays(app), LARGE)
    shorter = app.test_client().post("/lab", data={**WAR, "games": "1"})
    assert shorter.status_code == 303  # it comes before all of those


def test_a_player_has_at_most_two_open_runs(app: flask.Flask) -> None:
    client = one_who_plays(app)
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
    start(one_who_plays(app), tiny)


def run_command(app: flask.Flask, *words: str) -> str:
    result = app.test_cli_runner().invoke(args=["simulation", *words])
    assert result.exit_code == 0, result.output
    return result.output


def test_the_instructor_cancels_runs(app: flask.Flask) -> None:
    first, second = start(app.test_client()), start(app.test_client())
    players = [start(one_who_plays(app)) for _ in range(3)]
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


LONG = {**WAR, "games": "500"}
"""Five steps."""


@pytest.fixture
def jobs(app: flask.Flask, monkeypatch: pytest.MonkeyPatch) -> Jobs:
    """The jobs of a site, of which a part is a single step of a hundred games."""
    monkeypatch.setattr("cardgames.simulation.experiments.STEP_GAMES", 100)
    monkeypatch.setattr(player, "PART", 0.0)
    return jobs_of(app)


def test_a_run_in_parts_is_the_run_in_one_go(client: FlaskClient, jobs: Jobs) -> None:
    number = start(client, {**LONG, "games": "250"})
    seen, left = [], []
    for _ in range(3):
        left += (job.work for job in jobs.open_jobs())
        play_part(jobs, VISITORS)
        answer = fetch_run(client, number)
        seen.append((answer["phase"], answer["done"], answer["result"]["games"]))
    assert not play_part(jobs, VISITORS)
    assert seen == [("running", 1, 100), ("running", 2, 200), ("done", 3, 250)]
    assert left[0] > left[1] > left[2] > 0  # the first of its queue needs least
    assert fetch_run(client, number)["result"]["wins"] == list(whole(WarGames(250, 5, 2)).wins)


def test_a_run_that_is_taken_runs_though_nothing_of_it_is_done(
    client: FlaskClient, jobs: Jobs
) -> None:
    number = start(client, LONG)
    assert jobs.take(VISITORS)
    assert fetch_run(client, number)["phase"] == "running"


def test_players_and_visitors_take_turns(app: flask.Flask, client: FlaskClient, jobs: Jobs) -> None:
    """However many visitors there are: half of the time is left for those who play here."""
    visitors = [start(app.test_client(), {**WAR, "games": "100"}) for _ in range(4)]
    play_a_move(client)
    mine = start(client, LONG)
    for turn in (1, 2, 3):
        play_parts(jobs)
        assert fetch_run(client, mine)["done"] == turn
        assert [fetch_run(client, number)["phase"] for number in visitors].count("done") == turn


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
