"""What an instructor does with tournaments: each a function from a class to what is written."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Final, cast

import msgspec

from cardgames import GAMES
from cardgames.text import Text
from web.classroom import words
from web.classroom.answers import NotAllowed, require
from web.classroom.model import Change
from web.classroom.moves import ClassMove, MoveRequest, Options
from web.classroom.standings import TournamentState
from web.classroom.state import ClassState
from web.classroom.tournaments import (
    MAX_DEALS,
    MAX_TOURNAMENTS,
    TABLES,
    Points,
    Ranking,
    Screen,
    Tournament,
)

MAX_TITLE: Final = 40
"""Maximum number of characters of a title."""

BAD_TITLE: Final = Text(
    "A tournament has a title of at most {most} characters, all of them visible.", most=MAX_TITLE
)
BAD_TIME: Final = Text("A time is written like {example}.")
ENDS_FIRST: Final = Text("A tournament ends after it has begun, and not in the past.")
ENDS_LATE: Final = Text(
    "This class is kept for {days} days after you last opened it: let the tournament end earlier, "
    "or keep the class longer."
)
TOO_MANY: Final = Text("A class has {most} tournaments at most.", most=MAX_TOURNAMENTS)
IS_OVER: Final = Text("This tournament is over.")

RANKINGS: Final[Mapping[str, Text]] = {
    "play": Text("How well they play"),
    "result": Text("How many they win"),
}
SCREENS: Final[Mapping[str, Text]] = {
    "best": Text("The best five"),
    "nobody": Text("Nobody"),
}
POINTS: Final[Mapping[str, Text]] = {
    "end": Text("When it ends"),
    "now": Text("After each deal"),
}

_DAY: Final = 86_400
_SALT_BYTES: Final = 32
_EXAMPLE: Final = "2026-11-27T18:00"


def class_moves(state: ClassState) -> Mapping[str, ClassMove]:
    """Return the moves on the page of all tournaments."""
    if state.classroom.closed or len(state.classroom.tournaments) >= MAX_TOURNAMENTS:
        return {}
    fields: dict[str, Options] = {
        "title": None,
        "table": {slug: GAMES[slug].info.title for slug in TABLES},
        "deals": None,
        "from": None,
        "until": None,
        "ranking": RANKINGS,
        "screen": SCREENS,
        "points": POINTS,
    }
    return {"make": ClassMove("make", Text("Make the tournament"), fields, make)}


def make(request: MoveRequest) -> Change:
    """Make a tournament: its cards are settled with it, and nobody knows them."""
    classroom = request.state.classroom
    tournaments = classroom.tournaments
    require(not classroom.closed)
    require(len(tournaments) < MAX_TOURNAMENTS, TOO_MANY)
    title = " ".join(request.fields.get("title", "").split())
    require(len(title) <= MAX_TITLE and title.isprintable(), BAD_TITLE)
    opens = _time(request, "from") or request.now
    made = Tournament(
        number=1 + max((known.number for known in tournaments), default=0),
        title=title,
        table=request.choice("table", TABLES),
        deals=request.number("deals", 1, MAX_DEALS),
        ranking=cast(Ranking, request.choice("ranking", (*RANKINGS,), "play")),
        screen=cast(Screen, request.choice("screen", (*SCREENS,), "best")),
        opens=opens,
        due=_checked_due(request, opens),
        salt=secrets.token_bytes(_SALT_BYTES),
        points=cast(Points, request.choice("points", (*POINTS,), "end")),
    )
    return request.with_classroom(Change(), tournaments=(*tournaments, made))


def tournament_moves(at: TournamentState) -> Mapping[str, ClassMove]:
    """Return the moves about one tournament that are possible now.

    One that is over stays so: its cards are shown.
    """

    def show(request: MoveRequest) -> Change:
        return request.with_classroom(Change(), show="standings", standings=at.tournament.number)

    def changed(request: MoveRequest, **changes: object) -> Change:
        one, kept = msgspec.structs.replace(at.tournament, **changes), at.state.classroom
        tournaments = (one if other is at.tournament else other for other in kept.tournaments)
        return request.with_classroom(Change(), tournaments=tuple(tournaments))

    def screen(request: MoveRequest) -> Change:
        return changed(request, screen=request.choice("screen", (*SCREENS,)))

    def until(request: MoveRequest) -> Change:
        return changed(request, due=_checked_due(request, at.tournament.opens))

    def end(request: MoveRequest) -> Change:
        return changed(request, due=request.now)

    label = Text("Whom the big screen names")
    moves = [
        ClassMove("show", Text("Show it on the big screen"), {}, show),
        ClassMove("screen", label, {"screen": SCREENS}, screen),
        ClassMove("until", Text("Ends"), {"until": None}, until),
        ClassMove("end", Text("End it now"), {}, end),
    ]
    return {move.name: move for move in (moves[:2] if at.is_over else moves)}


def why_not(at: TournamentState, name: str) -> Text:
    """Say why a move about a tournament is not possible now."""
    return IS_OVER if at.is_over and name in ("until", "end") else words.NOT_NOW


def _checked_due(request: MoveRequest, opens: float) -> float:
    """Return until when a tournament is to be played; 0 for no such time.

    Raises:
        NotAllowed: it would end before it begins, or after its class.
    """
    due = _time(request, "until")
    days = request.state.classroom.days
    require(not due or due > max(opens, request.now), ENDS_FIRST)
    spare = _DAY if days > 1 else 0  # to look at the results
    if max(due, opens) > request.now + days * _DAY - spare:
        raise NotAllowed(ENDS_LATE.fill(days=days))
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
        raise NotAllowed(BAD_TIME.fill(example=_EXAMPLE)) from None
