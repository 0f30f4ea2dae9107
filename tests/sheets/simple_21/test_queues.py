"""The queues that the Simple 21 sheet gives."""

import random
from types import ModuleType

import pytest

from tests.support.sheets import public_names


@pytest.mark.parametrize("name", ["BoundedQueue", "CircularQueue"])
def test_both_queues_have_the_methods_of_the_lab(queues: ModuleType, name: str) -> None:
    """S0-29: the queue that the deck is kept in, and its slower sister."""
    queue = getattr(queues, name)(2)
    assert public_names(type(queue)) == {
        "enqueue", "dequeue", "peek", "isEmpty", "isFull", "size", "capacity", "clear",
    }  # fmt: skip
    assert (queue.isEmpty(), queue.isFull(), queue.size(), queue.capacity()) == (True, False, 0, 2)
    queue.enqueue("a")
    queue.enqueue("b")
    assert (queue.isEmpty(), queue.isFull(), queue.size()) == (False, True, 2)
    with pytest.raises(Exception) as full:
        queue.enqueue("c")
    assert (type(full.value), full.value.args) == (Exception, ("Error: Queue is full",))
    assert (queue.peek(), queue.dequeue(), queue.dequeue()) == ("a", "a", "b")
    for take in (queue.peek, queue.dequeue):
        with pytest.raises(Exception) as empty:
            take()
        assert (type(empty.value), empty.value.args) == (Exception, ("Error: Queue is empty",))
    queue.enqueue("d")
    queue.clear()
    assert (queue.size(), queue.capacity(), str(queue)) == (0, 2, "" if "B" in name else "]]")


def test_queues_as_text(queues: ModuleType) -> None:
    """S0-29: each item and a blank; the circular one in the hand-out's two brackets."""
    assert repr(queues.BoundedQueue(3)) == " Max=3"
    texts = []
    for queue in (queues.BoundedQueue(3), queues.CircularQueue(3)):
        for item in (0, 1, 2, 3):
            if queue.isFull():
                queue.dequeue()
            queue.enqueue(item)
        texts += [str(queue), repr(queue)]
    assert texts == [
        "1 2 3 ", "1 2 3  Max=3", "]1 2 3 ]", "CircularQueue(3): [1, 2, 3]",
    ]  # fmt: skip


def test_queues_refuse_a_capacity_that_is_none(queues: ModuleType) -> None:
    """S0-29: an assertion in the bounded queue, an Exception in the circular one."""
    queues.BoundedQueue(0)
    with pytest.raises(AssertionError, match=r"^Error: Type error: <class 'str'>$"):
        queues.BoundedQueue("3")
    with pytest.raises(AssertionError, match=r"^Error: Illegal capacity: -1$"):
        queues.BoundedQueue(-1)
    for capacity in (0, -1, "3", 3.0, True):
        with pytest.raises(Exception) as refusal:
            queues.CircularQueue(capacity)
        assert (type(refusal.value), refusal.value.args) == (Exception, ("Capacity Error",))


def test_the_circular_queue_moves_no_other_item(queues: ModuleType) -> None:
    """S0-29, S0-36: taking and adding changes one place, however many items wait."""
    queue = queues.CircularQueue(52)
    for item in range(52):
        queue.enqueue(item)
    for step in range(200):
        for act in (queue.dequeue, lambda item=step: queue.enqueue(item)):
            before = list(queue._CircularQueue__places)
            act()
            after = queue._CircularQueue__places
            assert sum(a is not b for a, b in zip(before, after, strict=True)) == 1


def test_the_queues_agree_with_a_list(queues: ModuleType) -> None:
    """S0-29: both behave like a list over thousands of random operations."""
    luck = random.Random(6)
    for queue in (queues.BoundedQueue(5), queues.CircularQueue(5)):
        model: list[int] = []
        for step in range(3000):
            if luck.random() < 0.5 and len(model) < 5:
                model.append(step)
                queue.enqueue(step)
            elif model:
                assert (queue.peek(), queue.dequeue()) == (model[0], model.pop(0))
            assert queue.size() == len(model)
