"""Checks of states: every card occurs once, in immutable values that can be saved and shown."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import MISSING, FrozenInstanceError, fields, is_dataclass
from enum import Enum
from typing import Any

import msgspec

from cardgames.cards import FULL_DECK
from cardgames.game import AnyGame
from cardgames.table import cards_in
from tests.support.examination.walks import FEW, all_tables, as_json


def check_every_card_is_somewhere(game: AnyGame) -> None:
    """Check that every card occurs exactly once."""
    whole = Counter(FULL_DECK * game.info.decks)
    for table in all_tables(game):
        found = Counter(game.cards(table.state))
        lost, extra = whole - found, found - whole
        assert found == whole, (
            f"cards() lacks {len(lost)} cards and has {len(extra)} too often: every card of "
            f"info.decks lies at one place in the state, and cards() has it once."
        )


def check_states_can_be_saved(game: AnyGame) -> None:
    """Check that a saved state is loaded unchanged with valid types, or is rejected."""
    for table in all_tables(game):
        try:
            saved = msgspec.msgpack.encode(table.state)
            read = msgspec.msgpack.decode(saved, type=game.state_type)
        except (TypeError, NotImplementedError, msgspec.MsgspecError) as error:
            raise AssertionError(
                f"A state cannot be saved ({error}): it is made of cards, texts, numbers, enums, "
                "tuples and frozen dataclasses, and each field has the type that it says."
            ) from error
        assert read == table.state, (
            "A state reads back as another one: each field has the type that it says."
        )
        for part in filter(is_dataclass, _parts(table.state)):
            defaults = [field.name for field in fields(part) if _has_default(field)]
            assert not defaults, (
                f"{type(part).__name__}.{', '.join(defaults)} has a default, so a saved state that "
                "lacks it would be invented: take the default away."
            )


def check_states_are_frozen(game: AnyGame) -> None:
    """Check that a state cannot be changed, so that other code can rely on it."""
    for table in all_tables(game, FEW):
        for part in _parts(table.state):
            plain = part is None or isinstance(part, str | int | float | Enum | tuple | frozenset)
            assert plain or is_dataclass(part), (
                f"A state has a {type(part).__name__} in it, which can be changed: use a tuple or "
                "a frozen dataclass."
            )
            if is_dataclass(part):
                name = fields(part)[0].name
                try:
                    setattr(part, name, getattr(part, name))
                except FrozenInstanceError:
                    continue
                raise AssertionError(f"{type(part).__name__} can be changed: make it frozen.")


def check_views_show_what_is_seen(game: AnyGame) -> None:
    """Check that a view is valid JSON and contains only cards declared as seen."""
    for table in all_tables(game):
        view = game.view(table.state)
        shown_too_early = cards_in(view) - set(game.seen(table.state))
        assert not shown_too_early, (
            "The view has a card that seen() has not: take it out of the view while it lies face "
            "down, and declare it in seen() when the player may know it."
        )
        assert type(view) is type(game.empty), "view() returns the type that `empty` is of."
        as_json(table.view())


def _parts(value: Any) -> Iterator[Any]:
    """Yield a value and all values inside it."""
    yield value
    if is_dataclass(value):
        inside: Any = (getattr(value, field.name) for field in fields(value))
    else:
        inside = value if isinstance(value, tuple | frozenset | list | set) else ()
    for one in inside:
        yield from _parts(one)


def _has_default(field: Any) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING
