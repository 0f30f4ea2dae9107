"""``/class/CODE/projector``: the big screen, read from eight metres, and the QR code on it.

Never a real name.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Any, Final, NamedTuple

import flask

from cardgames.cards import Card, Rank
from cardgames.text import Text, plural
from web.classroom import words
from web.classroom.card import SUIT_ORDER
from web.classroom.insight import PERIODS, asked_period
from web.classroom.live_round import MAX_NAMES, LiveRound, Tile, round_document, tile_rows
from web.classroom.misconceptions import (
    MAX_ON_SCREEN,
    chosen_table,
    insight_of,
    with_replays,
)
from web.classroom.moves import SHOWN
from web.classroom.rounds import won_since
from web.classroom.state import ClassState, load_class, page_version
from web.classroom.tournament_places import TournamentState, tournament_on_screen
from web.classroom.tournaments import MAX_BEST
from web.classroom.updates import TABLES, answer_known_page, is_here, last_seen
from web.classroom.votes import SURE, answered, newest_vote
from web.http.reach import public_address
from web.http.requests import wants_json
from web.http.responses import json_response, render_page
from web.http.sharing import svg_qr

PLAYERS: Final = 3
"""Number of students at tables who are named."""

NEWEST: Final = 3
"""Number of newcomers who are named."""

HOUR: Final = 3_600
"""Number of seconds."""

CARDS_SHOWN: Final = 2
"""Maximum number of winners whose cards are shown."""

blueprint = flask.Blueprint("class-screen", __name__)
blueprint.before_request(answer_known_page)


@blueprint.get("/class/<code>/projector")
def show(code: str) -> flask.Response:
    """Show the big screen: what the dashboard has chosen, or what the address names."""
    state, arguments = load_class(code), flask.request.args
    chosen = arguments.get("show", "")
    chosen = chosen if chosen in SHOWN else state.classroom.show
    of = "insight" if chosen == "insight" else "screen"
    version = page_version(state.counters, of)
    shows = "join" if chosen == "round" and state.round is None else chosen
    live = state.round if shows == "round" else None
    at_tables = [*_at_tables(state)] if shows == "join" else []
    players = [(name, table) for name, is_offered, table in at_tables if is_offered][:PLAYERS]
    tournament = tournament_on_screen(state) if chosen == "standings" else None
    ranked = [*best_players(state)] if chosen == "standings" and not tournament else []
    best, others = ranked[:MAX_BEST], ranked[MAX_BEST:]
    hour = [*best_players(state, HOUR)][:MAX_BEST] if chosen == "standings" else []
    period, table = asked_period(), arguments.get("table", "")
    found = insight_of(state, period) if chosen == "insight" else {}
    insight = chosen_table(found, table)
    if insight:
        shown = with_replays(state, period, insight.costly[:MAX_ON_SCREEN])
        insight = replace(insight, costly=shown)
    vote = newest_vote(state) if chosen == "vote" else None
    if wants_json():
        return json_response(
            {
                "class": state.code,
                "title": state.classroom.title,
                "version": version,
                "show": chosen,
                "count": len(state.playing),
                "playing": [{"name": name, "table": table} for name, table in players],
                "round": round_document(state.round),
                "standings": tournament and _tournament_document(tournament),
                "bingo": [winner._asdict() for winner in best],
                "hour": [winner._asdict() for winner in hour],
                "insight": insight and {"days": period, **insight.screen_document()},
                "vote": vote and vote.document() | {"answered": answered(vote)},
            }
        )
    named = [member.name for member in state.playing if member.offered]
    return render_page(
        "class/projector.html",
        state=state,
        round=live,
        show=shows,
        version=version,
        of=of,
        public=public_address(),
        count=len(state.playing),
        newest=named[::-1][:NEWEST],
        players=players,
        more_players=len(at_tables) - len(players),
        winners=_new_winners(live) if live else None,
        board=_board(live) if live else (),
        tournament=tournament,
        best=best,
        hour=hour,
        more_winners=sum(winner.place == best[-1].place for winner in others),
        insight=insight,
        period="" if period == "all" else PERIODS[period],
        vote=vote,
        answered=answered(vote) if vote else 0,
        sure=SURE,
        renews=state.counters.is_open and "still" not in arguments,
    )


@blueprint.get("/class/<code>/qr.svg")
def qr(code: str) -> flask.Response:
    """Return the QR code of the address where a class is joined."""
    state = load_class(code)
    picture = svg_qr(public_address().join_url(state.code))
    return flask.Response(picture, mimetype="image/svg+xml")


class BestPlayer(NamedTuple):
    """Where a student stands at class Bingo; as many rounds won are the same place."""

    place: int
    name: str
    won: int


def best_players(state: ClassState, within: float = 0.0) -> Iterator[BestPlayer]:
    """Yield the students of a class who have won at Bingo, who has won most rounds first.

    Args:
        state: the class.
        within: in how many seconds before now; 0 for ever.
    """
    known = _won(state, within)
    winners = [(known.get(member.number, 0), member.name) for member in state.students]
    ranked = sorted(filter(itemgetter(0), winners), key=itemgetter(0), reverse=True)
    counts = [won for won, _ in ranked]
    for won, name in ranked:
        yield BestPlayer(1 + counts.index(won), name, won)


def _won(state: ClassState, within: float) -> Mapping[int, int]:
    """Return how many rounds students have won, by their numbers."""
    if not within:
        return {number: member.won for number, member in state.members.items()}
    return won_since(state.code, state.counters.now - within)


def _tournament_document(at: TournamentState) -> dict[str, Any]:
    one, found, points = at.tournament, at.standings, not at.hides_points
    return {
        "title": one.heading,
        "table": one.game.info.title,
        "ranking": one.ranking,
        "finished": found.finished,
        "best": [row.document(deals=False, points=points) for row in at.on_screen],
    }


def _at_tables(state: ClassState) -> Iterator[tuple[str, bool, str]]:
    """Yield who has just played at a table: the nickname, whether it was offered, the table."""
    seen = last_seen(state)
    for member in state.playing:
        last = seen[member.number]
        if is_here(last.at, state.counters.now) and last.place in TABLES:
            yield member.name, member.offered, TABLES[last.place]


class Winner(NamedTuple):
    """Who has BINGO!"""

    name: str
    card: int
    place: int
    rows: tuple[tuple[Tile, ...], ...]
    """The card; none where there are too many winners to show theirs."""


class NewWinners(NamedTuple):
    """Those who have BINGO! since the round last went on."""

    named: list[Winner]
    more: int
    """Number of further winners, who are not named."""

    how: str
    """At which call they have it, and with which card."""


def _new_winners(live: LiveRound) -> NewWinners | None:
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
    held = [(place.place, live.card(card)) for place in newest for card in place.cards]
    named = []
    for place, card in held[:MAX_NAMES]:
        covered, winning = card.covered(live.calls), card.winning(live.calls)
        rows = tile_rows(card, covered, winning) if len(held) <= CARDS_SHOWN else ()
        named.append(Winner(live.name_of(card.number), card.number, place, rows))
    return NewWinners(named, len(held) - len(named), _how(live, newest[-1].call, len(held)))


def _how(live: LiveRound, call: int, count: int) -> str:
    """Say at which call there was a BINGO!, and with which card."""
    if not call:
        return ""
    card = live.called[call - 1]
    rank = Text("every {rank}", rank=card.rank.text)
    what = rank if live.data.speed else words.the_card(card, live.data.kind)
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


def _board(live: LiveRound) -> list[list[tuple[Card, str]]]:
    """Return the cards of the calling deck, a row for each suit; in a speed round one, of ranks.

    With each is its mark: ``just-called``, ``out`` for one called before, ``ends`` for one whose
    call would give somebody BINGO!, or none.
    """

    def face(card: Card) -> Card | Rank:
        return card.rank if live.data.speed else card

    marks: dict[Card | Rank, str] = {}
    if live.phase == "playing":
        marks = dict.fromkeys(map(face, live.one_away.ending), "ends")
    marks |= dict.fromkeys(map(face, live.called), "out")
    if live.last:
        marks[face(live.last)] = "just-called"
    return [
        [(card, marks.get(face(card), "")) for rank in Rank if (card := Card(f"{rank}{suit}"))]
        for suit in (SUIT_ORDER[:1] if live.data.speed else SUIT_ORDER)
    ]
