"""The lab in a language that does not exist: runs in every phase, and why one cannot start."""

import pytest

from cardgames.simulation import TwentyOneResult
from cardgames.simulation.results import UpcardChances
from cardgames.strategies.rating import Mistake
from tests.support.lab import jobs_of, play_a_move, play_all
from tests.support.languages import Reader
from web.simulation import runs
from web.simulation.runs import pack_result
from web.storage.jobs import JobState

FORMS: tuple[dict[str, str], ...] = (
    {"experiment": "war", "games": "60", "players": "3"},
    {"experiment": "bingo", "games": "60", "mode": "C"},
    {"experiment": "bingo", "games": "1", "mode": "L", "speed": "Y"},
    {"experiment": "twentyone", "games": "60", "table": "blackjack"},
    {"experiment": "twentyone", "games": "60", "play": "below", "below": "15"},
    {"experiment": "twentyone", "games": "60", "play": "best", "table": "one-deck"},
    {"experiment": "twentyone", "games": "60", "play": "table", "rows": "hard 16 HSSSSSHHHH"},
)

EXACT = tuple(UpcardChances(upcard, 0.05, 0.01, 0.04) for upcard in range(1, 11))
MISTAKES = (
    Mistake(0.3, soft=False, total=16, upcard=10, hit=True),
    Mistake(0.2, soft=True, total=17, upcard=1, hit=False),
)
SOME = TwentyOneResult(9, 4, 1, 4, EXACT, MISTAKES)
"""What might have come out of rounds of twenty-one, whose exact chances take long."""


def start(reader: Reader, form: dict[str, str]) -> str:
    response = reader.client.post("/lab", data=form | {"seed": "1"})
    assert response.status_code == 303, response.text
    return response.headers["Location"]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: " ".join(form.values())[:40])
def test_a_run_is_said_in_every_phase(reader: Reader, form: dict[str, str]) -> None:
    jobs = jobs_of(reader.client.application)
    where = start(reader, form)
    assert "⟦" in reader.get(where)
    if form["experiment"] == "twentyone":
        queue = jobs.latest(1)[0].queue
        job = jobs.take(queue)
        assert job
        jobs.put(job._replace(state=JobState.DONE), pack_result(SOME))
    else:
        play_all(jobs)
    done = reader.get(where)
    assert 'id="conclusion">⟦' in done
    assert 'role="img" aria-label="⟦' in done
    reader.get("/lab")


@pytest.mark.parametrize("state", [JobState.OPEN, JobState.FAILED])
def test_a_run_that_is_not_done_is_said(reader: Reader, state: JobState) -> None:
    jobs = jobs_of(reader.client.application)
    where = start(reader, FORMS[0])
    job = jobs.take(jobs.latest(1)[0].queue)
    assert job
    jobs.put(job._replace(state=state), b"")
    reader.get(where)
    reader.get("/lab")


def test_a_run_that_was_cancelled_is_said_with_and_without_games(reader: Reader) -> None:
    jobs = jobs_of(reader.client.application)
    for result in (b"", pack_result(SOME)):
        where = start(reader, FORMS[3])
        job = jobs.take(jobs.latest(1)[0].queue)
        assert job
        jobs.put(job, result)
        assert reader.client.post(f"{where}/cancel").status_code == 303
        reader.get(where)


def test_why_a_run_cannot_start_or_be_cancelled_is_said(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = FORMS[0] | {"games": "1000000"}
    said = [reader.client.post("/lab", data=large)]  # of who has not played
    play_a_move(reader.client)
    where = start(reader, large)
    stranger = reader.client.application.test_client()
    stranger.set_cookie("language", "de")
    refused = stranger.post(f"{where}/cancel")
    assert refused.status_code == 403
    reader.read(refused)
    with monkeypatch.context() as patch:
        patch.setattr(runs, "MAX_AHEAD", 1)
        said.append(reader.client.post("/lab", data=large))
        patch.setattr(runs, "MAX_AHEAD", 10**9)
        patch.setattr(runs, "MAX_OPEN", 1)
        said.append(reader.client.post("/lab", data=large))
    start(reader, large)
    said.append(reader.client.post("/lab", data=large))  # two of theirs are open
    for response in said:
        assert response.status_code == 429
        reader.read(response)
    assert len({response.text.partition('role="alert"')[2][:120] for response in said}) == 4
