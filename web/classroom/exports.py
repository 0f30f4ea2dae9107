"""What leaves a class: spreadsheets, all that is kept of a student, cards on paper, rounds.

An instructor prints cards for those without a phone, and checks one that is held up. Anybody can
deal a round again that is over.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final

import flask
from flask.typing import ResponseReturnValue
from sqlalchemy import select
from werkzeug.exceptions import NotFound

from cardgames.advice import POINTS
from cardgames.cards import Card
from cardgames.class_bingo.card import BingoCard
from cardgames.class_bingo.export import exported
from cardgames.games.bingo.rules import CENTRE, Mode
from cardgames.text import Text
from web import db
from web.classroom import bingo, plays, students, words
from web.classroom.access import known_student, led_class, load_class, own_key
from web.classroom.bingo import LiveBingo, in_rows, tile_rows
from web.classroom.days import EARLIER, StudentDay, StudentMistake, kept_dailies
from web.classroom.forms import csv_response
from web.classroom.insight import ShownSheet
from web.classroom.models import Classroom, Student
from web.classroom.plays import Mistake, TablePlay, merged
from web.classroom.roster import Person, joined
from web.classroom.rounds import (
    card_had_before,
    cards_of,
    cards_of_student,
    find_round,
    finished_rounds,
    newest_late_card,
)
from web.classroom.standings import TournamentState, seats_of, tournaments_of
from web.classroom.tournaments import deals_seen_before, entries_of, results_in
from web.classroom.votes import answers_of
from web.classroom.words import iso_time
from web.http.addresses import asked_number
from web.http.downloads import Cell, as_file
from web.http.requests import wants_json
from web.http.responses import json_response, refusal

DIGITS: Final = 1
"""Number of decimals of points in a spreadsheet, as on the pages."""

blueprint = flask.Blueprint("exports", __name__)


@blueprint.get("/class/<code>/dashboard/students.csv")
def students_csv(code: str) -> ResponseReturnValue:
    """Return the students of a class, a line each, with their real names.

    The first columns are those of the instructor's list, by which a course system's import finds
    them; points and participation come last.
    """
    classroom = led_class(code)
    tournaments = tournaments_of(classroom)
    titles = [f"{at.tournament.number}. {at.tournament.heading}" for at in tournaments]
    head = (
        *("name", "login", "email", "number", "nickname", "real name", "joined", "state"),
        *(f"{title}: {what}" for title in titles for what in ("points", "deals")),
        *("table rounds", "table won", "bingo rounds", "bingo won", "rounds"),
    )
    lines = _student_lines(classroom, tournaments)
    return csv_response(f"{classroom.code}-students.csv", head, lines)


def _student_lines(
    classroom: Classroom, tournaments: Sequence[TournamentState]
) -> Iterator[tuple[Cell, ...]]:
    """Yield a line for each student of a class."""
    given = students.real_names(classroom.code)
    people = joined((Person(*one) for one in classroom.roster), given)
    counts = Counter(people.values())  # one who may be two is nobody: an import would take either
    played, results = plays.totals_in_class(classroom.code), results_in(classroom.code)
    for number, student in students.students_of(classroom).items():
        person = people.get(number, Person(""))
        rounds = (*played.get(number, (0, 0)), student.rounds, student.won)
        yield (
            *(person if counts[person] == 1 else Person("")),
            *(number, student.name, given.get(number, "")),
            *(iso_time(student.joined), student.state),
            *chain.from_iterable(
                _points_in(at, results.get((at.tournament.number, number), {}))
                for at in tournaments
            ),
            *(*rounds, rounds[0] + rounds[2]),
        )


def _points_in(at: TournamentState, results: Mapping[str, int]) -> tuple[Cell, Cell]:
    """Return the rounds of a tournament that a student has won, and the deals played.

    A tie is half a round. Points given away are no grade: there, fewer are better.
    """
    advisor = at.tournament.game.advisor
    if not results or advisor is None:
        return None, None
    over = {winner: number for winner, number in results.items() if winner}
    won = sum(number * (1 + advisor.points[winner]) / 2 for winner, number in over.items())
    return won, sum(over.values())


@blueprint.get("/class/<code>/dashboard/rounds.csv")
def rounds_csv(code: str) -> ResponseReturnValue:
    """Return who played in which round of a class, a line for each card, with the real names."""
    classroom = led_class(code)
    head = (
        *("round", "began", "mode", "speed", "by hand", "ended as", "calls", "card", "student"),
        *("nickname", "real name", "from call", "place", "bingo at call"),
    )
    return csv_response(f"{classroom.code}-rounds.csv", head, _round_lines(classroom))


def _round_lines(classroom: Classroom) -> Iterator[tuple[Cell, ...]]:
    """Yield a line for each card of each round that is over."""
    given = students.real_names(classroom.code)
    for data in finished_rounds(classroom.code):
        yes_no = ("yes" if yes else "no" for yes in (data.speed, data.by_hand))
        which = data.number, iso_time(data.began), data.mode.value
        round_ = (*which, *yes_no, "void" if data.void else "over", data.calls)
        for number, held in cards_of(classroom.code, data.number).items():
            who = (held.student or None, held.name, given.get(held.student, ""))
            yield (*round_, number, *who, held.from_call, held.rank, held.rank_call)


@blueprint.get("/class/<code>/dashboard/tournaments.csv")
def tournaments_csv(code: str) -> ResponseReturnValue:
    """Return what every student has made of every tournament, a line each.

    ``points`` are rounds won (a tie is half a one) or points given away, a hundredth of a round
    each; of a deal that is not played there are none, and before they are known.
    """
    classroom = led_class(code)
    tournaments = tournaments_of(classroom)
    people = students.not_banned(students.students_of(classroom))
    most = max((at.tournament.deals for at in tournaments), default=0)
    head = (
        *("tournament", "title", "table", "ranking", "deals", "student", "nickname"),
        *("state", "played", "place", "points", "finished"),
        *(f"deal {number}" for number in range(1, most + 1)),
    )
    lines = (line for at in tournaments for line in _tournament_lines(at, people))
    padded = ((*line, *[None] * (len(head) - len(line))) for line in lines)
    return csv_response(f"{classroom.code}-tournaments.csv", head, padded)


def _tournament_lines(at: TournamentState, people: Iterable[Student]) -> Iterator[tuple[Cell, ...]]:
    """Yield what students have made of a tournament, a line each."""
    one, rows = at.tournament, at.standings.by_student
    entries = entries_of(one, [*rows])
    about = (one.number, one.heading, one.table, one.ranking, one.deals)
    for student in people:
        who = (student.number, student.name, student.state)
        row = rows.get(student.number)
        if row is None:
            yield (*about, *who, 0)
            continue
        entry = entries[student.number]
        total = round(row.total, DIGITS) if row.played else None
        last = entry.finished if row.played == one.deals else None
        scores = (score and round(score, DIGITS) for score in entry.scores(one.deals))
        sums = (row.played, row.rank or None, total, last and iso_time(last))
        yield (*about, *who, *sums, *scores)


@blueprint.get("/class/<code>/me.json")
def kept(code: str) -> ResponseReturnValue:
    """Return all that is kept of the student of the browser; of the real name that there is one."""
    classroom = load_class(code)
    student = known_student(classroom)
    if student is None:
        return json_response({}, 403, words.JOIN_FIRST)
    before = deals_seen_before(classroom.code, own_key(classroom))
    return json_response(
        {
            "class": classroom.code,
            "title": classroom.title,
            **_kept_student(student),
            **_kept_cards(classroom, student),
            **_kept_days(student),
            "deals_of_the_day": kept_dailies(student),
            "shown_sheets": _kept_sheets(student),
            "votes": [
                {"vote": one.vote, "ballot": one.ballot, **one.document()}
                for one in answers_of(classroom.code, student.number)
            ],
            "tournaments": _kept_entries(classroom, student),
            "deals_played_before": {f"{which}": deals for which, deals in before.items()},
            "kept_until": classroom.expires,
        }
    )


def _kept_student(student: Student) -> dict[str, Any]:
    """Return what is kept of a student's own row and browsers."""
    return {
        "number": student.number,
        "nickname": student.name,
        "offered": student.offered,
        "real_name": student.has_real_name,
        "joined": student.joined,
        "state": student.state,
        "renamed": student.renamed or None,
        "rejoin_codes": student.generation + 1,
        "wrong_rejoin_codes": student.wrong_codes,
        "browsers": list(students.browsers_of(student)),
        "last_seen": student.seen or None,
        "last_seen_at": student.seen_at if student.seen else None,
    }


def _kept_cards(classroom: Classroom, student: Student) -> dict[str, Any]:
    """Return what is kept of a student's cards at Bingo."""
    newest = classroom.newest_round
    return {
        "late_card": newest_late_card(student),
        "card_had_before": card_had_before(newest, student) if newest else None,
        "marks": (student.marks_round, student.marks),
        "rounds": [
            {
                "round": held.round,
                "card": held.card,
                "from_call": held.from_call,
                "place": held.rank,
                "void": found.void,
                "claims": [{"call": claim.call, "right": claim.since > 0} for claim in claims],
            }
            for held, found, claims in cards_of_student(student)
        ],
    }


def _kept_days(student: Student) -> dict[str, Any]:
    """Return what is kept of how a student has played at the tables: in all, and by the day."""
    days, mistakes = plays.days_of(student), plays.mistakes_of(student)
    by_day = {
        "earlier" if day == EARLIER else f"{day}": _kept_play(
            [one for one in days if one.day == day], [one for one in mistakes if one.day == day]
        )
        for day in dict.fromkeys(one.day for one in days)
    }
    return {"tables": _kept_play(days, mistakes), "days": by_day}


def _kept_play(
    days: Sequence[StudentDay], mistakes: Sequence[StudentMistake]
) -> dict[str, dict[str, Any]]:
    """Return all that is kept of how a student has played on some days, by the tables."""
    found = {}
    for slug in dict.fromkeys(one.game for one in days):
        play = TablePlay.of([one for one in days if one.game == slug])
        made = merged(Mistake.of(one) for one in mistakes if one.game == slug)
        found[slug] = {
            "rounds": play.rounds,
            "won": play.won,
            "decisions": play.decisions,
            "points_given_away": play.cost * POINTS,
            "not_the_best": [
                one.document() | {"points": one.cost * POINTS, "record": one.record} for one in made
            ],
        }
    return found


def _kept_entries(classroom: Classroom, student: Student) -> list[dict[str, Any]]:
    """Return all that is kept of a student's tournaments, as JSON for that student."""
    return [
        {
            "tournament": seat.tournament.number,
            "plays": [
                {"moves": play.moves, "winner": play.winner or None} for play in seat.entry.plays
            ],
            "finished": seat.entry.finished,
        }
        for seat in seats_of(classroom, student)
        if seat.entry.plays
    ]


def _kept_sheets(student: Student) -> dict[str, list[int]]:
    """Return what a student has shown of their own classes, by the sheets' slugs."""
    theirs = ShownSheet.class_code == student.class_code, ShownSheet.student == student.number
    query = select(ShownSheet.sheet, ShownSheet.passed).where(*theirs)
    return dict(db.session().execute(query).all())


# ---- Cards on paper ------------------------------------------------------------------------------

SIZES: Final = ("a4", "letter")
A_PAGE: Final = (4, 2)
MAX_PRINTED: Final = 500
"""Maximum number of cards on a page to be printed."""

SENTENCES: Final = {
    Mode.LINE: Text("A line makes a BINGO!"),
    Mode.CORNERS: Text("The four corners make a BINGO!"),
    Mode.FULL: Text("The full card makes a BINGO!"),
}


@blueprint.get("/class/<code>/print")
def print_cards(code: str) -> ResponseReturnValue:
    """Show the cards in play from one number to another, to be printed."""
    classroom, arguments = led_class(code), flask.request.args
    live = bingo.open_bingo(classroom)
    if live is None:
        return refusal(words.NO_ROUND, 409)
    first = asked_number("from", 1)
    last = min(asked_number("to", max(live.numbers, default=0)), first + MAX_PRINTED - 1)
    cards = [(number, _rows(live, number)) for number in live.numbers if first <= number <= last]
    if wants_json():
        listed = [{"number": number, "cards": sum(rows, ())} for number, rows in cards]
        return json_response({"class": classroom.code, "round": live.round.number, "cards": listed})
    size, count = arguments.get("size", ""), asked_number("per", 0)
    count = count if count in A_PAGE else A_PAGE[0]
    return flask.render_template(
        "class/print.html",
        classroom=classroom,
        mode=SENTENCES[live.round.mode],
        speed=Text("A call covers every card of its rank.") if live.round.speed else None,
        size=size if size in SIZES else SIZES[0],
        a_page=count,
        first=first,
        last=last,
        sheets=[cards[start : start + count] for start in range(0, len(cards), count)],
    )


def _rows(live: LiveBingo, number: int) -> tuple[tuple[Card | None, ...], ...]:
    """Return the rows of a card, with nothing in its centre."""
    grid = live.round.card(number).grid
    return in_rows((*grid[:CENTRE], None, *grid[CENTRE + 1 :]))


@blueprint.get("/class/<code>/check")
def check_card(code: str) -> ResponseReturnValue:
    """Say whether a card has BINGO!"""
    classroom, number = led_class(code), asked_number("card", 0)
    live = bingo.live_bingo(classroom)
    if live is None or number not in live.held:
        return refusal(Text("Card {number} is not in play.", number=number), 404)
    card, name = live.round.card(number), live.name_of(number)
    has_bingo = card.bingo_call <= live.calls
    answer = _checked_text(card, live.calls)
    if wants_json():
        since = card.bingo_call if has_bingo else None
        document = {"class": classroom.code, "card": number, "name": name, "bingo": has_bingo}
        return json_response(document | {"since": since, "said": answer})
    is_on_paper = not live.held[number].student
    is_claimable = is_on_paper and live.claim_of(number) is None
    return flask.render_template(
        "class/check.html",
        classroom=classroom,
        number=number,
        name=name,
        has_bingo=has_bingo,
        answer=answer,
        rows=tile_rows(card, card.covered(live.calls), card.winning(live.calls)),
        can_count=live.is_open and live.round.by_hand and has_bingo and is_claimable,
    )


def _checked_text(card: BingoCard, calls: int) -> Text:
    """Say whether a card has BINGO! after some calls, and since when or what it lacks."""
    if card.bingo_call <= calls:
        return Text("It has had BINGO! since call {call}.", call=card.bingo_call)
    return Text(
        "Not yet. It still needs {cards}.", cards=words.lacking_text(card, card.nearest(calls)[1])
    )


@blueprint.get("/class/<code>/round/<int:number>")
def show_round(code: str, number: int) -> ResponseReturnValue:
    """Show a round that is over as it is, so that anybody can deal it again."""
    classroom = load_class(code)
    data = find_round(classroom.code, number)
    if data is None:
        raise NotFound
    finished = bingo.export_of(data)
    document: dict[str, Any] = exported(finished) if finished else {}
    if finished and (wants_json() or flask.request.args.get("as") == "json"):
        return as_file(json_response(document), f"{classroom.code}-round-{number}.json")
    if wants_json():
        return json_response({"class": classroom.code, "round": number})
    kind = words.kind_text(data.kind)
    return flask.render_template(
        "class/round.html", classroom=classroom, number=number, kind=kind, **document
    )
