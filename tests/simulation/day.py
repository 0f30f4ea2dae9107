"""A day of a class and of players without a class, as a function of the seed."""

import gc
import logging
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final
from wsgiref.types import WSGIApplication

import flask
import pytest
from sqlalchemy import text

from app import create_app
from tests.simulation.instructor import Instructor
from tests.simulation.site import Site, computed_once, emptied
from tests.simulation.students import Student
from tests.simulation.tables import SLUGS, Player, Violation
from tests.simulation.world import Faults, World
from web import db
from web.settings import Settings

HOUR: Final = 3_600.0
LESSON: Final = 250
"""Number of moves that an instructor makes in a lesson of about half an hour. Between lessons,
students play rarely.
"""

APPS: Final = 6
"""Number of engines that are created for the workers. A new worker gets the engine that was unused
for the longest time.
"""

PAUSE: Final = 7 * HOUR
"""Longest pause between two lessons, in seconds."""


@dataclass(frozen=True)
class Report:
    """The results of a simulation that found no violation."""

    seed: int
    counts: Counter[str]
    seconds: float
    """Processor time of the simulation, in seconds."""

    def __str__(self) -> str:
        """Return the results as one line."""
        rest = ", ".join(f"{number:,} {what}" for what, number in sorted(self.counts.items()))
        rates = " and ".join(
            f"{self.counts[what] / self.seconds:,.0f} {what}"
            for what in ("requests", "accepted requests")
        )
        return f"seed {self.seed}: {rest}; {rates} a second of processor"


def simulate(
    seed: int,
    folder: Path,
    hours: float = 24,
    students: int = 60,
    faults: Faults = Faults(),  # noqa: B008 - the default is frozen
) -> Report:
    """Simulate a day. The day is equal for equal seeds.

    Args:
        seed: Number of the history.
        folder: The site's data directory, which is empty at the start of each history.
        hours: Length of the day.
        students: Number of students in the class.
        faults: Probabilities of the faults.

    Raises:
        Violation: If a response contradicts earlier responses.
    """
    began = time.process_time()
    world = World(seed, faults)
    settings = Settings(data_dir=folder, secret_key="simulated" * 4, classes="open")

    with world.installed(), computed_once(), _not_logged(), _collected_seldom():
        apps = deque(create_app(settings) for _ in range(APPS))
        for app in apps:
            world.watch(app)

        def start() -> WSGIApplication:
            # A killed worker may still be responding, so its app is the last one to be used again.
            apps.rotate()
            return emptied(apps[0]).wsgi_app

        site, deals = Site(world, start), dict[str, set[int]]()
        alone = [Player(world, site.client(), deals) for _ in range(max(1, students // 10))]
        instructor = Instructor(world, site)
        world.spawn(lambda: _teach(world, site, instructor, students))
        for player in alone:
            world.spawn(partial(_play_alone, world, player))
        world.run(hours * HOUR)
        world.finish(within=PAUSE)
        _check(instructor, alone, deals)
        _check_keys(apps[0])
        for app in apps:
            db.database(app).engine.dispose()
    return Report(seed, world.counts, time.process_time() - began)


@contextmanager
def _not_logged() -> Iterator[None]:
    """Write no line for a request."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logging.getLogger("cardgames.requests"), "disabled", True)
        yield


@contextmanager
def _collected_seldom() -> Iterator[None]:
    """Run the cleanup rarely, because reading all rows takes a tenth of a simulated day."""
    before = gc.get_threshold()
    gc.set_threshold(200_000, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _check(instructor: Instructor, alone: list[Player], deals: dict[str, set[int]]) -> None:
    """Compare the rows at the end with all responses.

    Raises:
        Violation: If something was lost or done twice.
    """
    instructor.check()
    for player in (*alone, *instructor.group.numbers.values()):
        player.check()
    for address, finished in deals.items():
        kept = instructor.browser.get(f"{address}/results").json["finished"]
        if not len(finished) <= kept <= len(alone):
            raise Violation(f"{address}: {kept} results, and {len(finished)} were answered")
    instructor.world.counts["results of deals"] += sum(map(len, deals.values()))


def _check_keys(app: flask.Flask) -> None:
    """Search for orphaned rows.

    Raises:
        Violation: If there is an orphaned row.
    """
    with db.database(app).engine.connect() as connection:
        if left := connection.execute(text("PRAGMA foreign_key_check")).all():
            raise Violation(f"{len(left)} rows belong to nothing, of {left[0][0]} first")


def _teach(world: World, site: Site, instructor: Instructor, students: int) -> None:
    group = instructor.open()
    for number in range(students):
        student = Student(world, site, group, number)
        world.spawn(partial(_attend, world, student), world.random.uniform(0, 60))
    while not world.is_over:
        group.in_lesson = True
        _give_lesson(world, instructor)
        group.in_lesson = False
        world.sleep(world.random.uniform(PAUSE / 2, PAUSE))


def _give_lesson(world: World, instructor: Instructor) -> None:
    for _ in range(LESSON):
        if world.is_over:
            return
        instructor.turn()
        world.sleep(world.random.uniform(1, 14))


def _attend(world: World, student: Student) -> None:
    student.join()
    while not world.is_over:
        if student.group.rounds and world.chance(0.5):
            student.poll()
        else:
            student.turn("/" + world.random.choice(SLUGS))
        if world.chance(0.25):
            student.play_tournament()
        if world.chance(0.002):
            student.rejoin()
        if world.chance(0.001):
            student.leave()
        world.sleep(world.random.expovariate(1 / (15 if student.group.in_lesson else 1_800)))


def _play_alone(world: World, player: Player) -> None:
    while not world.is_over:
        if world.chance(0.2):
            player.deal_link()
        else:
            player.turn("/" + world.random.choice(SLUGS))
        world.sleep(world.random.expovariate(1 / 60))
