"""The steps to become an instructor with a single-use link, and to open a class."""

import time
import unicodedata
from collections.abc import Mapping
from typing import Final

import flask
from flask import render_template, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import bindparam, delete, func, select

from cardgames.text import Text
from web import db
from web.classroom.core import access, codes, forms, words
from web.classroom.core.codes import InstructorLink
from web.classroom.core.forms import NOT_REJECTED, NotAllowed, Rejection
from web.classroom.core.models import SIGN_ON, Classroom, Dashboard
from web.classroom.people.students import MAX_RECEIPT, MAX_STUDENTS
from web.classroom.people.views import load_browser_classes
from web.http.requests import form_fields, wants_json
from web.http.responses import error_response, json_response, see_other
from web.http.sessions import DAY, StoreFull
from web.reach import server_addresses
from web.settings import Settings, command_line

MAX_TITLE: Final = 60
MAX_OPEN: Final = 20
"""Maximum number of classes that an instructor can have open at the same time."""

MAX_A_DAY: Final = 5
"""Maximum number of classes that a visitor may open per day if everyone may open classes."""

LIFETIMES: Final = (1, 14, 120)
"""The possible lifetimes of a class, in days after the last use of its dashboard."""

DEFAULT_LIFE: Final = 120
DEFAULT_STUDENTS: Final = 200
REAL_NAMES: Final = ("no", "may", "must", SIGN_ON)
NICKNAMES: Final = ("offered", "free")

MAX_DASHBOARDS: Final = 20
"""Maximum number of shared dashboards per class."""

INSTRUCTOR_LINK: Final = 1_800
"""Lifetime of the link that gives a browser the instructor's role, in seconds."""

LINK_OVER: Final = Text("This link has expired or was already used. Ask for a new one.")
TOO_MANY_OPEN: Final = Text(
    "You have {most} open classes. Close or delete one of them first.", most=MAX_OPEN
)
TOO_MANY_TODAY: Final = Text(
    "You have opened {most} classes today. Continue tomorrow.", most=MAX_A_DAY
)

# Every page of a dashboard needs this statement, so it is built once.
_COUNT_SHARES: Final = select(
    select(func.count()).where(Dashboard.class_code == bindparam("code")).scalar_subquery()
    + select(func.count())
    .where(InstructorLink.class_code == bindparam("code"))
    .where(InstructorLink.expires > bindparam("now"))
    .scalar_subquery()
)

blueprint = flask.Blueprint("opening", __name__)


def make_links(settings: Settings, code: str = "") -> tuple[list[str], int]:
    """Create a single-use link for each server address that a phone can reach.

    The links open the dashboard of the class with the given code. Without a code, they grant the
    browser the instructor's role. The function returns the links and their lifetime in minutes, and
    needs no request.
    """
    require_room()
    lifetime = access.SHARE_LINK_SECONDS if code else INSTRUCTOR_LINK
    addresses = flask.current_app.url_map.bind("", script_name=settings.url_prefix or "/")
    links = []
    for base in server_addresses(settings):
        token = codes.new_link()
        codes.save_link(token, code, lifetime)
        links.append(base + addresses.build("opening.show_link", {"token": token}))
    db.commit()  # The links must be valid before they are printed.
    return links, lifetime // 60


@blueprint.get("/class/instructor")
def show_instructor() -> ResponseReturnValue:
    """Show how to become an instructor, or the next steps for an instructor."""
    return _instructor_page()


@blueprint.get("/class/instructor/<token>")
def show_link(token: str) -> ResponseReturnValue:
    """Show a button, so that opening a single-use link does not redeem it."""
    link = codes.find_link(token)
    if link is None:
        return _instructor_page(404, LINK_OVER)
    title = access.load_class(link.class_code).title if link.class_code else ""
    return _instructor_page(token=token, title=title)


@blueprint.post("/class/instructor/<token>")
def use_link(token: str) -> ResponseReturnValue:
    """Redeem a link to the instructor's role or to a class's dashboard."""
    link = codes.find_link(token)
    # The class is locked before its links, in the same order as when the sharing of dashboards
    # ends, to avoid deadlocks.
    classroom = access.load_class(link.class_code) if link and link.class_code else None
    if not codes.consume_link(token):
        return _instructor_page(404, LINK_OVER)
    if classroom is None:
        return _grant_instructor()
    if not access.is_instructor(classroom):
        key = access.instructor_key(classroom.code)
        db.session().add(Dashboard(class_code=classroom.code, key=key))
        access.save_move(classroom)
    codes.remember_dashboard(classroom.code)
    address = url_for("dashboard.show", code=classroom.code)
    return forms.redirect_or_json(address, {"class": classroom.code, "dashboard": address})


def count_shares(code: str) -> int:
    """Return the number of a class's shared dashboards, including unused links."""
    return db.execute(_COUNT_SHARES, code=code, now=db.now()).scalar() or 0


def revoke_shares(code: str) -> None:
    """Delete all shared dashboards of a class, and the links that are still unused."""
    db.execute(delete(Dashboard).where(Dashboard.class_code == code))
    db.execute(delete(InstructorLink).where(InstructorLink.class_code == code))


def _grant_instructor() -> ResponseReturnValue:
    """Grant the browser the instructor's role."""
    codes.update_class_session(allowed=True)
    return forms.redirect_or_json(url_for(".form"), {"instructor": True})


def _instructor_page(
    status: int = 200, refusal: str = "", *, token: str = "", title: str = ""
) -> ResponseReturnValue:
    """Return the page on which a browser gets the instructor's role."""
    if wants_json():
        document = {} if refusal else {"instructor": _is_instructor()}
        return json_response(document, status, refusal)
    page = render_template(
        "class/instructor.html",
        token=token,
        command=command_line("instructor-link"),
        is_instructor=_may_open(),
        title=title,
        refusal=refusal,
        own_classes=load_browser_classes(),
    )
    return page, status


@blueprint.get("/class/new")
def form() -> ResponseReturnValue:
    """Show the form for a new class."""
    return _new_page() if _may_open() else see_other(url_for(".show_instructor"))


def _new_page(rejection: Rejection = NOT_REJECTED) -> ResponseReturnValue:
    """Return the form for a new class."""
    if wants_json():
        return forms.json_page({} if rejection.text else {"instructor": True}, rejection)
    return forms.form_page(
        "class/new.html",
        rejection,
        own_classes=load_browser_classes(),
        signs_on=SIGN_ON in _real_names(),
        receipt=rejection.typed.get("receipt", "")[:MAX_RECEIPT] or codes.new_link(),
    )


@blueprint.post("/class/new")
def open_class() -> ResponseReturnValue:
    """Open a class and redirect to its dashboard, or show the rejected form."""
    if not _may_open():
        return error_response(Text("Only an instructor can open a class."), 403)
    sent = form_fields()
    receipt = sent.get("receipt", "")[:MAX_RECEIPT]
    receipt = receipt and codes.link_hash(receipt)
    if receipt and (code := _code_opened_with(receipt)):
        return _lead_to_dashboard(code)
    if _has_opened_enough():
        return _new_page(Rejection(TOO_MANY_TODAY, 429, sent))
    try:
        return _lead_to_dashboard(_opened_once(sent, receipt))
    except NotAllowed as error:
        return _new_page(forms.rejected(error, sent))


def _lead_to_dashboard(code: str) -> ResponseReturnValue:
    dashboard = url_for("dashboard.show", code=code)
    address = url_for("entry.show", code=code)
    document = {"class": code, "address": address, "dashboard": dashboard}
    return forms.redirect_or_json(dashboard, document)


def _code_opened_with(receipt: str) -> str:
    """Return the code of the class that this form already opened, or an empty string.

    A double click sends a form twice, perhaps before the browser has a cookie. In that case the
    second session gets access to the dashboard.
    """
    if not db.database().is_sqlite:  # SQLite has only one writer.
        lock = int(receipt[:15], 16)
        db.session().execute(select(func.pg_advisory_xact_lock(lock)))
    code = db.session().scalar(select(Classroom.code).where(Classroom.receipt == receipt))
    classroom = access.find_class(code) if code else None
    if classroom is None:
        return ""
    if not access.is_instructor(classroom):
        db.session().add(
            Dashboard(class_code=classroom.code, key=access.instructor_key(classroom.code))
        )
        codes.remember_dashboard(classroom.code)
    return classroom.code


def _has_opened_enough() -> bool:
    """Return whether a visitor has reached the daily limit of new classes.

    An instructor has no daily limit.
    """
    data = codes.class_session()
    return not _is_instructor() and data.day == time.time() // DAY and data.today >= MAX_A_DAY


def _opened_once(sent: Mapping[str, str], receipt: str) -> str:
    """Open a class and return its code, or raise NotAllowed if too many are open."""
    session, today = codes.class_session(), int(time.time()) // DAY
    still_open = tuple(code for code in session.opened if _is_open(code))
    forms.require(len(still_open) < MAX_OPEN, TOO_MANY_OPEN)
    code = _opened(sent, receipt)
    count = session.today if session.day == today else 0
    codes.update_class_session(opened=(*still_open, code), day=today, today=count + 1)
    return code


def _may_open() -> bool:
    return flask.current_app.config["CLASSES"] == "open" or _is_instructor()


def _is_instructor() -> bool:
    """Return whether a link or a login gave the browser the instructor's role."""
    return codes.class_session().allowed or access.signed_on_instructor()


def _is_open(code: str) -> bool:
    """Return whether a class exists and has neither ended nor been closed."""
    here = Classroom.code == code, Classroom.expires > db.now()
    return db.session().scalar(select(Classroom.closed).where(*here)) is False


def _opened(sent: Mapping[str, str], receipt: str) -> str:
    """Save a new class with a new code, and return the code.

    Raises:
        NotAllowed: If a field is invalid.
    """
    title = _checked_title(sent.get("title", ""))
    students = sent.get("students", "").strip() or str(DEFAULT_STUDENTS)
    limit = forms.int_field(students, "students", 1, MAX_STUDENTS)
    days = int(forms.choice_field(sent, "days", LIFETIMES, str(DEFAULT_LIFE)))
    nicknames = forms.choice_field(sent, "nicknames", NICKNAMES, NICKNAMES[0])
    real, now = forms.choice_field(sent, "real", _real_names(), REAL_NAMES[0]), db.now()
    require_room()
    while db.session().get(Classroom, code := codes.new_code()):
        pass
    opened = Classroom(code=code, title=title, nicknames=nicknames, real=real, limit=limit)
    opened.days, opened.opened, opened.expires = days, now, int(now) + days * DAY
    opened.opener, opened.receipt = access.instructor_key(code), receipt or None
    # Deleting expired classes makes room for the new class.
    db.session().execute(delete(Classroom).where(Classroom.expires <= now))
    db.session().add(opened)
    db.session().flush()
    return code


def require_room() -> None:
    """Raise StoreFull if the database has reached its maximum size."""
    if db.database().is_full(access.class_settings().store_limit):
        raise StoreFull


def _real_names() -> tuple[str, ...]:
    """Return the sources of real names, including logins if the site has logins."""
    has_logins = bool(access.class_settings().trusted_user_header)
    return tuple(real for real in REAL_NAMES if has_logins or real != SIGN_ON)


def _checked_title(sent: str) -> str:
    """Return the normalized title of a class, or raise NotAllowed."""
    title = " ".join(unicodedata.normalize("NFKC", sent).split())
    if not 1 <= len(title) <= MAX_TITLE or not title.isprintable():
        raise NotAllowed(words.NO_TITLE.fill(most=MAX_TITLE))
    return title
