"""What a class costs the store: ``python -m tools.benchmarks.class_rows [redis://…]``.

Sixty phones join in the same moment, and say BINGO! in the same moment, from as many threads as a
small server has; all must be kept. Then what "anything new?" reads, beside a read of the same row
that knows nothing of classes, in the same run.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from cardgames.class_bingo.clock import Clock
from cardgames.class_bingo.results import Claim
from web.classroom.changes import Change, Newcomer
from web.classroom.class_store import ClassStore
from web.classroom.codes import new_code
from web.classroom.model import Classroom, Student
from web.classroom.rows import HEAD, ClassCounters, place_of
from web.storage import open_store
from web.storage.store import NEVER

PHONES: Final = 60
THREADS: Final = 8
CALLS: Final = 14
ASKED: Final = 5_000


def milliseconds(calls: list[Callable[[], object]]) -> float:
    """Return how long it takes to make all calls at once."""
    with ThreadPoolExecutor(THREADS) as pool:
        began = time.perf_counter()
        for future in [pool.submit(call) for call in calls]:
            future.result()
        return 1e3 * (time.perf_counter() - began)


def microseconds(call: Callable[[], object]) -> float:
    """Return the processor time of a call: of five turns the quickest."""
    turns = []
    for _ in range(5):
        began = time.process_time()
        for _ in range(ASKED):
            call()
        turns.append(1e6 * (time.process_time() - began) / ASKED)
    return min(turns)


def newcomer(number: int) -> Newcomer:
    """Return a student."""
    name = f"Student {number}"
    return Newcomer(Student(name, offered=False, joined=0.0, browsers=(f"{number:032x}",)))


def measure(store: ClassStore) -> str:
    """Measure a class of sixty in a store."""
    code, room = new_code(), Classroom("A class", "free", "no", 200, 1, 0.0, "opener")
    store.create(code, room, int(time.time()) + 3_600)

    def counters() -> ClassCounters:
        found = store.counters(code)
        assert found
        return found

    seen = counters()
    joined = milliseconds(
        [lambda number=number: store.join(code, seen, newcomer(number)) for number in range(PHONES)]  # type: ignore[misc]
    )
    begins = Change(classroom=room, clock=Clock(CALLS), round=1, is_open=True, next_card=PHONES + 1)
    store.commit(code, counters(), begins)
    seen = counters()
    claims = [Claim(card, CALLS, 0, CALLS * (card % 2)) for card in range(1, PHONES + 1)]
    claimed = milliseconds(
        [lambda claim=claim: store.claim(code, seen, claim, NEVER) for claim in claims]  # type: ignore[misc]
    )
    kept = counters()
    rows = store._store  # noqa: SLF001 - to read the same row without a layer
    bare = microseconds(lambda: rows.read(place_of(code), HEAD))
    asked = microseconds(counters)
    store.delete(code)
    return (
        f"{kept.students} of {PHONES} joined at once in {joined:.0f} ms, "
        f"{kept.claims} of {PHONES} claims at once kept in {claimed:.0f} ms\n"
        f"anything new: {asked:.1f} µs of processor time, the row alone {bare:.1f} "
        f"(ratio {asked / bare:.2f})"
    )


def main() -> None:
    """Measure in a file, and in a Redis where its address is given."""
    for address in ("", *sys.argv[1:]):
        with tempfile.TemporaryDirectory() as folder:
            print(
                f"{address or 'SQLite'}: {measure(ClassStore(open_store(Path(folder), address)))}"
            )


if __name__ == "__main__":
    main()
