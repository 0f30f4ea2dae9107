"""The students of a class: joining, rejoining and leaving, and the effects on their cards."""

from collections.abc import Mapping
from typing import Any, Final

import flask
from sqlalchemy import bindparam, delete, exists, func, insert, select, update

from cardgames.class_bingo.clock import Clock
from cardgames.text import Text
from web import db
from web.classroom.bingo.latecomers import give_late_card
from web.classroom.bingo.queries import open_bingo, save_places, withdraw_card
from web.classroom.bingo.rules import placed_cards
from web.classroom.core import access, words
from web.classroom.core.access import FIND_STUDENTS, not_banned
from web.classroom.core.codes import (
    browser_hash,
    matches_any,
    normalize_code,
    note_deals,
    rejoin_code,
)
from web.classroom.core.forms import Fields, NotAllowed, require
from web.classroom.core.models import (
    MAX_WRONG_CODES,
    WRONG_CODES_WITHIN,
    Browser,
    Classroom,
    Student,
)
from web.classroom.homework.queries import deals_begun
from web.classroom.people import nicknames
from web.http.i18n import request_language
from web.http.sessions import current_login, current_session

MAX_STUDENTS: Final = 1_000
"""Maximum number of students in a class."""


def find_student(classroom: Classroom, number: int) -> Student | None:
    """Return a student of a class."""
    query = FIND_STUDENTS.where(Student.number == number)
    return db.session().scalar(query, {"code": classroom.code})


def load_browsers(student: Student) -> tuple[str, ...]:
    """Return the keys of a student's browsers, in order of addition."""
    is_student = Browser.class_code == student.class_code, Browser.student == student.number
    return tuple(
        db.session().scalars(select(Browser.key).where(*is_student).order_by(Browser.number))
    )


def find_number_by_name(code: str, key: str) -> int:
    """Return the number of the student with a nickname, or 0 if it is not taken."""
    has_name = Student.class_code == code, Student.name_key == key
    return db.session().scalar(select(Student.number).where(*has_name)) or 0


def new_nicknames(classroom: Classroom) -> tuple[str, ...]:
    """Return random nicknames that are not taken, in the language of the request."""
    here = Student.class_code == classroom.code
    taken = {*db.session().scalars(select(Student.name_key).where(here))}
    return nicknames.offers(request_language(), taken)


def forget_real_names(code: str) -> None:
    """Delete all real names that a class's students entered."""
    db.execute(update(Student).where(Student.class_code == code).values(real_name=""))


def derive_rejoin_code(student: Student) -> str:
    """Return the rejoin code that connects another browser to a student."""
    key = flask.current_app.config["SECRET_KEY"]
    return rejoin_code(key, student.class_code, student.number, student.generation)


MAX_BROWSERS: Final = 12
"""Maximum number of browsers per student."""

MAX_RECEIPT: Final = 64


def join(code: str, form: Fields) -> tuple[Classroom, Student]:
    """Join as a new student, unless the browser already belongs to a student.

    Return the class and the student. The form contains either ``name``, the student's own nickname,
    or ``offer``, an offered nickname. The form also contains ``real``, the real name, and
    ``receipt``, a value from the page. If the form is sent twice, the student joins only once
    because of the receipt.
    """
    classroom = access.load_class(code)
    if current := access.current_student_or_banned(classroom):
        return classroom, current
    # On an unreliable network, the response to a join may be lost, together with its cookie. A
    # signed-on student is identified without a receipt, and a receipt must not change the student.
    receipt = "" if classroom.asks_sign_on else receipt_key(code, form)
    if receipt and (lost := access.find_by_key(classroom, receipt)):
        return classroom, _add_browser(classroom, lost)
    if closed := why_closed(classroom):
        raise NotAllowed(closed)
    student = _newcomer(classroom, form)
    receipts = (receipt,) if receipt and not current_session().is_kept else ()
    for browser in (access.participant_key(classroom), *receipts):
        _assign_browser(student, browser)
    came = {"joined": student.number, "members": classroom.members + 1}
    give_late_card(classroom, student, **came)
    return classroom, student


class FullClass(Exception):
    """Raised if a class has no seat left for a new student."""


_COUNT_FULL: Final = (
    select(func.count())
    .select_from(Classroom)
    .where(
        Classroom.code == bindparam("code"),
        Classroom.expires > bindparam("now"),
        Classroom.members >= Classroom.limit,
        ~exists().where(
            Browser.class_code == bindparam("code"),
            Browser.key.in_(bindparam("keys", expanding=True)),
        ),
    )
)


def receipt_key(code: str, form: Fields) -> str:
    """Return the browser key derived from a form's receipt, or an empty string."""
    receipt = form.get("receipt", "")[:MAX_RECEIPT]
    return receipt and browser_hash(normalize_code(code), f"receipt {receipt}")


def require_seat(code: str, form: Fields) -> None:
    """Raise FullClass if a class has no seat for the current browser.

    A browser that belongs to a student always has a seat. The check is a single SELECT outside of
    the request's transaction, before any other query, so that a flood of joins does not delay
    SQLite's writers.
    """
    receipt, code = receipt_key(code, form), normalize_code(code)
    keys = [access.browser_key(code), access.login_key(code), receipt]
    values = {"code": code, "now": db.now(), "keys": keys}
    with db.database().session(writes=False) as reader:
        if reader.scalar(_COUNT_FULL, values):
            raise FullClass


def _newcomer(classroom: Classroom, form: Fields) -> Student:
    """Save a new student with the values from a form."""
    name, real = _nickname(classroom, form), _real_name(classroom, form)
    key = nicknames.name_key(name)
    if find_number_by_name(classroom.code, key):
        raise NotAllowed(words.TAKEN.fill(name=form.get("offer") or form.get("name", "")))
    student = Student(class_code=classroom.code, number=classroom.joined + 1, real_name=real)
    student.name, student.name_key, student.offered = name, key, nicknames.is_offered(name)
    student.joined = classroom.now
    db.session().add(student)
    db.session().flush()
    return student


def why_closed(classroom: Classroom) -> Text | None:
    """Return the reason why a class rejects the client of this request, or None."""
    if classroom.closed:
        return Text("This class has ended.")
    if classroom.locked:
        return Text("This class is closed to newcomers.")
    if classroom.is_full:
        return words.FULL
    return None if access.participant_key(classroom) else words.SIGN_ON_FIRST


def _real_name(classroom: Classroom, form: Fields) -> str:
    """Return the login if students sign on, otherwise the entered real name.

    The real name may be empty.
    """
    if classroom.asks_sign_on:
        return current_login()
    real = nicknames.checked_real_name(form.get("real", "")) if classroom.real != "no" else ""
    require(classroom.real != "must" or bool(real), words.REAL_NEEDED)
    return real


def _nickname(classroom: Classroom, form: Fields) -> str:
    """Return a form's nickname, either offered or, if allowed, the student's own."""
    is_free, name = classroom.nicknames == "free", form.get("name", "")
    offer = form.get("offer")
    if offer and not (name and is_free):
        require(nicknames.is_offered(offer), nicknames.NOT_OFFERED)
        return offer
    require(is_free, nicknames.NOT_OFFERED)
    return nicknames.checked_nickname(name)


class WrongCode(NotAllowed):
    """Raised for a wrong rejoin code.

    The wrong code is counted even though the form is rejected.
    """


def rejoin(code: str, name: str, sent_code: str) -> tuple[Classroom, Student]:
    """Add the current browser to a student's browsers, using a rejoin code.

    Return the class and the student. A wrong code is counted before the response is sent, so that
    concurrent guesses are counted separately. The tenth wrong code in ten minutes blocks the rejoin
    code until it is renewed.
    """
    classroom = access.load_class(code)
    require(not classroom.asks_sign_on, words.SIGNS_ON)
    number, now = find_number_by_name(classroom.code, nicknames.name_key(name)), classroom.now
    student = find_student(classroom, number)
    if student is None:
        raise NotAllowed(words.NO_REJOIN)
    wrong, current = student.wrong_codes, access.current_student_or_banned(classroom)
    require(len(wrong) < MAX_WRONG_CODES, words.CODE_BLOCKED.fill(name=student.name))
    if not matches_any(sent_code, [derive_rejoin_code(student)]):
        recent = [moment for moment in wrong if now - moment < WRONG_CODES_WITHIN]
        access.write(student, wrong_codes=[*recent, now])
        access.save_students(classroom)
        raise WrongCode(words.NO_REJOIN)
    require("banned" not in (student.state, current and current.state), words.BANNED)
    if current and current.number == student.number:
        return classroom, current
    return classroom, _add_browser(classroom, student)


def _add_browser(classroom: Classroom, student: Student) -> Student:
    """Add the current browser to a student, up to the maximum number of browsers."""
    is_full = len(load_browsers(student)) >= MAX_BROWSERS
    require(not is_full, words.TOO_MANY_BROWSERS.fill(most=MAX_BROWSERS))
    for previous in (access.current_student_or_banned(classroom), student):
        if previous:
            _note_deals(previous)
    _assign_browser(student, access.participant_key(classroom))
    access.save_students(classroom)
    return student


def _note_deals(student: Student) -> None:
    """Save in the session the homework deals that the browser saw as a student."""
    note_deals(student.class_code, student.number, deals_begun(student))


def _assign_browser(student: Student, key: str) -> None:
    """Assign a browser to a student, even if the browser belonged to someone else."""
    row = {"class_code": student.class_code, "key": key, "student": student.number}
    db.execute(delete(Browser).where(Browser.class_code == student.class_code, Browser.key == key))
    db.execute(insert(Browser), **row, number=len(load_browsers(student)))


def _is_browser(classroom: Classroom, key: str) -> tuple[Any, ...]:
    """Return the condition that selects a browser's row by its key in a class."""
    return Browser.class_code == classroom.code, Browser.key == key


def leave(code: str, choice: str) -> tuple[Classroom, Student | None]:
    """Suspend or resume participation, remove this browser, or delete the student.

    Return the class and the student, or None if the browser no longer belongs to a student.
    """
    classroom = access.load_class(code)
    student = access.current_student_or_banned(classroom)
    if student is None or student.state == "banned":
        raise NotAllowed(words.NOT_NOW)
    if choice in ("forget", "browser"):
        _note_deals(student)
    match choice, student.state:
        case "forget", _:
            forget(classroom, student)
            return classroom, None
        case "browser", _:
            require(not classroom.asks_sign_on)
            db.execute(
                delete(Browser).where(*_is_browser(classroom, access.participant_key(classroom)))
            )
            access.save_students(classroom)
            return classroom, None
        case "step-out", "in":
            set_state(classroom, student, "out")
        case "step-in", "out":
            access.write(student, state="in")
            _return_card(classroom, student)
            access.save_students(classroom)
    return classroom, find_student(classroom, student.number)


def _return_card(classroom: Classroom, student: Student) -> None:
    """Withdraw a returning student's card if it has BINGO! but won no place."""
    live = open_bingo(classroom)
    card = live and student.card and live.round.card(student.card)
    if live and card and card.bingo_call <= live.calls:
        has_place = any(card.number in place.cards for place in live.places)
        if not has_place:
            withdraw_card(live.round, student)


def forget(classroom: Classroom, *students: Student) -> None:
    """Delete students.

    Places that the students' cards won in the open round are not deleted.
    """
    clock = _clock_without(classroom, *students)
    numbers = [student.number for student in students]
    is_forgotten = Student.class_code == classroom.code, Student.number.in_(numbers)
    db.execute(delete(Student).where(*is_forgotten))
    access.save_students(classroom, clock, members=classroom.members - len(students))


def set_state(classroom: Classroom, student: Student, to: str) -> None:
    """Mark a student as stepped out or banned.

    The student's card is then out of play, unless it has won a place.
    """
    clock = _clock_without(classroom, student)
    access.write(student, state=to)
    access.save_students(classroom, clock)


def _clock_without(classroom: Classroom, *students: Student) -> Clock | None:
    """Save the places of leaving students, and return the clock without their cards.

    A BINGO! that was shown is not undone, and the clock waits until the instructor acts.
    """
    live = open_bingo(classroom)
    if live is None:
        return None
    numbers = {student.number for student in students}
    placed = [
        placed_card
        for placed_card in placed_cards(live)
        if placed_card.student in numbers and placed_card.rank
    ]
    save_places(live.round, placed)
    if live.round.by_hand or live.phase == "bingo":
        return None
    stay = [
        card for card, card_in_play in live.cards.items() if card_in_play.student not in numbers
    ]
    stay += range(1, live.round.paper + 1)
    stop = live.stop_after(live.round.resumed_at_call, stay)
    return classroom.clock.stopping_at(stop, classroom.now)


def joined_since(students: Mapping[int, Student], minute: int) -> list[Student]:
    """Return the given students who joined in the given minute of Unix time or later."""
    return [student for student in not_banned(students) if student.joined >= minute * 60]
