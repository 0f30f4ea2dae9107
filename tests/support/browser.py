"""Debian's Chromium, and how a test plays in it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.site import DECKS

CHROMIUM: Final = shutil.which("chromium") or "/usr/bin/chromium"
DECK_FILE: Final = DECKS / "shuffledDeck.txt"
_QUIET: Final = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """Run a browser."""
    if not Path(CHROMIUM).exists():
        pytest.fail("Chromium is missing: `make test` installs it.")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=[*_QUIET, *flags])
        yield running
        running.close()


def cards(page: Page, hand: str) -> list[str]:
    """Return what the cards of a hand are called."""
    images = page.get_by_role("region", name=hand).get_by_role("img")
    return [image.get_attribute("alt") or "" for image in images.all()]


def is_scripted(page: Page) -> bool:
    """Say whether our script runs on the page: it adds a region for what is announced."""
    return page.locator("body > p[role=status]").count() == 1


def press(page: Page, button: str) -> None:
    """Press a button and wait for the page that answers, or for its content."""
    element = page.get_by_role("button", name=button)
    if not is_scripted(page):
        with page.expect_navigation():
            element.click()
        return
    old = page.locator("main").element_handle()
    element.click()
    page.wait_for_function(
        "old => !old.isConnected && !document.querySelector('[aria-busy]')", arg=old
    )


def deal_own_deck(page: Page) -> None:
    """Deal with the sheet's deck."""
    page.get_by_text("Play your own deck").click()
    page.get_by_label("Deck file").set_input_files(DECK_FILE)
    press(page, "Deal")
