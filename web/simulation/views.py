"""The lab's addresses: ask for a run, see how far it is, and what came out."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import flask
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.cards import CardGameError
from cardgames.games.bingo.rules import Mode
from cardgames.games.twentyone.rules import TABLES
from cardgames.simulation import TwentyOneRounds, run, work
from cardgames.simulation.experiments import MAX_GAMES
from cardgames.simulation.report import Finding, conclusion, counts, findings, title
from cardgames.strategies.chart import UPCARDS
from cardgames.text import Text
from web.charts import Bars, Plot, bar_chart, histogram
from web.http.downloads import csv_download
from web.http.requests import MAX_GRID_FIELDS, sent_texts, wants_json
from web.http.responses import json_response, render_page, see_other
from web.http.turns import takes_long
from web.simulation import forms
from web.simulation.runs import KINDS, Run, pack_run, queue_of, result_of, to_run, why_not
from web.storage.jobs import Jobs
from web.storage.session_rows import keep_row, read_row
from web.storage.sessions import Session, current_session, retry_on_conflict, store

RUNS_ROW: Final = "runs"
"""The key of the row in a session with the numbers of the player's latest runs."""

MAX_YOURS_KEPT: Final = 10
"""Maximum number of numbers in that row."""

MAX_STRATEGY: Final = 5_000
"""Maximum number of characters of a strategy that is sent; one that is played has fewer still."""

SHOWN: Final = 10
MORE: Final = 20
"""Number of runs in the list, and of those behind "more"."""

EXAMPLE_GAMES: Final = {"war": 100, "bingo": 500}
"""Number of games of the example of each kind."""

MAX_NUMBER: Final = 2**63 - 1
"""Maximum number of a run: a store could not hold a larger one."""

MAX_ROWS: Final = 10
"""Maximum number of rows of a table that does not lie behind "the same in numbers"."""

MIN_BARS: Final = 2

blueprint = flask.Blueprint("simulation", __name__)


@dataclass(frozen=True, slots=True)
class Figure:
    """A finding, drawn."""

    finding: Finding
    bars: Bars | None
    plot: Plot | None

    @property
    def is_long(self) -> bool:
        """Whether its table has many rows."""
        return len(self.finding.rows) > MAX_ROWS

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The cells of a table of one row, each with its head: so they are read on a phone.

        Without the row's own name, which the title has.
        """
        if len(self.finding.rows) != 1:
            return ()
        return tuple(zip(self.finding.head[1:], self.finding.rows[0][1:], strict=True))


def figure_of(finding: Finding) -> Figure:
    """Draw a finding."""
    title, found, plot = finding.title, finding.histogram, None
    bars = bar_chart(title, finding.bars) if len(finding.bars) >= MIN_BARS else None
    if found and found.classes:
        plot = histogram(title, found.unit, found.shares_of, found.classes)
    return Figure(finding, bars, plot)


@cache
def example_of(kind: str) -> tuple[Text, Plot | None] | None:
    """Return the title and picture of a run of a kind, which the lab shows before there is any.

    It takes a fifth of a second; None where the kind has none.
    """
    if kind not in EXAMPLE_GAMES:
        return None
    form = {"experiment": kind, "games": str(EXAMPLE_GAMES[kind]), "seed": "1"}
    _, experiment = forms.to_experiment(form)
    *_, (_, result) = run(experiment)
    drawn = next(found for found in findings(result) if found.histogram)
    return title(experiment), figure_of(drawn).plot


@blueprint.get("/lab")
@takes_long
def show() -> flask.Response:
    """Show the forms, and the latest runs. Nothing is written."""
    return _lab_page(forms.to_clicks(flask.request.args))


@blueprint.post("/lab")
@takes_long
@retry_on_conflict
def start() -> flask.Response:
    """Put a run among the jobs and show it, or say what is wrong and lose nothing."""
    form = sent_texts({"rows": MAX_STRATEGY}, MAX_GRID_FIELDS)
    try:
        kind, experiment = forms.to_experiment(form)
    except CardGameError as error:
        return _lab_page(form, 422, error)
    session = current_session()
    yours = _yours(session)
    if "run" not in flask.g:  # this view is run again when the session was saved meanwhile
        queue = queue_of(session)
        open_jobs = _jobs().open_jobs()
        if refused := why_not(experiment, queue, yours, open_jobs):
            return _lab_page(form, 429, CardGameError(refused))
        job = _jobs().add(queue, work(experiment), pack_run(kind, experiment))
        flask.g.run = Run(job, kind, experiment, 0)
    run: Run = flask.g.run
    numbers = [*yours, run.number][-MAX_YOURS_KEPT:]
    keep_row(session, RUNS_ROW, numbers)
    return json_response(_document(run)) if wants_json() else see_other(_address(run))


@blueprint.get("/lab/<int:number>")
@takes_long
def show_run(number: int) -> flask.Response:
    """Show a run: how far it is, or what came out."""
    return _run_page(_run_or_404(number))


@blueprint.get("/lab/<int:number>/status")
def status(number: int) -> flask.Response:
    """Answer how far a run is, in as few bytes as can be: its page asks again and again."""
    run = _run_or_404(number)
    return json_response({"phase": run.phase, "done": run.done, "steps": run.steps})


@blueprint.get("/lab/<int:number>.csv")
def spreadsheet(number: int) -> flask.Response:
    """Return all that a run has counted, for a spreadsheet."""
    run = _run_or_404(number)
    result = result_of(_jobs(), run)
    if result is None:
        raise NotFound
    name = f"{run.kind}-{run.experiment.games}-seed-{run.experiment.seed}.csv"
    return csv_download(name, [("what", "value", "count"), *counts(result)])


@blueprint.post("/lab/<int:number>/cancel")
def cancel(number: int) -> flask.Response:
    """Cancel a run; only who started it can."""
    run = _run_or_404(number)
    if number not in _yours(current_session()):
        return _run_page(run, 403, Text("Only who started a run can cancel it."))
    _jobs().cancel(number)
    return _run_page(_run_or_404(number)) if wants_json() else see_other(_address(run))


def _jobs() -> Jobs:
    return Jobs(store())


def _run_or_404(number: int) -> Run:
    job = _jobs().find(number) if number <= MAX_NUMBER else None
    run = to_run(job) if job else None
    if run is None:
        raise NotFound
    return run


def _yours(session: Session) -> list[int]:
    """Return the numbers of the runs that this player started lately."""
    return read_row(session, RUNS_ROW, list[int]) or []


def _address(run: Run) -> str:
    return f"{flask.request.script_root}/lab/{run.number}"


def _lab_page(
    form: Mapping[str, str], status: int = 200, refusal: CardGameError | None = None
) -> flask.Response:
    """Return the form of an experiment as it was filled in, and the latest runs."""
    latest = [run for job in _jobs().latest(SHOWN + MORE) if (run := to_run(job))]
    if wants_json():
        answer: dict[str, Any] = {"runs": [_document(run) for run in latest]}
        return json_response(answer, status, refusal.text if refusal else "")
    asked = form.get("experiment", "")
    kind = asked if asked in KINDS else next(iter(KINDS))
    return render_page(
        "lab.html",
        status,
        kind=kind,
        typed={**forms.DEFAULTS, **form},
        grid=forms.grid_of(form, form.get("start", "")),
        upcards=UPCARDS,
        starts=[*forms.STARTS],
        modes=Mode,
        tables={slug: GAMES[slug].info.title for slug in TABLES},
        most=MAX_GAMES,
        refusal=refusal,
        latest=latest[:SHOWN],
        example=None if latest else example_of(kind),
        more=latest[SHOWN:],
        yours=_yours(current_session()),
    )


def _run_page(run: Run, status: int = 200, refusal: str = "") -> flask.Response:
    result = result_of(_jobs(), run)  # of an open run too: what has come out so far
    found = findings(result) if result else ()
    said = conclusion(result) if result else ()
    if wants_json():
        answer = {**_document(run), "result": result, "findings": found, "conclusion": said}
        return json_response(answer, status, refusal)
    experiment = run.experiment
    strategy = experiment.strategy if isinstance(experiment, TwentyOneRounds) else ""
    return render_page(
        "lab_run.html",
        status,
        run=run,
        result=result,
        conclusion=said,
        figures=[figure_of(finding) for finding in found],
        strategy=strategy,
        grid=forms.strategy_grid(strategy) if strategy else (),
        upcards=UPCARDS,
        again=forms.to_form(experiment),
        address=_address(run),
        refusal=refusal,
        yours=run.number in _yours(current_session()),
    )


def _document(run: Run) -> dict[str, Any]:
    return {
        "number": run.number,
        "address": _address(run),
        "title": run.title,
        "experiment": run.kind,
        "asked": run.experiment,
        "phase": run.phase,
        "done": run.done,
        "steps": run.steps,
    }
