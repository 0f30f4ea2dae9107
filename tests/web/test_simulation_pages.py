"""The lab's pages: ask for a run, see how far it is, read what came out."""

import csv
import html
import io
import re

import flask
import msgspec
import pytest
from flask.testing import FlaskClient

from cardgames.simulation import BingoResult, TwentyOneResult, WarGames, WarResult
from cardgames.strategies.strategy import BASIC, parse_rows
from tests.support.lab import BINGO, CARDS, JSON, WAR, Page, fetch_run, jobs_of, play_all, start
from tests.support.languages import Reader
from tests.support.simulation import STAYS, whole
from web.simulation.forms import to_experiment
from web.storage.jobs import Jobs

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
    assert client.get(f"/lab/{number}/status").get_json() == {
        "phase": "waiting",
        "done": 0,
        "steps": 1,
    }
    play_all(jobs)
    done = client.get(f"/lab/{number}").text
    assert not re.search("<progress|data-status|refresh", done)
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
    assert max(Page(page).rows, default=0) <= 11  # a head and ten rows; the rest unfolds
    assert ("The mark is the exact chance." in page) == (form is TABLE)
    assert ('<table class="decisions-grid">' in page) == (form is TABLE)


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


@pytest.mark.parametrize("data", [b"", b'{"kind":"war","asked":{"players":9},"done":0}'])
def test_a_run_that_cannot_be_read_is_gone(client: FlaskClient, jobs: Jobs, data: bytes) -> None:
    unreadable = jobs.add(0, 1, data).number
    number = start(client)
    assert client.get(f"/lab/{unreadable}").status_code == 404
    assert [run["number"] for run in client.get("/lab", headers=JSON).get_json()["runs"]] == [
        number
    ]
    play_all(jobs)
    assert fetch_run(client, number)["phase"] == "done"


# ---- The forms -----------------------------------------------------------------------------------


def test_each_experiment_has_a_tab_and_nothing_is_written(
    client: FlaskClient, reader: Reader, jobs: Jobs
) -> None:
    for kind, field in (("war", "players"), ("bingo", "mode"), ("twentyone", "play")):
        response = client.get(f"/lab?experiment={kind}")
        assert response.status_code == 200
        assert "Set-Cookie" not in response.headers
        assert len(re.findall('<form method="post" action="/lab"', response.text)) == 1
        assert f'href="/lab?experiment={kind}" aria-current="page"' in response.text
        assert f'name="{field}"' in response.text
        assert "None so far" in response.text
        reader.get(f"/lab?experiment={kind}")
    assert 'value="war"' in client.get("/lab").text
    assert 'value="war"' in client.get("/lab?experiment=poker").text
    assert client.get("/lab", headers=JSON).get_json() == {"runs": []}
    assert jobs.latest(1) == ()


def test_a_strategy_can_be_clicked(client: FlaskClient) -> None:
    """The grid as it first stands is the basic strategy; every field of it counts."""
    page = client.get("/lab?experiment=twentyone&play=table").text
    fields = Page(page).fields
    assert {name for name, value in fields.items() if value == "H"} >= {"hard-16-T", "soft-18-9"}
    assert "hard-16-6" not in fields
    number = start(client, fields)
    asked = fetch_run(client, number)["asked"]["strategy"]
    rows = parse_rows(asked)
    assert len(rows) == 17
    assert all(rows[hand] == letters for hand, letters in parse_rows(BASIC).items())
    assert (rows[False, 17], rows[True, 17]) == ("S" * 10, "H" * 10)
    del fields["hard-16-T"]
    changed = parse_rows(
        fetch_run(client, start(client, {**fields, "hard-20-A": "H"}))["asked"]["strategy"]
    )
    assert (changed[False, 16], changed[False, 20]) == ("HSSSSSHHHS", "HSSSSSSSSS")


@pytest.mark.parametrize(
    ("form", "field", "says"),
    [
        ({"games": "0"}, "games", "from 1 to 1,000,000"),
        ({"games": "many"}, "games", "The number of games must be a whole number."),
        ({"seed": "-1"}, "seed", "The seed must be a whole number."),
        ({"players": "7"}, "players", "from 2 to 6"),
        ({"experiment": "poker"}, "", "is one of war, bingo, twentyone."),
        ({"experiment": "bingo", "mode": "X"}, "mode", "The field mode is one of L, C, F."),
        ({"experiment": "twentyone", "table": "war"}, "table", "no such table"),
        ({"experiment": "twentyone", "play": "below", "below": "40"}, "below", "from 2 to 22"),
        ({"experiment": "twentyone", "play": "table", "rows": "x <b>"}, "rows", "Line 1 of the"),
    ],
)
def test_bad_input_is_one_sentence_beside_its_field_and_nothing_is_lost(
    client: FlaskClient, reader: Reader, jobs: Jobs, form: dict[str, str], field: str, says: str
) -> None:
    typed = {"experiment": "war", "games": "123", "seed": "77", **form}
    page = client.post("/lab", data=typed)
    assert page.status_code == 422
    if field:
        (wrong,) = re.findall(r'class="wrong" id="wrong">(.*?)</strong>', page.text)
        before = page.text.partition('id="wrong"')[0]
        assert before.rindex(f'name="{field}"') == max(
            before.rindex(found) for found in re.findall(r'name="\w+"', before)
        )
    else:
        (wrong,) = re.findall(r'role="alert"><p>(.*?)</p>', page.text)
    assert says in wrong
    for name in ("games", "seed"):
        assert f'name="{name}" value="{typed[name]}"' in page.text
    if "<b>" in form.get("rows", ""):
        assert "x &lt;b&gt;</textarea>" in page.text
    answer = client.post("/lab", data=typed, headers=JSON)
    assert answer.status_code == 422
    assert says in answer.get_json()["error"]
    assert jobs.latest(1) == ()
    reader.read(reader.client.post("/lab", data=typed))


@pytest.mark.parametrize(
    ("form", "is_clicked"),
    [
        (WAR, False),
        ({**CARDS, "rows": BASIC}, True),
        ({**CARDS, "rows": "hard 11 SSSSSSSSSS"}, False),  # no row of the grid
        ({**CARDS, "play": "below", "below": "14"}, False),
    ],
)
def test_a_run_can_be_changed_and_run_again(
    client: FlaskClient, jobs: Jobs, form: dict[str, str], *, is_clicked: bool
) -> None:
    """What was asked stands in the form, a strategy as clicks wherever the grid can say it."""
    first = start(client, form)
    play_all(jobs) if form in (WAR, BINGO) else jobs.cancel(first)
    (address,) = re.findall(r'href="(/lab\?[^"]+)">Change it', client.get(f"/lab/{first}").text)
    fields = Page(client.get(html.unescape(address)).text).fields
    asked = fetch_run(client, first)["asked"]
    _, again = to_experiment({**fields, "seed": str(asked["seed"])})
    if not is_clicked:
        assert msgspec.to_builtins(again) == asked
        return
    assert not fields["rows"].strip()
    before, after = parse_rows(asked["strategy"]), parse_rows(again.strategy)
    assert {hand: after[hand] for hand in before} == before
