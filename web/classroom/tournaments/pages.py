"""What the pages of tournaments show: to students, to instructors, and on the big screen."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Final

from cardgames.text import Text, plural
from web.classroom.model import Member
from web.classroom.moves import ClassMove
from web.classroom.state import ClassState, class_store
from web.classroom.tournaments.costs import unpack_costs
from web.classroom.tournaments.entries import entries_of, hides_points, is_open, is_over
from web.classroom.tournaments.location import Seat
from web.classroom.tournaments.model import Entry, Tournament, unpack_entry
from web.classroom.tournaments.moves import class_moves, tournament_moves
from web.classroom.tournaments.standings import Row, Standings, standings
from web.classroom.tournaments.words import title_text, when_text

WAITS: Final = 3_600
"""A page that waits for a tournament to open within so many seconds is loaded again then."""


@dataclass(frozen=True, slots=True)
class TournamentLink:
    """A tournament in a list."""

    number: int
    title: str
    table: str
    """What the game is called."""

    when: Text
    is_open: bool
    progress: str
    """How far this student is, or how many students have finished."""

    deals: int
    due: float
    deal: int = 0
    """The deal that this student plays next; 0 for none."""


@dataclass(frozen=True, slots=True)
class ListPage:
    """All tournaments of a class."""

    code: str
    title: str
    step: int
    version: str
    leads: bool
    """Whether it is the instructor's."""

    links: tuple[TournamentLink, ...]
    """The newest first."""

    moves: Mapping[str, ClassMove]
    typed: Mapping[str, str]
    """What was sent in a form that was refused."""

    refusal: str
    now: str
    """What the server's clock shows."""


@dataclass(frozen=True, slots=True)
class About:
    """What every page of a tournament tells."""

    code: str
    class_title: str
    version: str
    tournament: Tournament
    title: str
    table: str
    """What the game is called."""

    when: Text
    is_open: bool
    is_over: bool
    found: Standings
    refusal: str

    @property
    def begun(self) -> int:
        """How many students have begun and not finished."""
        return len(self.found.rows) - self.found.finished


@dataclass(frozen=True, slots=True)
class StudentPage:
    """A tournament for a student: their own place, and the best five."""

    about: About
    seat: Seat
    own: Row | None
    shown: tuple[Row, ...]
    """The best five, and the student after them."""

    tells_deals: bool
    """Whether they are told what others have made of each deal: not before they have played it."""

    @property
    def opens_in(self) -> int:
        """In how many seconds it opens, where that is soon enough to wait for; 0 otherwise."""
        left = self.about.tournament.opens - self.seat.state.counters.now
        return ceil(left) if 0 < left < WAITS and not self.about.is_over else 0


@dataclass(frozen=True, slots=True)
class DeskPage:
    """A tournament for an instructor: everybody."""

    about: About
    step: int
    moves: Mapping[str, ClassMove]
    is_member: bool
    """Whether their browser is a student's too."""

    is_shown: bool
    """Whether the big screen shows it."""

    typed: Mapping[str, str]
    """What was sent in a form that was refused."""

    @property
    def until(self) -> str:
        """When it ends, as a field for times has it."""
        due = self.about.tournament.due
        return f"{datetime.fromtimestamp(due).astimezone():%Y-%m-%dT%H:%M}" if due else ""


@dataclass(frozen=True, slots=True)
class ScreenStandings:
    """A tournament on the big screen."""

    title: str
    table: str
    by_play: bool
    rows: tuple[Row, ...]
    """The best, or nobody."""

    more: int
    """How many have the same place as the last of them."""

    finished: int
    others: int
    """How many of the class have not finished."""

    deals: int
    to_come: int
    hides_points: bool


def standings_of(state: ClassState, tournament: Tournament) -> Standings:
    """Return who stands where in a tournament."""
    store = class_store().tournaments
    entries = {
        number: unpack_entry(data)
        for number, data in store.entries(state.code, tournament.number).items()
    }
    names = {member.number: member.student.name for member in state.students}
    costs = unpack_costs(store.costs(state.code, tournament.number))
    return standings(tournament, names, entries, costs)


def tournament_of(state: ClassState, number: int) -> Tournament | None:
    """Return a tournament of a class by its number."""
    return next((one for one in state.classroom.tournaments if one.number == number), None)


def student_links(state: ClassState, member: Member) -> tuple[TournamentLink, ...]:
    """Return the tournaments of a class as a student finds them, the newest first."""
    if not state.classroom.tournaments:
        return ()
    entries = entries_of(state, member)
    return tuple(
        _student_link(state, member, one, entries[one.number])
        for one in reversed(state.classroom.tournaments)
    )


def list_page(
    state: ClassState,
    member: Member | None,
    version: str,
    *,
    leads: bool,
    refusal: str = "",
    typed: Mapping[str, str] | None = None,
) -> ListPage:
    """Return the page of all tournaments.

    Args:
        state: the class.
        member: who looks, if it is a student.
        version: what a newer page is told by.
        leads: the browser holds the class's dashboard.
        refusal: why the last move was refused, if it was.
        typed: what the form had in it then.
    """
    if leads or member is None:
        links = tuple(_desk_link(state, one) for one in reversed(state.classroom.tournaments))
    else:
        links = student_links(state, member)
    return ListPage(
        code=state.code,
        title=state.classroom.title,
        step=state.counters.version,
        version=version,
        leads=leads,
        links=links,
        moves=class_moves(state) if leads else {},
        typed=typed or {},
        refusal=refusal,
        now=f"{datetime.fromtimestamp(state.counters.now).astimezone():%Y-%m-%d %H:%M %Z}",
    )


def student_page(seat: Seat, version: str, refusal: str = "") -> StudentPage:
    """Return a tournament as one of its students sees it."""
    found = standings_of(seat.state, seat.tournament)
    own = found.row_of(seat.member.number)
    beside = (own,) if own and own.place and own not in found.best else ()
    return StudentPage(
        about=_about(seat.state, seat.tournament, found, version, refusal),
        seat=seat,
        own=own,
        shown=(*found.best, *beside),
        tells_deals=(seat.is_done or seat.is_over) and not seat.hides_points,
    )


def desk_page(
    state: ClassState,
    tournament: Tournament,
    version: str,
    *,
    is_member: bool,
    refusal: str = "",
    typed: Mapping[str, str] | None = None,
) -> DeskPage:
    """Return a tournament as its instructor sees it."""
    found = standings_of(state, tournament)
    return DeskPage(
        about=_about(state, tournament, found, version, refusal),
        step=state.counters.version,
        moves=tournament_moves(state, tournament),
        is_member=is_member,
        is_shown=state.classroom.show == "standings" and shown_tournament(state) == tournament,
        typed=typed or {},
    )


def shown_tournament(state: ClassState) -> Tournament | None:
    """Return the tournament that the big screen shows: the chosen one, or the newest that began."""
    chosen = tournament_of(state, state.classroom.standings)
    begun = [one for one in state.classroom.tournaments if one.opens <= state.counters.now]
    return chosen or (begun[-1] if begun else None)


def screen_standings(state: ClassState) -> ScreenStandings | None:
    """Return what the big screen shows of a tournament; None where there is none yet."""
    tournament = shown_tournament(state)
    if tournament is None:
        return None
    found = standings_of(state, tournament)
    rows = found.best if tournament.screen == "best" else ()
    return ScreenStandings(
        title=title_text(tournament),
        table=tournament.game.info.title,
        by_play=found.by_play,
        rows=rows,
        more=sum(row.place == rows[-1].place for row in found.ranked[len(rows) :]) if rows else 0,
        finished=found.finished,
        others=max(0, len(state.playing) - found.finished),
        deals=tournament.deals,
        to_come=found.to_come,
        hides_points=hides_points(state, tournament),
    )


def _about(
    state: ClassState, tournament: Tournament, found: Standings, version: str, refusal: str
) -> About:
    now, over = state.counters.now, is_over(state, tournament)
    return About(
        code=state.code,
        class_title=state.classroom.title,
        version=version,
        tournament=tournament,
        title=title_text(tournament),
        table=tournament.game.info.title,
        when=when_text(tournament, now, is_over=over),
        is_open=is_open(state, tournament),
        is_over=over,
        found=found,
        refusal=refusal,
    )


def _student_link(
    state: ClassState, member: Member, tournament: Tournament, entry: Entry
) -> TournamentLink:
    has_deal = entry.next_deal <= tournament.deals
    if entry.played == tournament.deals:
        progress = _place_text(state, member, tournament)
    elif is_over(state, tournament) or not has_deal:
        missing = tournament.deals - entry.played
        progress = plural("one deal missing", "{number} deals missing", missing)
    else:
        progress = Text("deal {number} of {deals}", number=entry.next_deal, deals=tournament.deals)
    may_play = has_deal and member.student.state == "in" and is_open(state, tournament)
    return _link(state, tournament, progress, entry.next_deal if may_play else 0)


def _place_text(state: ClassState, member: Member, tournament: Tournament) -> Text:
    """Say which place a student has who has played all deals."""
    found = standings_of(state, tournament)
    row = found.row_of(member.number)
    if row is None or not row.place:
        return Text("all deals played")
    return Text("place {place} of {number}", place=row.place, number=len(found.ranked))


def _desk_link(state: ClassState, tournament: Tournament) -> TournamentLink:
    kept = class_store().tournaments.entries(state.code, tournament.number)
    counted = {member.number for member in state.students}
    entries = (unpack_entry(data) for number, data in kept.items() if number in counted)
    finished = sum(entry.played == tournament.deals for entry in entries)
    progress = plural("one has finished", "{number} have finished", finished)
    return _link(state, tournament, progress)


def _link(
    state: ClassState, tournament: Tournament, progress: str, deal: int = 0
) -> TournamentLink:
    """Return a tournament as a list has it."""
    return TournamentLink(
        number=tournament.number,
        title=title_text(tournament),
        table=tournament.game.info.title,
        when=when_text(tournament, state.counters.now, is_over=is_over(state, tournament)),
        is_open=is_open(state, tournament),
        progress=progress,
        deals=tournament.deals,
        due=tournament.due,
        deal=deal,
    )
