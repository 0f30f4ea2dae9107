"""Jobs in an SQLite file and in Redis: the same for both."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.machines import Redis
from tools.serving import free_port
from web.storage import open_jobs, sqlite_jobs
from web.storage.jobs import LEASE, LIFETIME, MAX_ATTEMPTS, MAX_JOBS, Job, Jobs, JobState
from web.storage.redis_client import RedisClient
from web.storage.store import StoreUnavailable


class Kept:
    """A store of jobs under test, and how to make the lease of a job end now."""

    def __init__(self, store: Jobs, end_lease: Callable[[int], object]) -> None:
        self.store, self.end_lease = store, end_lease

    def add(self, *works: int, queue: int = 0) -> list[int]:
        return [self.store.add(queue, work, b"asked").number for work in works]

    def taken(self, queue: int = 0) -> Job:
        job = self.store.take(queue)
        assert job
        return job


@pytest.fixture(params=["sqlite", "redis"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    if request.param == "sqlite":
        yield Kept(open_jobs(tmp_path, ""), lambda number: end_lease(tmp_path, number))
        return
    server: Redis = request.getfixturevalue("redis")
    with closing(RedisClient(server.url).redis) as client:
        client.flushdb()
        yield Kept(
            open_jobs(tmp_path, server.url),
            lambda number: client.hset(f"{{cardgames-jobs}}:{number}", "lease", 1),
        )


def end_lease(folder: Path, number: int) -> None:
    with closing(sqlite3.connect(folder / "jobs.db")) as connection, connection:
        connection.execute("UPDATE job SET lease = 1 WHERE number = ?", (number,))


def test_jobs_are_kept_and_numbered(kept: Kept) -> None:
    store = kept.store
    assert (store.latest(9), store.open_jobs(), store.find(1), store.result(1)) == (
        (),
        (),
        None,
        b"",
    )
    job = store.add(1, 700, b"\x00asked")
    assert job[:1] + job[2:] == (1, 1, 700, JobState.OPEN, 0, b"\x00asked")
    assert abs(job.created - time.time()) < 60
    assert store.find(1) == job
    kept.add(5, 6)
    assert [job.number for job in store.latest(2)] == [3, 2]
    assert store.result(1) == b""


def test_in_each_queue_the_job_with_the_least_work_comes_first(kept: Kept) -> None:
    others = kept.add(1, 2, queue=1)
    long, short, as_short = kept.add(900, 30, 30)
    order = [short, as_short, long]
    assert [job.number for job in kept.store.open_jobs()] == [*order, *others]
    assert [kept.taken().number for _ in order] == order
    assert kept.store.take(0) is None
    assert [job.number for job in kept.store.open_jobs()] == [*order, *others]
    assert kept.taken(1).number == others[0]


def test_what_is_put_back_is_gone_on_with_where_it_was(kept: Kept) -> None:
    first, other = kept.add(900, 500)
    job = kept.taken()
    assert job.number == other
    assert job.lease / 1e6 > time.time() + LEASE - 30
    assert kept.store.put(job._replace(work=40, data=b"half"), b"so far")
    again = kept.taken()
    assert (again.number, again.work, again.data) == (other, 40, b"half")
    assert kept.store.result(other) == b"so far"
    assert kept.store.put(again._replace(state=JobState.DONE, work=0), b"all")
    done = kept.store.find(other)
    assert done
    assert (done.state, done.lease, kept.store.result(other)) == (JobState.DONE, 0, b"all")
    assert [job.number for job in kept.store.open_jobs()] == [first]


def test_whoever_came_too_late_writes_nothing(kept: Kept) -> None:
    (number,) = kept.add(5)
    late = kept.taken()
    kept.end_lease(number)
    job = kept.taken()
    assert not kept.store.put(late._replace(state=JobState.DONE), b"late")
    assert kept.store.find(number) == job
    assert kept.store.put(job, b"in time")
    assert not kept.store.put(job, b"twice")
    assert kept.store.result(number) == b"in time"


def test_a_job_that_is_cancelled_keeps_what_came_out_before(kept: Kept) -> None:
    (number,) = kept.add(5)
    kept.store.put(kept.taken(), b"a part")
    job = kept.taken()
    assert kept.store.cancel(number)
    assert not kept.store.put(job._replace(state=JobState.DONE), b"more")
    found = kept.store.find(number)
    assert found
    assert (found.state, kept.store.result(number)) == (JobState.CANCELLED, b"a part")
    assert (kept.store.open_jobs(), kept.store.take(0)) == ((), None)
    assert not kept.store.cancel(number)
    assert not kept.store.cancel(number + 1)


def test_a_job_that_ends_every_process_fails_and_holds_up_nobody(kept: Kept) -> None:
    deadly, harmless = kept.add(5, 6)
    for _ in range(MAX_ATTEMPTS):
        assert kept.taken().number == deadly
        kept.end_lease(deadly)
    assert kept.taken().number == harmless
    found = kept.store.find(deadly)
    assert found
    assert found.state is JobState.FAILED
    for _ in range(2 * MAX_ATTEMPTS):  # one that is put back each time goes on
        kept.end_lease(harmless)
        assert kept.store.put(kept.taken(), b"")


def test_the_oldest_of_a_queue_give_way(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    most = MAX_JOBS
    if isinstance(kept.store, sqlite_jobs.SQLiteJobs):  # a commit takes a while
        most = 3
        monkeypatch.setattr(sqlite_jobs, "MAX_JOBS", most)
    (player,) = kept.add(1)
    kept.add(*range(2, most + 4), queue=1)
    numbers = [job.number for job in kept.store.latest(2 * MAX_JOBS)]
    assert numbers == [*range(most + 3, 3, -1), player]
    assert kept.store.find(2) is None
    assert len(kept.store.open_jobs()) == most + 1


def test_two_processes_never_take_the_same_job(kept: Kept) -> None:
    kept.add(*range(12))
    with ThreadPoolExecutor(6) as pool:
        taken = [job.number for job in pool.map(lambda _: kept.taken(), range(12))]
    assert sorted(taken) == list(range(1, 13))


def test_a_job_is_kept_for_two_weeks(
    redis: Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(RedisClient(redis.url).redis) as client:
        client.flushdb()
        number = open_jobs(tmp_path, redis.url).add(0, 1, b"").number
        assert 0 < client.ttl(f"{{cardgames-jobs}}:{number}") <= LIFETIME
        client.delete(f"{{cardgames-jobs}}:{number}")
        assert open_jobs(tmp_path, redis.url).take(0) is None
    jobs = open_jobs(tmp_path, "")
    job = jobs.add(0, 1, b"")
    later = time.time() + LIFETIME
    monkeypatch.setattr(sqlite_jobs.time, "time", lambda: later)
    assert (jobs.find(job.number), jobs.latest(5), jobs.take(0)) == (None, (), None)


def test_the_file_is_the_owners_alone_and_no_other_than_the_sessions(tmp_path: Path) -> None:
    open_jobs(tmp_path, "").add(0, 1, b"")
    (file,) = tmp_path.iterdir()
    assert (file.name, file.stat().st_mode & 0o777) == ("jobs.db", 0o600)


def test_a_store_that_does_not_answer_says_so(tmp_path: Path) -> None:
    (tmp_path / "jobs.db").write_bytes(b"damaged" * 1000)
    away = f"redis://127.0.0.1:{free_port()}/0"
    for jobs in (open_jobs(tmp_path, ""), open_jobs(tmp_path, away)):
        for ask in (
            lambda jobs=jobs: jobs.take(0),
            jobs.open_jobs,
            lambda jobs=jobs: jobs.add(0, 1, b""),
        ):
            with pytest.raises(StoreUnavailable):
                ask()
