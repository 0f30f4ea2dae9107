"""The transferred size of a first visit: the lobby and one table, including images."""

import http.client
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urljoin

from tests.support.http_client import Client
from tests.support.pages import values
from tests.support.serving import Server

TABLE = "/simple-21"


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


def test_a_first_visit_is_small(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        files = first_visit(server.port)
    kinds = Counter(Path(address).suffix for address in files)
    assert (kinds[""], kinds[".css"], kinds[".js"]) == (2, 2, 2)  # two pages
    assert kinds[".svg"] >= 10  # the icon, four cards, and the images of the tables
    assert all(body for body, _ in files.values())
    assert sum(body + headers for body, headers in files.values()) <= 60_000
