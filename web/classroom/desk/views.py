"""``/class/CODE/dashboard``: the page on which an instructor runs a class.

This module contains the page and its JSON; :mod:`web.classroom.desk.moves` contains the moves.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, NamedTuple

import flask
from flask import url_for
from flask.typing import ResponseReturnValue

from cardgames.cards import CardGameError
from cardgames.class_bingo.card import BingoCard, Kind
from cardgames.class_bingo.chances import Expectation, expected
from cardgames.class_bingo.results import Claim
from cardgames.games.bingo.rules import Mode
from cardgames.text import Text, plural
from web.classroom.bingo.queries import live_bingo, open_bingo, save_claim, winners_within
from web.classroom.bingo.rules import (
    LiveBingo,
    best_players,
    build_open_state,
    evaluate_claim,
    round_document,
)
from web.classroom.core import access, forms, presence, words
from web.classroom.core.access import load_students, not_banned, playing
from web.classroom.core.forms import (
    MAX_SEARCH,
    NOT_REJECTED,
    PAGE_ROWS,
    ClassMove,
    MoveRequest,
    NotAllowed,
    Rejection,
    paginate,
)
from web.classroom.core.models import Classroom, Student
from web.classroom.core.words import duration_text, local_time, time_text
from web.classroom.desk.moves import CLOCK_MOVES, bingo_moves, class_moves, refusal_reason
from web.classroom.desk.opening import count_shares
from web.classroom.homework.rules import MAX_BEST
from web.classroom.people.roster import Person, joined
from web.classroom.people.students import (
    find_student,
    joined_since,
    load_browsers,
    new_nicknames,
)
from web.classroom.screen.views import HOUR
from web.http.addresses import query_int
from web.http.requests import wants_json
from web.reach import public_address

QUESTIONS: Final = {
    "take-back": (
        Text(
            "Revoke all shares? Only the browser that opened this class can then open its "
            "dashboard."
        ),
        Text("Revoke all shares"),
    ),
    "remove": (Text("Remove {name}? This student may join again."), Text("Remove")),
    "remove-since": (
        Text("Remove everyone who joined since {time}: {students}? They may join again."),
        Text("Remove"),
    ),
    "ban": (Text("Ban {name}? This student's browser may not join the class again."), Text("Ban")),
    "close": (
        Text("Close the class? Nobody can join any more, and no more cards are dealt."),
        Text("Close the class"),
    ),
    "forget-names": (
        Text("Delete all real names and your list? The results remain, under nicknames."),
        Text("Delete real names"),
    ),
    "forget": (
        Text(
            "Delete the class? All students, results and names are deleted immediately and "
            "cannot be restored."
        ),
        Text("Delete the class"),
    ),
}
"""Destructive moves, each with the question and the button of its confirmation page."""

MAX_CLAIMS: Final = 12
"""Maximum number of listed claims; only the newest claims are listed."""

CLOCK: Final = 8
"""The default interval between calls, in seconds.

The page shows the expected duration of a round with this interval.
"""

blueprint = flask.Blueprint("dashboard", __name__)
blueprint.before_request(presence.answer_not_modified)


@blueprint.get("/class/<code>/dashboard")
def show(code: str) -> ResponseReturnValue:
    """Show the dashboard and extend the class's lifetime."""
    classroom = access.load_and_extend_class(code)
    question = flask.request.args.get("ask", "")
    if question not in QUESTIONS or wants_json():
        return presence.with_etag(_page(classroom), classroom.etag("dashboard"))
    try:
        return _ask(classroom, question)
    except NotAllowed as error:
        return _page(classroom, forms.rejected(error, {}))


@blueprint.post("/class/<code>/dashboard")
def move(code: str) -> ResponseReturnValue:
    """Make one move, or show the reason for its rejection."""
    sent = forms.sent_move()
    try:
        classroom = access.load_and_extend_class(code)
        live = open_bingo(classroom)
        why = refusal_reason(live, sent.get("move", ""))
        request = forms.requested_move(classroom, _moves(classroom, live), sent, why)
        answer = request.make()
    except CardGameError as error:
        return rejected_page(code, forms.rejected(error, sent))
    if answer:
        return answer
    # A move by the clock changes neither cards nor claims.
    known = None
    if live and request.move.name in CLOCK_MOVES:
        known = build_open_state(classroom, live.round, live.cards, live.claims)
    address = url_for(".show", code=classroom.code, **view_query())
    return forms.accepted(address, partial(_page, classroom, live=known))


def _moves(classroom: Classroom, live: LiveBingo | None) -> Iterator[ClassMove]:
    """Yield all moves that are possible now."""
    yield from bingo_moves(classroom, live)
    if live:  # the form for claims of paper cards
        yield ClassMove("claim", Text("BINGO!"), partial(_claim, live))
    # These moves load the students. They come last, so that a call loads no students and a deal
    # loads them only once.
    yield from class_moves(classroom, live, load_students(classroom))


def _claim(live: LiveBingo, request: MoveRequest) -> None:
    """Claim BINGO! for a student's paper card."""
    number = request.number("card", 1, 9_999)
    forms.require(live.round.by_hand and number in live.cards)
    claim = evaluate_claim(live, live.round.card(number), live.calls)
    save_claim(request.classroom, live, claim)


def _ask(classroom: Classroom, move_name: str) -> ResponseReturnValue:
    """Show the confirmation page of a destructive move."""
    fields, values = {"move": move_name, "step": str(classroom.step)}, {}
    if move_name in ("remove", "ban"):
        student = find_student(classroom, query_int("student", 0))
        if student is None:
            raise NotAllowed(words.NOT_NOW)
        values["name"], fields["student"] = student.name, str(student.number)
    elif move_name == "remove-since":
        minute = query_int("since", 0)
        count = len(joined_since(load_students(classroom), minute))
        forms.require(count > 0)
        values["time"] = time_text(minute * 60, classroom.now)
        values["students"] = plural("{number} student", "{number} students", count)
        fields["since"] = str(minute)
    question, label = QUESTIONS[move_name]
    address = url_for(".show", code=classroom.code)
    return forms.confirmation_page(classroom, question.fill(**values), label, address, **fields)


def view_query(**changes: Any) -> dict[str, Any]:
    """Return the current dashboard's query parameters with the given changes."""
    query = flask.request.args
    names, page = query.get("names", ""), query_int("page", 1)
    params = {
        "names": names if names in ("yes", "no") else "",
        "search": query.get("search", "")[:MAX_SEARCH],
        "page": page if page > 1 else "",
    }
    return {name: value for name, value in (params | changes).items() if value}


def rejected_page(code: str, rejection: Rejection) -> ResponseReturnValue:
    """Return the dashboard with the reason why a form was rejected."""
    return _page(access.load_and_extend_class(code), rejection)


def _page(
    classroom: Classroom, rejection: Rejection = NOT_REJECTED, live: LiveBingo | None = None
) -> ResponseReturnValue:
    """Return the dashboard.

    Args:
        classroom: The class of the dashboard.
        rejection: The reason why a form was rejected.
        live: The newest round, which is loaded if it is missing.
    """
    live, students = live or live_bingo(classroom), load_students(classroom)
    shown = not_banned(students)
    on = live if live and live.is_open else None
    available = (*bingo_moves(classroom, on), *class_moves(classroom, on, students))
    moves = {move.name: move for move in available}
    with_names = access.shows_real_names()
    names = access.real_names(classroom) if with_names or classroom.roster else {}
    if wants_json():
        real = names if with_names else None
        return forms.json_page(_document(classroom, live, students, moves, real), rejection)
    return forms.form_page(
        "class/dashboard.html",
        rejection,
        classroom=classroom,
        bingo=live,
        moves=moves,
        looked_at=view_query,
        with_names=with_names,
        real=names if with_names else {},
        opened=_opened(classroom, on, students),
        **_round_values(on),
        **_student_values(classroom, students, shown),
        **_name_values(classroom, names),
        **_class_values(classroom, shown),
    )


def _round_values(live: LiveBingo | None) -> dict[str, Any]:
    """Return the template variables for the open round and the next round."""
    return {
        "status_text": _status_text(live),
        "verdict": _verdict(live),
        "claims": [*_claims(live)],
        "expected": _expected,
        "usual_interval": CLOCK,
    }


class StudentRow(NamedTuple):
    """A student in the dashboard's list."""

    number: int
    name: str
    state: Literal["here", "gone", "out"]
    seen_at: str
    """The page on which a present student was last seen: the title of a table, the card ("bingo"),
    or an empty string for the class's page.
    """

    rounds: int
    won: int

    @classmethod
    def of(cls, student: Student, now: float) -> "StudentRow":
        """Return the row of a student at a given time."""
        is_here, seen_at = presence.is_present(student, now), student.last_page
        return cls(
            student.number,
            student.name,
            "out" if student.state == "out" else "here" if is_here else "gone",
            presence.TABLE_TITLES.get(seen_at, seen_at) if is_here else "",
            student.rounds,
            student.won,
        )


def _student_values(
    classroom: Classroom, students: Mapping[int, Student], shown: Sequence[Student]
) -> dict[str, Any]:
    """Return a page of the student list, and the student counts by presence."""
    now = classroom.now
    dealt = sum(presence.is_dealt_in(student, now) for student in shown)
    page = paginate(shown, lambda student: f"{student.name} {student.number}")
    present = sum(presence.is_present(student, now) for student in shown)
    return {
        "students": shown,
        "banned": [student for student in students.values() if student.state == "banned"][
            :PAGE_ROWS
        ],
        "page": page,
        "rows": [StudentRow.of(student, now) for student in page.rows],
        "present": present,
        "dealt": dealt,
        "absent": len(playing(students)) - dealt,
    }


def _name_values(classroom: Classroom, given: Mapping[int, str]) -> dict[str, Any]:
    """Return the people who have not joined, and whether real names are stored.

    The people are on the instructor's list.
    """
    roster = [Person(*fields) for fields in classroom.roster]
    came = {*joined(roster, given).values()}
    return {
        "missing": [person.name for person in roster if person not in came],
        "keeps_names": classroom.real != "no" or bool(roster),
    }


def _class_values(classroom: Classroom, shown: Sequence[Student]) -> dict[str, Any]:
    """Return the template variables for the class, such as its join link."""
    return {
        "public": public_address(),
        "best": [*best_players(shown)][:MAX_BEST],
        "hour": winners_within(classroom, shown, HOUR)[:MAX_BEST],
        "shares": count_shares(classroom.code) if access.is_opener(classroom) else 0,
        "clock_time": lambda at: f"{local_time(at):%H:%M}",
    }


class OpenedStudent(NamedTuple):
    """A student whose details the dashboard shows."""

    student: Student
    new_name: str
    """A new nickname that is offered for the student."""

    browsers: int
    card: BingoCard | None


def _opened(
    classroom: Classroom, live: LiveBingo | None, students: Mapping[int, Student]
) -> OpenedStudent | None:
    """Return the student whose details the URL requests."""
    student = students.get(query_int("student", 0))
    if student is None:
        return None
    name, browsers = new_nicknames(classroom)[0], len(load_browsers(student))
    return OpenedStudent(student, name, browsers, live.find_card(student) if live else None)


def _document(
    classroom: Classroom,
    live: LiveBingo | None,
    students: Mapping[int, Student],
    moves: Mapping[str, ClassMove],
    real: Mapping[int, str] | None,
) -> dict[str, Any]:
    """Return a class as JSON for its instructor."""
    rows = []
    for number, student in students.items():
        here = presence.is_present(student, classroom.now)
        row = {"number": number, "name": student.name, "here": here}
        if student.state != "in":
            row["state"] = student.state
        rows.append(row if real is None else row | {"real": real.get(number)})
    values = {"students": rows, "round": round_document(live)}
    return forms.instructor_json(classroom, moves.values(), values)


def _claims(live: LiveBingo | None) -> Iterator[tuple[str, Claim, str]]:
    """Yield the open round's newest claims, with the students' names and the results."""
    if live is None:
        return
    ranks = {card: place.place for place in live.places for card in place.cards}
    for claim in live.claims[: -MAX_CLAIMS - 1 : -1]:
        rank = ranks.get(claim.card)
        answer: Text = Text("right, place {place}", place=rank) if rank else Text("right")
        if not claim.right:
            lacks = len(live.round.card(claim.card).nearest(claim.call)[1])
            answer = Text("not yet: needs {number} more", number=lacks)
        yield live.holder_name(claim.card), claim, answer


def _verdict(live: LiveBingo | None) -> str:
    """Return the text for the winners, or an empty string while cards are called."""
    if live is None or live.phase != "bingo":
        return ""
    call_text = Text("Call {call}", call=live.calls)
    return live.winners_text or Text("BINGO! {what}", what=call_text)


def _status_text(live: LiveBingo | None) -> str:
    """Return the announcement of calls, claims and BINGO!

    Students who join or leave are not announced.
    """
    if live is None:
        return ""
    if verdict := _verdict(live):
        return verdict
    for name, _, answer in _claims(live):
        return Text("{name}: {answer}.", name=name, answer=answer)
    if live.last is None:
        return Text("The cards are dealt.")
    return Text("Called: {card}.", card=live.last.full_name)


def _expected(mode: str, cards: int, *, speed: bool = False) -> tuple[Expectation, Text]:
    """Return the expected results and duration of a kind of round.

    The duration is computed with the default interval between calls.
    """
    results = expected(Kind(Mode(mode), speed), max(1, cards))
    return results, duration_text(results.calls * CLOCK)
