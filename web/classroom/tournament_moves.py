"""What an instructor does with tournaments, and what each move writes."""

import secrets
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import count
from typing import Any, Final

import msgspec

from cardgames.puzzles import Position
from cardgames.shared_deal import SharedDeal
from cardgames.strategies.habits import HABITS, has_hands, is_wrong
from cardgames.text import Text
from web.classroom.answers import NotAllowed, require
from web.classroom.dashboard_moves import ClassMove, MoveRequest, Options, writing
from web.classroom.model import Change
from web.classroom.state import ClassState
from web.classroom.tournament_table import TournamentState
from web.classroom.tournaments import MAX_DEALS, MAX_TOURNAMENTS, TABLES, Tournament
from web.storage.store import DAY

MAX_TITLE: Final = 40
BAD_TITLE: Final = Text(
    "A tournament has a title of at most {most} characters, all of them visible.", most=MAX_TITLE
)
BAD_TIME: Final = Text("A time is written like {example}.", example="2026-11-27T18:00")
ENDS_FIRST: Final = Text("A tournament ends after it has begun, and not in the past.")
ENDS_LATE: Final = Text(
    "This class is kept for {days} days after you last opened it: let the tournament end earlier, "
    "or keep the class longer."
)
NO_HANDS: Final = Text("There are no such hands at this table.")
TOO_MANY: Final = Text("A class has {most} tournaments at most.", most=MAX_TOURNAMENTS)

ANY: Final = "any"
"""What stands for hands of no habit."""

_SALT_BYTES: Final = 32

FIELDS: Final[Mapping[str, Options]] = {
    "title": None,
    "table": TABLES,
    "deals": None,
    "from": None,
    "until": None,
    "ranking": {"play": Text("How well they play"), "result": Text("How many they win")},
    "screen": {"best": Text("The best five"), "nobody": Text("Nobody")},
    "points": {"end": Text("When it ends"), "now": Text("After each deal")},
    "about": {ANY: Text("Any hands")}
    | {name: habit.about for name, habit in HABITS.items() if habit.is_drilled},
}
"""The fields of a tournament's form, with what each takes."""


def may_make(state: ClassState) -> bool:
    """Return whether a class takes another tournament."""
    return not state.classroom.closed and len(state.classroom.tournaments) < MAX_TOURNAMENTS


def available_at(at: TournamentState) -> Iterator[ClassMove]:
    """Yield the moves about one tournament that are possible now; one that is over stays so."""
    tournament = at.tournament

    def screen(request: MoveRequest) -> Change:
        return _changed(at, request, screen=request.choice("screen"))

    def opens(request: MoveRequest) -> Change:
        opens = _time(request, "from") or request.now
        return _changed(at, request, opens=opens, due=_checked_due(request, opens, tournament.due))

    def until(request: MoveRequest) -> Change:
        due = _checked_due(request, tournament.opens, _time(request, "until"))
        return _changed(at, request, due=due)

    def end(request: MoveRequest) -> Change:
        return _changed(at, request, due=request.now)

    show = writing(show="standings", standings=tournament.number)
    yield ClassMove("show", Text("Show it on the big screen"), show)
    named = {"screen": FIELDS["screen"]}
    yield ClassMove("screen", Text("Whom the big screen names"), screen, named)
    if not at.is_over:
        if at.phase == "coming":
            yield ClassMove("from", Text("Opens"), opens, {"from": None})
        yield ClassMove("until", Text("Ends"), until, {"until": None})
        yield ClassMove("end", Text("End it now"), end)


def make(request: MoveRequest) -> Change:
    """Make a tournament: its cards are settled with it, and nobody knows them."""
    tournaments = request.state.classroom.tournaments
    title = " ".join(request.fields.get("title", "").split())
    require(len(title) <= MAX_TITLE and title.isprintable(), BAD_TITLE)
    opens = _time(request, "from") or request.now
    about = request.choice("about", ANY)
    kept: dict[str, Any] = {
        "number": 1 + max((known.number for known in tournaments), default=0),
        "title": title,
        "table": request.choice("table"),
        "deals": request.number("deals", 1, MAX_DEALS),
        "ranking": request.choice("ranking", "play"),
        "screen": request.choice("screen", "best"),
        "opens": opens,
        "due": _checked_due(request, opens, _time(request, "until")),
        "salt": secrets.token_bytes(_SALT_BYTES),
        "points": request.choice("points", "end"),
    }
    made = Tournament(**kept)
    if about != ANY:
        require(has_hands(made.table, about), NO_HANDS)
        made = _with_hands(made, about)
    return request.write(tournaments=(*tournaments, made))


def _with_hands(made: Tournament, habit: str) -> Tournament:
    """Return a tournament with the first deals for each number in which a habit is wrong at once.

    Only what its player sees chooses a deal, so that says nothing of the cards to come.
    """
    numbers = range(1, made.deals + 1)
    skips = [next(n for n in count() if _tempts(made.deal(at, n).shared, habit)) for at in numbers]
    return msgspec.structs.replace(made, about=habit, skips=tuple(skips))


def _tempts(deal: SharedDeal, habit: str) -> bool:
    """Say whether the first decision at a deal is one in which a habit is wrong."""
    table, advisor = deal.dealt(), deal.game.advisor
    if table.result or advisor is None:  # it was over with the deal
        return False
    dealt = advisor.situation(table.state)
    return is_wrong(habit, Position(deal.game.info.slug, dealt.hand, dealt.upcard))


def _changed(at: TournamentState, request: MoveRequest, **changes: Any) -> Change:
    one, kept = msgspec.structs.replace(at.tournament, **changes), at.state.classroom.tournaments
    return request.write(tournaments=tuple(one if old is at.tournament else old for old in kept))


def _checked_due(request: MoveRequest, opens: float, due: float) -> float:
    """Return until when a tournament is to be played, if that may be; 0 for no such time.

    Raises:
        NotAllowed: it would end before it begins, or after its class.
    """
    days = request.state.classroom.days
    require(not due or due > max(opens, request.now), ENDS_FIRST)
    spare = DAY if days > 1 else 0  # to look at the results
    require(max(due, opens) <= request.now + days * DAY - spare, ENDS_LATE.fill(days=days))
    return due


def _time(request: MoveRequest, name: str) -> float:
    """Return the time in a field: by the clock of the server where it names no other; 0 for none.

    Raises:
        NotAllowed: it is none.
    """
    sent = request.fields.get(name, "").strip()
    try:
        return datetime.fromisoformat(sent).astimezone().timestamp() if sent else 0.0
    except (ValueError, OverflowError, OSError):
        raise NotAllowed(BAD_TIME) from None
