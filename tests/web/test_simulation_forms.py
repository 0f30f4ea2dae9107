"""The forms of the lab: each experiment has one, a strategy is clicked, bad input loses nothing."""

import html
import re

import flask
import msgspec
import pytest
from flask.testing import FlaskClient

from cardgames.strategies.strategy import BASIC, parse_rows
from tests.support.lab import BINGO, CARDS, JSON, WAR, Page, fetch_run, jobs_of, play_all, start
from tests.support.languages import Reader
from web.simulation.forms import to_experiment
from web.storage.jobs import Jobs


@pytest.fixture
def jobs(app: flask.Flask) -> Jobs:
    return jobs_of(app)


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
    ("begin", "hard_16", "soft_17"),
    [
        ("basic", "HSSSSSHHHH", "H" * 10),
        ("dealer", "H" * 10, "S" * 10),
        ("never", "S" * 10, "S" * 10),
    ],
)
def test_the_grid_can_begin_with_something_known(
    client: FlaskClient, begin: str, hard_16: str, soft_17: str
) -> None:
    page = client.get(f"/lab?experiment=twentyone&play=table&start={begin}").text
    _, experiment = to_experiment(Page(page).fields)
    rows = parse_rows(msgspec.to_builtins(experiment)["strategy"])
    assert (rows[False, 16], rows[True, 17]) == (hard_16, soft_17)


@pytest.mark.parametrize(
    ("form", "field", "says"),
    [
        ({"games": "0"}, "games", "from 1 to 1,000,000"),
        ({"games": "9" * 900}, "games", "from 1 to 1,000,000"),
        ({"games": "many"}, "games", "The number of games must be a whole number."),
        ({"games": "٣"}, "games", "whole number"),
        ({"seed": "-1"}, "seed", "The seed must be a whole number."),
        ({"seed": "1" * 18}, "seed", "The seed must be"),
        ({"players": "7"}, "players", "from 2 to 6"),
        ({"experiment": "poker"}, "", "is one of war, bingo, twentyone."),
        ({"experiment": "bingo", "mode": "X"}, "mode", "The field mode is one of L, C, F."),
        ({"experiment": "bingo", "speed": "yes"}, "speed", "The field speed is one of Y, N."),
        ({"experiment": "twentyone", "table": "war"}, "table", "no such table"),
        ({"experiment": "twentyone", "play": "win"}, "play", "The field play is one of"),
        ({"experiment": "twentyone", "play": "below", "below": "40"}, "below", "from 2 to 22"),
        ({"experiment": "twentyone", "play": "table", "rows": "x <b>"}, "rows", "Line 1 of the"),
        ({"experiment": "twentyone", "play": "table", "rows": "hard"}, "rows", "Line 1 of the"),
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
        (BINGO, False),
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
