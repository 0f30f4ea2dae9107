"""Tournaments: some deals in a row, what students have played of them, and who stands where.

An entry is all that a student has played of a tournament, so a move is one compare-and-set of one
row: of two browsers of a student, or two presses, one is first and the other is refused. Entries go
with their student, costs with the class.

What a decision costs depends on the deal alone: all that can differ is how long somebody hits. So
two numbers a decision, what stopping and what hitting gives away there, say what any student's
round has cost, and places are a function of what was played and of those.
"""

import hmac
from collections.abc import Collection, Iterable, Mapping
from functools import cache, cached_property
from typing import Any, Final, Literal, NamedTuple

import msgspec

from cardgames import GAMES
from cardgames.advice import POINTS
from cardgames.game import AnyGame
from cardgames.shared_deal import DealCosts, line_cost
from cardgames.shuffling import SALT_BYTES
from cardgames.strategies.habits import HABITS
from cardgames.text import Text
from web.classroom.rows import HEAD, ClassCounters, ClassRows, number_in_key, place_of, student_key
from web.deals.deal import Deal, PlayerResult
from web.storage.store import NEVER, Put, Read, pack, unpack

Ranking = Literal["play", "result"]
"""By points that decisions gave away, or by rounds won."""

Phase = Literal["coming", "open", "over"]

TABLES: Final = {slug: game.info.title for slug, game in GAMES.items() if game.advisor}
"""The tables where there is something to decide, by their slugs: nobody plays better than others
elsewhere, and only there are the exact odds known."""

MAX_TOURNAMENTS: Final = 20
"""Maximum number of tournaments of a class."""

MAX_DEALS: Final = 20
"""Maximum number of deals of a tournament."""

MAX_BEST: Final = 5
"""Maximum number of students who are named to others."""

SAME: Final = 1e-9
"""Maximum difference of equal places, in rounds: the order of a sum is no merit."""

DEALS_PLAYED: Final = "deals-played"
"""The key of what browsers of forgotten students have seen."""

_NO_TITLE: Final = Text("Tournament {number}")


class Tournament(msgspec.Struct, frozen=True, array_like=True):
    """Some deals in a row: all that is kept of it in its class."""

    number: int
    """Counts up in its class, from 1."""

    title: str
    table: str
    """The game's slug."""

    deals: int
    ranking: Ranking
    screen: Literal["best", "nobody"]
    """Whom the big screen names."""

    opens: float
    due: float
    """Until when it can be played; 0 for as long as the instructor lets it."""

    salt: bytes
    points: Literal["end", "now"] = "end"
    """When homework shows what was given away: when it ends, or at once."""

    about: str = ""
    """The habit that is wrong with each first hand; empty for any hands."""

    skips: tuple[int, ...] = ()
    """Of each deal how many were passed over that have no such hand."""

    @property
    def game(self) -> AnyGame:
        """The game that is played."""
        return GAMES[self.table]

    @property
    def by_play(self) -> bool:
        """Whether students are ranked by the points that they gave away."""
        return self.ranking == "play"

    @property
    def heading(self) -> str:
        """The title; where there is none, what the hands are, or the number."""
        named = HABITS[self.about].about if self.about else _NO_TITLE.fill(number=self.number)
        return self.title or named

    def phase(self, now: float) -> Phase:
        """Return whether it is to come, can be played, or is over at a time."""
        if self.due and now >= self.due:
            return "over"
        return "open" if now >= self.opens else "coming"

    def deal(self, number: int, skip: int | None = None) -> Deal:
        """Return one of its deals, counted from 1: a deal link's, but that no link leads to it.

        The salt of one deal, shown when all is over, says nothing of any other. ``skip`` asks for
        one that may be passed over: 0 is the first for this number.
        """
        skip = sum(self.skips[number - 1 : number]) if skip is None else skip
        which = f"{number} {skip}" if skip else f"{number}"
        salt = hmac.digest(self.salt, f"cardgames tournament deal {which}".encode(), "sha256")
        choices = self.game.deals.read({}).choices
        return Deal(self.table, seeded=False, salt=salt[:SALT_BYTES], choices=choices)


class Play(msgspec.Struct, frozen=True, array_like=True):
    """What a student has done at one deal."""

    moves: str = ""
    """What was done after the deal, as words of a record."""

    winner: str = ""
    """Who won; empty while the round is open."""


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """What a student has played of a tournament: the deals in their order."""

    plays: tuple[Play, ...] = ()
    finished: float = 0.0
    """When the last of them was over."""

    first: int = 1
    """The first deal that is this student's. A browser of theirs has played those before for a
    student who was forgotten, so they are missing."""

    @property
    def played(self) -> int:
        """How many deals the student has played to their end."""
        return sum(bool(play.winner) for play in self.plays)

    @property
    def begun(self) -> int:
        """How many deals the student's browsers have seen: no card of a later one."""
        return self.first - 1 + len(self.plays)

    @property
    def next_deal(self) -> int:
        """The deal that is open, or that comes next; one more than there are when all are over."""
        return self.first + self.played

    def play(self, number: int) -> Play | None:
        """Return what was done at a deal, counted from 1; None before it was dealt."""
        place = number - self.first
        return self.plays[place] if 0 <= place < len(self.plays) else None

    def with_play(self, number: int, play: Play, now: float) -> "Entry":
        """Return it with what was done by now at a deal: the one that is open, or the next."""
        plays = (*self.plays[: number - self.first], play)
        return Entry(plays, now if play.winner else self.finished, self.first)


class StoredEntry(NamedTuple):
    """An entry with the revision of its row; 0 where nothing is kept yet."""

    entry: Entry
    revision: int


Costs = tuple[DealCosts, ...]
"""Of a tournament's deals in their order, as far as they are known."""

DealsPlayed = dict[int, dict[str, int]]
"""Of each tournament the deals that browsers have begun."""


class Row(msgspec.Struct, frozen=True):
    """One student of a tournament."""

    student: int
    entry: Entry
    scores: tuple[float | None, ...]
    """Points given away or rounds won at each deal; None where it is not played, or not known
    yet."""

    known: int
    """Number of deals whose score is known."""

    total: float
    name: str = ""
    place: int = 0
    """From 1; 0 without a place."""

    @property
    def played(self) -> int:
        """How many deals the student has played to their end."""
        return self.entry.played

    def document(self, *, deals: bool = True, points: bool = True) -> dict[str, Any]:
        """Return it as JSON: with scores at all, and with that of each deal, where asked for."""
        found = {"place": self.place or None, "name": self.name, "played": self.played}
        shown = {"points": self.total, "deals": self.scores} if deals else {"points": self.total}
        return found | shown if points else found


class Standings(msgspec.Struct, frozen=True, dict=True):
    """All students of a tournament, in their order."""

    rows: tuple[Row, ...]
    """Those with a place first, then those who have played most."""

    deals: int

    @cached_property
    def ranked(self) -> tuple[Row, ...]:
        """Those who have a place."""
        return tuple(row for row in self.rows if row.place)

    @cached_property
    def by_student(self) -> Mapping[int, Row]:
        """The rows by their students' numbers."""
        return {row.student: row for row in self.rows}

    @cached_property
    def finished(self) -> int:
        """How many have played all deals."""
        return sum(row.played == self.deals for row in self.rows)

    @property
    def begun(self) -> int:
        """How many have begun and not finished."""
        return len(self.rows) - self.finished

    @cached_property
    def to_come(self) -> int:
        """How many rounds that are played are still to be worked out."""
        return sum(row.played - row.known for row in self.rows)

    @property
    def best(self) -> tuple[Row, ...]:
        """Those who are named to everybody."""
        return self.ranked[:MAX_BEST]


def unplaced(tournament: Tournament, entries: Mapping[int, Entry], costs: Costs) -> dict[int, Row]:
    """Return what each student who has begun has made of a tournament, without places."""
    game = tournament.game

    @cache  # many have done the same at a deal
    def score(deal: int, play: Play | None) -> float | None:
        if play is None or not play.winner or game.advisor is None:
            return None
        if not tournament.by_play:
            return (1 + game.advisor.points[play.winner]) / 2
        line = PlayerResult(play.winner, play.moves, 0).line(game)
        return POINTS * line_cost(costs[deal - 1], line) if deal <= len(costs) else None

    found = {}
    for number, entry in entries.items():
        if entry.plays:
            scores = tuple(score(deal, entry.play(deal)) for deal in range(1, tournament.deals + 1))
            known = [score for score in scores if score is not None]
            found[number] = Row(number, entry, scores, len(known), sum(known))
    return found


def placed(tournament: Tournament, rows: Mapping[int, Row], names: Mapping[int, str]) -> Standings:
    """Return who stands where, of the students who have names.

    A place needs all deals played: one that is missing is missing, and not lost. Equal students
    have the place of the first of them.
    """
    named = [
        msgspec.structs.replace(row, name=names[number])
        for number, row in rows.items()
        if number in names
    ]
    sign = 1 if tournament.by_play else -1
    complete = (row for row in named if row.known == tournament.deals)
    ranked, place, first = [], 0, float("nan")
    for number, row in enumerate(sorted(complete, key=lambda row: sign * row.total), 1):
        if not abs(row.total - first) <= SAME * POINTS:
            place, first = number, row.total
        ranked.append(msgspec.structs.replace(row, place=place))
    ranked.sort(key=lambda row: (row.place, row.student))
    others = [row for row in named if row.known < tournament.deals]
    others.sort(key=lambda row: (-row.played, row.student))
    return Standings((*ranked, *others), tournament.deals)


class TournamentStore(ClassRows):
    """Entries of tournaments and what their decisions cost, as rows of their class."""

    hints_at = "hints/costs"
    """Hints of what is to be computed, by code and number."""

    def entries(self, code: str, tournament: int) -> dict[int, Entry]:
        """Return what each student has played of a tournament, by their numbers."""
        rows = self._scan(code, f"entry/{tournament:02}/")
        return {number_in_key(key): unpack(data, Entry) or Entry() for key, data in rows.items()}

    def entries_of(
        self, code: str, student: int, tournaments: Iterable[int]
    ) -> dict[int, StoredEntry]:
        """Return what a student has played of some tournaments, by the tournaments' numbers."""
        keys = {_entry_key(number, student): number for number in tournaments}
        rows = self._store.read(place_of(code), *keys).rows
        return {
            number: StoredEntry(unpack(rows[key].data, Entry) or Entry(), rows[key].revision)
            for key, number in keys.items()
            if key in rows
        }

    def save_entry(
        self, code: str, tournament: Tournament, student: int, entry: Entry, seen: int
    ) -> bool:
        """Write what a student has played of a tournament, if it is as it was read.

        With the last deal ``ClassCounters.students`` is raised, so that the big screen and
        dashboards look again.

        Returns:
            whether it was written: not where the row's revision is no longer the one ``seen`` (0
            for a student who begins), the student is forgotten, or the tournament has ended.
        """
        key, owner = _entry_key(tournament.number, student), student_key(student)

        def rows(head: ClassCounters, read: Read) -> Put | None:
            if not read[owner].revision or read[key].revision != seen:
                return None
            if tournament.phase(read.now) == "over":
                return None
            put = {key: pack(entry)}
            if not seen:  # a change that forgets the student meanwhile must be refused
                put[owner] = read[owner].data
            if not seen or entry.plays[-1].winner:  # the standings are no longer those
                put[_version_key(tournament.number)] = b"1"
            if entry.next_deal > tournament.deals:
                put[HEAD] = head.packed(students=head.students + 1)
            return put

        return self._update(code, (key, owner), rows, before=tournament.due or NEVER)

    def version(self, code: str, tournament: int) -> tuple[int, ...]:
        """Return what changes with every round that is over, and with the costs."""
        return self._revisions(code, _version_key(tournament), _cost_key(tournament))

    def keys_of(self, code: str, students: Collection[int]) -> list[str]:
        """Return the rows that go with some students."""
        return [key for key in self._scan(code, "entry/") if number_in_key(key) in students]

    def deals_played(self, code: str) -> bytes:
        """Return what is kept of the browsers of forgotten students; ``Change`` writes it."""
        return self._store.read(place_of(code), DEALS_PLAYED)[DEALS_PLAYED].data

    def costs(self, code: str, tournament: int) -> Costs:
        """Return what decisions cost at the deals of a tournament; nothing before it is known."""
        return self._value(code, _cost_key(tournament), Costs) or ()

    def ask_for_costs(self, code: str, tournament: Tournament) -> None:
        """Let what decisions cost be computed, if it is neither known nor asked for."""
        key, is_known = f"{code}/{tournament.number:02}", self.costs(code, tournament.number)
        if tournament.by_play and not is_known and not self.hints.all(key):
            self.hints.note(key)

    def keep_costs(self, code: str, tournament: int, costs: Costs) -> None:
        """Keep that, if the class is there still; ``ClassCounters.students`` is raised."""

        def rows(head: ClassCounters, _: Read) -> Put:
            raised = head.packed(students=head.students + 1)
            return {HEAD: raised, _cost_key(tournament): pack(costs)}

        self._update(code, (), rows)


def _entry_key(tournament: int, student: int) -> str:
    return f"entry/{tournament:02}/{student:04}"


def _version_key(tournament: int) -> str:
    return f"played/{tournament:02}"


def _cost_key(tournament: int) -> str:
    return f"cost/tournament/{tournament:02}"
