"""Two queues that hold a limited number of items: the sheet's ``queues.py``, from its Lab 6.

The two queues have the same methods. The queues differ in the cost of removing the front item: the
bounded queue moves every other item, the circular queue moves none.
"""

from typing import Any, Generic, TypeVar

__all__ = ["BoundedQueue", "CircularQueue"]

Item = TypeVar("Item")


class BoundedQueue(Generic[Item]):
    """A queue in a list, front first; ``dequeue`` is O(n)."""

    def __init__(self, capacity: int) -> None:
        """Make an empty queue for ``capacity`` items, which may be 0."""
        assert isinstance(capacity, int), f"Error: Type error: {type(capacity)}"
        assert capacity >= 0, f"Error: Illegal capacity: {capacity}"
        self.__items: list[Item] = []
        self.__capacity = capacity

    def enqueue(self, item: Item) -> None:
        """Add an item at the rear; an Exception if the queue is full."""
        if self.isFull():
            raise Exception("Error: Queue is full")
        self.__items.append(item)

    def dequeue(self) -> Item:
        """Take the front item away and return it; an Exception if there is none."""
        if self.isEmpty():
            raise Exception("Error: Queue is empty")
        return self.__items.pop(0)

    def peek(self) -> Item:
        """Return the front item and leave it where it is; an Exception if there is none."""
        if self.isEmpty():
            raise Exception("Error: Queue is empty")
        return self.__items[0]

    def isEmpty(self) -> bool:
        """Return whether the queue holds nothing."""
        return not self.__items

    def isFull(self) -> bool:
        """Return whether no other item fits."""
        return len(self.__items) == self.__capacity

    def size(self) -> int:
        """Return how many items the queue holds."""
        return len(self.__items)

    def capacity(self) -> int:
        """Return how many items the queue can hold."""
        return self.__capacity

    def clear(self) -> None:
        """Drop every item; the capacity stays."""
        self.__items = []

    def __str__(self) -> str:
        """Return the items, front first, each followed by a blank."""
        return "".join(f"{item} " for item in self.__items)

    def __repr__(self) -> str:
        """Return the items as ``str`` does, and the capacity: `` Max=3`` for an empty queue."""
        return f"{self} Max={self.__capacity}"


class CircularQueue(Generic[Item]):
    """A queue in a ring of places that never move; every operation on one item is O(1)."""

    def __init__(self, capacity: int) -> None:
        """Make an empty queue for ``capacity`` items, at least one."""
        if type(capacity) is not int or capacity <= 0:
            raise Exception("Capacity Error")
        self.__capacity = capacity
        self.__places: list[Any] = [None] * capacity  # an item, or None where nothing lies
        self.__front = 0
        self.__size = 0

    def enqueue(self, item: Item) -> None:
        """Add an item at the rear; an Exception if the queue is full."""
        if self.isFull():
            raise Exception("Error: Queue is full")
        self.__places[self.__place(self.__size)] = item
        self.__size += 1

    def dequeue(self) -> Item:
        """Take the front item away and return it; an Exception if there is none."""
        item = self.peek()
        self.__places[self.__front] = None
        self.__front = self.__place(1)
        self.__size -= 1
        return item

    def peek(self) -> Item:
        """Return the front item and leave it where it is; an Exception if there is none."""
        if self.isEmpty():
            raise Exception("Error: Queue is empty")
        item: Item = self.__places[self.__front]
        return item

    def isEmpty(self) -> bool:
        """Return whether the queue holds nothing."""
        return self.__size == 0

    def isFull(self) -> bool:
        """Return whether no other item fits."""
        return self.__size == self.__capacity

    def size(self) -> int:
        """Return how many items the queue holds."""
        return self.__size

    def capacity(self) -> int:
        """Return how many items the queue can hold."""
        return self.__capacity

    def clear(self) -> None:
        """Drop every item; the capacity stays."""
        self.__places = [None] * self.__capacity
        self.__front = 0
        self.__size = 0

    def __str__(self) -> str:
        """Return the items, front first, between two brackets, as in the handout."""
        return f"]{''.join(f'{item} ' for item in self.__items())}]"

    def __repr__(self) -> str:
        """Return the capacity and the items, front first."""
        return f"CircularQueue({self.__capacity}): {self.__items()!r}"

    def __place(self, number: int) -> int:
        """Return the place of the item that has this number of items in front of it."""
        return (self.__front + number) % self.__capacity

    def __items(self) -> list[Item]:
        """Return the items, front first."""
        return [self.__places[self.__place(number)] for number in range(self.__size)]
