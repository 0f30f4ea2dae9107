"""Two sites on one host, played in one browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.serving import Server


@pytest.mark.slow
def test_two_sites_on_one_host_are_played_in_one_browser(browser: Browser, tmp_path: Path) -> None:
    """In the past, a trial copy and the real site on one host ended each other's sessions."""
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    with (
        Server(folders[0], WORKERS="1", CLASSES="open") as one,
        Server(folders[1], WORKERS="1") as two,
        browser.new_context() as context,
    ):
        page = context.new_page()
        sites = [f"http://127.0.0.1:{server.port}" for server in (one, two)]
        page.goto(f"{sites[0]}/class/new")
        page.get_by_label("Title").fill("CS1")
        page.get_by_role("button", name="Open the class").click()
        expect(page.get_by_role("heading", name="CS1")).to_be_visible()
        dashboard = page.url
        for step in range(1, 3):
            for site in sites:
                page.goto(f"{site}/war")
                assert page.locator("[name=step]").first.get_attribute("value") == str(step - 1)
                page.get_by_role("button", name="Deal" if step == 1 else "1 turn").first.click()
                expect(page.locator("[name=step]").first).to_have_value(str(step))
        page.goto(dashboard)
        expect(page.get_by_role("heading", name="CS1")).to_be_visible()
        names = {cookie["name"] for cookie in context.cookies()}
        assert len(names) == 2
        assert all(name.startswith("cardgames-") for name in names)
