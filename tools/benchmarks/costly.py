"""Measures how one student's most expensive requests affect a class, as part of ``make load``.

The student repeats a request over eight connections (see ``--connections``) for some seconds, while
60 others play. For each kind of request, the duration of the other players' moves is printed.
"""

import argparse
import asyncio
import html
import re
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

from tests.support.http_client import JSON, AsyncConnection, Away, Browser, Client
from tests.support.school import report
from tests.support.serving import Server
from tools.benchmarks.load import PLAYERS, apart, play

ROUNDS: Final = 200
"""Number of rounds in the student's history."""

PAGE: Final = {"Accept": "text/html"}


def play_rounds(player: Client) -> tuple[str, str]:
    """Play rounds of Blackjack, and return the URLs of a replay and a changed round."""
    for step in range(2 * ROUNDS):
        form = {"move": ("deal", "stay")[step % 2], "step": str(step)}
        player.post("/blackjack", form, JSON)
    answer = player.get(f"/blackjack/history/{ROUNDS}", PAGE)
    replay = answer.headers["Location"]
    differently = re.search('"(/what-if/[^"]+)"', player.get(f"{replay}?step=1", PAGE).text)
    if not differently:
        raise ValueError(replay)
    return replay, html.unescape(differently[1])


def requests(replay: str, differently: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the expensive requests: the name, URL and form of each request."""
    yield "nothing", "", {}
    yield f"a history of {ROUNDS} rounds", "/blackjack/history", {}
    yield "the same as CSV", "/blackjack/history.csv", {}
    yield "a replay", replay, {}
    yield "a round played differently", differently, {}
    yield "10,000 rounds in the lab", "/lab?game=one-deck&rounds=10000&seed=1", {}
    yield "the puzzles", "/puzzles", {}
    yield "a deck of 500 invalid lines", "/war", {"move": "deal", "step": "0", "deck": "??\n" * 500}
    yield "a new deal link", "/deals", {"table": "one-deck"}


async def ask_again(
    connections: int,
    port: int,
    cookie: str,
    path: str,
    form: Mapping[str, str],
    over: threading.Event,
) -> Counter[int]:
    """Repeat a request over several connections.

    Return the number of responses, keyed by HTTP status.
    """
    statuses: Counter[int] = Counter()
    method = "POST" if form else "GET"
    request = Browser().prepare(method, path, form, {"Cookie": cookie})

    async def ask() -> None:
        connection = AsyncConnection(port)
        while path and not over.is_set():
            try:
                answer = await connection(request)
                statuses[answer.status] += 1
            except Away:
                statuses[503] += 1
        connection.close()

    await asyncio.gather(*(ask() for _ in range(connections)))
    return statuses


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8, help="duration of each measurement")
    parser.add_argument("--connections", type=int, default=8, help="number of connections")
    arguments = parser.parse_args()
    seconds, connections = arguments.seconds, arguments.connections
    print(f"{PLAYERS} students play, while another client repeats over {connections} connections:")
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder)) as server,
        ThreadPoolExecutor(1) as beside,
    ):
        player = Client(server.port)
        for name, path, form in requests(*play_rounds(player)):
            over = threading.Event()
            asks = ask_again(connections, server.port, player.cookie, path, form, over)
            asking = beside.submit(asyncio.run, asks)
            tally, _ = apart(partial(play, server.port, PLAYERS, seconds))
            over.set()
            statuses = ", ".join(f"{status} {count}x" for status, count in asking.result().items())
            print(f"  {name} ({statuses or 'alone'}): {report(tally, seconds)}", flush=True)


if __name__ == "__main__":
    main()
