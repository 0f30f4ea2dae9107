"""The common parts of all pages of a class, and the responses to its forms for every client."""

import logging
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import flask
import pytest

from tests.support.classroom import JSON, Phone, Room, open_room, refusal, site
from tests.support.pages import page_of, values
from tests.support.tournaments import make, play_deal, stands_on
from web import db, preferences

VALUES = {"number": "1", "deal": "1"}


def class_paths(app: flask.Flask) -> list[str]:
    """Return the paths of all pages of a class, relative to the class's own path."""
    paths = []
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/class/<code>") and "GET" in (rule.methods or ()):
            path = rule.rule.removeprefix("/class/<code>")
            paths.append(re.sub(r"<(?:\w+:)?(\w+)>", lambda name: VALUES[name[1]], path))
    return sorted({*paths, "/bingo?as=list", "/dashboard?names=yes&page=2", "/insight?days=7"})


@pytest.fixture
def busy(school: flask.Flask) -> Room:
    """A class with a round, a vote and homework."""
    room = open_room(school, 3)
    make(room, deals=2)
    play_deal(room.phones[0], 1, stands_on(17))
    room.vote("ask", table="blackjack", hand="10 6", upcard="10")
    room.vote("close-vote")
    room.deal()
    return room


def pages_of(room: Room, who: Phone) -> Iterator[tuple[str, str]]:
    """Yield the paths and the contents of all pages that a user can see."""
    for path in class_paths(room.app):
        answer = who.get(path)
        if answer.status_code == 200 and answer.mimetype == "text/html":
            yield f"/class/{room.code}{path}", answer.text


def test_pictures_of_cards_are_served_in_both_looks(busy: Room) -> None:
    """With four colours, the URL of a picture has a fragment."""
    busy.call(1)
    for look, end in (("two", ".svg"), ("four", ".svg#four")):
        found, with_cards = set(), set()
        for who in (busy.boss, busy.phones[0]):
            who.client.set_cookie(preferences.COOKIE, look)
            for path, page in pages_of(busy, who):
                urls = {*values(page, "img", "src")}
                found |= urls
                if any(re.search(rf"/[2-9TJQKA][CDHS]{re.escape(end)}$", url) for url in urls):
                    with_cards.add(path.partition(busy.code)[2].partition("?")[0])
        for url in found:
            with busy.app.test_client().get(url) as picture:
                assert picture.status_code == 200, url
        assert {"/bingo", "/projector"} <= with_cards


@pytest.mark.parametrize("who", ["instructor", "student", "visitor"])
def test_language_and_settings_lead_back_to_every_page(busy: Room, who: str) -> None:
    people = {"instructor": busy.boss, "student": busy.phones[0], "visitor": busy.visitor()}
    shown = menus = 0
    for path, page in pages_of(busy, people[who]):
        if 'id="site-nav"' not in page:  # The big screen and the paper cards have no menu.
            continue
        shown += 1
        if "class-more" in page:
            assert page.index('id="site-nav"') < page.index('id="class-more"'), path
            assert page.count('aria-current="page"') <= 1, path
            menus += page.count('aria-current="page"')
        ids = values(page, "[id]", "id")
        assert len(ids) == len({*ids}), path
        assert values(page, '.languages [name="to"]', "value") == [path, path]
        (settings,) = values(page, "nav.sites a.settings", "href")
        chosen = people[who].client.get(settings).text
        assert values(chosen, 'main [name="to"]', "value") == [path]
        answer = people[who].client.post("/language", data={"language": "en", "to": path})
        assert answer.headers["Location"] == path
    assert shown >= {"instructor": 9, "student": 6, "visitor": 1}[who]
    assert menus >= (6 if who == "instructor" else 0), "each of the menu's pages is marked"


def test_names_codes_and_cards_are_not_translated(busy: Room) -> None:
    """In a translated page the nickname "Quiet Otter" is not translated.

    Rejoining requires the original nickname.
    """
    student = busy.phones[0]
    for who, path, texts in (
        (student, "", (student.name, student.rejoin)),
        (busy.visitor(), "", ()),
        (busy.boss, "/dashboard", (busy.code, *(phone.name for phone in busy.phones))),
        (busy.boss, "/tournament/1", (busy.code, student.name)),
        (busy.visitor(), "/projector?show=join", (busy.code,)),
    ):
        page = page_of(who.get(path).text)
        kept = {one.get_text(" ", strip=True) for one in page.select('main [translate="no"]')}
        assert kept, path
        assert all(any(text in one for one in kept) for text in texts), (path, kept)
    card = page_of(student.get("/bingo").text)
    assert card.select_one('[translate="no"] .suit-S, [translate="no"] .suit-H')


# ---- The URL of a form ---------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["join", "rejoin", "leave"])
def test_the_url_of_a_rejected_form_can_be_opened(room: Room, form: str) -> None:
    for who in (room.phones[0], room.visitor(), room.boss):
        answer = who.get(f"/{form}")
        assert (answer.status_code, answer.headers["Location"]) == (303, f"/class/{room.code}")
    rejected = room.visitor().post("/rejoin", page=True, name="Nobody", code="2222")
    assert rejected.status_code == 422


def test_the_url_of_a_deal_link_leads_to_its_homework(room: Room) -> None:
    make(room, deals=1)
    answer = room.boss.get("/tournament/1/deal/1/link")
    assert answer.headers["Location"] == f"/class/{room.code}/tournament/1"


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        *(("/leave", {"what": "fly"}), ("/leave", {"what": "x"}), ("/join", {"name": "x"})),
        *(("/rejoin", {"name": "x"}), ("/tournament/9", {"move": "end"})),
    ],
)
def test_a_rejected_form_of_nothing_is_no_error_in_the_log(
    room: Room, path: str, fields: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    for code in ("Visitor-text", "Visitor-text" * 50, "22222"):
        with caplog.at_level(logging.WARNING):
            address = f"/class/{code}{path}"
            answer = room.app.test_client().post(address, data=fields)
        assert answer.status_code in (403, 404)
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
    assert "Visitor-text" not in caplog.text


# ---- Double clicks -------------------------------------------------------------------------------


@pytest.mark.parametrize("has_cookie", [True, False])
def test_a_double_press_opens_one_class(school: flask.Flask, *, has_cookie: bool) -> None:
    client = school.test_client()
    if has_cookie:
        client.post("/class/new", data={"title": "Another"}, headers=JSON)
    (receipt,) = values(client.get("/class/new").text, '[name="receipt"]', "value")
    form = {"title": "CS1", "receipt": receipt}

    def press() -> tuple[str, flask.testing.FlaskClient]:
        second = school.test_client()
        if cookie := client.get_cookie("cardgames") or next(iter(client._cookies.values()), None):
            second.set_cookie(cookie.key, cookie.value)
        answer = second.post("/class/new", data=form, headers=JSON)
        assert answer.status_code == 200, answer.text
        return answer.get_json()["class"], second

    with ThreadPoolExecutor(2) as pool:
        (first, one), (again, two) = pool.map(lambda _: press(), range(2))
    assert first == again
    for browser in (one, two):
        assert browser.get(f"/class/{first}/dashboard").status_code == 200


# ---- Browsers without cookies --------------------------------------------------------------------


def test_a_browser_without_cookies_is_told_so_and_does_not_join(school: flask.Flask) -> None:
    room = open_room(school)
    client = school.test_client(use_cookies=False)
    page = client.get(f"/class/{room.code}").text
    offer, receipt = (values(page, f'[name="{name}"]', "value")[0] for name in ("offer", "receipt"))
    for _ in range(2):
        form = {"offer": offer, "receipt": receipt}
        answer = client.post(f"/class/{room.code}/join", data=form)
        assert answer.status_code == 422
        assert "Your browser stores no cookies" in answer.text
    assert room.desk()["students"] == []


def test_a_table_tells_a_browser_without_cookies(school: flask.Flask) -> None:
    client = school.test_client(use_cookies=False)
    assert client.post("/simple-21", data={"move": "deal", "step": "0"}).status_code == 303
    answer = client.post("/simple-21", data={"move": "hit", "step": "1"})
    assert answer.status_code == 409
    assert "Your browser sent no cookie with that move" in answer.text


# ---- Leaving -------------------------------------------------------------------------------------


def test_not_you_frees_the_browser_and_keeps_the_student(room: Room) -> None:
    """A second student on a shared tablet does not delete the first student's data."""
    tablet, first = room.phones[0], room.phones[0].name
    finish = play_all_of(room)
    assert "Not you?" in tablet.get().text
    asked = tablet.get("?ask=browser").text
    assert tablet.rejoin in asked
    answer = tablet.post("/leave", page=True, what="browser")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/class/{room.code}")
    assert 'action="/class/' in tablet.get().text
    assert tablet.json()["student"] is None
    second = tablet.join()["student"]
    assert second["number"] == len(room.phones) + 1
    phone = room.visitor()
    answer = phone.post("/rejoin", name=first, code=finish.rejoin)
    assert answer.get_json()["student"]["number"] == 1
    plays = phone.json("/me.json")["rows"]["tournament_plays"]
    assert [play["deal"] for play in plays] == [1]


def play_all_of(room: Room) -> Phone:
    """Play a deal as the first student, and return the data stored before the deal."""
    make(room, deals=1)
    play_deal(room.phones[0], 1, stands_on(17))
    phone = room.phones[0]
    return Phone(phone.client, phone.code, phone.number, phone.name, phone.rejoin)


def test_wrong_rejoin_code_keeps_typed_text(room: Room) -> None:
    page = room.visitor().post("/rejoin", page=True, name="Ann <b>", code="ZZZ9")
    assert page.status_code == 422
    assert values(page.text, "#before", "value") == ["Ann <b>"]
    assert values(page.text, "#rejoin-code", "value") == ["ZZZ9"]


# ---- Details -------------------------------------------------------------------------------------


def test_a_card_is_checked_by_its_number(room: Room) -> None:
    room.deal()
    for query, sentence in (
        ("", "Type the number of a card"), ("?card=", "Type the number of a card"),
        ("?card=99", "Card 99 is not in play."),
    ):  # fmt: skip
        answer = room.boss.get(f"/check{query}")
        assert answer.status_code == 404
        assert sentence in page_of(answer.text).select_one('[role="alert"]').get_text()  # type: ignore[union-attr]
        assert 'id="check"' in answer.text, "the form is there to be sent again"
    assert refusal(room.boss.get("/check?card=99", headers=JSON), 404) == "Card 99 is not in play."


def test_replaced_name_leaves_the_files_at_once(tmp_path: Path) -> None:
    room = open_room(site(tmp_path), nicknames="free")
    room.visitor().join(name="Zipfelmuetz", offer="")
    files = lambda: b"".join(path.read_bytes() for path in tmp_path.iterdir())  # noqa: E731
    assert b"Zipfelmuetz" in files()
    room.move("rename", student=1, name="Quiet Otter")
    assert b"Zipfelmuetz" not in files()
    assert db.database(room.app).is_sqlite


def test_a_vote_reads_cards_aloud_in_german(room: Room) -> None:
    room.vote("ask", table="blackjack", hand="TC 6D", upcard="TS")
    page = room.phones[0].get("/vote", headers={"Accept-Language": "de"}).text
    hidden = re.findall(r'class="visually-hidden">([^<]+)<', page)
    spoken = next(text for text in hidden if "Du hast" in text)
    assert " of " not in spoken
    assert "Kreuz" in spoken
