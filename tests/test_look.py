"""What every page wears, the settings of its reader, and what a table says without pictures."""

import html
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient
from web.course import SHOWN, drawn
from web.look import CHOICES, Look, own_path

from app import create_app
from cardgames import GAMES
from cardgames.cards import FULL_DECK
from tools.benchmarks.serving import Server
from tools.benchmarks.weight import LIMIT, first_visit
from web.settings import Settings

PAGES = ("/", "/look", "/nowhere", "/lab", *(f"/{slug}" for slug in GAMES), "/war/rules")


def play(client: FlaskClient, path: str, form: dict[str, Any]) -> str:
    """Play a move as a browser does, and return the page after it."""
    assert client.post(path, data=form).status_code == 303
    return client.get(path).text


# ---- Every page ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES)
def test_every_page_has_the_languages_and_the_settings(client: FlaskClient, path: str) -> None:
    page = client.get(path).text
    foot = page[page.rindex('<footer class="site">') :]
    for code, name in (("en", "English"), ("de", "Deutsch")):
        link = re.search(rf'<a href="([^"]*)" lang="{code}" hreflang="{code}"[^>]*>{name}<', foot)
        assert link
        assert link[1] == f"/language/{code}?to={path}"
    assert foot.count("aria-current") == 1
    assert f'href="/look?to={path}#keys"' in foot


def test_a_strange_address_stays_one_field_of_the_links(client: FlaskClient) -> None:
    """What was asked for is quoted: it adds no field to a link and closes no attribute."""
    page = client.get("/a%26b%23c%22%3E%3Cb%3E?to=/war").text
    for link in re.findall(r'href="(/(?:language/\w+|look)\?to=[^"]*)"', page):
        to = html.unescape(link).partition("?to=")[2].partition("#")[0]
        assert to == "/a%26b%23c%22%3E%3Cb%3E"


@pytest.mark.parametrize("path", PAGES)
def test_every_page_has_one_script_and_its_policy_allows_no_other(
    client: FlaskClient, path: str
) -> None:
    answer = client.get(path)
    assert re.findall(r"<script ([^>]*)>", answer.text) == [
        f'src="{re.search(r"/static/[^/]+", answer.text)[0]}/site.js" defer'  # type: ignore[index]
    ]
    policy = dict(
        part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";")
    )
    for kind in ("script-src", "style-src", "img-src", "connect-src", "form-action"):
        assert policy[kind] == "'self'"
    assert policy["default-src"] == "'none'"


# ---- The reader's settings -----------------------------------------------------------------


def test_settings_are_kept_and_lead_back(client: FlaskClient) -> None:
    page = client.get("/look?to=/war").text
    assert 'name="to" value="/war"' in page
    form = {"suits": "four", "theme": "dark", "keys": "off", "to": "/war"}
    answer = client.post("/look", data=form)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/war")
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("look=four.dark.off;")
    for part in ("HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=31536000"):
        assert part in cookie
    assert len(answer.headers.getlist("Set-Cookie")) == 1  # no session is begun for it
    page = play(client, "/simple-21", {"move": "deal", "step": "0"})
    assert '<html lang="en" data-theme="dark" data-keys="off">' in page
    assert len(re.findall(r'cards/\w\w\.svg#four"', page)) == 3
    assert re.findall(r'value="(\w+)" checked', client.get("/look").text) == ["four", "dark", "off"]


def test_settings_stay_within_the_prefix(tmp_path: Any) -> None:
    app = create_app(Settings(data_dir=tmp_path, url_prefix="/cards"))
    client = app.test_client()
    assert 'href="/cards/look?to=/war#keys"' in client.get("/cards/war").text
    answer = client.post("/cards/look", data={"theme": "dark", "to": "/war"})
    assert answer.headers["Location"] == "/cards/war"
    assert "Path=/cards" in answer.headers["Set-Cookie"]


@pytest.mark.parametrize(
    "form", [{"suits": "five"}, {"theme": ""}, {"keys": "on.off"}, {"theme": "dark\r\nx: y"}]
)
def test_what_is_not_offered_is_refused(client: FlaskClient, form: dict[str, str]) -> None:
    answer = client.post("/look", data=form)
    assert answer.status_code == 400
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize(
    "cookie", ["", "five.pink.yes", "four", "....", "four.dark.off.more", '"><b>', "FOUR.DARK.OFF"]
)
def test_a_cookie_of_another_making_does_no_harm(client: FlaskClient, cookie: str) -> None:
    client.set_cookie("look", cookie)
    page = client.get("/").text
    assert client.get("/").status_code == 200
    theme = re.search(r'data-theme="([^"]*)" data-keys="([^"]*)"', page)
    assert theme
    assert theme[1] in CHOICES["theme"]
    assert theme[2] in CHOICES["keys"]


def test_every_choice_survives_its_cookie() -> None:
    for suits in CHOICES["suits"]:
        for theme in CHOICES["theme"]:
            for keys in CHOICES["keys"]:
                look = Look(suits, theme, keys)
                assert Look.of(look.kept) == look


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ("/war", "/war"),
        ("", "/"),
        ("//evil.example/x", "/x"),
        ("\\\\evil.example", "/evil.example"),
        ("https://evil.example/war", "/war"),
        ("/\\evil.example", "/evil.example"),
        ("javascript:alert(1)", "/alert%281%29"),
        ("/war\r\nSet-Cookie: a=b", "/war"),
        ("http://[", "/"),
    ],
)
def test_one_is_only_ever_sent_to_a_path_of_this_site(
    client: FlaskClient, sent: str, path: str
) -> None:
    found = own_path(sent)
    assert re.match(r"/(?![/\\])", found) or found == "/"
    assert "\n" not in found
    assert found.startswith(path)
    answer = client.post("/look", data={"to": sent})
    assert answer.headers["Location"] == found


# ---- The title says the state --------------------------------------------------------------


def title(page: str) -> str:
    found = re.search(r"<title>(.*?)</title>", page, re.DOTALL)
    assert found
    return html.unescape(found[1])


def stacked(*top: str) -> str:
    """Return a deck file that begins with some cards."""
    return "\n".join([*top, *(card for card in FULL_DECK if card not in top)])


@pytest.mark.parametrize(
    ("slug", "top", "said"),
    [
        ("simple-21", "6D 5H TS KC", "Your move: 16 against 5"),
        ("simple-21", "6D QH TS KC", "Your move: 16 against 10"),
        ("simple-21", "6D AH TS KC", "Your move: 16 against an ace"),
        # At Blackjack the first card of the dealer lies face down, so the second counts.
        ("blackjack", "6D 5H TS KC", "Your move: 16 against 10"),
        ("one-deck", "AD 5H TS KC", "Your move: 21 against 5"),
    ],
)
def test_the_title_tells_the_decision(client: FlaskClient, slug: str, top: str, said: str) -> None:
    form = {"move": "deal", "step": "0", "deck": stacked(*top.split())}
    page = play(client, f"/{slug}", form)
    assert title(page) == f"{said} \N{EN DASH} {GAMES[slug].title}"


def test_the_title_tells_the_result(client: FlaskClient, shuffled_deck: str) -> None:
    play(client, "/simple-21", {"move": "deal", "step": "0", "deck": shuffled_deck})
    page = play(client, "/simple-21", {"move": "stay", "step": "1"})
    assert title(page).startswith("You 20, dealer 21: the dealer wins ")


def test_titles_at_war_and_bingo(client: FlaskClient) -> None:
    form = {"move": "deal", "step": "0", "players": "2", "names": "Amy, Brad"}
    assert title(play(client, "/war", form)).startswith("Your move: play the first turn ")
    page = play(client, "/war", {"move": "turn", "step": "1", "turns": "1"})
    assert re.match(r"Turn 1: (Amy|Brad) takes the pile ", title(page))
    form = {"move": "deal", "step": "0", "mode": "F", "speed": "N"}
    assert title(play(client, "/bingo", form)).startswith("Your move: call the first card ")
    page = play(client, "/bingo", {"move": "call", "step": "1", "calls": "1"})
    assert title(page).startswith("Your move: 1 card called ")
    page = play(client, "/bingo", {"move": "call", "step": "2", "calls": "5"})
    assert title(page).startswith("Your move: 6 cards called ")


# ---- Without pictures and styles -----------------------------------------------------------


class Spoken(HTMLParser):
    """The page as a text browser shows it: text, and a picture's name in its place."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.text += f"[{dict(attrs)['alt']}]"


def spoken(page: str) -> str:
    reader = Spoken()
    reader.feed(page[page.index("<main") : page.index("</main>")])
    return re.sub(r"\s+", " ", reader.text)


def test_a_text_browser_can_play(client: FlaskClient, shuffled_deck: str) -> None:
    page = play(client, "/simple-21", {"move": "deal", "step": "0", "deck": shuffled_deck})
    text = spoken(page)
    assert re.search(r"Dealer total unknown\?? \[jack of hearts\] \[face-down card\]", text)
    assert "You total 20 [king of spades] [queen of spades]" in text
    assert "Hit or stay? Hit Stay" in text
    text = spoken(play(client, "/simple-21", {"move": "stay", "step": "1"}))
    assert "Dealer total 21 [jack of hearts] [ace of hearts] [queen of hearts]" in text
    assert "You 20, dealer 21: the dealer wins. The rule" in text


@pytest.mark.parametrize("slug", GAMES)
def test_the_first_move_waits_with_what_a_screen_reader_says(
    client: FlaskClient, slug: str
) -> None:
    """One button has the focus; what describes it is there, and the hands after the deal."""
    choices = {"war": {"players": "2"}, "bingo": {"mode": "L", "speed": "N"}}.get(slug, {})
    pages = [client.get(f"/{slug}").text]
    pages.append(play(client, f"/{slug}", {"move": "deal", "step": "0", **choices}))
    for page in pages:
        (button,) = re.findall(r"<button[^>]* autofocus[^>]*>", page)
        assert 'class="primary"' in button
        described = re.search(r'aria-describedby="([^"]*)"', button)
        for name in described[1].split() if described else []:
            assert f'id="{name}"' in page
    assert described, "after the deal the table is told with the button"


@pytest.mark.parametrize("slug", GAMES)
def test_where_you_left_a_table_stands_in_the_lobby(client: FlaskClient, slug: str) -> None:
    choices = {"war": {"players": "2"}, "bingo": {"mode": "L", "speed": "N"}}.get(slug, {})
    assert "Your move" not in client.get("/").text
    play(client, f"/{slug}", {"move": "deal", "step": "0", **choices})
    said = "Your move" if slug == "war" else "Your move in round 1"
    assert client.get("/").text.count(said) == 1


# ---- The course of a tally -----------------------------------------------------------------


def test_a_course_is_a_line_that_ends_where_the_tally_is() -> None:
    course = drawn(("dealer", "dealer", "player", "tie"))
    assert course
    assert (course.lead, course.rounds) == (-1, 4)
    assert course.path == "M0 0l1 1l1 1l1-1h1"
    assert (course.top, course.height) == (-0.5, 3)  # from half a step above 0 to half below -2
    mirrored = drawn(("B", "B", "A", "tie"))
    assert mirrored == course


def test_a_course_is_bounded_and_an_empty_one_shows_nothing() -> None:
    assert drawn(()) is None
    course = drawn(("player",) * 1000)
    assert course
    assert course.rounds == SHOWN == 200
    assert len(course.path) < 1500


def test_a_table_without_a_round_shows_no_course(client: FlaskClient) -> None:
    assert "<figure" not in client.get("/simple-21").text
    page = play(client, "/simple-21", {"move": "deal", "step": "0"})
    assert "<figure" not in page


def test_the_course_is_shown_with_its_words(client: FlaskClient, shuffled_deck: str) -> None:
    play(client, "/simple-21", {"move": "deal", "step": "0", "deck": shuffled_deck})
    page = play(client, "/simple-21", {"move": "stay", "step": "1"})
    assert 'role="img" aria-label="The dealer is one round ahead."' in page


def test_pages_set_no_cookie(app: flask.Flask) -> None:
    for path in PAGES:
        assert "Set-Cookie" not in app.test_client().get(path).headers


# ---- What a first visit weighs -------------------------------------------------------------


def test_a_first_visit_is_small(tmp_path: Path) -> None:
    """The lobby and one table with all their files, as they are sent, headers included."""
    with Server(tmp_path) as server:
        files = first_visit(server.port)
    kinds = Counter(Path(address).suffix for address in files)
    assert (kinds[""], kinds[".css"], kinds[".js"]) == (2, 1, 1)  # two pages
    assert kinds[".svg"] >= 10  # the icon, four cards, the tables' pictures
    assert all(body for body, _ in files.values())
    assert sum(body + headers for body, headers in files.values()) <= LIMIT == 100_000
