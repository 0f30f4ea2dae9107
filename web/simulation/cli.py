"""``flask --app app simulation …``: see which runs of the lab are open, and cancel them."""

from collections.abc import Iterator

import click
from flask.cli import AppGroup

from web.backup import one_sentence
from web.simulation.runs import LAB, VISITORS, to_run
from web.storage.jobs import Job, Jobs
from web.storage.sessions import store

simulation = AppGroup("simulation", help="See or cancel the lab's runs.")


@simulation.command("list")
def list_runs() -> None:
    """Print the open runs: those of players and then of visitors, the shortest first.

    Each line has the number, how much is done, about how many seconds it still takes, whether the
    player has played a move at a table, and what is played.
    """
    with one_sentence():
        for job in _open_runs(Jobs(store())):
            click.echo(_line(job))


@simulation.command("cancel")
@click.argument("numbers", type=int, nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Cancel every open run.")
@click.option("--visitors", is_flag=True, help="Cancel those of visitors who played no move.")
def cancel(numbers: tuple[int, ...], *, everything: bool, visitors: bool) -> None:
    """Cancel runs by their numbers, or many at once."""
    with one_sentence():
        jobs = Jobs(store())
        asked = [
            job.number
            for job in _open_runs(jobs)
            if everything or (visitors and job.queue == VISITORS) or job.number in numbers
        ]
        cancelled = [number for number in asked if jobs.cancel(number)]
    click.echo(f"Cancelled: {len(cancelled)}.")
    if missing := sorted({*numbers}.difference(asked)):
        raise click.ClickException(f"Not open: {', '.join(map(str, missing))}.")


def _open_runs(jobs: Jobs) -> Iterator[Job]:
    """Yield the lab's jobs that are open, without those of classes."""
    return (job for job in jobs.open_jobs() if job.queue in LAB)


def _line(job: Job) -> str:
    run = to_run(job)
    if run is None:
        return f"{job.number:>6}  cannot be read"
    who = "visitor" if job.queue == VISITORS else "player"
    done = run.done / run.steps
    return f"{run.number:>6}  {done:4.0%}  {job.work / 1000:7.1f} s  {who:<7}  {run.title}"
