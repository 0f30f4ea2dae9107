"""``instructor-link`` writes its links into the server's database, even if no server runs."""

import os
import re
import sys
from contextlib import chdir, closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from app import command
from tests.support.commands import ROOT, Done, run
from tests.support.http_client import JSON, Client
from tests.support.machines import PostgreSQL
from tests.support.serving import Server
from tests.support.site import new_site, visitor
from web.commands.serve import greeting
from web.reach import machine_addresses
from web.settings import Settings

SETTINGS = ("HOST", "PORT", "URL_PREFIX", "SECRET_KEY", "ALLOWED_HOSTS", "CLASSES", "DATA_DIR")


def ask(cwd: Path, *arguments: str, **settings: str) -> Done:
    """Run the command with only these settings. Running it in this process is faster."""
    environment = {**dict.fromkeys(SETTINGS), **settings}
    with chdir(cwd):
        done = CliRunner(env=environment).invoke(command, ["instructor-link", *arguments])
    return Done(done.exit_code, done.stdout, done.stderr)


def ask_in_a_process(cwd: Path, **settings: str) -> Done:
    environment = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    program = (sys.executable, str(ROOT / "app.py"), "instructor-link")
    return run(*program, cwd=cwd, env=environment | settings)


def open_class(client: Client | FlaskClient, link: str, prefix: str = "") -> str:
    """Use a link, create a class, and return the class's code."""
    path = re.sub(r"https?://[^/]+", "", link)
    assert client.post(path, data={}).status_code == 303
    opened = client.post(f"{prefix}/class/new", data={"title": "CS1"}, headers=JSON)
    assert opened.status_code == 200, opened.text
    code: str = opened.get_json()["class"]
    return code


@pytest.mark.slow
def test_link_works_with_prefix_port_and_database(tmp_path: Path, postgresql: PostgreSQL) -> None:
    settings = {
        "URL_PREFIX": "/cards",
        "SECRET_KEY": "x" * 40,
        "DATABASE_URL": postgresql.new_database(),
    }
    with Server(tmp_path, **settings) as server:
        settings |= {"PORT": str(server.port), "DATA_DIR": str(tmp_path)}
        status, links, said = ask_in_a_process(tmp_path, **settings)
        assert status == 0, said
        assert links.startswith(f"http://127.0.0.1:{server.port}/cards/class/instructor/")
        assert "good once, for 30 minutes" in said
        assert "phones cannot reach it" in said
        with closing(Client(server.port)) as player:
            open_class(player, links.split()[0], "/cards")


def test_link_opens_the_dashboard_of_an_existing_class(tmp_path: Path) -> None:
    client, where = visitor(tmp_path), {"DATA_DIR": str(tmp_path)}
    code = open_class(client, ask(tmp_path, **where).stdout.split()[0])
    status, links, said = ask(tmp_path, "--class", code, **where)
    assert (status, links.count("\n")) == (0, 1)
    assert "for 10 minutes" in said
    refused = ask(tmp_path, "--class", "22222", **where)
    assert refused[::2] == (1, "Error: No class has the code 22222.\n")


def test_link_made_before_the_start_is_valid(tmp_path: Path) -> None:
    new_site(tmp_path)
    link = ask(tmp_path, DATA_DIR=str(tmp_path)).stdout
    open_class(visitor(tmp_path), link.split()[0])


def test_missing_data_directory_is_reported_and_not_created(tmp_path: Path) -> None:
    sentence = (
        "Error: No server has saved anything in {}: start it, or set DATA_DIR (or --data) to the "
        "folder of the one that is running.\n"
    )
    assert ask(tmp_path) == (1, "", sentence.format("instance"))
    assert ask(tmp_path, DATA_DIR="") == (1, "", sentence.format("instance"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_site_with_known_names_uses_one(tmp_path: Path) -> None:
    settings = {"ALLOWED_HOSTS": "cards.example.edu", "TRUSTED_PROXIES": "1"}
    with Server(tmp_path, **settings):
        status, links, _ = ask(tmp_path, DATA_DIR=str(tmp_path), **settings)
    assert status == 0
    assert links.startswith("https://cards.example.edu/class/instructor/")


def test_missing_classes_are_reported(tmp_path: Path) -> None:
    said = ask(tmp_path, CLASSES="off", DATA_DIR=str(tmp_path))
    assert said == (1, "", "Error: CLASSES is off: this site gives no links.\n")


def test_server_prints_its_address_and_the_way_to_open_classes() -> None:
    said = greeting(Settings(host="0.0.0.0", port=8123, url_prefix="/cards"))
    for address in machine_addresses():
        assert f"http://{address}:8123/cards/" in said
    assert "0.0.0.0" not in said
    assert ".venv/bin/python app.py instructor-link" in said
    assert "instructor-link" not in greeting(Settings(classes="off"))
