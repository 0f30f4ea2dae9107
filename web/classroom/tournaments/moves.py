"""What an instructor does with tournaments: each a function from a class to what is written."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Final

import msgspec

from cardgames import GAMES
from cardgames.text import Text
from web.classroom.changes import Change
from web.classroom.moves import ClassMove, MoveRequest, NotAllowed, Options, require
from web.classroom.state import ClassState
from web.classroom.tournaments import words
from web.classroom.tournaments.entries import is_over
from web.classroom.tournaments.model import (
    MAX_DEALS,
    MAX_TITLE,
    MAX_TOURNAMENTS,
    POINTS,
    RANKINGS,
    SCREENS,
    TABLES,
    Tournament,
)

MAKE: Final = "make"

_DAY: Final = 86_400
_SALT_BYTES: Final = 32
_EXAMPLE: Final = "2026-11-27T18:00"


def make(request: MoveRequest) -> Change:
    """Make a tournament: its cards are settled with it, and nobody knows them."""
    state, now = request.state, request.now
    known = state.classroom.tournaments
    require(not state.classroom.closed)
    require(len(known) < MAX_TOURNAMENTS, words.TOO_MANY)
    number = 1 + max((one.number for one in known), default=0)
    opens = _time(request, "from") or now
    made = Tournament(
        number=number,
        title=_title(request),
        table=request.choice("table", TABLES),
        deals=request.number("deals", 1, MAX_DEALS),
        ranking="result"
        if request.choice("ranking", RANKINGS, RANKINGS[0]) == "result"
        else "play",
        screen="nobody" if request.choice("screen", SCREENS, SCREENS[0]) == "nobody" else "best",
        opens=opens,
        due=_checked_due(request, opens),
        salt=secrets.token_bytes(_SALT_BYTES),
        points="now" if request.choice("points", POINTS, POINTS[0]) == "now" else "end",
    )
    return request.with_classroom(Change(), tournaments=(*known, made))


def end(request: MoveRequest, tournament: Tournament) -> Change:
    """End a tournament now: what is not played is missing."""
    require(not is_over(request.state, tournament), words.IS_OVER)
    return _changed(request, tournament, due=request.now)


def until(request: MoveRequest, tournament: Tournament) -> Change:
    """Choose anew when a tournament ends; one that is over stays so, since its cards are told."""
    require(not is_over(request.state, tournament), words.IS_OVER)
    return _changed(request, tournament, due=_checked_due(request, tournament.opens))


def screen(request: MoveRequest, tournament: Tournament) -> Change:
    """Choose whom the big screen names."""
    return _changed(request, tournament, screen=request.choice("screen", SCREENS))


def show(request: MoveRequest, tournament: Tournament) -> Change:
    """Show a tournament's standings on the big screen."""
    return request.with_classroom(Change(), show="standings", standings=tournament.number)


MOVES: Final = {"show": show, "screen": screen, "until": until, "end": end}
"""Every move about one tournament, by its name."""


def class_moves(state: ClassState) -> Mapping[str, ClassMove]:
    """Return the moves on the page of all tournaments."""
    classroom = state.classroom
    if classroom.closed or len(classroom.tournaments) >= MAX_TOURNAMENTS:
        return {}
    fields: dict[str, Options] = {
        "title": None,
        "table": {slug: GAMES[slug].info.title for slug in TABLES},
        "deals": None,
        "from": None,
        "until": None,
        "ranking": {name: str(label) for name, label in words.RANKINGS.items()},
        "screen": {name: str(label) for name, label in words.SCREENS.items()},
        "points": {name: str(label) for name, label in words.POINTS.items()},
    }
    return {MAKE: ClassMove(MAKE, Text("Make the tournament"), fields)}


def tournament_moves(state: ClassState, tournament: Tournament) -> Mapping[str, ClassMove]:
    """Return the moves about one tournament that are possible now."""
    names: Options = {name: str(label) for name, label in words.SCREENS.items()}
    found = [
        ClassMove("show", Text("Show it on the big screen"), {}),
        ClassMove("screen", Text("Whom the big screen names"), {"screen": names}),
    ]
    if not is_over(state, tournament):
        found += [
            ClassMove("until", Text("Ends"), {"until": None}),
            ClassMove("end", Text("End it now"), {}),
        ]
    return {move.name: move for move in found}


def _changed(request: MoveRequest, tournament: Tournament, **changes: object) -> Change:
    """Return a change that writes a tournament anew, with other values in some fields."""
    changed = msgspec.structs.replace(tournament, **changes)
    kept = request.state.classroom.tournaments
    others = tuple(changed if one.number == tournament.number else one for one in kept)
    return request.with_classroom(Change(), tournaments=others)


def _title(request: MoveRequest) -> str:
    title = " ".join(request.fields.get("title", "").split())
    require(len(title) <= MAX_TITLE and title.isprintable(), words.BAD_TITLE)
    return title


def _checked_due(request: MoveRequest, opens: float) -> float:
    """Return until when a tournament is to be played; 0 for no such time.

    Raises:
        NotAllowed: it would end before it begins, or after its class.
    """
    due = _time(request, "until")
    days = request.state.classroom.days
    require(not due or due > max(opens, request.now), words.ENDS_FIRST)
    spare = _DAY if days > 1 else 0  # to look at the results
    if max(due, opens) > request.now + days * _DAY - spare:
        raise NotAllowed(words.ENDS_LATE.fill(days=days))
    return due


def _time(request: MoveRequest, name: str) -> float:
    """Return the time in a field: by the clock of the server where it names no other; 0 for none.

    Raises:
        NotAllowed: it is none.
    """
    sent = request.fields.get(name, "").strip()
    if not sent:
        return 0.0
    try:
        return datetime.fromisoformat(sent).astimezone().timestamp()
    except (ValueError, OverflowError, OSError):
        raise NotAllowed(words.BAD_TIME.fill(example=_EXAMPLE)) from None
