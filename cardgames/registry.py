"""The registry of games. The games' metadata is validated at startup.

Invalid metadata stops the server with a message that explains how to correct the metadata. Faults
that only show up in play are found by ``tests/support/examination``. These checks run on every
registered game.
"""

import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Final, get_type_hints

from cardgames.cards import Cards
from cardgames.game import AnyGame, Game, public_fields
from cardgames.moves import CONCEDE, Choice, DeckFile, FreeText, Move
from cardgames.table import NEW
from cardgames.ways import Ways

RESERVED_SLUGS: Final = frozenset(
    (
        *("class", "coach", "daily", "deal", "deals", "healthz", "history", "j", "lab", "language"),
        *("practise", "puzzles", "replay", "settings", "sheets", "static", "what-if"),
    )
)
"""The first path segments of the site's own URLs. No game can have one of these as its slug."""

FRAME: Final = ("phase", "round", "winner", "tally", "messages", "stacked")
"""The view fields that all tables have in common."""

RECORD_WORDS: Final = ("round", "stacked", "salt", "shuffle", "result")
"""The keywords of a record, which cannot be names of piles."""

FORM_FIELDS: Final = ("move", "step", "table", "seed", "game")
"""The fields of the site's own forms."""

_is_slug: Final = re.compile(r"[a-z](?:-?[a-z0-9]){1,24}").fullmatch
_is_word: Final = re.compile(r"[a-z]{1,20}").fullmatch
_is_field: Final = re.compile(r"[a-z][a-z_]{0,19}").fullmatch


class BadGame(TypeError):
    """An error raised when a game cannot be registered.

    The message explains how to correct the game.
    """


def registered(*games: AnyGame) -> dict[str, AnyGame]:
    """Return the games, keyed by slug.

    Raises:
        BadGame: If the metadata of a game is incomplete or contradictory.
    """
    by_slug: dict[str, AnyGame] = {}
    for game in games:
        for problem in problems(game):
            raise BadGame(f"{type(game).__name__}: {problem}")
        if game.info.slug in by_slug:
            raise BadGame(f"{type(game).__name__}: another game has the slug {game.info.slug!r}.")
        by_slug[game.info.slug] = game
    return by_slug


def problems(game: AnyGame) -> Iterator[str]:
    """Yield one message per fault in a game's metadata."""
    needed = ("info", "deals", "empty", "state_type")
    missing = [name for name in needed if getattr(game, name, None) is None]
    if missing:
        yield f"say what its {', '.join(missing)} is."
        return
    yield from _check_info(game)
    yield from _check_moves(game)
    yield from _check_types(game)


def _check_info(game: AnyGame) -> Iterator[str]:
    info = game.info
    if not _is_slug(info.slug):
        yield f"the slug {info.slug!r} is for addresses: small letters, digits and single dashes."
    if info.slug in RESERVED_SLUGS:
        yield f"the site itself serves /{info.slug}: choose another slug."
    for name in ("title", "pitch"):
        if not getattr(info, name).strip():
            yield f"info.{name} is empty, and the lobby shows it: write one."
    anchors = [rule.anchor for rule in info.rules]
    if not anchors or len(set(anchors)) < len(anchors) or not all(map(_is_slug, anchors)):
        yield "info.rules needs house rules, each with an anchor of its own (small letters)."
    if not info.winners and type(game).players is Game.players:
        yield "say in info.winners who can win, or whose rounds are counted in players()."
    if not all(name.strip() and text.strip() for name, text in info.winners.items()):
        yield "a winner has a name, and a text that says who won: info.winners lacks one."
    if info.decks < 1:
        yield "info.decks is how many decks are on the table: at least 1."


def _check_moves(game: AnyGame) -> Iterator[str]:
    if game.deals.name != "deal" or game.deals.repeat:
        yield "the move that deals is called deal, and is not repeated."
    names = [move.name for move in game.round_moves]
    reserved = {"deal", NEW.name, CONCEDE.name}
    if len(set(names)) < len(names) or reserved & set(names) or not all(map(_is_word, names)):
        yield f"each of round_moves has a name of its own in small letters, and not {reserved}."
    if game.round_moves and type(game).apply is Game.apply:
        yield "it has round_moves, so write apply(), which makes them."
    if game.may_concede and type(game).concede is Game.concede:
        yield "a round may be given up (may_concede), so write concede(), which ends the round."
    for move in (game.deals, *game.round_moves):
        yield from _check_fields(move)


def _check_fields(move: Move) -> Iterator[str]:
    names = [*move.fields, *((move.repeat.field,) if move.repeat else ())]
    if len(set(names)) < len(names) or not all(map(_is_field, names)):
        yield f"the fields of {move.name} have names of their own in small letters."
    if used := set(names) & set(FORM_FIELDS):
        yield f"{move.name} has the field {min(used)!r}, which the site's forms use already."
    if not all(isinstance(field, Choice | FreeText | DeckFile) for field in move.fields.values()):
        yield f"a field of {move.name} is a Choice, a FreeText or a DeckFile."
    if move.repeat and min(times for times, _ in move.repeat.options.values()) < 1:
        yield f"{move.name} is repeated at least once."


def _check_types(game: AnyGame) -> Iterator[str]:
    if not _is_frozen(game.state_type) or _has_defaults(game.state_type):
        yield "state_type is a frozen dataclass without defaults: a saved state has every field."
    if not _is_frozen(type(game.empty)):
        yield "a view is a frozen dataclass, and empty is one of them."
    elif clash := set(FRAME) & set(public_fields(game.empty.__class__)):
        yield f"the table itself shows {min(clash)!r}: take it out of the view."
    carries = type(game).carry is not Game.carry
    if game.carry_type is None:
        # A game with several kinds of tables sets ``carry_type`` to None for tables that carry no
        # cards over.
        if carries and "carry_type" not in vars(game):
            yield "it has carry(), so say in carry_type what that returns."
        return
    if not carries:
        yield "it has a carry_type, so write carry(), which says what a round leaves to the next."
    hints = get_type_hints(game.carry_type) if _is_frozen(game.carry_type) else {}
    piles = {name: hint for name, hint in hints.items() if (name, hint) != ("ways", Ways)}
    if not piles or any(hint != Cards for hint in piles.values()):
        yield "carry_type is a frozen dataclass whose fields are piles of cards (Cards)."
    if not all(_is_word(name) and name not in RECORD_WORDS for name in hints):
        yield f"a pile's name is a word in small letters, and none of {', '.join(RECORD_WORDS)}."


def _is_frozen(kind: Any) -> bool:
    parameters = vars(kind).get("__dataclass_params__") if is_dataclass(kind) else None
    return parameters is not None and bool(parameters.frozen)


def _has_defaults(kind: Any) -> bool:
    return any(
        not (field.default is MISSING and field.default_factory is MISSING)
        for field in fields(kind)
    )
