"""``/class/CODE/projector``: the big screen, read from eight metres, and the QR code on it.

Never a real name.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import flask

from cardgames.cards import RANK_WORDS, Card, Rank, Suit
from cardgames.text import Text, plural
from web.classroom import words
from web.classroom.answers import public_address
from web.classroom.documents import round_document
from web.classroom.insight_views import chosen_table
from web.classroom.moves import SHOWN
from web.classroom.results import best_players
from web.classroom.standings import MAX_BEST, tournament_on_screen
from web.classroom.state import ClassState, LiveRound, load_class
from web.classroom.updates import answer_known_page, is_here, last_seen, page_version, table_of
from web.classroom.view import MAX_NAMES, Tile, class_view, tile_rows
from web.http.qr import svg_qr
from web.http.requests import wants_json
from web.http.responses import json_response, render_page
from web.http.takes_long import takes_long

PLAYERS: Final = 3
"""Number of students at tables who are named."""

NEWEST: Final = 3
"""Number of newcomers who are named."""

CARDS_SHOWN: Final = 2
"""Maximum number of winners whose cards are shown."""

_SUITS: Final = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)

blueprint = flask.Blueprint("class-screen", __name__)
blueprint.before_request(answer_known_page)


@blueprint.get("/class/<code>/projector")
@takes_long
def show(code: str) -> flask.Response:
    """Show the big screen: what the dashboard has chosen, or what the address names."""
    state, arguments = load_class(code), flask.request.args
    chosen = arguments.get("show", "")
    chosen = chosen if chosen in SHOWN else state.classroom.show
    of = "insight" if chosen == "insight" else "screen"
    version = page_version(state.counters, of)
    shows = "join" if chosen == "round" and state.round is None else chosen
    at_tables = [*_at_tables(state)] if shows == "join" else []
    players = [(name, table) for name, is_offered, table in at_tables if is_offered][:PLAYERS]
    tournament = tournament_on_screen(state) if chosen == "standings" else None
    best = best_players(state) if chosen == "standings" and not tournament else ()
    insight = chosen_table(state, arguments.get("table", "")) if chosen == "insight" else None
    if wants_json():
        bingo = [
            {"place": winner.place, "name": winner.name, "won": winner.score.won}
            for winner in best[:MAX_BEST]
        ]
        return json_response(
            {
                "class": state.code,
                "title": state.classroom.title,
                "version": version,
                "show": chosen,
                "count": len(state.playing),
                "playing": [{"name": name, "table": table} for name, table in players],
                "round": round_document(state),
                "standings": tournament and tournament.screen_document(),
                "bingo": bingo,
                "insight": insight and insight.screen_document(),
            }
        )
    shown, live = class_view(state), state.round if shows == "round" else None
    named = [member.student.name for member in state.playing if member.student.offered]
    return render_page(
        "class/projector.html",
        classroom=shown,
        round=shown.round if live else None,
        show=shows,
        version=version,
        of=of,
        public=public_address(),
        count=len(state.playing),
        newest=named[::-1][:NEWEST],
        players=players,
        more_players=len(at_tables) - len(players),
        winners=_winners(state, live) if live else None,
        board=_board(live) if live else (),
        tournament=tournament,
        best=best[:MAX_BEST],
        more_winners=sum(winner.place == best[MAX_BEST - 1].place for winner in best[MAX_BEST:]),
        insight=insight,
        renews=state.counters.is_open and "still" not in arguments,
    )


@blueprint.get("/class/<code>/qr.svg")
def qr(code: str) -> flask.Response:
    """Return the QR code of the address where a class is joined."""
    state = load_class(code)
    picture = svg_qr(public_address().join_url(state.code))
    return flask.Response(picture, mimetype="image/svg+xml")


def _at_tables(state: ClassState) -> Iterator[tuple[str, bool, str]]:
    """Yield who has just played at a table: the nickname, whether it was offered, the table."""
    seen = last_seen(state)
    for member in state.playing:
        last = seen[member.number]
        if is_here(last.at, state.counters.now) and (table := table_of(last.place)):
            yield member.student.name, member.student.offered, table


# ---- A BINGO! ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Winner:
    """Who has BINGO!"""

    name: str
    card: int
    place: int
    rows: tuple[tuple[Tile, ...], ...]
    """The card; none where there are too many winners to show theirs."""


@dataclass(frozen=True, slots=True)
class NewWinners:
    """Those who have BINGO! since the round last went on."""

    named: tuple[Winner, ...]
    more: int
    """How many further winners are not named."""

    how: str
    """At which call they have it, and with which card."""


def _winners(state: ClassState, live: LiveRound) -> NewWinners | None:
    """Return who has BINGO! now; None while cards are called."""
    if live.phase == "playing":
        return None
    if live.data.by_hand:
        resumptions = live.data.resumptions
        right = (claim for claim in live.claims if claim.right)
        now = {claim.card for claim in right if claim.resumptions == resumptions}
        newest = [place for place in live.places if now.intersection(place.cards)]
    else:
        newest = [place for place in live.places if place.call > live.data.resumed_at_call]
    if not newest:
        return None
    cards = [(place.place, card) for place in newest for card in place.cards]
    shows_cards = len(cards) <= CARDS_SHOWN
    named = tuple(
        Winner(
            state.name_of(card),
            card,
            place,
            tile_rows(live.card(card), live.calls) if shows_cards else (),
        )
        for place, card in cards[:MAX_NAMES]
    )
    return NewWinners(named, len(cards) - len(named), _how(live, newest[-1].call, len(cards)))


def _how(live: LiveRound, call: int, count: int) -> str:
    """Say at which call there was a BINGO!, and with which card."""
    if not call:
        return ""
    card = live.called[call - 1]
    if live.data.speed:
        what: Text = Text("every {rank}", rank=RANK_WORDS[card.rank])
    else:
        what = words.the_card(card, live.data.kind)
    if count > CARDS_SHOWN:
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


# ---- The board -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BoardCell:
    """A card of the calling deck on the board."""

    card: Card
    is_called: bool
    is_last: bool
    would_end: bool
    """Whether its call would give somebody BINGO!"""


def _board(live: LiveRound) -> tuple[tuple[BoardCell, ...], ...]:
    """Return a row for each suit; in a speed round one row, of ranks."""

    def face(card: Card) -> Card | Rank:
        return card.rank if live.data.speed else card

    called, ending = [face(card) for card in live.called], {*map(face, live.one_away.ending)}
    known = frozenset(called)

    def cell(card: Card) -> BoardCell:
        key = face(card)
        is_last = bool(called) and called[-1] == key
        return BoardCell(card, key in known, is_last, live.phase == "playing" and key in ending)

    suits = _SUITS[:1] if live.data.speed else _SUITS
    return tuple(tuple(cell(Card(f"{rank}{suit}")) for rank in Rank) for suit in suits)
