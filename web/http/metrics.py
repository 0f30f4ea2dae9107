"""Counters in Prometheus's text format at ``/metrics``, where ``METRICS=1`` asks for them.

Each worker counts in a small file of its own in the data directory, mapped into its memory; the
worker that is asked adds them all up. So every answer is the whole machine's, and
what a killed worker has counted is not lost. Each machine shows its own.
"""

import logging
import mmap
import os
import shutil
import socket
import threading
import zlib
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Final

import flask

from cardgames import GAMES
from web.http.request_log import BEGAN, OUTCOMES, outcome
from web.settings import Settings
from web.storage.side_effects import after_each_answer

_SECONDS: Final = "cardgames_request_seconds_total"
_NAMES: Final = (
    *(f'cardgames_requests_total{{status="{kind}xx"}}' for kind in range(1, 6)),
    *(
        f'cardgames_moves_total{{game="{slug}",outcome="{ending}"}}'
        for slug in GAMES
        for ending in sorted({*OUTCOMES.values(), outcome(500)})
    ),
    _SECONDS,
)
_PLACES: Final = {name: place for place, name in enumerate(_NAMES)}
_LAYOUT: Final = f"{zlib.crc32(repr(_NAMES).encode()):08x}"
"""Part of a file's name: counters of another version are not added to ours."""

_SIZE: Final = 8 * len(_NAMES)

log = logging.getLogger("cardgames.metrics")


def register(app: flask.Flask, settings: Settings) -> None:
    """Count an app's requests and show them at ``/metrics``, where the settings ask for it."""
    if not settings.metrics:
        return
    counters = _Counters(_folder(settings))
    after_each_answer(app, counters.count)
    app.add_url_rule("/metrics", "metrics", counters.show)


def reset(settings: Settings) -> None:
    """Begin at zero: called once, before the workers start."""
    shutil.rmtree(_folder(settings), ignore_errors=True)


def _folder(settings: Settings) -> Path:
    return settings.data_dir / "metrics"


class _Counters:
    """This worker's counters, and the sum of everybody's."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / f"{_LAYOUT}-{socket.gethostname()}-{os.getpid()}"
        self._lock = threading.Lock()  # the extra thread of a worker counts too
        self._values = memoryview(self._mapped()).cast("d")

    def _mapped(self) -> mmap.mmap:
        """Map a file of this worker's; where none can be made, it counts in its memory alone."""
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            with self._path.open("a+b") as file:
                # Its place on the disk is taken now: a full disk would be a crash later.
                os.posix_fallocate(file.fileno(), 0, _SIZE)
                return mmap.mmap(file.fileno(), _SIZE)
        except OSError as error:
            log.warning("%s: %s. /metrics shows one worker's counters.", self._path, error.strerror)
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
            return mmap.mmap(-1, _SIZE)

    def count(self, response: flask.Response) -> None:
        """Count the request that is being answered."""
        request, status = flask.request, response.status_code
        slug = (request.view_args or {}).get("slug")
        with self._lock:
            self._values[status // 100 - 1] += 1
            self._values[_PLACES[_SECONDS]] += perf_counter() - request.environ[BEGAN]
            if slug in GAMES and "move" in flask.g:
                name = f'cardgames_moves_total{{game="{slug}",outcome="{outcome(status)}"}}'
                self._values[_PLACES[name]] += 1

    def show(self) -> flask.Response:
        """Answer with every counter."""
        lines = []
        for name, value in zip(_NAMES, self._sums(), strict=True):
            kind = f"# TYPE {name.partition('{')[0]} counter"
            lines += [*([kind] * (kind not in lines)), f"{name} {value:.15g}"]
        return flask.Response("\n".join(lines) + "\n", mimetype="text/plain")

    def _sums(self) -> list[float]:
        """Return what all workers have counted, in the order of the names."""
        counted = [path.read_bytes() for path in self._folder.glob(f"{_LAYOUT}-*")]
        if not self._path.exists():
            counted.append(self._values.tobytes())
        # A shorter one is just being made, or could not be.
        whole = [memoryview(values).cast("d") for values in counted if len(values) == _SIZE]
        return [sum(values) for values in zip([0.0] * len(_NAMES), *whole, strict=True)]
