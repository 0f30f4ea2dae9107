"""The lab's page: an experiment is a URL, and the page at this URL shows the result."""

import html
import multiprocessing
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient

from cardgames.lab import OPTIONS, ask, run
from cardgames.lab.report import conclusion, tables
from tests.support.languages import Reader
from tests.support.site import JSON
from web.lab import pool

WAR = "/lab?game=war&players=3&rounds=400&seed=5"


@contextmanager
def crowd() -> Iterator[None]:
    """Start the maximum number of waiting requests."""
    with ExitStack() as stack:
        for _ in range(pool.MAX_WAITING):
            stack.enter_context(pool._waiting)
        yield


# ---- The result ----------------------------------------------------------------------------------


def test_a_form_leads_to_an_address_with_every_choice_and_a_seed(client: FlaskClient) -> None:
    sent = client.get("/lab?game=bingo&rounds=200&seed=")
    assert sent.status_code == 303
    query = parse_qs(urlsplit(sent.headers["Location"]).query)
    assert query.pop("seed")[0].isdigit()
    assert query == {"game": ["bingo"], "mode": ["L"], "speed": ["N"], "rounds": ["200"]}
    assert client.get("/lab?seed=5&rounds=1,000").status_code == 200


def test_address_always_shows_the_same_result(client: FlaskClient) -> None:
    page = client.get(WAR)
    assert page.status_code == 200
    assert "Set-Cookie" not in page.headers
    said = re.search(r'id="conclusion">(Games take \d+ turns on average: .*?)</p>', page.text)
    assert said
    assert "Seed: 5." in page.text
    assert 'role="img" aria-label="Length of the games"' in page.text
    assert re.findall(r'name="players" value="(\d)" required checked', page.text) == ["3"]
    assert client.get(WAR).text == page.text
    experiment = ask("war", {"players": "3"}, 400, 5)
    result = run(experiment)
    assert conclusion(experiment, result)[0].startswith(html.unescape(said[1]).split(". ")[0])
    shown = " ".join(re.findall(r">([^<>\s][^<>]*)<", page.text))
    for table in tables(experiment, result):
        for row in table.rows:
            assert " ".join(row) in shown, row


@pytest.mark.parametrize("game", OPTIONS)
def test_json_has_the_counts(game: str, client: FlaskClient) -> None:
    answer = client.get(f"/lab?game={game}&rounds=300&seed=7", headers=JSON).get_json()
    result = run(ask(game, {}, 300, 7))
    assert [*answer["ends"].values()] == [*result.ends]
    assert answer["lengths"] == [[*pair] for pair in result.lengths.counts]
    assert (answer["game"], answer["rounds"], answer["seed"]) == (game, 300, 7)
    assert client.get(answer["address"], headers=JSON).get_json() == answer


# ---- The form ------------------------------------------------------------------------------------


def test_each_game_has_a_form_of_its_own(client: FlaskClient, reader: Reader) -> None:
    for game, options in OPTIONS.items():
        page = client.get(f"/lab?game={game}").text
        assert page.count('action="/lab#result"') == 1
        assert f'href="/lab?game={game}" aria-current="page"' in page
        assert f'type="hidden" name="game" value="{game}"' in page
        assert all(f'name="{option.name}"' in page for option in options)
        assert 'id="conclusion"' not in page
        reader.get(f"/lab?game={game}")
    assert 'value="war"' in client.get("/lab?game=poker").text
    known = client.get("/lab", headers=JSON).get_json()
    assert known["rounds"] == [100, 10_000]
    assert known["games"]["war"]["players"]["6"] == "6"
    assert client.post("/lab", data={"game": "war"}).status_code == 404


@pytest.mark.parametrize(
    ("query", "field", "says"),
    [
        ("rounds=99", "rounds", "from 100 to 10,000"),
        ("rounds=many", "rounds", "The number of rounds must be a whole number."),
        ("rounds=" + "9" * 5_000, "rounds", "from 100 to 10,000"),
        ("rounds=1000&seed=-1", "seed", "The seed must be a whole number."),
        ("rounds=1000&seed=%C2%B2", "seed", "The seed must be a whole number."),
        ("rounds=1000&players=7", "players", "Players: choose one of the options."),
        ("rounds=1000&game=bingo&mode=<b>", "mode", "Mode: choose one of the options."),
        (
            "rounds=1000&game=blackjack&strategy=16",
            "strategy",
            "Strategy: choose one of the options.",
        ),
        ("rounds=1000&game=poker", "", "The lab does not play that game."),
    ],
)
def test_faults_are_shown_beside_their_fields(
    query: str, field: str, says: str, client: FlaskClient, reader: Reader
) -> None:
    page = client.get(f"/lab?{query}")
    assert page.status_code == 422
    if field:
        (wrong,) = re.findall(r'class="wrong" id="wrong">(.*?)</strong>', page.text)
        before = page.text.partition('id="wrong"')[0]
        assert re.findall(r'name="(\w+)"', before)[-1] == field
    else:
        (wrong,) = re.findall(r'role="alert"><p>(.*?)</p>', page.text)
    assert says in wrong
    if "rounds=1000" in query:
        assert 'name="rounds" value="1000"' in page.text
    answer = client.get(f"/lab?{query}", headers=JSON)
    assert (answer.status_code, says in answer.get_json()["error"]) == (422, True)
    reader.read(reader.client.get(f"/lab?{query}"))


# ---- The process ---------------------------------------------------------------------------------


def refused(client: FlaskClient, says: str) -> None:
    """Check that a run is rejected with an unchanged form and a Retry-After header."""
    page = client.get(WAR)
    assert (page.status_code, page.headers["Retry-After"]) == (503, "5")
    (sentence,) = re.findall(r'role="alert"><p>(.*?)</p>', page.text)
    assert says in sentence
    assert 'name="seed" value="5"' in page.text
    assert says in client.get(WAR, headers=JSON).get_json()["error"]


def test_two_requests_wait_and_the_next_is_refused(client: FlaskClient) -> None:
    with crowd():
        refused(client, "The lab is busy")
        assert client.get("/lab").status_code == 200
    assert client.get(WAR).status_code == 200


def test_overlong_experiment_is_given_up(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(pool, "MAX_SECONDS", 0.001)
        refused(client, "Choose fewer rounds")
    assert client.get(WAR).status_code == 200


def test_killed_process_is_restarted(client: FlaskClient) -> None:
    before = client.get(WAR).text
    (process,) = (one for one in multiprocessing.active_children() if "Spawn" in one.name)
    process.kill()
    process.join()
    page = client.get(WAR)
    assert page.status_code == 503
    assert "The lab had to stop" in page.text
    assert client.get(WAR).text == before


def test_every_sentence_of_a_result_is_translated(reader: Reader) -> None:
    for game in OPTIONS:
        page = reader.get(f"/lab?game={game}&rounds=300&seed=1")
        assert 'id="conclusion">⟦' in page
        assert 'role="img" aria-label="⟦' in page
    with crowd():
        reader.read(reader.client.get(WAR))
