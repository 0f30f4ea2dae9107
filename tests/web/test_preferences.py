"""A user's settings, the landmarks of all pages, and the text of a table without images."""

import re
from copy import copy

import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from tests.support.games import CONTRACT_VIEWS
from tests.support.pages import only, values
from tests.support.site import DECK, play, stacked, title
from web.preferences import CHOICES

PAGES = ("/", "/settings", "/nowhere", "/lab", *(f"/{slug}" for slug in GAMES), "/war/rules")
games = pytest.mark.parametrize("slug", GAMES)


def page_after(client: FlaskClient, address: str, *moves: str, **fields: str) -> str:
    play(client, address, *moves, **fields)
    return client.get(address).text


@pytest.mark.parametrize("path", PAGES)
def test_every_page_has_the_languages_and_the_settings(client: FlaskClient, path: str) -> None:
    page = client.get(path).text
    assert page.index('id="site-nav"') < page.index("<main")
    assert values(page, '.languages [name="to"]', "value") == [path, path]
    assert values(page, ".languages button[lang]", "value") == ["en", "de"]
    assert len(values(page, ".languages button", "aria-current")) == 1
    five = ["/", "/practise", "/class", "/sheets", f"/settings?to={path}"]
    assert values(page, "nav.sites a", "href")[-5:] == five


def test_settings_are_kept_and_lead_back(client: FlaskClient) -> None:
    page = client.get("/settings?to=/war").text
    assert 'name="to" value="/war"' in page
    form = {"suits": "four", "theme": "dark", "to": "/war"}
    answer = client.post("/settings", data=form)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/war")
    (cookie,) = answer.headers.getlist("Set-Cookie")  # No session is created for preferences.
    assert cookie.startswith("cardgames-look=four.dark.hand.green.blue.off.off;")
    for part in ("HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=31536000"):
        assert part in cookie
    page = page_after(client, "/simple-21", "deal")
    assert '<html lang="en" data-theme="dark">' in page
    assert len(values(page, 'img[src$=".svg#four"]', "src")) == 3
    chosen = values(client.get("/settings").text, "[checked]", "value")
    assert chosen == ["four", "dark", "green", "blue", "off", "off"]


@pytest.mark.parametrize("form", [{"suits": "five"}, {"theme": ""}, {"theme": "dark\r\nx: y"}])
def test_unoffered_values_are_rejected(client: FlaskClient, form: dict[str, str]) -> None:
    answer = client.post("/settings", data=form)
    assert answer.status_code == 400
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize(
    "cookie", ["", "five.pink.yes", "four", "four.dark.off.hand.off.green.blue.off", '"><b>']
)
def test_a_cookie_of_another_making_does_no_harm(client: FlaskClient, cookie: str) -> None:
    client.set_cookie("cardgames-look", cookie)
    page = client.get("/")
    assert page.status_code == 200
    theme = re.search(r'data-theme="([^"]*)"', page.text)
    assert theme
    assert theme[1] in CHOICES["theme"]


@pytest.mark.parametrize(
    ("slug", "top", "said"),
    [
        ("simple-21", "6D QH TS KC", "Your move: 16 against 10"),
        ("simple-21", "6D AH TS KC", "Your move: 16 against an ace"),
        # At Blackjack the dealer's first card is face down, so the second card counts.
        ("blackjack", "6D 5H TS KC", "Your move: 16 against 10"),
        ("one-deck", "AD 5H TS KC", "Your move: 21 against 5"),
    ],
)
def test_the_title_tells_the_decision(client: FlaskClient, slug: str, top: str, said: str) -> None:
    page = page_after(client, f"/{slug}", "deal", deck=stacked(top))
    assert title(page) == f"{said} \N{EN DASH} {GAMES[slug].info.title}"


def spoken(page: str) -> str:
    """Return the page as a text browser shows it.

    Each image is replaced by its name.
    """
    main = copy(only(page, "main"))
    for picture in main.select("img"):
        picture.replace_with(f"[{picture['alt']}]")
    return " ".join(main.get_text().split())


def test_a_text_browser_can_play(client: FlaskClient) -> None:
    text = spoken(page_after(client, "/simple-21", "deal", deck=DECK))
    assert re.search(r"Dealer total unknown 10 \+ \? \[jack of hearts\] \[face-down card\]", text)
    assert "You total 20 [king of spades] [queen of spades]" in text
    assert "Hit or stay? Hit Stay" in text
    text = spoken(page_after(client, "/simple-21", "stay"))
    assert "Dealer total 21 [jack of hearts] [ace of hearts] [queen of hearts]" in text
    assert "You 20, dealer 21: the dealer wins. The rule" in text


@games
def test_first_move_has_the_focus_and_a_description(client: FlaskClient, slug: str) -> None:
    """One button has the focus.

    The button's description exists, and contains the table's state after the deal.

    If a game does not name a description of its moves, the moves have no description before the end
    of the round.
    """
    pages = [client.get(f"/{slug}").text, page_after(client, f"/{slug}", "deal")]
    for page in pages:
        (button,) = re.findall(r"<[^>]* autofocus[^>]*>", page)
        assert 'class="primary"' in button or 'role="group"' in button
        described = re.search(r'aria-describedby="([^"]*)"', button)
        for name in described[1].split() if described else []:
            assert f'id="{name}"' in page
    assert described or slug not in CONTRACT_VIEWS
