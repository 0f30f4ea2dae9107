"""``/class/CODE/gradebook``: points into the file of a course's gradebook, which comes back.

Nothing of the file is kept. The page that shows who is who carries it in its form, so that what is
downloaded is the file that was looked at, and nobody has to choose it twice.
"""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import flask

from cardgames.text import Text
from web.classes import words
from web.classes.insight import total_of
from web.gradebooks.gradebook import MAX_BYTES, MAX_LINES, MAX_NAME, Gradebook, read_gradebook
from web.gradebooks.people import Match, Person, matches, read_points
from web.http.downloads import download
from web.http.requests import MAX_FIELDS, sent_files, sent_texts, wants_json
from web.http.responses import json_response, render_page
from web.http.turns import takes_long
from web.live_class import answers
from web.live_class.standings import scores
from web.live_class.state import ClassState, class_store, led_class
from web.live_class.term import visited_class
from web.tournaments.table import TournamentState, tournaments_of

MAX_GRADED: Final = 40_000  # maximum number of bytes of the grader's table
MAX_OF: Final = 1_000
USUAL_OF: Final = 10
GRADER: Final = "grader"
ROUNDS: Final = "rounds"

NO_FILE: Final = Text("Choose the file that your course's gradebook has exported.")
NO_GRADED: Final = Text("Choose the table that the grader has written.")
GRADED_TOO_LARGE: Final = Text(
    "The grader's table has at most {most} KB here.", most=MAX_GRADED // 1000
)
TWICE: Final = Text("{name} was chosen for two lines.")
WAYS: Final = {
    "id": Text("by e-mail, login or ID"),
    "part": Text("by the first part of the e-mail address"),
    "name": Text("by name"),
}
_LONGER: Final = {"book": MAX_BYTES * 4 // 3 + 4, "graded": MAX_GRADED * 4 // 3 + 4}

blueprint = flask.Blueprint("class-gradebook", __name__)

Points = tuple[list[Person], float]  # everybody with what they have, and the most that one can have


class Source(NamedTuple):
    """Where points come from."""

    label: Text
    of: float  # the most that somebody can have; 0 where it is chosen, or in the grader's table
    points: Callable[[int], float | None]  # of a student, by number


@dataclass(frozen=True)
class Preview:
    """A gradebook with who is who."""

    book: Gradebook
    people: Sequence[Person]
    found: Mapping[int, Match]  # by the numbers of lines
    chosen: Mapping[int, Person]
    name: str
    maximum: float

    def person(self, line: int) -> Person | None:
        """Return whose line one is."""
        return self.found[line].person if line in self.found else self.chosen.get(line)

    @property
    def unmatched(self) -> list[int]:
        """The lines for which nobody was found."""
        return [line for line in self.book.people if line not in self.found]

    @property
    def missing(self) -> list[Person]:
        """The people who are in no line."""
        lines = {self.person(line) for line in self.book.people}
        return [one for one in self.people if one not in lines]

    @property
    def data(self) -> bytes:
        """The file with one column more."""
        people = {line: self.person(line) for line in self.book.people}
        points = {line: one.points for line, one in people.items() if one}
        known = {line: number for line, number in points.items() if number is not None}
        return self.book.with_column(self.name, known, self.maximum)


@blueprint.get("/class/<code>/gradebook")
@takes_long
def show(code: str) -> flask.Response:
    """Show the form for a file."""
    return _form(visited_class(code))


@blueprint.post("/class/<code>/gradebook")
@takes_long
def use(code: str) -> flask.Response:
    """Show who is who in a file, or return it with one column more."""
    state = led_class(code)
    sent = sent_texts(_LONGER, MAX_LINES + MAX_FIELDS)
    book, graded = _file(sent, "book"), _file(sent, "graded")

    def answer() -> flask.Response:
        answers.require(bool(book), NO_FILE)
        preview = _preview(state, sent, book, graded)
        data = preview.data  # here, so that a name that cannot be is refused before it is looked at
        if sent.get("move") == "download":
            return download(f"{state.code}-gradebook.csv", data, "application/octet-stream")
        return _show_preview(state, preview, sent, book, graded)

    return answers.answer_or_refuse(answer, lambda status, why: _form(state, status, why, sent))


def _file(sent: answers.Fields, name: str) -> bytes:
    """Return a file that was sent with a form, or that a page of ours has carried."""
    upload = dict(sent_files()).get(name)
    if upload and upload.filename:
        upload.seek(0)  # the view may be run again
        data: bytes = upload.read()
        return data
    try:
        return urlsafe_b64decode(sent.get(name, ""))
    except (binascii.Error, ValueError):
        return b""


def _preview(state: ClassState, sent: answers.Fields, data: bytes, graded: bytes) -> Preview:
    """Return a gradebook with who is who, and what they have; raise CardGameError without one."""
    book = read_gradebook(data)
    people, maximum = _points(state, sent, graded)
    found = matches(book, people)
    taken = {match.person.number for match in found.values()}
    left = {one.number: one for one in people if one.number not in taken}
    chosen: dict[int, Person] = {}
    for line in book.people:
        text = sent.get(f"line-{line}", "").strip()
        if not text or line in found:
            continue
        number = answers.number_from(text, f"line-{line}", 1, 10**6)
        answers.require(number in left, words.NO_STUDENT.fill(number=number))
        answers.require(left[number] not in chosen.values(), TWICE.fill(name=left[number].name))
        chosen[line] = left[number]
    return Preview(book, people, found, chosen, sent.get("name", ""), maximum)


# ---- Points --------------------------------------------------------------------------------------


def _points(state: ClassState, sent: answers.Fields, graded: bytes) -> Points:
    """Return everybody with their points, and the most; raise CardGameError for none."""
    known = _sources(state)
    chosen = answers.chosen(sent, "source", (*known, GRADER))
    if chosen == GRADER:
        answers.require(bool(graded), NO_GRADED)
        answers.require(len(graded) <= MAX_GRADED, GRADED_TOO_LARGE)
        return read_points(graded)
    source, given = known[chosen], class_store().real_names(state.code).given
    of = source.of or answers.number_from(sent.get("of", ""), "of", 1, MAX_OF)
    people = []
    for number, name in ((one.number, one.student.name) for one in state.students):
        points = source.points(number)
        capped = None if points is None else min(points, of)
        people.append(Person(number, name, given.get(number, ""), capped))
    return people, of


def _sources(state: ClassState) -> dict[str, Source]:
    """Return where points can come from in a class, by the values of the field."""
    found = {
        f"{what}-{at.tournament.number}": source
        for at in tournaments_of(state)
        for what, source in _of_tournament(at)
    }
    bingo = scores(state)
    played = {one.student: total_of(one.play)[0] for one in class_store().insight.plays(state.code)}
    label = Text("Rounds played, at the tables and of class Bingo: a point each, up to …")
    found[ROUNDS] = Source(label, 0, lambda one: bingo[one].rounds + played.get(one, 0))
    return found


def _of_tournament(at: TournamentState) -> Iterable[tuple[str, Source]]:
    """Yield what counts of a tournament: not points given away, of which fewer are better."""
    one, rows = at.tournament, at.standings.by_student
    advisor = one.game.advisor

    def won(student: int) -> float | None:
        row = rows.get(student)
        if row is None or advisor is None:
            return None
        winners = (play.winner for play in row.entry.plays if play.winner)
        return sum((1 + advisor.points[winner]) / 2 for winner in winners)

    def played(student: int) -> float | None:
        return float(rows[student].played) if student in rows else None

    name = {"title": one.heading, "deals": one.deals}
    yield "won", Source(Text("{title}: rounds won of {deals}, a tie is ½", **name), one.deals, won)
    yield "played", Source(Text("{title}: deals played of {deals}", **name), one.deals, played)


# ---- Pages ---------------------------------------------------------------------------------------


def _form(
    state: ClassState, status: int = 200, refusal: str = "", sent: answers.Fields | None = None
) -> flask.Response:
    sources = {value: source.label for value, source in _sources(state).items()}
    if wants_json():
        document = {"class": state.code, "sources": [*sources, GRADER]}
        return json_response(document, status, refusal)
    return render_page(
        "class/gradebook.html",
        status,
        state=state,
        sources=sources,
        typed=sent or {},
        usual_of=USUAL_OF,
        max_name=MAX_NAME,
        refusal=refusal,
    )


def _show_preview(
    state: ClassState, preview: Preview, sent: answers.Fields, book: bytes, graded: bytes
) -> flask.Response:
    if wants_json():
        lines = {line: preview.person(line) for line in preview.book.people}
        return json_response(
            {
                "class": state.code,
                "system": preview.book.system,
                "maximum": preview.maximum,
                "lines": [
                    {
                        "line": line,
                        "name": preview.book.label(line),
                        "student": one.number if one else None,
                        "points": one.points if one else None,
                    }
                    for line, one in lines.items()
                ],
            }
        )
    carried = {"book": book, "graded": graded}
    return render_page(
        "class/gradebook_preview.html",
        state=state,
        preview=preview,
        ways=WAYS,
        sent=sent,
        carried={name: urlsafe_b64encode(data).decode() for name, data in carried.items() if data},
    )
