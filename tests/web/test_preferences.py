"""The settings of a reader, what every page wears, and what a table says without pictures."""

import html
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from tests.support.games import CONTRACT_VIEWS
from tests.support.site import DECK, TWENTY_ONE, play, stacked, texts, title, visitor
from web.http.preferences import CHOICES

PAGES = ("/", "/settings", "/nowhere", "/lab", *(f"/{slug}" for slug in GAMES), "/war/rules")
games = pytest.mark.parametrize("slug", GAMES)


def page_after(client: FlaskClient, address: str, *moves: str, **fields: str) -> str:
    play(client, address, *moves, **fields)
    return client.get(address).text


# ---- Every page ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES)
def test_every_page_has_the_languages_and_the_settings(client: FlaskClient, path: str) -> None:
    page = client.get(path).text
    assert page.index('id="site-nav"') < page.index("<main")
    head = page.partition('<div class="languages"')[2].partition("</nav>")[0]
    assert texts(head, r'name="to" value="([^"]*)"') == [path, path]
    buttons = texts(head, r'<button name="language" value="(\w+)" lang="\w+"[^>]*>')
    assert buttons == ["en", "de"]
    assert head.count("aria-current") == 1
    links = texts(page, r'<nav class="sites"(.*?)<div class="languages"')[0]
    for address in ("/", "/deals", "/lab", "/history", f"/settings?to={path}#keys"):
        assert f'href="{address}"' in links


@pytest.mark.parametrize(
    ("path", "place"),
    [("/", "/"), ("/lab", "/lab"), ("/deals", "/deals"), ("/war/history", "/history")],
)
def test_the_header_says_where_one_is(client: FlaskClient, path: str, place: str) -> None:
    links = client.get(path).text.partition('id="site-nav"')[2].partition('class="languages"')[0]
    (current,) = re.findall(r'href="([^"]*)" aria-current="(?:page|true)"', links)
    assert current == place


def test_a_strange_address_stays_one_field_of_a_link_and_of_a_form(client: FlaskClient) -> None:
    """What was asked for is quoted: it adds no field to a link and closes no attribute."""
    page = client.get("/a%26b%23c%22%3E%3Cb%3E?to=/war").text
    (link,) = re.findall(r'href="(/settings\?to=[^"]*)"', page)
    to = html.unescape(link).partition("?to=")[2].partition("#")[0]
    assert to == "/a%26b%23c%22%3E%3Cb%3E"
    assert set(texts(page, 'name="to" value="([^"]*)"')) == {'/a&b#c"><b>'}
    assert "<b>" not in page


# ---- The reader's settings -----------------------------------------------------------------


def test_settings_are_kept_and_lead_back(client: FlaskClient) -> None:
    page = client.get("/settings?to=/war").text
    assert 'name="to" value="/war"' in page
    form = {"suits": "four", "theme": "dark", "keys": "off", "to": "/war"}
    answer = client.post("/settings", data=form)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/war")
    (cookie,) = answer.headers.getlist("Set-Cookie")  # no session is begun for it
    assert cookie.startswith("look=four.dark.off.first.off;")
    for part in ("HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=31536000"):
        assert part in cookie
    page = page_after(client, "/simple-21", "deal")
    assert '<html lang="en" data-theme="dark" data-keys="off">' in page
    assert len(re.findall(r'cards/\w\w\.svg#four"', page)) == 3
    chosen = re.findall(r'value="(\w+)" checked', client.get("/settings").text)
    assert chosen == ["four", "dark", "off", "off"]


@pytest.mark.parametrize("slug", TWENTY_ONE)
def test_the_focus_stays_on_the_last_choice_only_where_that_is_wanted(
    client: FlaskClient, slug: str
) -> None:
    """Two aces and a two: another card cannot end the round."""
    deck = stacked("AC AD 2C 2D 2H 2S")
    focused = r'<(?:button name="move" value|div class)="(\w+)"[^>]* autofocus'
    for wanted, after in (("off", "moves"), ("on", "hit")):
        client.post("/settings", data={"focus": wanted})
        play(client, f"/{slug}", "new") if wanted == "on" else None
        play(client, f"/{slug}", "deal", deck=deck)
        assert re.findall(focused, client.get(f"/{slug}").text) == ["moves"]
        play(client, f"/{slug}", "hit")
        assert re.findall(focused, client.get(f"/{slug}").text) == [after]


def test_settings_stay_within_the_prefix(tmp_path: Path) -> None:
    client = visitor(tmp_path, url_prefix="/cards")
    assert 'href="/cards/settings?to=/war#keys"' in client.get("/cards/war").text
    answer = client.post("/cards/settings", data={"theme": "dark", "to": "/war"})
    assert answer.headers["Location"] == "/cards/war"
    assert "Path=/cards" in answer.headers["Set-Cookie"]


@pytest.mark.parametrize(
    "form", [{"suits": "five"}, {"theme": ""}, {"keys": "on.off"}, {"theme": "dark\r\nx: y"}]
)
def test_what_is_not_offered_is_refused(client: FlaskClient, form: dict[str, str]) -> None:
    answer = client.post("/settings", data=form)
    assert answer.status_code == 400
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize(
    "cookie", ["", "five.pink.yes", "four", "....", "four.dark.off.more", '"><b>', "FOUR.DARK.OFF"]
)
def test_a_cookie_of_another_making_does_no_harm(client: FlaskClient, cookie: str) -> None:
    client.set_cookie("look", cookie)
    page = client.get("/")
    assert page.status_code == 200
    theme = re.search(r'data-theme="([^"]*)" data-keys="([^"]*)"', page.text)
    assert theme
    assert theme[1] in CHOICES["theme"]
    assert theme[2] in CHOICES["keys"]


# ---- Keys ----------------------------------------------------------------------------------


@games
def test_a_page_says_which_letter_plays_a_move(client: FlaskClient, slug: str) -> None:
    """On the first button of each move that has one; starting over has its on what asks first."""
    game = GAMES[slug]
    pages = (client.get(f"/{slug}").text, page_after(client, f"/{slug}", "deal"))
    for dealt, page in enumerate(pages):
        for move in (game.deals, *game.round_moves):
            buttons = re.findall(rf'<form[^>]* class="move {move.name}".*?</form>', page, re.DOTALL)
            for form in buttons:
                keyed = re.findall(r'<button[^>]* data-key="(\w)"', form)
                asks = f'<summary data-key="{move.key}"><span>Give this round up'
                assert keyed == ([move.key] if move.key and asks not in page else [])
        assert page.count('data-key="N"') == dealt  # nothing is there to be thrown away before
    assert '<summary data-key="N">' in page


def test_the_settings_tell_the_keys_of_all_games(client: FlaskClient) -> None:
    document = dict(re.findall(r"<kbd>(.)</kbd></dt><dd>(.*?)</dd>", client.get("/settings").text))
    assert document == {
        "D": "Deal",
        "H": "Hit",
        "S": "Stay / Stand",
        "T": "1 turn (War)",
        "C": "1 card (Playing-card Bingo)",
        "N": "Go to Start over; it asks before it clears anything",
        "?": "Show the keys",
    }


# ---- The title says the state --------------------------------------------------------------


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
    page = page_after(client, f"/{slug}", "deal", deck=stacked(top))
    assert title(page) == f"{said} \N{EN DASH} {GAMES[slug].info.title}"


def test_the_title_tells_the_result(client: FlaskClient) -> None:
    play(client, "/simple-21", "deal", deck=DECK)
    page = page_after(client, "/simple-21", "stay")
    assert title(page).startswith("You 20, dealer 21: the dealer wins ")


def test_titles_at_war_bingo_and_a_game_without_a_page_of_its_own(client: FlaskClient) -> None:
    page = page_after(client, "/war", "deal", names="Amy, Brad")
    assert title(page).startswith("Your move: play the first turn ")
    assert re.match(
        r"Turn 1: (You take|Brad takes) the pile: \d+ cards",
        title(page_after(client, "/war", "turn")),
    )
    page = page_after(client, "/bingo", "deal", mode="F")
    assert title(page).startswith("Your move: call the first card ")
    assert title(page_after(client, "/bingo", "call")).startswith("Your move: 1 card called ")
    page = page_after(client, "/bingo", "call", calls="5")
    assert title(page).startswith("Your move: 6 cards called ")
    said = title(page_after(client, "/high-card", "deal"))
    assert re.fullmatch("(You win|The house wins|Even) \N{EN DASH} High Card", said)


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


def test_a_text_browser_can_play(client: FlaskClient) -> None:
    text = spoken(page_after(client, "/simple-21", "deal", deck=DECK))
    assert re.search(r"Dealer total unknown 10 \+ \? \[jack of hearts\] \[face-down card\]", text)
    assert "You total 20 [king of spades] [queen of spades]" in text
    assert "Hit or stay? Hit Stay" in text
    text = spoken(page_after(client, "/simple-21", "stay"))
    assert "Dealer total 21 [jack of hearts] [ace of hearts] [queen of hearts]" in text
    assert "You 20, dealer 21: the dealer wins. The rule" in text


@games
def test_the_first_move_waits_with_what_a_screen_reader_says(
    client: FlaskClient, slug: str
) -> None:
    """One button has the focus; what describes it is there, and the table's state after the deal.

    A game that does not say what describes its moves has nothing to say before the round is over.
    """
    pages = [client.get(f"/{slug}").text, page_after(client, f"/{slug}", "deal")]
    for page in pages:
        (button,) = re.findall(r"<[^>]* autofocus[^>]*>", page)
        assert 'class="primary"' in button or 'role="group"' in button
        described = re.search(r'aria-describedby="([^"]*)"', button)
        for name in described[1].split() if described else []:
            assert f'id="{name}"' in page
    assert described or slug not in CONTRACT_VIEWS


# ---- The course of a tally -----------------------------------------------------------------


def test_the_course_is_shown_with_its_words(client: FlaskClient) -> None:
    assert "<figure" not in client.get("/simple-21").text
    assert "<figure" not in page_after(client, "/simple-21", "deal", deck=DECK)
    page = page_after(client, "/simple-21", "stay")
    assert 'role="img" aria-label="The dealer is one round ahead."' in page
