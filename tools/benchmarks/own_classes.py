"""Own classes in the browser: bytes, boot, checks, moves and memory, also on a machine 4x slower.

``python -m tools.benchmarks.own_classes`` prints a table; it wants a quiet machine. The DevTools
throttle no workers, so the slow machine is Chromium stopped for three quarters of the time.
"""

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any, Final

import psutil
from playwright.sync_api import Browser, BrowserContext, Page

from course.grading.sheets import SHEETS
from tests.support.serving import ROOT, Server
from tools.art.screenshots import chromium

SLOWER: Final = 4
SLICE: Final = 0.02
"""Number of seconds for which the slow machine runs at a time."""

MOVES: Final = 20
PATIENCE: Final = 300
SIZES: Final = """performance.getEntriesByType("resource")
    .filter((one) => one.name.includes("/sheets/python/")).map((one) => one.transferSize)"""


def children() -> list[psutil.Process]:
    """Return the processes of the browser."""
    found = psutil.Process().children(recursive=True)
    return [each for each in found if each.is_running() and "chrom" in each.name()]


@contextmanager
def slowed() -> Iterator[None]:
    """Let the browser run for a part of the time only."""
    over = threading.Event()

    def take_turns() -> None:
        while not over.is_set():
            stopped = children()
            for act, seconds in (("suspend", SLICE * (SLOWER - 1)), ("resume", SLICE)):
                for each in stopped:
                    with suppress(psutil.Error):
                        getattr(each, act)()
                time.sleep(seconds)

    thread = threading.Thread(target=take_turns)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def until(page: Page, holds: Callable[[], object]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(page.inner_text("#status"))
        page.wait_for_timeout(10)


def pressed(page: Page, button: str) -> float:
    """Press a button, and return after how many seconds Python has nothing more to say."""
    started = time.perf_counter()
    page.click(button)
    until(page, lambda: page.get_attribute("#own", "aria-busy") is None)
    return time.perf_counter() - started


def booted(context: BrowserContext, site: str, slug: str) -> tuple[Page, float]:
    """Open the page of a sheet, choose our files; return it, and how long Python took to start."""
    page = context.new_page()
    page.goto(f"{site}/sheets/{slug}/try")
    files = [each for each in SHEETS[slug].solution.iterdir() if each.suffix == ".py"]
    started = time.perf_counter()
    page.set_input_files("#files", files)
    until(page, lambda: page.inner_text("#status") == "Python is ready.")
    return page, time.perf_counter() - started


def line(what: str, value: str) -> None:
    """Print a line of the table."""
    print(f"{what:44} {value:>16}", flush=True)


def measure_bytes() -> None:
    """Print what each file is when it is compressed."""
    folder = ROOT / ".browser"
    names = ("python.wasm", "python_stdlib.zip", "package.zip", "worker.js")
    for ending, where in ((".br", "HTTPS"), (".gz", "plain HTTP")):
        sizes = [(folder / f"{name}{ending}").stat().st_size for name in names]
        line(f"{where} ({ending[1:]}), all files", f"{sum(sizes) / 1e6:.2f} MB")


def measure(browser: Browser, site: str, sheets: tuple[str, ...]) -> None:
    """Print how long everything takes."""
    for slug in sheets:
        context = browser.new_context(locale="en")
        begun = time.perf_counter()
        page, cold = booted(context, site, slug)
        sent: list[int] = page.evaluate(SIZES)
        if slug == sheets[0]:
            line("over the wire, nothing cached", f"{sum(sent) / 1e6:.2f} MB")
            line("boot, nothing cached", f"{cold:.1f} s")
        first = pressed(page, "#sit")
        line(f"{slug}: first table", f"{first:.2f} s")
        if slug == sheets[0]:
            line("page opened to own cards dealt", f"{time.perf_counter() - begun:.1f} s")
        moves = [pressed(page, "#moves button:first-child") for _ in range(MOVES)]
        line(f"{slug}: a move, median of {MOVES}", f"{median(moves) * 1000:.0f} ms")
        line(f"{slug}: all checks", f"{pressed(page, '#check'):.1f} s")
        page.close()
        if slug == sheets[0]:
            page, warm = booted(context, site, slug)
            line("boot, cached", f"{warm:.1f} s")
            line("over the wire, cached", f"{sum(page.evaluate(SIZES)) / 1e3:.1f} KB")
        context.close()


def memory() -> str:
    """Return what the largest process of the browser has for itself."""
    most: list[Any] = [each.memory_full_info().uss for each in children()]
    return f"{max(most) / 1e6:.0f} MB"


def main() -> None:
    """Build the runtime, measure, and print."""
    tool = ROOT / "tools" / "setup" / "browser_python"
    subprocess.run([sys.executable, str(tool), str(ROOT / ".browser")], check=True)
    measure_bytes()
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder)) as server,
        chromium() as browser,
    ):
        site = f"http://127.0.0.1:{server.port}"
        measure(browser, site, tuple(SHEETS))
        page, _ = booted(browser.new_context(locale="en"), site, "simple-21")
        pressed(page, "#check")
        line("memory of the largest process", memory())
        print(f"== {SLOWER} times slower")
        with slowed():
            measure(browser, site, ("simple-21",))


if __name__ == "__main__":
    main()
