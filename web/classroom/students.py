"""The students of a class: who they are, how they join, come back and go, and their cards."""

from collections.abc import Collection, Mapping
from typing import Final

import flask
from sqlalchemy import delete, insert, select, update

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.card import MAX_PUT_ASIDE, BingoCard, next_card
from cardgames.class_bingo.clock import Clock
from cardgames.text import Text
from web import db
from web.classroom import access, nicknames, words
from web.classroom.access import FIND_STUDENTS
from web.classroom.bingo import may_take_card, number_had, open_bingo
from web.classroom.codes import browser_hash, is_among, rejoin_code
from web.classroom.forms import Fields, NotAllowed, require
from web.classroom.models import (
    MAX_WRONG_CODES,
    WRONG_CODES_WITHIN,
    BingoRound,
    Browser,
    Classroom,
    Student,
)
from web.classroom.rounds import card_had_before, give_late_card, keep_card_had
from web.classroom.tournaments import keep_deals_seen
from web.http.i18n import negotiated
from web.http.sessions import current_login, current_session

MAX_STUDENTS: Final = 1_000
"""Maximum number of students in a class."""


def students_of(classroom: Classroom) -> dict[int, Student]:
    """Return all students of a class by their numbers; those who are banned as well."""
    found = db.session().scalars(FIND_STUDENTS, {"code": classroom.code})
    return {student.number: student for student in found}


def not_banned(students: Mapping[int, Student]) -> list[Student]:
    """Return those of some students who are not banned."""
    return [student for student in students.values() if student.state != "banned"]


def playing(students: Mapping[int, Student]) -> list[Student]:
    """Return those of some students who have not stepped out either."""
    return [student for student in students.values() if student.state == "in"]


def names_of(classroom: Classroom) -> dict[int, str]:
    """Return the nicknames of a class's students, by their numbers."""
    here = Student.class_code == classroom.code
    return dict(db.execute(select(Student.number, Student.name).where(here)).all())


def find_student(classroom: Classroom, number: int) -> Student | None:
    """Return a student of a class."""
    query = FIND_STUDENTS.where(Student.number == number)
    return db.session().scalar(query, {"code": classroom.code})


def browsers_of(student: Student) -> tuple[str, ...]:
    """Return what stands for a student's browsers, in the order in which they came."""
    theirs = Browser.class_code == student.class_code, Browser.student == student.number
    return tuple(db.session().scalars(select(Browser.key).where(*theirs).order_by(Browser.number)))


def number_named(code: str, key: str) -> int:
    """Return the number of the student with a nickname; 0 where nobody has it."""
    theirs = Student.class_code == code, Student.name_key == key
    return db.session().scalar(select(Student.number).where(*theirs)) or 0


def new_nicknames(classroom: Classroom) -> tuple[str, ...]:
    """Return nicknames by chance that nobody has, in the language of the request."""
    here = Student.class_code == classroom.code
    taken = {*db.session().scalars(select(Student.name_key).where(here))}
    return nicknames.offers(negotiated(), taken)


def real_names(code: str) -> dict[int, str]:
    """Return the real names that students of a class have given, by their numbers."""
    given = Student.class_code == code, Student.real_name != ""
    return dict(db.execute(select(Student.number, Student.real_name).where(*given)).all())


def forget_real_names(code: str) -> None:
    """Forget all real names that students of a class have given."""
    db.execute(update(Student).where(Student.class_code == code).values(real_name=""))


def rejoin_code_of(student: Student) -> str:
    """Return the code that connects another browser to a student."""
    key = flask.current_app.config["SECRET_KEY"]
    return rejoin_code(key, student.class_code, student.number, student.generation)


MAX_BROWSERS: Final = 12
"""Maximum number of browsers of a student."""

SEAT_KEPT: Final = 120.0
"""Number of seconds that a seat is kept in a full class for an absent browser."""

MAX_RECEIPT: Final = 64


def join(code: str, form: Fields) -> tuple[Classroom, Student]:
    """Make the browser of the request a student's of a class; once is enough.

    Return the class and the student. The form has ``name``, a nickname of one's own, or ``offer``;
    ``real``; and ``receipt``, which it has been given, so that sending it twice joins once.
    """
    classroom = access.load_class(code)
    if own := access.known_student(classroom):
        return classroom, own
    # On a bad network the answer to a join may be lost, and with it the cookie.
    # Who signs on is known without, and nobody else's receipt may make them another.
    receipt = "" if classroom.asks_sign_on else form.get("receipt", "")[:MAX_RECEIPT]
    receipt = receipt and browser_hash(classroom.code, f"receipt {receipt}")
    if receipt and (lost := access.student_of(classroom, receipt)):
        return classroom, _add_browser(classroom, lost)
    if closed := why_closed(classroom):
        raise NotAllowed(closed)
    student = _newcomer(classroom, form)
    receipts = (receipt,) if receipt and not current_session().is_kept else ()
    for browser in (access.own_key(classroom), *receipts):
        _move_browser(student, browser)
    came = {"joined": student.number, "members": classroom.members + 1}
    _give_late_card(classroom, student, is_new=True, **came)
    return classroom, student


def _newcomer(classroom: Classroom, form: Fields) -> Student:
    """Keep a new student, as a form describes them."""
    name, real = _nickname(classroom, form), _real_name(classroom, form)
    if classroom.members >= classroom.limit:
        _make_room(classroom)
    key = nicknames.name_key(name)
    if number_named(classroom.code, key):
        raise NotAllowed(words.TAKEN.fill(name=form.get("offer") or form.get("name", "")))
    student = Student(class_code=classroom.code, number=classroom.joined + 1, real_name=real)
    student.name, student.name_key, student.offered = name, key, nicknames.is_offered(name)
    student.joined = classroom.now
    db.session().add(student)
    db.session().flush()
    return student


def why_closed(classroom: Classroom) -> Text | None:
    """Say why a class does not take the newcomer whose request this is; None where it does."""
    if classroom.closed:
        return Text("This class is over.")
    if classroom.locked:
        return Text("This class is closed to newcomers.")
    return None if access.own_key(classroom) else words.SIGN_ON_FIRST


def _real_name(classroom: Classroom, form: Fields) -> str:
    """Return the login where students sign on, else the real name that was given, if any."""
    if classroom.asks_sign_on:
        return current_login()
    real = nicknames.checked_real_name(form.get("real", "")) if classroom.real != "no" else ""
    require(classroom.real != "must" or bool(real), words.REAL_NEEDED)
    return real


def _nickname(classroom: Classroom, form: Fields) -> str:
    """Return the nickname that was chosen: one of those offered, or one's own where that may be."""
    is_free, name = classroom.nicknames == "free", form.get("name", "")
    offer = form.get("offer")
    if offer and not (name and is_free):
        require(nicknames.is_offered(offer), nicknames.NOT_OFFERED)
        return offer
    require(is_free, nicknames.NOT_OFFERED)
    return nicknames.checked_nickname(name)


def _make_room(classroom: Classroom) -> None:
    """Let one more into a full class, if somebody was not seen for two minutes.

    An absent student only stops counting, and finds everything on coming back. Where a class has
    as many students as any can have, one who was gone within two minutes of joining is forgotten
    instead: so a flood of joins replaces itself.
    """
    students = students_of(classroom).values()
    absent = [one for one in students if classroom.now - one.last_seen >= SEAT_KEPT]
    require(len(students) - len(absent) < classroom.limit, words.FULL)
    if len(students) < MAX_STUDENTS:
        return
    brief = [
        one for one in absent if one.last_seen - one.joined < SEAT_KEPT and one.state != "banned"
    ]
    require(bool(brief), words.FULL)
    forget(classroom, min(brief, key=lambda one: one.last_seen))


def rejoin(code: str, name: str, sent_code: str) -> tuple[Classroom, Student]:
    """Add the browser of the request to those of a student, by their rejoin code.

    Return the class and the student. A wrong code is counted with the student before it is
    answered: guesses at the same moment count one by one. The tenth in ten minutes blocks the code,
    and only a new code ends that.
    """
    classroom = access.load_class(code)
    require(not classroom.asks_sign_on, words.SIGNS_ON)
    number, now = number_named(classroom.code, nicknames.name_key(name)), classroom.now
    student = find_student(classroom, number)
    if student is None:
        raise NotAllowed(words.NO_REJOIN)
    wrong, known = student.wrong_codes, access.known_student(classroom)
    require(len(wrong) < MAX_WRONG_CODES, words.CODE_BLOCKED.fill(name=student.name))
    if not is_among(sent_code, [rejoin_code_of(student)]):
        recent = [at for at in wrong if now - at < WRONG_CODES_WITHIN]
        access.write(student, wrong_codes=[*recent, now])
        access.save_students(classroom)
        db.commit()  # a refusal, which is kept all the same
        raise NotAllowed(words.NO_REJOIN)
    require("banned" not in (student.state, known and known.state), words.BANNED)
    if known and known.number == student.number:
        return classroom, known
    return classroom, _add_browser(classroom, student)


def _add_browser(classroom: Classroom, student: Student) -> Student:
    """Let the browser of the request be a student's, unless they have as many as there can be."""
    is_full = len(browsers_of(student)) >= MAX_BROWSERS
    require(not is_full, words.TOO_MANY_BROWSERS.fill(most=MAX_BROWSERS))
    if known := access.known_student(classroom):
        _keep_card(classroom, known, (access.own_key(classroom),))
        keep_deals_seen(classroom.code, (known.number,), access.own_key(classroom))
    _move_browser(student, access.own_key(classroom))
    access.save_students(classroom)
    return student


def _move_browser(student: Student, key: str) -> None:
    """Let a browser be a student's; before, it may have been another's."""
    of = {"class_code": student.class_code, "key": key, "student": student.number}
    db.execute(delete(Browser).where(Browser.class_code == student.class_code, Browser.key == key))
    db.execute(insert(Browser), **of, number=len(browsers_of(student)))


def leave(code: str, what: str) -> tuple[Classroom, Student | None]:
    """Let the student of the browser of the request step out, step in, or be forgotten.

    Return the class and the student; None for one who was forgotten.
    """
    classroom = access.load_class(code)
    student = access.known_student(classroom)
    if student is None or student.state == "banned":
        raise NotAllowed(words.NOT_NOW)
    match what, student.state:
        case "forget", _:
            forget(classroom, student)
            return classroom, None
        case "step-out", "in":
            set_state(classroom, student, "out")
        case "step-in", "out":
            # With the card they had, unless that has got BINGO! meanwhile.
            access.write(student, state="in")
            _give_late_card(classroom, student, number_had(classroom.open_round, student))
    return classroom, find_student(classroom, student.number)


def forget(classroom: Classroom, *gone: Student) -> None:
    """Forget students, but for what their browsers have seen.

    That is how many deals of open tournaments, and which card of the round that is on.
    """
    numbers = [student.number for student in gone]
    keep_deals_seen(classroom.code, numbers)
    for student in gone:
        _keep_card(classroom, student, browsers_of(student))
    clock = _clock_without(classroom, *gone)
    theirs = Student.class_code == classroom.code, Student.number.in_(numbers)
    db.execute(delete(Student).where(*theirs))
    access.save_students(classroom, clock, members=classroom.members - len(gone))


def set_state(classroom: Classroom, student: Student, to: str) -> None:
    """Let a student step out, or ban them: their card is out of play."""
    clock = _clock_without(classroom, student)
    access.write(student, state=to)
    access.save_students(classroom, clock)


def _clock_without(classroom: Classroom, *gone: Student) -> Clock | None:
    """Return the clock of a round that students' cards are taken out of, if that changes it."""
    live = open_bingo(classroom)
    if live is None or live.round.by_hand:
        return None
    without, paper = {student.number for student in gone}, live.round.paper
    held = live.held.values()
    stay = [one.card for one in held if one.student not in without or one.card <= paper]
    stop = live.stop_after(live.round.resumed_at_call, stay)
    return classroom.clock.stopping_at(stop, classroom.now)


def came_since(students: Mapping[int, Student], minute: int) -> list[Student]:
    """Return those of some students who came in a minute of Unix time or later."""
    return [one for one in not_banned(students) if one.joined >= minute * 60]


def take_late_card(code: str) -> tuple[Classroom, Student]:
    """Give the student of the request's browser a card, if a round was dealt without them.

    Return the class as it stands now and the student; raise NotAStudent where there is none.
    """
    with db.writing():
        classroom, student = access.joined_class(code)
        if may_take_card(classroom, student):
            _give_late_card(classroom, student)
    return access.joined_class(code)


def _keep_card(classroom: Classroom, student: Student, browsers: Collection[str]) -> None:
    """Keep the card of a student for browsers that are theirs no more."""
    had = number_had(classroom.open_round, student)
    if classroom.open_round and had is not None:
        keep_card_had(classroom.open_round, had, browsers)


def _give_late_card(
    classroom: Classroom,
    student: Student,
    had: int | None = None,
    *,
    is_new: bool = False,
    **values: int,
) -> None:
    """Let a student play, if a round is on with the card they had, or another if they had none.

    Where none is left, somebody new may ask again. What else changes of the class is written with
    it.
    """
    found, clock, calls = classroom.open_round, None, classroom.calls
    if found:
        card, values["next_card"] = _late_card(classroom, found, student, had)
        if card or not is_new:
            give_late_card(found, student, card.number if card else 0, calls)
        if card and not found.by_hand:
            clock = classroom.clock
            stop = max(card.bingo_call, calls)
            clock = clock.stopping_at(min(stop, clock.stop), classroom.now)
    access.save_students(classroom, clock, **values)


def _late_card(
    classroom: Classroom, found: BingoRound, student: Student, had: int | None
) -> tuple[BingoCard | None, int]:
    """Return a student's card of a round that was dealt, and the next number that nobody has had.

    A browser of theirs that had a card as somebody else gets that one, unless somebody has it.
    """
    calls, following = classroom.calls, classroom.next_card
    if had is None:
        had = card_had_before(found, student)
        everybody = students_of(classroom).values() if had else ()
        others = (number_had(found, one) for one in everybody if one.number != student.number)
        had = 0 if had and had in others else had
    if calls >= DECK_SIZE:
        return None, following
    card = next_card(found.salt, following, found.kind, calls, had=had)
    if had is not None:
        return card, following
    return card, card.number + 1 if card else following + MAX_PUT_ASIDE
