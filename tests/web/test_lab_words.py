"""The lab in a language that does not exist: its pages, refusals and pictures."""

import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import flask
import pytest
from flask.testing import FlaskClient

from cardgames.lab import Share, TwentyOneResult
from tests.support.languages import WIDE, Reader, forgotten
from web.http.i18n import LocalizedEnvironment
from web.settings import Settings
from web.simulation import lab

FORMS: tuple[dict[str, str], ...] = (
    {"experiment": "war", "games": "60", "players": "3"},
    {"experiment": "bingo", "games": "60", "mode": "C"},
    {"experiment": "bingo", "games": "1", "mode": "L", "speed": "Y"},
    {"experiment": "twentyone", "games": "60", "table": "blackjack"},
    {"experiment": "twentyone", "games": "60", "play": "below", "below": "15"},
    {"experiment": "twentyone", "games": "60", "play": "best", "table": "one-deck"},
    {"experiment": "twentyone", "games": "60", "play": "table"},
)

REFUSED: tuple[dict[str, str], ...] = (
    {"experiment": "wrong"},
    {"experiment": "war", "games": "x"},
    {"experiment": "war", "games": "0"},
    {"experiment": "war", "seed": "-1"},
    {"experiment": "war", "seed": "9" * 19},
    {"experiment": "war", "players": "7"},
    {"experiment": "bingo", "mode": "wrong"},
    {"experiment": "twentyone", "table": "wrong"},
    {"experiment": "twentyone", "play": "below", "below": "99"},
    {"experiment": "twentyone", "play": "table", "rows": "hard"},
    {"experiment": "twentyone", "play": "table", "rows": " "},
    {"experiment": "twentyone", "play": "table", "rows": "#" * 20_000},
)

SOME = TwentyOneResult(
    9, 4, 1, 4, tuple(Share(upcard, 0.05, 0.01, 0.04) for upcard in range(1, 11))
)
"""What might have come out of rounds of twenty-one."""


@pytest.fixture
def reader(app: flask.Flask, monkeypatch: pytest.MonkeyPatch) -> Reader:
    english: LocalizedEnvironment = app.extensions["languages"]["en"]
    app.extensions["languages"]["de"] = english.localized("de", WIDE)
    monkeypatch.setattr(lab, "catalogue", lambda _code: WIDE)
    return Reader(app)


def test_the_lab_is_said(reader: Reader, tmp_path: Path) -> None:
    runs = lab.opened(Settings(data_dir=tmp_path))
    reader.get("/lab")
    for form in REFUSED:
        response = reader.client.post("/lab", data=form)
        assert response.status_code == 422
        reader.read(response, str(form))
    for form in FORMS:
        where = reader.client.post("/lab", data=form | {"seed": "1"}).headers["Location"]
        reader.get(where)
        run = runs.all()[0]
        if form["experiment"] == "twentyone":  # its exact chances would take long
            runs.keep(run, SOME, lab._pictures(SOME))
            runs.save(replace(run, phase=lab.Phase.DONE))
        else:
            lab.work(runs, run.number)
        for picture in re.findall(r'<img src="([^"]+)"', reader.get(where)):
            drawn = ET.fromstring(reader.client.get(picture).text)
            said = [text for part in drawn.iter() for text in (part.text or "",)]
            assert "".join(map(forgotten, said)) == ""
            assert picture.endswith(".de.svg")
            assert any("⟦" in text for text in said) or "length" in picture
    run = runs.all()[0]
    for phase in lab.Phase:
        runs.save(replace(run, phase=phase))
        reader.get(where)
        reader.get("/lab")
    stranger = reader.client.application.test_client()
    stranger.set_cookie("language", "de")
    response = stranger.post(f"{where}/cancel")
    assert response.status_code == 403
    reader.read(response)
    for _ in range(3):
        response = reader.client.post("/lab", data={"experiment": "war"})
    assert response.status_code == 429
    reader.read(response)


def test_the_addresses_of_pictures_say_their_language(client: FlaskClient, tmp_path: Path) -> None:
    runs = lab.opened(Settings(data_dir=tmp_path))
    where = client.post("/lab", data=FORMS[1]).headers["Location"]
    lab.work(runs, 1)
    english, german = client.get(f"{where}/wins.svg").text, client.get(f"{where}/wins.de.svg").text
    assert (">Tie<" in english, ">Tie<" in german) == (True, False)
    assert ">Unentschieden<" in german
    client.set_cookie("language", "de")
    assert f'src="{unquote(where)}/wins.de.svg"' in client.get(where).text
