"""A course's gradebook comes back with one column more, and not a byte of the rest is another.

The files are made here after the formats that Moodle, Canvas and D2L publish for their exports.
What is expected is put together from the same pieces, with the new cells between them.
"""

import csv
import io
import random
from html import unescape
from re import findall
from typing import Any

import flask
import pytest
from werkzeug.test import TestResponse

from tests.support.classroom import JSON, Room, open_room, refusal
from tests.support.insight import judge_all
from tests.support.site import finish
from tests.support.tournaments import make, play_all, stands_on
from web.gradebooks.gradebook import (
    MAX_BYTES,
    MAX_COLUMNS,
    MAX_LINES,
    BadGradebook,
    read_gradebook,
    written,
)
from web.gradebooks.people import Match, Person, matches, read_points

MOODLE = (
    b'"First name","Last name","ID number",Institution,Department,"Email address",'
    b'"Quiz: Week 1 (Real)","Course total (Real)","Last downloaded from this course"\n'
    b"Ada,Lovelace,1815,,,ada@uni.example,7.50,81.25,1700000000\n"
    b'"Grace ""Amazing""",Hopper,1906,,,grace@uni.example,-,"1,024.00",1700000000\n'
)
EXCEL = (
    "\ufeffVorname;Nachname;ID-Nummer;E-Mail-Adresse;Kurs gesamt (Punkte)\r\n"
    "Ada;Lovelace;1815;ada@uni.example;7,50\r\n"
    "Käthe;Müßig;1906;grace@uni.example;9,75\r\n"
    "\r\n"
).encode()
CANVAS = (
    b"\xef\xbb\xbfStudent,ID,SIS User ID,SIS Login ID,Section,Homework 1 (4711),"
    b"Current Score,Final Score\r\n"
    b",,,,,Manual Posting,(read only),(read only)\r\n"
    b"    Points Possible,,,,,10,(read only),(read only)\r\n"
    b'"Lovelace, Ada",101,U1815,ada,"CS1, Tuesday",9.5,95,95\r\n'
    b'"Hopper, Grace",102,U1906,grace,"CS1, Tuesday",,,0\r\n'
    b'"Student, Test",103,,d2f5a1,"CS1, Tuesday",,,0'
)
D2L = (
    b"OrgDefinedId,Username,Last Name,First Name,Email,"
    b'"Quiz 1 Points Grade <Numeric MaxPoints:5 Weight:10>",End-of-Line Indicator\r\n'
    b"#1815,#ada,Lovelace,Ada,ada@uni.example,4.5,#\r\n"
    b"#1906,#grace,Hopper,Grace,grace@uni.example,,#\r\n"
)
ALL = {"Moodle": MOODLE, "Excel": EXCEL, "Canvas": CANVAS, "D2L": D2L}


# ---- The file ------------------------------------------------------------------------------------


def test_moodle() -> None:
    book = read_gradebook(MOODLE)
    assert (book.system, book.people) == ("Moodle", (1, 2))
    assert book.with_column("Bingo, live", {1: 7.5}, 10) == (
        b'"First name","Last name","ID number",Institution,Department,"Email address",'
        b'"Quiz: Week 1 (Real)","Course total (Real)","Last downloaded from this course",'
        b'"Bingo, live"\n'
        b"Ada,Lovelace,1815,,,ada@uni.example,7.50,81.25,1700000000,7.5\n"
        b'"Grace ""Amazing""",Hopper,1906,,,grace@uni.example,-,"1,024.00",1700000000,\n'
    )


def test_a_file_of_a_german_spreadsheet_keeps_its_commas_mark_and_blank_line() -> None:
    assert (
        read_gradebook(EXCEL).with_column("Übung", {1: 7.5, 2: 10}, 10)
        == (
            "\ufeffVorname;Nachname;ID-Nummer;E-Mail-Adresse;Kurs gesamt (Punkte);Übung\r\n"
            "Ada;Lovelace;1815;ada@uni.example;7,50;7,5\r\n"
            "Käthe;Müßig;1906;grace@uni.example;9,75;10\r\n"
            "\r\n"
        ).encode()
    )


def test_canvas_has_a_line_of_maximum_points_and_a_student_who_is_none() -> None:
    book = read_gradebook(CANVAS)
    assert (book.system, book.people) == ("Canvas", (3, 4))
    assert book.with_column("War", {3: 4, 4: 0.5}, 5) == (
        b"\xef\xbb\xbfStudent,ID,SIS User ID,SIS Login ID,Section,Homework 1 (4711),"
        b"Current Score,Final Score,War\r\n"
        b",,,,,Manual Posting,(read only),(read only),\r\n"
        b"    Points Possible,,,,,10,(read only),(read only),5\r\n"
        b'"Lovelace, Ada",101,U1815,ada,"CS1, Tuesday",9.5,95,95,4\r\n'
        b'"Hopper, Grace",102,U1906,grace,"CS1, Tuesday",,,0,0.5\r\n'
        b'"Student, Test",103,,d2f5a1,"CS1, Tuesday",,,0,'
    )


def test_d2l_ends_its_lines_with_a_mark_and_names_points_in_its_own_way() -> None:
    assert read_gradebook(D2L).with_column("War", {2: 10}, 10) == (
        b"OrgDefinedId,Username,Last Name,First Name,Email,"
        b'"Quiz 1 Points Grade <Numeric MaxPoints:5 Weight:10>",'
        b"War Points Grade <Numeric MaxPoints:10>,End-of-Line Indicator\r\n"
        b"#1815,#ada,Lovelace,Ada,ada@uni.example,4.5,,#\r\n"
        b"#1906,#grace,Hopper,Grace,grace@uni.example,,10,#\r\n"
    )


def test_a_file_in_latin_stays_so_and_one_in_quotes_gets_its_cell_in_quotes() -> None:
    data = "Nachname;Benutzername\rMüßig;käthe\r".encode("cp1252")
    added = read_gradebook(data).with_column("Übung", {1: 0.25}, 1)
    assert added == "Nachname;Benutzername;Übung\rMüßig;käthe;0,25\r".encode("cp1252")
    with pytest.raises(BadGradebook, match="encoding"):
        read_gradebook(data).with_column("棋", {}, 1)
    quoted = b'"Username"\t"Points"\n"ada"\t"1,5"\n"bob"\t""\n'
    assert read_gradebook(quoted).with_column("New", {1: 2.5}, 3) == (
        b'"Username"\t"Points"\t"New"\n"ada"\t"1,5"\t"2,5"\n"bob"\t""\t\n'
    )
    named = read_gradebook(quoted).with_column('Say "hi"', {}, 3)
    assert named.startswith(b'"Username"\t"Points"\t"Say ""hi"""\n')
    plain = read_gradebook(b"Username,x\nada,1\n").with_column('Say "hi"', {}, 3)
    assert plain == b'Username,x,"Say ""hi"""\nada,1,\n'
    comma = b'Username,Points\nada,"1,5"\n'
    assert read_gradebook(comma).with_column("New", {1: 2.5}, 3).endswith(b'ada,"1,5","2,5"\n')


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
@pytest.mark.parametrize("system", ALL)
def test_a_file_in_utf_16_stays_so(system: str, mark: str, order: str) -> None:
    """D2L and Excel write such files: the text is that of UTF-8, every byte in the same order."""
    plain = ALL[system].removeprefix(b"\xef\xbb\xbf")
    wide = (mark + plain.decode()).encode(order)
    book, same = read_gradebook(wide), read_gradebook(plain)
    assert (book.system, book.people) == (same.system, same.people)
    added = book.with_column("Übung 棋", {same.people[0]: 7.5}, 10)
    expected = same.with_column("Übung 棋", {same.people[0]: 7.5}, 10).decode()
    assert added == (mark + expected).encode(order)


FIELDS = (
    *(b"", b"x", b" y ", b"7.5", b"-3", b"=1+1", b'a"b', b"caf\xc3\xa9", b"#9", b"@", b"'"),
    *(b'""', b'"a,b;c\td"', b'"say ""hi"""', b'"two\r\nlines"', b'"\n"', b'"""",'[:4]),
)


@pytest.mark.parametrize("seed", range(300))
def test_without_the_new_column_it_is_the_file_that_was_given(seed: int) -> None:
    """What is expected is joined from the same pieces; and a CSV reader sees one column more."""
    rng = random.Random(seed)
    separator, end = rng.choice((b",", b";", b"\t")), rng.choice((b"\n", b"\r\n", b"\r"))
    width, d2l = rng.randint(2, 6), rng.random() < 0.3
    heads = [b"Username", *(b"Task %d" % number for number in range(width))]
    heads += [b"End-of-Line Indicator"] * d2l
    lines = [heads]
    for number in range(rng.randint(1, 8)):
        line = [b"user%d" % number, *(rng.choice(FIELDS) for _ in range(width))]
        lines.append(line + [b"#"] * d2l)
    if rng.random() < 0.3:
        lines.insert(rng.randint(1, len(lines)), [b""])
    mark, last = rng.choice((b"", b"\xef\xbb\xbf")), rng.choice((b"", end))
    points = {n: rng.randint(0, 100) for n, line in enumerate(lines) if n and rng.random() < 0.7}
    points = {n: value for n, value in points.items() if lines[n] != [b""]}

    def joined(lines: list[list[bytes]]) -> bytes:
        return mark + end.join(separator.join(line) for line in lines) + last

    def more(number: int, line: list[bytes]) -> list[bytes]:
        name = b"New Points Grade <Numeric MaxPoints:100>" if d2l else b"New"
        new = name if number == 0 else b"%d" % points[number] if number in points else b""
        at = len(line) - d2l
        return line if line == [b""] else [*line[:at], new, *line[at:]]

    data = joined(lines)
    added = read_gradebook(data).with_column("New", points, 100)
    assert added == joined([more(number, line) for number, line in enumerate(lines)])
    if end == b"\r\n" or b"\r" not in data:
        read = csv.reader(io.StringIO(added.decode(), newline=""), delimiter=separator.decode())
        before = csv.reader(io.StringIO(data.decode(), newline=""), delimiter=separator.decode())
        place = len(heads) - d2l
        assert [row[:place] + row[place + 1 :] for row in read] == [*before]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "no CSV"),
        (b"\n\n", "no CSV"),
        (b"hello", "no CSV"),
        ("Username,Points\nada,1\n".encode("utf-16")[:-1], "no CSV"),  # half a character
        ("Username,Points\nada,\0\n".encode("utf-16"), "no CSV"),
        (b"PK\x03\x04\0\0xl/worksheet", "no CSV"),
        (b"Username,\x81\x8d\nada,1", "no CSV"),
        (b"Name,Points\nada,1\n", "who is who"),
        (b"Username,Points\n", "who is who"),
        (b"Username,Points\n,1\n", "who is who"),
        (b"Username,Points\nada\n", "Line 2 has 1 fields, and the first line has 2"),
        (b"Username,Points\nada,1\nbob,1,2\n", "Line 3 has 3 fields"),
        (b'Username,Points\nada,"1\n', "In line 2 a quoted field"),
        (b'Username,Points\nada,"1"x\n', "In line 2 a quoted field"),
        (b'Username,Points\nada,"' + b'""' * 60_000, "In line 2 a quoted field"),
        (b"Username,Points\nada," + b"x" * 2_001, "at most"),
        (b"Username" + b",x" * MAX_COLUMNS, "at most"),
        (b"Username,x\n" + b"a,1\n" * (MAX_LINES + 1), "at most"),
        (b"Username,x\n" + b"a,1\n" * (MAX_BYTES // 4), "at most"),
    ],
)
def test_any_other_file_is_refused_in_one_sentence(data: bytes, says: str) -> None:
    with pytest.raises(BadGradebook, match=says):
        read_gradebook(data)


@pytest.mark.parametrize(
    "name",
    ["", " ", "=cmd()", "+1", "-x", "@x", "\x7fx", "a\u200bb", "x" * 61, "quiz: week 1 (real)"],
)
def test_a_column_has_a_plain_name_that_is_new(name: str) -> None:
    with pytest.raises(BadGradebook):
        read_gradebook(MOODLE).with_column(name, {}, 1)


@pytest.mark.parametrize(
    ("points", "text"), [(0, "0"), (100, "100"), (7.25, "7.25"), (2 / 3, "0.67")]
)
def test_points_are_written_to_a_hundredth(points: float, text: str) -> None:
    assert (written(points), written(points, comma=True)) == (text, text.replace(".", ","))


# ---- Who is who ----------------------------------------------------------------------------------


def people(*known_as: str) -> list[Person]:
    return [Person(number, f"Otter {number}", one, 1.0) for number, one in enumerate(known_as, 1)]


def found(data: bytes, *known_as: str) -> dict[int, tuple[int, str]]:
    book = read_gradebook(data)
    return {
        line: (match.person.number, match.way)
        for line, match in matches(book, people(*known_as)).items()
    }


def test_who_is_who() -> None:
    assert found(MOODLE, "GRACE@uni.example", "1815") == {2: (1, "id"), 1: (2, "id")}
    assert found(CANVAS, "ada", "U1906") == {3: (1, "id"), 4: (2, "id")}
    assert found(D2L, "1815", "grace@uni.example") == {1: (1, "id"), 2: (2, "id")}
    assert found(CANVAS, "ada@uni.example", "x") == {3: (1, "part")}
    assert found(MOODLE, "grace") == {2: (1, "part")}
    assert found(D2L, "Ada Lovelace", "hopper, grace") == {1: (1, "name"), 2: (2, "name")}
    assert found(D2L, "lovelace_ada") == {1: (1, "name")}


def test_who_may_be_two_is_nobody() -> None:
    assert found(MOODLE, "ada@other.example") == {}
    assert found(MOODLE, "ada@uni.example", "1815") == {}
    assert found(MOODLE, "ada@uni.example", "1815", "Ada Lovelace") == {}  # nor by a weaker way
    assert found(MOODLE, "Ada Lovelace", "Lovelace, Ada") == {}
    assert found(MOODLE, "ada", "ADA") == {}
    assert found(D2L, "ada@uni.example", "Ada Lovelace") == {1: (1, "id")}
    both = b"Username,Email\nada,x@y.example\nbob,ada@uni.example\n"
    assert found(both, "ada@uni.example") == {2: (1, "id")}
    assert found(b"Username,Email\nada,x@y.example\nbob,ada\n", "ada") == {}
    assert found(b"Username,x\nada,1\nada,2\n", "ada") == {}
    assert found(MOODLE, "", "-", "Hopper", "Amazing") == {}
    assert found(b"Vorname,Username\nCher,c1\n", "Cher") == {}  # one word may be anybody's


def test_the_graders_table() -> None:
    data = b"student,points,of,S0-1,to look at,decided\nada,7.5,18,1,,\n'=bob,0,18,0,,because\n"
    read, most = read_points(data)
    assert [(one.number, one.name, one.points) for one in read] == [(1, "ada", 7.5), (2, "=bob", 0)]
    assert most == 18
    assert matches(read_gradebook(CANVAS), read) == {3: Match(read[0], "id")}
    for bad in (MOODLE, b"student,points,of\nada,=1+1,18\n", b"student,points,of\nada,1e9,18\n"):
        with pytest.raises(BadGradebook, match="grader's"):
            read_points(bad)


# ---- The pages -----------------------------------------------------------------------------------


@pytest.fixture
def room(school: flask.Flask) -> Room:
    room = open_room(school, real="must")
    for name in ("ada@uni.example", "grace", "Somebody Else"):
        room.newcomer(real=name)
    return room


def sent(room: Room, data: bytes, *, page: bool = False, **fields: Any) -> TestResponse:
    form = {"name": "War", "source": "rounds", "of": "10", **fields}
    if data:
        form["book"] = (io.BytesIO(data), "grades.csv")
    address = f"/class/{room.code}/gradebook"
    answer: TestResponse = room.boss.client.post(
        address, data=form, headers={} if page else JSON, content_type="multipart/form-data"
    )
    return answer


def hidden(page: str) -> dict[str, str]:
    """Return what the form of a page carries."""
    return {
        name: unescape(value)
        for name, value in findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page)
    }


def test_a_file_is_shown_first_and_then_comes_back(room: Room) -> None:
    room.play()
    for _ in range(4):
        finish(room.phones[1].client, "/blackjack")
    judge_all(room)
    answer = sent(room, CANVAS, page=True)
    assert answer.status_code == 200
    assert "by the first part of the e-mail address" in answer.text
    assert "by e-mail, login or ID" in answer.text
    assert "Somebody Else" in answer.text
    form = {**hidden(answer.text), "move": "download"}
    file = room.boss.client.post(f"/class/{room.code}/gradebook", data=form)
    assert file.headers["Content-Disposition"].startswith("attachment")
    assert file.data == read_gradebook(CANVAS).with_column("War", {3: 1, 4: 5}, 10)
    few = sent(room, CANVAS, of="3", **{"line-3": "3"}).get_json()
    assert few["maximum"] == 3
    assert [(one["student"], one["points"]) for one in few["lines"]] == [(1, 1), (2, 3)]


def test_the_rest_is_chosen(room: Room) -> None:
    other = D2L + b"#77,#z,Zuse,Konrad,kz@x.example,1,#\r\n"
    document = sent(room, other).get_json()
    assert [one["student"] for one in document["lines"]] == [1, 2, None]
    page = sent(room, other, page=True)
    fields = {**hidden(page.text), "line-3": "3"}
    again = room.boss.client.post(f"/class/{room.code}/gradebook", data={**fields, "move": "look"})
    assert 'value="3"' in again.text
    file = room.boss.client.post(
        f"/class/{room.code}/gradebook", data={**fields, "move": "download"}
    )
    assert file.data == read_gradebook(other).with_column("War", {1: 0, 2: 0, 3: 0}, 10)


@pytest.mark.parametrize(
    "fields", [{"line-3": "1"}, {"line-3": "9"}, {"line-3": "x"}, {"line-3": "3", "line-4": "3"}]
)
def test_nobody_is_chosen_twice_and_nobody_who_is_not_there(
    room: Room, fields: dict[str, str]
) -> None:
    other = D2L + b"#77,#z,Zuse,Konrad,kz@x.example,1,#\r\n#78,#y,Y,Y,y@x.example,1,#\r\n"
    assert refusal(sent(room, other, **fields))


@pytest.mark.parametrize(
    ("data", "fields", "says"),
    [
        (b"", {}, "Choose the file"),
        (b"x", {}, "no CSV"),
        (MOODLE, {"name": "=1"}, "begins with a letter"),
        (MOODLE, {"source": "x"}, "The field source"),
        (MOODLE, {"of": "0"}, "The field of"),
        (MOODLE, {"of": "1e5"}, "The field of"),
        (MOODLE, {"source": "grader"}, "the table that the grader"),
        (b"", {"book": "%%%"}, "Choose the file"),
        (b"", {"book": "YQ"}, "Choose the file"),
    ],
)
def test_what_makes_no_sense_is_refused(
    room: Room, data: bytes, fields: dict[str, str], says: str
) -> None:
    assert says in refusal(sent(room, data, **fields))
    page = sent(room, data, page=True, **fields)
    assert (page.status_code, "notice bad" in page.text) == (422, True)


def test_the_graders_points_come_from_its_table(room: Room) -> None:
    graded = b"student,points,of,S0-1\nada,7.5,18,1\nhopper_grace,18,18,1\n"
    files = {"source": "grader", "graded": (io.BytesIO(graded), "points.csv")}
    page = sent(room, CANVAS, page=True, **files)
    form = {**hidden(page.text), "move": "download"}
    file = room.boss.client.post(f"/class/{room.code}/gradebook", data=form)
    assert file.data == read_gradebook(CANVAS).with_column("War", {3: 7.5, 4: 18}, 18)


def test_a_tournaments_points(room: Room) -> None:
    make(room, deals=2, ranking="result")
    play_all(room.phones[0], stands_on(17))
    rows = room.boss.get("/dashboard/tournaments.csv").text.splitlines()
    (row,) = [one for one in csv.DictReader(rows) if one["nickname"] == room.phones[0].name]
    for source, points, most in (("won-1", float(row["points"]), 2), ("played-1", 2.0, 2)):
        document = sent(room, D2L, source=source).get_json()
        assert document["maximum"] == most
        assert [one["points"] for one in document["lines"]] == [points, None]


def test_the_gradebook_is_the_instructors_and_is_not_kept(room: Room) -> None:
    address = f"/class/{room.code}/gradebook"
    for phone in (*room.phones, room.visitor()):
        assert phone.client.get(address).status_code == 403
        form = {"name": "War", "source": "rounds", "of": "10", "book": "x"}
        assert phone.client.post(address, data=form).status_code == 403
    store = room.app.extensions["class-store"]._store
    before = store.scan(f"class/{room.code}").rows
    assert sent(room, CANVAS + b"\r\n").status_code == 200
    assert store.scan(f"class/{room.code}").rows.keys() == before.keys()


def test_a_file_that_is_too_large_is_refused(room: Room) -> None:
    assert "at most" in refusal(sent(room, MOODLE + b"x" * MAX_BYTES))
    assert sent(room, MOODLE + b"x" * 300_000).status_code == 413


def test_the_largest_file_goes_through_both_pages(room: Room) -> None:
    line = b"%06d,ada%04d@uni.example,Ada,Lovelace-%04d," + b"7.5," * 6 + b"ok\n"
    lines = b"".join(line % (n, n, n) for n in range(1_490))
    data = (b"ID number,Email address,First name,Last name,a,b,c,d,e,f,g\n" + lines)[:MAX_BYTES]
    data = data[: data.rindex(b"\n") + 1]
    assert len(data) > 0.7 * MAX_BYTES
    page = sent(room, data, page=True)
    assert page.status_code == 200
    empty = {f"line-{number}": "" for number in range(1, data.count(b"\n"))}
    form = {**hidden(page.text), **empty, "move": "download"}
    file = room.boss.client.post(f"/class/{room.code}/gradebook", data=form)
    assert file.data == read_gradebook(data).with_column("War", {}, 10)
