"""Faults that a test plants into the site.

The simulation finds each fault, and prints the seed of the day.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.simulation.day import simulate
from tests.simulation.tables import Violation
from tests.simulation.test_days import FREQUENT
from web import db
from web.classroom.insight import queries as days
from web.db import engines
from web.http import sessions
from web.http.sessions import SessionInterface

Plant = Callable[[pytest.MonkeyPatch], None]


def forget_the_commit(patch: pytest.MonkeyPatch) -> None:
    """A move is confirmed although its transaction ends without a commit."""
    patch.setattr(sessions.db, "commit", lambda: None)


def forget_the_lock(patch: pytest.MonkeyPatch) -> None:
    """A session is read in one transaction and written in another transaction."""
    retrieve = SessionInterface._retrieve_session_data

    def unlocked(interface: SessionInterface, sid: str) -> Any:
        found = retrieve(interface, sid)
        db.commit()
        return found

    patch.setattr(SessionInterface, "_retrieve_session_data", unlocked)


def answer_before_the_commit(patch: pytest.MonkeyPatch) -> None:
    """The response is sent as a success even if the commit failed."""
    commit = db.commit

    def ignore_failure() -> None:
        try:
            commit()
        except db.Unavailable:
            db.rollback()

    patch.setattr(db, "commit", ignore_failure)


def leave_the_cascade_out(patch: pytest.MonkeyPatch) -> None:
    """Rows of a removed student are not deleted."""
    prepare = engines._prepare

    def without(connection: Any, record: object) -> None:
        prepare(connection, record)
        connection.execute("PRAGMA foreign_keys=OFF")

    patch.setattr(engines, "_prepare", without)


def count_twice(patch: pytest.MonkeyPatch) -> None:
    """Each round of a student is counted twice."""
    note = days.note_round

    def twice(*values: Any, **more: Any) -> None:
        note(*values, **more)
        note(*values, **more)

    patch.setattr(days, "note_round", twice)


PLANTED: Final[tuple[Plant, ...]] = (
    forget_the_commit,
    forget_the_lock,
    answer_before_the_commit,
    leave_the_cascade_out,
    count_twice,
)


def simulate_days(folder: Path) -> None:
    for seed in range(1, 41):
        simulate(seed, folder / str(seed), 0.25, 8, FREQUENT)


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTED)
def test_a_planted_fault_is_found(
    plant: Plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    with pytest.raises(Violation):
        simulate_days(tmp_path)
