"""What compressing a page costs against making it: ``python -m tools.benchmarks.compression``.

Processor time, the best of five, in one run; so the ratio counts and not the machine.
"""

import gzip
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import brotli  # type: ignore[import-untyped]

from app import create_app
from web.settings import Settings

WAYS: dict[str, Callable[[bytes], bytes]] = {
    "gzip 1, as served": lambda body: gzip.compress(body, compresslevel=1, mtime=0),
    "zlib 6": lambda body: zlib.compress(body, 6),
    "brotli 1": lambda body: brotli.compress(body, quality=1),
    "brotli 4": lambda body: brotli.compress(body, quality=4),
}


def seconds(act: Callable[[], object], times: int) -> float:
    """Return the processor time that something takes, the best of five rounds."""
    found = []
    for _ in range(5):
        began = time.process_time()
        for _ in range(times):
            act()
        found.append((time.process_time() - began) / times)
    return min(found)


def main() -> None:
    """Measure the lobby, a table in play and its rules, and print."""
    with tempfile.TemporaryDirectory() as folder:
        player = create_app(Settings(data_dir=Path(folder))).test_client()
        player.post("/blackjack", data={"move": "deal", "step": "0"})
        for path in ("/", "/blackjack", "/blackjack/rules"):
            body = player.get(path).data
            page = seconds(lambda path=path: player.get(path), 40)  # type: ignore[misc]
            print(f"{path}: {len(body):,} bytes, made in {page * 1e6:,.0f} µs")
            for name, way in WAYS.items():
                cost = seconds(lambda way=way, body=body: way(body), 150)  # type: ignore[misc]
                size = len(way(body)) / len(body)
                print(f"  {name:<18} {size:4.0%} of the bytes for {cost / page:5.1%} of the time")


if __name__ == "__main__":
    main()
