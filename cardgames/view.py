"""Reads views: their fields, by the names that the JSON has, and every card in them.

A view is a frozen dataclass of what a player may see (:meth:`cardgames.game.Game.view`).
"""

from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Final, cast

from cardgames.cards import Card

_NO_CARDS: Final = (int, bool, str, type(None))
"""Types of values that are not cards and contain none."""

_SERIES: Final = (tuple, list, set, frozenset)


@lru_cache(maxsize=256)
def public_fields(view_type: Hashable) -> tuple[str, ...]:
    """Return the names of a view's fields that the JSON has: all that are not ``PAGE_ONLY``."""
    found = fields(cast("Any", view_type))
    return tuple(field.name for field in found if not field.metadata.get("page_only"))


def cards_in(value: Any) -> set[Card]:
    """Return every card that a value has in it, wherever it stands."""
    found: set[Card] = set()
    _collect(value, found)
    return found


def _collect(value: Any, found: set[Card]) -> None:
    kind = type(value)
    if kind is Card:
        found.add(value)
    elif issubclass(kind, _SERIES):
        # Most of what a view has in it are cards, and every page looks through its view.
        for item in value:
            if type(item) is Card:
                found.add(item)
            elif type(item) not in _NO_CARDS:
                _collect(item, found)
    elif issubclass(kind, Mapping):
        _collect((*value, *value.values()), found)
    elif is_dataclass(kind):
        for name in field_names(kind):
            one = getattr(value, name)
            if type(one) not in _NO_CARDS:
                _collect(one, found)


@lru_cache(maxsize=256)
def field_names(kind: Hashable) -> tuple[str, ...]:
    """Return the names of a dataclass's fields; asked at every move, so remembered."""
    return tuple(field.name for field in fields(cast("Any", kind)))
