"""The lab's pages, and the process that plays what is asked there.

``POST /lab`` puts a run into a queue; one process beside the server, niced, takes them out one by
one and plays them in small steps. What is known of a run lies in the queue's own storage: a SQLite
file in the data directory, or the Redis that has the sessions. A run's number is its address, and
modulo ``KEPT`` its place in the storage, so the storage never grows beyond so many runs.
"""

import logging
import math
import os
import secrets
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import cache
from multiprocessing import Process
from typing import Any, Final, Literal, cast
from xml.etree import ElementTree as ET

import flask
import msgspec
from werkzeug.exceptions import NotFound, ServiceUnavailable

from cardgames import GAMES
from cardgames import lab as core
from cardgames.games.bingo.rules import Mode
from cardgames.lab import Experiment, LabError, Result
from cardgames.text import Text, format_number
from web.http.i18n import LANGUAGES, Catalogue, catalogue, negotiated, translate
from web.http.responses import as_json, as_page, sent_texts, wants_json
from web.settings import Settings
from web.storage.sessions import Session, current_session, retry_on_conflict

KEPT: Final = 100
"""How many runs are kept: each new one takes the place of the oldest."""

LIFETIME: Final = 14 * 86_400
"""How long a run is kept at most, in seconds."""

MOST_OPEN: Final = 40
"""How many runs may wait or be played at a time; a class has room."""

MOST_YOURS: Final = 2
"""How many of them may be one player's."""

SHOWN: Final = 20
"""How many runs the list shows."""

NICE: Final = 10
"""How far the process that plays steps back behind those that answer."""

REFRESH: Final = 1
"""After how many seconds a page that shows progress asks again."""

KEY: Final = "lab"

ROW: Final = "lab-runs"
"""The key of the row in a session with the numbers of the player's latest runs."""

YOURS: Final = 10
"""How many numbers that row has."""

_SAVED_EVERY: Final = 0.25
_SILENT: Final = 60
"""A run that is being played says so several times a second; after so many seconds of silence the
process that played it is gone."""

_FORGOTTEN: Final = 2 * 3600
_POLLED_EVERY: Final = 0.25
_RETRIED_EVERY: Final = 10

log = logging.getLogger("cardgames.lab")
pages = flask.Blueprint("lab", __name__)


class Phase(StrEnum):
    """Where a run stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"
    STOPPED = "stopped"


_OPEN: Final = (Phase.WAITING, Phase.RUNNING)

Kind = Literal["war", "bingo", "twentyone"]

KINDS: Final[dict[Kind, tuple[type[Experiment], type[Result]]]] = {
    "war": (core.WarGames, core.WarResult),
    "bingo": (core.BingoRounds, core.BingoResult),
    "twentyone": (core.TwentyOneRounds, core.TwentyOneResult),
}
"""What can be asked, and what comes out, by its name in forms and in the storage."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run as it lies in the storage."""

    number: int
    kind: Kind
    asked: dict[str, Any]
    begun: float
    """When it was asked for, in seconds since 1970."""

    touched: float
    """When it was last written."""

    phase: Phase
    done: int
    """How many of its steps are done."""

    @property
    def experiment(self) -> Experiment:
        """What is to be played."""
        return msgspec.convert(self.asked, KINDS[self.kind][0])

    @property
    def steps(self) -> int:
        """How many steps it has."""
        return core.steps(self.experiment)

    @property
    def title(self) -> Text:
        """What is played, in a line."""
        return core.title(self.experiment)

    @property
    def is_open(self) -> bool:
        """Whether it waits or is being played."""
        return self.phase in _OPEN

    def seen_at(self, now: float, *, stop: bool) -> "Run":
        """Return the run as it must be seen: nobody writes down that a process was killed."""
        silence = now - self.touched
        if self.phase is Phase.WAITING and stop:
            return replace(self, phase=Phase.CANCELLED)
        limit = {Phase.WAITING: _FORGOTTEN, Phase.RUNNING: _SILENT}.get(self.phase, math.inf)
        return replace(self, phase=Phase.STOPPED) if silence > limit else self


class Runs:
    """The runs in the queue's storage, each at its number modulo ``KEPT``."""

    def __init__(self, queue: Any, send: Callable[[int], object]) -> None:
        """Keep runs in a queue's storage; ``send`` puts a number into the queue."""
        self.queue = queue
        self._storage = queue.storage
        self._send = send

    def begin(self, kind: Kind, experiment: Experiment) -> Run:
        """Put a run into the queue."""
        number = self._storage.incr("runs")
        now = time.time()
        run = Run(number, kind, asdict(experiment), now, now, Phase.WAITING, 0)
        for key in ("stop", "result"):
            self._storage.put_data(_key(key, number), b"")
        self.save(run)
        self._send(number)
        return run

    def save(self, run: Run) -> None:
        """Write down where a run stands."""
        touched = replace(run, touched=time.time())
        self._storage.put_data(_key("run", run.number), msgspec.json.encode(touched))

    def find(self, number: int) -> Run | None:
        """Return a run, unless there is none of this number or it is gone."""
        found = self._read(number % KEPT)
        return next((run for run in found if run.number == number), None)

    def all(self) -> list[Run]:
        """Return every run that is kept, newest first."""
        return sorted(self._read(*range(KEPT)), key=lambda run: -run.number)

    def _read(self, *places: int) -> Iterator[Run]:
        keys = [_key(name, place) for place in places for name in ("run", "stop")]
        kept = {key: bytes(value) for key, value in self._storage.peek_many(keys).items()}
        now = time.time()
        for place in places:
            run = _readable(kept.get(_key("run", place), b"null"))
            if run and now - run.begun < LIFETIME:
                stop = kept.get(_key("stop", place)) == str(run.number).encode()
                yield run.seen_at(now, stop=stop)

    def stop(self, run: Run) -> None:
        """Ask for a run to be cancelled."""
        self._storage.put_data(_key("stop", run.number), str(run.number).encode())

    def is_stopped(self, run: Run) -> bool:
        """Say whether somebody has asked for it."""
        return self._blob("stop", run.number) == str(run.number).encode()

    def keep(self, run: Run, result: Result, pictures: Mapping[str, bytes]) -> None:
        """Keep what came out of a run."""
        packed = {name: text.decode() for name, text in pictures.items()}
        outcome = {"number": run.number, "result": result, "pictures": packed}
        self._storage.put_data(_key("result", run.number), msgspec.json.encode(outcome))

    def outcome(self, run: Run) -> tuple[Result | None, dict[str, str]]:
        """Return what came out, and its pictures by name; nothing while nothing has."""
        blob = self._blob("result", run.number)
        try:
            kept = msgspec.json.decode(blob) if blob else {}
            if kept.get("number") != run.number:
                return None, {}
            return msgspec.convert(kept["result"], KINDS[run.kind][1]), kept["pictures"]
        except msgspec.MsgspecError:
            return None, {}

    def _blob(self, name: str, number: int) -> bytes:
        key = _key(name, number)
        return bytes(self._storage.peek_many([key]).get(key, b""))


_decode: Final = msgspec.json.Decoder(Run | None).decode


def _readable(blob: bytes) -> Run | None:
    """Return a run as it was written, unless this version of the lab cannot play it."""
    with suppress(msgspec.MsgspecError):
        run: Run | None = _decode(blob)
        if run:
            msgspec.convert(run.asked, KINDS[run.kind][0])  # raises where there is no such thing
        return run
    return None


def _key(name: str, number: int) -> str:
    return f"{name}-{number % KEPT}"


# The queue, and the process that empties it.


@cache
def opened(settings: Settings) -> Runs:
    """Return the runs of a site; a process opens them once."""
    import huey  # type: ignore[import-untyped]  # noqa: PLC0415 - it imports Redis's client too
    from huey.registry import Message  # type: ignore[import-untyped]  # noqa: PLC0415
    from huey.serializer import Serializer  # type: ignore[import-untyped]  # noqa: PLC0415

    class Json(Serializer):  # type: ignore[misc]  # it has no types
        """Writes a task as JSON: nothing that is read from the queue can run code."""

        def _serialize(self, data: Any) -> bytes:
            return msgspec.json.encode(data)

        def _deserialize(self, data: bytes) -> Any:
            message = Message(*msgspec.json.decode(bytes(data)))
            return message._replace(args=tuple(message.args))

    common = {"name": "cardgames", "results": False, "serializer": Json()}
    if settings.session_store:
        queue = huey.RedisHuey(connection_pool=_pool(settings.session_store), **common)
    else:
        path = settings.ensure_data_dir() / "lab.db"
        path.touch(mode=0o600)
        queue = huey.SqliteHuey(filename=str(path), strict_fifo=True, **common)

    @queue.task()  # type: ignore[untyped-decorator]
    def play(number: int) -> None:
        work(runs, number)

    runs = Runs(queue, play)
    return runs


def _pool(address: str) -> Any:
    """Return connections to a Redis; one that hangs must not hold a thread for long."""
    from redis import ConnectionPool  # noqa: PLC0415 - huey has imported it
    from redis.backoff import NoBackoff  # noqa: PLC0415
    from redis.retry import Retry  # noqa: PLC0415

    return ConnectionPool.from_url(
        address, socket_connect_timeout=1, socket_timeout=3, retry=Retry(NoBackoff(), 0)
    )


def work(runs: Runs, number: int) -> None:
    """Play a run step by step, until it is done or somebody cancels it."""
    run = runs.find(number)
    if run is None or not run.is_open:
        if run:
            runs.save(run)
        return
    try:
        _play(runs, replace(run, phase=Phase.RUNNING))
    except Exception:
        log.exception("run %d", number)
        runs.save(replace(run, phase=Phase.FAILED))


def _play(runs: Runs, run: Run) -> None:
    runs.save(run)
    saved, total = time.monotonic(), run.steps
    for done, so_far in core.run(run.experiment):
        run, result = replace(run, done=done), so_far
        if done == total:
            run = replace(run, phase=Phase.DONE)
        elif runs.is_stopped(run):
            run = replace(run, phase=Phase.CANCELLED)
            break
        elif time.monotonic() - saved > _SAVED_EVERY:
            runs.save(run)
            saved = time.monotonic()
    if result.games:
        runs.keep(run, result, _pictures(result))
    runs.save(run)


@contextmanager
def worker_process(settings: Settings) -> Iterator[None]:
    """Play what is asked, in a process of its own, for as long as the block lasts."""
    process = Process(target=keep_playing, args=(settings, os.getpid()), name="lab")
    process.start()
    try:
        yield
    finally:
        process.terminate()
        process.join(5)


def keep_playing(settings: Settings, server: int) -> None:
    """Have a process that plays for as long as the server is there: another when one has died.

    Args:
        settings: where the queue is.
        server: the process that must be there.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the server's, which then ends this
    threading.Thread(target=_end_with, args=(server,), daemon=True).start()
    while True:
        process = Process(target=play_on, args=(settings, os.getpid()), name="lab player")
        process.start()
        process.join()
        log.error("the lab's process ended (%s) and is started again", process.exitcode)
        time.sleep(1)


def play_on(settings: Settings, keeper: int) -> None:
    """Play one run after the other, niced, until the process that keeps this one is gone."""
    from huey.consumer import Consumer  # type: ignore[import-untyped]  # noqa: PLC0415

    class Quiet(Consumer):  # type: ignore[misc]  # it has no types
        """Ends at once when it is told to: a step that is lost is one that can be played again."""

        def _set_signal_handlers(self) -> None:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    os.nice(NICE)
    threading.Thread(target=_end_with, args=(keeper,), daemon=True).start()
    queue = opened(settings).queue
    # A file is asked for work again and again; Redis tells by itself, unless it is away.
    delay = _RETRIED_EVERY if settings.session_store else _POLLED_EVERY
    Quiet(queue, workers=1, periodic=False, max_delay=delay, scheduler_interval=60).run()


def _end_with(parent: int) -> None:
    """End this process when its parent is gone, however it went: it then has another one."""
    while os.getppid() == parent:
        time.sleep(_POLLED_EVERY)
    os._exit(0)


# Pictures.


def _pictures(result: Result) -> dict[str, bytes]:
    """Draw what can be drawn of a result, in every language."""
    drawable = [table for table in core.tables(result) if table.series]
    return {
        _picture_name(table, code): picture(table, catalogue(code))
        for code in LANGUAGES
        for table in drawable
    }


def _picture_name(table: core.Table, code: str) -> str:
    """Return the name of a table's picture in a language; the first one's is the table's."""
    return table.name if code == next(iter(LANGUAGES)) else f"{table.name}.{code}"


_SIZE: Final = (800, 400)
_FONT: Final = 13
_PAPER, _INK, _LINES = "#fffdf8", "#1d2420", "#c9c4b8"
_COLOURS: Final = ("#14613f", "#d2902a")


def picture(table: core.Table, words: Catalogue) -> bytes:
    """Draw a table's series as bars: an SVG without style or script, as the site's policy asks.

    Args:
        table: what has the series, and the labels of the bars in its first column.
        words: the catalogue of the language that it is labelled in.
    """
    import pygal  # type: ignore[import-untyped]  # noqa: PLC0415 - only who draws needs it
    from pygal.style import Style  # type: ignore[import-untyped]  # noqa: PLC0415

    fonts = dict.fromkeys(("label", "major_label", "legend", "title"), _FONT)
    width, height = _SIZE
    few = len(table.rows) <= 10  # noqa: PLR2004
    chart = pygal.Bar(
        style=Style(**{f"{part}_font_size": size for part, size in fonts.items()}),
        width=width,
        height=height,
        explicit_size=True,
        show_legend=len(table.series) > 1,
        legend_at_bottom=True,
        x_label_rotation=0 if few else 50,
        value_formatter=lambda share: _percent(share).translated(words),
        truncate_label=-1,
        include_x_axis=True,
        js=(),
    )
    chart.x_labels = [translate(row[0], words) for row in table.rows]
    for series in table.series:
        chart.add(translate(series.label, words), list(series.values))
    root = chart.render_tree()
    _paint(root, few=few)
    return cast("bytes", ET.tostring(root, encoding="utf-8"))


def _percent(share: float) -> Text:
    return format_number(share, ".0%" if share >= 0.1 else ".1%")  # noqa: PLR2004


def _paint(root: ET.Element, *, few: bool) -> None:
    """Put what the drawing's style sheet would say into attributes, and take all else out."""
    root.set("role", "img")
    root.set("font-family", "sans-serif")
    root.set("font-size", str(_FONT))
    for parent in list(root.iter()):
        for child in list(parent):
            tag = _tag(child)
            if tag in _TAKEN_OUT or "tooltip" in _classes(child):
                parent.remove(child)
    _paint_part(root, (), few=few)


def _paint_part(element: ET.Element, around: tuple[str, ...], *, few: bool) -> None:
    classes = (*around, *_classes(element))
    for name, value in _paints(_tag(element), classes, few=few).items():
        element.set(name, value)
    for unwanted in ("style", "class", "id"):
        element.attrib.pop(unwanted, None)
    for child in element:
        _paint_part(child, classes, few=few)


def _paints(tag: str, classes: tuple[str, ...], *, few: bool) -> dict[str, str]:
    """Return the attributes of a part of the drawing, by its tag and its classes from outside."""
    if tag == "text":
        anchor = "start" if "legend" in classes or ("x" in classes and not few) else "middle"
        return {"fill": _INK, "text-anchor": "end" if "y" in classes else anchor}
    if tag == "path":
        return {"stroke": _LINES, "fill": "none"}
    if tag == "rect" and "background" in classes:
        return {"fill": _PAPER}
    if tag == "rect":
        series = next((name for name in reversed(classes) if name.startswith(_SERIES)), "0")
        return {"fill": _COLOURS[int(series[-1]) % len(_COLOURS)]}
    return {}


_SERIES: Final = ("serie-", "activate-serie")
_TAKEN_OUT: Final = ("comment", "defs", "desc", "script", "style", "title")


def _tag(element: ET.Element) -> str:
    return "comment" if callable(element.tag) else element.tag.rpartition("}")[2]


def _classes(element: ET.Element) -> list[str]:
    return [*element.get("class", "").split(), *element.get("id", "").split()]


# The pages.

DEFAULTS: Final[dict[str, str]] = {
    "games": "10000",
    "seed": "",
    "players": "2",
    "mode": "L",
    "speed": "N",
    "table": "simple-21",
    "play": "dealer",
    "below": "17",
    "rows": core.EXAMPLE,
}
"""What the forms say before anybody has typed."""


def register(app: flask.Flask, settings: Settings) -> None:
    """Give a site its lab. Nothing is opened before somebody goes there."""
    app.extensions[KEY] = settings
    app.register_blueprint(pages)


@contextmanager
def _runs() -> Iterator[Runs]:
    """Lend the runs of the site; a storage that does not answer is a 503."""
    try:
        yield opened(flask.current_app.extensions[KEY])
    except Exception as error:
        if isinstance(error, sqlite3.Error) or type(error).__module__.startswith("redis."):
            log.error("lab: %s", error)  # noqa: TRY400 - a full disk needs no traceback
            raise ServiceUnavailable from None
        raise


@pages.get("/lab")
def show() -> flask.Response:
    """Show the forms, and the latest runs."""
    return _lab_page()


@pages.post("/lab")
@retry_on_conflict
def start() -> flask.typing.ResponseReturnValue:
    """Put a run into the queue and show it, or say what is wrong and lose nothing."""
    form = sent_texts()
    try:
        kind, experiment = asked(form)
    except LabError as error:
        return _lab_page(422, error.text, form)
    session = current_session()
    mine = _yours(session)
    if "run" not in flask.g:  # this view is run again when the session was saved meanwhile
        with _runs() as runs:
            if busy := _busy(runs.all(), mine):
                return _lab_page(429, busy, form)
            flask.g.run = runs.begin(kind, experiment)
    run: Run = flask.g.run
    session[ROW] = msgspec.Raw(msgspec.msgpack.encode([*mine, run.number][-YOURS:]))
    return as_json(_told(run)) if wants_json() else _redirect(run)


@pages.get("/lab/<int:number>")
def run_page(number: int) -> flask.Response:
    """Show a run: its progress, which asks again by itself, or what came out."""
    return _run_page(_found(number))


@pages.post("/lab/<int:number>/cancel")
def cancel(number: int) -> flask.typing.ResponseReturnValue:
    """Cancel a run; only who started it can."""
    run = _found(number)
    if number not in _yours(current_session()):
        return _run_page(run, 403, Text("Only who started a run can cancel it."))
    if run.is_open:
        with _runs() as runs:
            runs.stop(run)
    return _run_page(_found(number)) if wants_json() else _redirect(run)


@pages.get("/lab/<int:number>/<name>.svg")
def drawn(number: int, name: str) -> flask.Response:
    """Show a picture of what came out."""
    run = _found(number)
    with _runs() as runs:
        _, pictures = runs.outcome(run)
    if name not in pictures:
        raise NotFound
    response = flask.Response(pictures[name], mimetype="image/svg+xml")
    if not run.is_open:
        response.headers["Cache-Control"] = "private, max-age=3600"
    return response


def asked(form: Mapping[str, str]) -> tuple[Kind, Experiment]:
    """Read an experiment from a form; what is left out is as in ``DEFAULTS``, luck begins anywhere.

    Raises:
        LabError: there is no such experiment, in one sentence.
    """
    filled = {**DEFAULTS, **{name: text.strip() for name, text in form.items()}}
    games = _whole(filled, "games", Text("The number of games"))
    seed = secrets.randbelow(1_000_000)
    if filled["seed"]:
        seed = _whole(filled, "seed", Text("The seed"))
    match filled.get("experiment"):
        case "war":
            players = _whole(filled, "players", Text("The number of players"))
            return "war", core.WarGames(games, seed, players)
        case "bingo":
            mode = _one_of(filled, "mode", [*Mode])
            speed = _one_of(filled, "speed", ["Y", "N"]) == "Y"
            return "bingo", core.BingoRounds(games, seed, Mode(mode), speed)
        case "twentyone":
            strategy = _strategy(filled)
            return "twentyone", core.TwentyOneRounds(games, seed, filled["table"], strategy)
        case _:
            kinds = ", ".join(KINDS)
            raise LabError(Text("An experiment is one of {kinds}.", kinds=kinds))


def _strategy(filled: Mapping[str, str]) -> str:
    match _one_of(filled, "play", ["dealer", "best", "below", "table"]):
        case "below":
            return f"below {_whole(filled, 'below', Text('The total below which to hit'))}"
        case "table":
            return filled["rows"].replace("\r\n", "\n")
        case named:
            return named


def _whole(filled: Mapping[str, str], name: str, what: Text) -> int:
    text = filled[name].replace(",", "").replace(" ", "")
    if not (text.isascii() and text.isdigit()):
        raise LabError(Text("{what} must be a whole number.", what=what))
    return int(text[:20])


def _one_of(filled: Mapping[str, str], name: str, options: list[str]) -> str:
    if filled[name] not in options:
        refusal = Text("The field {name} is one of {options}.")
        raise LabError(refusal.fill(name=name, options=", ".join(options)))
    return filled[name]


def _busy(runs: list[Run], mine: list[int]) -> str:
    """Say why no run can be started now, or nothing."""
    still = [run for run in runs if run.is_open]
    if sum(run.number in mine for run in still) >= MOST_YOURS:
        busy = Text("You have {runs} runs that are not finished: wait for one, or cancel it.")
        return busy.fill(runs=MOST_YOURS)
    if len(still) >= MOST_OPEN:
        busy = Text("{runs} runs are waiting already. Try again in a few minutes.")
        return busy.fill(runs=len(still))
    return ""


def _yours(session: Session) -> list[int]:
    """Return the numbers of the runs that this player started lately."""
    row = session.get(ROW)
    try:
        return msgspec.msgpack.decode(row, type=list[int]) if row else []
    except msgspec.MsgspecError:
        return []


def _found(number: int) -> Run:
    with _runs() as runs:
        run = runs.find(number)
    if run is None:
        raise NotFound
    return run


def _address(run: Run) -> str:
    return f"{flask.request.script_root}/lab/{run.number}"


def _redirect(run: Run) -> flask.Response:
    return flask.Response(status=303, headers={"Location": _address(run)})


def _lab_page(
    status: int = 200, refusal: str = "", typed: Mapping[str, str] | None = None
) -> flask.Response:
    """Return the forms as they were filled in, and the latest runs."""
    with _runs() as runs:
        latest = runs.all()[:SHOWN]
    if wants_json():
        answer: dict[str, Any] = {"runs": [_told(run) for run in latest]}
        return as_json({**answer, "error": refusal} if refusal else answer, status)
    return as_page(
        "lab.html",
        status,
        runs=latest,
        refusal=refusal,
        typed=typed or {},
        defaults=DEFAULTS,
        modes=Mode,
        tables={slug: GAMES[slug] for slug in core.TABLES},
        most=core.MOST_GAMES,
    )


def _run_page(run: Run, status: int = 200, refusal: str = "") -> flask.Response:
    """Return a run as it stands."""
    with _runs() as runs:
        result, pictures = runs.outcome(run)
    tables = core.tables(result) if result else ()
    if wants_json():
        answer = {**_told(run), "result": result, "tables": tables}
        return as_json({**answer, "error": refusal} if refusal else answer, status)
    response = as_page(
        "lab_run.html",
        status,
        run=run,
        result=result,
        tables=tables,
        pictures={
            table.name: name
            for table in tables
            if (name := _picture_name(table, negotiated())) in pictures
        },
        address=_address(run),
        refusal=refusal,
        yours=run.number in _yours(current_session()),
        size=_SIZE,
    )
    if run.is_open:
        response.headers["Refresh"] = str(REFRESH)
    return response


def _told(run: Run) -> dict[str, Any]:
    """Return what the JSON says of a run."""
    return {
        "number": run.number,
        "address": _address(run),
        "title": run.title,
        "experiment": run.kind,
        "asked": run.asked,
        "phase": run.phase,
        "done": run.done,
        "steps": run.steps,
    }
