"""Exports of a class: spreadsheets, a student's stored data, printable cards.

An instructor prints cards for students who have no phone, and checks whether such a card has BINGO!
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain
from typing import Any, Final

import flask
from flask.typing import ResponseReturnValue
from sqlalchemy import Table, select

from cardgames.cards import Card
from cardgames.class_bingo.card import BingoCard
from cardgames.games.bingo.rules import CENTRE, Mode
from cardgames.text import Text
from web import db
from web.classroom.bingo.queries import live_bingo, open_bingo
from web.classroom.bingo.rules import LiveBingo, in_rows, tile_rows
from web.classroom.core import access, words
from web.classroom.core.access import (
    current_student_or_banned,
    load_class,
    load_class_as_instructor,
    load_students,
    not_banned,
)
from web.classroom.core.forms import Rejection, csv_response
from web.classroom.core.models import Classroom, Student
from web.classroom.core.words import iso_time
from web.classroom.desk import views
from web.classroom.homework.models import TournamentPlay
from web.classroom.homework.queries import Homework, load_plays, load_tournaments, results_in
from web.classroom.homework.rules import deal_scores
from web.classroom.insight.queries import totals_in_class
from web.classroom.people.roster import Person, joined
from web.db.models import Base
from web.http.addresses import query_int
from web.http.downloads import Cell
from web.http.requests import wants_json
from web.http.responses import error_response, json_response

DIGITS: Final = 1
"""Number of decimals of points in a spreadsheet, as on the pages."""

blueprint = flask.Blueprint("exports", __name__)


@blueprint.get("/class/<code>/dashboard/students.csv")
def students_csv(code: str) -> ResponseReturnValue:
    """Return a class's students and their real names, one row per student.

    The first columns are the columns of the instructor's list, by which a course system can
    identify the students. Points and participation are in the last columns.
    """
    classroom = load_class_as_instructor(code)
    tournaments = load_tournaments(classroom)
    titles = [
        f"{homework.tournament.number}. {homework.tournament.heading}" for homework in tournaments
    ]
    head = (
        *("name", "login", "email", "number", "nickname", "real name", "joined", "state"),
        *(f"{title}: {column}" for title in titles for column in ("points", "deals")),
        *("table rounds", "table won", "bingo rounds", "bingo won", "rounds"),
    )
    lines = _student_lines(classroom, tournaments)
    return csv_response(f"{classroom.code}-students.csv", head, lines)


def _student_lines(
    classroom: Classroom, tournaments: Sequence[Homework]
) -> Iterator[tuple[Cell, ...]]:
    """Yield one row for each student of a class."""
    names = access.real_names(classroom)
    people = joined((Person(*fields) for fields in classroom.roster), names)
    # A student who matches two people is omitted, because an import might choose either person.
    counts = Counter(people.values())
    played, results = totals_in_class(classroom.code), results_in(classroom.code)
    for number, student in load_students(classroom).items():
        person = people.get(number, Person(""))
        rounds = (*played.get(number, (0, 0)), student.rounds, student.won)
        yield (
            *(person if counts[person] == 1 else Person("")),
            *(number, student.name, names.get(number, "")),
            *(iso_time(student.joined), student.state),
            *chain.from_iterable(
                _points_in(homework, results.get((homework.tournament.number, number), {}))
                for homework in tournaments
            ),
            *(*rounds, rounds[0] + rounds[2]),
        )


def _points_in(homework: Homework, results: Mapping[str, int]) -> tuple[Cell, Cell]:
    """Return a student's numbers of rounds won and deals played in a tournament.

    A tie counts as half a round. Points given away are not a grade, because fewer points are
    better. For puzzles, the result is the number of correct answers and the number of all answers.
    """
    advisor = homework.tournament.game.advisor
    if not results or advisor is None:
        return None, None
    over = {winner: number for winner, number in results.items() if winner}
    if homework.tournament.has_puzzles:
        return over.get("right", 0), sum(over.values())
    won = sum(number * (1 + advisor.points[winner]) / 2 for winner, number in over.items())
    return won, sum(over.values())


@blueprint.get("/class/<code>/dashboard/tournaments.csv")
def tournaments_csv(code: str) -> ResponseReturnValue:
    """Return every student's results in every tournament, one row per deal.

    ``points`` are points given away. A point is a hundredth of a round, and the cell of an unplayed
    deal is empty. Real names are in a separate column if the URL requests them. If the class has
    puzzles, the answers to them are in the last columns.
    """
    classroom = load_class_as_instructor(code)
    tournaments = load_tournaments(classroom)
    people = not_banned(load_students(classroom))
    real = access.real_names(classroom) if access.shows_real_names() else None
    most = max((homework.tournament.deals for homework in tournaments), default=0)
    puzzles = [
        homework.tournament.deals for homework in tournaments if homework.tournament.has_puzzles
    ]
    head = (
        *("tournament", "title", "table", "deals", "student", "nickname"),
        *(() if real is None else ("real name",)),
        *("state", "played", "place", "points", "finished"),
        *(f"deal {number}" for number in range(1, most + 1)),
        *(f"answer {number}" for number in range(1, max(puzzles, default=0) + 1)),
    )
    lines = (
        line for homework in tournaments for line in _tournament_lines(homework, people, real, most)
    )
    padded = ((*line, *[None] * (len(head) - len(line))) for line in lines)
    return csv_response(f"{classroom.code}-tournaments.csv", head, padded)


def _tournament_lines(
    homework: Homework, people: Iterable[Student], real: Mapping[int, str] | None, most: int
) -> Iterator[tuple[Cell, ...]]:
    """Yield the rows with students' results in a tournament.

    ``most`` is the highest number of deals in any of the class's tournaments.
    """
    tournament, rows = homework.tournament, homework.by_student
    plays = load_plays(tournament, [*rows])
    about = (tournament.number, tournament.heading, tournament.table, tournament.deals)
    for student in people:
        names = (student.name,) if real is None else (student.name, real.get(student.number, ""))
        first_cells = (student.number, *names, student.state)
        row = rows.get(student.number)
        if row is None:
            yield (*about, *first_cells, 0)
            continue
        student_plays = plays[student.number]
        total = round(row.total, DIGITS) if row.played else None
        times = [
            play.finished
            for play in student_plays
            if play.finished and row.played == tournament.deals
        ]
        scores = (
            score and round(score, DIGITS) for score in deal_scores(student_plays, tournament.deals)
        )
        sums = (row.played, row.rank or None, total, iso_time(max(times)) if times else None)
        answers = (
            {play.deal: play.moves for play in student_plays} if tournament.has_puzzles else {}
        )
        chosen = (
            answers.get(number) for number in range(1, tournament.deals + 1 if answers else 1)
        )
        yield (*about, *first_cells, *sums, *scores, *[None] * (most - tournament.deals), *chosen)


@blueprint.get("/class/<code>/me.json")
def stored(code: str) -> ResponseReturnValue:
    """Return all stored data about the browser's student, as rows keyed by table."""
    classroom = load_class(code)
    student = current_student_or_banned(classroom)
    if student is None:
        return json_response({}, 403, words.JOIN_FIRST)
    about = {"class": classroom.code, "title": classroom.title, "number": student.number}
    rows = stored_rows(student)
    if not classroom.closed:
        open_now = {
            homework.tournament.number
            for homework in load_tournaments(classroom)
            if not homework.is_over
        }
        for play in rows[TournamentPlay.__tablename__]:
            if play["tournament"] in open_now:
                del play["score"]  # The score is shown when the homework ends.
                if play["winner"] in ("right", "wrong"):
                    del play["winner"]
    return json_response(about | {"rows": rows, "stored_until": classroom.expires})


def stored_rows(student: Student) -> dict[str, list[dict[str, Any]]]:
    """Return every row that refers to a student, keyed by table.

    A row contains whether the student has a real name, but not the name itself, which only the
    instructor may see.
    """
    rows_by_table = {}
    for table in Base.metadata.sorted_tables:
        if columns := _student_columns(table):
            here = zip(columns, (student.class_code, student.number), strict=True)
            query = select(table).where(*(table.c[name] == value for name, value in here))
            rows = (row._asdict() for row in db.execute(query))
            rows_by_table[table.name] = [
                {name: _shown(name, row[name]) for name in row} for row in rows
            ]
    return rows_by_table


def _student_columns(table: Table) -> tuple[str, str] | None:
    """Return a table's columns for the class's code and the student's number, or None."""
    students_table = Base.metadata.tables[Student.__tablename__]
    if table is students_table:
        return "class_code", "number"
    for key in table.foreign_key_constraints:
        if key.referred_table is students_table:
            names = {element.column.name: element.parent.name for element in key.elements}
            return names["class_code"], names["number"]
    # Rows that are not deleted with their student have no foreign key.
    return ("class_code", "student") if {"class_code", "student"} <= {*table.c.keys()} else None


def _shown(column: str, value: Any) -> Any:
    """Return a stored value for JSON."""
    if column == Student.real_name.key:
        return bool(value)
    return str(value) if isinstance(value, date) else value


# ---- Paper cards ---------------------------------------------------------------------------------

SIZES: Final = ("a4", "letter")
A_PAGE: Final = (4, 2)
MAX_PRINTED: Final = 500
"""Maximum number of cards on a page for printing."""

SENTENCES: Final = {
    Mode.LINE: Text("A line makes a BINGO!"),
    Mode.CORNERS: Text("The four corners make a BINGO!"),
    Mode.FULL: Text("The full card makes a BINGO!"),
}


@blueprint.get("/class/<code>/print")
def print_cards(code: str) -> ResponseReturnValue:
    """Show the cards in play whose numbers are in a range, for printing."""
    classroom, arguments = load_class_as_instructor(code), flask.request.args
    live = open_bingo(classroom)
    if live is None:
        return error_response(words.NO_ROUND, 409)
    first = query_int("from", 1)
    last = min(query_int("to", max(live.numbers, default=0)), first + MAX_PRINTED - 1)
    cards = [(number, _rows(live, number)) for number in live.numbers if first <= number <= last]
    if wants_json():
        listed = [{"number": number, "cards": sum(rows, ())} for number, rows in cards]
        return json_response({"class": classroom.code, "round": live.round.number, "cards": listed})
    size, count = arguments.get("size", ""), query_int("per", 0)
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
    """Return the rows of a card with an empty centre."""
    grid = live.round.card(number).grid
    return in_rows((*grid[:CENTRE], None, *grid[CENTRE + 1 :]))


@blueprint.get("/class/<code>/check")
def check_card(code: str) -> ResponseReturnValue:
    """Return whether a card has BINGO!"""
    classroom, number = load_class_as_instructor(code), query_int("card", 0)
    live = live_bingo(classroom)
    if live is None or number not in live.cards:
        why = Text("Type the number of a card, then check the card.")
        return _not_checked(
            code, Text("Card {number} is not in play.", number=number) if number else why
        )
    card, name = live.round.card(number), live.holder_name(number)
    has_bingo = card.bingo_call <= live.calls
    answer = _checked_text(card, live.calls)
    if wants_json():
        since = card.bingo_call if has_bingo else None
        document = {"class": classroom.code, "card": number, "name": name, "bingo": has_bingo}
        return json_response(document | {"since": since, "said": answer})
    is_on_paper = not live.cards[number].student
    is_claimable = is_on_paper and live.find_claim(number) is None
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


def _not_checked(code: str, why: Text) -> ResponseReturnValue:
    """Return the dashboard with the reason why a card could not be checked."""
    if wants_json():
        return error_response(why, 404)
    return views.rejected_page(code, Rejection(why, 404))


def _checked_text(card: BingoCard, calls: int) -> Text:
    """Return the text for a card after some calls: its BINGO!, or its missing cards."""
    if card.bingo_call <= calls:
        return Text("The card has had BINGO! since call {call}.", call=card.bingo_call)
    return Text(
        "Not yet. The card still needs {cards}.",
        cards=words.lacking_text(card, card.nearest(calls)[1]),
    )
