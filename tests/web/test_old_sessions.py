"""Sessions, rounds, deals and links of the version before are read as it would have shown them.

``fixtures/`` has a store that it has written, and what it has answered (fixtures/README.md).
"""

import gzip
import json
import re
from pathlib import Path
from typing import Any, Final

import flask
import pytest

from app import create_app
from cardgames import verify
from tests.support.old_sessions import DECISIONS, TABLES, Player, answers
from tests.support.site import finish, look, names_of, play, session_of
from web.settings import Settings

FIXTURES: Final = Path(__file__).parent / "fixtures"
with gzip.open(FIXTURES / "answers.json.gz") as file:
    KEPT: Final[dict[str, Any]] = json.load(file)
SESSIONS: Final = KEPT["sessions"]
DEALS: Final = [
    path
    for path in SESSIONS["made deals"]["answers"]
    if path.startswith("/deal/") and not path.endswith("/results")
]

sessions = pytest.mark.parametrize("name", SESSIONS)


@pytest.fixture
def app(tmp_path: Path) -> flask.Flask:
    """Today's site on the data of the version before."""
    store = gzip.decompress((FIXTURES / "sessions.db.gz").read_bytes())
    (tmp_path / "sessions.db").write_bytes(store)
    return create_app(Settings(data_dir=tmp_path, secret_key=KEPT["key"]))


def player(app: flask.Flask, name: str) -> Player:
    """Return somebody who comes back with the cookie of then."""
    one = Player(app, name)
    one.client.set_cookie("cardgames", SESSIONS[name]["cookie"])
    return one


def deals_of(name: str) -> list[str]:
    return DEALS if DEALS[0] in SESSIONS[name]["answers"] else []


def told_before(name: str) -> dict[str, Any]:
    """Return what was answered then, but for replays that it could not open itself."""
    told = SESSIONS[name]["answers"]
    return {path: answer for path, answer in told.items() if answer != {}}


@sessions
def test_everything_is_told_as_it_was(app: flask.Flask, name: str) -> None:
    """Tables, odds, seals, histories, replays, deals.

    Transcripts have what was typed in them now, and the coach's page has other words.
    """
    before, now = told_before(name), answers(player(app, name), deals_of(name))
    now["/"]["tables"] = now["/"]["tables"][: len(TABLES)]  # the tests have further games
    for path, answer in before.items():
        if not path.endswith(("coach", "/transcript")):
            assert_alike(now[path], answer, path)


def assert_alike(now: Any, before: Any, place: str) -> None:
    """Find two answers the same, where chances need be so to twelve digits."""
    if isinstance(before, dict):
        assert now.keys() == before.keys(), place
        for name, value in before.items():
            assert_alike(now[name], value, f"{place} {name}")
    elif isinstance(before, list):
        assert len(now) == len(before), place
        for number, value in enumerate(before):
            assert_alike(now[number], value, f"{place} {number}")
    elif isinstance(before, float):
        assert now == pytest.approx(before, abs=1e-12), place
    else:
        assert now == before, place


@sessions
def test_the_coach_is_there_as_before_with_the_ledger(app: flask.Flask, name: str) -> None:
    """On where it was on, then with the same figures; off where it was off."""
    client = player(app, name).client
    for slug in DECISIONS:
        before = told_before(name)[f"/{slug} coach"]
        page = client.get(f"/{slug}").text
        assert ("Send the coach away" in before) == ('class="coach' in page)
        ledger = before.partition("Rounds with the coach")[2]
        figures = re.findall(r"[+-]?\d+\.\d\d", ledger)
        assert all(figure in page for figure in figures)
        assert bool(ledger) == ("Rounds with the coach" in page)


def test_every_kind_of_session_is_there() -> None:
    """Were it not, the test above would prove less than it says."""
    phases, texts = set(), json.dumps(KEPT)
    for one in SESSIONS.values():
        for slug in TABLES:
            view = one["answers"][f"/{slug}"]["view"]
            phases.add((slug, view["phase"], view["stacked"]))
    for slug in TABLES:
        for phase in ("ready", "playing", "game over" if slug == "war" else "round over"):
            assert (slug, phase, False) in phases
    for slug in TABLES:
        assert any(one[0] == slug and one[2] for one in phases)
    assert ("one-deck", "game over", False) in phases
    for said in (
        "Repopulating deck with cards...",
        "forfeit",
        "Rounds with the coach",
        '"counted"',
    ):
        assert said in texts
    assert sum(link.startswith("/replay/") for link in KEPT["links"]) > 10
    assert sum(link.startswith("/what-if/") for link in KEPT["links"]) > 10


@sessions
def test_play_goes_on_where_it_was_left(app: flask.Flask, name: str, tmp_path: Path) -> None:
    """Every table takes a move; what is finished then is a round like any other.

    A table at which nobody has sat yet is the same in every session: those of one are enough.
    """
    client = player(app, name).client
    for slug in TABLES:
        path = f"/{slug}"
        before = look(client, path)
        if not before["step"] and name != "made deals":
            continue
        kept = len(look(client, f"{path}/history")["rounds"])
        move = names_of(before)[0]
        after = play(client, path, move)
        assert after["step"] == before["step"] + 1
        if move == "new":
            assert after["view"]["phase"] == "ready"
        finish(client, path)
        finish(client, path)
        assert len(look(client, f"{path}/history")["rounds"]) > kept
        file = tmp_path / f"{slug}.json"
        file.write_text(client.get(f"{path}/history.json").text)
        assert verify.main([str(file)]) == 0
        assert client.get(path).status_code == client.get(f"{path}/history").status_code == 200
    with session_of(client) as session:
        assert all(key.partition(":")[0] in NAMES for key in session)


NAMES: Final = ("table", "deal-table", "advice", "made-deals", "lab-runs")
"""What the rows of a session are called today."""


@pytest.mark.parametrize("name", [name for name in SESSIONS if deals_of(name)])
def test_deals_are_played_to_their_end(app: flask.Flask, name: str) -> None:
    client = player(app, name).client
    for address in DEALS:
        before = look(client, f"{address}/results")
        over = finish(client, address)
        assert over["moves"] == []
        after = look(client, f"{address}/results")
        assert after["finished"] == before["finished"] + ("record" not in before)
        assert client.get(address).status_code == 200


@pytest.mark.parametrize("kind", ["replay", "what-if"])
def test_links_that_were_sent_on_open(app: flask.Flask, kind: str) -> None:
    """Signed replays with the key of then, and rounds that are played on differently."""
    stranger = app.test_client()
    for link, told in KEPT["links"].items():
        if link.startswith(f"/{kind}/") and "error" not in told:
            assert look(stranger, link) == told
            page = stranger.get(link)
            assert page.status_code == 200
            assert ("its record is signed" in page.text) == (kind == "replay")
    assert "Set-Cookie" not in page.headers


def test_with_another_key_nobody_is_known(tmp_path: Path, app: flask.Flask) -> None:
    other = create_app(Settings(data_dir=tmp_path, secret_key="another key"))
    assert player(app, "over").look("/war")["step"] > 0
    assert player(other, "over").look("/war")["step"] == 0
