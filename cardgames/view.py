"""The fields of views by their JSON names, and the cards in a view.

A view is a frozen dataclass of everything that a player may see (:meth:`cardgames.game.Game.view`).
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

from cardgames.cards import Card

_NO_CARDS: Final = (int, bool, str, type(None))
"""Types of values that are not cards and contain none."""

_SERIES: Final = (tuple, list, set, frozenset)


def public_fields(view_type: Any) -> tuple[str, ...]:
    """Return the names of a view's JSON fields: all except the ``PAGE_ONLY`` ones."""
    return tuple(field.name for field in fields(view_type) if not field.metadata.get("page_only"))


def cards_in(value: Any) -> set[Card]:
    """Return every card that a value contains, at any depth."""
    found: set[Card] = set()
    _collect(value, found)
    return found


def _collect(value: Any, found: set[Card]) -> None:
    kind = type(value)
    if kind is Card:
        found.add(value)
    elif issubclass(kind, _SERIES):
        # Fast path: views are mostly cards, and every page scans one.
        for item in value:
            if type(item) is Card:
                found.add(item)
            elif type(item) not in _NO_CARDS:
                _collect(item, found)
    elif issubclass(kind, Mapping):
        _collect((*value, *value.values()), found)
    elif is_dataclass(kind):
        for field in fields(value):
            one = getattr(value, field.name)
            if type(one) not in _NO_CARDS:
                _collect(one, found)


def field_names(kind: Any) -> tuple[str, ...]:
    """Return the names of a dataclass's fields."""
    return tuple(field.name for field in fields(kind))
