"""A pytest plugin that prints the processor time of each test file and fixture, in seconds.

``make test-costs`` loads the plugin. The processor time covers the pytest worker and its child
processes (servers, browsers, graders), so it hardly depends on the machine's load. The wall time is
printed next to the processor time. A file with a long wall time and little processor time spends
its time waiting.
"""

from collections import Counter
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

import psutil
import pytest

MAX_ROWS = 45
_KINDS = (
    "tests",
    "wall",
    "processor",
    "fixture",
    "folder tests",
    "folder wall",
    "folder processor",
)


def processor_seconds() -> float:
    """Return the processor seconds of this process and its descendants so far."""
    process = psutil.Process()
    total = sum(process.cpu_times()[:4])
    for child in process.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            total += sum(child.cpu_times()[:4])
    return float(total)


class Costs:
    """Measures tests and fixtures in each worker, and prints all workers' totals."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._sums: dict[str, Counter[str]] = {kind: Counter() for kind in _KINDS}

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, object, object]:
        before = processor_seconds()
        result = yield
        name = f"{fixturedef.argname} ({fixturedef.scope}, {fixturedef.baseid or 'pytest'})"
        self._sums["fixture"][name] += processor_seconds() - before
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        began, before = monotonic(), processor_seconds()
        result = yield
        spent = {"tests": 1.0, "wall": monotonic() - began}
        spent["processor"] = processor_seconds() - before
        file = item.path.relative_to(item.config.rootpath)
        for kind, amount in spent.items():
            self._sums[kind][str(file)] += amount
            self._sums[f"folder {kind}"]["/".join(Path(file).parts[:2])] += amount
        return result

    def pytest_sessionfinish(self) -> None:
        """Send the totals of an xdist worker to the controller."""
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput["costs"] = {k: dict(v) for k, v in self._sums.items()}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the totals of a finished xdist worker."""
        for kind, amounts in getattr(node, "workeroutput", {}).get("costs", {}).items():
            self._sums[kind].update(amounts)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        write = terminalreporter.write_line
        for prefix in ("folder ", ""):
            write(f"\n{'processor s':>12} {'wall s':>8} {'tests':>6}")
            for name, seconds in self._sums[f"{prefix}processor"].most_common(MAX_ROWS):
                wall, tests = (self._sums[f"{prefix}{kind}"][name] for kind in ("wall", "tests"))
                write(f"{seconds:12.1f} {wall:8.1f} {tests:6.0f}  {name}")
        write("\nfixtures, processor s")
        for name, seconds in self._sums["fixture"].most_common(MAX_ROWS):
            write(f"{seconds:12.1f}  {name}")


def pytest_configure(config: pytest.Config) -> None:
    """Register the measuring plugin in each process."""
    config.pluginmanager.register(Costs(config), "costs")
