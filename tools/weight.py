"""What a first visit weighs: the lobby and one table, pictures included, as they are sent.

``python -m tools.weight`` prints every file with its bytes on the wire: a browser's request
headers, the server's compression, the whole bodies. A table is weighed with its first deal, which
is when the pictures of cards come.
"""

import http.client
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urljoin

from tests.support.serving import Player, Server

TABLE: Final = "/simple-21"
LIMIT: Final = 60_000
"""The most that a first visit may weigh, in bytes."""

_ENCODINGS: Final = {"Accept-Encoding": "gzip, deflate, br"}


def sent(port: int, path: str, cookie: str = "") -> tuple[int, int]:
    """Return how many bytes an answer's body and its headers have on the wire."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={**_ENCODINGS, "Cookie": cookie})
    answer = connection.getresponse()
    body = len(answer.read())
    if answer.status != http.HTTPStatus.OK:
        raise RuntimeError(f"{path}: {answer.status}")
    headers = sum(len(name) + len(value) + 4 for name, value in answer.getheaders())
    connection.close()
    return body, headers


def named_by(page: str) -> Iterator[str]:
    """Yield the files that a page asks for, in order."""
    yield from re.findall(r'<(?:link|script|img)\b[^>]*?\b(?:href|src)="([^"#]+)', page)


def named_by_sheet(address: str, sheet: str) -> Iterator[str]:
    """Yield the pictures that a style sheet may ask for: all of them, needed or not."""
    for name in re.findall(r"url\(([^)]+)\)", sheet):
        yield urljoin(address, name)


def first_visit(port: int) -> dict[str, tuple[int, int]]:
    """Return every file of a first visit with the bytes of its body and of its headers."""
    player = Player(port)
    lobby = player.request("GET", "/")[1]
    player.request("POST", TABLE, {"move": "deal", "step": "0"})
    table = player.request("GET", TABLE)[1]
    files = {"/": sent(port, "/"), TABLE: sent(port, TABLE, player.cookie)}
    wanted = [*named_by(lobby), *named_by(table)]
    for address in [one for one in wanted if one.endswith(".css")]:
        wanted += named_by_sheet(address, player.request("GET", address)[1])
    player.close()
    for address in dict.fromkeys(wanted):
        files[address] = sent(port, address)
    return files


def main() -> None:
    """Weigh, and print."""
    with tempfile.TemporaryDirectory() as data, Server(Path(data)) as server:
        files = first_visit(server.port)
    for address, (body, headers) in files.items():
        print(f"{body:8,} + {headers:4,}  {address}")
    bodies = sum(body for body, _ in files.values())
    whole = bodies + sum(headers for _, headers in files.values())
    print(
        f"{whole:8,} bytes in {len(files)} files, of them {bodies:,} in bodies; at most {LIMIT:,}"
    )


if __name__ == "__main__":
    main()
