"""The rules of a Bingo match for two players: rounds, calls and claims, as pure functions.

The host created the deal link, and the guest gets the card that otherwise belongs to Rosa. The
rounds are played by hand, as in class Bingo: both players cover their own cards and click BINGO!,
and a claim is evaluated at the call that the claimant's page shows. The first correct claim stops
the clock. Each round has a separate secret salt. The cards of the deal link itself are not dealt,
because anyone can play them alone in another tab, and would then know the calls in advance.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Literal, NamedTuple

import msgspec

from cardgames.cards import DECK_SIZE, CardGameError, Cards
from cardgames.class_bingo.card import BingoCard, Kind, salted_card
from cardgames.class_bingo.clock import Clock
from cardgames.class_bingo.decks import calling_deck
from cardgames.class_bingo.results import Claim, claimed_places, judge
from cardgames.games.bingo.rules import CENTRE, GRID_SIZE, Mode
from cardgames.moves import IllegalMove
from cardgames.text import Text

TABLE: Final = "bingo"
"""The slug of the table whose deal links two players can play together."""

HOST: Final = 1
"""The number of the host and of the host's card."""

GUEST: Final = 2
"""The number of the guest and of the guest's card."""

CALLERS: Final = (3, 5, 8, 0)
"""The seconds between two calls of the clock, or 0 if the host calls."""

NOT_YOUR_CALL: Final = Text("The player who made the link calls the cards.")
CLOCK_CALLS: Final = Text("In this match the clock calls the cards.")
NO_ROUND: Final = Text("No round is in progress. Deal the next round.")
NOT_OVER: Final = Text("This round has not ended yet.")
OTHER_LEFT: Final = Text("This match has ended, because one of you has left.")
NOBODY_YET: Final = Text("Your friend is not here yet.")
STOPPED: Final = Text("BINGO! No cards are called now.")
STALE: Final = Text("That page was out of date. This is your card now.")
NO_POSITION: Final = Text("A card has the positions 0 to 24, and the centre is free.")

MatchPhase = Literal["waiting", "ready", "playing", "bingo", "over"]


class StaleMatchForm(CardGameError):
    """Raised if the form is from an outdated page."""


class Score(NamedTuple):
    """Numbers of rounds won by each player, and the number of ties."""

    host: int
    guest: int
    ties: int


class Match(msgspec.Struct, frozen=True):
    """A match between two players: its settings, open round and earlier results."""

    mode: str
    """The letter of the pattern that wins the round: L, C or F."""

    speed: bool
    every: int
    """The seconds between two calls of the clock, or 0 if the host calls."""

    step: int = 0
    """The number of changes that both players can see."""

    has_guest: bool = False
    left_by: int = 0
    """The number of the player who left, or 0 if neither player left."""

    round: int = 0
    """The number of the newest round, or 0 before the first round."""

    salt: str = ""
    clock: Clock = Clock()
    claims: tuple[Claim, ...] = ()
    """The claims of the newest round."""

    marks: tuple[int, int] = (0, 0)
    """The positions that the host and the guest have covered in the newest round, as bits."""

    won: tuple[int, int, int] = (0, 0, 0)
    """The results of the earlier rounds: rounds won by the host, rounds won by the guest, and ties.
    """

    @property
    def kind(self) -> Kind:
        """The kind of the match's rounds."""
        return Kind(Mode(self.mode), self.speed)

    @property
    def phase(self) -> MatchPhase:
        """The phase of the match."""
        if self.left_by:
            return "over"
        if not self.has_guest:
            return "waiting"
        if not self.round:
            return "ready"
        return "bingo" if self.winners else "playing"

    @property
    def winners(self) -> tuple[int, ...]:
        """The winners of the newest round: no player, one player, or both in a tie."""
        places = claimed_places(self.claims)
        return places[0].cards if places else ()

    @property
    def score(self) -> Score:
        """The results of all rounds. The newest round is included if it has a winner."""
        host, guest, ties = self.won
        is_tie = len(self.winners) > 1
        return Score(
            host + (HOST in self.winners and not is_tie),
            guest + (GUEST in self.winners and not is_tie),
            ties + is_tie,
        )

    def card(self, player: int) -> BingoCard:
        """Return a player's card in the newest round."""
        return salted_card(self.salt, player, self.kind)

    def called(self, now: float) -> Cards:
        """Return the cards called in the newest round, in the order of the calls."""
        return calling_deck(self.salt)[: self.clock.called(now)] if self.round else ()

    def covered(self, player: int) -> tuple[int, ...]:
        """Return the positions that a player has covered, including the free centre."""
        bits = self.marks[player - 1] | 1 << CENTRE
        return tuple(place for place in range(GRID_SIZE) if bits >> place & 1)

    def find_claim(self, player: int, call: int | None = None) -> Claim | None:
        """Return a player's correct claim, otherwise the claim at a given call, or None."""
        for claim in self.claims:
            if claim.card == player and (claim.right if call is None else claim.call == call):
                return claim
        return None

    def may_deal(self, now: float) -> bool:
        """Return whether either player can deal the next round."""
        if self.phase == "playing":
            return self.clock.called(now) == DECK_SIZE
        return self.phase in ("ready", "bingo")

    def may_claim(self, player: int) -> bool:
        """Return whether a player can claim BINGO!"""
        return self.phase in ("playing", "bingo") and self.find_claim(player) is None

    def may_call(self, player: int, now: float) -> bool:
        """Return whether a player can call the next card."""
        is_caller = player == HOST and not self.every
        return is_caller and self.phase == "playing" and self.clock.called(now) < DECK_SIZE

    def changed(self, **values: object) -> "Match":
        """Return the match after a change that both players can see."""
        return msgspec.structs.replace(self, step=self.step + 1, **values)


def join(match: Match, now: float, new_salt: Callable[[], str], *, is_host_here: bool) -> Match:
    """Return a match after the guest has arrived.

    If the host is present, the first round is dealt.
    """
    joined = match.changed(has_guest=True)
    return deal(joined, 1, now, new_salt) if is_host_here else joined


def deal(match: Match, number: int, now: float, new_salt: Callable[[], str]) -> Match:
    """Return a match with the next round.

    Args:
        match: The match before the move.
        number: The number of the round in the form, which prevents a second round if both players
            click the button.
        now: The time in seconds.
        new_salt: Function that returns the salt of the round.

    Raises:
        StaleMatchForm: If the round was already dealt.
        IllegalMove: If the current round has not ended.
    """
    require_players(match)
    if number != match.round + 1:
        raise StaleMatchForm(STALE)
    if not match.may_deal(now):
        raise IllegalMove(NOT_OVER)
    return match.changed(
        round=number,
        salt=new_salt(),
        clock=Clock(since=now, every=match.every),
        claims=(),
        marks=(0, 0),
        won=tuple(match.score),
    )


def call(match: Match, player: int, number: int, now: float) -> Match:
    """Return a match after the host has called a card.

    Args:
        match: The match before the move.
        player: The number of the player.
        number: The number of the call, which prevents a double click from calling two cards.
        now: The time in seconds.

    Raises:
        StaleMatchForm: If the card was already called.
        IllegalMove: If the player cannot call.
    """
    require_round(match)
    if match.every:
        raise IllegalMove(CLOCK_CALLS)
    if player != HOST:
        raise IllegalMove(NOT_YOUR_CALL)
    if match.phase == "bingo":
        raise IllegalMove(STOPPED)
    if number != match.clock.called(now) + 1 or number > DECK_SIZE:
        raise StaleMatchForm(STALE)
    return match.changed(clock=match.clock.called_one(now))


def mark(match: Match, player: int, number: int, position: int, *, on: bool) -> Match:
    """Return a match after a player has covered or uncovered a position of their card.

    Raises:
        StaleMatchForm: If the form is from another round.
        IllegalMove: If no round is in progress, or the position does not exist.
    """
    require_round(match)
    if number != match.round:
        raise StaleMatchForm(STALE)
    if position == CENTRE or not 0 <= position < GRID_SIZE:
        raise IllegalMove(NO_POSITION)
    marks = list(match.marks)
    before = marks[player - 1]
    marks[player - 1] = before | 1 << position if on else before & ~(1 << position)
    # The step does not change, because the other player's page must not show that a card was
    # covered.
    return msgspec.structs.replace(match, marks=(marks[0], marks[1]))


def claim(match: Match, player: int, named: int, now: float) -> tuple[Match, Claim]:
    """Return the match after a player claims BINGO!, and the claim itself.

    If a claim is repeated at the same call, or follows a correct claim, the first claim is returned
    again. An incorrect claim has no cost.

    Args:
        match: The match before the move.
        player: The number of the player.
        named: The number of calls that the player's page shows.
        now: The time in seconds.

    Raises:
        IllegalMove: If no round is in progress.
    """
    require_round(match)
    clock = match.clock.settled(now)
    new = judge(match.card(player), named, clock.calls, 0)
    if earlier := match.find_claim(player) or match.find_claim(player, new.call):
        return match, earlier
    claims = (*match.claims, new)
    if not new.right:
        return msgspec.structs.replace(match, clock=clock, claims=claims), new
    return match.changed(clock=replace(clock, stop=clock.calls), claims=claims), new


def leave(match: Match, player: int) -> Match:
    """Return a match after a player has left it."""
    return match if match.left_by else match.changed(left_by=player)


def require_players(match: Match) -> None:
    """Raise IllegalMove unless both players are in the match.

    Raises:
        IllegalMove: If a player is missing.
    """
    if match.left_by:
        raise IllegalMove(OTHER_LEFT)
    if not match.has_guest:
        raise IllegalMove(NOBODY_YET)


def require_round(match: Match) -> None:
    """Raise IllegalMove unless a round is in progress.

    Raises:
        IllegalMove: If no round is in progress.
    """
    require_players(match)
    if not match.round:
        raise IllegalMove(NO_ROUND)
