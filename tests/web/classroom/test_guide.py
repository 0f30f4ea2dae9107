"""The instructors' guide on the site, and the commands and URLs that the guide names."""

import html
import importlib
import re
from pathlib import Path

import flask
import pytest
from werkzeug.exceptions import NotFound
from werkzeug.routing import RequestRedirect

from tests.support.classroom import site
from web.db.models import Base
from web.guide import DOCS, FIRST, GUIDES, TOPICS, guide
from web.settings import Settings

ROOT = DOCS.parent
INSTRUCTORS = (FIRST, *TOPICS)
TEXT = "\n".join((DOCS / f"{name}.md").read_text() for name in INSTRUCTORS)
CODE = [
    *re.findall(r"`([^`\n]+(?:\n[^`\n]+)?)`", re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)),
    *(
        line
        for block in re.findall(r"```\w*\n(.*?)```", TEXT, re.DOTALL)
        for line in block.split("\n")
    ),
]
SPANS = [" ".join(span.split()) for span in CODE]
ADDRESSES = sorted({span for span in SPANS if re.match(r"/[a-z]", span)})
COMMANDS = sorted(
    {span for span in SPANS if re.match(r"([A-Z_]+=\S+ )*(make|python|pytest) ", span)}
)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> flask.Flask:
    return site(tmp_path_factory.mktemp("guide"))


assert len(ADDRESSES) > 25, "the guide is read"
assert len(COMMANDS) > 10, "the guide is read"


@pytest.mark.parametrize("address", ADDRESSES)
def test_addresses_in_the_guide_exist(address: str, app: flask.Flask) -> None:
    path = address.partition("?")[0].replace("<code>", "K7QXB").replace("CODE", "K7QXB")
    map_ = app.url_map.bind("localhost")
    try:
        endpoint, given = map_.match(path, method="GET")
    except (NotFound, RequestRedirect) as error:
        pytest.fail(f"{path}: {error}")
    if "slug" in given or path.startswith(("/lab", "/sheets", "/deals")):
        # The status 303 adds a seed, and 422 means that there are no odds now.
        assert app.test_client().get(address).status_code in (200, 303, 422), endpoint


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_in_the_guide_exist(command: str) -> None:
    words = command.split()
    while "=" in words[0]:
        assert words.pop(0).partition("=")[0] in Settings.names()
    match words:
        case ["make", target, *_]:
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        case ["python", "-m", module, *rest]:
            source = Path(str(importlib.import_module(module).__file__)).read_text()
            source += "".join(path.read_text() for path in (ROOT / "course/grading").glob("*.py"))
            for option in (word for word in rest if word.startswith("--")):
                assert f'"{option}"' in source, option
        case ["pytest", *rest]:
            paths = [word for word in rest if word.startswith("tests")]
            assert paths
            assert all([*ROOT.glob(path)] for path in paths)
        case _:
            pytest.fail(command)


@pytest.mark.parametrize("name", GUIDES)
def test_a_page_of_the_docs_is_served_in_the_sites_look(name: str, app: flask.Flask) -> None:
    path = "/class/guide" if name == FIRST else f"/class/guide/{name}"
    answer = app.test_client().get(path)
    assert answer.status_code == 200
    page = answer.text
    assert "style=" not in page
    assert "<script>" not in page
    assert page.count("<table") == len(
        re.findall(r"^\|[ :|-]+\|$", (DOCS / f"{name}.md").read_text(), re.MULTILINE)
    )
    inner = page[page.index("<article") :]
    anchors = {*re.findall(r'<h\d id="([^"]+)"', inner)}
    for href in re.findall(r'href="([^"]+)"', inner[: inner.index("</article>")]):
        where, _, anchor = href.partition("#")
        if where:
            # a lab run with few rounds
            url = re.sub(r"rounds=\d+", "rounds=100", html.unescape(where))
            target = app.test_client().get(url, follow_redirects=True)
            assert target.status_code == 200, href
        if anchor:
            there = target.text if where else page
            assert f'id="{anchor}"' in there, href
    assert anchors


def test_addresses_of_the_site_are_links(tmp_path: Path) -> None:
    """Only concrete URLs are links, not URLs with a placeholder such as CODE."""
    app = site(tmp_path, url_prefix="/cards")
    lessons = app.test_client().get("/cards/class/guide/classroom-lessons").text
    assert '<a href="/cards/sheets/decks/10H.txt"><code>/sheets/decks/10H.txt</code></a>' in lessons
    start = app.test_client().get("/cards/class/guide").text
    assert "<code>/class/CODE/dashboard</code>" in start
    assert "CODE/dashboard</code></a>" not in start


def test_the_first_page_has_seven_steps_and_leads_to_every_topic() -> None:
    steps, more = (DOCS / "classroom.md").read_text().split("\n## ", 1)
    assert len(re.findall(r"^\d\. ", steps, re.MULTILINE)) == 7
    assert len(steps.split()) <= 350
    assert tuple(re.findall(r"\]\((classroom-\w+)\.md\)", more)) == TOPICS
    assert {*TOPICS} == {path.stem for path in DOCS.glob("classroom-*.md")}


@pytest.mark.parametrize("name", TOPICS)
def test_a_topic_leads_to_the_others_and_back(name: str, app: flask.Flask) -> None:
    page = app.test_client().get(f"/class/guide/{name}").text
    assert 'href="/class/guide"' in page[: page.index("<article")]
    after = page[page.index("</article>") :]
    assert re.findall(r'href="/class/guide/([^"]+)"', after) == [*TOPICS]
    assert after.count('aria-current="page"') == 1


def shape(text: str) -> dict[str, object]:
    """Return the structure that a page and its translation must share."""
    code = (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text))
    return {
        **{
            kind: len(re.findall(rf"^(?:{start})", text, re.MULTILINE))
            for kind, start in {"headings": "#+ ", "items": r"\* |\d\. ", "rows": r"\|"}.items()
        },
        "pictures": re.findall(r"\(.*/(\S+\.webp)\)", text),
        "pages": sorted(re.findall(r"\]\((?:\.\./)?([^)]+\.md[^)]*)\)", text)),
        "commands": sorted(one for one in code if re.match(r"/|make |python |[A-Z]+=", one)),
    }


def test_the_seven_steps_are_translated(app: flask.Flask) -> None:
    german = app.test_client().get("/class/guide", headers={"Accept-Language": "de"}).text
    english = app.test_client().get("/class/guide").text
    assert '<article class="guide" lang="de">' in german
    assert '<article class="guide" lang="en">' in english
    with app.test_request_context():
        page, same = guide(FIRST, "de", ""), guide(FIRST, "en", "")
    assert page.title != same.title
    assert not {*page.sections} & {*same.sections}
    assert shape((DOCS / f"de/{FIRST}.md").read_text()) == shape((DOCS / f"{FIRST}.md").read_text())
    assert [path.name for path in (DOCS / "de").iterdir()] == [f"{FIRST}.md"]


@pytest.mark.parametrize("language", ["en", "de"])
def test_seven_steps_show_their_pictures(
    language: str, app: flask.Flask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    client, headers = app.test_client(), {"Accept-Language": language}
    page = client.get("/class/guide", headers=headers).text
    pictures = re.findall(r'<img src="([^"]+)" alt="([^"]+)" loading="lazy"', page)
    assert len(pictures) == page.count("<img") == 3
    for path, _ in pictures:
        assert ("/de/" in path) == (language == "de")
        found = client.get(path)
        assert (found.status_code, found.mimetype, found.data[8:12]) == (200, "image/webp", b"WEBP")
    for path in ("x.webp", "../classroom.md", "..%2fclassroom.md", "de/../../../classroom.md"):
        assert client.get(f"/class/guide/pictures/{path}").status_code == 404
    monkeypatch.setattr("web.guide.PICTURES", tmp_path)  # The wheel does not contain the pictures.
    guide.cache_clear()
    assert "<img" not in client.get("/class/guide", headers=headers).text
    guide.cache_clear()


def test_english_page_is_marked_for_a_screen_reader(app: flask.Flask) -> None:
    page = app.test_client().get("/class/guide/lab", headers={"Accept-Language": "de"}).text
    assert '<article class="guide" lang="en">' in page


KEPT = {
    *("classes", "students", "class_browsers", "class_dashboards", "instructor_links"),
    *("class_rounds", "class_cards", "class_claims"),
    *("student_days", "student_dailies", "student_mistakes", "votes", "vote_answers"),
    *("tournaments", "tournament_plays"),
}
"""The database tables that belong to classes. The page needs a line for each of them."""


def test_guide_names_everything_stored_about_a_class() -> None:
    tables = Base.metadata.tables.values()
    found = {table.name for table in tables if {"class_code", "nicknames"} & {*table.c.keys()}}
    assert found == KEPT, "say in docs/classroom-privacy.md what is kept there, and how long"
