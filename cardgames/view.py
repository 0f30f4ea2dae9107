"""The fields of views by their JSON names, and the cards in a view.

A view is a frozen dataclass of everything that a player may see (:meth:`cardgames.game.Game.view`).
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
    """Return the names of a view's JSON fields: all except the ``PAGE_ONLY`` ones."""
    found = fields(cast("Any", view_type))
    return tuple(field.name for field in found if not field.metadata.get("page_only"))


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
        for name in field_names(kind):
            one = getattr(value, name)
            if type(one) not in _NO_CARDS:
                _collect(one, found)


@lru_cache(maxsize=256)
def field_names(kind: Hashable) -> tuple[str, ...]:
    """Return the names of a dataclass's fields. Cached, because every move reads them."""
    return tuple(field.name for field in fields(cast("Any", kind)))
