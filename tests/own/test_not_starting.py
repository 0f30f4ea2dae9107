"""The page's report on a program that does not start: a card with the fault."""

from collections.abc import Callable
from pathlib import Path

import pytest

from course.grading.sheets import SHEETS
from tests.course.support import copy_of
from tests.own.conftest import Own
from tests.support.browser import box_of

OpenOwn = Callable[[str], Own]
PHONE = {"width": 390, "height": 844}
HEADER = "def dealHands(self) -> None:"


def check(page: Own, folder: Path, title: str) -> str:
    """Check a folder's files, and return the text of the only visible card."""
    if page.page.locator("#forget").is_visible():
        page.page.click("#forget")
        page.until(lambda: page.names() == [])
    page.choose(folder)
    page.press("#check")
    assert page.page.inner_text("#report-title") == title
    assert page.page.inner_text("#chosen-title") == f"{len([*folder.glob('*.py')])} files"
    assert page.page.locator("#chosen-box[open]").count() == 0, "the files are folded"
    status = page.page.locator("#python-status")
    assert status.inner_text() == "Checked."
    look = "e => getComputedStyle(e).position"
    assert status.evaluate(look) == "static", "no bar across the top, which is for errors"
    cards = page.page.locator("#failing > li")
    assert cards.count() == 1
    card = cards.first.bounding_box()
    assert card
    assert 0 < card["y"] < PHONE["height"] - 150, "in sight after Check, without scrolling"
    assert page.page.locator("#following > li, #passing > li").count() == 77
    assert page.page.locator("#following-box[open], #passing-box[open]").count() == 0
    assert page.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    return cards.first.inner_text()


@pytest.mark.slow
def test_misnamed_file_is_used_and_named(own: OpenOwn, tmp_path: Path) -> None:
    page = own("simple-21")
    folder = copy_of(SHEETS["simple-21"], tmp_path / "files")
    (folder / "playingCards.py").rename(folder / "playing_cards.py")
    page.choose(folder)
    page.press("#check")
    assert page.unmet() == []
    assert page.page.inner_text("#report-title") == "Nothing to fix"
    (note,) = page.page.locator("#notes > li").all_inner_texts()
    assert note.startswith("playing_cards.py was graded as playingCards.py")


@pytest.mark.slow
def test_unstartable_program_is_one_card(own: OpenOwn, tmp_path: Path) -> None:
    """All cases use a single page, because Python takes seconds to start."""
    page = own("simple-21")
    page.page.set_viewport_size(PHONE)
    folder = copy_of(SHEETS["simple-21"], tmp_path / "files")
    table = folder / "simple21.py"
    source = table.read_text()
    line = 1 + source[: source.index(HEADER)].count("\n")

    table.write_text(source.replace(HEADER, HEADER.removesuffix(":")))
    card = check(page, folder, f"Your program does not start: simple21.py, line {line}")
    assert f"simple21.py, line {line}" in card
    button = page.page.locator("#failing").get_by_role("button", name="Fix this line")
    below = page.page.locator("#failing > li > details, #failing > li > b").first
    assert box_of(button)["y"] + box_of(button)["height"] + 8 <= box_of(below)["y"]

    table.write_text(source)
    cards = folder / "playingCards.py"
    cards.unlink()
    card = check(page, folder, "Your program does not start")
    assert card.startswith("playingCards.py is missing: choose it too, or rename the file")
    assert page.page.locator("#failing").get_by_role("button", name="Fix this line").count() == 0
