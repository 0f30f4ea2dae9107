"""The length, the URLs and the representation of responses."""

import flask
import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from tests.support.site import TABLE, deal_fields, look, made_deal, title
from web import db

PREFER = {"Prefer": "return=representation"}


def inner(page: str) -> str:
    """Return the parts of a page that a script uses."""
    return title(page) + page[page.index("<main") : page.index("</main>")]


@pytest.mark.parametrize("slug", GAMES)
def test_form_is_answered_by_its_page_on_request(client: FlaskClient, slug: str) -> None:
    form = deal_fields(slug)
    fields = {name: form[name] for name in form if name in GAMES[slug].deals.questions}
    for step, move in enumerate(("deal", "new")):
        data = {"move": move, "step": str(step), **(fields if move == "deal" else {})}
        answer = client.post(f"/{slug}", data=data, headers=PREFER)
        assert answer.status_code == 200
        assert answer.headers["Preference-Applied"] == "return=representation"
        assert answer.headers["Content-Location"] == f"/{slug}"
        assert inner(answer.text) == inner(client.get(f"/{slug}").text)
        assert f'name="step" value="{step + 1}"' in answer.text
        for whole in ("<link", "<script", "<header"):
            assert whole not in answer.text


@pytest.mark.parametrize(
    ("prefer", "status"),
    [
        *((None, 303), ("", 303), ("return=minimal", 303), ("representation", 303)),
        *(("Return=Representation", 200), ("wait=5, return=representation", 200)),
    ],
)
def test_a_form_leads_to_its_page_unless_the_page_is_preferred(
    client: FlaskClient, prefer: str | None, status: int
) -> None:
    headers = {} if prefer is None else {"Prefer": prefer}
    answer = client.post(TABLE, data={"move": "deal", "step": "0"}, headers=headers)
    assert answer.status_code == status
    assert ("Location" in answer.headers) == (status == 303)
    assert ("Preference-Applied" in answer.headers) == (status == 200)
    assert "cardgames-" in answer.headers["Set-Cookie"], "the session is kept either way"
    assert "Prefer" in answer.headers["Vary"]


def test_a_refused_form_is_answered_by_its_page_as_ever(client: FlaskClient) -> None:
    for form, status in (({"move": "deal", "step": "7"}, 409), ({"move": "x", "step": "0"}, 422)):
        part, whole = (client.post(TABLE, data=form, headers=how) for how in (PREFER, {}))
        assert part.status_code == whole.status_code == status
        assert inner(part.text) == inner(whole.text)
        assert 'role="alert"' in part.text
        assert "Content-Location" not in part.headers


def test_a_page_is_preferred_of_the_coach_and_at_the_puzzles(client: FlaskClient) -> None:
    coach = client.post("/coach", data={"table": "simple-21", "mode": "before"}, headers=PREFER)
    assert (coach.status_code, coach.headers["Content-Location"]) == (200, TABLE)
    puzzle = client.post("/puzzles", data={"move": "hit", "step": "0"}, headers=PREFER)
    assert puzzle.headers["Content-Location"] == "/puzzles?answered"
    assert inner(puzzle.text) == inner(client.get("/puzzles?answered").text)


def test_second_form_is_rejected_without_its_page(client: FlaskClient) -> None:
    assert client.post(TABLE, data={"move": "deal", "step": "0"}).status_code == 303
    form = {"move": "hit", "step": "1"}
    first, second = (client.post(TABLE, data=form, headers=PREFER) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 409)
    assert look(client)["step"] == 2


def test_saved_move_with_a_failing_page_redirects(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: str) -> None:
        raise db.Unavailable

    address = made_deal(client, "simple-21")
    client.post(address, data={"move": "deal", "step": "0"})
    with monkeypatch.context() as patch:
        patch.setattr("web.deals.seat.load_results", away)
        answer = client.post(address, data={"move": "stay", "step": "1"}, headers=PREFER)
    assert (answer.status_code, answer.headers.get("Location")) == (303, address)
    assert look(client, address)["step"] == 2


def test_saved_move_redirects_when_its_page_has_a_bug(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    client.post(TABLE, data={"move": "deal", "step": "0"})
    with monkeypatch.context() as patch:
        patch.setattr(flask, "render_template", fail)
        answer = client.post(TABLE, data={"move": "hit", "step": "1"}, headers=PREFER)
    assert (answer.status_code, answer.headers.get("Location")) == (303, TABLE)
    assert look(client)["step"] == 2
