"""``python -m cardgames.play``: a program of a student's at a table of the site, over its JSON."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import flask
import pytest
from werkzeug.serving import make_server

from cardgames import play
from tests.support.classroom import open_room, site

TWENTYONE = ["simple-21", "one-deck"]


@pytest.fixture
def app(tmp_path: Path) -> flask.Flask:
    return site(tmp_path / "data")


@pytest.fixture
def url(app: flask.Flask) -> Iterator[str]:
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The student's folder, with a program that notes what it was shown."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    (home / "mine.py").write_text(
        "import json\n"
        "def decide(view):\n"
        "    with open('seen', 'a') as seen:\n"
        "        print(json.dumps(view), file=seen)\n"
        "    return 'hit' if view['player']['total'] < 17 else 'stay'\n"
    )
    return home


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["play", *arguments])
    play.main()


@pytest.mark.parametrize("slug", TWENTYONE)
def test_it_plays_so_many_rounds(
    slug: str,
    url: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Thirty rounds are more than one deck of One-deck has: then it starts over."""
    run(monkeypatch, url, "mine.py", "--table", slug, "--rounds", "30")
    data = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert set(data) <= {"player", "dealer", "tie"}
    assert sum(map(int, data.values())) == 30
    views = [json.loads(line) for line in (folder / "seen").read_text().splitlines()]
    assert {view["phase"] for view in views} == {"playing"}
    assert all(view["dealer"]["cards"].count(None) == 1 for view in views)


def test_it_sits_in_its_class_and_stays_one_browser(
    app: flask.Flask, url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = open_room(app, 1)
    student = room.phones[0]
    about_me = ["--class", room.code, "--name", student.name, "--rejoin", student.rejoin]
    for _ in range(14):  # more often than a student may have browsers
        run(monkeypatch, url, "mine.py", *about_me, "--rounds", "1")
    assert (folder / f"{room.code}.cookies").is_file()
    screen = room.visitor().json("/projector?show=join")
    assert screen["playing"] == [{"name": student.name, "table": "Blackjack"}]
    visitor = play.Site(url, f"{room.code}.cookies")
    assert visitor.get(f"/class/{room.code}")["student"]["name"] == student.name


@pytest.mark.parametrize(
    ("source", "more", "says"),
    [
        ("def decide(view): return 'deal'", [], "^decide returned 'deal' and not"),
        ("def decid(view): return 'hit'", [], "has no function decide"),
        ("def decide(view): return 'hit'", ["--class", "K7QXB"], "No class has the code K7QXB"),
    ],
)
def test_what_does_not_go_ends_with_a_sentence(
    source: str,
    more: list[str],
    says: str,
    url: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (folder / "bad.py").write_text(source)
    with pytest.raises(SystemExit, match=says):
        run(monkeypatch, url, "bad.py", *more)
