"""Simulates a day of a class, and of players without a class, from a seed."""

import gc
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
from tests.simulation.site import Site, odds_computed_once
from tests.simulation.students import Student
from tests.simulation.tables import SLUGS, TWENTY_ONE, Player, require
from tests.simulation.world import Faults, World
from web import db
from web.classroom.core.presence import NOTES, PresenceTracker
from web.settings import Settings

HOUR: Final = 3_600.0
LESSON: Final = 250
"""Number of moves of an instructor in a lesson of about half an hour. Between lessons, students
play rarely.
"""

APPS: Final = 6
"""Number of apps that workers share. Creating an app is slow, so a new worker gets the app that was
unused for the longest time.
"""

PAUSE: Final = 7 * HOUR
"""Longest pause between two lessons, in seconds."""


def simulate(
    seed: int,
    folder: Path,
    hours: float = 24,
    students: int = 60,
    faults: Faults = Faults(),  # noqa: B008 - the default is frozen
) -> Counter[str]:
    """Simulate a day, and return the numbers of events. Equal seeds produce equal days.

    Args:
        seed: The random seed of the day.
        folder: The site's data directory, which is emptied at the start of each day.
        hours: The length of the day in hours.
        students: The number of students in the class.
        faults: The probabilities of the faults.

    Raises:
        Violation: If a response contradicts earlier responses.
    """
    world = World(seed, faults)
    settings = Settings(data_dir=folder, secret_key="simulated" * 4, classes="open")

    with world.installed(), odds_computed_once(), _quiet():
        apps = deque(create_app(settings) for _ in range(APPS))
        for app in apps:
            world.watch(app)

        def start() -> WSGIApplication:
            # A killed worker may still be responding, so its app is the last that is used again.
            apps.rotate()
            apps[0].extensions[NOTES] = PresenceTracker(time.monotonic)
            return apps[0].wsgi_app

        site = Site(world, start)
        alone = [Player(world, site.client()) for _ in range(max(1, students // 10))]
        deals = dict[str, set[Player]]()  # players who finished a deal, by the deal's URL
        instructor = Instructor(world, site)
        world.spawn(lambda: _teach(world, site, instructor, students))
        for player in alone:
            world.spawn(partial(_play_alone, world, player, deals))
        world.run(hours * HOUR)
        world.finish(within=PAUSE)
        instructor.check()
        for player in (*alone, *instructor.group.numbers.values()):
            player.check()
        for address, finished in deals.items():
            stored = instructor.browser.get(f"{address}/results").json["finished"]
            is_right = len(finished) <= stored <= len(alone)
            require(is_right, f"{address}: {stored} results, and {len(finished)} were answered")
            world.counts["results of deals"] += len(finished)
        with db.database(apps[0]).engine.connect() as connection:
            orphans = connection.execute(text("PRAGMA foreign_key_check")).all()
            require(not orphans, f"{len(orphans)} rows belong to nothing: {orphans[:1]}")
        for app in apps:
            db.database(app).engine.dispose()
    return world.counts


@contextmanager
def _quiet() -> Iterator[None]:
    """Disable logging, and collect garbage rarely, which would take a tenth of a simulated day."""
    before, level = gc.get_threshold(), logging.root.manager.disable
    gc.set_threshold(200_000, *before[1:])
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        logging.disable(level)


def _teach(world: World, site: Site, instructor: Instructor, students: int) -> None:
    group = instructor.open()
    for number in range(students):
        student = Student(world, site, group, number)
        world.spawn(partial(_attend, world, student), world.random.uniform(0, 60))
    while not world.is_over:
        group.in_lesson = True
        for _ in range(LESSON):
            if not world.is_over:
                instructor.turn()
                world.sleep(world.random.uniform(1, 14))
        group.in_lesson = False
        world.sleep(world.random.uniform(PAUSE / 2, PAUSE))


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


def _play_alone(world: World, player: Player, deals: dict[str, set[Player]]) -> None:
    """Play at the tables, and create shared deals that all these players play."""
    while not world.is_over:
        if not world.chance(0.2):
            player.turn("/" + world.random.choice(SLUGS))
        elif player.browser.cookies and (not deals or world.chance(0.05)):
            answer = player.browser.post("/deals", {"table": world.random.choice(TWENTY_ONE)})
            if answer.status == 200:
                deals[answer.json["address"]] = set()
        elif deals:
            address = world.random.choice([*deals])
            player.turn(address)
            if player.has_finished(address):
                deals[address].add(player)
        world.sleep(world.random.expovariate(1 / 60))
