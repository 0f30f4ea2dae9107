"""Jobs: queues, leases and attempts."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.stores import at_call, later
from web.storage.jobs import LEASE, MAX_ATTEMPTS, MAX_JOBS, Job, Jobs, JobState
from web.storage.memory import MemoryStore
from web.storage.store import LIFETIME, Store, pack


class Kept:
    """Jobs under test, and how to make the leases of all that are taken end now."""

    def __init__(self, store: Store) -> None:
        self.kept, self.store = store, Jobs(store)

    def add(self, *works: int, queue: int = 0) -> list[int]:
        return [self.store.add(queue, work, b"asked").number for work in works]

    def taken(self, queue: int = 0) -> Job:
        job = self.store.take(queue)
        assert job
        return job

    def end_lease(self) -> None:
        read = self.kept.scan("jobs", "job/open/")
        ended = [job._replace(lease=job.lease and 1) for job in self.store.open_jobs()]
        assert self.kept.write("jobs", {job.key: pack(job) for job in ended}, read.seen(read.rows))


@pytest.fixture
def kept(store: Store) -> Kept:
    return Kept(store)


def test_jobs_are_kept_and_numbered(kept: Kept) -> None:
    store = kept.store
    assert store.latest(9) == store.open_jobs() == ()
    assert (store.find(1), store.result(1)) == (None, b"")
    job = store.add(1, 700, b"\x00asked")
    assert job == (1, job.created, 1, 700, JobState.OPEN, 0, b"\x00asked", 0)
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
    kept.end_lease()
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
        kept.end_lease()
    assert kept.taken().number == harmless
    found = kept.store.find(deadly)
    assert found
    assert found.state is JobState.FAILED
    for _ in range(2 * MAX_ATTEMPTS):  # one that is put back each time goes on
        kept.end_lease()
        assert kept.store.put(kept.taken(), b"")


def test_the_oldest_of_a_queue_give_way(in_memory: MemoryStore) -> None:
    kept = Kept(in_memory)
    (player,) = kept.add(1)
    kept.add(*range(2, MAX_JOBS + 4), queue=1)
    in_memory.write("jobs", {"result/4": b"old", "result/9": b"kept"}, {})
    kept.add(1, queue=1)
    numbers = [job.number for job in kept.store.latest(2 * MAX_JOBS)]
    assert numbers == [*range(MAX_JOBS + 4, 4, -1), player]
    assert kept.store.find(2) is None
    assert kept.store.take(1)
    assert len(kept.store.open_jobs()) == MAX_JOBS + 1
    assert kept.store.result(9) == b"kept"
    assert len(in_memory.scan("jobs").rows) == MAX_JOBS + 3  # all others are gone: job/last is one


def test_two_processes_never_take_the_same_job(kept: Kept) -> None:
    kept.add(*range(12))
    with ThreadPoolExecutor(6) as pool:
        taken = [job.number for job in pool.map(lambda _: kept.taken(), range(12))]
    assert sorted(taken) == list(range(1, 13))


def test_jobs_that_are_asked_for_at_once_have_numbers_of_their_own(in_memory: MemoryStore) -> None:
    jobs, between = Jobs(in_memory), list[int]()
    # The first has read, and is about to write.
    at_call(in_memory, 2, lambda: between.append(jobs.add(0, 1, b"").number))
    assert jobs.add(0, 1, b"").number == 2
    assert between == [1]


def test_a_job_is_kept_for_two_weeks(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    (first,) = kept.add(1)
    if isinstance(kept.kept, MemoryStore):
        with later(kept.kept, LIFETIME - 60, monkeypatch):
            (second,) = kept.add(1)
        with later(kept.kept, LIFETIME + 60, monkeypatch):
            assert [job.number for job in kept.store.latest(5)] == [second]
            assert kept.store.find(first) is None
            assert kept.add(1) == [second + 1]
            assert [job.number for job in kept.store.open_jobs()] == [second, second + 1]
    with later(kept.kept, 4 * LIFETIME, monkeypatch):
        assert kept.store.find(first) is kept.store.take(0) is None
        assert kept.store.latest(5) == ()


def test_no_number_is_used_again_where_its_row_is_damaged(kept: Kept) -> None:
    first, second = kept.add(7, 5)
    kept.store.put(kept.taken()._replace(state=JobState.DONE), b"out")
    assert kept.kept.write("jobs", {"job/last": b"\xc1"}, {})
    assert kept.add(9) == [3]
    assert [job.number for job in kept.store.latest(5)] == [3, second, first]
    assert [job.number for job in kept.store.open_jobs()] == [first, 3]
    assert kept.taken().number == first


def test_who_has_nothing_to_do_writes_nothing(kept: Kept) -> None:
    kept.add(5)
    kept.taken()
    before = kept.kept.scan("jobs").rows
    assert [kept.store.take(queue) for queue in range(3)] == [None] * 3
    assert kept.kept.scan("jobs").rows == before
