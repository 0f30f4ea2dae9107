"""What a bored student can do to a class: senders that are slow, silent or too large.

``tools.benchmarks.scenarios`` plays each beside a class of sixty and tells what the class notices.
A sender that is hung up opens a new connection at once, so that there are always as many.
"""

import asyncio
import itertools
import random
import resource
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.support.school import Away, after, report, school
from tests.support.serving import Server, memory

PLAYERS: Final = 60
SECONDS: Final = 20.0
SENDERS: Final = 64
SILENT: Final = 2_048
LARGE: Final = 8
HEADER: Final = 400_000
"""How long the header of a request is that is too large, in bytes."""

A_BYTE_EACH: Final = 0.2
"""How many seconds a slow sender waits between two bytes."""

METHODS: Final = ("POST", "GET", "PUT", "HEAD", "DELETE", "OPTIONS", "PATCH")
LENGTH: Final = "Content-Length: 9000\r\n\r\n"
CHUNKED: Final = "Transfer-Encoding: chunked\r\n\r\n"

Sender = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""What is done with a connection, until it is hung up."""


def beginnings() -> Iterator[str]:
    """Return what a sender begins with, of every method, in every phase."""
    for method in METHODS:
        line = f"{method} /simple-21 HTTP/1.1\r\nHost: x\r\n"
        form = f"{line}Content-Type: application/x-www-form-urlencoded\r\n"
        yield from (line, form + LENGTH, f"{form}{LENGTH}m", f"{form}{CHUNKED}9\r\nmove")


async def until_hung_up(reader: asyncio.StreamReader) -> None:
    """Return when a connection is hung up, however it is done."""
    with suppress(OSError):
        await reader.read()


def silent(beginning: str) -> Sender:
    """Return a sender that begins, and then says nothing."""

    async def send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(beginning.encode())
        await reader.read()

    return send


def slow(beginning: str) -> Sender:
    """Return a sender that begins, and goes on byte by byte."""
    piece = b"1\r\nm\r\n" if CHUNKED in beginning else b"m"

    async def send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(beginning.replace("9\r\nmove", "").encode())
        hung_up = asyncio.ensure_future(until_hung_up(reader))
        while not hung_up.done():
            writer.write(piece)
            await writer.drain()
            await asyncio.wait({hung_up}, timeout=A_BYTE_EACH)

    return send


def large(number: int) -> Sender:
    """Return a sender that asks for pages with a header that is too large, always another one."""
    choose = random.Random(number)

    async def send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            name = choose.choice(("Accept-Language", "Cookie: look", "Accept"))
            sign = "=" if "Cookie" in name else ": "
            value = f"{choose.random()}," * (HEADER // 19)
            request = f"GET /simple-21 HTTP/1.1\r\nHost: x\r\n{name}{sign}{value}\r\n\r\n"
            writer.write(request.encode())
            await writer.drain()
            if not await reader.read(65_536):
                return
            await asyncio.sleep(0.05)

    return send


async def keep_sending(port: int, sender: Sender) -> None:
    """Open a connection, whenever there is none, and do with it what the sender does."""
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                await sender(reader, writer)
            finally:
                writer.close()
        await asyncio.sleep(0.05)


def scenarios() -> dict[str, list[Sender]]:
    """Return who sends beside the class, by what it is called."""
    every = list(itertools.islice(itertools.cycle(beginnings()), SENDERS))
    return {
        "nobody": [],
        f"{SENDERS} silent senders of every method and phase": [silent(one) for one in every],
        f"{SENDERS} senders of a byte at a time": [slow(one) for one in every],
        f"{SILENT} silent connections": [silent("")] * SILENT,
        f"{LARGE} senders of headers of 400 KB": [large(number) for number in range(LARGE)],
    }


async def play(port: int, seconds: float, senders: Iterable[Sender]) -> str:
    """Let a class play beside some senders, and return what it has seen."""
    sending = [asyncio.ensure_future(keep_sending(port, sender)) for sender in senders]
    await asyncio.sleep(1)
    playing = asyncio.ensure_future(school(port, PLAYERS, after(seconds)))
    await asyncio.wait({playing}, timeout=seconds)
    for task in sending:  # before the class counts what was lost
        task.cancel()
    await asyncio.gather(*sending, return_exceptions=True)
    try:
        return report(await playing, seconds)
    except Away:
        return "nobody is served"


def beside(server: Server, senders: Iterable[Sender]) -> str:
    """Return what a class notices of some senders, and what they cost the server."""
    before, spent = memory(server), server.cpu()
    seen = asyncio.run(play(server.port, SECONDS, senders))
    busy = 100 * (server.cpu() - spent) / SECONDS
    return f"{seen}; CPU {busy:.0f} % of one, {memory(server) - before:+.0f} MB"


def senders(root: Path, folder: Path) -> Iterator[str]:
    """Sixty players beside senders that are silent, slow, too many, or send too much."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for number, (name, sending) in enumerate(scenarios().items()):
        here = folder / str(number)
        here.mkdir()
        with Server(here, root=root) as server:
            seen = beside(server, sending)
            stops = time.monotonic()
        yield f"{name}: {seen}; stopped in {time.monotonic() - stops:.1f} s"
