"""Two queues for a limited number of items: ``queues.py`` from the sheet's Lab 6.

Both queues have the same methods. Only the cost of removing the front item differs: the bounded
queue moves all other items, the circular queue moves none.
"""

from typing import Any, Generic, TypeVar

__all__ = ["BoundedQueue", "CircularQueue"]

Item = TypeVar("Item")


class BoundedQueue(Generic[Item]):
    """A queue in a list, front first; ``dequeue`` is O(n)."""

    def __init__(self, capacity: int) -> None:
        """Create an empty queue for ``capacity`` items; the capacity may be 0."""
        assert isinstance(capacity, int), f"Error: Type error: {type(capacity)}"
        assert capacity >= 0, f"Error: Illegal capacity: {capacity}"
        self.__items: list[Item] = []
        self.__capacity = capacity

    def enqueue(self, item: Item) -> None:
        """Add an item to the rear, or raise Exception if the queue is full."""
        if self.isFull():
            raise Exception("Error: Queue is full")
        self.__items.append(item)

    def dequeue(self) -> Item:
        """Remove and return the front item, or raise Exception if the queue is empty."""
        if self.isEmpty():
            raise Exception("Error: Queue is empty")
        return self.__items.pop(0)

    def peek(self) -> Item:
        """Return the front item without removing it, or raise Exception if the queue is empty."""
        if self.isEmpty():
            raise Exception("Error: Queue is empty")
        return self.__items[0]

    def isEmpty(self) -> bool:
        """Return whether the queue has no items."""
        return not self.__items

    def isFull(self) -> bool:
        """Return whether the queue has reached its capacity."""
        return len(self.__items) == self.__capacity

    def size(self) -> int:
        """Return the number of items in the queue."""
        return len(self.__items)

    def capacity(self) -> int:
        """Return the maximum number of items in the queue."""
        return self.__capacity

    def clear(self) -> None:
        """Remove all items; the capacity stays the same."""
        self.__items = []

    def __str__(self) -> str:
        """Return the items, front first, each followed by a space."""
        return "".join(f"{item} " for item in self.__items)

    def __repr__(self) -> str:
        """Return the items as in ``str``, and the capacity: `` Max=3`` for an empty queue."""
        return f"{self} Max={self.__capacity}"


class CircularQueue(Generic[Item]):
    """A queue in a ring buffer, whose items never move; every operation on one item is O(1)."""

    def __init__(self, capacity: int) -> None:
        """Create an empty queue for ``capacity`` items; the capacity must be at least 1."""
        if type(capacity) is not int or capacity <= 0:
            raise Exception("Capacity Error")
        self.__capacity = capacity
        self.__places: list[Any] = [None] * capacity  # None marks a free place
        self.__front = 0
        self.__size = 0

    def enqueue(self, item: Item) -> None:
        """Add an item to the rear, or raise Exception if the queue is full."""
        if self.isFull():
            raise Exception("Error: Queue is full")
        self.__places[self.__place(self.__size)] = item
        self.__size += 1

    def dequeue(self) -> Item:
        """Remove and return the front item, or raise Exception if the queue is empty."""
        item = self.peek()
        self.__places[self.__front] = None
        self.__front = self.__place(1)
        self.__size -= 1
        return item

    def peek(self) -> Item:
        """Return the front item without removing it, or raise Exception if the queue is empty."""
        if self.isEmpty():
            raise Exception("Error: Queue is empty")
        item: Item = self.__places[self.__front]
        return item

    def isEmpty(self) -> bool:
        """Return whether the queue has no items."""
        return self.__size == 0

    def isFull(self) -> bool:
        """Return whether the queue has reached its capacity."""
        return self.__size == self.__capacity

    def size(self) -> int:
        """Return the number of items in the queue."""
        return self.__size

    def capacity(self) -> int:
        """Return the maximum number of items in the queue."""
        return self.__capacity

    def clear(self) -> None:
        """Remove all items; the capacity stays the same."""
        self.__places = [None] * self.__capacity
        self.__front = 0
        self.__size = 0

    def __str__(self) -> str:
        """Return the items, front first, between two closing brackets, as in the handout."""
        return f"]{''.join(f'{item} ' for item in self.__items())}]"

    def __repr__(self) -> str:
        """Return the capacity and the items, front first."""
        return f"CircularQueue({self.__capacity}): {self.__items()!r}"

    def __place(self, number: int) -> int:
        """Return the index of the item that has ``number`` items in front of it."""
        return (self.__front + number) % self.__capacity

    def __items(self) -> list[Item]:
        """Return the items, front first."""
        return [self.__places[self.__place(number)] for number in range(self.__size)]
