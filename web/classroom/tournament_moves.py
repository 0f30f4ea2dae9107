"""What an instructor does with tournaments, and what each move writes."""

import secrets
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import count
from typing import Any, Final

from cardgames.puzzles import Position
from cardgames.shared_deal import SharedDeal
from cardgames.strategies.habits import HABITS, has_hands, is_wrong
from cardgames.text import Text
from web.classroom import forms, tournaments, words
from web.classroom.access import save_move
from web.classroom.forms import ClassMove, MoveRequest, NotAllowed, Options
from web.classroom.models import Classroom
from web.classroom.standings import IS_OVER, TournamentState
from web.classroom.tournaments import Tournament
from web.http.sessions import DAY

MAX_TITLE: Final = 40
BAD_TITLE: Final = Text(
    "A tournament has a title of at most {most} characters, all of them visible.", most=MAX_TITLE
)
BAD_TIME: Final = Text("A time is written like {example}.", example="2026-11-27T18:00")
ENDS_FIRST: Final = Text("A tournament must end after it begins, and not in the past.")
ENDS_LATE: Final = Text(
    "This class is kept for {days} days after you last opened it: let the tournament end earlier, "
    "or keep the class longer."
)
NO_HANDS: Final = Text("There are no such hands at this table.")
TOO_MANY: Final = Text("A class has {most} tournaments at most.", most=tournaments.MAX_TOURNAMENTS)

ANY: Final = "any"
"""What stands for hands of no habit."""

_SALT_BYTES: Final = 32

FIELDS: Final[Mapping[str, Options]] = {
    "title": None,
    "table": tournaments.TABLES,
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


def may_make(classroom: Classroom) -> bool:
    """Return whether a class takes another tournament."""
    return (
        not classroom.closed
        and tournaments.count_tournaments(classroom.code) < tournaments.MAX_TOURNAMENTS
    )


def available_at(at: TournamentState) -> Iterator[ClassMove]:
    """Yield the moves about one tournament that are possible now; one that is over stays so."""
    tournament = at.tournament

    def screen(request: MoveRequest) -> None:
        _change(at, request, screen=request.choice("screen"))

    def opens(request: MoveRequest) -> None:
        opens = _time(request, "from") or request.now
        _change(at, request, opens=opens, due=_checked_due(request, opens, tournament.due))

    def until(request: MoveRequest) -> None:
        due = _checked_due(request, tournament.opens, _time(request, "until"))
        _change(at, request, due=due)

    def end(request: MoveRequest) -> None:
        _change(at, request, due=request.now, ended=True)

    show = forms.writing(show="standings", standings=tournament.number)
    yield ClassMove("show", Text("Show it on the big screen"), show)
    named = {"screen": FIELDS["screen"]}
    yield ClassMove("screen", Text("Who is named on the big screen"), screen, named)
    if not at.is_over:
        if at.phase == "coming":
            yield ClassMove("from", Text("Opens"), opens, {"from": None})
        yield ClassMove("until", Text("Ends"), until, {"until": None})
        yield ClassMove("end", Text("End it now"), end)


def why_not(at: TournamentState, name: str) -> Text:
    """Say why a move about a tournament is not possible now."""
    return IS_OVER if at.is_over and name in ("until", "end") else words.NOT_NOW


def made_from(request: MoveRequest) -> Tournament:
    """Return the tournament that a form asks for: its cards are settled, and nobody knows them.

    Which hands it has, and what their decisions cost, is still to be worked out.
    """
    title = " ".join(request.fields.get("title", "").split())
    forms.require(len(title) <= MAX_TITLE and title.isprintable(), BAD_TITLE)
    opens = _time(request, "from") or request.now
    about = request.choice("about", ANY)
    made = Tournament(
        class_code=request.classroom.code,
        number=1 + tournaments.count_tournaments(request.classroom.code),
        title=title,
        table=request.choice("table"),
        deals=request.number("deals", 1, tournaments.MAX_DEALS),
        ranking=request.choice("ranking", "play"),
        screen=request.choice("screen", "best"),
        opens=opens,
        due=_checked_due(request, opens, _time(request, "until")),
        salt=secrets.token_bytes(_SALT_BYTES),
        points=request.choice("points", "end"),
        about="" if about == ANY else about,
        skips=[],
    )
    forms.require(not made.about or has_hands(made.table, made.about), NO_HANDS)
    return made


def work_out(made: Tournament) -> None:
    """Work out the deals of a tournament and what their decisions cost.

    Of deals with certain hands it has the first for each number in which the habit is wrong at
    once. Only what its player sees chooses a deal, so that says nothing of the cards to come.
    """
    if made.about:
        made.skips = [
            next(skip for skip in count() if _tempts(made.deal(number, skip).shared, made.about))
            for number in range(1, made.deals + 1)
        ]
    made.work_out_costs()


def _tempts(deal: SharedDeal, habit: str) -> bool:
    """Say whether the first decision at a deal is one in which a habit is wrong."""
    table, advisor = deal.dealt(), deal.game.advisor
    if table.result or advisor is None:  # it was over with the deal
        return False
    dealt = advisor.situation(table.state)
    return is_wrong(habit, Position(deal.game.info.slug, dealt.hand, dealt.upcard))


def _change(at: TournamentState, request: MoveRequest, **changes: Any) -> None:
    """Give some columns of a tournament other values."""
    for name, value in changes.items():
        setattr(at.tournament, name, value)
    if "due" in changes:
        tournaments.keep_seen_until(at.tournament)
    save_move(request.classroom)


def _checked_due(request: MoveRequest, opens: float, due: float) -> float:
    """Return until when a tournament is to be played, if that may be; 0 for no such time.

    Raises:
        NotAllowed: it would end before it begins, or after its class.
    """
    days = request.classroom.days
    forms.require(not due or due > max(opens, request.now), ENDS_FIRST)
    spare = DAY if days > 1 else 0  # to look at the results
    forms.require(max(due, opens) <= request.now + days * DAY - spare, ENDS_LATE.fill(days=days))
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
