"""A tournament, and what a student has played of it, as they are kept."""

import hmac
from typing import Final, Literal

import msgspec

from cardgames import GAMES
from cardgames.game import AnyGame
from cardgames.shuffling import SALT_BYTES
from web.deals.deal import Deal

Ranking = Literal["play", "result"]
"""By what students are ranked: by the points that their decisions gave away, or by rounds won."""

Screen = Literal["best", "nobody"]
"""Whom the big screen names."""

Points = Literal["end", "now"]
"""When students see what their decisions gave away in homework: when it ends, or at once."""

Phase = Literal["coming", "open", "over"]

TABLES: Final = tuple(slug for slug, game in GAMES.items() if game.advisor)
"""Where there is something to decide: at the others nobody can play better than anybody else."""

RANKINGS: Final[tuple[Ranking, ...]] = ("play", "result")
SCREENS: Final[tuple[Screen, ...]] = ("best", "nobody")
POINTS: Final[tuple[Points, ...]] = ("end", "now")

MAX_TOURNAMENTS: Final = 20
"""So many tournaments a class can have."""

MAX_DEALS: Final = 20
"""So many deals a tournament can have."""

MAX_TITLE: Final = 40

_DEAL_VERSION: Final = 2


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

    def phase(self, now: float) -> Phase:
        """Return whether it is to come, can be played, or is over at a time."""
        if self.due and now >= self.due:
            return "over"
        return "open" if now >= self.opens else "coming"

    def deal(self, number: int) -> Deal:
        """Return one of its deals, counted from 1: a deal link's, but that no link leads to it.

        Whoever is told the salt of one deal when all is over finds no other by it.
        """
        salt = hmac.digest(self.salt, f"cardgames tournament deal {number}".encode(), "sha256")
        choices = self.game.deals.read({}).choices
        return Deal(
            version=_DEAL_VERSION,
            game=self.table,
            counted=False,
            seeded=False,
            salt=salt[:SALT_BYTES],
            choices=choices,
        )


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

    def packed(self) -> bytes:
        """Return it as it is kept."""
        return msgspec.msgpack.encode(self)


def unpack_entry(data: bytes) -> Entry:
    """Return what was kept; nothing played for what cannot be read."""
    try:
        return msgspec.msgpack.decode(data, type=Entry) if data else Entry()
    except msgspec.MsgspecError:
        return Entry()
