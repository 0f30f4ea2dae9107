"""The lab's pages: ask for a run, see how far it is, read what came out."""

import csv
import io
import re

import flask
import msgspec
import pytest
from flask.testing import FlaskClient

from cardgames.simulation import BingoResult, TwentyOneResult, WarGames, WarResult
from tests.support.lab import BINGO, CARDS, JSON, WAR, Page, fetch_run, jobs_of, play_all, start
from tests.support.simulation import STAYS, whole
from web.storage.jobs import Jobs
from web.storage.sessions import Session, Sessions

TABLE = {**CARDS, "rows": STAYS}


@pytest.fixture
def jobs(app: flask.Flask) -> Jobs:
    return jobs_of(app)


# ---- A run ---------------------------------------------------------------------------------


def test_a_run_waits_plays_and_is_done(client: FlaskClient, jobs: Jobs) -> None:
    number = start(client)
    waiting = client.get(f"/lab/{number}").text
    for part in ("Waiting", "<progress", "Cancel", f'data-status="/lab/{number}/status"'):
        assert part in waiting
    assert fetch_run(client, number)["phase"] == "waiting"
    play_all(jobs)
    done = client.get(f"/lab/{number}").text
    assert "<progress" not in done
    assert "data-status" not in done
    assert "from seed 5." in done
    assert "Who won" in done
    assert re.search(r'id="conclusion">Games take \d+ turns on average:', done)
    answer = fetch_run(client, number)
    assert (answer["phase"], answer["done"], answer["steps"]) == ("done", 1, 1)
    assert msgspec.convert(answer["result"], WarResult) == whole(WarGames(400, 5, 2))
    assert answer["conclusion"][0].startswith("Games take ")
    assert f'href="/lab/{number}"' in client.get("/lab").text


def test_a_run_is_shared_by_its_address_and_cancelled_by_who_started_it(
    app: flask.Flask, client: FlaskClient, jobs: Jobs
) -> None:
    number, stranger = start(client), app.test_client()
    assert "Cancel" not in stranger.get(f"/lab/{number}").text
    refused = stranger.post(f"/lab/{number}/cancel")
    assert refused.status_code == 403
    assert "Only who started a run" in refused.text
    assert fetch_run(stranger, number)["phase"] == "waiting"
    play_all(jobs)
    page = stranger.get(f"/lab/{number}")
    assert "Who won" in page.text
    assert "Set-Cookie" not in page.headers


@pytest.mark.parametrize(
    ("form", "kind", "games"),
    [(WAR, WarResult, 400), (BINGO, BingoResult, 300), (TABLE, TwentyOneResult, 300)],
    ids=["war", "bingo", "twentyone"],
)
def test_what_came_out_is_drawn_and_shown_in_numbers(
    client: FlaskClient, jobs: Jobs, form: dict[str, str], kind: type, games: int
) -> None:
    number = start(client, form)
    play_all(jobs)
    assert msgspec.convert(fetch_run(client, number)["result"], kind).games == games
    page = client.get(f"/lab/{number}").text
    pictures = re.findall(r'<svg class="(area|barchart)"', page)
    assert len(pictures) == page.count('role="img" aria-label=') >= 1
    assert len(re.findall(r"<table(?! class)", page)) >= len(pictures)
    for drawn in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        assert not re.search(r"\b(style|onload|href|fill)=", drawn)
    assert max(Page(page).rows, default=0) <= 11  # a head and ten rows; the rest unfolds
    assert ("The mark is the exact chance." in page) == (form is TABLE)
    assert ('<table class="decisions-grid">' in page) == (form is TABLE)


def test_a_page_is_not_loaded_again_each_second(client: FlaskClient, jobs: Jobs) -> None:
    """With script it asks for a few bytes; without, it refreshes every five seconds."""
    number = start(client)
    page = client.get(f"/lab/{number}")
    assert "Refresh" not in page.headers
    assert re.findall(r"<noscript><meta (.*?)></noscript>", page.text) == [
        'http-equiv="refresh" content="5"'
    ]
    assert re.search(r'<script src="/static/[^"]+/lab.js" defer>', page.text)
    status = client.get(f"/lab/{number}/status")
    assert status.get_json() == {"phase": "waiting", "done": 0, "steps": 1}
    assert len(status.data) < 100
    play_all(jobs)
    page = client.get(f"/lab/{number}")
    assert "refresh" not in page.text
    assert "lab.js" not in page.text


@pytest.mark.parametrize("form", [WAR, BINGO, TABLE], ids=["war", "bingo", "twentyone"])
def test_a_run_can_be_run_again(client: FlaskClient, jobs: Jobs, form: dict[str, str]) -> None:
    first = start(client, form)
    play_all(jobs)
    page = client.get(f"/lab/{first}").text
    fields = Page(page).fields
    seeds = re.findall(r'<button name="seed" value="(\d*)"', page)
    same, other = (
        fetch_run(client, start(client, {**fields, "seed": seed})) for seed in reversed(seeds)
    )
    asked = fetch_run(client, first)["asked"]
    assert same["asked"] == asked
    assert {**other["asked"], "seed": 0} == {**asked, "seed": 0}
    assert other["asked"]["seed"] != asked["seed"]


def test_everything_counted_can_be_downloaded(client: FlaskClient, jobs: Jobs) -> None:
    number = start(client)
    assert client.get(f"/lab/{number}.csv").status_code == 404
    play_all(jobs)
    assert f'href="/lab/{number}.csv" download' in client.get(f"/lab/{number}").text
    response = client.get(f"/lab/{number}.csv")
    assert response.mimetype == "text/csv"
    assert 'filename="war-400-seed-5.csv"' in response.headers["Content-Disposition"]
    head, *rows = csv.reader(io.StringIO(response.text))
    assert head == ["what", "value", "count"]
    result = whole(WarGames(400, 5, 2))
    turns = [(int(value), int(count)) for what, value, count in rows if what == "turns"]
    assert tuple(turns) == result.turns.counts


def test_json_is_spoken(client: FlaskClient) -> None:
    response = client.post(
        "/lab", json={"experiment": "war", "games": 400, "seed": 5}, headers=JSON
    )
    assert response.status_code == 200
    answer = response.get_json()
    assert (answer["address"], answer["phase"]) == ("/lab/1", "waiting")
    assert answer["asked"] == {"games": 400, "seed": 5, "players": 2, "ranks": 13, "suits": 4}
    assert client.post("/lab", json=[1], headers=JSON).status_code == 400


@pytest.mark.parametrize("path", ["/lab/1", "/lab/0", "/lab/99999999999999999999", "/lab/x"])
def test_unknown_numbers_are_a_404(client: FlaskClient, path: str) -> None:
    for address in (path, f"{path}.csv", f"{path}/status"):
        assert client.get(address).status_code == 404, address
    assert client.post(f"{path}/cancel").status_code == 404


def test_a_session_that_was_saved_meanwhile_does_not_start_the_run_twice(
    client: FlaskClient, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[bool] = []
    save = Sessions.save_if_unchanged

    def once_refused(sessions: Sessions, session: Session) -> bool:
        tries.append(True)
        return len(tries) > 1 and save(sessions, session)

    monkeypatch.setattr(Sessions, "save_if_unchanged", once_refused)
    number = start(client)
    assert len(tries) == 2
    assert [job.number for job in jobs.latest(9)] == [number]
    assert "Cancel" in client.get(f"/lab/{number}").text


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"{}",
        b"\xff",
        b'{"kind":"war","asked":{"games":1,"seed":1,"players":9},"done":0}',
    ],
)
def test_a_run_that_cannot_be_read_is_gone(client: FlaskClient, jobs: Jobs, data: bytes) -> None:
    unreadable = jobs.add(0, 1, data).number
    number = start(client)
    assert client.get(f"/lab/{unreadable}").status_code == 404
    assert [run["number"] for run in client.get("/lab", headers=JSON).get_json()["runs"]] == [
        number
    ]
    play_all(jobs)
    assert fetch_run(client, number)["phase"] == "done"
