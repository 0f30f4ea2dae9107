"""``/class/CODE/tournaments`` and ``/class/CODE/tournament/N``: tournaments and standings.

The instructor sees the results of all students without having to play. A student sees their own
rank and the five best students.
"""

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import count
from random import SystemRandom
from typing import Any, Final

import flask
import msgspec
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException, NotFound

from cardgames.cards import CardGameError
from cardgames.puzzles import Position, Theme
from cardgames.shared_deal import SharedDeal
from cardgames.strategies.habits import HABITS, has_hands, is_wrong
from cardgames.text import Text
from web import db
from web.classroom.core import access, forms, words
from web.classroom.core.forms import (
    NOT_REJECTED,
    ClassMove,
    FieldOptions,
    MoveRequest,
    NotAllowed,
    OutOfDate,
    Rejection,
    WrongLines,
    paginate,
)
from web.classroom.core.models import Classroom, Student
from web.classroom.core.presence import answer_not_modified, record_visit, with_etag
from web.classroom.core.words import local_time
from web.classroom.homework import hands, models, queries
from web.classroom.homework.models import Tournament
from web.classroom.homework.queries import IS_OVER, Homework, Participant
from web.http.requests import wants_json
from web.http.sessions import DAY, renew_session
from web.puzzles.series import THEMES
from web.tables.advice import advisor_or_404

MAX_TITLE: Final = 40
BAD_TITLE: Final = Text(
    "Homework has a title of at most {most} characters, all of them visible.", most=MAX_TITLE
)

NO_HANDS: Final = Text("This table has no such hands.")
NO_PUZZLES: Final = Text(
    "This table has no such puzzles. Choose another table, another theme, or your own hands."
)
NO_TYPED: Final = Text("Type at least one hand, or choose a theme.")
NOT_BOTH: Final = Text("Choose “My own hands” for the hands that you typed, or delete those hands.")
WRONG_HANDS: Final = Text("Correct these lines, then click the button again.")

ANY: Final = "any"
"""The form field's value for hands of any kind."""

FIELDS: Final[Mapping[str, FieldOptions]] = {
    "title": None,
    "table": models.ADVISED_TABLES,
    "deals": None,
    "until": None,
    "about": {ANY: Text("Any hands")}
    | {name: habit.about for name, habit in HABITS.items() if habit.is_drilled},
}
"""The fields of a tournament's form and their values."""

OWN: Final = Theme.OWN.value
"""The form field's value for typed hands."""

PUZZLE_FIELDS: Final[Mapping[str, FieldOptions]] = {
    "title": None,
    "table": models.ADVISED_TABLES,
    "theme": {OWN: Text("My own hands")} | {name: info.text for name, info in THEMES.items()},
    "deals": None,
    "hands": None,
    "until": None,
}
"""The fields of the form for homework of puzzles, and their values."""

MAKES: Final = ("make", "pose")
"""The moves that create homework, which consists of deals or of puzzles."""

blueprint = flask.Blueprint("tournaments", __name__)
blueprint.before_request(answer_not_modified)


@blueprint.get("/class/<code>/tournaments")
def show_all(code: str) -> ResponseReturnValue:
    """Show the tournaments of a class, newest first, with the form for the instructor."""
    return _list_page(access.load_class(code))


def _list_page(classroom: Classroom, rejection: Rejection = NOT_REJECTED) -> ResponseReturnValue:
    """Return the list of a class's tournaments."""
    leads, homework = access.is_instructor(classroom), list[Homework]()
    if leads:
        access.extend_class(classroom)
        homework += queries.load_tournaments(classroom)
    else:
        homework += queries.load_participants(classroom, access.require_student(classroom))
        renew_session()
    etag = classroom.etag("dashboard" if leads else "")
    moves = _list_moves(classroom) if leads else []
    if wants_json():
        listed = [entry.list_document() for entry in homework]
        document = classroom.document | {"version": etag, "tournaments": listed}
        instructor_keys = {"step": classroom.step, "moves": [move.document() for move in moves]}
        return with_etag(
            forms.json_page(document | (instructor_keys if leads else {}), rejection), etag
        )
    page = forms.form_page(
        "class/tournaments.html",
        rejection,
        classroom=classroom,
        etag=etag,
        leads=leads,
        tournaments=homework[::-1],
        moves={move.name: move for move in moves},
        kind=_form_kind(rejection),
        max_typed=hands.MAX_TYPED,
        max_text=hands.MAX_HANDS_TEXT,
        now=_clock_text(classroom),
    )
    return with_etag(page, etag)


def _form_kind(rejection: Rejection) -> str:
    """Return the kind of the form to show, from the rejected move or the URL."""
    kind = "puzzles" if rejection.typed.get("move") == "pose" else ""
    return kind or flask.request.args.get("kind", "")


@blueprint.get("/class/<code>/tournament/<int:number>")
def show(code: str, number: int) -> ResponseReturnValue:
    """Show the ranks of students.

    The instructor sees the ranks of all students.
    """
    return _page(find_tournament(access.load_class(code), number))


def _page(homework: Homework, rejection: Rejection = NOT_REJECTED) -> ResponseReturnValue:
    """Return the page of a tournament."""
    as_student = flask.request.args.get("as") == "student"
    if access.is_instructor(homework.classroom) and not (
        as_student and access.current_student_or_banned(homework.classroom)
    ):
        access.extend_class(homework.classroom)
        return with_etag(_desk_page(homework, rejection), homework.classroom.etag("dashboard"))
    student = access.require_student(homework.classroom)
    record_visit(homework.classroom.code)
    return with_etag(_student_page(homework, student, rejection), homework.classroom.etag("screen"))


def show_rejected(error: CardGameError) -> ResponseReturnValue:
    """Return the tournament's page with the reason why a request was rejected."""
    rejection = forms.rejected(error, {})
    args = flask.request.view_args or {}
    try:
        return _page(find_tournament(access.load_class(args["code"]), args["number"]), rejection)
    except HTTPException as raised:  # Flask does not handle errors of an error handler.
        return flask.current_app.handle_user_exception(raised)


def find_tournament(classroom: Classroom, number: int) -> Homework:
    """Return a tournament of a class by number, or raise NotFound if it is missing."""
    for homework in queries.load_tournaments(classroom):
        if homework.tournament.number == number:
            return homework
    raise NotFound


def _desk_page(homework: Homework, rejection: Rejection) -> ResponseReturnValue:
    """Return the instructor's page of a tournament, which lists all students."""
    classroom = homework.classroom
    if wants_json():
        return forms.json_page(_document_for_all(homework), rejection)
    with_names = access.shows_real_names()
    page = paginate(homework.rows, lambda row: row.name)
    return forms.form_page(
        "class/tournament_instructor.html",
        rejection,
        at=homework,
        list=replace(page, rows=homework.with_scores(page.rows)),
        answers=_answer_sums(homework),
        advisor=homework.tournament.game.advisor,
        moves={move.name: move for move in _moves_about(homework)},
        desk_address=desk_address,
        has_names=classroom.real != "no",
        real=access.real_names(classroom) if with_names else None,
        is_member=access.current_student_or_banned(classroom) is not None,
        is_shown=classroom.show == "standings"
        and queries.tournament_on_screen(classroom) == homework,
        field_text=_field_text,
        now=_clock_text(classroom),
    )


def _answer_sums(homework: Homework) -> list[hands.AnswerSums]:
    """Return the number of answers of each kind to each puzzle.

    For deals, the list is empty.
    """
    tournament = homework.tournament
    if not tournament.has_puzzles:
        return []
    chosen, advisor = queries.answers_in(tournament), advisor_or_404(tournament.game)
    return [
        hands.sum_answers(number, tournament.puzzle(number), advisor, chosen.get(number, {}))
        for number in range(1, tournament.deals + 1)
    ]


def _document_for_all(homework: Homework) -> dict[str, Any]:
    """Return a tournament with all students as JSON, for its instructor."""
    rows = homework.with_scores(homework.rows)
    students = [row.document() | {"number": row.student} for row in rows]
    if access.shows_real_names():
        real = access.real_names(homework.classroom)
        students = [student | {"real": real.get(student["number"])} for student in students]
    sums = [answer_sum.document() for answer_sum in _answer_sums(homework)]
    return (
        homework.page_document("dashboard")
        | ({"puzzles": sums} if sums else {})
        | {
            "step": homework.classroom.step,
            "students": students,
            "moves": [move.document() for move in _moves_about(homework)],
        }
    )


def desk_address(homework: Homework, *, with_names: bool) -> str:
    """Return the URL of a tournament's page, with or without real names."""
    return f"{homework.address}?names=yes" if with_names else homework.address


def _clock_text(classroom: Classroom) -> str:
    """Return the current time in the server's time zone, which is used for all times."""
    return f"{local_time(classroom.now):%Y-%m-%d %H:%M %Z}"


def _field_text(seconds: float) -> str:
    """Return a time in the format of a form field, or an empty string without a time."""
    return f"{local_time(seconds):%Y-%m-%dT%H:%M}" if seconds else ""


def _student_page(
    homework: Homework, student: Student, rejection: Rejection
) -> ResponseReturnValue:
    """Return a student's page of a tournament.

    The page shows the student's own rank and the five best students. Students who have played a
    deal can see other students' results for that deal.
    """
    (seat,) = queries.load_participants(homework.classroom, student, [homework])
    own_standing, best = seat.own_standing, seat.best
    if wants_json():
        return forms.json_page(_document_for(seat), rejection)
    is_apart = (
        best
        and own_standing
        and own_standing.rank > 0
        and own_standing.student not in {row.student for row in best}
    )
    return forms.form_page(
        "class/tournament.html",
        rejection,
        seat=seat,
        own=own_standing,
        best=(*best, own_standing) if is_apart else best,
        now=_clock_text(seat.classroom),
    )


def _document_for(seat: Participant) -> dict[str, Any]:
    """Return a tournament as JSON for one of its students."""
    standing = seat.own_standing if seat.is_over else None
    you = standing.document() if standing else {"played": seat.played}
    you.pop("name", None)
    return seat.page_document("screen") | {
        "best": [row.document() for row in seat.best],
        "you": you | {"number": seat.student.number},
        "next": seat.next_document(),
    }


# ---- Moves ---------------------------------------------------------------------------------------


@blueprint.post("/class/<code>/tournaments")
def make_one(code: str) -> ResponseReturnValue:
    """Create a tournament, or show the list of tournaments with an error message."""
    sent = forms.sent_move()
    try:
        classroom = access.load_class_as_instructor(code)
        why = _why_none(classroom, sent.get("move", ""))
        return _make(forms.requested_move(classroom, _list_moves(classroom), sent, why))
    except CardGameError as error:
        return _list_page(access.load_class(code), forms.rejected(error, sent))


def may_make(classroom: Classroom) -> bool:
    """Return whether a class has room for another tournament."""
    number = queries.count_tournaments(classroom.code)
    return not classroom.closed and number < models.MAX_TOURNAMENTS


def _list_moves(classroom: Classroom) -> list[ClassMove]:
    """Return the moves that create homework, if they are possible now."""
    if not may_make(classroom):
        return []
    label = Text("Make the homework")
    make = ClassMove("make", label, _make, FIELDS)
    return [make, ClassMove("pose", label, _make, PUZZLE_FIELDS)]


def _why_none(classroom: Classroom, name: str) -> Text:
    if name not in MAKES or classroom.closed:
        return words.NOT_NOW
    return Text("A class has at most {most} pieces of homework.", most=models.MAX_TOURNAMENTS)


def _make(request: MoveRequest) -> ResponseReturnValue:
    """Create a tournament, and redirect to it.

    The slow computation runs without a lock. The class is then loaded again, and an outdated form
    is rejected.
    """
    has_puzzles, step = request.move.name == "pose", request.classroom.step
    tournament = _posed_from(request) if has_puzzles else _made_from(request)
    db.rollback()
    compute_deals(tournament)
    classroom = access.load_class_as_instructor(tournament.class_code)
    if step != classroom.step:
        raise OutOfDate(words.STALE)
    db.session().add(tournament)
    db.session().flush()
    access.save_move(classroom)
    homework = Homework(classroom, tournament)
    return forms.accepted(homework.address, partial(_page, homework))


def _made_from(request: MoveRequest) -> Tournament:
    """Return the tournament that a form describes.

    From now on, the tournament's cards are fixed and secret.

    The tournament's hands and the costs of its decisions are not computed yet.
    """
    tournament = _new_tournament(request, request.number("deals", 1, models.MAX_DEALS))
    about = request.choice("about", ANY)
    tournament.about = "" if about == ANY else about
    forms.require(not tournament.about or has_hands(tournament.table, tournament.about), NO_HANDS)
    return tournament


def _posed_from(request: MoveRequest) -> Tournament:
    """Return the homework of puzzles that a form describes.

    The puzzles belong to a theme, or are typed hands.
    """
    table, theme = request.choice("table"), request.choice("theme", OWN)
    typed = request.fields.get("hands", "")
    if theme == OWN:
        positions = _typed_positions(table, typed)
    else:
        forms.require(not typed.strip(), NOT_BOTH)
        number = request.number("deals", 1, models.MAX_DEALS)
        positions = hands.choose_puzzles(THEMES[theme], table, number, SystemRandom())
        forms.require(bool(positions), NO_PUZZLES)
    tournament = _new_tournament(request, len(positions))
    tournament.puzzles = [msgspec.to_builtins(position) for position in positions]
    return tournament


def _typed_positions(table: str, text: str) -> tuple[Position, ...]:
    """Return the positions of typed hands, or raise NotAllowed if any hand is invalid."""
    lines = [line for line in text.splitlines() if line.strip()]
    too_many = hands.TOO_MANY.fill(most=hands.MAX_TYPED, number=len(lines))
    forms.require(len(lines) <= hands.MAX_TYPED, too_many)
    typed = hands.parse_hands(table, text)
    if typed.wrong:
        raise WrongLines(WRONG_HANDS, "hands", [line.text for line in typed.wrong])
    forms.require(bool(typed.positions), NO_TYPED)
    return typed.positions


def _new_tournament(request: MoveRequest, deals: int) -> Tournament:
    """Return a new tournament with the fields that all forms share."""
    title = request.text("title")
    forms.require(len(title) <= MAX_TITLE and title.isprintable(), BAD_TITLE)
    return Tournament(
        class_code=request.classroom.code,
        number=1 + queries.count_tournaments(request.classroom.code),
        title=title,
        table=request.choice("table"),
        deals=deals,
        due=_checked_due(request),
        salt=secrets.token_bytes(32),
        about="",
        skips=[],
        puzzles=[],
    )


def compute_deals(tournament: Tournament) -> None:
    """Compute the deals of a tournament and the costs of their decisions.

    If a kind of hands was chosen, deals are skipped until the rule of thumb is wrong about the
    first decision. The choice depends only on visible cards, so it reveals nothing about later
    cards.
    """
    if tournament.about:
        tournament.skips = [
            next(
                skip
                for skip in count()
                if _is_first_decision_wrong(tournament.deal(number, skip).shared, tournament.about)
            )
            for number in range(1, tournament.deals + 1)
        ]
    tournament.work_out_costs()


def _is_first_decision_wrong(deal: SharedDeal, habit: str) -> bool:
    """Return whether a rule of thumb is wrong about the first decision of a deal."""
    table, advisor = deal.dealt(), deal.game.advisor
    if table.result or advisor is None:  # The round ended with the deal.
        return False
    dealt = advisor.situation(table.state)
    return is_wrong(habit, Position(deal.game.info.slug, dealt.hand, dealt.upcard))


@blueprint.post("/class/<code>/tournament/<int:number>")
def move(code: str, number: int) -> ResponseReturnValue:
    """Change a tournament with an instructor's move, or show an error message."""
    sent = forms.sent_move()
    try:
        homework = find_tournament(access.load_class_as_instructor(code), number)
        why = _why_not(homework, sent.get("move", ""))
        forms.requested_move(homework.classroom, _moves_about(homework), sent, why).make()
    except CardGameError as error:
        rejection = forms.rejected(error, sent)
        return _page(find_tournament(access.load_class(code), number), rejection)
    address = desk_address(homework, with_names=access.shows_real_names())
    return forms.accepted(address, partial(_page, homework))


def _moves_about(homework: Homework) -> Iterator[ClassMove]:
    """Yield the possible moves that change a tournament.

    A tournament that has ended cannot be reopened.
    """

    def end(request: MoveRequest) -> None:
        _change(homework, request, due=request.now, ended=True)

    number = homework.tournament.number
    show = partial(MoveRequest.write, show="standings", standings=number)
    yield ClassMove("show", Text("Show the homework on the big screen"), show)
    if not homework.is_over:
        yield ClassMove("until", Text("Ends"), partial(_move_end, homework), {"until": None})
        yield ClassMove("end", Text("End the homework now"), end)


def _why_not(homework: Homework, name: str) -> Text:
    """Return the reason why an action on a tournament is not possible now."""
    return IS_OVER if homework.is_over and name in ("until", "end") else words.NOT_NOW


def _move_end(homework: Homework, request: MoveRequest) -> None:
    _change(homework, request, due=_checked_due(request))


def _change(homework: Homework, request: MoveRequest, **changes: Any) -> None:
    """Save changed columns of a tournament."""
    for name, value in changes.items():
        setattr(homework.tournament, name, value)
    request.write()


def _checked_due(request: MoveRequest) -> float:
    """Return the due time in a tournament's form, or 0 if there is no due time.

    Raises:
        NotAllowed: If the time is in the past or after the end of the class.
    """
    due, days = _time(request, "until"), request.classroom.days
    in_past = Text("Homework cannot end in the past.")
    forms.require(not due or due > request.now, in_past)
    spare = DAY if days > 1 else 0  # time for the class to view the results
    forms.require(
        due <= request.now + days * DAY - spare,
        Text(
            "This class is saved for {days} days after you last opened it. Choose an earlier end, "
            "or keep the class longer.",
            days=days,
        ),
    )
    return due


def _time(request: MoveRequest, name: str) -> float:
    """Return the time in a field, or 0 for an empty field.

    The default time zone is the server's.

    Raises:
        NotAllowed: If the field does not contain a time.
    """
    sent = request.fields.get(name, "").strip()
    try:
        return datetime.fromisoformat(sent).astimezone().timestamp() if sent else 0.0
    except (ValueError, OverflowError, OSError):
        raise NotAllowed(
            Text("A time is written like {example}.", example="2026-11-27T18:00")
        ) from None
