"""The number of files and functions that five requests pass through.

Each request is made in the same process, with a profiler that records every called function of the
project. Compiled templates count as files, but not as functions. The module imports only
``create_app``, so it can measure an older checkout with ``ROOT=… python
tools/benchmarks/walks.py``. A test limits the numbers for the first request.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

ROOT: Final = Path(os.environ.get("ROOT") or Path(__file__).parents[2])
JSON: Final = {"Accept": "application/json"}
FORM: Final = {"Prefer": "return=representation"}


class Walk:
    """The functions that a request called, and the number of calls between files."""

    def __init__(self) -> None:
        """Create an empty record."""
        self.functions: set[CodeType] = set()
        self.files: set[str] = set()
        self.changes = 0

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """Record a call, as reported by :func:`sys.setprofile`."""
        if event != "call" or not (file := _ours(frame)):
            return
        self.files.add(file)
        if not file.startswith("templates/"):
            self.functions.add(frame.f_code)
        before = frame.f_back
        while before and not _ours(before):
            before = before.f_back
        self.changes += before is not None and _ours(before) != file


def _ours(frame: FrameType) -> str:
    """Return the path of a frame's file in the checkout, or an empty string."""
    path = frame.f_code.co_filename
    if not path.startswith(f"{ROOT}/") or "/.venv/" in path or path == __file__:
        return ""
    return path[len(f"{ROOT}/") :]


def walked(request: Callable[[], Any]) -> Walk:
    """Return the functions that a request calls.

    An earlier identical request must have filled all caches.
    """
    walk = Walk()
    sys.setprofile(walk.note)
    try:
        answer = request()
    finally:
        sys.setprofile(None)
    if answer.status_code != 200:
        raise RuntimeError(f"{answer.status_code}: {answer.get_data(as_text=True)[:300]}")
    return walk


def main() -> None:
    """Measure a hit, a call, a claim and a vote, each with the page that follows."""
    sys.path.insert(0, str(ROOT))
    os.chdir(ROOT)
    from app import create_app  # noqa: PLC0415 - from the measured checkout

    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DATA_DIR": folder, "CLASSES": "open"}
        app = create_app()
        for name, request in _requests(app):
            walk = walked(request)
            print(
                f"{name:<28} {len(walk.files):>3} files {walk.changes:>4} changes of file "
                f"{len(walk.functions):>4} functions"
            )


def _requests(app: Any) -> Any:
    """Yield the requests with their names.

    The generator makes any preparatory requests before it yields a request.
    """
    player = app.test_client()

    def hit() -> Any:
        step = player.get("/simple-21", headers=JSON).get_json()["step"]
        return lambda: player.post("/simple-21", data={"move": "hit", "step": step}, headers=FORM)

    deck = "\n".join(f"{rank}{suit}" for rank in "A23456789TJQK" for suit in "CDHS")
    player.post("/simple-21", data={"move": "deal", "step": 0, "deck": deck})
    hit()()
    yield "a hit and its page", hit()

    desk, phones = app.test_client(), [app.test_client() for _ in range(3)]
    code = desk.post("/class/new", data={"title": "CS1"}, headers=JSON).get_json()["class"]
    base = f"/class/{code}"
    for phone in phones:
        offer = phone.get(base, headers=JSON).get_json()["offers"][0]
        phone.post(f"{base}/join", data={"offer": offer}, headers=JSON)

    def led(path: str, move: str, **form: Any) -> Any:
        step = desk.get(f"{base}/dashboard", headers=JSON).get_json()["step"]
        sent = {"move": move, "step": step, **form}
        return lambda headers=JSON: desk.post(f"{base}{path}", data=sent, headers=headers)

    led("/dashboard", "deal", mode="L", speed="N", by_hand="Y", every="0")()
    led("/dashboard", "call", call="1")(FORM)
    call = led("/dashboard", "call", call="2")
    yield "a call and its page", lambda: call(FORM)
    yield "a phone's page after it", lambda: phones[0].get(f"{base}/bingo")
    claim = {"move": "claim", "call": "2"}
    phones[1].post(f"{base}/bingo", data=claim, headers=FORM)
    yield "a claim and its page", lambda: phones[0].post(f"{base}/bingo", data=claim, headers=FORM)
    led("/dashboard", "void", reason="x")()
    led("/votes", "ask", table="blackjack", hand="10 6", upcard="10")()
    answer = {"choice": "hit", "vote": "1", "ballot": "1", "sure": "1"}
    phones[1].post(f"{base}/vote", data=answer, headers=FORM)
    yield (
        "a vote's answer and its page",
        lambda: phones[0].post(f"{base}/vote", data=answer, headers=FORM),
    )


if __name__ == "__main__":
    main()
