"""The lab's pages: ask for a run, see how far it is, read what came out."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import flask
import msgspec
import pytest
from flask.testing import FlaskClient

from app import create_app
from cardgames.simulation import BingoResult, TwentyOneResult, WarGames, WarResult
from cardgames.simulation.results import UpcardChances
from cardgames.strategies.rating import Mistake
from tests.support.lab import BINGO, CARDS, JSON, WAR, Page, fetch_run, jobs_of, play_all, start
from tests.support.simulation import STAYS, whole
from web.settings import Settings
from web.simulation.runs import pack_result, unpack_result
from web.storage.jobs import Jobs
from web.storage.sessions import Session, Sessions
from web.storage.store import StoreUnavailable


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
    assert answer["conclusion"][0].startswith("A game takes ")
    assert f'href="/lab/{number}"' in client.get("/lab").text


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


def test_a_run_is_shared_by_its_address(app: flask.Flask, client: FlaskClient, jobs: Jobs) -> None:
    number = start(client)
    stranger = app.test_client()
    assert "Cancel" not in stranger.get(f"/lab/{number}").text
    refused = stranger.post(f"/lab/{number}/cancel")
    assert refused.status_code == 403
    assert "Only who started a run" in refused.text
    assert fetch_run(stranger, number)["phase"] == "waiting"
    play_all(jobs)
    assert "Who won" in stranger.get(f"/lab/{number}").text
    assert "Set-Cookie" not in stranger.get(f"/lab/{number}").headers


@pytest.mark.parametrize("form", [{**WAR, "games": "2000"}, BINGO, {**CARDS, "rows": STAYS}])
def test_what_came_out_is_drawn_and_told_in_numbers(
    client: FlaskClient, jobs: Jobs, form: dict[str, str]
) -> None:
    number = start(client, form)
    play_all(jobs)
    page = client.get(f"/lab/{number}").text
    pictures = re.findall(r'<svg class="(area|barchart)"', page)
    assert len(pictures) == page.count('role="img" aria-label=') >= 1
    assert len(re.findall(r"<table(?! class)", page)) >= len(pictures)
    for drawn in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        assert not re.search(r"\b(style|onload|href|fill)=", drawn)
    assert max(Page(page).rows, default=0) <= 11  # a head and ten rows; the rest unfolds


def test_bingo_and_twenty_one_run_too(client: FlaskClient, jobs: Jobs) -> None:
    bingo = start(client, BINGO)
    cards = start(client, {**CARDS, "rows": STAYS})
    play_all(jobs)
    answer = fetch_run(client, bingo)
    assert answer["title"] == "Bingo, mode F, speed: 300 rounds"
    assert 0 <= answer["asked"]["seed"] < 1_000_000
    assert msgspec.convert(answer["result"], BingoResult).games == 300
    found = msgspec.convert(fetch_run(client, cards)["result"], TwentyOneResult)
    assert (found.games, bool(found.expected)) == (300, True)
    page = client.get(f"/lab/{cards}").text
    assert "The mark is the exact chance." in page
    assert '<table class="decisions-grid">' in page


@pytest.mark.parametrize("form", [WAR, BINGO, {**CARDS, "rows": STAYS}, {**CARDS, "play": "below"}])
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


def test_the_pages_look_like_the_site(client: FlaskClient, jobs: Jobs) -> None:
    number = start(client)
    pages = [client.get(path).text for path in ("/lab", f"/lab/{number}")]
    play_all(jobs)
    pages.append(client.get(f"/lab/{number}").text)
    for page in pages:
        assert re.search(r'<link rel="stylesheet" href="/static/[^"/]+/site.css">', page)
        scripts = set(re.findall(r'<script src="/static/[^/]+/(\w+)', page))
        assert scripts <= {"site", "pages", "lab"}
        assert " style=" not in page


@pytest.mark.parametrize("path", ["/lab/1", "/lab/0", "/lab/99999999999999999999", "/lab/x"])
def test_unknown_numbers_are_a_404(client: FlaskClient, path: str) -> None:
    for address in (path, f"{path}.csv", f"{path}/status"):
        assert client.get(address).status_code == 404
    assert client.post(f"{path}/cancel").status_code == 404


def test_forms_from_other_sites_are_refused(client: FlaskClient, jobs: Jobs) -> None:
    number = start(client)
    for path in ("/lab", f"/lab/{number}/cancel"):
        response = client.post(path, data=WAR, headers={"Sec-Fetch-Site": "cross-site"})
        assert response.status_code == 403
    assert [job.number for job in jobs.open_jobs()] == [number]


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


def test_jobs_hold_json_and_nothing_that_runs(client: FlaskClient, jobs: Jobs) -> None:
    start(client)
    play_all(jobs)
    (job,) = jobs.latest(1)
    assert msgspec.json.decode(job.data)["kind"] == "war"
    assert msgspec.json.decode(jobs.result(job.number))["games"] == 400


def test_a_store_that_does_not_answer_is_a_503(
    app: flask.Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_count: int) -> None:
        raise StoreUnavailable("disk I/O error at /secret")

    monkeypatch.setattr(jobs_of(app), "latest", broken)
    response = client.get("/lab")
    assert response.status_code == 503
    assert "secret" not in response.text
    assert client.get("/simple-21").status_code == 200


def test_the_prefix_is_kept(tmp_path: Path) -> None:
    client = create_app(Settings(data_dir=tmp_path, url_prefix="/cards")).test_client()
    response = client.post("/cards/lab", data=WAR)
    assert response.headers["Location"] == "/cards/lab/1"
    page = client.get("/cards/lab/1").text
    assert 'action="/cards/lab/1/cancel"' in page
    assert 'data-status="/cards/lab/1/status"' in page


def test_a_result_of_an_earlier_version_has_no_decisions_that_cost_something() -> None:
    """Runs that were done before are read as they are."""
    result = TwentyOneResult(9, 4, 1, 4, (UpcardChances(1, 0.1, 0.2, 0.3),))
    kept = msgspec.json.decode(pack_result(result))
    assert kept.pop("mistakes") == []
    assert unpack_result("twentyone", msgspec.json.encode(kept)) == result
    told = replace(result, mistakes=(Mistake(0.3, soft=True, total=18, upcard=9, hit=False),))
    assert unpack_result("twentyone", pack_result(told)) == told
