"""The big screen: what the whole room reads from eight metres. Never a real name."""

from dataclasses import dataclass
from typing import Final

from cardgames.cards import RANK_WORDS, Card, Rank, Suit
from cardgames.class_bingo.results import Place
from cardgames.text import Text, plural
from web.classroom import words
from web.classroom.card_page import Tile, tile_rows
from web.classroom.insight_summary import ScreenInsight, screen_insight
from web.classroom.model import Member
from web.classroom.presence import is_here, last_seen, table_of
from web.classroom.public_address import PublicAddress
from web.classroom.results import BingoPlace, best_players
from web.classroom.standings import MAX_BEST
from web.classroom.state import ClassState, LiveRound
from web.classroom.tournament_summary import ScreenStandings, screen_standings

BEFORE: Final = 6
PLAYERS: Final = 3
"""So many who play at a table are named."""

NEWEST: Final = 3
"""So many newcomers are named."""

CARDS_SHOWN: Final = 2
"""Of so many winners the cards are shown."""

SEAL_SHOWN: Final = 16
"""So many characters of a seal are shown: enough to compare."""

SUITS: Final = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)


@dataclass(frozen=True, slots=True)
class BoardCell:
    """A card of the calling deck on the board."""

    card: Card
    is_called: bool
    is_last: bool
    would_end: bool
    """Whether its call would give somebody BINGO!"""


@dataclass(frozen=True, slots=True)
class Winner:
    """Who has BINGO!"""

    name: str
    card: int
    place: int
    rows: tuple[tuple[Tile, ...], ...]


@dataclass(frozen=True, slots=True)
class ScreenRound:
    """A round on the big screen."""

    number: int
    phase: str
    kind: Text
    speed: bool
    calls: int
    left: int
    every: int
    cards: int
    """How many are in play."""

    last: Card | None
    before: tuple[Card, ...]
    board: tuple[tuple[BoardCell, ...], ...]
    """A row for each suit; in a speed round one row, of ranks."""

    away: int
    """How many students are one away."""

    ending: int
    """How many cards would give somebody BINGO!"""

    chance: float
    seal: str
    winners: tuple[Winner, ...]
    more: int
    """How many further winners are not named."""

    how: str
    """At which call they have it, and with which card."""

    @property
    def is_over(self) -> bool:
        """Whether its seal is opened."""
        return self.phase in ("over", "void")


@dataclass(frozen=True, slots=True)
class ScreenPage:
    """The big screen of a class."""

    code: str
    title: str
    show: str
    version: str
    reach: PublicAddress
    count: int
    """How many students are in."""

    newest: tuple[str, ...]
    """The nicknames of the newest, as far as they were offered."""

    players: tuple[tuple[str, str], ...]
    """Who plays at a table: nicknames that were offered, and the tables."""

    more_players: int
    """How many play there besides."""

    takes_new: bool
    asks_real: bool
    round: ScreenRound | None
    insight: ScreenInsight | None
    standings: ScreenStandings | None
    bingo: tuple[BingoPlace, ...]
    """Who has won most rounds of Bingo, where there is no tournament to show."""

    more_winners: int
    """How many have the same place as the last of them."""


def screen_page(
    state: ClassState, show: str, version: str, reach: PublicAddress, table: str = ""
) -> ScreenPage:
    """Return the big screen of a class.

    Args:
        state: the class.
        show: what is to be shown.
        version: what changes whenever it does.
        reach: where phones find the site.
        table: the slug of the table of which *insight* is asked for, if any.
    """
    live = state.round
    if show == "round" and live is None:
        show = "join"
    offered = [member.student.name for member in state.playing if member.student.offered]
    playing = _at_tables(state) if show == "join" else []
    players = tuple(
        (member.student.name, table) for member, table in playing if member.student.offered
    )
    standings = screen_standings(state) if show == "standings" else None
    winners = best_players(state) if show == "standings" and not standings else ()
    bingo = winners[:MAX_BEST]
    return ScreenPage(
        code=state.code,
        title=state.classroom.title,
        show=show,
        version=version,
        reach=reach,
        count=len(state.playing),
        newest=tuple(offered[::-1][:NEWEST]),
        players=players[:PLAYERS],
        more_players=len(playing) - len(players[:PLAYERS]),
        takes_new=not (state.classroom.locked or state.classroom.closed),
        asks_real=state.classroom.real != "no",
        round=_screen_round(state, live) if live and show == "round" else None,
        insight=screen_insight(state, table) if show == "insight" else None,
        standings=standings,
        bingo=bingo,
        more_winners=sum(one.place == bingo[-1].place for one in winners[MAX_BEST:]),
    )


def _at_tables(state: ClassState) -> list[tuple[Member, str]]:
    """Return who has just played at a table, and at which."""
    seen = last_seen(state)
    found = []
    for member in state.playing:
        last = seen[member.number]
        if is_here(last.at, state.counters.now) and (table := table_of(last.place)):
            found.append((member, table))
    return found


def short_seal(seal: str) -> str:
    """Return the beginning of a seal, in groups of four.

    >>> short_seal("5f0c91d47be20a6f" + 48 * "0")
    '5f0c 91d4 7be2 0a6f'
    """
    return " ".join(seal[start : start + 4] for start in range(0, SEAL_SHOWN, 4))


def _screen_round(state: ClassState, live: LiveRound) -> ScreenRound:
    near = live.one_away
    called = live.called
    newest = _newest_places(live)
    cards = [(place.place, card) for place in newest for card in place.cards]
    winners = tuple(
        Winner(
            state.name_of(card),
            card,
            place,
            tile_rows(live.card(card), live.calls) if len(cards) <= CARDS_SHOWN else (),
        )
        for place, card in cards[:_MAX_WINNERS]
    )
    return ScreenRound(
        number=live.data.number,
        phase=live.phase,
        kind=_in_a_sentence(live),
        speed=live.data.speed,
        calls=live.calls,
        left=live.left,
        every=live.every,
        cards=len(live.cards_in_play),
        last=called[-1] if called else None,
        before=called[:-1][::-1][:BEFORE],
        board=_board(live),
        away=near.cards_in_play,
        ending=len(near.ending),
        chance=near.chance,
        seal=short_seal(live.seal),
        winners=winners,
        more=len(cards) - len(winners),
        how=_how(live, newest, len(cards)),
    )


_MAX_WINNERS: Final = 12


def _newest_places(live: LiveRound) -> tuple[Place, ...]:
    """Return the places that were taken since the round last went on."""
    if live.phase == "playing":
        return ()
    if not live.data.by_hand:
        return tuple(place for place in live.places if place.call > live.data.resumed_at_call)
    now = {
        claim.card for claim in live.claims if claim.right and claim.heat == live.data.resumptions
    }
    return tuple(place for place in live.places if now.intersection(place.cards))


def _how(live: LiveRound, newest: tuple[Place, ...], count: int) -> str:
    """Say at which call there was a BINGO!, and with which card."""
    if not newest:
        return ""
    call = newest[-1].call
    card = live.called[call - 1] if call else None
    if card is None:
        return ""
    if live.data.speed:
        what: Text = Text("every {rank}", rank=RANK_WORDS[card.rank])
    else:
        what = words.the_card(card, live.data.kind)
    if count > _MAX_WINNERS or count > CARDS_SHOWN:
        return plural(
            "{number} student at call {call}: {what}",
            "{number} students at call {call}: {what}",
            count,
            call=call,
            what=what,
        )
    if count > 1:
        return Text("Both at call {call}: {what}", call=call, what=what)
    return Text("At call {call}: {what}", call=call, what=what)


def _board(live: LiveRound) -> tuple[tuple[BoardCell, ...], ...]:
    called, near = live.called, live.one_away
    known = frozenset(one.rank if live.data.speed else one for one in called)
    ending = frozenset(one.rank if live.data.speed else one for one in near.ending)
    last = called[-1] if called else None

    def cell(card: Card) -> BoardCell:
        key = card.rank if live.data.speed else card
        same = last is not None and (last.rank if live.data.speed else last) == key
        return BoardCell(card, key in known, same, live.phase == "playing" and key in ending)

    suits = SUITS[:1] if live.data.speed else SUITS
    return tuple(tuple(cell(Card(f"{rank}{suit}")) for rank in Rank) for suit in suits)


def _in_a_sentence(live: LiveRound) -> Text:
    mode = words.PATTERNS[live.data.mode]
    return Text("{mode}, speed", mode=mode) if live.data.speed else mode
