"""The log tells routes and no records; the counters go without a disk."""

import os
import re
import socket
from pathlib import Path
from typing import Any

import flask
import msgspec
import pytest
from flask.testing import FlaskClient

from app import create_app
from cardgames import GAMES
from web.http import metrics
from web.settings import Settings

JSON = {"Accept": "application/json"}
TABLE = "/simple-21"
RECORD = "war_2_names=Ann,Ben_deal:players=2_turn*3"


def paths(capfd: pytest.CaptureFixture[str]) -> list[str]:
    lines = capfd.readouterr().err.splitlines()
    return [msgspec.json.decode(line)["path"] for line in lines]


@pytest.mark.parametrize(
    ("address", "logged"),
    [
        ("/", "/"),
        (TABLE, TABLE),
        (f"{TABLE}/history", f"{TABLE}/history"),
        (f"{TABLE}/history?result=KS", f"{TABLE}/history"),
        (f"{TABLE}/history/17", f"{TABLE}/history/<int(max=999999999):number>"),
        (f"/replay/{RECORD}", "/replay/<path:token>"),
        (f"/what-if/{RECORD}?of={RECORD}", "/what-if/<path:text>"),
        ("/deal/0123456789abcdef", "/deal/<deal_id>"),
        ("/Ann-KS", "/<slug>"),
        ("/Ann-KS/rules", "/<slug>/rules"),
        (f"/replai/{RECORD}", "/?/?"),
        ("/simple-21/KS/QD", "/simple-21/?"),
        ("/deal/KS/Ann", "/deal/?"),
    ],
)
def test_the_log_tells_the_route(
    client: FlaskClient, capfd: pytest.CaptureFixture[str], address: str, logged: str
) -> None:
    client.get(address)
    assert paths(capfd) == [logged]


def test_no_address_puts_a_card_or_a_name_into_the_log(
    client: FlaskClient, capfd: pytest.CaptureFixture[str]
) -> None:
    """Replays of finished rounds, as they are linked to, with the players' names in them."""
    form = {"move": "deal", "step": "0", "players": "2", "names": "Annabel,Bartholomew"}
    client.post("/war", data=form)
    client.post("/war", data={"move": "turn", "step": "1", "turns": "all"})
    client.post(TABLE, data={"move": "deal", "step": "0"})
    client.post(TABLE, data={"move": "stay", "step": "1"})
    for slug in ("war", "simple-21"):
        answer = client.get(f"/{slug}/history/1", headers=JSON)
        address = answer.headers["Location"]
        assert client.get(address).status_code == 200
        assert client.get(f"{address}x").status_code == 422
        assert client.get(address.replace("replay", "replai")).status_code == 404
    said = capfd.readouterr().err
    assert "Annabel" not in said
    assert "Bartholomew" not in said
    assert re.findall(r"(?:[2-9TJQKA][CDHS]){2}", said) == []


# ---- Counters ----------------------------------------------------------------------------------


def no_room(*_args: object) -> None:
    raise OSError(28, "No space left on device")


def shown(client: FlaskClient) -> dict[str, str]:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    return dict(line.rsplit(" ", 1) for line in answer.text.splitlines() if line[0] != "#")


@pytest.mark.parametrize("what", ["posix_fallocate", "open", "mkdir"])
def test_counters_do_without_a_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """A full disk takes no site down that only wants to count."""
    with monkeypatch.context() as patch:
        match what:
            case "posix_fallocate":
                patch.setattr(metrics.os, "posix_fallocate", no_room)
            case "open":
                real = Path.open

                def opened(path: Path, *args: Any, **named: Any) -> Any:
                    return no_room() if "metrics" in path.parts else real(path, *args, **named)

                patch.setattr(Path, "open", opened)
            case _:
                (tmp_path / "metrics").write_text("a file where a folder should be")
        app: flask.Flask = create_app(Settings(data_dir=tmp_path, metrics=True))
    client = app.test_client()
    assert client.post(TABLE, data={"move": "deal", "step": "0"}).status_code == 303
    counted = shown(client)
    assert counted['cardgames_moves_total{game="simple-21",outcome="accepted"}'] == "1"
    assert counted.keys() >= {
        f'cardgames_moves_total{{game="{g}",outcome="refused"}}' for g in GAMES
    }


def test_a_half_made_file_of_another_worker_is_left_out(tmp_path: Path) -> None:
    client = create_app(Settings(data_dir=tmp_path, metrics=True)).test_client()
    (own,) = (tmp_path / "metrics").iterdir()
    layout = own.name.partition("-")[0]
    for size in (0, 3, 16):
        name = f"{layout}-{socket.gethostname()}-{os.getpid() + 1 + size}"
        (tmp_path / "metrics" / name).write_bytes(b"\0" * size)
    client.get(TABLE)
    assert shown(client)['cardgames_requests_total{status="2xx"}'] == "1"
