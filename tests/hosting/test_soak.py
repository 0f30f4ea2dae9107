"""Ten minutes in which everything goes wrong at once (``SOAK_SECONDS`` for another time)."""

import os

import pytest

from tools.soak import Use, killed_often, soak

SECONDS = float(os.environ.get("SOAK_SECONDS", "600"))

MEMORY = 4.0
"""By so many MB the last third of the time may exceed the middle one: caches fill for long."""

FILES = 8
"""The same of open files: as many as there are players' connections more at one look."""


@pytest.mark.slow
def test_nothing_answered_is_lost_and_nothing_grows() -> None:
    for site in soak(SECONDS):
        assert len(site.tally.seconds) > SECONDS, "the class has hardly played"
        assert site.tally.unanswered > 0, "nothing went wrong"
        assert site.tally.fault() == "", site.told(SECONDS)
        memory, files = site.use.growth()
        assert memory < MEMORY, site.told(SECONDS)
        assert files < FILES, site.told(SECONDS)


@pytest.mark.slow
def test_kills_of_every_kind_lose_nothing_that_was_answered() -> None:
    """A worker, all processes, a worker, the parent alone: at a file and at a Redis."""
    for site in killed_often(8, 300):
        assert site.kills == 4
        assert site.tally.seconds
        assert site.tally.fault() == ""


def test_growth_is_what_the_last_third_has_more_than_the_middle_one() -> None:
    flat = Use([10.0, 30.0, 30.0, 31.0, 30.0, 31.0], [5, 60, 61, 63, 62, 62])
    assert flat.growth() == (0.0, 0)
    leaking = Use([10.0, 12.0, 20.0, 22.0, 30.0, 32.0], [10, 11, 20, 21, 30, 31])
    assert leaking.growth() == (10.0, 10)
