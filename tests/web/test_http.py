"""The processing of all requests and responses: cross-site forms, errors, headers, markup."""

import gzip
import re
from html.parser import HTMLParser
from pathlib import Path
from socket import gethostname

import flask
import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from tests.support.pages import page_of
from tests.support.site import JSON, TABLE, look, play, send, static_root, visitor
from web.http.requests import MAX_BODY

PAGES = (
    *("/", "/settings", "/nowhere", "/lab", "/sheets", "/war/rules"),
    *(f"/{slug}" for slug in GAMES),
)
pages = pytest.mark.parametrize("path", PAGES)


# ---- Two representations -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("application/json", "application/json"),
        ("text/html, application/json;q=0.1", "application/json"),
        ("application/json;charset=utf-8", "application/json"),
        ("application/json;q=0.5;version=2", "application/json"),
        ("application/json;q=0", "text/html"),
        ("*/*", "text/html"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
        ("nonsense/json", "text/html"),
    ],
)
def test_json_only_if_accept_names_it(client: FlaskClient, accept: str, kind: str) -> None:
    assert client.get(TABLE, headers={"Accept": accept}).mimetype == kind


SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address does not accept that kind of request.",
}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        *(("GET", "/nowhere", 404), ("GET", "/nowhere/rules", 404)),
        *(("GET", "/static/old/site.css", 404), ("PUT", "/simple-21", 405)),
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
    assert SENTENCES[status] in page.text
    answer = client.open(path, method=method, headers=JSON)
    assert (answer.status_code, answer.get_json()) == (status, {"error": SENTENCES[status]})


@pytest.mark.parametrize("body", ["{", "[]", "", "[" * 20_000], ids=lambda body: body[:5])
def test_non_form_body_is_a_400(client: FlaskClient, body: str) -> None:
    response = client.post(TABLE, data=body, content_type="application/json", headers=JSON)
    assert (response.status_code, list(response.get_json())) == (400, ["error"])


def test_too_large_a_body_is_a_413(client: FlaskClient) -> None:
    form = {"move": "deal", "step": "0", "deck": "K" * (MAX_BODY + 1)}
    response = send(client, form)
    assert (response.status_code, list(response.get_json())) == (413, ["error"])
    assert send(client, form, headers={}).status_code == 413
    assert look(client)["step"] == 0


# ---- Forms from other sites ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        *(({}, 200), ({"Sec-Fetch-Site": "same-origin"}, 200), ({"Sec-Fetch-Site": "none"}, 200)),
        *(({"Sec-Fetch-Site": "same-site"}, 403), ({"Sec-Fetch-Site": "cross-site"}, 403)),
        ({"Sec-Fetch-Site": ""}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"}, 200),
        *(({"Origin": "http://localhost"}, 200), ({"Origin": "http://evil.example"}, 403)),
        *(({"Origin": "http://localhost:81"}, 403), ({"Origin": "null"}, 403)),
    ],
)
def test_cross_site_forms_are_refused(
    client: FlaskClient, headers: dict[str, str], status: int
) -> None:
    response = send(client, {"move": "deal"}, headers={**JSON, **headers})
    assert response.status_code == status
    assert look(client)["step"] == (status == 200)
    if status == 403:
        assert list(response.get_json()) == ["error"]


def test_every_form_address_rejects_other_sites(app: flask.Flask) -> None:
    client = app.test_client()
    for rule in app.url_map.iter_rules():
        if "POST" in (rule.methods or ()):
            path = re.sub(r"<[^>]*>", "1", rule.rule.replace("<slug>", "war"))
            for other in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
                assert client.post(path, headers=other).status_code == 403, path


# ---- Headers and files ---------------------------------------------------------------------


@pages
def test_every_answer_is_locked_down_and_has_no_script_but_ours(
    client: FlaskClient, path: str
) -> None:
    answer = client.get(path)
    policy = dict(
        part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";")
    )
    for kind in ("script-src", "style-src", "img-src", "connect-src", "form-action"):
        assert policy[kind] == "'self'"
    assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    for name in ("Referrer-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy"):
        assert answer.headers[name] == "same-origin"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in answer.headers
    root = static_root(answer.text)
    scripts = [element.attrs for element in page_of(answer.text).select("script")]
    assert scripts == [
        {"src": f"{root}/site.js", "type": "module"},
        {"src": f"{root}/pages.js", "defer": ""},
    ]


def test_static_files_are_cached_for_ever(client: FlaskClient) -> None:
    root = static_root(client.get("/").text)
    for name in ("site.css", "pages.js", *(f"cards/{card}.svg" for card in (*FULL_DECK, "back"))):
        with client.get(f"{root}/{name}") as response:
            assert response.status_code == 200, name
            assert "immutable" in response.headers["Cache-Control"]
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert (response.mimetype == "image/svg+xml") == name.startswith("cards/")


class Balanced(HTMLParser):
    """A parser that reports repeated IDs, and tags that are closed too late or never."""

    VOID = frozenset({"meta", "link", "img", "input", "br", "hr", "rect", "path", "polyline"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.feed(page)
        assert self.open == []
        assert len(self.ids) == len(set(self.ids))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("path", ["/deals", "/daily", "/puzzles", "/sheets/war/try", *PAGES[:5]])
def test_the_markup_of_a_page_is_balanced(client: FlaskClient, path: str) -> None:
    assert Balanced(client.get(path).text).ids


@pytest.mark.parametrize("slug", GAMES)
def test_the_markup_of_a_table_is_balanced(client: FlaskClient, slug: str) -> None:
    paths = (f"/{slug}", f"/{slug}/rules", f"/{slug}/history")
    for path in paths:
        Balanced(client.get(path).text)
    play(client, f"/{slug}", "deal")
    for path in paths:
        Balanced(client.get(path).text)


# ---- Compression ---------------------------------------------------------------------------


def test_compressed_page_equals_the_plain_one(client: FlaskClient) -> None:
    plain = client.get("/")
    for path, headers in (("/", {}), ("/simple-21/rules", JSON)):
        whole = client.get(path, headers=headers)
        small = client.get(path, headers={**headers, "Accept-Encoding": "gzip, br"})
        assert "Content-Encoding" not in whole.headers
        assert small.headers["Content-Encoding"] == "gzip"
        assert "Accept-Encoding" in small.headers["Vary"]
        assert gzip.decompress(small.data) == whole.data
        assert len(small.data) < len(whole.data) / 2
        assert small.headers["Content-Length"] == str(len(small.data))
    refused = client.get("/", headers={"Accept-Encoding": "br, gzip;q=0"})
    assert refused.data == plain.data


# ---- Allowed host names ------------------------------------------------------------------------


OWN = (
    *("localhost", "localhost:8000", "127.0.0.1", "127.0.0.1:8000", "10.1.2.3", "10.1.2.3:80"),
    *("[::1]", "[::1]:8000", "[fe80::1]:8000", "cards", "cards:8000", "app1", "pc-12.local"),
    *("cards.localhost:8000", gethostname(), f"{gethostname().upper()}:8000"),
)
FOREIGN = (
    *("evil.example", "evil.example:8000", "EVIL.example", "10.1.2.3.evil.example"),
    *("127.0.0.1.nip.example:8000", "x.local.evil.example", "localhost.evil.example"),
)


@pytest.mark.parametrize("host", OWN)
def test_addresses_and_names_of_the_network_are_answered(client: FlaskClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", FOREIGN)
def test_registrable_host_name_is_rejected(client: FlaskClient, host: str) -> None:
    """A malicious site may resolve its own name to this machine (DNS rebinding)."""
    for path in ("/", "/simple-21", "/nowhere"):
        assert client.get(path, headers={"Host": host}).status_code == 400
    form = {"move": "deal", "step": "0"}
    answer = client.post("/simple-21", data=form, headers={"Host": host})
    assert answer.status_code == 400
    assert "Set-Cookie" not in answer.headers
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


def test_rejection_names_the_setting(client: FlaskClient) -> None:
    answer = client.get("/", headers={"Host": "cards.example.edu"})
    assert "ALLOWED_HOSTS" in answer.text
    german = {"Host": "cards.example.edu", "Accept-Language": "de"}
    assert "kennt den Namen in der Adresse nicht" in client.get("/", headers=german).text
    json = {"Host": "cards.example.edu", "Accept": "application/json"}
    assert "ALLOWED_HOSTS" in client.get("/", headers=json).get_json()["error"]


def test_answers_outside_the_prefix_have_the_headers_too(tmp_path: Path) -> None:
    client = visitor(tmp_path, url_prefix="/cards")
    inside = client.get("/cards/nowhere")
    for path in ("/", "/simple-21", "/elsewhere/simple-21", "/card"):
        outside = client.get(path)
        assert outside.status_code == inside.status_code == 404
        names = ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy")
        for name in (*names, "Cross-Origin-Opener-Policy", "Cache-Control"):
            assert outside.headers[name] == inside.headers[name], path
