"""The lobby's values for a player: the last table, the results, and all tables."""

from dataclasses import dataclass
from typing import Any

from cardgames import GAMES
from cardgames.game import AnyGame
from cardgames.table import Phase, Table
from cardgames.text import Text
from web.http.sessions import PlayerSession, current_session
from web.tables.advice import best_share
from web.tables.charts import winning_runs
from web.tables.seat import TABLE_ROW, Seat, load_table


@dataclass(frozen=True, slots=True)
class LobbyTable:
    """A table and its values for the lobby."""

    game: AnyGame
    step: int
    phase: Phase
    round: int
    """The number of the round on the table, or 0 if there is no round or the game does not number
    its rounds.
    """

    score: str
    """The numbers of rounds won and lost, separated by a dash, or an empty string before the first
    round.
    """


@dataclass(frozen=True, slots=True)
class Continued:
    """The player's last table, at which the player can continue."""

    seat: LobbyTable
    sentence: str
    """The table's tally."""

    view: Any
    """The game's view of the table."""


@dataclass(frozen=True, slots=True)
class Figures:
    """A player's results at the tables with decisions."""

    won: int
    rounds: int
    streak: int
    """The number of consecutive rounds won at the last table."""

    longest: int
    """The longest streak at a single table, within the table's last hundred rounds."""

    best_plays: float | None
    """The proportion of best decisions, or None before the first evaluated decision."""


@dataclass(frozen=True, slots=True)
class Lobby:
    """All values that the lobby shows."""

    seats: tuple[LobbyTable, ...]
    continued: Continued | None
    figures: Figures | None


def lobby() -> Lobby:
    """Return the tables, and the template values for a returning player."""
    session = current_session()
    slots = {slug: load_table(session, slug) for slug in GAMES}
    latest = [slots[slug] for slug in _latest(session)]
    played = [slot for slot in latest if slot.table.phase is not Phase.READY]
    return Lobby(
        seats=tuple(map(_seat, slots.values())),
        continued=_continued(played[0]) if played else None,
        figures=_figures(session, [slot.table for slot in played if _decides(slot.table)]),
    )


def player_score(table: Table) -> str:
    """Return the numbers of rounds won and lost, or an empty string without rounds.

    If the game defines its own winners, the last winner represents a tie. If the
    winners are given as players' names, the first name is the player's.
    """
    if not table.round_winners:
        return ""
    won, *lost = table.counts().values()
    if table.game.info.winners:
        lost = lost[:1]
    return f"{won}–{sum(lost)}"  # noqa: RUF001 - the dash between scores


def _latest(session: PlayerSession) -> list[str]:
    """Return the tables of a session, the most recently played table first."""
    slugs = (key.removeprefix(TABLE_ROW) for key in session if key.startswith(TABLE_ROW))
    return [slug for slug in slugs if slug in GAMES][::-1]


def _seat(slot: Seat) -> LobbyTable:
    table = slot.table
    number = table.round * table.game.info.numbered
    return LobbyTable(table.game, slot.step, table.phase, number, player_score(table))


def _continued(slot: Seat) -> Continued:
    """Return the table at which the player continues."""
    table = slot.table
    sentence: str = Text("It is your move.")
    if table.result:
        sentence = table.result.text
    elif table.phase is Phase.PLAYING and (advisor := table.game.advisor):
        situation = advisor.situation_text(advisor.situation(table.state))
        sentence = Text("{situation}. It is your move.", situation=situation)
    return Continued(_seat(slot), sentence, table.shown())


def _decides(table: Table) -> bool:
    """Return whether a table has decisions."""
    return bool(table.game.info.winners) and len(table.game.round_moves) > 1


def _figures(session: PlayerSession, tables: list[Table]) -> Figures | None:
    """Return a player's results at the given tables.

    The most recently played table must be first.
    """
    played = [table for table in tables if table.round_winners]
    if not played:
        return None
    runs = [winning_runs(table.round_winners) for table in played]
    return Figures(
        won=sum(table.counts()[next(iter(table.game.info.winners))] for table in played),
        rounds=sum(sum(table.counts().values()) for table in played),
        streak=runs[0][-1],
        longest=max(map(max, runs)),
        best_plays=best_share(session),
    )
