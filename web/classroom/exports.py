"""Exports: spreadsheets of a class for its instructor, and all that is kept of a student."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import flask
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from cardgames.advice import POINTS
from web import db
from web.classroom import plays, students, words
from web.classroom.access import known_student, led_class, load_class, own_key
from web.classroom.dailies import kept_dailies
from web.classroom.lists import csv_response
from web.classroom.models import Classroom, Student
from web.classroom.plays import Days, Play
from web.classroom.roster import Person, joined
from web.classroom.rounds import (
    OwnCard,
    card_had_before,
    cards_of,
    cards_of_student,
    finished_rounds,
    newest_late_card,
)
from web.classroom.shown_sheets import ShownSheet
from web.classroom.standings import TournamentState, seats_of, tournaments_of
from web.classroom.tournaments import deals_seen_before, results_in
from web.classroom.votes import kept_answers
from web.classroom.words import iso_time
from web.http.downloads import Cell
from web.http.responses import json_response

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
            **_kept_days(plays.days_of(classroom.code, student.number, with_mistakes=True)),
            "deals_of_the_day": kept_dailies(student),
            "shown_sheets": _kept_sheets(student),
            "votes": kept_answers(classroom.code, student.number),
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
        "rounds": [*map(_kept_card, cards_of_student(student))],
    }


def _kept_days(days: Days) -> dict[str, Any]:
    """Return what is kept of how a student has played at the tables: in all, and by the day."""
    by_day = {day or "earlier": _kept_play(play) for day, play in sorted(days.items())}
    return {"tables": _kept_play(plays.play_in(days)), "days": by_day}


def _kept_play(play: Play) -> dict[str, Any]:
    """Return all that is kept of how a student has played at the tables."""
    return {
        slug: {
            "rounds": one.rounds,
            "won": one.won,
            "decisions": one.decisions,
            "points_given_away": one.cost * POINTS,
            "not_the_best": [
                {
                    "move": mistake.chosen,
                    "total": mistake.total,
                    "soft": mistake.soft,
                    "upcard": mistake.upcard.value,
                    "times": mistake.times,
                    "points": mistake.cost * POINTS,
                    "record": mistake.record,
                }
                for mistake in one.mistakes
            ],
        }
        for slug, one in play.items()
    }


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


def _kept_card(own: OwnCard) -> dict[str, Any]:
    """Return what is kept of a student's card in a round that is over."""
    return {
        "round": own.round,
        "card": own.card,
        "from_call": own.from_call,
        "place": own.rank,
        "void": own.void,
        "claims": [{"call": claim.call, "right": claim.right} for claim in own.claims],
    }


def _kept_sheets(student: Student) -> dict[str, list[int]]:
    """Return what a student has shown of their own classes, by the sheets' slugs."""
    theirs = ShownSheet.class_code == student.class_code, ShownSheet.student == student.number
    query = select(ShownSheet.sheet, ShownSheet.passed).where(*theirs)
    return dict(db.session().execute(query).all())
