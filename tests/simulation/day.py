"""Simulates hours of a class from a seed."""

import logging
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final
from wsgiref.types import WSGIApplication

from sqlalchemy import text

from app import create_app
from tests.simulation.instructor import Instructor
from tests.simulation.site import Site
from tests.simulation.students import Student
from tests.simulation.tables import SLUGS, require
from tests.simulation.world import Faults, World
from web import db
from web.classroom.core.presence import NOTES, PresenceTracker
from web.settings import Settings

APPS: Final = 6
"""Number of apps that workers share. Creating an app is slow, so a new worker gets the app that was
unused for the longest time.
"""


def simulate(
    seed: int,
    folder: Path,
    hours: float = 1,
    students: int = 60,
    faults: Faults = Faults(),  # noqa: B008 - the default is frozen
) -> Counter[str]:
    """Simulate hours of a class, and return the numbers of events.

    The seed determines the numbers.

    Args:
        seed: The random seed.
        folder: The site's data directory, which is emptied at the start.
        hours: The length in hours of simulated time.
        students: The number of students in the class.
        faults: The probabilities of the faults.

    Raises:
        Violation: If a response contradicts earlier responses.
    """
    world = World(seed, faults)
    settings = Settings(data_dir=folder, secret_key="simulated" * 4, classes="open")

    with world.installed(), _quiet():
        apps = deque(create_app(settings) for _ in range(APPS))
        for app in apps:
            world.watch(app)

        def start() -> WSGIApplication:
            # A killed worker may still be responding, so its app is reused last.
            apps.rotate()
            apps[0].extensions[NOTES] = PresenceTracker(time.monotonic)
            return apps[0].wsgi_app

        site = Site(world, start)
        instructor = Instructor(world, site)
        world.spawn(lambda: _teach(world, site, instructor, students))
        world.run(hours * 3_600)
        world.finish(within=3_600)
        instructor.check()
        for student in instructor.group.numbers.values():
            student.check()
        with db.database(apps[0]).engine.connect() as connection:
            orphans = connection.execute(text("PRAGMA foreign_key_check")).all()
            require(not orphans, f"{len(orphans)} rows belong to nothing: {orphans[:1]}")
        for app in apps:
            db.database(app).engine.dispose()
    return world.counts


@contextmanager
def _quiet() -> Iterator[None]:
    """Disable logging."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(level)


def _teach(world: World, site: Site, instructor: Instructor, students: int) -> None:
    group = instructor.open()
    for number in range(students):
        student = Student(world, site, group, number)
        world.spawn(partial(_attend, world, student), world.random.uniform(0, 60))
    while not world.is_over:
        instructor.turn()
        world.sleep(world.random.uniform(1, 14))


def _attend(world: World, student: Student) -> None:
    student.join()
    while not world.is_over:
        if student.group.rounds and world.chance(0.5):
            student.poll()
        else:
            student.turn("/" + world.random.choice(SLUGS))
        if world.chance(0.004):
            student.leave()
        world.sleep(world.random.expovariate(1 / 15))
