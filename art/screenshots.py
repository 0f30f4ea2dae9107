"""The pictures of the pages in the README, taken from a served copy: ``make screenshots``.

The decks are the sheets' own, so that the pictures change only when the pages do.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, sync_playwright

from benchmarks.serving import ROOT, Server

PICTURES: Final = ROOT / "docs" / "pictures"
DECKS: Final = ROOT / "tests" / "decks"
CHROMIUM: Final = shutil.which("chromium") or "/usr/bin/chromium"


def deal(page: Page, table: str, **decks: str) -> None:
    """Open a table and deal with deck files, given by their field."""
    page.goto(table)
    for field, name in decks.items():
        page.locator(f"details:has([name={field}]) > summary").click()
        page.locator(f"input[type=file][name={field}]").set_input_files(DECKS / name)
    page.get_by_role("button", name="Deal", exact=True).click()


def click(page: Page, *buttons: str) -> None:
    """Press buttons by their names, one after the other."""
    for name in buttons:
        page.get_by_role("button", name=name, exact=True).click()


def take(page: Page, name: str) -> None:
    """Write the page as it stands to a picture."""
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)


def tour(page: Page, site: str) -> None:
    """Sit down at every table once."""
    deal(page, f"{site}/simple-21", deck="shuffledDeck.txt")
    click(page, "Stay")
    take(page, "simple-21")
    deal(page, f"{site}/blackjack", deck="shuffledDeck.txt")
    take(page, "blackjack")
    deal(page, f"{site}/one-deck", deck="shuffledDeck.txt")
    click(page, "Stand")
    take(page, "one-deck")
    page.goto(f"{site}/war")
    page.get_by_label("Names").fill("Amy, Brad")
    deal_war = page.locator("input[type=file][name=deck]")
    page.locator("details:has([name=deck]) > summary").click()
    deal_war.set_input_files(DECKS / "shuffledDeck.txt")
    click(page, "Deal", "1 turn")
    take(page, "war")
    decks = {"bingo_deck": "bingoDeck.txt", "calling_deck": "callingDeck_line_Awins.txt"}
    deal(page, f"{site}/bingo", **decks)
    page.locator("button[name=calls][value=all]").click()
    take(page, "bingo")
    page.goto(f"{site}/")
    take(page, "lobby")


def main() -> None:
    """Take all the pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with (
        tempfile.TemporaryDirectory() as data,
        Server(Path(data)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=quiet)
        page = browser.new_page(viewport={"width": 760, "height": 560})
        tour(page, f"http://127.0.0.1:{server.port}")
        browser.close()


if __name__ == "__main__":
    main()
