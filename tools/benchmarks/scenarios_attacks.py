"""Requests that were made to hold a worker, beside a class at play: before and after, in a table.

Each attack is sent again as soon as it is answered. Told are how long the slowest hundredth of the
players' moves took, how many moves were refused or not answered, and what the attack was answered.

``python -m tools.benchmarks.scenarios attacks --seconds 20 --connections 1,8 --before COMMIT``
"""

import asyncio
import itertools
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from tests.support.class_client import Boss, Phone
from tests.support.school import Away, Connection, Tally, after, percentile, school
from tests.support.serving import Player, Server

PLAYERS: Final = 60
STUDENTS: Final = 400
SECONDS: Final = 20.0
CONNECTIONS: Final = (1, 8)

GIVES_UP: Final = 60.0
"""Number of seconds after the lesson in which the players must have been answered."""

BOMB: Final = 60_000
"""Number of bytes of a text; the work that combining marks make grows with its square."""

MARKS: Final = "a" + "\u0315" * (BOMB // 4) + "\u0316" * (BOMB // 4)
LARGE: Final = 250_000
FORM: Final = "application/x-www-form-urlencoded"
BOUNDARY: Final = "parts"

LONGEST_WAR: Final = "war_2_salt=0d499bb09add36d8fb4bb884fbc28b73_deal:players=2_turn*3421"
"""The longest of some thousand games of two, by its salt."""


@dataclass(frozen=True)
class Target:
    """A served class, and the cookies of those who are in it."""

    code: str
    boss: str
    student: str
    player: str
    """Somebody who has played fifty rounds of Bingo and one of Blackjack."""

    what_if: str
    """An address at which their round of Blackjack is played on."""

    transcript: str
    """Of their table of Bingo."""

    @property
    def address(self) -> str:
        """Where the class is."""
        return f"/class/{self.code}"


Attack = Callable[[Target], bytes]
"""Returns the request that is sent again and again."""


def _request(
    method: str, path: str, cookie: str = "", body: bytes = b"", kind: str = FORM, headers: str = ""
) -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}"
    if cookie:
        head += f"Cookie: {cookie}\r\n"
    if method == "POST":
        head += f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
    return f"{head}\r\n".encode() + body


def _get(path: str, cookie: str = "") -> bytes:
    return _request("GET", path, cookie)


def _form(path: str, cookie: str = "", **fields: str) -> bytes:
    return _request("POST", path, cookie, urlencode(fields).encode())


def _json(path: str, cookie: str = "", **fields: str) -> bytes:
    body = json.dumps(fields, ensure_ascii=False).encode()
    return _request("POST", path, cookie, body, "application/json")


def _parts(path: str, heads: Sequence[str], content: str = "") -> bytes:
    parts = "".join(f"--{BOUNDARY}\r\n{head}\r\n\r\n{content}\r\n" for head in heads)
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    return _request("POST", path, body=f"{parts}--{BOUNDARY}--\r\n".encode(), kind=kind)


def _many_headers(_: Target) -> bytes:
    names = "".join(f"X-{number}{'x' * 4_000}: y\r\n" for number in range(80))
    return _request("GET", "/simple-21", headers=names)


_DISPOSITION: Final = 'Content-Disposition: form-data; name="{}"'
_DECK: Final = f'{_DISPOSITION.format("bingo_deck")}; filename="deck.txt"'

ATTACKS: Final[dict[str, Attack]] = {
    "nobody": lambda _: b"",
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
    "deck of many lines": lambda _: _parts("/bingo", [_DECK], "ZZ\n" * (LARGE // 3)),
    "40,000 fields": lambda _: _request(
        "POST", "/simple-21", body="&".join(f"a{n}=" for n in range(36_000)).encode()
    ),
    "127,000 equal fields": lambda _: _request("POST", "/simple-21", body=b"a&" * 127_000),
    "JSON of many lists": lambda _: _request(
        "POST", "/simple-21", body=b'{"a":[' + b"[1]," * 50_000 + b"1]}", kind="application/json"
    ),
    "header names": _many_headers,
    "query of 60 KB": lambda _: _get(f"/deals?{'a=1&' * 15_000}"),
    "quotes in a part's name": lambda _: _parts(
        "/simple-21", [_DISPOSITION.format('\\"' * 1_200)] * 90
    ),
    "49,000 lines": lambda at: _form(
        "/sheets", at.player, table="bingo", transcript="a\n" * 49_000
    ),
    "their own transcript": lambda at: _form(
        "/sheets", at.player, table="bingo", transcript=at.transcript[:95_000]
    ),
    "/sheets": lambda at: _get("/sheets", at.player),
    "refused chart, 400 kept": lambda at: _form(
        f"{at.address}/strategies", at.student, table="blackjack", rows="hard 16 X\n" * 1_000
    ),
    "standings of 400 charts": lambda at: _get(
        f"{at.address}/strategies?table=blackjack", at.student
    ),
    "what-if": lambda at: _get(at.what_if),
    "longest War": lambda _: _get(f"/replay/{LONGEST_WAR}?step=1000"),
    "student's page of 400": lambda at: _get(at.address, at.student),
    "dashboard of 400": lambda at: _get(f"{at.address}/dashboard", at.boss),
    "big screen of 400": lambda at: _get(f"{at.address}/projector", at.boss),
}

WITH_CHARTS: Final = frozenset(name for name in ATTACKS if "400 kept" in name or "charts" in name)
"""The attacks for which every student has handed a chart in."""


# ---- The class -----------------------------------------------------------------------------------


async def _class_of(port: int, *, charts: bool) -> tuple[str, str, str]:
    """Open a class.

    Args:
        port: where the site is.
        charts: whether each of its students hands a chart in.

    Returns:
        Its code, and the cookies of the instructor and of a student.
    """
    boss = Boss(port)
    code = await boss.open(nicknames="free", real="may", students=STUDENTS)
    phones = [Phone(port, code) for _ in range(STUDENTS)]
    for phone in phones:
        await phone.join()
        if charts:
            letters = f"{phone.number:010b}".translate({ord("0"): "H", ord("1"): "S"})
            form = {"table": "blackjack", "rows": f"hard 16 {letters}"}
            await phone.ask(f"{phone.base}/strategies", form)
        phone.close()
    boss.close()
    return code, boss.cookie, phones[0].cookie


def _play_rounds(player: Player, path: str, rounds: int, **fields: str) -> None:
    """Play rounds to their ends, each with the last option of what a move asks."""
    for _ in range(rounds):
        table = player.json(path)[1]
        name = ""
        while name == "" or table["view"]["phase"] == "playing":
            moves = {move["name"]: move["fields"] for move in table["moves"]}
            name = next(name for name in ("stay", "call", "turn", "deal") if name in moves)
            chosen = {field: [*options][-1] for field, options in moves[name].items() if options}
            form = {"move": name, "step": str(table["step"]), **chosen, **fields}
            status, table = player.json(path, form)
            if status != 200:
                raise RuntimeError(f"{path}: {status} {table}")


def _target(server: Server, *, charts: bool) -> Target:
    """Fill a site with all that the attacks need."""
    code, boss, student = asyncio.run(_class_of(server.port, charts=charts))
    with closing(Player(server.port)) as player:
        _play_rounds(player, "/bingo", 50)
        _play_rounds(player, "/blackjack", 1)
        token = player.request("GET", "/blackjack/history/1")[0].headers["Location"]
        token = token.removeprefix("/replay/")
        beginning = token.partition("_deal")[0] + "_deal"
        transcript = player.request("GET", "/bingo/transcript")[1]
        what_if = f"/what-if/{beginning}?of={token}"
        return Target(code, boss, student, player.cookie, what_if, transcript)


# ---- What the players notice ---------------------------------------------------------------------


async def _repeat(port: int, request: bytes, statuses: Counter[int]) -> None:
    """Send a request again and again over one connection, opened anew when it is hung up."""
    connection = Connection(port)
    while True:
        try:
            statuses[(await connection.exchange(request)).status] += 1
        except (OSError, EOFError):
            connection.close()
            await asyncio.sleep(0.05)


async def _lesson(
    port: int, request: bytes, connections: int, seconds: float
) -> tuple[Tally | None, Counter[int]]:
    """Let a class play beside an attack.

    Returns:
        What the class has seen, or None if it was not answered any more; and what was answered to
        the attack, by status.
    """
    statuses: Counter[int] = Counter()
    senders = range(connections) if request else ()
    sending = [asyncio.ensure_future(_repeat(port, request, statuses)) for _ in senders]
    lesson = asyncio.ensure_future(school(port, PLAYERS, after(seconds)))
    await asyncio.wait({lesson}, timeout=seconds)
    for task in sending:
        task.cancel()
    await asyncio.gather(*sending, return_exceptions=True)
    try:
        return await asyncio.wait_for(lesson, GIVES_UP), statuses
    except (TimeoutError, Away):
        return None, statuses


def _noticed(tally: Tally | None) -> str:
    """Return what a class has noticed: the slowest hundredth of its moves, and who was refused."""
    if tally is None or not tally.seconds:
        return f"{'nobody is served':>24}"
    refused = tally.unanswered + tally.stale + tally.lost + tally.doubled + len(tally.wrong)
    return f"{1e3 * percentile(tally.seconds, 0.99):>12.0f} ms {refused:>8}"


def attacks(
    roots: Mapping[str, Path],
    names: Iterable[str] = ATTACKS,
    seconds: float = SECONDS,
    connections: Sequence[int] = CONNECTIONS,
) -> Iterator[str]:
    """Yield the lines of a table: sixty players beside each attack, at each of some checkouts.

    Args:
        roots: the checkouts, by what they are called.
        names: which of ``ATTACKS``.
        seconds: how long each is sent.
        connections: from how many connections, one after the other.
    """
    yield f"{'attack':<24} {'from':>4} {'version':<7} {'p99':>12}    {'refused':>8}  answers"
    with tempfile.TemporaryDirectory() as folder:
        sites = {
            (when, charts): _filled(root, Path(folder) / f"{when}-{charts}", charts=charts)
            for (when, root), charts in itertools.product(
                roots.items(), sorted({name in WITH_CHARTS for name in names})
            )
        }
        for name, count, when in itertools.product(names, connections, roots):
            target, kept = sites[when, name in WITH_CHARTS]
            here = Path(folder) / "played"
            shutil.copytree(kept, here)
            with _served(roots[when], here) as server:
                lesson = _lesson(server.port, ATTACKS[name](target), count, seconds)
                tally, statuses = asyncio.run(lesson)
            shutil.rmtree(here)
            answers = ", ".join(f"{number} x {status}" for status, number in statuses.items())
            yield f"{name:<24} {count:>4} {when:<7} {_noticed(tally)}  {answers}"


def _filled(root: Path, folder: Path, *, charts: bool) -> tuple[Target, Path]:
    """Fill a site with all that the attacks need, and keep its data."""
    folder.mkdir()
    with _served(root, folder) as server:
        return _target(server, charts=charts), folder


def _served(root: Path, folder: Path) -> Server:
    return Server(folder, root=root, CLASSES="open", INSTRUCTOR_PASSWORD="a password")
