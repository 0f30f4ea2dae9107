"""A running server: its addresses and files, and the transferred size of a first visit.

The tests share one server, because a start takes more than a second of processor time.
"""

import http.client
import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urljoin

import pytest

from tests.support.http_client import Client
from tests.support.pages import values
from tests.support.serving import Server
from tests.support.site import in_second_terminal

TABLE = "/simple-21"
NOBODY = 65_534


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for IPv6 and phones, with the data directory of another user."""
    folder = tmp_path_factory.mktemp("data")
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    with Server(folder, HOST="::", WORKERS="1") as running:
        yield running


# ---- The server ----------------------------------------------------------------------------


def test_ipv6_is_served(server: Server) -> None:
    with closing(http.client.HTTPConnection("::1", server.port, timeout=60)) as connection:
        connection.request("GET", "/", headers={"Host": f"[::1]:{server.port}"})
        assert connection.getresponse().status == 200
    said = in_second_terminal(server.data_dir, "check")
    assert f"Cardgames is running on port {server.port} of ::." in said


def test_instructor_link_names_every_address_of_the_server(server: Server) -> None:
    links = in_second_terminal(server.data_dir, "instructor-link")
    assert "phones cannot reach it" not in links
    assert "127.0.0.1" not in links
    with closing(Client(server.port)) as player:
        assert player.post(re.sub(r"http://[^/]+", "", links.split()[0])).status == 303
        assert player.json("/class/new", {"title": "CS1"})[0] == 200


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_server_of_root_leaves_files_of_the_owner(server: Server) -> None:
    with closing(Client(server.port)) as player:
        assert player.json("/war", {"move": "new", "step": "0"})[0] == 200
    left = {path.name for path in server.data_dir.iterdir() if path.stat().st_uid == 0}
    assert left == {"server.log"}  # the log in the folder of the test


# ---- A first visit -------------------------------------------------------------------------


def sent(port: int, path: str, cookie: str = "") -> tuple[int, int]:
    """Return the transferred sizes of a response's body and headers, in bytes."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=120)) as connection:
        headers = {"Accept-Encoding": "gzip, deflate, br", "Cookie": cookie}
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        assert answer.status == 200, path
        body = len(answer.read())
        return body, sum(len(name) + len(value) + 4 for name, value in answer.getheaders())


def named_by(page: str) -> list[str]:
    named = [*values(page, "link", "href"), *values(page, "script, img", "src")]
    return [address.partition("#")[0] for address in named]


def named_by_sheet(address: str, sheet: str) -> Iterator[str]:
    """Yield all images that a style sheet refers to.

    The page does not necessarily use all of them.
    """
    return (urljoin(address, name) for name in re.findall(r"url\(([^)]+)\)", sheet))


def first_visit(port: int) -> dict[str, tuple[int, int]]:
    """Return the size in bytes of every file that a first visit and its deal load."""
    with closing(Client(port)) as player:
        lobby = player.get("/").text
        player.post(TABLE, {"move": "deal", "step": "0"})
        wanted = [*named_by(lobby), *named_by(player.get(TABLE).text)]
        for address in [one for one in wanted if one.endswith(".css")]:
            wanted += named_by_sheet(address, player.get(address).text)
        pages = {"/": sent(port, "/"), TABLE: sent(port, TABLE, player.cookie)}
        return pages | {address: sent(port, address) for address in wanted}


def test_a_first_visit_is_small(server: Server) -> None:
    files = first_visit(server.port)
    kinds = Counter(Path(address).suffix for address in files)
    assert (kinds[""], kinds[".css"], kinds[".js"]) == (2, 2, 2)  # two pages
    assert kinds[".svg"] >= 10  # the icon, four cards, and the images of the tables
    assert all(body for body, _ in files.values())
    assert sum(body + headers for body, headers in files.values()) <= 60_000
