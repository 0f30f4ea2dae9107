"""The page of the sheets: what to build, decks, transcripts held against its own, the package."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.records.comparison import MAX_BEFORE
from course.grading.sheets import SHEETS
from course.handouts.tasks import TASKS
from course.handouts.transcripts import transcript, typing
from tests.support.sheets import untyped
from tests.support.site import DECK, JSON, look, play, visitor
from web.sheets import views
from web.sheets.views import MAX_TEXT

PAGE = "/sheets"


def paste(client: FlaskClient, slug: str, text: str) -> dict[str, object]:
    """Return what a program is shown of a comparison that is made."""
    answer = client.post(PAGE, data={"table": slug, "transcript": text}, headers=JSON)
    assert answer.status_code == 200, answer.text
    data: dict[str, object] = answer.get_json()
    return data


def test_the_five_sheets_are_listed(client: FlaskClient) -> None:
    """With every file that the grader asks for, and a way to each table; nothing is written."""
    page = client.get(PAGE)
    assert page.status_code == 200
    assert "Set-Cookie" not in page.headers
    assert [task.slug for task in TASKS] == [*SHEETS]
    for task, sheet in zip(TASKS, SHEETS.values(), strict=True):
        assert tuple(name for name in task.build if name) == sheet.files
        assert {*task.given} == {Path(name).name for name in sheet.given}
        assert f'href="/{task.slug}"' in page.text
        assert GAMES[task.slug].info.title in page.text
        for name in (*sheet.files, *task.given):
            assert f"<code>{name}</code>" in page.text
    for one in look(client, PAGE)["sheets"]:
        for address in one["decks"]:
            assert client.get(address).mimetype == "text/plain"


@pytest.fixture
def shown(client: FlaskClient, tmp_path: Path) -> str:
    """The terminal of a student who has played two rounds as they have at the table."""
    play(client, "/simple-21", "deal", deck=DECK)
    play(client, "/simple-21", "stay", "deal", "hit")
    (tmp_path / "mine.txt").write_text(DECK)
    return transcript(SHEETS["simple-21"], tmp_path, typing("mine.txt", "S", "Y", "H", "N"))


def test_the_same_is_the_same(client: FlaskClient, shown: str) -> None:
    """Whatever file was typed and however the answers are written; from a terminal or a pipe."""
    for text in (shown, untyped("simple-21", shown), shown.replace("\n", "\r\n\r\n")):
        assert paste(client, "simple-21", text)["same"] is True
    form = {"table": "simple-21", "transcript": shown}
    assert "They are the same: 24 lines." in client.post(PAGE, data=form).text


MUST = "Dealer must take a card...\n"
CHANGES = {
    "another value": ("value = 16", "value = 17", "other"),
    "a line too many": (MUST, f"{MUST}Oops\n", "extra"),
    "a line missing": (MUST, "", "missing"),
}  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "kind"), CHANGES.values(), ids=CHANGES)
def test_the_difference_is_shown(
    client: FlaskClient, shown: str, right: str, wrong: str, kind: str
) -> None:
    """In its line, after the lines before it that are the same."""
    assert shown.count(right) == 1
    data = paste(client, "simple-21", shown.replace(right, wrong))
    rows = data["rows"]
    assert isinstance(rows, list)
    different = [row for row in rows if row["kind"] != "same"]
    assert [row["kind"] for row in different] == [kind]
    assert rows.index(different[0]) == MAX_BEFORE
    page = client.post(
        PAGE, data={"table": "simple-21", "transcript": shown.replace(right, wrong)}
    ).text
    assert page.count(f'<tr class="{kind}">') == 1


REFUSED = {
    "no table": ({"transcript": "x"}, views.NO_TABLE),
    "blanks": ({"table": "simple-21", "transcript": " \n \t"}, views.NOTHING_SENT),
    "too much": ({"table": "simple-21", "transcript": "x" * (MAX_TEXT + 1)}, views.TOO_LONG),
    "nothing played": (
        {"table": "bingo", "transcript": "x"},
        views.NOTHING_PLAYED.fill(game=GAMES["bingo"].info.title),
    ),
}


@pytest.mark.parametrize(("form", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_compared_is_one_sentence(
    client: FlaskClient, form: dict[str, str], sentence: str
) -> None:
    """And what was pasted stands in the form again."""
    page = client.post(PAGE, data=form)
    assert page.status_code == 422
    assert page.text.count('role="alert"') == 1
    assert sentence in page.text
    if form.get("transcript", "").strip():
        assert f"{form['transcript'][:MAX_TEXT]}</textarea>" in page.text
    data = client.post(PAGE, data=form, headers=JSON)
    assert (data.status_code, data.get_json()) == (422, {"error": sentence})
    assert "Set-Cookie" not in page.headers


def test_what_is_pasted_is_text_and_nothing_else(client: FlaskClient) -> None:
    """Not marked up, not kept; and what cannot be printed is a question mark."""
    play(client, "/simple-21", "deal", deck=DECK)
    text = "<script>x</script>\x1b[31m{{ 7*7 }}\nopen('proof', 'w')\n"
    page = client.post(PAGE, data={"table": "simple-21", "transcript": text})
    assert page.status_code == 200
    assert "<script>x" not in page.text
    assert "&lt;script&gt;x&lt;/script&gt;?[31m{{ 7*7 }}" in page.text
    assert "open(" not in client.get(PAGE).text


def test_the_package_that_was_built_is_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the line that installs it from here; only that file can be had."""
    client = visitor(tmp_path, allowed_hosts=("class.example", "localhost"))
    name = "cardgames_course-1.0.0-py3-none-any.whl"
    (tmp_path / name).write_bytes(b"a wheel")
    (tmp_path / "other.whl").write_bytes(b"no wheel of ours")
    newest = views.newest_wheel
    monkeypatch.setattr(views, "newest_wheel", lambda: newest(tmp_path))
    assert look(client, PAGE)["package"].endswith(f"{PAGE}/{name}")
    page = client.get(PAGE, base_url="https://class.example:8443/").text
    address = f"https://class.example:8443{PAGE}/{name}"
    assert f"<code>python -m pip install {address}</code>" in page
    assert client.get(f"{PAGE}/{name}").data == b"a wheel"
    for other in ("other.whl", "cardgames-1.0.1-py3-none-any.whl"):
        assert client.get(f"{PAGE}/{other}").status_code == 404
