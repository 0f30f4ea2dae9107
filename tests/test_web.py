"""The tables over HTTP: moves, refusals, both representations, headers. No 500 for anybody."""

import gzip
import io
import re
from html.parser import HTMLParser
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient
from web.guard import MAX_BODY
from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.cards import FULL_DECK

JSON = {"Accept": "application/json"}
TABLE = "/simple-21"


def play(client: FlaskClient, form: dict[str, Any], path: str = TABLE) -> TestResponse:
    return client.post(path, data=form, headers=JSON)


def table(client: FlaskClient, path: str = TABLE) -> dict[str, Any]:
    answer: dict[str, Any] = client.get(path, headers=JSON).get_json()
    return answer


def dealt(client: FlaskClient, deck: str) -> dict[str, Any]:
    answer: dict[str, Any] = play(client, {"move": "deal", "step": "0", "deck": deck}).get_json()
    return answer


# ---- A visitor -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", *(f"/{slug}" for slug in GAMES)])
def test_looking_sets_no_cookie_and_writes_nothing(client: FlaskClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 200
    assert "Set-Cookie" not in response.headers


def test_lobby_links_every_table(client: FlaskClient) -> None:
    page = client.get("/").text
    for game in GAMES.values():
        assert f'href="/{game.slug}"' in page
        assert game.title in page
    listed = client.get("/", headers=JSON).get_json()["tables"]
    assert [seat["game"] for seat in listed] == list(GAMES)


def test_lobby_tells_where_you_left_each_table(client: FlaskClient, shuffled_deck: str) -> None:
    dealt(client, shuffled_deck)
    seats = {seat["game"]: seat for seat in client.get("/", headers=JSON).get_json()["tables"]}
    assert (seats["simple-21"]["phase"], seats["simple-21"]["step"]) == ("playing", 1)
    assert (seats["one-deck"]["phase"], seats["one-deck"]["step"]) == ("ready", 0)
    assert "Your move" in client.get("/").text


@pytest.mark.parametrize("slug", GAMES)
def test_rules_page_has_an_anchor_for_each_rule(client: FlaskClient, slug: str) -> None:
    page = client.get(f"/{slug}/rules").text
    for rule in GAMES[slug].house_rules:
        assert f'id="{rule.anchor}"' in page
    rules = client.get(f"/{slug}/rules", headers=JSON).get_json()["rules"]
    assert [rule["anchor"] for rule in rules] == [r.anchor for r in GAMES[slug].house_rules]


def test_health(client: FlaskClient) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.text) == (200, "ok")


# ---- One move ------------------------------------------------------------------------------


def test_a_browser_is_redirected_to_the_table(client: FlaskClient) -> None:
    response = client.post(TABLE, data={"move": "deal", "step": "0"})
    assert response.status_code == 303
    assert response.headers["Location"] == TABLE
    assert client.get(TABLE).status_code == 200


def test_the_json_of_the_contract(client: FlaskClient, shuffled_deck: str) -> None:
    """The sheet's deck begins KS JH QS AH: player, dealer, player, dealer face down (S0-7)."""
    assert dealt(client, shuffled_deck) == {
        "game": "simple-21",
        "title": "Simple 21",
        "step": 1,
        "view": {
            "phase": "playing",
            "round": 1,
            "player": {"cards": ["KS", "QS"], "total": 20},
            "dealer": {"cards": ["JH", None], "total": None},
            "deck": 48,
            "discards": 0,
            "winner": None,
            "tally": {"player": 0, "dealer": 0, "tie": 0},
            "messages": ["Dealing cards to player and dealer..."],
            "stacked": True,
        },
        "moves": [
            {"name": "hit", "label": "Hit", "fields": {}},
            {"name": "stay", "label": "Stay", "fields": {}},
            {"name": "new", "label": "Start over", "fields": {}},
        ],
    }


def test_the_page_shows_the_same_table(client: FlaskClient, shuffled_deck: str) -> None:
    dealt(client, shuffled_deck)
    page = client.get(TABLE).text
    alts = re.findall(r'<img[^>]* alt="([^"]+)"', page)
    assert alts == ["jack of hearts", "face-down card", "king of spades", "queen of spades"]
    assert "Round 1" in page
    assert "Hit or stay?" in page
    assert [*re.findall(r'name="move" value="(\w+)"', page)] == ["hit", "stay", "new"]


def test_the_result_comes_with_its_arithmetic_and_its_rule(
    client: FlaskClient, shuffled_deck: str
) -> None:
    """KS QS is 20; JH AH is 11, so the dealer takes QH: 21 (S0-13, S0-15)."""
    dealt(client, shuffled_deck)
    play(client, {"move": "stay", "step": "1"})
    page = client.get(TABLE).text
    assert "You 20, dealer 21: the dealer wins" in page
    assert f'href="{TABLE}/rules#winner"' in page
    assert "Dealer must take a card..." in page


def test_an_uploaded_file_wins_over_text_and_an_empty_one_is_absent(
    client: FlaskClient, shuffled_deck: str
) -> None:
    upload = (io.BytesIO(shuffled_deck.encode()), "shuffledDeck.txt")
    form = {"move": "deal", "step": "0", "deck": upload}
    response = client.post(TABLE, data=form, headers=JSON)
    assert response.get_json()["view"]["player"]["cards"] == ["KS", "QS"]

    play(client, {"move": "new", "step": "1"})
    form = {"move": "deal", "step": "2", "deck": (io.BytesIO(b""), "")}
    response = client.post(TABLE, data=form, headers=JSON)
    assert response.get_json()["view"]["stacked"] is False


def test_a_browsers_form_sends_text_and_an_empty_file_together(
    client: FlaskClient, shuffled_deck: str
) -> None:
    boundary = "x"
    parts = [
        'Content-Disposition: form-data; name="step"\r\n\r\n0',
        'Content-Disposition: form-data; name="move"\r\n\r\ndeal',
        'Content-Disposition: form-data; name="deck"; filename=""\r\n\r\n',
        f'Content-Disposition: form-data; name="deck"\r\n\r\n{shuffled_deck}',
    ]
    body = "".join(f"--{boundary}\r\n{part}\r\n" for part in parts) + f"--{boundary}--\r\n"
    response = client.post(
        TABLE,
        data=body.encode(),
        headers=JSON,
        content_type=f"multipart/form-data; boundary={boundary}",
    )
    assert response.get_json()["view"]["player"]["cards"] == ["KS", "QS"]


def test_a_json_body_is_a_form_too(client: FlaskClient) -> None:
    response = client.post(TABLE, json={"move": "deal", "step": 0, "deck": None}, headers=JSON)
    assert (response.status_code, response.get_json()["step"]) == (200, 1)


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("application/json", "application/json"),
        ("text/html, application/json;q=0.1", "application/json"),
        ("APPLICATION/JSON", "application/json"),
        ("application/json;q=0", "text/html"),
        ("*/*", "text/html"),
        ("application/*", "text/html"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
        ("", "text/html"),
        ("nonsense/json", "text/html"),
    ],
)
def test_json_only_where_accept_names_it(client: FlaskClient, accept: str, kind: str) -> None:
    assert client.get(TABLE, headers={"Accept": accept}).mimetype == kind


def test_new_keeps_counting_steps_and_clears_the_table(
    client: FlaskClient, shuffled_deck: str
) -> None:
    dealt(client, shuffled_deck)
    play(client, {"move": "stay", "step": "1"})
    answer = play(client, {"move": "new", "step": "2"}).get_json()
    assert answer["step"] == 3
    assert (answer["view"]["phase"], answer["view"]["round"]) == ("ready", 0)
    assert answer["view"]["tally"] == {"player": 0, "dealer": 0, "tie": 0}


# ---- Refusals: one sentence, and nothing changes -------------------------------------------


@pytest.mark.parametrize(
    "step", ["0", "2", "-1", "1.0", "+1", " 1", "one", "", "9" * 5000, "\N{ARABIC-INDIC DIGIT ONE}"]
)
def test_a_stale_page_is_refused(client: FlaskClient, shuffled_deck: str, step: str) -> None:
    before = dealt(client, shuffled_deck)
    response = play(client, {"move": "hit", "step": step})
    assert response.status_code == 409
    answer = response.get_json()
    assert answer.pop("error") == "That page was out of date. This is the table as it stands now."
    assert answer == before
    assert table(client) == before


def test_a_missing_step_is_stale(client: FlaskClient) -> None:
    assert play(client, {"move": "deal"}).status_code == 409


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"move": ""},
        {"move": "fold"},
        {"move": "deal"},
        {"move": "hit", "deck": ""},
        {"move": "hit", "bet": "100"},
        {"move": "hit\n<b>"},
        {"move": "apply"},
        {"move": "stay", "view": ""},
    ],
)
def test_an_illegal_move_is_refused_in_both_representations(
    client: FlaskClient, shuffled_deck: str, form: dict[str, str]
) -> None:
    before = dealt(client, shuffled_deck)
    response = play(client, {**form, "step": "1"})
    assert response.status_code == 422
    answer = response.get_json()
    error = answer.pop("error")
    assert error
    assert "\n" not in error
    assert answer == before

    page = client.post(TABLE, data={**form, "step": "1"})
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert 'alt="face-down card"' in page.text
    assert "<b>" not in page.text
    assert table(client) == before


@pytest.mark.parametrize(
    ("deck", "faults"),
    [
        ("KS", ["line 2 is missing"]),
        ("KS\r\nks\r\n", ["line 2 is the card of line 1 again", "line 3 is missing"]),
        ("K\n1S\nKX\nKSS\nKS\n", ["line 1 has 1 character", "line 2 has the rank '1'", "line 3"]),
        ("\n" * 100, ["line 1 is empty", "line 2 is empty", "line 3 is empty"]),
        ("\x00\xff" * 40, ["line 1 has 80 characters"]),
    ],
)
def test_a_bad_deck_is_refused_line_by_line(
    client: FlaskClient, deck: str, faults: list[str]
) -> None:
    response = play(client, {"move": "deal", "step": "0", "deck": deck})
    assert response.status_code == 422
    error = response.get_json()["error"]
    assert error.startswith("Cannot populate deck: invalid data in the text: line ")
    assert "\n" not in error
    assert len(re.findall(r"\bline \d+ (?:is|has)", error)) <= 3
    for fault in faults:
        assert fault in error
    assert table(client)["step"] == 0
    assert "Set-Cookie" not in response.headers


def test_the_sheets_invalid_file_is_refused_by_name_and_the_text_typed_is_kept(
    client: FlaskClient,
) -> None:
    """S0-33: 51 good lines are not a deck. On the page nothing that was typed is lost."""
    upload = (io.BytesIO(b"KS\r\nQQ\r\n"), "invalid<1>.txt")
    page = client.post(TABLE, data={"move": "deal", "step": "0", "deck": upload})
    assert page.status_code == 422
    assert "Cannot populate deck: invalid data in invalid&lt;1&gt;.txt" in page.text
    assert "line 2 has the suit &#39;Q&#39;" in page.text

    page = client.post(TABLE, data={"move": "deal", "step": "0", "deck": "KS\nKS"})
    assert "KS\nKS</textarea>" in page.text


def test_a_pasted_deck_is_not_shown_again_beside_a_hidden_card(
    client: FlaskClient, shuffled_deck: str
) -> None:
    """At Blackjack a deck may be sent mid-round; echoed, it would name the hole card."""
    play(client, {"move": "deal", "step": "0", "deck": shuffled_deck}, "/blackjack")
    page = client.post(
        "/blackjack", data={"move": "deal", "step": "1", "deck": shuffled_deck + "\nKS"}
    )
    assert page.status_code == 422
    assert "line 53 is the card of line 1 again" in page.text
    assert re.findall(r"\b[A2-9TJQK][CDHS]\b", re.sub(r"cards/\w\w\.svg", "", page.text)) == []


def test_a_file_where_an_option_belongs_is_refused(client: FlaskClient) -> None:
    form = {"step": (io.BytesIO(b"0"), "step.txt"), "move": "deal"}
    assert play(client, form).status_code in (409, 422)
    form = {"move": (io.BytesIO(b"deal"), "move.txt"), "step": "0"}
    assert play(client, form).status_code == 422


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("POST", "/nowhere", 404),
        ("GET", "/simple-21/", 404),
        ("GET", "/simple-21/nowhere", 404),
        ("GET", "/nowhere/rules", 404),
        ("GET", "/static/old/site.css", 404),
        ("PUT", "/simple-21", 405),
        ("DELETE", "/", 405),
        ("POST", "/simple-21/rules", 405),
    ],
)
def test_error_pages_in_both_representations(
    client: FlaskClient, method: str, path: str, status: int
) -> None:
    page = client.open(path, method=method)
    assert page.status_code == status
    assert "<h1>" in page.text
    assert "site.css" in page.text
    answer = client.open(path, method=method, headers=JSON)
    assert answer.status_code == status
    assert list(answer.get_json()) == ["error"]


@pytest.mark.parametrize("body", ["{", "[]", "3", '"x"', ""])
def test_a_body_that_is_no_form_is_a_400(client: FlaskClient, body: str) -> None:
    response = client.post(TABLE, data=body, content_type="application/json", headers=JSON)
    assert (response.status_code, list(response.get_json())) == (400, ["error"])


def test_too_large_a_body_is_a_413(client: FlaskClient) -> None:
    form = {"move": "deal", "step": "0", "deck": "K" * (MAX_BODY + 1)}
    response = play(client, form)
    assert (response.status_code, list(response.get_json())) == (413, ["error"])
    assert client.post(TABLE, data=form).status_code == 413
    assert table(client)["step"] == 0


def test_a_fault_of_ours_is_a_500_page_that_says_nothing_of_its_insides(
    app: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_state: object) -> None:
        raise RuntimeError("the hole card is the queen of clubs")

    monkeypatch.setattr(GAMES["simple-21"], "view", broken)
    response = app.test_client().get(TABLE)
    assert response.status_code == 500
    assert "queen" not in response.text
    assert "Traceback" not in response.text


# ---- Forms from other sites ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": ""}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"}, 200),
        ({"Origin": "http://localhost"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://localhost:81"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "http://[bad"}, 403),
    ],
)
def test_cross_site_forms_are_refused(
    client: FlaskClient, headers: dict[str, str], status: int
) -> None:
    response = client.post(TABLE, data={"move": "deal", "step": "0"}, headers={**JSON, **headers})
    assert response.status_code == status
    assert table(client)["step"] == 0 + (status == 200)
    if status == 403:
        assert list(response.get_json()) == ["error"]


def test_looking_from_another_site_is_allowed(client: FlaskClient) -> None:
    assert client.get(TABLE, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


# ---- Headers, size, markup -----------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", TABLE, f"{TABLE}/rules", "/nowhere", "/healthz"])
def test_every_answer_is_locked_down(client: FlaskClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store"


def test_static_files_are_cached_for_ever(client: FlaskClient) -> None:
    address = re.search(r'href="(/static/[^"]+site\.css)"', client.get("/").text)
    assert address
    with client.get(address[1]) as response:
        assert response.status_code == 200
        assert "immutable" in response.headers["Cache-Control"]
        assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_every_card_has_its_picture(client: FlaskClient) -> None:
    root = re.search(r'href="(/static/[^"]+)/site\.css"', client.get("/").text)
    assert root
    for name in (*FULL_DECK, "back"):
        with client.get(f"{root[1]}/cards/{name}.svg") as response:
            assert (response.status_code, response.mimetype) == (200, "image/svg+xml"), name


def test_the_page_is_small_and_needs_no_script(client: FlaskClient, shuffled_deck: str) -> None:
    """At most 4 KB compressed without pictures, one style sheet, and one script that only adds.

    That every table is played without it is shown in test_browser.py, "without script".
    """
    pages = [client.get(TABLE).text]
    dealt(client, shuffled_deck)
    pages.append(client.get(TABLE).text)
    play(client, {"move": "stay", "step": "1"})
    pages.append(client.get(TABLE).text)
    for page in pages:
        assert len(gzip.compress(page.encode())) <= 4096
        assert page.count('rel="stylesheet"') == 1
        assert re.findall(r"<script[^>]*>.*?</script>", page, re.DOTALL) == [
            f'<script src="{static}/site.js" defer></script>'
            for static in re.findall(r'href="(/static/\w+)/site\.css"', page)
        ]
        assert " style=" not in page
        assert not re.search(r"\son\w+=", page)


class Balanced(HTMLParser):
    """Complains about a tag that is not closed where it should be, and about an id used twice."""

    VOID = frozenset({"meta", "link", "img", "input", "br", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("slug", GAMES)
def test_the_markup_is_balanced(client: FlaskClient, slug: str) -> None:
    for path in ("/", f"/{slug}", f"/{slug}/rules", "/nowhere"):
        parser = Balanced()
        parser.feed(client.get(path).text)
        assert parser.open == []
        assert len(parser.ids) == len(set(parser.ids))


# ---- What an examiner found ----------------------------------------------------------------


@pytest.mark.parametrize("nested", ["[" * 100_000, '{"a":' * 50_000])
def test_deeply_nested_json_is_a_400(client: FlaskClient, nested: str) -> None:
    response = client.post(TABLE, data=nested, content_type="application/json", headers=JSON)
    assert (response.status_code, list(response.get_json())) == (400, ["error"])


@pytest.mark.parametrize("parameter", ["charset=utf-8", " indent=4", "q=0.5;version=2"])
def test_json_is_named_with_parameters_too(client: FlaskClient, parameter: str) -> None:
    response = client.get(TABLE, headers={"Accept": f"application/json;{parameter}"})
    assert response.mimetype == "application/json"


@pytest.mark.parametrize("path", ["/nowhere", f"{TABLE}/odds"])
def test_an_error_page_has_a_title(client: FlaskClient, path: str) -> None:
    response = client.get(path)
    assert re.search(rf"<title>{response.status_code} .* Cardgames</title>", response.text)


def test_of_several_files_the_first_with_a_name_is_played(
    client: FlaskClient, shuffled_deck: str
) -> None:
    files = [(io.BytesIO(b""), ""), (io.BytesIO(shuffled_deck.encode()), "deck.txt")]
    form = {"move": "deal", "step": "0", "deck": files}
    answer = client.post(TABLE, data=form, headers=JSON).get_json()
    assert answer["view"]["player"]["cards"] == ["KS", "QS"]


def test_the_views_have_the_names_of_the_contract_and_no_others(client: FlaskClient) -> None:
    forms = {"war": {"players": "2"}, "bingo": {"mode": "L", "speed": "N"}}
    twenty_one = "phase round player dealer deck discards winner tally messages stacked"
    names = {
        "war": "phase players battle turn winner tally messages stacked",
        "bingo": "phase round mode speed grids called left winner tally messages stacked",
    }
    for slug in GAMES:
        form = {"move": "deal", "step": "0", **forms.get(slug, {})}
        view = play(client, form, f"/{slug}").get_json()["view"]
        assert set(view) == set(names.get(slug, twenty_one).split())
        for grid in view.get("grids", []):
            assert set(grid) == {"player", "cards", "covered"}


def test_war_names_no_card_that_is_back_in_a_hand(client: FlaskClient) -> None:
    """After ten turns only the last one is told: the cards before it lie face down again."""
    play(client, {"move": "deal", "step": "0", "players": "2"}, "/war")
    for step in range(1, 30):
        view = table(client, "/war")["view"]
        if view["phase"] != "playing":
            break
        form = {"move": "turn", "turns": "10", "step": str(step)}
        view = play(client, form, "/war").get_json()["view"]
        symbols = dict(zip("SHCD", "♠♡♣♢", strict=True))
        shown = {
            card[0].replace("T", "10") + symbols[card[1]] for row in view["battle"] for card in row
        }
        told = set(re.findall(r"(?:10|[2-9AJQK])[♠♡♣♢]", " ".join(view["messages"])))
        assert told == shown


@pytest.mark.parametrize("field", ["names", "move", "\ud800"])
@pytest.mark.parametrize("accept", ["application/json", "text/html"])
def test_half_a_character_is_no_text(client: FlaskClient, field: str, accept: str) -> None:
    """JSON can carry what no page could say again."""
    sent = {"move": "deal", "step": 0, "players": "2", field: "\ud800"}
    answer = client.post("/war", json=sent, headers={"Accept": accept})
    assert answer.status_code == 400
