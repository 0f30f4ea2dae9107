"""The addresses of the sheets. Nothing is written here, and nothing that is sent is run."""

from pathlib import Path
from typing import Any, Final

import flask
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.records.comparison import Comparison, compare
from cardgames.records.transcript import TRANSCRIPTS
from cardgames.text import Text
from course.handouts.tasks import TASKS, sample_decks
from web.http.downloads import download
from web.http.requests import sent_texts, wants_json
from web.http.responses import json_response, render_page
from web.http.sharing import host
from web.http.turns import takes_long
from web.rounds.finished import rounds_since_cleared
from web.settings import ROOT

MAX_TEXT: Final = 100_000
"""Maximum number of characters pasted; a round of the longest game has some 20,000."""

NO_TABLE: Final = Text("Choose the game whose transcript you have pasted.")
NOTHING_SENT: Final = Text("Paste what your program has shown, from its greeting on.")
TOO_LONG: Final = Text(
    "That is longer than {most} characters. Start over at the table and in your program, and "
    "compare fewer rounds.",
    most=f"{MAX_TEXT:,}",
)
NOTHING_PLAYED: Final = Text(
    "You have not played {game} here yet. Play it with the same deck file and the same decisions "
    "as in your program, then paste again."
)

COMMANDS: Final = (
    (
        "python -m course.check SHEET FILE.py",
        Text("looks over a file before you hand it in, and puts it among the solution's others."),
    ),
    (
        "python -m course.grade SHEET FOLDER",
        Text("grades your own files, a line a requirement, with what was expected and what came."),
    ),
    (
        "python -m course.export SHEET FOLDER --stubs",
        Text("writes the classes and methods to be filled in, and what the course gives."),
    ),
)
"""What a student can run on their own machine, and what it does."""

blueprint = flask.Blueprint("sheets", __name__)


@blueprint.get("/sheets")
@takes_long
def show() -> flask.Response:
    """Show the five sheets."""
    if wants_json():
        return json_response(_as_data())
    return _page()


@blueprint.post("/sheets")
@takes_long
def hold_against() -> flask.Response:
    """Compare a transcript that was pasted with that of the player's own table here."""
    sent = sent_texts({"transcript": 2 * MAX_TEXT})  # so that a longer one has its own refusal
    slug, text = sent.get("table", ""), sent.get("transcript", "")
    refusal, comparison = _compared(slug, text)
    status = 422 if refusal else 200
    if not wants_json():
        return _page(status, slug, text[:MAX_TEXT], refusal, comparison)
    if comparison is None:
        return json_response({"error": refusal}, status)
    rows = [row._asdict() for row in comparison.rows]
    return json_response({"table": slug, **comparison._asdict(), "rows": rows})


@blueprint.get("/sheets/decks/<name>")
def deck(name: str) -> flask.Response:
    """Send a sample deck as a text file."""
    decks = sample_decks()
    if name not in decks:
        raise NotFound
    return download(name, decks[name], "text/plain")


@blueprint.get("/sheets/<name>.whl")
def package(name: str) -> flask.Response:
    """Send the package that was built last."""
    wheel = newest_wheel()
    if wheel is None or wheel.stem != name:
        raise NotFound
    return download(wheel.name, wheel.read_bytes(), "application/octet-stream")


def newest_wheel(folder: Path = ROOT / "dist") -> Path | None:
    """Return the package that ``make wheel`` has built last; None where it has not."""
    built = [
        (path.stat().st_mtime, path) for path in folder.glob("cardgames_course-*-none-any.whl")
    ]
    return max(built)[1] if built else None  # by time: a version's name sorts 0.10 before 0.9


def _compared(slug: str, text: str) -> tuple[Text | None, Comparison | None]:
    """Return what is wrong with what was sent, or else the comparison."""
    if slug not in TRANSCRIPTS:
        return NO_TABLE, None
    if not text.strip():
        return NOTHING_SENT, None
    if len(text) > MAX_TEXT:
        return TOO_LONG, None
    records = rounds_since_cleared(GAMES[slug])
    if not records:
        return NOTHING_PLAYED.fill(game=GAMES[slug].info.title), None
    return None, compare(slug, TRANSCRIPTS[slug](records), text)


def _page(
    status: int = 200,
    chosen: str = "",
    typed: str = "",
    refusal: Text | None = None,
    comparison: Comparison | None = None,
) -> flask.Response:
    return render_page(
        "sheets.html",
        status,
        sheets=[(GAMES[task.slug], task) for task in TASKS],
        compared={slug: GAMES[slug].info.title for slug in TRANSCRIPTS},
        commands=COMMANDS,
        package=_package_address(),
        chosen=chosen,
        typed=typed,
        refusal=refusal,
        comparison=comparison,
    )


def _package_address() -> str:
    """Return where the package is, for another machine; empty where none was built."""
    wheel = newest_wheel()
    return host() + _path(wheel.name) if wheel else ""


def _path(name: str) -> str:
    return f"{flask.request.script_root}/sheets/{name}"


def _as_data() -> dict[str, Any]:
    return {
        "sheets": [
            {
                "sheet": task.slug,
                "title": GAMES[task.slug].info.title,
                "pitch": task.pitch,
                "build": task.build,
                "given": task.given,
                "decks": [_path(f"decks/{name}") for name in task.decks],
            }
            for task in TASKS
        ],
        "commands": [command for command, _ in COMMANDS],
        "package": _package_address() or None,
    }
