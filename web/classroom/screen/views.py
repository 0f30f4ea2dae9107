"""``/class/CODE/projector``: the big screen, and the QR code on it.

Students read the big screen from eight metres away. The screen never shows a real name.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

import flask
from flask import render_template
from flask.typing import ResponseReturnValue

from cardgames.cards import Card, Rank
from cardgames.text import Text, plural
from web.classroom.bingo.queries import live_bingo, winners_within
from web.classroom.bingo.rules import (
    MAX_NAMES,
    LiveBingo,
    Tile,
    best_players,
    round_document,
    tile_rows,
)
from web.classroom.bingo.views import SUIT_ORDER
from web.classroom.core import words
from web.classroom.core.access import load_class, load_students, not_banned, playing
from web.classroom.core.models import Classroom, Student
from web.classroom.core.presence import TABLE_TITLES, answer_not_modified, is_present, with_etag
from web.classroom.homework.queries import Homework, tournament_on_screen
from web.classroom.homework.rules import MAX_BEST
from web.classroom.insight.queries import load_insight, with_replays
from web.classroom.insight.rules import MAX_ON_SCREEN, PERIODS, chosen_table
from web.classroom.insight.views import asked_period
from web.classroom.votes.models import CONFIDENCE_LEVELS
from web.classroom.votes.queries import answered, newest_vote
from web.http.requests import wants_json
from web.http.responses import json_response
from web.reach import public_address
from web.sharing import svg_qr

SHOWN: Final[Mapping[str, Text]] = {
    "join": Text("Join"),
    "round": Text("Round"),
    "standings": Text("Results"),
    "insight": Text("Insight"),
    "vote": Text("Vote"),
    "nothing": Text("Nothing"),
}
"""The possible contents of the big screen, and the labels of their buttons."""

PLAYERS: Final = 3
"""Maximum number of students at tables who are named."""

NEWEST: Final = 3
"""Maximum number of new students who are named."""

HOUR: Final = 3_600
"""Number of seconds."""

CARDS_SHOWN: Final = 2
"""Maximum number of winners whose cards are shown."""

blueprint = flask.Blueprint("screen", __name__)
blueprint.before_request(answer_not_modified)


@blueprint.get("/class/<code>/projector")
def show(code: str) -> ResponseReturnValue:
    """Show the big screen with the content that the URL or the dashboard selects."""
    classroom, asked = load_class(code), flask.request.args
    chosen = asked.get("show", "")
    chosen = chosen if chosen in SHOWN else classroom.show
    live, students = live_bingo(classroom), load_students(classroom)
    shows = "join" if chosen == "round" and live is None else chosen
    values = dict.fromkeys(SCREEN_CONTEXT) | _screen_context(classroom, shows, live, students)
    of = "insight" if chosen == "insight" else "screen"
    etag = classroom.etag(of)
    if wants_json():
        document = {"class": classroom.code, "title": classroom.title}
        document |= {"version": etag, "show": chosen}
        document |= _document(live, len(playing(students)), values)
        return with_etag(json_response(document), etag)
    page = render_template(
        "class/projector.html",
        classroom=classroom,
        show=shows,
        of=of,
        public=public_address(),
        count=len(playing(students)),
        renews=classroom.is_open and "still" not in asked,
        **values,
    )
    return with_etag(page, etag)


MAX_NEAR: Final = 4
"""Maximum number of nicknames shown of students who are one card away from BINGO!"""

SCREEN_CONTEXT: Final = (
    *("newest", "at_tables", "bingo", "winners", "board", "tournament", "best", "more_winners"),
    *("near", "hour", "insight", "period", "vote", "answered", "sure"),
)
"""The template variables. Each kind of content uses some of these values, and the others are empty.
"""


def _screen_context(
    classroom: Classroom, shows: str, live: LiveBingo | None, students: Mapping[int, Student]
) -> dict[str, Any]:
    """Return the big screen's content for a class."""
    here = playing(students)
    match shows:
        case "join":
            newest = [student.name for student in here if student.offered][::-1][:NEWEST]
            return {"newest": newest, "at_tables": AtTables.of(here, classroom.now)}
        case "round" if live:
            near = near_names(live)
            values = {"bingo": live, "winners": _new_winners(live), "board": _board(live)}
            return {**values, "near": near}
        case "standings":
            present = not_banned(students)
            hour = winners_within(classroom, present, HOUR)[:MAX_BEST]
            if tournament := tournament_on_screen(classroom):
                return {"tournament": tournament, "best": (), "hour": hour}
            ranked = [*best_players(present)]
            best, others = ranked[:MAX_BEST], ranked[MAX_BEST:]
            more = sum(winner.rank == best[-1].rank for winner in others)
            return {"best": best, "more_winners": more, "hour": hour}
        case "insight":
            return _insight(classroom)
        case "vote" if vote := newest_vote(classroom):
            return {"vote": vote, "answered": answered(vote), "sure": CONFIDENCE_LEVELS}
    return {}


def _insight(classroom: Classroom) -> dict[str, Any]:
    """Return the class's mistakes at the table that the URL selects."""
    period = asked_period()
    tables = load_insight(classroom, period)
    insight = chosen_table(tables, flask.request.args.get("table", ""))
    if insight is None:
        return {}
    costly = with_replays(classroom, period, insight.costly[:MAX_ON_SCREEN])
    insight = replace(insight, costly=costly)
    return {"insight": insight, "period": "" if period == "all" else PERIODS[period]}


def _document(live: LiveBingo | None, count: int, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content as JSON, which always includes the round."""
    players = values["at_tables"].named if values["at_tables"] else ()
    tournament, insight, vote = values["tournament"], values["insight"], values["vote"]
    return {
        "count": count,
        "playing": [{"name": name, "table": table} for name, table in players],
        "round": round_document(live),
        "standings": tournament and _tournament_document(tournament),
        "bingo": [winner.document() for winner in values["best"] or ()],
        "hour": [winner.document() for winner in values["hour"] or ()],
        "insight": insight and {"days": asked_period(), **insight.screen_document()},
        "vote": vote and vote.document() | {"answered": values["answered"]},
    }


@blueprint.get("/class/<code>/qr.svg")
def qr(code: str) -> flask.Response:
    """Return the QR code of a class's join link."""
    classroom = load_class(code)
    picture = svg_qr(public_address().join_url(classroom.code))
    return flask.Response(picture, mimetype="image/svg+xml")


def _tournament_document(homework: Homework) -> dict[str, Any]:
    tournament = homework.tournament
    return {
        "title": tournament.heading,
        "table": tournament.game.info.title,
        "finished": homework.finished,
        "best": [row.document(deals=False) for row in homework.best],
    }


class AtTables(NamedTuple):
    """The students who recently played at a table."""

    named: list[tuple[str, str]]
    """Students' nicknames with their tables. The big screen does not show any nickname that a
    student typed.
    """

    more: int
    """The number of students who are not named."""

    @classmethod
    def of(cls, students: Iterable[Student], now: float) -> "AtTables":
        """Return the given students who are at a table at a given time."""
        present = [
            student
            for student in students
            if is_present(student, now) and student.last_page in TABLE_TITLES
        ]
        named = [
            (student.name, TABLE_TITLES[student.last_page])
            for student in present
            if student.offered
        ][:PLAYERS]
        return cls(named, len(present) - len(named))


class ScreenWinner(NamedTuple):
    """The winners of a BINGO!"""

    name: str
    card: int
    rank: int
    rows: tuple[tuple[Tile, ...], ...]
    """The winner's card, or None if there are too many winners to show all of their cards."""


class NewWinners(NamedTuple):
    """The players who got BINGO! since the round last continued."""

    named: list[ScreenWinner]
    more: int
    """The number of other winners, who are not named."""

    how: str
    """The text for the call and the card that completed the BINGO!"""


def near_names(live: LiveBingo) -> str:
    """Return the nicknames of students one card away from BINGO! after the last call.

    The list is empty while cards are called. The list is also empty if students cover their cards
    by hand, because they must not learn how close they are.
    """
    if live.phase == "playing" or live.round.by_hand:
        return ""
    cards = (live.round.card(number) for number in live.numbers)
    near = [live.holder_name(card.number) for card in cards if card.needed(live.calls)]
    return words.listed(near, MAX_NEAR) if near else ""


def _new_winners(live: LiveBingo) -> NewWinners | None:
    """Return the current winners, or None while cards are called."""
    if live.phase == "playing":
        return None
    if live.round.by_hand:
        resumptions = live.round.resumptions
        right = (claim for claim in live.claims if claim.right)
        now = {claim.card for claim in right if claim.resumptions == resumptions}
        newest = [place for place in live.places if now.intersection(place.cards)]
    else:
        newest = [place for place in live.places if place.call > live.round.resumed_at_call]
    if not newest:
        return None
    winning_cards = [
        (place.place, live.round.card(card)) for place in newest for card in place.cards
    ]
    named = []
    for place, card in winning_cards[:MAX_NAMES]:
        covered, winning = card.covered(live.calls), card.winning(live.calls)
        rows = tile_rows(card, covered, winning) if len(winning_cards) <= CARDS_SHOWN else ()
        named.append(ScreenWinner(live.holder_name(card.number), card.number, place, rows))
    return NewWinners(
        named, len(winning_cards) - len(named), _how(live, newest[-1].call, len(winning_cards))
    )


def _how(live: LiveBingo, call: int, count: int) -> str:
    """Return the text for the call and the card that completed a BINGO!"""
    if not call:
        return ""
    card = live.called[call - 1]
    rank = Text("every {rank}", rank=card.rank.text)
    needed = rank if live.round.speed else words.the_card(card, live.round.kind)
    if count > CARDS_SHOWN:
        return plural(
            "{number} student at call {call}: {what}",
            "{number} students at call {call}: {what}",
            count,
            call=call,
            what=needed,
        )
    if count > 1:
        return Text("Both at call {call}: {what}", call=call, what=needed)
    return Text("At call {call}: {what}", call=call, what=needed)


def _board(live: LiveBingo) -> list[list[tuple[Card, str]]]:
    """Return the calling deck in rows.

    There is one row per suit, or a single row of ranks in a speed round. A card can have one of
    these marks: ``just-called``, ``out`` for a card that was called earlier, or ``ends`` for a
    card that would give a player BINGO! Other cards have no mark.
    """

    def face(card: Card) -> Card | Rank:
        return card.rank if live.round.speed else card

    marks: dict[Card | Rank, str] = {}
    if live.phase == "playing":
        marks = dict.fromkeys(map(face, live.one_away.ending), "ends")
    marks |= dict.fromkeys(map(face, live.called), "out")
    if live.last:
        marks[face(live.last)] = "just-called"
    return [
        [(card, marks.get(face(card), "")) for rank in Rank if (card := Card(f"{rank}{suit}"))]
        for suit in (SUIT_ORDER[:1] if live.round.speed else SUIT_ORDER)
    ]
