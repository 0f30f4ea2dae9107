"""``make instructor-link``: it asks the running server, whatever settings that was started with."""

import os
import re
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.commands import ROOT, Done, run
from tests.support.machines import PostgreSQL
from tests.support.serving import Player, Server

SETTINGS = ("HOST", "PORT", "URL_PREFIX", "SESSION_STORE", "SECRET_KEY", "ALLOWED_HOSTS", "CLASSES")


def ask(folder: Path | None, cwd: Path, *arguments: str) -> Done:
    """Run the command with no setting but DATA_DIR."""
    data = {"DATA_DIR": str(folder)} if folder else {}
    return module("web.instructor_link", *arguments, cwd=cwd, **data)


def module(name: str, *arguments: str, cwd: Path, **settings: str) -> Done:
    """Run a module of the site with these settings and no others."""
    environment = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    environment |= {"PYTHONPATH": str(ROOT), **settings}
    return run(sys.executable, "-m", name, *arguments, cwd=cwd, env=environment)


def open_class(server: Server, link: str, prefix: str) -> str:
    """Use a link, open a class, and return its code."""
    path = re.sub(r"https?://[^/]+", "", link)
    with closing(Player(server.port)) as player:
        assert player.request("POST", path, {})[0].status == 303
        status, opened = player.json(f"{prefix}/class/new", {"title": "CS1"})
        assert status == 200, opened
        code: str = opened["class"]
        return code


def test_a_link_works_with_the_prefix_port_and_database_of_the_server(
    tmp_path: Path, postgresql: PostgreSQL
) -> None:
    settings = {
        "URL_PREFIX": "/cards",
        "SECRET_KEY": "x" * 40,
        "DATABASE_URL": postgresql.new_database(),
    }
    with Server(tmp_path, **settings) as server:
        status, links, said = ask(tmp_path, tmp_path)
        assert status == 0, said
        assert links.startswith(f"http://127.0.0.1:{server.port}/cards/class/instructor/")
        assert "good once, for 30 minutes" in said
        assert "phones cannot reach it" in said
        code = open_class(server, links.split()[0], "/cards")
        status, links, said = ask(tmp_path, tmp_path, "--class", code)
        assert (status, links.count("\n")) == (0, 1)
        assert "for 10 minutes" in said
        assert ask(tmp_path, tmp_path, "--class", "22222")[::2] == (
            1,
            "Error: No class has the code 22222.\n",
        )
        said = check(tmp_path, DATA_DIR=str(tmp_path))
        assert f"with PORT {server.port} and URL_PREFIX /cards, which are not these" in said
        said = check(tmp_path, DATA_DIR=str(tmp_path), PORT=str(server.port), URL_PREFIX="/cards")
        assert "Cardgames is running on port" in said
        assert "which are not these" not in said
    assert not (tmp_path / "server.json").exists()


def check(cwd: Path, **settings: str) -> str:
    return module("web.doctor", cwd=cwd, **settings).stdout


def test_where_nothing_answers_one_sentence_says_so_and_no_folder_is_made(tmp_path: Path) -> None:
    sentence = (
        "Error: No server answers that keeps its sessions in {}: start it with make run or "
        "cardgames, or set DATA_DIR (or --data) to the folder of the one that is running.\n"
    )
    empty, kept = tmp_path / "empty", tmp_path / "kept"
    empty.mkdir()
    kept.mkdir()
    with Server(kept) as server:
        assert ask(None, empty) == (1, "", sentence.format("instance"))  # it serves elsewhere
        server.kill()
    assert (kept / "server.json").exists()  # a server that was killed could not take it away
    assert ask(kept, empty) == (1, "", sentence.format(kept))
    assert "instance is not there yet; the server makes it." in check(empty)
    assert list(empty.iterdir()) == []


@pytest.mark.slow
def test_a_server_that_knows_its_names_is_called_by_one(tmp_path: Path) -> None:
    with Server(tmp_path, ALLOWED_HOSTS="cards.example.edu", TRUSTED_PROXIES="1"):
        status, links, _ = ask(tmp_path, tmp_path)
    assert status == 0
    assert links.startswith("https://cards.example.edu/class/instructor/")


@pytest.mark.slow
def test_a_server_that_cannot_leave_word_serves_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "server.json").mkdir()
    with Server(tmp_path) as server, closing(Player(server.port)) as player:
        assert player.request("GET", "/healthz")[0].status == 200
        assert "make instructor-link will not find this server" in server.log()
        assert ask(tmp_path, tmp_path)[0] == 1


@pytest.mark.slow
def test_where_there_are_no_classes_it_says_so(tmp_path: Path) -> None:
    with Server(tmp_path, CLASSES="off"):
        status, links, said = ask(tmp_path, tmp_path)
    assert (status, links) == (1, "")
    assert "gives no links: CLASSES is off" in said
