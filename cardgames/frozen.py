"""Copies a frozen dataclass with some of its fields changed."""

from typing import Any, TypeVar

T = TypeVar("T")


def replace(value: T, **changes: Any) -> T:
    """Return a frozen dataclass with some fields changed, as :func:`dataclasses.replace` does.

    The standard library's sets the fields one by one, past the guard of a frozen class; a move
    changes a dozen values, and this was a tenth of its cost. Here ``__dict__`` is copied, so it is
    for dataclasses without slots, ``__post_init__`` and cached properties.

    Args:
        value: the value.
        **changes: its other values, by the names of the fields.

    Raises:
        TypeError: it has no such field.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Hand:
    ...     cards: int
    ...     bust: bool = False
    >>> replace(Hand(5), bust=True)
    Hand(cards=5, bust=True)
    """
    fields = value.__dict__
    if not changes.keys() <= fields.keys():
        raise TypeError(f"{type(value).__name__} has no field {changes.keys() - fields.keys()}")
    changed = object.__new__(type(value))
    changed.__dict__.update(fields, **changes)
    return changed
