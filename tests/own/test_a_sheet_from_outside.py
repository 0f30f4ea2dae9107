"""An instructor's sheet in Chromium, checked and dealt at a table.

The sheet's solution is public or private.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from course.grading.mistakes import read_mistakes
from course.grading.sheets import load_sheet
from tests.course.support import command
from tests.course.test_a_sixth_sheet import BLOCKS, write
from tests.own.conftest import Own
from tests.support.serving import Server


@pytest.mark.slow
@pytest.mark.parametrize("solution", ["public", "private"])
def test_the_sheet_of_the_guide(
    runtime: Path, browser: Browser, tmp_path: Path, solution: str
) -> None:
    """Each mistake is found with its requirement, and at the table also with its line."""
    assert runtime.is_dir()
    command("course.sheet", "new", tmp_path / "sheets" / "high-card")
    for _, name, text in BLOCKS:
        if name:
            write(tmp_path, name, text)
    folder = tmp_path / "sheets" / "high-card"
    toml = folder / "sheet.toml"
    toml.write_text(f'solution = "{solution}"\n{toml.read_text()}')
    sheet = load_sheet(folder)
    context = browser.new_context()
    with Server(tmp_path, SHEETS=str(tmp_path / "sheets")) as server:
        page = Own(context.new_page(), f"http://127.0.0.1:{server.port}", "high-card")
        page.page.click("#starter")
        page.until(lambda: page.names() == ["cards.py", "high_card.py"])
        page.press("#check")
        assert page.points() == "0 of 6"
        for number, mistake in enumerate(read_mistakes(sheet)):
            page.page.click("#forget")
            page.choose(mistake.write(sheet, tmp_path / f"{number}"))
            if mistake.loses:
                page.press("#check")
                assert page.unmet() == [mistake.loses]
                assert page.points() == "5 of 6"
            if mistake.shown:
                page.press("#sit")
                while page.page.locator("#difference").is_hidden():
                    page.press("#moves button:first-child")
                said = page.page.inner_text("#difference")
                (line,) = re.findall(r"Check cards\.py, line (\d+)", said)
                lines = (tmp_path / f"{number}" / "cards.py").read_text().split("\n")
                assert (mistake.shown in said, mistake.blames(lines[int(line) - 1])) == (True, True)
    context.close()
