"""What a bored student can send, as a table: slow, silent, too large, or expensive to answer.

``python -m tools.benchmarks.load`` plays each beside a class of sixty (``slow``, ``bored``). A
connection that is hung up is opened again at once, so that there are always as many.
"""

import asyncio
import itertools
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple
from urllib.parse import urlencode

from tests.support.class_client import Boss, Phone
from tests.support.school import Connection
from tests.support.serving import Player, Server

STUDENTS: Final = 400
SENDERS: Final = 64
SILENT: Final = 2_048
CONNECTIONS: Final = (1, 8)
"""Numbers of connections from which an expensive request is sent."""

METHODS: Final = ("POST", "GET", "PUT", "HEAD", "DELETE", "OPTIONS", "PATCH")
LENGTH: Final = "Content-Length: 9000\r\n\r\n"
CHUNKED: Final = "Transfer-Encoding: chunked\r\n\r\n"
FORM: Final = "application/x-www-form-urlencoded"
BOMB: Final = 60_000
"""Number of bytes of a text; the work that combining marks make grows with its square."""

MARKS: Final = "a" + "\u0315" * (BOMB // 4) + "\u0316" * (BOMB // 4)
LONGEST_WAR: Final = "war_2_salt=0d499bb09add36d8fb4bb884fbc28b73_deal:players=2_turn*3421"
"""The longest of some thousand games of two, by its salt."""


class Sender(NamedTuple):
    """What is done with a connection: begin and fall silent, go on byte by byte, or ask again."""

    kind: Literal["silent", "slow", "cut off", "again", "headers"]
    data: bytes = b""


@dataclass(frozen=True)
class Target:
    """A served class, and the cookies of those who are in it."""

    address: str
    """Where the class is."""

    boss: str
    student: str
    player: str
    """Somebody who has played fifty rounds of Bingo and one of Blackjack."""

    what_if: str
    """An address at which their round of Blackjack is played on."""

    transcript: str
    """Of their table of Bingo."""


def _request(
    method: str, path: str, cookie: str = "", body: bytes = b"", kind: str = FORM, headers: str = ""
) -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}"
    if cookie:
        head += f"Cookie: {cookie}\r\n"
    if method == "POST":
        head += f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
    return f"{head}\r\n".encode() + body


def _get(path: str, cookie: str = "", headers: str = "") -> bytes:
    return _request("GET", path, cookie, headers=headers)


def _form(path: str, cookie: str = "", **fields: str) -> bytes:
    return _request("POST", path, cookie, urlencode(fields).encode())


def _json(path: str, **fields: str) -> bytes:
    body = json.dumps(fields, ensure_ascii=False).encode()
    return _request("POST", path, "", body, "application/json")


def _parts(path: str, heads: Sequence[str], content: str = "") -> bytes:
    parts = "".join(f"--parts\r\n{head}\r\n\r\n{content}\r\n" for head in heads)
    return _request(
        "POST", path, "", f"{parts}--parts--\r\n".encode(), "multipart/form-data; boundary=parts"
    )


_NAMED: Final = 'Content-Disposition: form-data; name="{}"'
_DECK: Final = f'{_NAMED.format("bingo_deck")}; filename="deck.txt"'

REQUESTS: Final[dict[str, Callable[[Target], bytes]]] = {
    "nickname of marks": lambda at: _json(f"{at.address}/join", name=MARKS),
    "real name of marks": lambda at: _json(f"{at.address}/join", name="Ann", real=MARKS),
    "rejoin name of marks": lambda at: _json(f"{at.address}/rejoin", name=MARKS, code="2345"),
    "rejoin code of marks": lambda at: _json(f"{at.address}/rejoin", name="Ann", code=MARKS),
    "title of marks": lambda _: _json("/class/new", title=MARKS),
    "password of marks": lambda _: _json("/class/instructor", password=MARKS),
    "names at War": lambda _: _form(
        "/war", move="deal", step="0", players="6", names="a," * 80_000
    ),
    "seed of marks": lambda _: _json("/deals", table="war", players="2", seed=MARKS),
    "deck of many lines": lambda _: _parts("/bingo", [_DECK], "ZZ\n" * 83_000),
    "36,000 fields": lambda _: _request(
        "POST", "/simple-21", body="&".join(f"a{n}=" for n in range(36_000)).encode()
    ),
    "127,000 equal fields": lambda _: _request("POST", "/simple-21", body=b"a&" * 127_000),
    "JSON of many lists": lambda _: _request(
        "POST", "/simple-21", body=b'{"a":[' + b"[1]," * 50_000 + b"1]}", kind="application/json"
    ),
    "names of headers": lambda _: _get(
        "/simple-21", headers="".join(f"X-{number}{'x' * 4_000}: y\r\n" for number in range(80))
    ),
    "query of 60 KB": lambda _: _get(f"/deals?{'a=1&' * 15_000}"),
    "quotes in a part's name": lambda _: _parts("/simple-21", [_NAMED.format('\\"' * 1_200)] * 90),
    "49,000 lines": lambda at: _form(
        "/sheets", at.player, table="bingo", transcript="a\n" * 49_000
    ),
    "their own transcript": lambda at: _form(
        "/sheets", at.player, table="bingo", transcript=at.transcript[:95_000]
    ),
    "/sheets": lambda at: _get("/sheets", at.player),
    "what-if": lambda at: _get(at.what_if),
    "longest War": lambda _: _get(f"/replay/{LONGEST_WAR}?step=1000"),
    "student's page of 400": lambda at: _get(at.address, at.student),
    "dashboard of 400": lambda at: _get(f"{at.address}/dashboard", at.boss),
    "big screen of 400": lambda at: _get(f"{at.address}/projector", at.boss),
}
"""Requests that were made to hold a worker, each sent again as soon as it is answered."""


def _beginnings() -> Iterator[bytes]:
    """Yield what a sender begins with, of every method, in every phase."""
    for method in METHODS:
        line = f"{method} /simple-21 HTTP/1.1\r\nHost: x\r\n"
        form = f"{line}Content-Type: {FORM}\r\n"
        for text in (line, form + LENGTH, f"{form}{LENGTH}m", f"{form}{CHUNKED}9\r\nmove"):
            yield text.encode()


_EVERY: Final = [*itertools.islice(itertools.cycle(_beginnings()), SENDERS)]
SLOW_SENDERS: Final[dict[str, list[Sender]]] = {
    f"{SENDERS} silent senders": [Sender("silent", data) for data in _EVERY],
    f"{SENDERS} senders of a byte at a time": [Sender("slow", data) for data in _EVERY],
    f"{SENDERS} senders who hang up": [Sender("cut off", data) for data in _EVERY],
    f"{SILENT} silent connections": [Sender("silent")] * SILENT,
    "8 senders of headers of 400 KB": [Sender("headers")] * 8,
    "8 bodies where none belongs": [
        Sender("again", _get("/simple-21", headers="Content-Length: 1\r\n") + b"x")
    ]
    * 8,
}


# ---- Sending -------------------------------------------------------------------------------------


async def keep_sending(port: int, sender: Sender, answers: Counter[int]) -> None:
    """Do with a connection what a sender does, and open another whenever it is hung up."""
    while True:
        with suppress(OSError, EOFError):
            await _SEND[sender.kind](port, sender.data, answers)
        await asyncio.sleep(0.05)


async def _ask_again(port: int, request: bytes, answers: Counter[int]) -> None:
    connection = Connection(port)
    try:
        while True:
            answers[(await connection.exchange(request)).status] += 1
    finally:
        connection.close()


async def _send_headers(port: int, _: bytes, answers: Counter[int]) -> None:
    name = random.choice(("Accept-Language: ", "Cookie: look=", "Accept: "))
    value = f"{random.random()}," * (400_000 // 19)
    await _ask_again(port, _get("/simple-21", headers=f"{name}{value}\r\n"), answers)


async def _fall_silent(port: int, beginning: bytes, _: Counter[int]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with closing(writer):
        writer.write(beginning)
        await reader.read()


async def _hang_up(port: int, beginning: bytes, _: Counter[int]) -> None:
    writer = (await asyncio.open_connection("127.0.0.1", port))[1]
    with closing(writer):
        writer.write(beginning)
        await writer.drain()


async def _send_bytes(port: int, beginning: bytes, _: Counter[int]) -> None:
    piece = b"1\r\nm\r\n" if CHUNKED.encode() in beginning else b"m"
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with closing(writer):
        writer.write(beginning.replace(b"9\r\nmove", b""))
        hung_up = asyncio.ensure_future(reader.read())
        while not hung_up.done():
            writer.write(piece)
            await writer.drain()
            await asyncio.wait({hung_up}, timeout=0.2)


_SEND: Final = {
    "silent": _fall_silent,
    "slow": _send_bytes,
    "cut off": _hang_up,
    "again": _ask_again,
    "headers": _send_headers,
}


# ---- The class -----------------------------------------------------------------------------------


async def _open_class(port: int) -> tuple[Boss, Phone]:
    """Open a class of 400; return its instructor and one."""
    boss = Boss(port)
    code = await boss.open(nicknames="free", real="may", students=STUDENTS)
    phones = [Phone(port, code) for _ in range(STUDENTS)]
    for phone in phones:
        await phone.join()
        phone.close()
    boss.close()
    return boss, phones[0]


def _play_rounds(player: Player, path: str, rounds: int) -> None:
    """Play rounds to their ends, each with the last option of what a move asks."""
    for _ in range(rounds):
        table = player.json(path)[1]
        name = ""
        while name == "" or table["view"]["phase"] == "playing":
            moves = {move["name"]: move["fields"] for move in table["moves"]}
            name = next(name for name in ("stay", "call", "turn", "deal") if name in moves)
            fields = {field: [*options][-1] for field, options in moves[name].items() if options}
            status, table = player.json(path, {"move": name, "step": str(table["step"]), **fields})
            if status != 200:
                raise RuntimeError(f"{path}: {status} {table}")


def fill(server: Server) -> Target:
    """Fill a site with all that the requests need."""
    boss, phone = asyncio.run(_open_class(server.port))
    with closing(Player(server.port)) as player:
        _play_rounds(player, "/bingo", 50)
        _play_rounds(player, "/blackjack", 1)
        token = player.request("GET", "/blackjack/history/1")[0].headers["Location"]
        token = token.removeprefix("/replay/")
        what_if = f"/what-if/{token.partition('_deal')[0]}_deal?of={token}"
        transcript = player.request("GET", "/bingo/transcript")[1]
    return Target(phone.base, boss.cookie, phone.cookie, player.cookie, what_if, transcript)
