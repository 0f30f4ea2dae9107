"""Tournaments: some deals in a row, and what students have played of them.

An entry is all that a student has played of a tournament, so a move is one compare-and-set of one
row: of two browsers of a student, or two presses, one is first and the other is refused. Entries go
with their student, costs with the class.

What a decision costs depends on the deal alone: all that can differ is how long somebody hits. So
two numbers a decision, what stopping and what hitting gives away there, say what any student's
round has cost.
"""

import hmac
from collections.abc import Collection, Iterable
from typing import Final, Literal, NamedTuple

import msgspec

from cardgames import GAMES
from cardgames.advice import Advisor
from cardgames.game import AnyGame
from cardgames.ledger import EMPTY_LEDGER, after_decision
from cardgames.shared_deal import HIT, STAY, PlayedLine, SharedDeal, decisions
from cardgames.shuffling import SALT_BYTES
from cardgames.text import Text
from web.classroom.rows import HEAD, ClassCounters, ClassRows, number_in_key, place_of, student_key
from web.deals.deal import Deal
from web.storage.hints import Hints
from web.storage.store import Put, Read, Store, pack, unpack

Ranking = Literal["play", "result"]
"""By what students are ranked: by the points that their decisions gave away, or by rounds won."""

Screen = Literal["best", "nobody"]
"""Whom the big screen names."""

Points = Literal["end", "now"]
"""When students see what their decisions gave away in homework: when it ends, or at once."""

Phase = Literal["coming", "open", "over"]

TABLES: Final = tuple(slug for slug, game in GAMES.items() if game.advisor)
"""Where there is something to decide: at the others nobody can play better than anybody else."""

MAX_TOURNAMENTS: Final = 20
"""Maximum number of tournaments of a class."""

MAX_DEALS: Final = 20
"""Maximum number of deals of a tournament."""

DEALS_PLAYED: Final = "deals-played"
"""The key of how many deals the browsers of forgotten students have seen."""

_NO_TITLE: Final = Text("Tournament {number}")


class Tournament(msgspec.Struct, frozen=True, array_like=True):
    """Some deals in a row: all that is kept of it in its class."""

    number: int
    """Counts up in its class from 1."""

    title: str
    """Empty where the instructor has given it none."""

    table: str
    """The game's slug."""

    deals: int
    """How many there are."""

    ranking: Ranking
    screen: Screen
    opens: float
    due: float
    """Until when it can be played; 0 for as long as the instructor lets it."""

    salt: bytes
    """What all of its cards follow from."""

    points: Points = "end"

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
        """The title, or the number where there is none."""
        return self.title or _NO_TITLE.fill(number=self.number)

    def phase(self, now: float) -> Phase:
        """Return whether it is to come, can be played, or is over at a time."""
        if self.due and now >= self.due:
            return "over"
        return "open" if now >= self.opens else "coming"

    def deal(self, number: int) -> Deal:
        """Return one of its deals, counted from 1: a deal link's, but that no link leads to it.

        The salt of one deal, shown when all is over, says nothing of any other.
        """
        salt = hmac.digest(self.salt, f"cardgames tournament deal {number}".encode(), "sha256")
        choices = self.game.deals.read({}).choices
        return Deal(
            game=self.table,
            counted=False,
            seeded=False,
            salt=salt[:SALT_BYTES],
            choices=choices,
        )

    def public(self) -> "Tournament":
        """Return it without what its cards follow from, for students' pages."""
        return msgspec.structs.replace(self, salt=b"")


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
    """The first deal that is this student's: those before are missing, since a browser of theirs
    played them for a student who was forgotten."""

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
        """Return it with what was done at a deal: the one that is open, or the next.

        Args:
            number: the deal's, from 1.
            play: what was done there.
            now: the time.
        """
        plays = (*self.plays[: number - self.first], play)
        return Entry(plays, now if play.winner else self.finished, self.first)


class StoredEntry(NamedTuple):
    """An entry with the revision of its row; 0 where nothing is kept yet."""

    entry: Entry
    revision: int


class DecisionCost(NamedTuple):
    """What one decision gives away against the best play, in rounds."""

    stay: float
    hit: float


DealCosts = tuple[DecisionCost, ...]
"""The decisions of a deal: at the first hand, after one hit, and so on."""

Costs = tuple[DealCosts, ...]
"""Those of a tournament's deals, in their order, as far as they are known."""

DealsPlayed = dict[int, dict[str, int]]
"""Of each tournament that is not over, the number of deals that browsers have begun."""


def deal_costs(deal: SharedDeal, advisor: Advisor) -> DealCosts:
    """Return what each decision at a deal costs, by the exact odds for its player.

    Args:
        deal: the deal.
        advisor: the game's.
    """
    return tuple(
        DecisionCost(
            *(after_decision(EMPTY_LEDGER, advisor, table, move).cost for move in (STAY, HIT))
        )
        for table in decisions(deal)
    )


def line_cost(costs: DealCosts, line: PlayedLine) -> float:
    """Return what a player's round has cost, in rounds.

    >>> costs = (DecisionCost(0.25, 0.0), DecisionCost(0.0, 0.5))
    >>> line_cost(costs, PlayedLine(1, True, "dealer")), line_cost(costs, PlayedLine(2, False, ""))
    (0.0, 0.5)
    """
    hits = sum(decision.hit for decision in costs[: line.hits])
    return hits + (costs[line.hits].stay if line.stayed else 0.0)


# ---- What is kept --------------------------------------------------------------------------------


class TournamentStore(ClassRows):
    """Entries of tournaments and what their decisions cost, as rows of their class."""

    def __init__(self, store: Store) -> None:
        """Keep them in a store."""
        super().__init__(store)
        self.hints = Hints(store, "hints/costs")
        """Of tournaments whose costs are to be computed, by code and number."""

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

        Args:
            code: the class's.
            tournament: the tournament.
            student: the student's number.
            entry: what is written.
            seen: the revision that was read; 0 for a student who begins.

        Returns:
            whether it was written: not where somebody else has written meanwhile, or the student is
            forgotten.
        """
        key, owner = _entry_key(tournament.number, student), student_key(student)

        def rows(head: ClassCounters, read: Read) -> Put | None:
            if not read[owner].revision or read[key].revision != seen:
                return None
            put = {key: pack(entry)}
            if not seen:  # a change that forgets the student meanwhile must be refused
                put[owner] = read[owner].data
            if not seen or entry.plays[-1].winner:  # the standings are no longer those
                put[_version_key(tournament.number)] = b"1"
            if entry.next_deal > tournament.deals:
                put[HEAD] = head.packed(students=head.students + 1)
            return put

        return self._update(code, (key, owner), rows)

    def version(self, code: str, tournament: int) -> tuple[int, int]:
        """Return what changes with every round that is over, and with the costs."""
        keys = _version_key(tournament), _cost_key(tournament)
        read = self._store.read(place_of(code), *keys)
        return read[keys[0]].revision, read[keys[1]].revision

    def keys_of(self, code: str, students: Collection[int]) -> list[str]:
        """Return the rows that go with some students."""
        return [key for key in self._scan(code, "entry/") if number_in_key(key) in students]

    def deals_played(self, code: str) -> bytes:
        """Return what is kept of the browsers of forgotten students; ``Change`` writes it."""
        return self._store.read(place_of(code), DEALS_PLAYED)[DEALS_PLAYED].data

    def costs(self, code: str, tournament: int) -> Costs:
        """Return what decisions cost at the deals of a tournament; nothing before it is known."""
        key = _cost_key(tournament)
        return self._store.read(place_of(code), key).value(key, Costs) or ()

    def ask_for_costs(self, code: str, tournament: Tournament) -> None:
        """Let what decisions cost be computed, if it is neither known nor asked for."""
        key, is_known = f"{code}/{tournament.number:02}", self.costs(code, tournament.number)
        if tournament.by_play and not is_known and not self.hints.all(key):
            self.hints.note(key)

    def keep_costs(self, code: str, tournament: int, costs: Costs) -> None:
        """Keep that, if the class is there still; ``ClassCounters.students`` is raised."""

        def rows(head: ClassCounters, _: Read) -> Put:
            return {
                HEAD: head.packed(students=head.students + 1),
                _cost_key(tournament): pack(costs),
            }

        self._update(code, (), rows)


def _entry_key(tournament: int, student: int) -> str:
    return f"entry/{tournament:02}/{student:04}"


def _version_key(tournament: int) -> str:
    return f"played/{tournament:02}"


def _cost_key(tournament: int) -> str:
    return f"cost/tournament/{tournament:02}"
