"""The pages of the sheets: the tasks, the decks, the package."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from course.grading.sheets import SHEETS
from course.handouts.tasks import TASKS
from tests.course.support import command
from tests.support.site import look, visitor
from web.settings import BadSetting
from web.sheets import views

PAGE = "/sheets"


def test_the_five_sheets_are_listed(client: FlaskClient) -> None:
    """The page lists every required file, links to each table, and sets no cookie."""
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


def test_built_package_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page has the install command for this server, and only that file can be downloaded."""
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


def test_unusable_sheet_stops_the_start(tmp_path: Path) -> None:
    """Each fault has its own message. A folder that contains no sheet is ignored."""
    sheets = tmp_path / "sheets"
    for name in ("whist", "war"):
        assert command("course.sheet", "new", sheets / name).returncode == 0
    (sheets / "notes").mkdir()
    (sheets / "whist" / "requirements.md").unlink()
    with pytest.raises(BadSetting) as refused:
        visitor(tmp_path / "data", sheets=sheets)
    taken, none = refused.value.sentences
    assert none == f"SHEETS: {sheets / 'whist'} has no requirements.md."
    assert taken == f"SHEETS: {sheets / 'war'} is called war, as another sheet is."
    with pytest.raises(BadSetting, match="is no folder"):
        visitor(tmp_path / "data", sheets=tmp_path / "none")
