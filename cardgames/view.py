"""The fields of views by their JSON names, and the cards in a view.

A view is a frozen dataclass of everything that a player may see (:meth:`cardgames.game.Game.view`).
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

from cardgames.cards import Card

_NO_CARDS: Final = (int, bool, str, type(None))
"""Types of values that neither are cards nor contain any."""

_SERIES: Final = (tuple, list, set, frozenset)


def public_fields(view_type: Any) -> tuple[str, ...]:
    """Return the names of a view's JSON fields, which are all fields that are not ``PAGE_ONLY``."""
    return tuple(field.name for field in fields(view_type) if not field.metadata.get("page_only"))


def cards_in(value: Any) -> set[Card]:
    """Return every card that a value contains, at any depth."""
    cards: set[Card] = set()
    _collect(value, cards)
    return cards


def _collect(value: Any, cards: set[Card]) -> None:
    kind = type(value)
    if kind is Card:
        cards.add(value)
    elif issubclass(kind, _SERIES):
        # Fast path: views are mostly cards, and every page scans one.
        for item in value:
            if type(item) is Card:
                cards.add(item)
            elif type(item) not in _NO_CARDS:
                _collect(item, cards)
    elif issubclass(kind, Mapping):
        _collect((*value, *value.values()), cards)
    elif is_dataclass(kind):
        for field in fields(value):
            inner = getattr(value, field.name)
            if type(inner) not in _NO_CARDS:
                _collect(inner, cards)


def field_names(kind: Any) -> tuple[str, ...]:
    """Return the names of a dataclass's fields."""
    return tuple(field.name for field in fields(kind))
